/**
 * The guards over what was dealt before: halt, deal ids, doubles, what is unresolved or in flight, what the day
 * has opened. The very same function judges before the operator is asked and again under the journal's lock,
 * where no other process can deal in between. Pure: time and halt come in.
 *
 * A journal that cannot be read whole: what is missing may be an action that stands, so that nothing that
 * makes the book larger is sent over it. A last line that a crash cut is no damage: nothing was sent on it.
 *
 * Which actions `--despite` overrules: exactly those that are named and stand in the way. Pure.
 */
import { type ActionName, enlarges } from '../../domain/action-table.ts';
import { divide } from '../../domain/amounts.ts';
import { medianOf, remainingLimit, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { exactInstant } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { DamagedFileError, UsageError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { actionInWords, haltedInWords, stateInWords } from '../../journal/describe.ts';
import type { Halt } from '../../journal/halt.ts';
import {
  type AccountSide,
  type DealTerms,
  findAction,
  inFlightOn,
  lastNotionals,
  openedOn,
  unresolvedOn,
  usedDealId,
} from '../../journal/queries.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';
import { actionDetails, duplicateFindings, inFlightFindings, unresolvedFindings } from './conflicts.ts';
import { stopsFirst } from './guard-plan.ts';
/** What is about to be sent, and what the operator said about what stands in its way. */
export interface JournalGuardTerms extends DealTerms {
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
  asked: JournalGuardTerms,
  state: JournalState,
  desk: { nowMs: number; limits: TradingLimits; halt: Halt | undefined },
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

function haltFindings(asked: JournalGuardTerms, halt: Halt | undefined): readonly Finding[] {
  if (halt === undefined || !enlarges(asked)) return [];
  const details =
    'unreadable' in halt ? { path: halt.unreadable.path } : { who: halt.who, at: halt.at, why: halt.why };
  return [
    {
      level: 'stop',
      code: 'halted',
      message: `Opens and adds from this machine are ${haltedInWords(halt)}`,
      hint: 'Reduce and close go on. When dealing may go on: hedge unhalt',
      details,
    },
  ];
}

const takenDealId = (
  { identity, dealId }: JournalGuardTerms,
  others: readonly Action[],
): Action | undefined => (dealId !== undefined ? usedDealId(others, identity, dealId) : undefined);

function dealIdUsed(taken: Action): Finding {
  const { intent, shortId } = taken;
  const lookFirst = isUnresolved(taken) ? `hedge check ${shortId} tells whether it stands. ` : '';
  return {
    level: 'stop',
    code: 'deal_id_used',
    message: `Deal id ${quotedName(intent.deal_id ?? '')} is used by ${actionInWords(taken)}: action ${shortId}, ${stateInWords(taken)}.`,
    hint: `${lookFirst}The same deal is not dealt twice with --ensure; another deal needs an id of its own.`,
    details: { actions: [actionDetails(taken)] },
  };
}

/** Counts whatever of the UTC day may stand, this one included. */
function dailyFindings(
  asked: JournalGuardTerms,
  others: readonly Action[],
  { nowMs, limits }: { nowMs: number; limits: TradingLimits },
): readonly Finding[] {
  const { identity, notional } = asked;
  const most = limits.maxDailyNotional;
  if (most === undefined || notional === undefined || !enlarges(asked)) return [];
  const day = exactInstant(nowMs).slice(0, 'YYYY-MM-DD'.length);
  const opened = openedOn(others, identity, day);
  if (opened.plus(notional).lte(most)) return [];
  const left = wholeCents(remainingLimit(most, opened));
  return [
    {
      level: 'stop',
      code: 'limit_exceeded',
      message: `With this, opens and adds of ${day} (UTC) come to ${usdInWords(opened.plus(notional))}, more than the ${usdInWords(most)} a day that this profile allows.`,
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

function unusualSize(asked: JournalGuardTerms, others: readonly Action[]): readonly Finding[] {
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
      message: `${usdInWords(notional)} is ${divide(notional, middle, 1).toFixed()} times the middle of this desk's last ${last.length.toString()} deals, ${usdInWords(middle)}.`,
      details: { notional_usd: notional, median_notional_usd: middle, deals: last.length },
    },
  ];
}

/** What reduce and close are told. @throws DamagedFileError for an open or add, naming the line and the mend. */
export function damageFindings(
  asked: { action: ActionName },
  state: Pick<JournalState, 'damage' | 'orphans' | 'path'>,
): readonly Finding[] {
  const found = damageIn(state);
  if (found === undefined) return [];
  if (enlarges(asked)) {
    throw new DamagedFileError(state.path, {
      what: `${found.what} An action that stands may be hidden there.`,
      book: 'Nothing was sent. Reduce and close go on.',
      hint: `See what is on the book (hedge hedges, hedge positions); then put a copy of the file back, or ${found.mend}.`,
      details: { path: state.path, lines: state.damage.map(({ line }) => line), orphans: state.orphans },
    });
  }
  return [
    {
      level: 'warn',
      code: 'damaged_file',
      message: `${found.what} An action that is unresolved or in flight may be hidden there.`,
      hint: 'To see what is on the book: hedge hedges, hedge positions',
      details: { path: state.path, lines: state.damage.map(({ line }) => line), orphans: state.orphans },
    },
  ];
}

function damageIn({
  damage,
  orphans,
  path,
}: Pick<JournalState, 'damage' | 'orphans' | 'path'>): { what: string; mend: string } | undefined {
  const [first] = damage;
  if (first !== undefined) {
    const more = damage.length > 1 ? ` (and ${(damage.length - 1).toString()} more)` : '';
    return {
      what: `Line ${first.line.toString()} of ${path} ${first.how}${more}.`,
      mend: `take ${damage.length > 1 ? 'those lines' : 'that line'} out of it`,
    };
  }
  const [orphan] = orphans;
  if (orphan === undefined) return undefined;
  return {
    what: `${path} does not hold how action ${orphan} began.`,
    mend: `take the lines of ${orphan} out of it`,
  };
}

/**
 * Their ids. @throws UsageError for a text that names no action or several, and for an action that is neither
 * unresolved nor in flight on this identity, market and side: what it was said about is no longer so.
 */
export function readDespite(
  asked: AccountSide & { despite: readonly string[] },
  actions: readonly Action[],
): ReadonlySet<string> {
  const inTheWay = [...unresolvedOn(actions, asked), ...inFlightOn(actions, asked)];
  return new Set(
    asked.despite.map((text) => {
      const action = named(text, actions);
      if (!inTheWay.includes(action)) throw notInTheWay(text, action, asked);
      return action.id;
    }),
  );
}

function named(text: string, actions: readonly Action[]): Action {
  const result = findAction(actions, text);
  switch (result.found) {
    case 'one':
      return result.action;
    case 'none':
      throw new UsageError(
        `No action is called ${quotedName(text)} (--despite). Nothing was sent.`,
        'To see them: hedge journal',
      );
    case 'many':
      throw new UsageError(
        `${quotedName(text)} may mean ${result.actions.map(({ id }) => id).join(' or ')} (--despite). Nothing was sent.`,
        'Write more of its id.',
      );
    default:
      return result satisfies never;
  }
}

function notInTheWay(text: string, action: Action, { identity, market, side }: AccountSide): UsageError {
  const { intent } = action;
  const isHere = intent.market === market && intent.side === side;
  const where = sameIdentity(intent.identity, identity)
    ? `on ${intent.market} ${intent.side}`
    : 'of another account';
  const why = isHere && sameIdentity(intent.identity, identity) ? stateInWords(action) : where;
  return new UsageError(
    `--despite ${text} overrules nothing on ${market} ${side}: ${actionInWords(action)} is ${why}. Nothing was sent.`,
    `Leave it out. To see that action: hedge journal ${action.shortId}`,
  );
}
