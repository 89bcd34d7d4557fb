/** Opens a book for the service or for administration: its store, terms, clock, randomness and faults. */
import { join } from 'node:path';
import { type AdminContext, restartSequence } from './admin.ts';
import { seedBook } from './book/accounts.ts';
import { marketsInUse } from './book/stored-records.ts';
import { bookTime, isoTime } from './book/transaction-context.ts';
import { DEFAULT_BOOK } from './control/keyring.ts';
import { clockOfBook, seededRandom } from './control/seeded-random.ts';
import {
  type PracticeClock,
  PracticeInputError,
  type PracticeRandom,
  PracticeStoreError,
} from './domain/practice-types.ts';
import { encodeFaults, type Faults, makeFaultStore, noFaults } from './faults.ts';
import { type LoadedSettings, loadSettings } from './settings.ts';
import { startManualClock, stopManualClock } from './store/control-tables.ts';
import { type Database, storeErrorOf } from './store/database.ts';
import { DATABASE_NAME, openMemoryStore, openStore } from './store/open-store.ts';

export interface PracticeAdminOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  store: string;
}

/** How `practice serve` runs its books. */
export interface BookModes {
  /** IDs, fill times and fault draws follow from it. */
  seed?: number;
  /** Default: as the book has it. `wall` ends a manual clock. */
  clockMode?: 'wall' | 'manual';
  /** Book time to begin at. */
  startAt?: number;
  /** Nothing is stored. */
  memory?: boolean;
  /** False: no rate limit. Default: a limit, but none with a manual clock. */
  rateLimit?: boolean;
  /** Exact time from submission to fill. */
  fillAfterMs?: number;
}

export interface OpenBook extends AdminContext {
  name: string;
  rateLimited: boolean;
  close(): void;
}

/** 2026-12-01T08:00Z */
const MANUAL_START = Date.UTC(2026, 11, 1, 8);

/** Each other book has a folder of its own; all share the settings. */
export function folderOfBook(store: string, name: string): string {
  return name === DEFAULT_BOOK ? store : join(store, 'books', name);
}

export async function openBook(
  options: PracticeAdminOptions & BookModes & { name?: string; faults?: Partial<Faults> | undefined },
): Promise<OpenBook> {
  const { name = DEFAULT_BOOK, store, clock: machine } = options;
  const { settings, terms } = withFillTime(await loadSettings(store), options.fillAfterMs);
  const faults = makeFaultStore(new Set(terms.markets.keys()), options.faults);
  const random = options.seed === undefined ? options.random : seededRandom(`${options.seed} ${name}`);
  const making = {
    random: options.random,
    initialFaults: encodeFaults(noFaults),
    seed: (created: Database) => seedBook(created, random, terms.openingBalance),
  };
  const folder = folderOfBook(store, name);
  const memory = options.memory === true;
  const db = memory ? openMemoryStore(making) : await openStore({ ...making, store: folder });
  try {
    const missing = db.transaction(() => marketsInUse(db)).find((market) => !terms.markets.has(market));
    if (missing !== undefined) {
      throw new PracticeStoreError(
        store,
        `The practice settings in ${store} have no market ${missing}, but the book has hedges on it. Add the market again.`,
      );
    }
    beginTime(db, options, machine.now());
    restartSequence({ db, random });
  } catch (error) {
    db.close();
    throw storeErrorOf(join(folder, DATABASE_NAME), error) ?? error;
  }
  const manual = options.clockMode === 'manual';
  return {
    name,
    db,
    terms,
    settings,
    faults,
    random,
    store: folder,
    clock: manual ? clockOfBook(db, machine) : machine,
    rateLimited: options.rateLimit ?? !manual,
    close() {
      if (manual && !memory) stopManualClock(db, machine.now());
      db.close();
    },
  };
}

function withFillTime({ settings, terms }: LoadedSettings, ms: number | undefined): LoadedSettings {
  if (ms === undefined) return { settings, terms };
  const seconds = ms / 1_000;
  return {
    settings: { ...settings, fill_seconds: { min: seconds, max: seconds } },
    terms: { ...terms, fillMs: { min: ms, max: ms } },
  };
}

function beginTime(db: Database, { clockMode, startAt }: BookModes, wallNow: number): void {
  const { now, manual } = bookTime(db, 0);
  if (startAt !== undefined && startAt < now) {
    throw new PracticeInputError(
      'start',
      `The book is at ${isoTime(now)} already: start later, reset it, or keep it in memory.`,
    );
  }
  if (clockMode === 'wall' && manual) stopManualClock(db, wallNow);
  if (clockMode === 'manual') startManualClock(db, startAt ?? MANUAL_START);
  else if (startAt !== undefined) db.run('UPDATE book SET ahead_ms = ?', startAt - Math.floor(wallNow));
}
