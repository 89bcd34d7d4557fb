/** The sum that the daily limits compare: opens and adds of the day, by each clock that may be meant. Pure. */
import type { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { DAY_MS, exactInstant, MAX_CLOCK_SKEW_MS, utcDay } from '../../domain/instants.ts';
import { type AccountIdentity, sameIdentity } from '../../journal/account-identity.ts';
import { enlarged } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import type { JournalState } from '../../journal/state.ts';
import type { PlanFacts } from '../plan.ts';

/** The UTC days of an action of now: where the clock of this machine, or of the desk's database, is wrong, that of the service too. */
export function countedDays(
  { facts }: { facts?: Pick<PlanFacts, 'clocks'> | undefined },
  nowMs: number,
): readonly string[] {
  const { service = nowMs } = facts?.clocks ?? {};
  const isWrong = Math.abs(nowMs - service) > MAX_CLOCK_SKEW_MS;
  return [...new Set([nowMs, ...(isWrong ? [service] : [])].map(utcDay))];
}

interface Counted {
  identity: AccountIdentity;
  days: readonly string[];
  except?: string | undefined;
  login?: string | undefined;
}

/** USD. An action recorded while the clock was a day wrong counts for the service's day, too. */
export function openedOnDays(state: JournalState, { identity, days, except, login }: Counted): Big {
  const begins = days.map((day) => Date.parse(day));
  const [first, last] = [Math.min(...begins), Math.max(...begins)];
  const isMeant = ({ before, identity: of }: IntentRecord): boolean =>
    days.some((day) => before.service_at?.startsWith(day)) && sameIdentity(of, identity);
  const dealt = [
    ...state.newest({ from: exactInstant(last + DAY_MS) }, isMeant),
    ...state.newest({ from: exactInstant(first - DAY_MS), until: exactInstant(first) }, isMeant),
  ];
  const elsewhere = dealt.filter(
    (action) => action.id !== except && (login === undefined || action.login === login),
  );
  return sum([
    ...days.map((day) => state.openedOn(identity, day, except, login)),
    ...elsewhere.flatMap((action) => enlarged(action) ?? []),
  ]);
}
