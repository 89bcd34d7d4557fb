/** The dry run of a batch against the real run of the same batch, on a practice service whose time stands still. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { IN_FULL } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { type RunOptions, type TestCli, testCli } from '../support/test-cli.ts';

const BATCHES = IN_FULL ? 300 : 10;

/** Each look at it is a millisecond later, so that one record follows another; a wait counts only towards deadlines. */
function stillClock(start: number): Clock {
  let now = start;
  return {
    now: () => ++now,
    monotonic: () => now,
    async sleep(ms) {
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    after: systemClock.after,
  };
}

const DAY_MS = 86_400_000;
const LONGEST_MS = 900_000;

/** The daily limit starts again at 00:00 UTC: no run of a batch may go past it. */
const beforeMidnight = (now: number): number => now - Math.max(0, LONGEST_MS - (DAY_MS - (now % DAY_MS)));

const size = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }).map((tens) => tens * 10_000) },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 30_000_000 }).map((cents) => cents / 100) },
  { weight: 1, arbitrary: fc.constantFrom(5_000, 5_000, 250_000, 500_000) },
);
const market = fc.oneof(
  { weight: 5, arbitrary: fc.constant('USDTNGN') },
  { weight: 1, arbitrary: fc.constant('USDTKES') },
);
const side = fc.constantFrom('buy', 'buy', 'buy', 'sell');
const place = fc.tuple(market, side).map((words) => words.join(' '));
const price = fc.constantFrom('', '', '--any-price', '--max-cost-bps 40', '--max-cost-bps 300');
/** `key` and `id`: a key or a deal ID of its own, with which an equal line is valid and may be a duplicate. */
const twice = fc.constantFrom('', 'key', 'key', '--allow-duplicate');
const wait = fc.constantFrom('', '', '', '', '--no-wait');

