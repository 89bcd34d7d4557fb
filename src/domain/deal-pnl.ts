/**
 * The life of a hedge as events, each with the P&L that it realized, and what the hedge made between two moments. A reduce is
 * realized on its own day; the close has the rest of what the service's record says. Pure.
 */
import type { Big } from 'big.js';
import { divide, sum, USD_PLACES } from './amounts.ts';
import { addPnl, type EntryQuotes, lessPnl, NO_PNL, type PnlParts, pnlOf, splitPrice } from './pnl-parts.ts';
import type { HedgeShare } from './side-shares.ts';
import type { Side } from './vocabulary.ts';

/** An open or an add from this machine. */
export interface DealEntry extends EventFacts {
  kind: 'open' | 'add';
  /** Filled, USD. */
  notional: Big;
  /** The rates of the quote. */
  mid: Big | undefined;
  quoted: Big | undefined;
  fee: Big | undefined;
  margin: Big | undefined;
}

/** A reduce from this machine, or the part of it that this hedge had. */
export interface DealReduction extends EventFacts {
  kind: 'reduce';
  /** From the side's figures when it was sent; undefined: not recorded. */
  share: HedgeShare | undefined;
}

interface EventFacts {
  /** The service's time, in milliseconds since the epoch. */
  ms: number;
  /** USD of the hedge. */
  before: Big;
  after: Big;
  actionId: string;
  /** When its outcome was recorded, by this machine's clock. ISO 8601 UTC. */
  recordedAt: string;
}

/** The service's record of a closed hedge: over its whole life. Undefined figures were not sent, or do not add up. */
export interface ClosedFacts {
  net: Big;
  /** All or none. */
  parts: { gross: Big; carry: Big; fees: Big } | undefined;
  notional: Big | undefined;
  entry: Big | undefined;
  exit: Big | undefined;
}

export interface DealFacts {
  hedgeId: string;
  dealId: string | undefined;
  market: string;
  side: Side;
  /** Who opened it. */
  operator: string | undefined;
  openedMs: number;
  /** When its open was known, by this machine's clock. ISO 8601 UTC. */
  recordedAt: string;
  /** In order. */
  changes: readonly (DealEntry | DealReduction)[];
  /** Undefined while it is open, and where that is not known. */
  closedMs: number | undefined;
  closed: ClosedFacts | undefined;
  /** When a snapshot first had the record of its close, by this machine's clock; undefined: none has. */
  closedRecordedAt?: string | undefined;
}

export interface DealEvent {
  kind: 'open' | 'add' | 'reduce' | 'close';
  ms: number;
  /** Undefined: not known. */
  pnl: PnlParts | undefined;
  /** USDC locked by it; negative: released. */
  margin: Big | undefined;
  sizes: { before: Big; after: Big } | undefined;
  actionId: string | undefined;
  recordedAt: string | undefined;
  /** The quotes of the hedge after the event; undefined: its price is not split. */
  quotes?: EntryQuotes | undefined;
}

export interface DealLife extends Omit<DealFacts, 'changes' | 'closed'> {
  /** USD opened and added from this machine. */
  notional: Big;
  events: readonly DealEvent[];
}

export function dealOf({ changes, closed, ...facts }: DealFacts): DealLife {
  const entries = changes.filter((each) => each.kind !== 'reduce');
  const ofLife = quotesOf(entries, changes, closed);
  const events: DealEvent[] = [];
  let quotes = ofLife && NO_QUOTES;
  let locked: Big | undefined;
  for (const change of changes) {
    const { kind, ms, before, after, actionId, recordedAt } = change;
    const fee = change.kind === 'reduce' ? undefined : change.fee?.times(-1);
    const margin: Big | undefined =
      change.kind === 'reduce' ? released(locked, before, after) : change.margin;
    const pnl =
      change.kind === 'reduce' ? reducedPnl(change, facts.side, quotes) : fee && pnlOf({ fees_usdc: fee });
    quotes = quotes && quotesAfter(change, quotes);
    events.push({ kind, ms, pnl, margin, sizes: { before, after }, actionId, recordedAt, quotes });
    locked = kind === 'open' ? margin : margin && locked?.plus(margin);
  }
  const { closedMs } = facts;
  if (closedMs !== undefined)
    events.push({
      kind: 'close',
      ms: closedMs,
      pnl: closed && lessPnl(lifePnl(closed, facts.side, ofLife), realizedBy(events)),
      margin: locked?.times(-1),
      sizes: undefined,
      actionId: undefined,
      recordedAt: facts.closedRecordedAt,
    });
  return { ...facts, notional: sum(entries.map(({ notional }) => notional)), events };
}

