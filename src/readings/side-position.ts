/** One side of a market, hedge by hedge: open and pending hedges and the total, or why the total is unclear. Pure. */
import { Big } from 'big.js';
import { decimalFrom, textFrom } from '../client/json.ts';
import type { Hedge, Position } from '../client/schemas.ts';
import type { UnsizedHedge } from '../client/unsized-hedges.ts';
import { sum } from '../domain/amounts.ts';
import { sizeRounding, usdInWords } from '../domain/exposure.ts';
import { type ClockReadings, DAY_MS } from '../domain/instants.ts';
import { oppositeOf } from '../domain/opposite-side.ts';
import { unquoted } from '../domain/quoted.ts';
import {
  HEDGE_STATUSES,
  isSameName,
  isSameSide,
  SIDES,
  type Side,
  type SideOfMarket,
} from '../domain/vocabulary.ts';
import type { HedgeError } from '../errors.ts';

/** Positions and hedges as sent. */
export interface PositionFacts {
  positions: readonly Position[];
  /** Newest first. */
  hedges: readonly Hedge[];
  /** Still to fill, and the service sends no size. */
  unsized?: readonly UnsizedHedge[] | undefined;
  /** Names of markets, where they were read: a position of one that neither these nor the hedges have may be any. */
  markets?: readonly string[] | undefined;
  /** The list of hedges may be incomplete. */
  mayBeCut: boolean;
  /** Why the list could not be read, where the reading may do without: no hedge is known then. */
  listFailure?: HedgeError | undefined;
  /** Unless it was read for an action, which looks for its own. */
  notShown?: readonly NotShown[] | undefined;
  /** The service's time of the reading, by which maturity is judged. */
  servedAt: Date;
  /** The clocks when the positions arrived. */
  clocks?: ClockReadings | undefined;
}

/** A hedge of which this reading does not show what happened in the last minute; `why` is half a sentence. */
export interface NotShown {
  id: string;
  market: string;
  why: string;
  /** It is open at the size that is shown, and may still fill. */
  isInPart?: true;
}

export interface SideHedge {
  id: string;
  notional: Big;
  status: string;
  tenorDays: Big;
  maturityAt: string | undefined;
  /** When it filled by the service's clock, else when it was opened. */
  filledAt?: string | undefined;
  /** Its deal ID. */
  reference: string | undefined;
  /** The rate that the service sends: after an add, the hedge's average. */
  struckRate?: Big | undefined;
  /** The hedge as sent, with the fields that the specification does not name. */
  sent?: Hedge | undefined;
}

/** The service may not have sent its size. */
export type ComingHedge = Omit<SideHedge, 'notional' | 'tenorDays'> & { notional: Big | undefined };

export interface SidePosition {
  market: string;
  side: Side;
  /** Hedges that hold the position: filled and not matured, newest first. */
  open: readonly SideHedge[];
  /** Hedges that may still fill. */
  coming: readonly ComingHedge[];
  /** Hedges with an unknown status. */
  unread: readonly SideHedge[];
  /** Every hedge of the side in the list. */
  listed: readonly SideHedge[];
  /** Whether the positions list has the side; undefined when a line may be its, by a name that is not known. */
  inPositions: boolean | undefined;
  position: Position | undefined;
  /** USD open on the side; undefined when `unclear`, which is half a sentence. */
  total: Big | undefined;
  /** USD open on the other side of the market by the positions; undefined: nothing, or not known. */
  opposite?: Big | undefined;
  unclear: string | undefined;
  mayBeCut: boolean;
  servedAt: Date;
}

export const PENDING_STATUSES: readonly string[] = ['submitting', 'submitted'];

function openOpposite({ market, side }: SideOfMarket, facts: Names): Big | undefined {
  const { line } = findLine({ market, side: oppositeOf(side) }, facts);
  const open = decimalFrom(line?.notional_usd);
  return open?.gt(0) === true ? open : undefined;
}

/** Final. */
export const OVER_STATUSES: readonly string[] = ['closed', 'failed'];

