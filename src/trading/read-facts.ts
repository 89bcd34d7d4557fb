/**
 * Reads the position, market, account and quote for an action. Reads the side again while a stale replica may make it
 * look flat. Sends no action.
 */

import type { ApiResponse } from '../client/hedge-api.ts';
import type { Account, Hedge, Market, Quote } from '../client/schemas.ts';
import {
  type ActionIntent,
  type AddIntent,
  dealIdOf,
  isUnsized,
  type OpenIntent,
  type TypedIntent,
} from '../domain/action-intent.ts';
import { enlarges, needsQuote, rowOf, takesWholeSide } from '../domain/action-table.ts';
import { shell, step } from '../domain/hint.ts';
import { quotedName } from '../domain/quoted.ts';
import { OutcomeUnknownError, RefusedError } from '../errors.ts';
import { NEXT_READING_MS, poll, READINGS_LAG_MS, readIfItComes, readNow } from '../readings/poll.ts';
import type { ReadContext } from '../readings/read-context.ts';
import {
  type HedgeList,
  type Reading,
  reachesBack,
  readPositionFacts,
  readUnderReference,
} from '../readings/read-position.ts';
import {
  hasMatured,
  isInconsistent,
  PENDING_STATUSES,
  type PositionFacts,
  type SidePosition,
  sidePositionOf,
  tenorOfSide,
} from '../readings/side-position.ts';
import { type EarlierReading, lacksSide } from '../readings/unconfirmed-hedges.ts';
import { isAsExpected, readActions } from './outcome/observe.ts';
import { type SideEvidence, sideEvidenceAt, type Unconfirmed } from './outcome/side-evidence.ts';
import type { PlanFacts } from './plan.ts';
import type { SharedFacts, TradingContext } from './trading-context.ts';

export interface ActionFacts extends PlanFacts {
  /** The intent with its notional, computed if it was not typed. */
  intent: ActionIntent;
  positionFacts: PositionFacts;
  underDealId: readonly Hedge[];
  /** The list may be incomplete. */
  underDealIdCut: boolean;
}

/** @throws HedgeError of the first reading that fails; the signal's reason when that aborted. */
export async function readFacts(
  typed: TypedIntent,
  reading: FactsReading & Pick<TradingContext, 'shared'>,
  shown?: ShownFacts,
): Promise<ActionFacts> {
  const { api, simulation, shared } = reading;
  if (shared !== undefined && typed.action === 'open' && !isUnsized(typed))
    return readForOne(typed, shared, reading);
  const readAtMs = reading.clock.now();
  const sidePosition = readSideToActOn(typed, reading, shown).then(({ positionFacts, side }) => ({
    positionFacts,
    side: simulation?.side(side, positionFacts.positions) ?? side,
  }));
  // A reduce or close can do without: what it returns is in the position.
  const read = enlarges(typed) ? readNow : readIfItComes;
  const markets = read(reading, (signal) => api.markets({ signal }));
  const shownAccount =
    enlarges(typed) || simulation ? read(reading, (signal) => api.account({ signal })) : undefined;
  const account = Promise.resolve(shownAccount).then((data) => data && (simulation?.account(data) ?? data));
  const market = Promise.all([markets, shownAccount]).then(([all, data]) => {
    const line = all?.find((each) => each.market === typed.market);
    return line && data && simulation ? simulation.market(line, typed.side, data) : line;
  });
  const [{ positionFacts, side }, line, all, balances, { intent, quote }, underDealId] = await Promise.all([
    sidePosition,
    market,
    markets,
    account,
    readSizeAndQuote(typed, reading, { sidePosition, markets, market, account, readAtMs }),
    readUnderDealId(typed, reading),
  ]);
  return {
    intent,
    sidePosition: side,
    positionFacts,
    market: line,
    marketNames: all?.map((each) => each.market),
    account: balances,
    quote,
    readAtMs,
    clocks: positionFacts.clocks,
    ...underDealId,
  };
}