/** Margin scales down with the notional (specification §3). */
const released = (locked: Big | undefined, before: Big, after: Big): Big | undefined =>
  locked && divide(locked.times(after), before, USD_PLACES).minus(locked);

const realizedBy = (events: readonly DealEvent[]): PnlParts => addPnl(events.flatMap(({ pnl }) => pnl ?? []));

/** Undefined where something of the price cannot be split: then nothing of the hedge is. */
function quotesOf(
  entries: readonly DealEntry[],
  changes: readonly (DealEntry | DealReduction)[],
  closed: ClosedFacts | undefined,
): EntryQuotes | undefined {
  const reductions = changes.filter((each) => each.kind === 'reduce');
  if (entries[0]?.kind !== 'open' || reductions.some(({ share }) => share?.mark === undefined))
    return undefined;
  const whole = sum(entries.map(({ notional }) => notional));
  // Somebody else added to it.
  if (closed?.notional?.eq(whole) === false) return undefined;
  const priced = entries.flatMap((entry) => quotesIn(entry) ?? []);
  return priced.length < entries.length ? undefined : priced.reduce(plusQuotes, NO_QUOTES);
}

const NO_QUOTES: EntryQuotes = { notional: sum([]), atMid: sum([]), atQuoted: sum([]) };

const quotesIn = ({ mid, quoted, notional }: DealEntry): EntryQuotes | undefined =>
  mid && quoted && { notional, atMid: notional.times(mid), atQuoted: notional.times(quoted) };

const plusQuotes = (one: EntryQuotes, other: EntryQuotes): EntryQuotes => ({
  notional: one.notional.plus(other.notional),
  atMid: one.atMid.plus(other.atMid),
  atQuoted: one.atQuoted.plus(other.atQuoted),
});

/** The average of a hedge that is left after a reduce stays, and weighs less in that of a later add. */
function quotesAfter(change: DealEntry | DealReduction, quotes: EntryQuotes): EntryQuotes | undefined {
  if (change.kind !== 'reduce') {
    const added = quotesIn(change);
    return added && plusQuotes(quotes, added);
  }
  const left = (amount: Big): Big => divide(amount.times(change.after), change.before, USD_PLACES);
  return { notional: left(quotes.notional), atMid: left(quotes.atMid), atQuoted: left(quotes.atQuoted) };
}

function reducedPnl(
  { share }: DealReduction,
  side: Side,
  quotes: EntryQuotes | undefined,
): PnlParts | undefined {
  if (share === undefined) return undefined;
  const { leg, mark, gross, carry, closeFee } = share;
  const price = splitPrice({ side, notional: leg.notional, struck: leg.struck, exit: mark, gross }, quotes);
  return { ...price, carry_usdc: carry, fees_usdc: closeFee.times(-1) };
}

/** Over the whole life. Where the record has the net P&L only, all of it is price. */
function lifePnl(
  { net, parts, notional, entry, exit }: ClosedFacts,
  side: Side,
  quotes: EntryQuotes | undefined,
): PnlParts {
  if (parts === undefined) return pnlOf({ price_usd: net });
  const { gross, carry, fees } = parts;
  const size = notional ?? quotes?.notional;
  const price =
    size === undefined
      ? pnlOf({ price_usd: gross })
      : splitPrice({ side, notional: size, struck: entry, exit, gross }, quotes);
  // The rounding of the service stays in the price, so that the parts add up to its net P&L.
  const rest = net.minus(gross).minus(carry).plus(fees);
  return { ...price, price_usd: price.price_usd.plus(rest), carry_usdc: carry, fees_usdc: fees.times(-1) };
}

/** P&L of closing the hedge at the mark: price and carry, less the fee to close. `last`: the event before it. */
function unrealizedPnl({ side }: DealLife, share: HedgeShare, last: DealEvent | undefined): PnlParts {
  const { leg, mark, gross, carry, closeFee } = share;
  // A hedge of another size was changed by somebody else.
  const quotes = last?.sizes?.after.eq(leg.notional) === true ? last.quotes : undefined;
  const price = splitPrice({ side, notional: leg.notional, struck: leg.struck, exit: mark, gross }, quotes);
  return { ...price, carry_usdc: carry, fees_usdc: closeFee.times(-1) };
}

/** The account at a moment: a reading, or only a time. */
export interface Cut {
  /** The service's time, in milliseconds since the epoch. */
  ms: number;
  snapshot: CutSnapshot | undefined;
}

export interface CutSnapshot {
  /** When it was recorded, by this machine's clock. ISO 8601 UTC. */
  recordedAt: string;
  /** USD of each filled hedge, by ID. */
  held: ReadonlyMap<string, Big>;
  /** The unrealized figures of each, where the service sends them. */
  shares: ReadonlyMap<string, HedgeShare>;
}

