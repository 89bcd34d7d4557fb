/** The public functions and types of the practice service. */
import { join } from 'node:path';
import { type AdminContext, makeAdmin, type PracticeAdmin, replaceSettings } from './admin.ts';
import { seedBook } from './book/accounts.ts';
import { rebuildSums, stampAllHedges } from './book/migrate.ts';
import { bookTime } from './book/transaction-context.ts';
import {
  type PracticeClock,
  PracticeInputError,
  type PracticeRandom,
  PracticeStoreError,
} from './domain/practice-types.ts';
import { applyFaultChange, encodeFaults, type Faults, makeFaultStore, noFaults } from './faults.ts';
import { listen, type RequestLogEntry } from './http/server.ts';
import { defaultSettings, type PracticeSettings, toBookTerms } from './settings.ts';
import { makeSettingsStore, readSettingsFile, saveSettings } from './settings-store.ts';
import { type Database, storeErrorOf } from './store/database.ts';
import { DATABASE_NAME, openStore } from './store/open-store.ts';
import { ensureIdentity, readServiceKeys } from './store/service-identity.ts';

export interface PracticeOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  /** Folder of the database and the certificate; created with mode 0700, files 0600. */
  store: string;
  /** A loopback address. Default: 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Called once per request, before its response is sent or lost. Never gets an API key. */
  onRequest?: (entry: RequestLogEntry) => void;
  /** Override the stored faults, for this service only. */
  faults?: Partial<Faults>;
}

export interface PracticeService {
  /** Base URL, e.g. `https://127.0.0.1:41234/practice/v2`. */
  url: string;
  /** PEM of the certificate authority that clients must trust. */
  ca: string;
  /** File of that PEM. */
  caFile: string;
  keys: { live: string; test: string };
  /** Changes with a reset by any process. */
  readonly bookId: string;
  admin: PracticeAdmin;
  close(): Promise<void>;
}

export interface PracticeAdminOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  store: string;
}

export type {
  AdvanceSummary,
  BookStatus,
  PracticeAdmin,
  PracticeStatus,
  VersionedSettings,
} from './admin.ts';
export type { BookEvent } from './book/execute-order.ts';
export type { PracticeClock, PracticeRandom } from './domain/practice-types.ts';
export { PracticeInputError, PracticeStoreError } from './domain/practice-types.ts';
export type { Faults } from './faults.ts';
export type { RequestLogEntry } from './http/server.ts';
export type { PracticeSettings, SettingChange } from './settings.ts';

/** Listens on loopback until it is closed. */
export async function startPracticeService(options: PracticeOptions): Promise<PracticeService> {
  const opened = await openBook(options, options.faults);
  try {
    const identity = await ensureIdentity(opened.db, options);
    const listening = await listen(
      { ...opened, keys: readServiceKeys(opened.db) },
      { identity, host: options.host, port: options.port, onRequest: options.onRequest },
    );
    return {
      url: listening.url,
      ca: identity.authorityPem,
      caFile: identity.caFile,
      keys: identity.keys,
      get bookId() {
        return bookTime(opened.db, 0).bookId;
      },
      admin: makeAdmin(opened),
      async close() {
        await listening.close();
        opened.db.close();
      },
    };
  } catch (error) {
    opened.db.close();
    throw storeErrorOf(join(options.store, DATABASE_NAME), error) ?? error;
  }
}

/** Administration without a server. */
export async function openPracticeAdmin(
  options: PracticeAdminOptions,
): Promise<PracticeAdmin & { close(): Promise<void> }> {
  const opened = await openBook(options);
  return { ...makeAdmin(opened), close: async () => opened.db.close() };
}

async function openBook(options: PracticeAdminOptions, faults?: Partial<Faults>): Promise<AdminContext> {
  const { clock, random, store } = options;
  const file = await readSettingsFile(store);
  const given = file?.settings ?? defaultSettings;
  const firstTerms = toBookTerms(given, 1);
  const db = await openStore({
    store,
    random,
    initialFaults: encodeFaults(noFaults),
    seed(created) {
      saveSettings(created, given, 0);
      seedBook(created, random, firstTerms.openingBalance);
    },
    migrate(migrated) {
      saveSettings(migrated, given, 0);
      stampAllHedges(migrated, firstTerms);
      rebuildSums(migrated);
    },
  });
  try {
    const settings = makeSettingsStore();
    const marketsOf = (opened: Database) => new Set(settings.current(opened).terms.markets.keys());
    // Reports a wrong option of `serve` before it serves.
    if (faults !== undefined) {
      const markets = db.reading(() => marketsOf(db));
      applyFaultChange(noFaults, faults, markets);
    }
    const opened = { db, random, clock, store, settings, faults: makeFaultStore(marketsOf, faults) };
    if (file !== undefined) {
      importSettings(opened, file.settings);
      await file.setAside();
    }
    return opened;
  } catch (error) {
    db.close();
    throw error;
  }
}

function importSettings(opened: AdminContext, settings: PracticeSettings): void {
  try {
    opened.db.transaction(() => replaceSettings(opened, settings));
  } catch (error) {
    if (!(error instanceof PracticeInputError)) throw error;
    const message = `The practice settings in ${opened.store} cannot be used. ${error.message}`;
    throw new PracticeStoreError(opened.store, message, { cause: error });
  }
}