interface SizeReadings {
  sidePosition: Promise<ReadSide>;
  markets: Promise<readonly Market[] | undefined>;
  market: Promise<Market | undefined>;
  account: Promise<Account | undefined>;
  readAtMs: number;
}

/** A size that was not typed comes with the quote that it was found with: it is the quote of the plan. */
async function readSizeAndQuote(
  typed: TypedIntent,
  reading: FactsReading,
  read: SizeReadings,
): Promise<{ intent: ActionIntent; quote: Quote | undefined }> {
  if (!isUnsized(typed)) return { intent: typed, quote: await readQuote(typed, reading, read) };
  const [{ sizeAction }, { side, positionFacts }, markets, account] = await Promise.all([
    import('./size-action.ts'),
    read.sidePosition,
    read.markets,
    read.account,
  ]);
  if (markets === undefined || account === undefined) throw new Error('no size without the account');
  const open = { sidePosition: side, positionFacts, readAtMs: read.readAtMs };
  const { intent, quote } = await sizeAction(typed, reading, { sidePosition: side, markets, account, open });
  return { intent, quote: quote ?? (await readQuote(intent, reading, read)) };
}

/**
 * Reads for one of many opens only its own facts: a quote, and a lookup of its deal ID if the list may lack it. The side is not
 * listed: an open does not depend on it, and thousands of them would each record every hedge. The limits of a desk count them.
 */
async function readForOne(
  intent: OpenIntent,
  shared: SharedFacts,
  reading: FactsReading,
): Promise<ActionFacts> {
  const shown = shared.markets.find((each) => each.market === intent.market);
  const market = shown && (reading.simulation?.market(shown, intent.side, shared.account) ?? shown);
  const [quoted, underDealId] = await Promise.all([
    quoteFor(intent, intent.tenor, reading, Promise.resolve(market)),
    readUnderSharedDealId(intent, shared, reading),
  ]);
  const { positions, list, readAtMs } = shared;
  const servedAt = quoted?.servedAt ?? shared.servedAt;
  const { hedges } = list;
  const mayBeCut = list.mayBeCut && !reachesBack(hedges, shared.servedAt.getTime());
  // The deal ID is judged by the list, which is older than the quote.
  const markets = shared.markets.map((each) => each.market);
  const positionFacts = { positions, hedges, markets, mayBeCut, servedAt, clocks: list.clocks };
  return {
    intent,
    sidePosition: sidePositionOf(intent, { ...positionFacts, hedges: [], mayBeCut: true }),
    positionFacts,
    market,
    marketNames: markets,
    account: reading.simulation?.account(shared.account) ?? shared.account,
    quote: quoted?.data,
    readAtMs,
    clocks: positionFacts.clocks,
    ...underDealId,
  };
}

type UnderDealId = Pick<ActionFacts, 'underDealId' | 'underDealIdCut'>;
const lookedUp = new WeakMap<HedgeList, Map<string, Promise<UnderDealId>>>();

/** From the shared list if it is whole, or has the deal ID; otherwise looked up, once for each list. */
export async function readUnderSharedDealId(
  { dealId }: Pick<OpenIntent, 'dealId'>,
  { list }: SharedFacts,
  reading: Reading,
): Promise<UnderDealId> {
  const underDealId = list.hedges.filter(({ client_reference: reference }) => reference === dealId);
  if (dealId === undefined || !list.mayBeCut || underDealId.length > 0)
    return { underDealId, underDealIdCut: false };
  const known = lookedUp.get(list) ?? new Map<string, Promise<UnderDealId>>();
  lookedUp.set(list, known);
  const found = known.get(dealId) ?? lookUp(reading, dealId);
  known.set(dealId, found);
  return found;
}

async function lookUp(reading: Reading, dealId: string): Promise<UnderDealId> {
  const { hedges, mayBeCut } = await readUnderReference(reading, dealId);
  return { underDealId: hedges, underDealIdCut: mayBeCut };
}

