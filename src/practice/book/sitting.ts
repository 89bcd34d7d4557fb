/**
 * One sitting of the book: everything an action or a reading may use while it holds the transaction.
 * `now` has been reached: whatever was due by then has happened.
 */
import type { Environment, PracticeRandom } from '../door.ts';
import type { Rate } from '../money/decimals.ts';
import { referenceRate } from '../rates/reference-rate.ts';
import type { MarketTerms, Terms } from '../settings/terms.ts';
import type { Database } from '../store/database.ts';

/** What the weather does to orders and markets; calm: no delay, no share, none disabled. */
export interface OrderWeather {
  slowFillsMs: number;
  shareFailing: number;
  sharePartial: number;
  disabled: ReadonlySet<string>;
}

export interface Desk {
  db: Database;
  terms: Terms;
  random: PracticeRandom;
}

export interface Sitting extends Desk {
  environment: Environment;
  /** Book time. */
  now: number;
  weather: OrderWeather;
}

/** Terms of a market that the book deals or has dealt in, enabled or not. */
export function marketTerms(desk: Pick<Desk, 'terms'>, market: string): MarketTerms {
  const found = desk.terms.markets.get(market);
  if (found === undefined)
    throw new Error(`The practice settings have no market ${market}, but its book does.`);
  return found;
}

export function midAt(desk: Pick<Desk, 'terms'>, market: string, instant: number): Rate {
  return referenceRate(marketTerms(desk, market).course, instant);
}