const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(place, size, fc.constantFrom(1, 3, 7), price, fc.constantFrom('', 'id'), twice, wait)
      .map(
        ([on, usd, tenor, bound, named, again, waits]) =>
          `open ${on} ${usd} --tenor ${tenor} ${bound} ${waits} ${named} ${again}`,
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(place, size, price, twice)
      .map(([on, usd, ...rest]) => `add ${on} ${usd} ${rest.join(' ')}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        place,
        fc.oneof(
          size.map(String),
          fc.constantFrom('--by 50%', '--by 99%', '--by 33.3%', '--to 5000', '--to 20k', '--by 100%'),
        ),
        twice,
      )
      .map(([on, part, again]) => `reduce ${on} ${part} ${again}`),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.constantFrom('', '--if-open')).map((words) => `close ${words.join(' ')}`),
  },
  { weight: 1, arbitrary: fc.constant('account') },
);

const batch = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 9 }),
  held: fc.array(fc.record({ side, notional: fc.integer({ min: 1, max: 20 }).map((tens) => tens * 5_000) }), {
    maxLength: 3,
  }),
  balance: fc.constantFrom('100000', '100000', '12345.67', '30000'),
  limits: fc.constantFrom('', '', '--max-notional 100k', '--max-daily-notional 250k'),
});

const ABOVE_CAPACITY_AND_BALANCE = {
  lines: [
    'open USDTKES buy 30000.01 --tenor 1',
    'open USDTNGN buy 200000 --tenor 1',
    'open USDTKES buy 120000 --tenor 1',
  ],
  held: [],
  balance: '30000' as const,
  limits: '' as const,
};

const EXPECTED = [
  'done',
  'flat',
  'exposure_exceeded',
  'insufficient_balance',
  'limit_exceeded',
  'more_than_open',
  'no_open_hedge',
  ...(IN_FULL ? ['capacity_exceeded', 'cost_too_high', 'duplicate', 'in_flight', 'nothing_to_reduce'] : []),
];

interface LineEnd {
  meta: { line: number; exit_code: number };
  data: { outcome?: string } | null;
  error: { code: string } | null;
}

/** `3 done` or `3 exposure_exceeded`. */
function endsOf(out: string): readonly string[] {
  return out
    .split('\n')
    .filter((each) => each !== '')
    .map((each): LineEnd => JSON.parse(each))
    .map(({ meta, data, error }) => {
      const flat = data?.outcome === 'flat' ? 'flat' : 'done';
      return `${meta.line.toString()} ${error?.code ?? flat}`;
    });
}

describe('a dry run of a batch', () => {
  let book: ServedBook;
  const start = beforeMidnight(Date.now());

  beforeAll(async () => {
    const settings = { markets: { USDTKES: { enabled: true, base_rate: 129.5, headroom_usd: 150_000 } } };
    book = await servedBook(settings, {
      now: () => start,
      pass: () => undefined,
      sleep: () => Promise.resolve(),
    });
  });
  afterAll(() => book.close());

  async function cliWith(limits: string): Promise<TestCli> {
    const home = temporaryFolder();
    const way = book.way(home);
    const cli = testCli({ home, clock: stillClock(start), env: { HEDGE_PROFILE: 'desk' } });
    const add = [
      'profile',
      'add',
      'desk',
      '--base-url',
      way['HEDGE_BASE_URL'] ?? '',
      '--key-stdin',
      '--no-check',
    ];
    const ran = await cli.run([...add, '--ca-file', way['HEDGE_CA_FILE'] ?? ''], {
      stdin: way['HEDGE_API_KEY'] ?? '',
      env: { HEDGE_PROFILE: '' },
    });
    expect([ran.code, ran.err]).toMatchObject([0, expect.anything()]);
    if (limits !== '') {
      const limited = await cli.run(`profile limit desk ${limits}`);
      expect([limited.code, limited.err]).toMatchObject([0, expect.anything()]);
    }
    return cli;
  }

  it(`has the outcome of the real run on every line, over ${BATCHES} random batches`, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(batch, async ({ lines, held, balance, limits }) => {
        await book.desk.service.admin.reset({ balance });
        for (const { side: on, notional } of held)
          await book.desk.post(
            '/hedges',
            { market: 'USDTNGN', side: on, notional_usd: notional, tenor_days: 3 },
            { as: 'test' },
          );
        const cli = await cliWith(limits);
        const file = join(cli.home, 'batch.txt');
        const numbered = lines.map((each, at) =>
          each
            .replace(/ id key$/, ' id')
            .replace(/ id\b/, ` --deal-id D-${at.toString()}`)
            .replace(/ key$/, ` --idempotency-key K-${at.toString()}`),
        );
        writeFileSync(file, numbered.join('\n'));
        const dry = await cli.run(['batch', file, '--dry-run']);
        // Two equal lines are a usage error.
        fc.pre(dry.code !== 2);
        const real = await cli.run(['batch', file, '--yes']);
        for (const end of endsOf(real.out)) seen.add(end.split(' ')[1] ?? '');
        expect(endsOf(dry.out)).toEqual(endsOf(real.out));
        rmSync(cli.home, { recursive: true, force: true });
      }),
      { numRuns: BATCHES, seed: 17, examples: [[ABOVE_CAPACITY_AND_BALANCE]] },
    );
    // None of the checks is left out by chance.
    expect([...seen]).toEqual(expect.arrayContaining(EXPECTED));
  });

  const PRACTICE = { HEDGE_PROFILE: 'practice' };

  /** The dry run of these lines on a practice service with 403,000 USD of headroom. */
  async function dryRun(lines: readonly string[], words = '', options: RunOptions = {}) {
    const cli = testCli({ env: PRACTICE });
    await cli.run('open USDTNGN buy 97k --tenor 3 --yes');
    const file = join(cli.home, 'payouts.txt');
    writeFileSync(file, lines.join('\n'));
    const ran = await cli.run(['batch', file, '--dry-run', ...words.split(' ').filter(Boolean)], options);
    return { ...ran, ends: ran.out.startsWith('{') ? endsOf(ran.out) : [] };
  }
  const SIX = [1, 2, 3, 4, 5, 6].map(
    (each) => `open USDTNGN buy 90k --tenor 3 --deal-id PAY-${each.toString()}`,
  );

  it('plans as many opens as the headroom holds, and says what is left after each', async () => {
    const ran = await dryRun(SIX);
    expect(ran.ends).toEqual([
      '1 done',
      '2 done',
      '3 done',
      '4 done',
      '5 exposure_exceeded',
      '6 exposure_exceeded',
    ]);
    const [first, ...others] = ran.out
      .trim()
      .split('\n')
      .map((each): { meta: { left: Record<string, number> } } => JSON.parse(each));
    expect(first?.meta.left).toEqual({ available_exposure_usd: 313_000, balance_usdc: 81_113 });
    expect(others.at(-1)?.meta.left).toEqual({ available_exposure_usd: 43_000, balance_usdc: 53_843 });
  });

  it('ends with a total per side and the first line that does not fit, on standard error in a pipe', async () => {
    const { err } = await dryRun([...SIX, 'open USDTNGN sell 10k --tenor 1', 'reduce USDTNGN buy 57k']);
    const words = err.replace(/\s+/g, ' ');
    expect(words).toMatch(/USDTNGN buy 4 360,000\.00 36,360\.00 [\d,.]+ 4\d(?:\.\d)? bps/);
    expect(words).toMatch(/USDTNGN sell 1 10,000\.00 1,010\.00 [\d,.]+ 1\d(?:\.\d)? bps/);
    expect(words).toContain('Returned by reductions and closes: 5,');
    expect(words).toContain('Left after it: headroom 90,000.00 USD, balance ');
    expect(words).toContain('2 of 8 actions would not execute.');
    expect(words).toContain(
      "First line that does not fit: line 5: 90,000.00 USD exceeds the account's headroom of 43,000.00 USD. Largest size that fits: 43,000.00 USD.",
    );
    expect(words).toContain('Assumed: each line fills in full at its quoted price');
    expect((await dryRun(SIX, '--quiet')).err).toBe('');
  });

  it('shows a terminal one line per action, and documents only with --json', async () => {
    const screen = { terminal: { width: 100, isTTY: { stdout: true }, env: { NO_COLOR: '1' } } };
    const lines = [...SIX.slice(0, 5), 'add USDTNGN buy 3k', 'close USDTNGN buy', 'close USDTNGN buy'];
    const { out } = await dryRun(lines, '', screen);
    expect(out.replace(/\d,\d{3}\.\d+(?=,)/g, 'PRICE').split('\n')).toEqual([
      expect.stringMatching(/^PRACTICE/),
      expect.stringMatching(
        /^line 1 PLANNED open buy USDTNGN 90,000\.00 USD at PRICE, cost 4\d(?:\.\d)? bps$/,
      ),
      expect.stringMatching(/^line 2 PLANNED open /),
      expect.stringMatching(/^line 3 PLANNED open /),
      expect.stringMatching(/^line 4 PLANNED open /),
      'line 5 BLOCKED open USDTNGN buy 90k --tenor 3 --deal-id PAY-5',
      "  90,000.00 USD exceeds the account's headroom of 43,000.00 USD.",
      expect.stringMatching(/^line 6 PLANNED add buy USDTNGN 3,000\.00 USD at PRICE, cost /),
      expect.stringMatching(
        /^line 7 PLANNED close buy USDTNGN 460,000\.00 USD, 5 hedges, returns [\d,.]+ USD \(estimate\)$/,
      ),
      'line 8 BLOCKED close USDTNGN buy',
      '  Nothing is open on USDTNGN buy.',
      '',
    ]);
    expect((await dryRun(SIX, '--json', screen)).ends).toHaveLength(6);
    const missed = await dryRun(['quote USDTNGN buy 10k --tenor 3 --max-cost-bps 1'], '', screen);
    expect(missed.out).toMatch(/^line 1 NOT MET quote USDTNGN buy 10k[^\n]*\n {2}3d: cost 31 bps/m);
  });

  it('shows a terminal one line per quote, but a curve in full', async () => {
    const screen = { terminal: { width: 80, isTTY: { stdout: true }, env: { NO_COLOR: '1' } } };
    const quote = 'quote USDTNGN buy 10k';
    const { out } = await dryRun([quote, `${quote} --tenor 3`, `${quote} --tenor 3 --curve`], '', screen);
    expect(out.split('\n').slice(1, 4)).toEqual([
      'line 1 QUOTE buy USDTNGN 10,000.00 USD, cost 1 d 21 bps, 3 d 31 bps, 7 d 51 bps',
      expect.stringMatching(/^line 2 QUOTE buy USDTNGN 10,000\.00 USD, 3 d at 1,\d{3}\.\d+, cost 31 bps$/),
      'line 3 quote USDTNGN buy 10k --tenor 3 --curve',
    ]);
    expect(out).toContain('<- requested');
  });
});
