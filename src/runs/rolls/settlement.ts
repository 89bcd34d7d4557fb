/**
 * Whether the first leg of a roll at maturity has settled, and at what size. A hedge that is `closed` after its maturity may
 * have been closed before it: only its record in the history tells. Sends no action.
 */
import { Big } from 'big.js';
import { keepingNote, openCommandLine, USUAL_OPTIONS } from '../../args/action-options.ts';
import { decimalFrom, textFrom } from '../../client/json.ts';
import type { ClosedHedge, Hedge } from '../../client/schemas.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { exactInstant, instantOf } from '../../domain/instants.ts';
import { quoted, quotedName } from '../../domain/quoted.ts';
import { isSameSide } from '../../domain/vocabulary.ts';
import { type NextStep, type OwnCode, PendingError, StoppedError } from '../../errors.ts';
import { actionAndMachine, timeInWords } from '../../journal/describe.ts';
import { openHedgesFrom } from '../../journal/queries.ts';
import type { RollPlan } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import { legOneHere, type RollChain } from '../../journal/roll-chains.ts';
import { closedHedgeId, closedInstant, EARLY_MS, endedBy, hasZone } from '../../readings/closed-record.ts';
import { READINGS_LAG_MS } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { hedgeIfKnown, readUnderReference } from '../../readings/read-position.ts';
import type { PositionFacts } from '../../readings/side-position.ts';
import type { Finding } from '../../trading/trading-context.ts';
import { isMatured, legTwo } from './plan-roll.ts';

/** The roll is over without an open leg 2: a leg was closed. `note`: for the journal. */
export class RollEndedError extends StoppedError {
  readonly note: string;
  constructor(
    { chain_id: id }: RollPlan,
    { what, note, details }: { what: string; note: string; details: Readonly<Record<string, unknown>> },
  ) {
    super({
      code: 'book_changed',
      what,
      meaning: `Leg 2 was not opened now. Roll ${id} is finished.`,
      hint: say`To hedge again: ${shell`hedge open`}`,
      details: { chain_id: id, ...details },
    });
    this.note = note;
  }
}

/**
 * USD that settled. `servedMs`: the service's time.
 * @throws PendingError before it has settled; RollEndedError when it was closed early; StoppedError when that, or the size,
 * is for a person to decide.
 */
export async function settledSize(plan: RollPlan, servedMs: number, context: ReadContext): Promise<Big> {
  const maturesMs = Date.parse(plan.maturity_at ?? '');
  const [read, records] = await Promise.all([
    hedgeIfKnown(plan.hedge_id, context),
    readRecords(plan, context),
  ]);
  const hedge = read?.data;
  // Also before the plan: this machine's clock may have been set back since.
  const from = openHedgesFrom(Math.min(context.clock.now(), Date.parse(plan.at)));
  const here = legOneHere(plan, context.journal.read().newest({ from }));
  const claims = new Set(records.flatMap((record) => claimsOf(record, { maturesMs, servedMs })));
  if (here.closedBy !== undefined) {
    const isByHand = here.closedBy.recordedAs === 'done';
    // An earlier version recorded a settlement during an action as closed by it.
    if (claims.has('settled') && (isByHand || !claims.has('early')))
      throw unclear(
        plan,
        `${isByHand ? 'a person' : 'this machine'} recorded its close, but the history has it as settled`,
        here.closedBy,
      );
    throw closedEarly(plan, { by: here.closedBy });
  }
  if (hedge !== undefined && hedge.status !== 'closed')
    throw claims.has('early')
      ? unclear(plan, `it is ${quoted(hedge.status)}, but the history has it as closed early`)
      : notSettled(plan, `it is ${quoted(hedge.status)}`);
  if (here.unresolved !== undefined)
    throw unclear(plan, 'whether a close from this machine took it is not known', here.unresolved);
  if (claims.size > 1) throw unclear(plan, 'the history contradicts itself');
  if (claims.has('early')) throw closedEarly(plan, { at: textFrom(records[0]?.closed_at) });
  if (claims.has('settled')) return sizeOf(plan, { hedge, records, lastSeen: here.size });
  const [record] = records;
  const silent =
    record === undefined
      ? 'no record of the history has its ID'
      : 'its record in the history has no reason that tells, and no time, or one that may be of another time zone';
  const why = hedge === undefined ? 'the service does not know it any more' : silent;
  // Its record may come a little after its status.
  throw servedMs - maturesMs < READINGS_LAG_MS ? notSettled(plan, why) : unclear(plan, why);
}

