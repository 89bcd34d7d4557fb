/** A reduce or close at a service that fails, or sends nulls, in what it does not rest on. */
import { describe, expect, it } from 'vitest';
import { executeAction } from '../../src/trading/execute.ts';
import { frontOf, type Passed, refusal } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { intent } from './facts.ts';
import { dealingDesk } from './trading-context.ts';

type Meddling = (line: string, pass: () => Promise<Passed>) => Promise<Passed | undefined>;

const failing =
  (path: string): Meddling =>
  async (line) =>
    line.startsWith(`GET ${path}`) ? refusal(503, 'unavailable') : undefined;

/** The data of an answer, changed. */
const changing =
  (path: string, change: (data: readonly object[]) => unknown): Meddling =>
  async (line, pass) => {
    if (line.split(/[ ?]/)[1] !== path) return undefined;
    const passed = await pass();
    const document = JSON.parse(passed.body);
    return { ...passed, body: JSON.stringify({ ...document, data: change(document.data) }) };
  };

const withNull = (name: string) => (data: readonly object[]) =>
  data.map((each) => ({ ...each, [name]: null }));

/** A hedge on the other side whose order is as said, without its size. */
const sizeless = (status: string) => (data: readonly object[]) => [
  ...data,
  { id: 'hdg_X', market: 'USDTNGN', side: 'sell', notional_usd: null, tenor_days: 1, status },
];

const CASES: readonly (readonly [string, Meddling])[] = [
  ['fails to send the account', failing('/account')],
  ['fails to send the markets', failing('/markets')],
  [
    'sends an account of nulls',
    changing('/account', () => ({ balance_usdc: null, available_exposure_usd: null })),
  ],
  ['sends no carry', changing('/markets', withNull('net_rate_daily_pct'))],
  [
    'rejects the page size',
    async (line) => (/^GET .*[?&]limit=/.test(line) ? refusal(400, 'invalid_request') : undefined),
  ],
  ['lists a failed hedge without its size', changing('/hedges', sizeless('failed'))],
  ['lists a hedge still to fill without its size', changing('/hedges', sizeless('submitted'))],
  ['does not say what closing returns', changing('/positions', withNull('net_margin_usd'))],
  ['lists no maturities', changing('/hedges', withNull('maturity_at'))],
];

/** The report of an action on a side of 10,000 USD, and what the preview warned of. */
async function dealt(line: string, meddling: Meddling, by?: string) {
  let isWell = true;
  const desk = await dealingDesk(undefined, {
    async wayTo(practice) {
      const way = (): never => expect.fail('no program is led there');
      const front = await frontOf({ desk: practice, way }, temporaryFolder());
      front.meddle(async (asked, pass) => (isWell ? undefined : await meddling(asked, pass)) ?? pass());
      return front;
    },
  });
  await desk.now('open USDTNGN buy 10000');
  desk.practice.clock.pass(3_600_000);
  isWell = false;
  const options = { yes: true, by, ifOpen: line.startsWith('close') || undefined };
  return executeAction(intent(line, options), desk.tradingContext());
}

describe.each(CASES)('at a service that %s', (_, meddling) => {
  it.each([
    ['close USDTNGN buy', 'closed'],
    ['reduce USDTNGN buy 1000', 'changed'],
  ])('%s is sent and ends', async (line, outcome) => {
    expect(await dealt(line, meddling)).toMatchObject({ outcome, finding: undefined });
  });
});

describe('a hedge still to fill without its size', () => {
  const onSide = changing('/hedges', (data) =>
    sizeless('submitted')(data).map((each) => ({ ...each, side: 'buy' })),
  );
  const emptied: Meddling = async (line, pass) =>
    line.startsWith('GET /positions') ? changing('/positions', () => [])(line, pass) : onSide(line, pass);

  it('is named, and its size is said to be unknown', async () => {
    await expect(dealt('reduce USDTNGN buy', onSide, '50%')).rejects.toMatchObject({
      code: 'in_flight',
      what: expect.stringContaining('Hedge "hdg_X" ("submitted", of unknown size) may fill'),
    });
  });

  it('keeps a side that has nothing else from being flat', async () => {
    await expect(dealt('close USDTNGN buy', emptied)).rejects.toMatchObject({ code: 'in_flight' });
  });
});

describe('what a close could not read', () => {
  it('is said where it is the markets, and is no figure', async () => {
    const { warnings, plan } = await dealt('close USDTNGN buy', failing('/markets'));
    expect(warnings?.map(({ message }) => message)).toEqual([
      'The markets could not be read: carry and status are not known.',
    ]);
    expect(plan).toMatchObject({ carryToMaturity: undefined });
  });

  it('is no figure where it is what comes back', async () => {
    const { plan } = await dealt('close USDTNGN buy', changing('/positions', withNull('net_margin_usd')));
    expect(plan).toMatchObject({ comesBack: { net_margin_usd: undefined } });
  });
});

/** No list; a single hedge is shown. */
const noList: Meddling = async (line) =>
  /^GET \/hedges(\?|$)/.test(line) ? refusal(503, 'unavailable') : undefined;

describe('the list of hedges that cannot be read', () => {
  it('does not keep a close of a side with a position from being sent, which says so', async () => {
    const { outcome, effect, warnings } = await dealt('close USDTNGN buy', noList);
    expect([outcome, effect]).toEqual(['pending', 'pending']);
    expect(warnings?.map(({ message }) => message)).toEqual([
      expect.stringContaining('The list of hedges could not be read: which hedges this closes is not known.'),
    ]);
  });

  it('stops a reduce, whose size rests on it', async () => {
    await expect(dealt('reduce USDTNGN buy 1000', noList)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('leaves no side flat: a hedge may still be to fill', async () => {
    const emptied: Meddling = async (line, pass) =>
      line.startsWith('GET /positions') ? changing('/positions', () => [])(line, pass) : noList(line, pass);
    await expect(dealt('close USDTNGN buy', emptied)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
