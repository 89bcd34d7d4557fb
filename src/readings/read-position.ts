/** Reads the positions and every hedge that may hold one, and whether the list of hedges may be incomplete. */

import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import { decimalFrom } from '../client/json.ts';
import type { Hedge } from '../client/schemas.ts';
import { type HedgesQuery, PAGE_SIZE_PARAMETER } from '../client/serialize-request.ts';
import { groupBy } from '../domain/group-by.ts';
import { type ClockReadings, DAY_MS } from '../domain/instants.ts';
import { LARGEST_PAGE, type Side, SMALLEST_PAGE, TENORS } from '../domain/vocabulary.ts';
import {
  DamagedFileError,
  HedgeError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
  unless,
  without,
} from '../errors.ts';
import { type HedgesPage, readBarePage } from './bare-hedges.ts';
import { closedFromHere, withoutClosedHere } from './closed-here.ts';
import { withoutCopies } from './filter-records.ts';
import type { ReadContext } from './read-context.ts';
import {
  heldLate,
  isRunningHedge,
  maySettleLate,
  type PositionFacts,
  type SidePosition,
  sidePositionOf,
} from './side-position.ts';
import { notShownYet } from './unconfirmed-hedges.ts';

export type Reading = Pick<ReadContext, 'api' | 'clock' | 'signal'>;

/**
 * Positions and hedges at once. The time is the service's, else this machine's. `isBare`: also hedges without a maturity, or
 * without a size while they hold no position, where an action must not be stopped by them. `withoutList`: also where the
 * list cannot be read.
 */
export async function readPositionFacts(
  reading: Reading & Partial<Pick<ReadContext, 'journal' | 'identity'>>,
  { isBare = false, withoutList = false }: { isBare?: boolean; withoutList?: boolean } = {},
): Promise<PositionFacts> {
  const atMs = reading.clock.now();
  const reply = reading.api.positions({ signal: reading.signal });
  const hasSizes = async (): Promise<boolean> =>
    (await reply).data.every(({ notional_usd: size }) => decimalFrom(size) !== undefined);
  const [positions, list] = await Promise.all([
    reply,
    readHedges(reading, { read: isBare ? readBare : readWhole, hasSizes }).catch(
      withoutList ? noHedges : rethrown,
    ),
  ]);
  const facts = {
    positions: positions.data,
    hedges: list.hedges,
    unsized: list.unsized,
    mayBeCut: list.mayBeCut,
    servedAt: list.servedAt ?? positions.servedAt ?? new Date(reading.clock.now()),
    clocks: positions.clocks,
    ...('listFailure' in list ? { listFailure: list.listFailure } : {}),
  };
  const { journal, identity } = reading;
  const shown = withoutClosedHere(facts, reading);
  if (isBare || journal === undefined || identity === undefined) return shown;
  return { ...shown, notShown: notShownYet(shown, { journal, identity, atMs }) };
}

function noHedges(error: unknown) {
  if (!(error instanceof UnavailableError) && !(error instanceof UnreadableAnswerError)) throw error;
  return { hedges: [], unsized: [], mayBeCut: true, servedAt: undefined, listFailure: error };
}

function rethrown(error: unknown): never {
  throw error;
}

/** Those of `hedges` that are past their maturity and still in the positions, by ID; none where these cannot be read. */
export async function readHeldLate(
  hedges: readonly Hedge[],
  reading: Reading & Pick<ReadContext, 'journal' | 'identity'>,
  servedAt: Date,
): Promise<ReturnType<typeof heldLate>> {
  if (!hedges.some((hedge) => maySettleLate(hedge, servedAt))) return new Map();
  const facts = await readPositionFacts(reading).catch(without(HedgeError));
  return facts === undefined ? new Map() : heldLate(facts);
}

/** Whether it has closed or matured, also where the service keeps it as filled. */
export async function isOver(
  hedge: Hedge,
  reading: Reading & Pick<ReadContext, 'journal' | 'identity'>,
  servedAt: Date,
): Promise<boolean | 'maybe'> {
  if (closedFromHere([hedge], reading).has(hedge.id)) return true;
  if (isRunningHedge(hedge, servedAt)) return false;
  const holds = (await readHeldLate([hedge], reading, servedAt)).get(hedge.id);
  return holds === 'maybe' ? holds : holds === undefined;
}

export interface HedgeList {
  /** Each hedge once, newest first. */
  hedges: readonly Hedge[];
  /** It may be incomplete. */
  mayBeCut: boolean;
  servedAt: Date | undefined;
  /** The clocks when it arrived. */
  clocks: ClockReadings;
}

/** Statuses in which a hedge holds a position, or may do so later; in their order, so that the latest version counts. */
const HOLDING = ['submitting', 'submitted', 'filled'] as const;

type ReadList = (reading: Reading, query: HedgesQuery) => Promise<HedgesPage>;

