/** A list of hedges that is a page, or has a hedge twice: no size is computed from it, and every sum of it says so. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { aHedge, anAcceptedChange, aPosition, type Body, unspecified } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { TUESDAY } from '../support/moving-clock.ts';
import { priced, pricedService, type Reply } from '../support/priced-service.ts';
import { quickClock } from '../support/test-cli.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(TUESDAY + days * DAY_MS).toISOString();

/** Bought hedges of 100 USD each, newest first. */
const bought = (count: number, changes: (at: number) => Body = () => ({})): readonly Body[] =>
  Array.from({ length: count }, (_, at) =>
    aHedge({
      id: `hdg_${at.toString()}`,
      client_reference: `PAY-${at.toString()}`,
      notional_usd: 100,
      struck_rate: 1500,
      opened_at: inDays(-0.5),
      filled_at: inDays(-0.5),
      maturity_at: inDays(2),
      ...changes(at),
    }),
  );

interface Lists {
  /** Hedges that one response has at most. */
  page?: number;
  honoursLimit?: boolean;
  /** What the status and the reference filter: the page is cut before or after that, or they are ignored. */
  filters?: 'the list' | 'the page' | 'nothing';
  positions?: readonly Body[];
  history?: readonly Body[];
  /** Called with how often the positions have been asked for. */
  onPositions?: (nth: number) => void;
}

/** A service whose lists are as said; without more, they have every hedge and ignore `limit`. */
async function deskOf(book: readonly Body[], lists: Lists = {}) {
  const { page = 500, honoursLimit = false, filters = 'the list', onPositions = () => undefined } = lists;
  const { positions = [aPosition({ side: 'buy' })], history = [] } = lists;
  const listed = (limit: number, fits: (hedge: Body) => boolean = () => true) => ({
    data: book
      .filter((hedge) => filters !== 'the list' || fits(hedge))
      .slice(0, honoursLimit ? Math.min(limit, page) : page)
      .filter((hedge) => filters !== 'the page' || fits(hedge)),
  });
  const statuses = ['filled', 'submitted', 'submitting', 'closed'];
  const service = await pricedService({
    ...Object.fromEntries(
      [1, 100, 500].map((limit) => [`GET /hedges?limit=${limit.toString()}`, () => listed(limit)]),
    ),
    ...Object.fromEntries(
      statuses.map((name) => [
        `GET /hedges?status=${name}&limit=500`,
        () => listed(500, ({ status }) => status === name),
      ]),
    ),
    'GET /hedges?client_reference=PAY-0': () =>
      listed(page, ({ client_reference: reference }) => reference === 'PAY-0'),
    'GET /hedges/history': () => ({ data: history }),
    'GET /positions': ({ nth }) => {
      onPositions(nth);
      return { data: positions };
    },
    'POST /quotes': ({ body }): Reply => ({ data: { ...priced(body), maturity: inDays(3) } }),
    'POST /hedges/reduce': () => ({ data: anAcceptedChange() }),
    'POST /hedges/add': () => ({ data: anAcceptedChange() }),
  });
  const cli = cliFor(service, { clock: quickClock(() => TUESDAY) });
  return {
    ...cli,
    service,
    sent: () => service.requests.filter(({ line }) => /^POST .hedges/.test(line)).map(({ body }) => body),
    dataOf: async (words: string) => Object((await cli.run(`${words} --json`)).document()),
  };
}

/** On a terminal of 100 columns. */
const SCREEN = { terminal: { isTTY: true, width: 100, env: { NO_COLOR: '1' } } };
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');
const MEASURED = [
  'reduce USDTNGN buy --by 50%',
  'reduce USDTNGN buy --to 1000',
  'add USDTNGN buy --to 90000 --any-price',
];
const PAGES = [20, 24, 32, 64, 99, 128, 256];
const cases = PAGES.flatMap((page) => MEASURED.map((words) => [page, words] as const));

