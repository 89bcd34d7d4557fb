/**
 * A practice service behind read replicas: each reading of positions and hedges is answered as the book was so many
 * seconds ago, as the test says for each request. Time moves in steps, and the book is kept at each of them. One
 * clock for the program and the service; what is open in truth is read past the replicas.
 */
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';
import { frontOf, refusal } from './front.ts';
import { movingClock } from './moving-clock.ts';
import { temporaryFolder } from './own-folder.ts';
import { type ServedBook, servedBook } from './served-book.ts';
import { seededRandom } from './steady-clock.ts';
import { type TestCli, testCli } from './test-cli.ts';

export interface HedgeBody {
  id: string;
  client_reference: string | null;
  side: 'buy' | 'sell';
  notional_usd: number;
  status: string;
  maturity_at: string;
}

interface Kept {
  at: number;
  positions: readonly unknown[];
  hedges: readonly HedgeBody[];
}

export type Reading = 'positions' | 'hedges' | 'hedge';

export type Lag = (reading: Reading) => number | 'lost';

export interface LaggingService {
  served: ServedBook;
  clock: Clock;
  /** A program on this clock, with the sandbox as its account; each home is another machine. */
  machine(): TestCli;
  /**
   * By how many milliseconds the next answer of this kind is behind; none unless it is said. `lost`: it shows nothing,
   * of whatever age.
   */
  lag(of: Lag): void;
  /** Hedges that were closed early are `filled` in every reading until they mature. */
  leavesFilled(): void;
  /** A new book with chances of its own, and nothing of what was said about its readings. */
  reset(seed: number): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Readings that reached the service, as `GET /hedges/hdg_…`, since it was asked last. */
  readings(): readonly string[];
  /** The hedges that are open on a side in truth. */
  open(side: 'buy' | 'sell'): Promise<readonly HedgeBody[]>;
}

const STEP_MS = 500;
/** No reading is further behind. */
const KEPT_MS = 30_000;

export async function laggingService(): Promise<LaggingService> {
  const time = movingClock();
  let chance = seededRandom();
  const random: Random = { fraction: () => chance.fraction(), bytes: (count) => chance.bytes(count) };
  const served = await servedBook({ fill_seconds: { min: 1.5, max: 4 } }, time, random);
  const folder = temporaryFolder();
  const front = await frontOf(served, folder);
  let lagOf: Lag = () => 0;
  let leaves = false;
  let seen: string[] = [];
  const kept: Kept[] = [];

  const bookNow = async (): Promise<Kept> => {
    const [positions, hedges] = await Promise.all(
      ['/positions', '/hedges?limit=500'].map((path) => served.desk.get(path, { as: 'test' })),
    );
    return { at: time.now(), positions: positions?.body.data, hedges: hedges?.body.data };
  };
  const keep = async (): Promise<void> => {
    kept.push(await bookNow());
    while ((kept[0]?.at ?? 0) < time.now() - KEPT_MS) kept.shift();
  };
  const pass = async (ms: number): Promise<void> => {
    const unseen = Math.max(0, ms - KEPT_MS);
    time.pass(unseen);
    for (let left = ms - unseen; left > 0; left -= STEP_MS) {
      time.pass(Math.min(left, STEP_MS));
      await keep();
    }
  };
  const clock: Clock = {
    now: time.now,
    monotonic: time.now,
    after: time.after,
    sleep: async (ms, signal) => (signal?.aborted === true ? undefined : pass(ms)),
  };
  const asKept = (behind: number): Kept => {
    const book = kept.findLast(({ at }) => at <= time.now() - behind) ?? kept[0];
    if (book === undefined) throw new Error('nothing of the book was kept');
    return book;
  };
  const told = (hedge: HedgeBody): HedgeBody =>
    leaves && hedge.status === 'closed' && Date.parse(hedge.maturity_at) > time.now()
      ? { ...hedge, status: 'filled' }
      : hedge;

  front.meddle(async (line, sendOn) => {
    const [method, path = ''] = line.split(' ');
    const url = new URL(path, 'https://service.test');
    const reading = readingOf(url.pathname);
    if (method !== 'GET' || reading === undefined) return sendOn();
    seen.push(line);
    const behind = lagOf(reading);
    const book =
      behind === 'lost' ? { positions: [], hedges: [] } : behind === 0 ? await bookNow() : asKept(behind);
    const { status, body } = asOf(url, { ...book, hedges: book.hedges.map(told) });
    const headers = { 'content-type': 'application/json', date: new Date(time.now()).toUTCString() };
    return { status, headers, body };
  });
  await keep();
  const way = front.way('');
  return {
    served,
    clock,
    machine: () => {
      const home = temporaryFolder();
      return testCli({ home, clock, env: { ...way, HEDGE_HOME: home } });
    },
    lag(of) {
      lagOf = of;
    },
    leavesFilled() {
      leaves = true;
    },
    async reset(seed) {
      chance = seededRandom(seed);
      await served.reset();
      kept.length = 0;
      lagOf = () => 0;
      leaves = false;
      await keep();
    },
    pass,
    readings: () => {
      const all = seen;
      seen = [];
      return all;
    },
    open: async (side) =>
      (await bookNow()).hedges.filter((hedge) => hedge.side === side && hedge.status === 'filled'),
  };
}

function readingOf(pathname: string): Reading | undefined {
  if (pathname === '/positions') return 'positions';
  if (pathname === '/hedges') return 'hedges';
  return pathname.startsWith('/hedges/hdg_') ? 'hedge' : undefined;
}

/** The answer to a reading, as the book was at some moment. */
function asOf(
  url: URL,
  { positions, hedges }: Omit<Kept, 'at'>,
): Pick<ReturnType<typeof refusal>, 'status' | 'body'> {
  const withData = (data: unknown) => ({
    status: 200,
    body: JSON.stringify({ data, error: null, meta: {} }),
  });
  if (url.pathname === '/positions') return withData(positions);
  const one = hedges.find(({ id }) => url.pathname === `/hedges/${id}`);
  if (url.pathname !== '/hedges') return one === undefined ? refusal(404, 'hedge_not_found') : withData(one);
  const [status, reference] = ['status', 'client_reference'].map((name) => url.searchParams.get(name));
  return withData(
    hedges
      .filter((hedge) => status === null || hedge.status === status)
      .filter((hedge) => reference === null || hedge.client_reference === reference)
      .slice(0, Number(url.searchParams.get('limit') ?? 500)),
  );
}