export function sidePositionOf(on: SideOfMarket, facts: PositionFacts): SidePosition {
  const isHere = (hedge: SideOfMarket): boolean => isSameSide(on, hedge);
  const listed = facts.hedges.filter(isHere).map(sideHedge);
  const { line, inPositions } = findLine(on, facts);
  const held = (hedge: SideHedge): boolean => inPositions !== false && !hasMatured(hedge, facts.servedAt);
  const open = listed.filter((hedge) => hedge.status === 'filled' && held(hedge));
  const unread = listed.filter(
    (hedge) => !HEDGE_STATUSES.some((known) => known === hedge.status) && held(hedge),
  );
  const listedUsd = sum(open.map(({ notional }) => notional));
  const side = {
    market: on.market,
    side: on.side,
    open,
    coming: [
      ...listed.filter(({ status }) => PENDING_STATUSES.includes(status)),
      ...(facts.unsized ?? []).filter(isHere).map(unsizedHedge),
    ],
    unread,
    listed,
    inPositions,
    position: line,
    opposite: openOpposite(on, facts),
    // A position of the size of its hedges shows that the list has them all.
    mayBeCut: facts.mayBeCut && !isExplained({ open, position: line }),
    servedAt: facts.servedAt,
  };
  if (inPositions === false) return { ...side, total: new Big(0), unclear: undefined };
  const strange = open.length === 0 ? strangeNameOf(on, facts) : undefined;
  const unclear = whyUnclear(side, { strange, listedUsd });
  return { ...side, total: unclear === undefined ? listedUsd : undefined, unclear };
}

/** Both sides of every market that has a hedge or a position. */
export const everySide = (facts: PositionFacts): readonly SidePosition[] =>
  [...new Set([...facts.hedges, ...facts.positions].flatMap(({ market }) => textFrom(market) ?? []))]
    .filter((name, index, names) => names.findIndex((each) => isSameName(each, name)) === index)
    .flatMap((market) => SIDES.map((side) => sidePositionOf({ market, side }, facts)));

/** Whether open hedges may be missing: a position of the size of its listed hedges lacks none. */
export const mayLackOpen = (facts: PositionFacts): boolean =>
  facts.mayBeCut &&
  facts.positions.some((line) => {
    const market = textFrom(line.market);
    const side = sideNamed(line);
    return market === undefined || side === undefined || sidePositionOf({ market, side }, facts).mayBeCut;
  });

/** Settlement is automatic at `maturity_at` (specification §3), even if a list shows the hedge longer. */
export const hasMatured = ({ maturityAt }: Pick<SideHedge, 'maturityAt'>, now: Date): boolean =>
  maturityAt !== undefined && Date.parse(maturityAt) <= now.getTime();

/** Time zones differ by less: an instant that is called UTC and is not is no further off. */
const LATE_MS = DAY_MS;

/** Filled, and past its maturity since less than a day: it may settle late, or its maturity be of another time zone. */
export const maySettleLate = ({ status, maturity_at: maturityAt }: Hedge, servedAt: Date): boolean => {
  const pastMs = servedAt.getTime() - Date.parse(maturityAt ?? '');
  return status === 'filled' && pastMs >= 0 && pastMs < LATE_MS;
};

/**
 * Hedges past their maturity that the positions still hold, by ID. The position is of the size of the side with them; without
 * a size, and with no other open hedge, it is that of the only one, or of one of several.
 */
export function heldLate(facts: PositionFacts): ReadonlyMap<string, 'held' | 'maybe'> {
  const held = everySide(facts).flatMap((side) => {
    const late = side.listed.filter(({ sent }) => sent !== undefined && maySettleLate(sent, facts.servedAt));
    if (facts.mayBeCut || isExplained(side)) return [];
    const hasOthers = side.open.length > 0 || side.unread.length > 0;
    if (side.position !== undefined && decimalFrom(side.position.notional_usd) === undefined && !hasOthers)
      return late.map(({ id }) => [id, late.length === 1 ? 'held' : 'maybe'] as const);
    const some = late.length > 1 ? [late, ...late.map((each) => [each])] : [late];
    const fitting = some.filter((each) => isExplained({ ...side, open: [...side.open, ...each] }));
    return (fitting.length === 1 ? (fitting[0] ?? []) : []).map(({ id }) => [id, 'held'] as const);
  });
  return new Map(held);
}

/** Whether a hedge may hold a position or still fill. */
export const isRunningHedge = ({ status, maturity_at: maturityAt }: Hedge, servedAt: Date): boolean =>
  !OVER_STATUSES.includes(status) && !hasMatured({ maturityAt: maturityAt ?? undefined }, servedAt);

/** Whether a filled hedge is open: it has not matured, and its side is in the positions. */
export const isOpenHedge = (hedge: Hedge, facts: Names & Pick<PositionFacts, 'servedAt'>): boolean =>
  isRunningHedge(hedge, facts.servedAt) && findLine(hedge, facts).inPositions !== false;

/** Positions and hedges differ: they were read at different moments, or something is unknown. */
export const isInconsistent = (side: Pick<SidePosition, 'unclear' | 'mayBeCut' | 'unread'>): boolean =>
  side.unclear !== undefined && !side.mayBeCut && side.unread.length === 0;

/** The tenor for the quote of an add: that of the newest open hedge, in days. */
export const tenorOfSide = ({ open }: SidePosition): number | undefined => open[0]?.tenorDays.toNumber();