async function readQuote(
  intent: ActionIntent,
  reading: Reading,
  read: { sidePosition: Promise<ReadSide>; market: Promise<Market | undefined> },
): Promise<Quote | undefined> {
  if (!needsQuote(intent)) return undefined;
  const tenor = 'tenor' in intent ? intent.tenor : tenorOfSide((await read.sidePosition).side);
  return tenor === undefined ? undefined : (await quoteFor(intent, tenor, reading, read.market))?.data;
}

/** A rejection because of the market's status or capacity is left to the pre-trade checks, which say what fits. */
async function quoteFor(
  { market, side, notional }: OpenIntent | AddIntent,
  tenor: number,
  { api, signal }: Reading,
  line: Promise<Market | undefined>,
): Promise<ApiResponse<Quote> | undefined> {
  try {
    return await api.quote({ market, side, notional_usd: notional, tenor_days: tenor }, { signal });
  } catch (error) {
    if (error instanceof RefusedError && isStoppedHere({ side, notional }, await line)) return undefined;
    throw error;
  }
}

const isStoppedHere = (
  { side, notional }: Pick<OpenIntent, 'side' | 'notional'>,
  market: Market | undefined,
): boolean => market?.status !== 'open' || notional.gt(market.available_capacity_usd[side]);

async function readUnderDealId(intent: TypedIntent, reading: Reading): Promise<UnderDealId> {
  const dealId = dealIdOf(intent);
  return dealId === undefined ? { underDealId: [], underDealIdCut: false } : lookUp(reading, dealId);
}

export interface ReadSide {
  positionFacts: PositionFacts;
  side: SidePosition;
}

type FactsReading = SideReading & Pick<TradingContext, 'simulation' | 'limits'>;

export type SideReading = Reading &
  Pick<ReadContext, 'journal' | 'identity' | 'progress'> &
  Pick<TradingContext, 'chainId'>;

/** Facts shown to the operator before; the side is compared with them. */
export type ShownFacts = Pick<PlanFacts, 'sidePosition' | 'readAtMs'> | undefined;

/**
 * Positions and hedges are two requests, so a fill between them makes them disagree. Then both are read again; a
 * remaining difference is the side's `unclear`. A missing side is read again after a pause: at once, the same stale replica
 * may answer. A side whose list stays behind is used as it is after the timeout.
 * @throws OutcomeUnknownError when the timeout passes before it is certain that the side is flat.
 */
export async function readSideToActOn(
  intent: TypedIntent,
  reading: SideReading,
  shown: ShownFacts,
): Promise<ReadSide> {
  const place = { identity: reading.identity, market: intent.market, side: intent.side };
  const sideEvidence = sideEvidenceAt(place, { hadBefore: shown?.sidePosition.inPositions === true });
  const read = () => readAndConfirm(intent, reading, { sideEvidence, earlier: earlierOf(shown) });
  const startedMs = reading.clock.monotonic();
  let latest = await read();
  const again = latest.unconfirmed?.again === true;
  if (again) await reading.clock.sleep(NEXT_READING_MS, reading.signal);
  reading.signal.throwIfAborted();
  if (again || mayHaveMoved(latest.side)) latest = await read();
  return latest.unconfirmed === undefined
    ? latest
    : untilBelieved(latest, { intent, reading, read, startedMs });
}

interface ConfirmedSide extends ReadSide {
  unconfirmed: Unconfirmed | undefined;
}

const earlierOf = (shown: ShownFacts): EarlierReading | undefined =>
  shown && { hedgeIds: shown.sidePosition.open.map(({ id }) => id), readAtMs: shown.readAtMs };