async function readRecords(plan: RollPlan, { api, signal }: ReadContext): Promise<readonly ClosedHedge[]> {
  const { data } = await api.history({ signal });
  return data.filter((record) => closedHedgeId(record) === plan.hedge_id);
}

/** Whether a person will have to open leg 2: no record of this service's history tells a settlement from an early close. */
export async function cannotTell({ api, signal }: ReadContext): Promise<readonly Finding[]> {
  const { data } = await api.history({ signal });
  if (data.length === 0 || data.some(tells)) return [];
  return [
    {
      level: 'warn',
      code: 'book_unclear',
      message:
        'The history of this service does not show when or why a hedge closed: leg 2 will not open by itself.',
      hint: say`After the maturity ${shell`hedge roll run`} stops, and names the ${shell`hedge open`} with which a person opens it.`,
    },
  ];
}

const tells = (record: ClosedHedge): boolean =>
  closedHedgeId(record) !== undefined &&
  ((closedInstant(record) !== undefined && hasZone(record)) || REASONS.includes(record.reason));

const REASONS: readonly unknown[] = ['close', 'maturity'];

/** Resolution of times without milliseconds. */
const ROUNDED_MS = 1_000;

/** Between the two the time alone tells nothing. */
function claimsOf(
  record: ClosedHedge,
  { maturesMs, servedMs }: { maturesMs: number; servedMs: number },
): readonly ('settled' | 'early')[] {
  const atMs = closedInstant(record);
  const reason = textFrom(record.reason);
  const isKnown = atMs !== undefined && atMs < servedMs + READINGS_LAG_MS;
  const told = isKnown ? endedBy(record, maturesMs) : undefined;
  const early = reason === 'close' || told === 'early';
  const settled = reason === 'maturity' || (told === 'settled' && (atMs ?? 0) >= maturesMs - ROUNDED_MS);
  return [...(early ? (['early'] as const) : []), ...(settled ? (['settled'] as const) : [])];
}

/**
 * A record covers the whole life of a hedge, so its size may be that before a reduction; the hedge has what was left.
 * @throws StoppedError without that size, and when another figure is smaller.
 */
function sizeOf(
  plan: RollPlan,
  {
    hedge,
    records,
    lastSeen,
  }: { hedge: Hedge | undefined; records: readonly ClosedHedge[]; lastSeen: Big | undefined },
): Big {
  const others = [
    { what: 'the roll was planned for', size: new Big(plan.notional_usd) },
    { what: 'this machine last saw it at', size: lastSeen },
    ...records.map((record) => ({ what: 'the history has', size: decimalFrom(record.notional_usd) })),
  ].flatMap(({ what, size }) => (size?.gt(0) === true ? [{ what, size }] : []));
  const least = others.reduce((one, other) => (other.size.lt(one.size) ? other : one));
  const size = hedge?.notional_usd;
  if (size?.gt(0) !== true)
    throw forPerson(plan, 'has settled, at a size that the service does not show', [least.size]);
  if (size.lte(least.size)) return size;
  throw forPerson(plan, `settled at ${usdInWords(size)}, but ${least.what} ${usdInWords(least.size)}`, [
    least.size,
    size,
  ]);
}

/** Read before its maturity: a close is final, and after the maturity it would look like a settlement. */
export function closedBeforeMaturity(
  { plan, legOne: { closedBy: by } }: RollChain,
  { hedges, servedAt }: Pick<PositionFacts, 'hedges' | 'servedAt'>,
): RollEndedError | undefined {
  const hedge = hedges.find(({ id }) => id === plan.hedge_id);
  const isEarly = servedAt.getTime() < Date.parse(plan.maturity_at ?? '') - EARLY_MS;
  return isEarly && hedge?.status === 'closed' && !isMatured(hedge, servedAt)
    ? closedEarly(plan, { by })
    : undefined;
}

