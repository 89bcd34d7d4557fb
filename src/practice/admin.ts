/** Administration of a practice book: its state, a fresh start, moving time, weather. Works with or without a server. */
import { beginBook } from './book/begin.ts';
import { availableExposure, exposure } from './book/exposure.ts';
import { accountsOf } from './book/ledger.ts';
import { ordersInFlight } from './book/orders.ts';
import { positionsAt } from './book/positions.ts';
import { bringTo } from './book/progress.ts';
import type { Desk } from './book/sitting.ts';
import { bookTime, iso, keepInstant, moveAhead } from './book/time.ts';
import { ENVIRONMENTS, STATUSES } from './book/words.ts';
import type {
  AdvanceSummary,
  BookStatus,
  Environment,
  HedgeStatus,
  PracticeAdmin,
  PracticeClock,
  PracticeSettings,
  PracticeStatus,
} from './door.ts';
import { PracticeInputError } from './failures.ts';
import { decimalOf, MONEY_PLACES, moneyText } from './money/decimals.ts';
import { text, whole } from './store/database.ts';
import type { WeatherKeeper } from './weather/keeper.ts';

export interface Administered extends Desk {
  clock: PracticeClock;
  store: string;
  settings: PracticeSettings;
  weather: WeatherKeeper;
}

const LONGEST_ADVANCE = 366 * 86_400_000;
const LARGEST_BALANCE = 1_000_000_000;

export function administration(of: Administered): PracticeAdmin {
  return {
    status: async () => of.db.immediate(() => status(of)),
    async reset(options = {}) {
      const opening = options.balance === undefined ? of.terms.openingBalance : balanceOf(options.balance);
      return of.db.immediate(() => {
        beginBook(of.db, of.random, opening);
        return status(of);
      });
    },
    async advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 1 || ms > LONGEST_ADVANCE) {
        throw new PracticeInputError(
          'duration',
          'Book time can be moved ahead by 1 ms to 366 days at a time.',
        );
      }
      return of.db.immediate(() => advance(of, ms));
    },
    weather: async () => of.weather.current(of.db),
    setWeather: async (change) => of.weather.set(of.db, change),
    clearWeather: async () => of.weather.clear(of.db),
  };
}

function balanceOf(written: string): bigint {
  const balance = /^\d+(\.\d+)?$/.test(written) ? decimalOf(written, MONEY_PLACES) : undefined;
  if (balance === undefined || balance > BigInt(LARGEST_BALANCE) * 1_000_000n) {
    throw new PracticeInputError(
      'balance',
      'The opening balance is an amount of USDC from 0 to 1000000000 with at most 6 decimals.',
    );
  }
  return balance;
}

function advance(of: Administered, ms: number): AdvanceSummary {
  const before = bookTime(of.db, of.clock.now());
  moveAhead(of.db, ms);
  const to = before.now + ms;
  const environments = fromEach((environment) => {
    const events = bringTo(of, environment, to);
    return { events, balance_usdc: moneyText(accountsOf(of.db, environment).balance) };
  });
  keepInstant(of.db, to);
  return { from: iso(before.now), to: iso(to), advanced_ms: ms, environments };
}

function status(of: Administered): PracticeStatus {
  const wallNow = of.clock.now();
  const time = bookTime(of.db, wallNow);
  for (const environment of ENVIRONMENTS) bringTo(of, environment, time.now);
  keepInstant(of.db, time.now);
  return {
    book_id: time.bookId,
    book_time: iso(time.now),
    wall_time: iso(wallNow),
    ahead_ms: time.aheadMs,
    store: of.store,
    books: fromEach((environment) => bookStatus(of, environment, time.now)),
    weather: of.weather.current(of.db),
    settings: of.settings,
  };
}

function bookStatus(of: Administered, environment: Environment, now: number): BookStatus {
  const accounts = accountsOf(of.db, environment);
  const positions = positionsAt(of, environment, now);
  return {
    balance_usdc: moneyText(accounts.balance),
    margin_in_use_usdc: moneyText(accounts.margin),
    reserved_usdc: moneyText(accounts.reserved),
    house_usdc: moneyText(accounts.house),
    open_exposure_usd: moneyText(exposure(of.db, environment)),
    available_exposure_usd: moneyText(availableExposure({ ...of, environment })),
    unrealized_pnl_usd: moneyText(positions.reduce((sum, position) => sum + position.net, 0n)),
    hedges: hedgeCounts(of, environment),
    orders_in_flight: ordersInFlight(of.db, environment).length,
  };
}

function hedgeCounts(of: Administered, environment: Environment): Record<HedgeStatus, number> {
  const rows = of.db.all(
    'SELECT status, COUNT(*) AS count FROM hedges WHERE environment = ? GROUP BY status',
    environment,
  );
  const counted = new Map(rows.map((row) => [text(row, 'status'), whole(row, 'count')]));
  const [submitted, filled, failed, closed] = STATUSES.map((each) => counted.get(each) ?? 0);
  return { submitted: submitted ?? 0, filled: filled ?? 0, failed: failed ?? 0, closed: closed ?? 0 };
}

function fromEach<T>(of: (environment: Environment) => T): Record<Environment, T> {
  return { live: of('live'), test: of('test') };
}