export const sideHedge = (hedge: Hedge): SideHedge => ({
  id: hedge.id,
  notional: hedge.notional_usd,
  status: hedge.status,
  tenorDays: hedge.tenor_days,
  maturityAt: hedge.maturity_at ?? undefined,
  filledAt: hedge.filled_at ?? hedge.opened_at ?? undefined,
  reference: hedge.client_reference ?? undefined,
  struckRate: hedge.struck_rate ?? undefined,
  sent: hedge,
});

const unsizedHedge = ({ id, status, client_reference: reference }: UnsizedHedge): ComingHedge => ({
  id,
  notional: undefined,
  status,
  maturityAt: undefined,
  reference: reference ?? undefined,
});

/** Undefined for another word than buy and sell: it may be either. */
export const sideNamed = ({ side }: Pick<Position, 'side'>): Side | undefined =>
  SIDES.find((each) => isSameName(each, textFrom(side) ?? ''));

/** Whether a position is of this market by its name, or has no name. */
export const isOfMarket = ({ market: named }: Pick<Position, 'market'>, market: string): boolean =>
  isSameName(textFrom(named) ?? market, market);

type Names = Pick<PositionFacts, 'positions' | 'hedges' | 'markets'>;

/** The names of a position are ASSUMED: one that lacks a name, or has one that is not known, may be any. */
function mayBeOf(line: Position, { market, side }: SideOfMarket, { hedges, markets = [] }: Names): boolean {
  const isKnown = (): boolean =>
    hedges.some((each) => isOfMarket(line, each.market)) || markets.some((each) => isOfMarket(line, each));
  return [side, undefined].includes(sideNamed(line)) && (isOfMarket(line, market) || !isKnown());
}

function findLine(
  on: SideOfMarket,
  facts: Names,
): { line: Position | undefined; inPositions: boolean | undefined } {
  const here = facts.positions.filter((each) => mayBeOf(each, on, facts));
  const line = here.find((each) => sideNamed(each) === on.side && isOfMarket(each, on.market));
  if (line !== undefined) return { line, inPositions: true };
  return { line, inPositions: here.length === 0 ? false : undefined };
}

/**
 * A name that is not known, of a position that may be of this side and that no listed hedge explains: at most one position is
 * that of a side with open hedges.
 */
function strangeNameOf(on: SideOfMarket, facts: PositionFacts): string | undefined {
  const strange = facts.positions.filter(
    (each) => mayBeOf(each, on, facts) && (sideNamed(each) === undefined || !isOfMarket(each, on.market)),
  );
  const explains = (hedge: Hedge): boolean =>
    hedge.status === 'filled' &&
    !hasMatured(sideHedge(hedge), facts.servedAt) &&
    findLine(hedge, facts).line === undefined &&
    strange.some((each) => mayBeOf(each, hedge, facts));
  const explained = strange.length === 0 ? [] : facts.hedges.filter(explains);
  if (strange.length <= new Set(explained.map(({ market, side }) => `${side} ${market}`)).size)
    return undefined;
  for (const line of strange) {
    const [name, sent] = sideNamed(line) === undefined ? ['side', line.side] : ['market', line.market];
    const word = textFrom(sent);
    if (word !== undefined) return `${name}: ${unquoted(word)}`;
  }
  return undefined;
}

const isSumOf = (hedges: readonly SideHedge[], stated: Big | undefined): boolean =>
  stated !== undefined &&
  stated
    .minus(sum(hedges.map(({ notional }) => notional)))
    .abs()
    .lte(sizeRounding(hedges.length));

/** Whether the position states the size of the hedges that are listed for it. */
export const isExplained = ({ open, position }: Pick<SidePosition, 'open' | 'position'>): boolean =>
  isSumOf(open, decimalFrom(position?.notional_usd));

const INCOMPLETE = 'the list of hedges may be incomplete';

function whyUnclear(
  side: Pick<SidePosition, 'open' | 'unread' | 'inPositions' | 'position' | 'mayBeCut'>,
  { strange, listedUsd }: { strange: string | undefined; listedUsd: Big },
): string | undefined {
  const stated = decimalFrom(side.position?.notional_usd);
  if (side.mayBeCut)
    return stated === undefined
      ? INCOMPLETE
      : `${INCOMPLETE} (${usdInWords(listedUsd)} of ${usdInWords(stated)})`;
  const [unread] = side.unread;
  if (unread !== undefined)
    return `hedge ${unquoted(unread.id)} has an unknown status: ${unquoted(unread.status)}`;
  if (strange !== undefined) return `a position has an unknown ${strange}`;
  if (side.inPositions === true && side.open.length === 0)
    return 'the side has a position but no filled hedge';
  if (stated !== undefined && !isSumOf(side.open, stated))
    return `the hedges total ${usdInWords(listedUsd)} but the position is ${usdInWords(stated)}`;
  return undefined;
}