const readWhole: ReadList = async (reading, query) => {
  const page = await readPage(reading, query);
  return { ...page, unsized: [], count: page.data.length };
};
const readBare: ReadList = (reading, query) =>
  readBarePage(query, {
    whole: (asked) => readPage(reading, asked),
    raw: (asked) => rawPage(reading, asked),
  });

/** `hasSizes`: each position states its size, which shows whether a hedge is missing. */
async function readHedges(
  reading: Reading,
  { read, hasSizes }: { read: ReadList; hasSizes: () => Promise<boolean> },
): Promise<HedgeList & Pick<HedgesPage, 'unsized'>> {
  const { data, servedAt, clocks, unsized: first, count } = await read(reading, {});
  const all = eachOnce(data);
  const now = servedAt ?? new Date(reading.clock.now());
  const shown = new Set(all.map(({ id }) => id));
  const isAnother = ({ id }: Hedge): boolean => !shown.has(id);
  // The newest filled hedges are others than the newest of any status only if these are not all filled.
  const lacksFilled = async (): Promise<boolean> =>
    count >= SHORTEST_PAGE &&
    all.some(({ status }) => status !== 'filled') &&
    !(await hasSizes()) &&
    (await read(reading, { status: 'filled' })).data.some(isAnother);
  // A service may apply the limit, and have a smaller page than was asked for: a filtered list shows that.
  if (
    reachesBack(all, now.getTime()) ||
    (count < SMALLEST_PAGE && !(await mayBePage(reading, count)) && !(await lacksFilled()))
  )
    return { hedges: all, unsized: first, mayBeCut: false, servedAt, clocks };
  const parts = await Promise.all(
    HOLDING.map(async (status) => {
      const { data: listed, unsized } = await read(reading, { status });
      return { status, listed, unsized };
    }),
  );
  const unsized = new Map(
    [first, ...parts.map((part) => part.unsized)].flat().map((hedge) => [hedge.id, hedge]),
  );
  // Only a list with other hedges than the page was filtered before it was cut; then a shorter one is no page.
  const longest = parts.some(({ listed }) => listed.some(isAnother)) ? data.length : 0;
  const cut = await Promise.all(
    parts.map(
      async ({ status, listed }) =>
        // A service that does not filter returns the same page.
        listed.some((hedge) => hedge.status !== status) ||
        (listed.length >= longest &&
          (longest > 0 ||
            (listed.length === count && isUsualPage(count)) ||
            (await mayBePage(reading, listed.length)))),
    ),
  );
  const hedges = new Map(
    [all, ...parts.map(({ listed }) => eachOnce(listed))].flat().map((hedge) => [hedge.id, hedge]),
  );
  return {
    hedges: [...hedges.values()],
    unsized: [...unsized.values()],
    mayBeCut: cut.includes(true),
    servedAt,
    clocks,
  };
}

/** Each hedge once, also where the service lists it twice; of one in several versions the status is not known. */
export function eachOnce(sent: readonly Hedge[]): readonly Hedge[] {
  const byId = groupBy(withoutCopies(sent), ({ id }) => id);
  return [...byId.values()].flatMap(([hedge, ...others]) => {
    if (hedge === undefined || others.length === 0) return hedge ?? [];
    const statuses = new Set([hedge, ...others].map(({ status }) => status));
    return { ...hedge, status: `${[...statuses].join(' or ')}, listed in ${others.length + 1} versions` };
  });
}

/** Specification §8, and a day on top for clocks and late settlements. */
export const LONGEST_LIFE_MS = (Math.max(...TENORS) + 1) * DAY_MS;

/** Newest first, and none lives longer: a page that reaches further back contains all that mature after `ms`. */
export function reachesBack(list: readonly Hedge[], ms: number): boolean {
  const opened = list.flatMap(({ opened_at: at }) => (at ? [Date.parse(at)] : []));
  const newestFirst = opened.every((at, index) => at <= (opened[index - 1] ?? at));
  return newestFirst && (opened.at(-1) ?? Number.POSITIVE_INFINITY) < ms - LONGEST_LIFE_MS;
}

/** Closed hedges, newest first. `reaches`: those that matured at or after an instant are all listed. */
export async function readClosedHedges(
  reading: Reading,
): Promise<{ hedges: readonly Hedge[]; reaches: (ms: number) => boolean }> {
  const { data } = await readPage(reading, { status: 'closed' });
  const isWhole = !(await mayBePage(reading, data.length));
  return { hedges: eachOnce(data), reaches: (ms) => isWhole || reachesBack(data, ms) };
}

/**
 * The newest hedges of any status in one page; whole unless `mayBeCut`. `isSaidWhole`: the service says that it has no more.
 * ASSUMED: `has_more`, where a service sends it.
 */
