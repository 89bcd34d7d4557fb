/** Every way in which an action is stopped here: nothing that changes a book reaches the service, which counts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EACH_ACTION } from '../support/each-action.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { damageJournal, writeJournal } from '../support/written-journal.ts';

let served: ServedBook;
beforeAll(async () => {
  const markets = { USDTNGN: { base_rate: 1530, swing: 0, drift_yearly_pct: 0 } };
  served = await servedBook({ markets });
});
afterAll(() => served.close());
beforeEach(() => served.reset());

interface Blocked {
  what: string;
  line: string;
  code: number;
  /** `error.code`; null where it is no error. */
  error: string | null;
  arrange?: (cli: TestCli, run: (line: string) => Promise<Ran>) => unknown;
  env?: Readonly<Record<string, string>>;
  /** Already open on the buy side, opened elsewhere. */
  open?: number;
}

const OPEN = 'open USDTNGN buy 10000 -t 3 --yes';
const injectFaults = (change: Parameters<ServedBook['desk']['service']['admin']['setFaults']>[0]) => () =>
  served.desk.service.admin.setFaults(change);
const halt = (_: unknown, run: (line: string) => Promise<Ran>) => run('halt venue down');
const damage = ({ home }: TestCli): void => {
  writeJournal(home, []);
  damageJournal(home);
};
/** An open whose answers are all lost before the book acted. */
const unresolved = async (_: unknown, run: (line: string) => Promise<Ran>): Promise<void> => {
  await served.desk.service.admin.setFaults({ lost_before: 1, only: 'open' });
  expect((await run(OPEN)).code).toBe(7);
  await served.desk.service.admin.clearFaults();
};

const BLOCKED: readonly Blocked[] = [
  ...EACH_ACTION.flatMap(({ name, line, before }): Blocked[] => [
    { what: `${name} with nobody to ask`, line, open: before, code: 2, error: 'usage' },
    { what: `${name} as a dry run`, line: `${line} --yes --dry-run`, open: before, code: 0, error: null },
    {
      what: `${name} where another environment was promised`,
      line: `${line} --yes --expect-env live`,
      open: before,
      code: 10,
      error: 'env_mismatch',
    },
    {
      what: `${name} with a key that the service does not know`,
      line: `${line} --yes`,
      open: before,
      code: 4,
      error: 'unauthorized',
      env: { HEDGE_API_KEY: 'hk_test_nobodysKey0001' },
    },
    {
      what: `${name} where nobody listens`,
      line: `${line} --yes`,
      code: 5,
      error: 'unavailable',
      env: { HEDGE_BASE_URL: 'https://127.0.0.1:9/practice/v2' },
    },
    {
      what: `${name} of a market that is not there`,
      line: `${line} --yes`.replace('USDTNGN', 'USDTXYZ'),
      code: 10,
      error: 'market_not_found',
    },
  ]),
  { what: 'a halted open', line: OPEN, arrange: halt, code: 10, error: 'halted' },
  {
    what: 'a halted add',
    line: 'add USDTNGN buy 5000 --yes',
    open: 10_000,
    arrange: halt,
    code: 10,
    error: 'halted',
  },
  { what: 'an open at a worse price', line: `${OPEN} --worst-price 1520`, code: 10, error: 'worse_price' },
  { what: 'a slip in the price', line: `${OPEN} --worst-price 15350`, code: 10, error: 'implausible_price' },
  { what: 'an open at a higher cost', line: `${OPEN} --max-cost-bps 1`, code: 10, error: 'cost_too_high' },
  {
    what: 'an open beyond the headroom',
    line: 'open USDTNGN buy 450000 -t 3 --yes',
    open: 100_000,
    code: 10,
    error: 'exposure_exceeded',
  },
  {
    what: 'an open beyond the balance',
    line: OPEN,
    arrange: () => served.desk.service.admin.reset({ balance: '500' }),
    code: 10,
    error: 'insufficient_balance',
  },
  {
    what: 'an open in a disabled market',
    line: OPEN,
    arrange: injectFaults({ disabled_markets: ['USDTNGN'] }),
    code: 10,
    error: 'market_disabled',
  },
  {
    what: 'a reduction by more than is open',
    line: 'reduce USDTNGN buy 20000 --yes',
    open: 10_000,
    code: 10,
    error: 'more_than_open',
  },
  { what: 'a close of what is flat', line: 'close USDTNGN buy --yes', code: 10, error: 'no_open_hedge' },
  {
    what: 'a close of what is flat, if open',
    line: 'close USDTNGN buy --yes --if-open',
    code: 0,
    error: null,
  },
  { what: 'an open over a damaged journal', line: OPEN, arrange: damage, code: 78, error: 'damaged_file' },
  {
    what: 'an add over a damaged journal',
    line: 'add USDTNGN buy 5000 --yes',
    open: 10_000,
    arrange: damage,
    code: 78,
    error: 'damaged_file',
  },
  { what: 'an open of no size', line: 'open USDTNGN buy 0 -t 3 --yes', code: 2, error: 'usage' },
  { what: 'an open with a part missing', line: 'open USDTNGN buy --yes', code: 2, error: 'usage' },
  { what: 'a close with a size', line: 'close USDTNGN buy 5000 --yes', code: 2, error: 'usage' },
];