/** The only hedge with the deal ID of leg 2, filled; it may be over since. */
export async function legTwoElsewhere(plan: RollPlan, context: ReadContext): Promise<Hedge | undefined> {
  const { hedges } = await readUnderReference(context, plan.deal_id);
  const [only, another] = hedges.filter(({ status }) => status !== 'failed');
  if (only === undefined || another !== undefined) return undefined;
  if (!isSameSide(plan, only)) return undefined;
  return only.status === 'filled' || only.status === 'closed' ? only : undefined;
}

/** Undefined for a hedge that is open, or has matured. */
export function legTwoClosed(plan: RollPlan, hedge: Hedge, at: Date): RollEndedError | undefined {
  if (hedge.status !== 'closed' || isMatured(hedge, at)) return undefined;
  const name = quotedName(hedge.id);
  return new RollEndedError(plan, {
    what: `Leg 2, hedge ${name} (${quotedName(plan.deal_id)}), was opened, and closed before its maturity.`,
    note: `leg 2, hedge ${name}, was closed before its maturity`,
    details: { hedge_id: hedge.id, deal_id: plan.deal_id },
  });
}

function closedEarly(
  plan: RollPlan,
  { by, at }: { by?: Action | undefined; at?: string | undefined },
): RollEndedError {
  const name = quotedName(plan.hedge_id);
  const atMs = instantOf(at ?? '');
  const when = atMs === undefined ? '' : `, ${timeInWords(exactInstant(atMs))}`;
  const who = by === undefined ? '' : ` by action ${actionAndMachine(by)}`;
  return new RollEndedError(plan, {
    what: `Hedge ${name} was closed before its maturity${who}${when}.`,
    note: `hedge ${name} was closed before its maturity${who}${when}`,
    details: { hedge_id: plan.hedge_id, closed_at: at ?? null, action_id: by?.id ?? null },
  });
}

const notSettled = ({ chain_id: id, hedge_id: hedge }: RollPlan, why: string): PendingError =>
  new PendingError({
    what: `Hedge ${quotedName(hedge)} has matured, but its settlement is not seen yet: ${why}.`,
    meaning: `Roll ${id}: leg 2 was not opened.`,
    hint: say`Run it again in a minute: ${shell`hedge roll run ${id}`}`,
    details: { chain_id: id, hedge_id: hedge },
  });

function unclear(plan: RollPlan, why: string, close?: Action): StoppedError {
  // One that has ended shows no more when it is looked up.
  const isOpen = close !== undefined && close.state !== 'done';
  return forPerson(
    plan,
    `has matured, but may have been closed before: ${why}`,
    [new Big(plan.notional_usd)],
    {
      code: 'book_unclear',
      look: isOpen
        ? step(shell`hedge check ${close.shortId}`, 'look up its close; then run the roll again')
        : undefined,
    },
  );
}

/** `sizes`: of leg 2, for a person to choose from. */
function forPerson(
  plan: RollPlan,
  what: string,
  sizes: readonly Big[],
  {
    code = 'book_changed',
    look = step(shell`hedge history`, 'see how it ended'),
  }: { code?: OwnCode; look?: NextStep | undefined } = {},
): StoppedError {
  const { chain_id: id, hedge_id: hedge } = plan;
  const open = (size: Big) =>
    openCommandLine({
      ...legTwo(plan, size, USUAL_OPTIONS, { allowDuplicate: false }),
      retryFailed: false,
      options: keepingNote(plan),
    });
  return new StoppedError({
    code,
    what: `Hedge ${quotedName(hedge)} ${what}.`,
    meaning: `Roll ${id}: leg 2 was not opened.`,
    hint: [
      look,
      ...sizes.map((size) => step(open(size), `open leg 2 at ${usdInWords(size)}`)),
      step(shell`hedge roll drop ${id} --note TEXT`, 'give up the roll'),
    ],
    retry: 'after_check',
    details: { chain_id: id, hedge_id: hedge, sizes },
  });
}
