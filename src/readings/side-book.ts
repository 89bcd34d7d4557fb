/**
 * One side of a market as it stands, hedge by hedge: which hedges hold the position, what is still coming,
 * and how much is open in all, or why that cannot be told. Made before an action and again while its effect
 * is awaited. Pure; reads nothing itself.
 */
import { Big } from 'big.js';
import type { Hedge, Position } from '../client/schemas.ts';
import { decimalFrom, textFrom } from '../client/unspecified-fields.ts';
import { sum } from '../domain/amounts.ts';
import { usdInWords } from '../domain/exposure.ts';
import type { ClockReadings } from '../domain/instants.ts';
import { unquoted } from '../domain/quoted.ts';
import { HEDGE_STATUSES, type Side } from '../domain/vocabulary.ts';
/** What was read of the book, as the service sent it. */
export interface BookFacts {
  positions: readonly Position[];
  /** Newest first. */
  hedges: readonly Hedge[];
  /** The list of hedges may be one page of more. */
  mayBeCut: boolean;
  /** The service's own time of the reading: what matures is judged by it. */
  servedAt: Date;
  /** The clocks as the positions came. */
  clocks?: ClockReadings | undefined;
}

export interface SideHedge {
  id: string;
  notional: Big;
  status: string;
  tenorDays: Big;
  maturityAt: string | undefined;
  /** When it filled, by the service; when it was opened, where it does not say. */
  filledAt?: string | undefined;
  /** The deal id it was opened under. */
  reference: string | undefined;
}

export interface SideBook {
  market: string;
  side: Side;
  /** Hedges that hold the position: filled and not matured, newest first. */
  open: readonly SideHedge[];
  /** Hedges that may still fill. */
  coming: readonly SideHedge[];
  /** Hedges in a status that we do not know. */
  unread: readonly SideHedge[];
  /** Every hedge of the side in the list, whatever became of it. */
  listed: readonly SideHedge[];
  /** Whether the side stands in the positions list; undefined when its lines do not say which side they are. */
  inPositions: boolean | undefined;
  position: Position | undefined;
  /** USD open on the side; undefined when it cannot be told, and `unclear` says why, as half a sentence. */
  total: Big | undefined;
  unclear: string | undefined;
  mayBeCut: boolean;
  servedAt: Date;
}

export const PENDING_STATUSES: readonly string[] = ['submitting', 'submitted'];

export function sideBookOf(on: { market: string; side: Side }, facts: BookFacts): SideBook {
  const listed = facts.hedges
    .filter(({ market, side }) => market === on.market && side === on.side)
    .map(sideHedge);
  const { line, inPositions } = findLine(on, facts.positions);
  const held = (hedge: SideHedge): boolean => inPositions !== false && !hasMatured(hedge, facts.servedAt);
  const open = listed.filter((hedge) => hedge.status === 'filled' && held(hedge));
  const unread = listed.filter(
    (hedge) => !HEDGE_STATUSES.some((known) => known === hedge.status) && held(hedge),
  );
  const book = {
    market: on.market,
    side: on.side,
    open,
    coming: listed.filter(({ status }) => PENDING_STATUSES.includes(status)),
    unread,
    listed,
    inPositions,
    position: line,
    mayBeCut: facts.mayBeCut,
    servedAt: facts.servedAt,
  };
  if (inPositions === false) return { ...book, total: new Big(0), unclear: undefined };
  const unclear = whyUnclear(book);
  const total = unclear === undefined ? sum(open.map(({ notional }) => notional)) : undefined;
  return { ...book, total, unclear };
}

/** Settlement is automatic at `maturity_at` (specification §3), whatever a list still says. */
export const hasMatured = ({ maturityAt }: Pick<SideHedge, 'maturityAt'>, now: Date): boolean =>
  maturityAt !== undefined && Date.parse(maturityAt) <= now.getTime();

/** Positions and hedges say different things: they were read at two moments, or something is not understood. */
export const disagree = (book: Pick<SideBook, 'unclear' | 'mayBeCut' | 'unread'>): boolean =>
  book.unclear !== undefined && !book.mayBeCut && book.unread.length === 0;

/** The tenor that an addition is quoted with: that of the newest open hedge, in days. */
export const tenorOfSide = ({ open }: SideBook): number | undefined => open[0]?.tenorDays.toNumber();

const sideHedge = (hedge: Hedge): SideHedge => ({
  id: hedge.id,
  notional: hedge.notional_usd,
  status: hedge.status,
  tenorDays: hedge.tenor_days,
  maturityAt: hedge.maturity_at ?? undefined,
  filledAt: hedge.filled_at ?? hedge.opened_at ?? undefined,
  reference: hedge.client_reference ?? undefined,
});

/** The names in a position line are ASSUMED: one that does not name its side leaves it open which it is. */
function findLine(
  on: { market: string; side: Side },
  positions: readonly Position[],
): { line: Position | undefined; inPositions: boolean | undefined } {
  const line = positions.find(
    (each) => textFrom(each.side) === on.side && (textFrom(each.market) ?? on.market) === on.market,
  );
  if (line !== undefined) return { line, inPositions: true };
  const named = positions.every((each) => textFrom(each.side) !== undefined);
  return { line, inPositions: named ? false : undefined };
}

function whyUnclear(book: Pick<SideBook, 'open' | 'unread' | 'inPositions' | 'position' | 'mayBeCut'>) {
  if (book.mayBeCut) return 'the list of hedges may be one page of more';
  const [unread] = book.unread;
  if (unread !== undefined)
    return `hedge ${unquoted(unread.id)} is in a status that is not known: ${unquoted(unread.status)}`;
  if (book.inPositions === true && book.open.length === 0)
    return 'the side has a position and no filled hedge is listed on it';
  const listed = sum(book.open.map(({ notional }) => notional));
  const stated = decimalFrom(book.position?.notional_usd);
  if (stated !== undefined && !stated.eq(listed))
    return `the hedges listed make ${usdInWords(listed)} and the position says ${usdInWords(stated)}`;
  return undefined;
}
