/** `available_capacity_usd` is what can be opened on a side right now, in any book. */
import { describe, expect, it } from 'vitest';
import { decimalOf, moneyText } from '../../src/practice/domain/scaled-decimals.ts';
import { howMany } from '../support/goal.ts';
import {
  expectAccepted,
  expectRejected,
  startPractice,
  type TestPractice,
  testRandom,
} from './support/practice-service.ts';

const BOOKS = howMany(100, 500);
const ORDERS = 12;
const CENT = 10_000n;
const MARKETS = ['USDTNGN', 'USDTKES'] as const;

const micro = (value: number): bigint => decimalOf(String(value), 6) ?? -1n;
const usd = (value: bigint): number => Number(moneyText(value));

async function capacity(practice: TestPractice, market: string, side: 'buy' | 'sell'): Promise<bigint> {
  const { data } = expectAccepted(await practice.get('/markets')).body;
  const line = data.find((each: { market: string }) => each.market === market);
  return micro(line.available_capacity_usd[side]);
}

/** Opens, adds, reductions and closes on both markets, some of them failed, some in flight; some are rejected. */
async function randomBook(seed: number): Promise<TestPractice> {
  const { fraction } = testRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  const cents = (most: number) => between(1, most * 100) / 100;
  const headroom = { enabled: true, headroom_usd: cents(300_000) };
  const practice = await startPractice({
    seed,
    settings: {
      opening_balance_usdc: 1_000_000,
      exposure_cap_usd: cents(500_000),
      markets: { USDTNGN: headroom, USDTKES: { ...headroom, headroom_usd: cents(300_000) } },
    },
    faults: { failing_orders: 0.2, partial_fills: 0.2 },
  });
  const actions = ['', '', '', '/add', '/reduce', '/close'] as const;
  for (let count = 0; count < ORDERS; count += 1) {
    const action = actions[between(0, actions.length - 1)] ?? '';
    const on = { market: MARKETS[between(0, 1)], side: fraction() < 0.5 ? 'buy' : 'sell' };
    const sized = action === '/close' ? on : { ...on, notional_usd: cents(60_000) };
    await practice.post(`/hedges${action}`, action === '' ? { ...sized, tenor_days: 3 } : sized);
    practice.clock.pass(between(0, 3_000));
  }
  // Settings in force count, also where they are below the exposure.
  if (fraction() < 0.3)
    await practice.admin.changeSettings([{ name: 'exposure_cap_usd', value: String(cents(100_000)) }]);
  return practice;
}

describe('available_capacity_usd', () => {
  it('capacity: an open of exactly that is accepted, and of one cent more rejected, in random books', async () => {
    let accepted = 0;
    for (let seed = 1; seed <= BOOKS; seed += 1) {
      const practice = await randomBook(seed);
      for (const market of MARKETS) {
        for (const side of ['buy', 'sell'] as const) {
          const most = await capacity(practice, market, side);
          const open = (notional: bigint) =>
            practice.post('/hedges', { market, side, tenor_days: 1, notional_usd: usd(notional) });
          const { available_exposure_usd: exposure } = (await practice.get('/account')).body.data;
          const code = micro(exposure) < most + CENT ? 'exposure_exceeded' : 'capacity_exceeded';
          expectRejected(await open(most + CENT), 400, code);
          if (most === 0n) continue;
          expectAccepted(await open(most));
          expect(await capacity(practice, market, side)).toBe(0n);
          accepted += 1;
        }
      }
      await practice.close();
    }
    expect(accepted).toBeGreaterThan(BOOKS);
  });

  it('capacity: the free balance does not enter it, and an open beyond it names the balance', async () => {
    const practice = await startPractice();
    await practice.admin.reset({ balance: '1010' });
    expect(await capacity(practice, 'USDTNGN', 'buy')).toBe(micro(500_000));
    const body = { market: 'USDTNGN', side: 'buy', notional_usd: 10_000.01, tenor_days: 1 };
    expectRejected(await practice.post('/hedges', body), 400, 'insufficient_balance');
  });
});