/** The resolution of the service's time. */
const SECOND_MS = 1_000;
/** An order has landed after this, and every reading shows it. */
const LANDED_MS = 10 * 60_000;

/** Whatever the sizes of a reading say: others may have changed the hedge too, or the list may lack it. */
const hasLanded = (
  { ms, recordedAt }: Pick<DealEvent, 'ms' | 'recordedAt'>,
  cut: { ms: number; snapshot: CutSnapshot },
): boolean =>
  ms <= cut.ms - LANDED_MS ||
  (ms < cut.ms + SECOND_MS && recordedAt !== undefined && recordedAt <= cut.snapshot.recordedAt);

/** The events of a hedge that had happened at a moment. */
export function eventsBefore(deal: DealLife, { ms, snapshot }: Cut): readonly DealEvent[] {
  const { events, closedMs } = deal;
  if (snapshot === undefined) return events.filter((each) => each.ms < ms);
  const held = snapshot.held.get(deal.hedgeId);
  if (held === undefined && closedMs !== undefined && closedMs < ms + SECOND_MS) return events;
  const shown = events.findLastIndex(
    (each) => each.ms <= ms && held !== undefined && each.sizes?.after.eq(held) === true,
  );
  return events.filter(
    (each, at) =>
      at <= shown ||
      (each.kind === 'open' && held !== undefined) ||
      (each.kind !== 'close' && hasLanded(each, { ms, snapshot }) && !isStillComing(each, held, snapshot)),
  );
}

/** It was sent again later: a reading from before its outcome has the hedge as it was. */
const isStillComing = (
  { sizes, recordedAt }: DealEvent,
  held: Big | undefined,
  snapshot: CutSnapshot,
): boolean =>
  held !== undefined && sizes?.before.eq(held) === true && (recordedAt ?? '') > snapshot.recordedAt;

/** Undefined: it was open, and its figures are not known. */
export function unrealizedAt(deal: DealLife, { ms, snapshot }: Cut): PnlParts | undefined {
  const { openedMs, closedMs } = deal;
  if (snapshot === undefined) {
    const isOpen = openedMs < ms && (closedMs === undefined || closedMs >= ms);
    return isOpen ? undefined : NO_PNL;
  }
  if (!snapshot.held.has(deal.hedgeId)) {
    // It had matured and was settled later, or the list lacked it. One that no record closes may have ended.
    const isClosedLater = closedMs !== undefined && closedMs >= ms + SECOND_MS;
    return isClosedLater && hasLanded({ ...deal, ms: openedMs }, { ms, snapshot }) ? undefined : NO_PNL;
  }
  const share = snapshot.shares.get(deal.hedgeId);
  return share && unrealizedPnl(deal, share, eventsBefore(deal, { ms, snapshot }).at(-1));
}

export interface DealPnl {
  deal: DealLife;
  /** In the period, oldest first. */
  events: readonly DealEvent[];
  /** Sum of the events whose P&L is known. */
  realized: PnlParts;
  /** The change; undefined: not known. */
  unrealized: PnlParts | undefined;
  /** Some of it is not known, and in no figure. */
  isPartial: boolean;
}

/** Undefined for a hedge that did nothing in the period. */
export function pnlBetween(deal: DealLife, from: Cut, to: Cut): DealPnl | undefined {
  const earlier = new Set(eventsBefore(deal, from));
  const events = eventsBefore(deal, to).filter((each) => !earlier.has(each));
  const [opening, closing] = [unrealizedAt(deal, from), unrealizedAt(deal, to)];
  if (events.length === 0 && opening === NO_PNL && closing === NO_PNL) return undefined;
  const unrealized = opening && closing && lessPnl(closing, opening);
  const last = events.at(-1);
  // The close has the rest of the service's record, also of events whose own P&L is not known.
  const isComplete = last?.kind === 'close' && last.pnl !== undefined;
  return {
    deal,
    events,
    realized: realizedBy(events),
    unrealized,
    isPartial: unrealized === undefined || (!isComplete && events.some(({ pnl }) => pnl === undefined)),
  };
}

/** Its change is not known, and all that it realized is. */
export const isWithoutChange = ({ unrealized, events }: DealPnl): boolean =>
  unrealized === undefined && events.every(({ pnl }) => pnl !== undefined);

/** A reduce is in the period and the record of its hedge is not, or the other way round. */
export function isEstimated({ deal, events }: DealPnl): boolean {
  const reduces = deal.events.filter(({ kind, pnl }) => kind === 'reduce' && pnl !== undefined);
  const inPeriod = reduces.filter((each) => events.includes(each)).length;
  return events.at(-1)?.kind === 'close' ? inPeriod < reduces.length : inPeriod > 0;
}