export async function readNewestHedges(reading: Reading): Promise<HedgeList & { isSaidWhole: boolean }> {
  const { data, meta, servedAt, clocks } = await readPage(reading, {});
  const mayBeCut = isUsualPage(data.length) || (await mayBePage(reading, data.length));
  return { hedges: eachOnce(data), mayBeCut, isSaidWhole: meta['has_more'] === false, servedAt, clocks };
}

/** Hedges with this reference; filtered here too, in case the service does not. */
export async function readUnderReference(reading: Reading, reference: string): Promise<HedgeList> {
  const { data, servedAt, clocks } = await readPage(reading, { client_reference: reference });
  const matching = data.filter((hedge) => hedge.client_reference === reference);
  const filtered = matching.length === data.length && data.length < LARGEST_PAGE;
  const mayBeCut = !filtered && (await mayBePage(reading, data.length));
  return { hedges: eachOnce(matching), mayBeCut, servedAt, clocks };
}

/** Undefined: the service does not know the ID, which proves nothing. */
export async function hedgeIfKnown(
  id: string,
  { api, signal }: Pick<Reading, 'api' | 'signal'>,
): Promise<ApiResponse<Hedge> | undefined> {
  try {
    return await api.hedge(id, { signal });
  } catch (error) {
    // An ID that cannot be used in a path is a usage error.
    if (error instanceof UsageError || (error instanceof RefusedError && error.httpStatus === 404))
      return undefined;
    throw error;
  }
}

const rawPage = ({ api, signal }: Reading, { status }: HedgesQuery): Promise<ApiResponse<unknown>> => {
  const limit = limitRejected.has(api) ? [] : [[PAGE_SIZE_PARAMETER, LARGEST_PAGE.toString()] as const];
  const query = [...(status === undefined ? [] : [['status', status] as const]), ...limit];
  return api.raw({ method: 'GET', path: '/hedges', query }, { signal });
};

const readPage = ({ api, signal }: Reading, query: HedgesQuery): Promise<ApiResponse<readonly Hedge[]>> =>
  hedgesPage(api, { ...query, limit: LARGEST_PAGE }, signal);

/** Services that reject the parameter: its name is ASSUMED (specification §4 does not show it). They choose the page. */
const limitRejected = new WeakSet<HedgeApi>();

/** One page of the list; the page size is sent where the service takes it. */
export async function hedgesPage(
  api: HedgeApi,
  { limit, ...query }: HedgesQuery,
  signal?: AbortSignal,
): Promise<ApiResponse<readonly Hedge[]>> {
  const options = signal && { signal };
  const sized = limit === undefined || limitRejected.has(api) ? query : { ...query, limit };
  try {
    return await api.hedges(sized, options);
  } catch (error) {
    if (!(error instanceof RefusedError && error.httpStatus === 400) || sized === query) throw error;
    const page = await api.hedges(query, options);
    limitRejected.add(api);
    return page;
  }
}

/** A shorter list than `SMALLEST_PAGE` may be a page only if its length is that of a usual one: a multiple of this. */
const SHORTEST_PAGE = 5;

/** `count`: as sent, before a hedge that is listed twice counts once. */
export async function mayBePage(reading: Pick<Reading, 'api' | 'signal'>, count: number): Promise<boolean> {
  if (count >= LARGEST_PAGE) return true;
  if (count < 2 || (count < SMALLEST_PAGE && count % SHORTEST_PAGE !== 0)) return false;
  return !(await honoursLimit(reading));
}

/** A list of this length may be cut although the service applies a smaller limit. */
const isUsualPage = (count: number): boolean =>
  count > 0 && ([SMALLEST_PAGE, 25].includes(count) || count % 50 === 0);

const limitHonoured = new WeakMap<HedgeApi, boolean>();

/** Whether the service applies the page size, whose parameter name is ASSUMED. Checked once. */
async function honoursLimit({ api, signal }: Pick<Reading, 'api' | 'signal'>): Promise<boolean> {
  const known = limitRejected.has(api) ? false : limitHonoured.get(api);
  if (known !== undefined) return known;
  const one = await api.hedges({ limit: 1 }, { signal }).catch(without(UnreadableAnswerError));
  const honoured = one?.data.length === 1;
  limitHonoured.set(api, honoured);
  return honoured;
}

/** The whole account around a side, read where a desk limits the open notional; otherwise undefined. */
export async function readOpenOnDesk(
  place: { market: string; side: Side },
  reading: Pick<ReadContext, 'api' | 'signal' | 'clock' | 'journal' | 'identity'>,
): Promise<{ sidePosition: SidePosition; positionFacts: PositionFacts; readAtMs: number } | undefined> {
  const limits = unless(DamagedFileError, () => reading.journal.read().limits);
  if (limits?.max_open_usd === undefined) return undefined;
  const readAtMs = reading.clock.now();
  const positionFacts = await readPositionFacts(reading);
  return { sidePosition: sidePositionOf(place, positionFacts), positionFacts, readAtMs };
}
