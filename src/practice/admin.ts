/** Administration of the practice books: status, reset, advance, faults. Needs no running server. */
import { availableExposure, grossExposure, positionsAt, readAccounts, seedBook } from './book/accounts.ts';
import { batchEnd, bringToNow, catchUp, processBooks } from './book/bring-to-now.ts';
import type { BookEvent } from './book/execute-order.ts';
import { marketsInUse } from './book/side-sums.ts';
import { countOrdersInFlight } from './book/stored-records.ts';
import {
  advanceBookTime,
  type BookContext,
  bookContext,
  bookTime,
  isoTime,
  type OpenedBook,
} from './book/transaction-context.ts';
import {
  PRACTICE_HEDGE_STATUSES,
  type PracticeEnvironment,
  type PracticeHedgeStatus,
  PracticeInputError,
} from './domain/practice-types.ts';
import { decimalOf, MONEY_DECIMALS, moneyText, sumOf } from './domain/scaled-decimals.ts';
import { type Faults, noFaults } from './faults/fault-settings.ts';
import type { FaultStore } from './faults/fault-store.ts';
import { describeFaults } from './faults/fault-words.ts';
import type { AdvanceSummary, BookStatus } from './schemas/status-schemas.ts';
import { changeSettings, type PracticeSettings, type SettingChange } from './settings.ts';
import { saveSettings } from './settings-store.ts';
import { clearPricePaths, pricePaths, stopManualClock } from './store/control-tables.ts';
import { enumColumn, integerColumn } from './store/database.ts';

export type PracticeAdmin = ReturnType<typeof makeAdmin>;

export interface VersionedSettings {
  version: number;
  settings: PracticeSettings;
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
  /** In sentences; none without faults. */
  faults_in_words: string[];
  /** The markets with prices that a program set. */
  price_paths: string[];
  settings_version: number;
  settings: PracticeSettings;
}

export interface AdminContext extends OpenedBook {
  name: string;
  store: string;
  faults: FaultStore;
  /** The settings that the service started with. */
  initialSettings: PracticeSettings;
}

const LONGEST_ADVANCE = 366 * 86_400_000;
const LARGEST_BALANCE = 1_000_000_000;

export function makeAdmin(context: AdminContext) {
  return {
    async status(): Promise<PracticeStatus> {
      catchUp(context);
      return context.db.transaction(() => status(context));
    },
    /**
     * Empties both accounts under a new book ID; book time begins again. Keys are kept, and unless `all` is set faults,
     * settings and price paths. `usualMarket` ends what a service may have left: price paths, and a manual clock.
     */
    async reset(
      options: { balance?: string; all?: boolean; usualMarket?: boolean } = {},
    ): Promise<PracticeStatus> {
      const opening = options.balance === undefined ? undefined : parseBalance(options.balance);
      return context.db.transaction(() => {
        const { db, faults, initialSettings } = context;
        const { bookId, wallNow } = bookTime(db, context.clock.now());
        // The ID of a book never comes again, but the sequence of a seed does.
        context.random.restart?.(`after ${bookId}`);
        if (options.all === true) {
          faults.restore(db);
          saveSettings(db, initialSettings);
        }
        if (options.all === true || options.usualMarket === true) clearPricePaths(db);
        if (options.usualMarket === true) stopManualClock(db, wallNow);
        seedBook(db, context.random, opening ?? context.settings.current(db).terms.openingBalance);
        restartSequence(context);
        return status(context);
      });
    },
    /** Moves book time ahead; everything due is executed at its own time. */
    async advance(ms: number): Promise<AdvanceSummary> {
      if (!Number.isSafeInteger(ms) || ms < 1 || ms > LONGEST_ADVANCE) {
        throw new PracticeInputError('duration', 'Book time can move ahead by 1 ms to 366 days at a time.');
      }
      catchUp(context);
      return advance(context, ms);
    },
    faults: async () => context.faults.current(context.db),
    setFaults: async (change: Partial<Faults>) => context.faults.set(context.db, change),
    clearFaults: async () => context.faults.replace(context.db, noFaults),
    settings: async () => context.db.transaction(() => versionedSettings(context)),
    /** For every process and all later hedges; open hedges keep their terms. */
    changeSettings: async (changes: readonly SettingChange[]) =>
      withSettings(context, (settings) => changeSettings(settings, changes)),
    /** Returns to the initial settings. */
    restoreSettings: async () => withSettings(context, () => context.initialSettings),
  };
}

