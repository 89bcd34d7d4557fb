/** A book of many filled hedges on three sides, as opens would leave it. */

import { placeHedge } from '../../../src/practice/control/place-hedge.ts';
import { openBook } from '../../../src/practice/open-book.ts';
import { parseSettings } from '../../../src/practice/settings.ts';
import { DAY, testClock, testRandom } from './practice-service.ts';

const SETTINGS = {
  opening_balance_usdc: 1_000_000_000,
  exposure_cap_usd: 1_000_000_000,
  impact_bps_per_10k_usd: 0,
  fill_seconds: { min: 0.05, max: 0.3 },
  markets: {
    USDTNGN: { headroom_usd: 1_000_000_000 },
    USDTKES: { enabled: true, headroom_usd: 1_000_000_000 },
  },
};
/** The balance that both accounts began with, in micro-USDC. */
export const OPENING_BALANCE = 1_000_000_000_000_000n;

const SIDES = [
  { environment: 'live', side: 'buy' },
  { environment: 'live', side: 'buy' },
  { environment: 'live', side: 'sell' },
  { environment: 'test', side: 'buy' },
] as const;

/** On USDTNGN; they mature over the next six days. */
export async function placeHedges(store: string, count: number, now: number): Promise<void> {
  const random = testRandom(count);
  const book = await openBook({
    store,
    clock: testClock(now),
    random,
    settings: parseSettings(SETTINGS),
  });
  book.db.transaction(() => {
    for (let index = 0; index < count; index += 1)
      placeHedge(book, {
        ...(SIDES[index % SIDES.length] ?? SIDES[0]),
        market: 'USDTNGN',
        notional_usd: (10_000 + Math.floor(random.fraction() * 190_000)) / 100,
        tenor_days: 7,
        opened_at: new Date(now - Math.floor(((count - index) / count) * 6 * DAY)).toISOString(),
        client_reference: `PLACED-${String(index)}`,
      });
  });
  book.close();
}
