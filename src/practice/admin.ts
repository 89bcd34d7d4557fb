/** Administration of the practice books: status, reset, advance, faults. Needs no running server. */
import { availableExposure, grossExposure, positionsAt, readAccounts, seedBook } from './book/accounts.ts';
import { type BookEvent, processDueEvents } from './book/execute-order.ts';
import { ordersInFlight } from './book/stored-records.ts';
import {
  advanceBookTime,
  type BookContext,
  bookTime,
  isoTime,
  saveBookTime,
} from './book/transaction-context.ts';
import {
  PRACTICE_ENVIRONMENTS,
  PRACTICE_HEDGE_STATUSES,
  type PracticeClock,
  type PracticeEnvironment,
  type PracticeHedgeStatus,
  PracticeInputError,
} from './domain/practice-types.ts';
import { decimalOf, MONEY_DECIMALS, moneyText, sumOf } from './domain/scaled-decimals.ts';
import type { FaultStore, Faults } from './faults.ts';
import type { PracticeSettings } from './settings.ts';
import { enumColumn, integerColumn } from './store/database.ts';

export interface PracticeAdmin {
  status(): Promise<PracticeStatus>;
  /** Empties both books under a new book ID; book time returns to wall time. Keys, faults and settings are kept. */
  reset(options?: { balance?: string }): Promise<PracticeStatus>;
  /** Moves book time ahead; everything due is executed at its own time. */
  advance(ms: number): Promise<AdvanceSummary>;
  faults(): Promise<Faults>;
  setFaults(change: Partial<Faults>): Promise<Faults>;
  clearFaults(): Promise<Faults>;
}

export interface BookStatus {
  balance_usdc: string;
  /** Margin of filled hedges. */
  margin_in_use_usdc: string;
  /** Margin and fees of orders in flight. */
  reserved_usdc: string;
  /** The counterparty: minus the sum of the three above. */
  house_usdc: string;
  open_exposure_usd: string;
  available_exposure_usd: string;
  unrealized_pnl_usd: string;
  hedges: Record<PracticeHedgeStatus, number>;
  orders_in_flight: number;
}

export interface PracticeStatus {
  book_id: string;
  book_time: string;
  wall_time: string;
  /** How far book time is ahead of wall time. */
  ahead_ms: number;
  /** `manual`: book time moves only when it is advanced. */
  clock: 'wall' | 'manual';
  store: string;
  books: Record<PracticeEnvironment, BookStatus>;
  faults: Faults;
  settings: PracticeSettings;
}

export interface AdvanceSummary {
  from: string;
  to: string;
  advanced_ms: number;
  environments: Record<PracticeEnvironment, { events: BookEvent[]; balance_usdc: string }>;
}

export interface AdminContext extends BookContext {
  clock: PracticeClock;
  store: string;
  settings: PracticeSettings;
  faults: FaultStore;
}

const LONGEST_ADVANCE = 366 * 86_400_000;
const LARGEST_BALANCE = 1_000_000_000;

export function makeAdmin(context: AdminContext): PracticeAdmin {
  return {
    status: async () => context.db.transaction(() => status(context)),
    async reset(options = {}) {
      const opening =
        options.balance === undefined ? context.terms.openingBalance : parseBalance(options.balance);
      const { bookId } = bookTime(context.db, context.clock.now());
      return context.db.transaction(() => {
        // The ID of a book never comes again, but the sequence of a seed does.
        context.random.restart?.(`after ${bookId}`);
        seedBook(context.db, context.random, opening);
        restartSequence(context);
        return status(context);
      });
    },
    async advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 1 || ms > LONGEST_ADVANCE) {
        throw new PracticeInputError('duration', 'Book time can move ahead by 1 ms to 366 days at a time.');
      }
      return context.db.transaction(() => advance(context, ms));
    },
    faults: async () => context.faults.current(context.db),
    setFaults: async (change) => context.faults.set(context.db, change),
    clearFaults: async () => context.faults.clear(context.db),
  };
}

/** A seeded book draws the same after the same records, and never an ID that it holds. */
export function restartSequence({ db, random }: Pick<AdminContext, 'db' | 'random'>): void {
  const row = db.get(
    'SELECT (SELECT COALESCE(MAX(seq), 0) FROM hedges) + (SELECT COALESCE(MAX(seq), 0) FROM orders) AS count',
  );
  random.restart?.(`book of ${row === undefined ? 0 : integerColumn(row, 'count')}`);
}

function parseBalance(written: string): bigint {
  const balance = /^\d+(\.\d+)?$/.test(written) ? decimalOf(written, MONEY_DECIMALS) : undefined;
  if (balance === undefined || balance > BigInt(LARGEST_BALANCE) * 1_000_000n) {
    throw new PracticeInputError(
      'balance',
      'The opening balance is an amount of USDC from 0 to 1000000000 with at most 6 decimals.',
    );
  }
  return balance;
}

function advance(context: AdminContext, ms: number): AdvanceSummary {
  const before = bookTime(context.db, context.clock.now());
  advanceBookTime(context.db, ms);
  const to = before.now + ms;
  const environments = forEachEnvironment((environment) => {
    const events = processDueEvents(context, environment, to);
    return { events, balance_usdc: moneyText(readAccounts(context.db, environment).balance) };
  });
  saveBookTime(context.db, to);
  return { from: isoTime(before.now), to: isoTime(to), advanced_ms: ms, environments };
}

function status(context: AdminContext): PracticeStatus {
  const wallNow = context.clock.now();
  const time = bookTime(context.db, wallNow);
  for (const environment of PRACTICE_ENVIRONMENTS) processDueEvents(context, environment, time.now);
  saveBookTime(context.db, time.now);
  return {
    book_id: time.bookId,
    book_time: isoTime(time.now),
    wall_time: isoTime(wallNow),
    ahead_ms: time.aheadMs,
    clock: time.manual ? 'manual' : 'wall',
    store: context.store,
    books: forEachEnvironment((environment) => bookStatus(context, environment, time.now)),
    faults: context.faults.current(context.db),
    settings: context.settings,
  };
}

function bookStatus(context: AdminContext, environment: PracticeEnvironment, now: number): BookStatus {
  const accounts = readAccounts(context.db, environment);
  const positions = positionsAt(context, environment, now);
  return {
    balance_usdc: moneyText(accounts.balance),
    margin_in_use_usdc: moneyText(accounts.margin),
    reserved_usdc: moneyText(accounts.reserved),
    house_usdc: moneyText(accounts.house),
    open_exposure_usd: moneyText(grossExposure(context.db, environment)),
    available_exposure_usd: moneyText(availableExposure({ ...context, environment })),
    unrealized_pnl_usd: moneyText(sumOf(positions.map((position) => position.net))),
    hedges: hedgeCounts(context, environment),
    orders_in_flight: ordersInFlight(context.db, environment).length,
  };
}

function hedgeCounts(
  context: AdminContext,
  environment: PracticeEnvironment,
): Record<PracticeHedgeStatus, number> {
  const rows = context.db.all(
    'SELECT status, COUNT(*) AS count FROM hedges WHERE environment = ? GROUP BY status',
    environment,
  );
  const counts: Record<PracticeHedgeStatus, number> = { submitted: 0, filled: 0, failed: 0, closed: 0 };
  for (const row of rows)
    counts[enumColumn(row, 'status', PRACTICE_HEDGE_STATUSES)] = integerColumn(row, 'count');
  return counts;
}

function forEachEnvironment<T>(
  read: (environment: PracticeEnvironment) => T,
): Record<PracticeEnvironment, T> {
  return { live: read('live'), test: read('test') };
}