const AFTER_ONE: readonly (Blocked & { first: string })[] = [
  { what: 'the same open again', first: OPEN, line: OPEN, code: 10, error: 'duplicate' },
  {
    what: 'another open under the deal id',
    first: `${OPEN} --deal-id PAY-1`,
    line: 'open USDTNGN sell 500 -t 1 --yes --deal-id PAY-1',
    code: 10,
    error: 'deal_id_used',
  },
  {
    what: 'a deal that is ensured on other terms',
    first: `${OPEN} --deal-id PAY-1`,
    line: 'open USDTNGN buy 500 -t 3 --yes --deal-id PAY-1 --ensure',
    code: 10,
    error: 'deal_id_used',
  },
  {
    what: 'a deal that is ensured again',
    first: `${OPEN} --deal-id PAY-1`,
    line: `${OPEN} --deal-id PAY-1 --ensure`,
    code: 0,
    error: null,
  },
  {
    what: 'the same key with another request',
    first: `${OPEN} --idempotency-key k-1`,
    line: 'open USDTNGN buy 500 -t 3 --yes --idempotency-key k-1',
    code: 10,
    error: 'idempotency_key_reuse',
  },
  {
    what: 'the same key with the same request',
    first: `${OPEN} --idempotency-key k-1`,
    line: `${OPEN} --idempotency-key k-1`,
    code: 0,
    error: null,
  },
];

function deskOf(blocked: Pick<Blocked, 'env'>) {
  const cli = testCli();
  const run = (line: string, env = {}): Promise<Ran> =>
    cli.run(`${line} --json`, { env: { ...served.way(cli.home), ...env } });
  return { desk: cli, run, act: (line: string) => run(line, blocked.env) };
}

describe('nothing is sent by', () => {
  it.each(BLOCKED)('$what', async (blocked) => {
    const { desk, run, act } = deskOf(blocked);
    await blocked.arrange?.(desk, run);
    if (blocked.open !== undefined && blocked.open > 0) await served.opened('buy', blocked.open);
    const before = served.changes().length;
    const ran = await act(blocked.line);
    expect({
      code: ran.code,
      error: errorOf(ran),
      sent: served.changes().length - before,
      out: ran.out,
    }).toMatchObject({
      code: blocked.code,
      error: blocked.error,
      sent: 0,
    });
  });

  it.each(AFTER_ONE)('$what', async (blocked) => {
    const { act } = deskOf(blocked);
    expect((await act(blocked.first)).code).toBe(0);
    expect(served.changes()).toHaveLength(1);
    const ran = await act(blocked.line);
    expect({ code: ran.code, error: errorOf(ran), out: ran.out }).toMatchObject({
      code: blocked.code,
      error: blocked.error,
    });
    expect(served.changes()).toHaveLength(1);
  });

  it.each(EACH_ACTION.filter(({ name }) => name !== 'close'))(
    '$name while an open is unresolved',
    async ({ line }) => {
      const { desk, run, act } = deskOf({});
      await unresolved(desk, run);
      await served.opened('buy', 10_000);
      const before = served.changes().length;
      const ran = await act(`${line} --yes`);
      expect({ code: ran.code, error: errorOf(ran) }).toEqual({ code: 10, error: 'unresolved' });
      expect(served.changes()).toHaveLength(before);
    },
  );

  it.each([...EACH_ACTION])('$name under a profile that is read-only', async ({ line, before }) => {
    const { desk, run } = deskOf({});
    await profile(desk, '--read-only');
    if (before > 0) await served.opened('buy', before);
    const ran = await run(`${line} --yes`, ofProfile);
    expect({ code: ran.code, error: errorOf(ran) }).toEqual({ code: 10, error: 'read_only' });
    expect(served.changes()).toEqual([]);
  });

  it.each([
    ['more than one deal may be', '--max-notional 9999'],
    ['more than a day may be', '--max-daily-notional 9999'],
    ['a market that is not allowed', '--markets USDTKES'],
  ])('an open of %s', async (_, limit) => {
    const { desk, run } = deskOf({});
    await profile(desk, limit);
    const ran = await run(OPEN, ofProfile);
    expect({ code: ran.code, error: errorOf(ran) }).toEqual({ code: 10, error: 'limit_exceeded' });
    expect(served.changes()).toEqual([]);
  });
});

const ofProfile = { HEDGE_API_KEY: '', HEDGE_BASE_URL: '', HEDGE_PROFILE: 'desk' };

async function profile(cli: TestCli, limits: string): Promise<void> {
  const { HEDGE_API_KEY: key = '', HEDGE_BASE_URL: url = '', HEDGE_CA_FILE: ca = '' } = served.way(cli.home);
  const words = `profile add desk --base-url ${url} --ca-file ${ca} --key-stdin ${limits}`;
  expect(await cli.run(words, { stdin: `${key}\n` })).toMatchObject({ code: 0 });
}

const errorOf = (ran: Ran): string | null => {
  const { error }: { error: { code: string } | null } = JSON.parse(ran.out);
  return error?.code ?? null;
};
