/**
 * The guards over what was dealt before: halt, deal ids, doubles, what is unresolved or in flight, what the day
 * has opened. The very same function judges before the operator is asked and again under the journal's lock,
 * where no other process can deal in between. Pure: time and halt come in.
 */
import { divide } from '../../domain/amounts.ts';
import { leftOf, medianOf, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { exactInstant } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import type { Halt } from '../../journal/halt.ts';
import { actionInWords, haltedInWords, stateInWords } from '../../journal/in-words.ts';
import { lastNotionals, openedOn, type Terms, usedDealId } from '../../journal/ledger.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Finding, Limits } from '../dealing.ts';
import { damageFindings } from './guard-damage.ts';
import { actionDetails, duplicateFindings, inFlightFindings, unresolvedFindings } from './guard-standing.ts';
import { readDespite } from './read-despite.ts';
import { stopsFirst } from './stop.ts';

/** What is about to be sent, and what the operator said about what stands in its way. */
export interface Asked extends Terms {
  /** Ids of actions, or their beginnings, that are not to stop it. */
  despite: readonly string[];
  allowDuplicate: boolean;
  /** A close that finds nothing open. */
  flat?: boolean | undefined;
  /** Its size was worked out from what is open (`--by`, `--to`). */
  measured?: boolean | undefined;
  /** Its own entry, when it is sent again: neither a double of itself nor counted twice. */
  except?: string | undefined;
}

/** A size beyond this many times the middle of the last deals is pointed out. */
const UNUSUAL_TIMES = 5;
const FEWEST_DEALS = 5;

/**
 * Everything there is to find, stops first. @throws DamagedFileError for an open or add over a journal that
 * cannot be read whole; UsageError for a `--despite` that names nothing in the way.
 */
export function guardJournal(
  asked: Asked,
  state: JournalState,
  desk: { nowMs: number; limits: Limits; halt: Halt | undefined },
): readonly Finding[] {
  const others = state.actions.filter(({ id }) => id !== asked.except);
  const damage = damageFindings(asked, state);
  const despite = readDespite(asked, state.actions);
  const taken = takenDealId(asked, others);
  const standing = others.filter((it) => it !== taken && !despite.has(it.id));
  return stopsFirst([
    ...haltFindings(asked, desk.halt),
    ...damage,
    ...(taken === undefined ? [] : [dealIdUsed(taken)]),
    ...unresolvedFindings(asked, standing),
    ...inFlightFindings(asked, standing, desk.nowMs),
    ...duplicateFindings(asked, standing, desk.nowMs),
    ...dailyFindings(asked, others, desk),
    ...unusualSize(asked, others),
  ]);
}

/** It makes the book larger. */
const enlarges = ({ action }: Terms): boolean => action === 'open' || action === 'add';

function haltFindings(asked: Asked, halt: Halt | undefined): readonly Finding[] {
  if (halt === undefined || !enlarges(asked)) return [];
  const details =
    'unreadable' in halt ? { path: halt.unreadable.path } : { who: halt.who, at: halt.at, why: halt.why };
  return [
    {
      level: 'stop',
      code: 'halted',
      says: `Opens and adds from this machine are ${haltedInWords(halt)}`,
      hint: 'Reduce and close go on. When dealing may go on: hedge unhalt',
      details,
    },
  ];
}

const takenDealId = ({ action, identity, dealId }: Asked, others: readonly Action[]): Action | undefined =>
  action === 'open' && dealId !== undefined ? usedDealId(others, identity, dealId) : undefined;

function dealIdUsed(taken: Action): Finding {
  const { intent, shortId } = taken;
  const lookFirst = isUnresolved(taken) ? `hedge check ${shortId} tells whether it stands. ` : '';
  return {
    level: 'stop',
    code: 'deal_id_used',
    says: `Deal id ${quotedName(intent.deal_id ?? '')} is used by ${actionInWords(taken)}: action ${shortId}, ${stateInWords(taken)}.`,
    hint: `${lookFirst}The same deal is not dealt twice with --ensure; another deal needs an id of its own.`,
    details: { actions: [actionDetails(taken)] },
  };
}

/** Counts whatever of the UTC day may stand, this one included. */
function dailyFindings(
  asked: Asked,
  others: readonly Action[],
  { nowMs, limits }: { nowMs: number; limits: Limits },
): readonly Finding[] {
  const { identity, notional } = asked;
  const most = limits.maxDailyNotional;
  if (most === undefined || notional === undefined || !enlarges(asked)) return [];
  const day = exactInstant(nowMs).slice(0, 'YYYY-MM-DD'.length);
  const opened = openedOn(others, identity, day);
  if (opened.plus(notional).lte(most)) return [];
  const left = wholeCents(leftOf(most, opened));
  return [
    {
      level: 'stop',
      code: 'limit_exceeded',
      says: `With this, opens and adds of ${day} (UTC) come to ${usdInWords(opened.plus(notional))}, more than the ${usdInWords(most)} a day that this profile allows.`,
      hint: left.gt(0) ? `Ask for ${usdInWords(left)} or less.` : 'The next day begins at 00:00 UTC.',
      fits: left,
      details: {
        notional_usd: notional,
        max_daily_notional_usd: most,
        opened_today_usd: opened,
        fits_notional_usd: left,
      },
    },
  ];
}

function unusualSize(asked: Asked, others: readonly Action[]): readonly Finding[] {
  const { notional, identity } = asked;
  const last = lastNotionals(others, identity);
  const middle = medianOf(last);
  if (!enlarges(asked) || notional === undefined || middle === undefined || last.length < FEWEST_DEALS)
    return [];
  if (notional.lte(middle.times(UNUSUAL_TIMES))) return [];
  return [
    {
      level: 'warn',
      code: 'unusual_size',
      says: `${usdInWords(notional)} is ${divide(notional, middle, 1).toFixed()} times the middle of this desk's last ${last.length.toString()} deals, ${usdInWords(middle)}.`,
      details: { notional_usd: notional, median_notional_usd: middle, deals: last.length },
    },
  ];
}