describe('a size that is computed from the list of hedges', () => {
  it.each(cases)('is not computed from a page of %d hedges: %s', async (page, words) => {
    const desk = await deskOf(bought(300), { page });
    const ran = await desk.run(`${words} --yes --no-wait --json`);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'book_unclear', effect: 'none' } });
    expect(inOneLine(ran.err)).toContain('the list of hedges may be incomplete');
    expect(desk.sent()).toEqual([]);
  });

  it.each(['the page', 'nothing'] as const)(
    'is not computed from a page of a service whose status filters %s',
    async (filters) => {
      const book = bought(300, (at) => (at % 3 === 0 ? { status: 'closed' } : {}));
      const desk = await deskOf(book, { page: 64, filters });
      expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 10 });
      expect(desk.sent()).toEqual([]);
    },
  );

  it.each([
    [
      'the service has sent longer lists',
      bought(300, (at) => (at < 240 ? { status: 'closed' } : {})),
      { page: 64 },
    ],
    ['the service applies the limit', bought(60), { honoursLimit: true }],
    [
      'the position has their size',
      bought(60),
      { positions: [aPosition({ side: 'buy', notional_usd: 6000 })] },
    ],
  ])('is computed from 60 open hedges where %s', async (_, book, lists) => {
    const desk = await deskOf(book, lists);
    expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 0 });
    expect(desk.sent()).toEqual([{ market: 'USDTNGN', side: 'buy', notional_usd: 3000 }]);
  });

  it.each([10, 12, 15, 20, 24, 50, 64])(
    'counts those that a service which applies a limit, and has at most %d a page, left out of its newest',
    async (page) => {
      const book = bought(page + 1, (at) => (at < page - 1 ? { status: 'closed' } : {}));
      const desk = await deskOf(book, { page, honoursLimit: true });
      expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 0 });
      expect(desk.sent()).toMatchObject([{ notional_usd: 100 }]);
    },
  );

  it.each([
    ['64 a page, closed ones among them', 64, (at: number) => (at % 3 === 0 ? { status: 'closed' } : {})],
    ['50 a page', 50, () => ({})],
    ['12 a page, a closed one first', 12, (at: number) => (at === 0 ? { status: 'closed' } : {})],
  ])('is not computed where a service applies a limit, but has at most %s', async (_, page, changes) => {
    const desk = await deskOf(bought(300, changes), { page, honoursLimit: true });
    expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 10 });
    expect(desk.sent()).toEqual([]);
  });

  it('is computed from 60 hedges of two statuses where the service applies the limit', async () => {
    const book = bought(60, (at) => (at < 20 ? { status: 'closed' } : {}));
    const desk = await deskOf(book, { honoursLimit: true });
    expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 0 });
    expect(desk.sent()).toMatchObject([{ notional_usd: 2000 }]);
  });

  it.each([1, 3, 7, 19])(
    'is computed from %d hedges of a service with the specified fields alone',
    async (count) => {
      const desk = await deskOf(bought(count), { positions: [aPosition()] });
      expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 0 });
      expect(desk.sent()).toMatchObject([{ notional_usd: count * 50 }]);
    },
  );

  it.each([
    ['the positions have their sizes', 1, 7, [aPosition({ side: 'buy', notional_usd: 600 })]],
    ['the list is shorter than any page', 1, 4, [aPosition({ side: 'buy' })]],
    ['all of them are filled', 0, 7, [aPosition({ side: 'buy' })]],
    ['nothing is open', 1, 7, []],
  ])('asks for no second list of a few hedges where %s', async (_, over, count, positions) => {
    const book = bought(count, (at) => (at < over ? { status: 'closed' } : {}));
    const desk = await deskOf(book, { positions });
    await desk.run(`${MEASURED[0] ?? ''} --dry-run`);
    expect(desk.service.requests.filter(({ line }) => line.includes('status='))).toEqual([]);
  });

  it('counts a hedge once that is listed twice', async () => {
    const book = bought(7).flatMap((hedge) => [hedge, hedge]);
    const desk = await deskOf(book);
    expect(await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`)).toMatchObject({ code: 0 });
    expect(desk.sent()).toMatchObject([{ notional_usd: 350 }]);
  });

  it('is not computed while a hedge is listed in two versions; that hedge can be closed', async () => {
    const [hedge] = bought(1);
    const desk = await deskOf([{ ...hedge, notional_usd: 40 }, { ...hedge }]);
    const ran = await desk.run(`${MEASURED[0] ?? ''} --yes --no-wait`);
    expect(ran.code).toBe(10);
    expect(inOneLine(ran.err)).toContain('hedge hdg_0 has an unknown status: filled, listed in 2 versions');
    expect(desk.sent()).toEqual([]);
    expect(await desk.run('close USDTNGN buy --dry-run')).toMatchObject({ code: 0 });
    // They are no two hedges with that deal ID.
    expect(await desk.run('hedges PAY-0')).toMatchObject({ code: 0 });
  });

  it('a close names how many hedges it knows of, not how many there are', async () => {
    const desk = await deskOf(bought(300), { page: 24 });
    const { out } = await desk.run('close USDTNGN buy --dry-run', SCREEN);
    expect(out).toContain('CLOSE buy USDTNGN: all hedges on the side, 24 of them listed.');
    expect(out).toContain('(unknown: the list of hedges may be incomplete)');
  });
});

describe('other sums of a list that may be a page', () => {
  const paged = () => deskOf(bought(300), { page: 64 });

  it('maturities, what-if and the list of hedges mark it', async () => {
    const desk = await paged();
    expect((await desk.dataOf('maturities')).meta.covers).toMatchObject({ maybe_truncated: true });
    expect((await desk.run('maturities')).out).toMatch(/Before the next business morning, .*: unknown\./);
    expect((await desk.dataOf('what-if --rate 1600')).data.derived).toMatchObject({ maybe_truncated: true });
    expect((await desk.dataOf('hedges')).meta.covers).toMatchObject({ count: 64, maybe_truncated: true });
    expect((await desk.run('hedges', SCREEN)).out).toMatch(/Total buy USDTNGN .*the service may have more/);
  });

  it('the list of hedges is whole where the service applies the limit', async () => {
    const desk = await deskOf(bought(64), { honoursLimit: true });
    expect((await desk.dataOf('hedges')).meta.covers).toMatchObject({ count: 64, maybe_truncated: false });
  });

  it('cover proposes nothing, and a roll does not begin', async () => {
    const desk = await paged();
    const file = join(desk.home, 'exposures.csv');
    writeFileSync(file, `id,due,ngn,direction,certainty\nA,${inDays(2).slice(0, 10)},9000000,receive,firm\n`);
    const policy = join(desk.home, 'policy.json');
    const buckets = [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }];
    writeFileSync(
      policy,
      JSON.stringify({ buckets, before_days: 1, after_days: 1, forecast_weight_pct: 50 }),
    );
    const cover = await desk.run(`cover ${file} --policy ${policy} --json`);
    expect(cover.code).toBe(11);
    expect(cover.document()).toMatchObject({
      error: { code: 'book_unclear', details: ['buy: the list of hedges may be incomplete'] },
    });
    const roll = await desk.run('roll USDTNGN buy --tenor 3 --at now --yes --json');
    expect(roll.document()).toMatchObject({ error: { code: 'book_unclear', effect: 'none' } });
    expect(desk.sent()).toEqual([]);
  });

  it('the dashboard says that hedges may be missing', async () => {
    const stopping = new AbortController();
    const onPositions = (nth: number): void => {
      if (nth > 1) stopping.abort(new InterruptedError('SIGINT', { what: 'Stopped.' }));
    };
    const desk = await deskOf(bought(300), { page: 64, onPositions });
    const { out } = await desk.run('watch --json', { signal: stopping.signal });
    expect(JSON.parse(out.split('\n')[0] ?? '').data.derived).toMatchObject({ maybe_truncated: true });
  });
});

describe('a hedge that is listed twice', () => {
  it('is one hedge in every sum, list and calendar', async () => {
    const desk = await deskOf(bought(3).flatMap((hedge) => [hedge, hedge]));
    expect((await desk.dataOf('maturities')).data.derived.total).toMatchObject({ buy_usd: 300, hedges: 3 });
    const projected = await desk.dataOf('what-if --rate 1600');
    // 3 × 100 × (1,600 − 1,500) / 1,600
    expect(projected.data.derived.scenarios[0]).toMatchObject({ payoff_usd: 18.75 });
    expect((await desk.dataOf('hedges')).data).toHaveLength(3);
    expect((await desk.run('hedges', SCREEN)).out).toMatch(/Total buy USDTNGN +300\.00 USD +in 3 hedges/);
  });

  it('is not two hedges under one deal ID', async () => {
    const [hedge] = bought(1);
    const desk = await deskOf([{ ...hedge }, { ...hedge }]);
    const ran = await desk.run('hedges PAY-0 --json');
    expect(ran.code).toBe(0);
    expect(Object(ran.document()).data).toHaveLength(1);
  });

  it('has no total while its versions differ', async () => {
    const [hedge] = bought(1);
    const desk = await deskOf([{ ...hedge, notional_usd: 40 }, { ...hedge }]);
    expect((await desk.run('hedges', SCREEN)).out).toMatch(
      /Total buy USDTNGN +— .*hdg_0 has several versions/,
    );
  });
});

describe('sums of the history', () => {
  const closed = (count: number): readonly Body[] =>
    Array.from({ length: count }, (_, at) => ({
      ...unspecified['closed hedge'],
      id: `hdg_${at.toString()}`,
      net_pnl_usd: 2,
    }));

  it('count a hedge once that is listed twice', async () => {
    const desk = await deskOf([], { history: closed(3).flatMap((record) => [record, record]) });
    const { data, meta } = await desk.dataOf('history --by side');
    expect(data.derived.total).toMatchObject({ count: 3, net_pnl_usd: 6 });
    expect(meta.covers).toMatchObject({ count: 3, maybe_truncated: false });
  });

  it.each([20, 24, 64, 99])('may be partial over a list of %d', async (count) => {
    const desk = await deskOf([], { history: closed(count) });
    expect((await desk.dataOf('history --by side')).meta.covers).toMatchObject({
      count,
      maybe_truncated: true,
    });
  });
});