/** A seeded book draws the same after the same records, and never an ID that it holds. */
export function restartSequence({ db, random }: Pick<AdminContext, 'db' | 'random'>): void {
  const row = db.get(
    'SELECT (SELECT COALESCE(MAX(seq), 0) FROM hedge_records) + (SELECT COALESCE(MAX(seq), 0) FROM orders) AS count',
  );
  random.restart?.(`book of ${integerColumn(row, 'count')}`);
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

function versionedSettings({ db, settings }: OpenedBook): VersionedSettings {
  const { terms, settings: inForce } = settings.current(db);
  return { version: terms.version, settings: inForce };
}

function withSettings(
  context: AdminContext,
  changed: (settings: PracticeSettings) => PracticeSettings,
): VersionedSettings {
  catchUp(context);
  return context.db.transaction(() => {
    replaceSettings(context, changed(context.settings.current(context.db).settings));
    return versionedSettings(context);
  });
}

/** Events due by now happen under the old settings. Inside a transaction. */
function replaceSettings(context: AdminContext, settings: PracticeSettings): void {
  bringToNow(context);
  const missing = marketsInUse(context.db).find((market) => !Object.hasOwn(settings.markets, market));
  if (missing !== undefined) {
    throw new PracticeInputError(
      `markets.${missing}`,
      `The settings have no market ${missing}, but the book has hedges on it. Add the market again.`,
    );
  }
  saveSettings(context.db, settings);
}

const MOST_EVENTS = 500;

/** In batches: each moves book time by a part of `ms`, so that other processes see a whole book in between. */
function advance(context: AdminContext, ms: number): AdvanceSummary {
  const { db } = context;
  const events: Record<PracticeEnvironment, BookEvent[]> = { live: [], test: [] };
  const counts = { live: 0, test: 0 };
  const record = (environment: PracticeEnvironment, event: BookEvent): void => {
    const latest = events[environment];
    latest.push(event);
    counts[environment] += 1;
    if (latest.length > 2 * MOST_EVENTS) latest.splice(0, MOST_EVENTS);
  };
  const step = (left: number): { from: number; to: number } => {
    const { now: from, wallNow } = bookTime(db, context.clock.now());
    const to = Math.max(from, batchEnd(db, from + left));
    advanceBookTime(db, to - from);
    processBooks(bookContext(context), { now: to, wallNow }, record);
    return { from, to };
  };
  const first = db.transaction(() => step(ms));
  let { to } = first;
  for (let left = ms - (to - first.from); left > 0; ) {
    const next = db.transaction(() => step(left));
    ({ to } = next);
    left -= to - next.from;
  }
  const environments = forEachEnvironment((environment) => ({
    events: events[environment].slice(-MOST_EVENTS),
    event_count: counts[environment],
    balance_usdc: moneyText(readAccounts(db, environment).balance),
  }));
  return { from: isoTime(first.from), to: isoTime(to), advanced_ms: ms, environments };
}

function status(context: AdminContext): PracticeStatus {
  const time = bringToNow(context);
  const book = bookContext(context);
  const { version, settings } = versionedSettings(context);
  const faults = context.faults.current(context.db);
  return {
    book_id: time.bookId,
    book_time: isoTime(time.now),
    wall_time: isoTime(time.wallNow),
    ahead_ms: time.now - time.wallNow,
    clock: time.manual ? 'manual' : 'wall',
    store: context.store,
    books: forEachEnvironment((environment) => bookStatus(book, environment, time.now)),
    faults,
    faults_in_words: describeFaults(faults),
    price_paths: [...pricePaths(context.db).keys()],
    settings_version: version,
    settings,
  };
}

function bookStatus(context: BookContext, environment: PracticeEnvironment, now: number): BookStatus {
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
    orders_in_flight: countOrdersInFlight(context.db, environment),
  };
}

function hedgeCounts(
  context: BookContext,
  environment: PracticeEnvironment,
): Record<PracticeHedgeStatus, number> {
  const rows = context.db.all(
    'SELECT status, COUNT(*) AS count FROM hedge_records WHERE environment = ? GROUP BY status',
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
