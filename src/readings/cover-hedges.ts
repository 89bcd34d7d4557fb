/** Which hedges count as cover: open ones, and those that settled at their maturity. And what this machine has not finished. */
import type { EarlyCloses } from '../cache/early-closes.ts';
import type { Hedge } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { daysBetween } from '../domain/business-days.ts';
import { localHourOf } from '../domain/calendar.ts';
import type { CoverPolicy, HedgeCover } from '../domain/cover.ts';
import { groupBy } from '../domain/group-by.ts';
import { shell } from '../domain/hint.ts';
import { instantOf } from '../domain/instants.ts';
import { coveredDate, isDerivedReference, isSameName } from '../domain/vocabulary.ts';
import { type CommandWords, DamagedFileError, unless } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { actionInWords, nextSteps, stateInWords } from '../journal/describe.ts';
import { type Action, inFlight, isUnresolved } from '../journal/replay.ts';
import {
  isDue,
  nextOfChain,
  type RollChain,
  rollInWords,
  rootOf,
  whyNoLegTwo,
} from '../journal/roll-chains.ts';
import { closedFromHere } from './closed-here.ts';
import { closedHedgeId, settlementIn } from './closed-record.ts';
import { incompleteFinding } from './journal-trouble.ts';
import type { ReadContext } from './read-context.ts';
import { PENDING_STATUSES } from './side-position.ts';

/** `assumed`: it matured, and nothing shows that it was closed before. */
export type Settlement = 'settled' | 'assumed' | 'early';

export interface CountedHedge {
  sent: Hedge;
  cover: HedgeCover;
  /** Undefined while it is open. */
  settlement: Settlement | undefined;
}

interface Counting {
  /** IANA zone that cuts the days. */
  zone: string;
  today: string;
  /** IDs of the open hedges. */
  openIds: ReadonlySet<string>;
  /** Judges the others, which have matured. */
  settlementOf: (hedge: Hedge) => Settlement;
}

/** In order of maturity. A hedge without a struck rate covers no naira, and is left out. */
export function countHedges(
  hedges: readonly Hedge[],
  { zone, today, openIds, settlementOf }: Counting,
): readonly CountedHedge[] {
  return hedges
    .flatMap((sent) => {
      const { id, side, notional_usd: notional, struck_rate: rate, maturity_at: maturity } = sent;
      const maturesMs = instantOf(maturity ?? '');
      const settlement = openIds.has(id) ? undefined : settlementOf(sent);
      if (settlement === 'early' || maturesMs === undefined || !rate?.gt(0)) return [];
      const cover: HedgeCover = {
        id,
        side,
        naira: notional.times(rate),
        maturesIn: daysBetween(today, localHourOf(maturesMs, zone).date),
        openedFor: coveredDate(sent.client_reference ?? undefined),
        settled: settlement !== undefined,
      };
      return [{ maturesMs, counted: { sent, cover, settlement } }];
    })
    .toSorted((one, other) => one.maturesMs - other.maturesMs)
    .map(({ counted }) => counted);
}

/**
 * Filled, or closed since. One that a roll replaced is left out: it had matured when a later leg opened. A name alone shows
 * no roll: hedges that ran at the same time are several, also with `.r2`.
 */
export function notRolled(hedges: readonly Hedge[]): readonly Hedge[] {
  const opened = hedges
    .filter(({ status }) => status === 'filled' || status === 'closed')
    .map((hedge) => {
      const { id, side, client_reference: sent, opened_at: from } = hedge;
      const { root, leg } = rootOf(sent && !isDerivedReference(sent) ? sent : id);
      return { hedge, leg, row: `${side} ${root}`, openedMs: Date.parse(from ?? '') };
    });
  const rows = groupBy(opened, ({ row }) => row);
  return opened
    .filter(({ hedge, row, leg }) => {
      const maturesMs = Date.parse(hedge.maturity_at ?? '');
      return rows.get(row)?.some((other) => other.leg > leg && other.openedMs >= maturesMs) !== true;
    })
    .map(({ hedge }) => hedge);
}

/**
 * Days from today of the earliest maturity that matters: a past date that is full passes a hedge on to a later date, as
 * far back as the windows of due dates meet.
 */
export function earliestMaturity(
  dueDays: readonly number[],
  { beforeDays, afterDays }: Pick<CoverPolicy, 'beforeDays' | 'afterDays'>,
): number {
  let earliest = -beforeDays;
  for (const days of dueDays.toSorted((one, other) => other - one))
    if (days + afterDays >= earliest) earliest = Math.min(earliest, days - beforeDays);
  return earliest;
}

/** Settlements of hedges past their maturity: from their records, this machine's journal and its earlier readings. */
export async function readSettlements(
  matured: readonly Hedge[],
  context: ReadContext & { earlyCloses: Pick<EarlyCloses, 'seen'> },
): Promise<(hedge: Hedge) => Settlement> {
  if (matured.length === 0) return () => 'assumed';
  const { data } = await context.api.history({ signal: context.signal });
  const closedHere = closedFromHere(matured, context);
  return (hedge) => {
    const { id } = hedge;
    const own = data.filter((record) => closedHedgeId(record) === id);
    const recorded = own.flatMap((record) => settlementIn(record, hedge) ?? []);
    // After a reduction there may be a record of each part.
    if (recorded.includes('settled')) return 'settled';
    return recorded.length > 0 || closedHere.has(id) || context.earlyCloses.seen(id) ? 'early' : 'assumed';
  };
}

/** Why the coverage is uncertain: half a sentence, and the command that settles it. */
export interface Uncertainty {
  why: string;
  look?: CommandWords | undefined;
}

/** Rolls that do not open their leg 2, which the coverage does not wait for. */
export const stoppedRolls = (rolls: readonly RollChain[], market: string): readonly RollChain[] =>
  rolls.filter((chain) => chain.plan.market === market && !isDue(chain) && whyNoLegTwo(chain) !== undefined);

/** Rolls with a leg that is due or in flight, and actions on the market whose outcome is not known. */
export function unfinishedHere(
  { market, hedges, rolls }: { market: string; hedges: readonly Hedge[]; rolls: readonly RollChain[] },
  { journal, identity }: ReadContext,
): readonly Uncertainty[] {
  const state = unless(DamagedFileError, () => journal.read());
  if (state === undefined)
    return [{ why: "this machine's journal cannot be read", look: shell`hedge audit verify` }];
  const isListed = ({ intent, hedgeId }: Action): boolean =>
    createsHedge(intent) &&
    hedges.some(({ id, status }) => id === hedgeId && !PENDING_STATUSES.includes(status));
  const unfinished = rolls
    .filter(({ plan }) => isSameName(plan.market, market))
    .filter((chain) => isDue(chain) || chain.state === 'closing' || chain.state === 'opening');
  const actions = state.current
    .filter(({ intent }) => isSameName(intent.market, market) && sameIdentity(intent.identity, identity))
    .filter((action) => isUnresolved(action) || ((inFlight(action) || action.underway) && !isListed(action)));
  return [
    ...(incompleteFinding(state.trouble) === undefined
      ? []
      : [{ why: "this machine's journal may lack actions", look: shell`hedge doctor` }]),
    ...unfinished.map((chain) => ({
      why: `roll ${chain.plan.chain_id}: ${rollInWords(chain)}`,
      look: nextOfChain(chain)?.command,
    })),
    ...actions.map((action) => ({
      why: `${actionInWords(action)}, action ${action.shortId}: ${stateInWords(action)}`,
      look: nextSteps(action, undefined)[0]?.command,
    })),
  ];
}