/** A hedge that was read by its ID corrects a stale list; on a missing side, only one still to fill does. */
async function readAndConfirm(
  intent: TypedIntent,
  reading: SideReading,
  by: { sideEvidence: SideEvidence; earlier: EarlierReading | undefined },
): Promise<ConfirmedSide> {
  const { identity } = reading;
  const needsSide = rowOf(intent.action).needs.side;
  const atMs = reading.clock.now();
  // A roll closes one hedge: it must be known to be alone.
  const withoutList = takesWholeSide(intent) && reading.chainId === undefined;
  let positionFacts = await readPositionFacts(reading, { isBare: true, withoutList });
  if (sidePositionOf(intent, positionFacts).inPositions !== true && positionFacts.listFailure)
    throw positionFacts.listFailure;
  const actions = readActions(reading.journal, ({ current }) => current);
  /** A stale reading may show a hedge as in flight that this machine has seen filled. */
  const isComing = ({ id, status }: Pick<Hedge, 'id' | 'status'>): boolean =>
    PENDING_STATUSES.includes(status) &&
    !readActions(reading.journal, (journal) => journal.find({ hedgeIds: [id] })).some(
      ({ state }) => state === 'done',
    );
  const joined = new Set<string>();
  for (;;) {
    const side = sidePositionOf(intent, positionFacts);
    const read = { positionFacts, side, unconfirmed: undefined };
    // An open does not depend on the side; the others stop for hedges in flight anyway.
    if (!needsSide || (lacksSide(side) && side.coming.some(isComing))) return read;
    const asExpected = isAsExpected({ ...side, identity }, { now: side, lookedAtMs: atMs, actions });
    const unconfirmed = await by.sideEvidence.whyUnconfirmed(side, {
      ...reading,
      actions,
      earlier: by.earlier,
      atMs,
      asExpected,
    });
    const { hedge } = unconfirmed ?? {};
    const joins =
      hedge !== undefined &&
      !joined.has(hedge.id) &&
      (isComing(hedge) || !(lacksSide(side) || PENDING_STATUSES.includes(hedge.status)));
    if (!joins) return { ...read, unconfirmed };
    joined.add(hedge.id);
    positionFacts = {
      ...positionFacts,
      hedges: [hedge, ...positionFacts.hedges.filter(({ id }) => id !== hedge.id)],
    };
  }
}

function mayHaveMoved(side: SidePosition): boolean {
  if (side.inPositions !== false) return isInconsistent(side);
  return side.listed.some((hedge) => hedge.status === 'filled' && !hasMatured(hedge, side.servedAt));
}

/**
 * Readings lag by a limited time: a hedge that is still missing after that is closed. Only a reading at the end of that time
 * shows it. @throws the failure of the last reading
 */
async function untilBelieved(
  first: ConfirmedSide,
  options: {
    intent: TypedIntent;
    reading: SideReading;
    read: () => Promise<ConfirmedSide>;
    startedMs: number;
  },
): Promise<ReadSide> {
  const { intent, reading, read, startedMs } = options;
  const { clock, signal, progress } = reading;
  const { timeoutMs } = intent.options;
  let latest = first;
  let isFirst = true;
  progress.start(`rechecking: ${first.unconfirmed?.message ?? ''}`);
  const found = await poll({
    clock,
    signal,
    withinMs: startedMs + Math.min(timeoutMs, READINGS_LAG_MS) - clock.monotonic(),
    async read() {
      if (!isFirst) latest = await read();
      isFirst = false;
      return latest.unconfirmed === undefined ? latest : undefined;
    },
    unread(failure) {
      if (!lacksSide(latest.side)) return latest;
      throw failure ?? readingsDisagree(intent, latest.unconfirmed, timeoutMs);
    },
  });
  if (found !== undefined) return found;
  if (timeoutMs >= READINGS_LAG_MS || !lacksSide(latest.side)) return latest;
  throw readingsDisagree(intent, latest.unconfirmed, timeoutMs);
}

const readingsDisagree = (
  { market, side }: TypedIntent,
  unconfirmed: Unconfirmed | undefined,
  timeoutMs: number,
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `Readings disagree for ${(timeoutMs / 1000).toString()} s: ${unconfirmed?.message ?? `whether ${quotedName(market)} ${side} is open`}.`,
    meaning: 'Nothing was sent.',
    hint: [
      step(shell`the same command with --timeout 60`, 'wait until they agree'),
      step(shell`hedge positions`, 'show open positions'),
    ],
    effect: 'none',
    retry: 'later',
    details: { market, side, hedge_id: unconfirmed?.hedge?.id ?? null },
  });
