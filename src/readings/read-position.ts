/** Reads the positions and every hedge that may hold one, and whether the list of hedges may be incomplete. */
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Hedge } from '../client/schemas.ts';
import type { HedgesQuery } from '../client/serialize-request.ts';
import type { ClockReadings } from '../domain/instants.ts';
import { LARGEST_PAGE, TENORS } from '../domain/vocabulary.ts';
import type { ReadContext } from './read-context.ts';
import type { BookFacts } from './side-book.ts';
export type Reading = Pick<ReadContext, 'api' | 'clock' | 'signal'>;

/** Positions and hedges at once. The time is the service's, else this machine's. */
export async function readBook(reading: Reading): Promise<BookFacts> {
  const [positions, list] = await Promise.all([
    reading.api.positions({ signal: reading.signal }),
    readHedges(reading),
  ]);
  return {
    positions: positions.data,
    hedges: list.hedges,
    mayBeCut: list.mayBeCut,
    servedAt: list.servedAt ?? positions.servedAt ?? new Date(reading.clock.now()),
    clocks: positions.clocks,
  };
}

export interface HedgeList {
  /** Newest first. */
  hedges: readonly Hedge[];
  /** It may be incomplete. */
  mayBeCut: boolean;
  servedAt: Date | undefined;
  /** The clocks when it arrived. */
  clocks: ClockReadings;
}

/** Statuses in which a hedge holds a position, or may do so later. */
const HOLDING = ['filled', 'submitted', 'submitting'] as const;

async function readHedges(reading: Reading): Promise<HedgeList> {
  const { api, signal } = reading;
  const { data, servedAt, clocks } = await api.hedges({ limit: LARGEST_PAGE }, { signal });
  const now = servedAt ?? new Date(reading.clock.now());
  if (reachesBack(data, now.getTime()) || !(await mayBePage(reading, data)))
    return { hedges: data, mayBeCut: false, servedAt, clocks };
  const parts = await Promise.all(
    HOLDING.map(async (status) => ({ status, hedges: (await readPage(api, { status }, signal)).data })),
  );
  const cut = await Promise.all(
    parts.map(
      async ({ status, hedges }) =>
        // A service that does not filter returns the same page.
        hedges.some((hedge) => hedge.status !== status) || (await mayBePage(reading, hedges)),
    ),
  );
  return {
    hedges: merged(data, ...parts.map(({ hedges }) => hedges)),
    mayBeCut: cut.includes(true),
    servedAt,
    clocks,
  };
}

const DAY_MS = 86_400_000;
/** Specification §8, and a day on top for clocks and late settlements. */
const LONGEST_LIFE_MS = (Math.max(...TENORS) + 1) * DAY_MS;

/** Newest first, and none lives longer: a page that reaches further back contains all that mature after `ms`. */
function reachesBack(list: readonly Hedge[], ms: number): boolean {
  const opened = list.flatMap(({ opened_at: at }) => (at ? [Date.parse(at)] : []));
  const newestFirst = opened.every((at, index) => at <= (opened[index - 1] ?? at));
  return newestFirst && (opened.at(-1) ?? Number.POSITIVE_INFINITY) < ms - LONGEST_LIFE_MS;
}

/** Closed hedges, newest first. `reaches`: those that matured at or after an instant are all listed. */
export async function readClosedHedges(
  reading: Reading,
): Promise<{ hedges: readonly Hedge[]; reaches: (ms: number) => boolean }> {
  const { data } = await readPage(reading.api, { status: 'closed' }, reading.signal);
  const isWhole = !(await mayBePage(reading, data));
  return { hedges: data, reaches: (ms) => isWhole || reachesBack(data, ms) };
}

/** The newest hedges of any status in one page; whole unless `mayBeCut`. */
export async function readNewestHedges(reading: Reading): Promise<HedgeList> {
  const { data, servedAt, clocks } = await readPage(reading.api, {}, reading.signal);
  return { hedges: data, mayBeCut: await mayBePage(reading, data), servedAt, clocks };
}

/** Hedges with this reference; filtered here too, in case the service does not. */
export async function readUnderReference(reading: Reading, reference: string): Promise<HedgeList> {
  const { api, signal } = reading;
  const { data, servedAt, clocks } = await readPage(api, { client_reference: reference }, signal);
  const matching = data.filter((hedge) => hedge.client_reference === reference);
  const filtered = matching.length === data.length && data.length < LARGEST_PAGE;
  return { hedges: matching, mayBeCut: !filtered && (await mayBePage(reading, data)), servedAt, clocks };
}

const readPage = (
  api: HedgeApi,
  query: HedgesQuery,
  signal: AbortSignal,
): Promise<ApiResponse<readonly Hedge[]>> => api.hedges({ ...query, limit: LARGEST_PAGE }, { signal });

/** Usual page sizes are multiples of five; any other count is the end of a list. */
const PAGES_ARE_MULTIPLES_OF = 5;

async function mayBePage(reading: Reading, list: readonly Hedge[]): Promise<boolean> {
  if (list.length >= LARGEST_PAGE) return true;
  if (list.length < 2 || list.length % PAGES_ARE_MULTIPLES_OF !== 0) return false;
  return !(await honoursLimit(reading));
}

const limitHonoured = new WeakMap<HedgeApi, boolean>();

/** Whether the service applies the page size, whose parameter name is ASSUMED. Checked once. */
async function honoursLimit({ api, signal }: Reading): Promise<boolean> {
  const known = limitHonoured.get(api);
  if (known !== undefined) return known;
  const honoured = (await api.hedges({ limit: 1 }, { signal })).data.length === 1;
  limitHonoured.set(api, honoured);
  return honoured;
}

/** Each hedge once, in its latest version. */
function merged(...lists: readonly (readonly Hedge[])[]): readonly Hedge[] {
  const byId = new Map<string, Hedge>();
  for (const hedge of lists.flat()) byId.set(hedge.id, hedge);
  return [...byId.values()];
}
