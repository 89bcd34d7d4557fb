/** Opens a book for the service or for administration: its store, terms, clock, randomness and faults. */
import { join } from 'node:path';
import { type AdminContext, restartSequence } from './admin.ts';
import { seedBook } from './book/accounts.ts';
import { bookTime, isoTime } from './book/transaction-context.ts';
import { clockOfBook, seededRandom } from './control/seeded-random.ts';
import {
  DEFAULT_BOOK,
  type PracticeClock,
  PracticeInputError,
  type PracticeRandom,
} from './domain/practice-types.ts';
import { applyFaultChange, type Faults, noFaults, rejectIdle } from './faults/fault-settings.ts';
import { encodeFaults, makeFaultStore } from './faults/fault-store.ts';
import { defaultSettings, type PracticeSettings, toTradingConditions } from './settings.ts';
import { makeSettingsStore, saveSettings } from './settings-store.ts';
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
  seed?: number | undefined;
  /** Default: as the book has it. `wall` ends a manual clock. */
  clockMode?: 'wall' | 'manual';
  /** Book time to begin at. */
  startAt?: number | undefined;
  /** Nothing is stored. */
  memory?: boolean;
  /** False: no rate limit. Default: a limit, but none with a manual clock. */
  rateLimit?: boolean | undefined;
  /** Exact time from submission to fill, whatever the settings are. */
  fillAfterMs?: number | undefined;
  /** Settings of a new book. */
  settings?: PracticeSettings;
}

export interface OpenBook extends AdminContext {
  rateLimited: boolean;
  close(): void;
}

/** 2026-12-01T08:00Z */
const MANUAL_START = Date.UTC(2026, 11, 1, 8);

/** Each other book has a folder of its own. */
export function folderOfBook(store: string, name: string): string {
  return name === DEFAULT_BOOK ? store : join(store, 'books', name);
}

export async function openBook(
  options: PracticeAdminOptions & BookModes & { name?: string; faults?: Partial<Faults> | undefined },
): Promise<OpenBook> {
  const { name = DEFAULT_BOOK, clock: machine } = options;
  const folder = folderOfBook(options.store, name);
  const memory = options.memory === true;
  const random = options.seed === undefined ? options.random : seededRandom(`${options.seed} ${name}`);
  const db = await openDatabaseOf(options, { folder, random });
  try {
    const settings = makeSettingsStore(options.fillAfterMs);
    const marketsOf = (opened: Database) => new Set(settings.current(opened).terms.markets.keys());
    // Reports a wrong option of `serve` before it serves.
    if (options.faults !== undefined) rejectIdle(applyFaultChange(noFaults, options.faults, marketsOf(db)));
    const manual = options.clockMode === 'manual';
    const book = {
      name,
      db,
      random,
      settings,
      faults: makeFaultStore(marketsOf, options.faults),
      store: folder,
      initialSettings: options.settings ?? defaultSettings,
      clock: manual ? clockOfBook(db, machine) : machine,
      rateLimited: options.rateLimit ?? !manual,
    };
    beginTime(db, options, machine.now());
    restartSequence({ db, random });
    return {
      ...book,
      close() {
        if (manual && !memory) db.transaction(() => stopManualClock(db, machine.now()));
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw storeErrorOf(join(folder, DATABASE_NAME), error) ?? error;
  }
}

async function openDatabaseOf(
  options: PracticeAdminOptions & BookModes,
  making: { folder: string; random: PracticeRandom },
): Promise<Database> {
  const given = options.settings ?? defaultSettings;
  const fresh = {
    random: options.random,
    initialFaults: encodeFaults(noFaults),
    seed(created: Database) {
      saveSettings(created, given);
      seedBook(created, making.random, toTradingConditions(given, 1).openingBalance);
    },
  };
  if (options.memory === true) return openMemoryStore(fresh);
  return openStore({ ...fresh, store: making.folder });
}

function beginTime(db: Database, { clockMode, startAt }: BookModes, wallNow: number): void {
  const { now, manual } = bookTime(db, 0);
  if (startAt !== undefined && startAt < now) {
    throw new PracticeInputError(
      'start',
      `The book is at ${isoTime(now)} already: start later, reset it, or keep it in memory.`,
    );
  }
  if (clockMode === 'wall' && manual) db.transaction(() => stopManualClock(db, wallNow));
  if (clockMode === 'manual') startManualClock(db, startAt ?? MANUAL_START);
  else if (startAt !== undefined) db.run('UPDATE book SET ahead_ms = ?', startAt - Math.floor(wallNow));
}
