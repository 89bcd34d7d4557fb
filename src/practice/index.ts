/** The public functions and types of the practice service. */
import { join } from 'node:path';
import { type AdminContext, makeAdmin, type PracticeAdmin } from './admin.ts';
import { seedBook } from './book/accounts.ts';
import { marketsInUse } from './book/stored-records.ts';
import { bookTime } from './book/transaction-context.ts';
import { type PracticeClock, type PracticeRandom, PracticeStoreError } from './domain/practice-types.ts';
import { encodeFaults, type Faults, makeFaultStore, noFaults } from './faults.ts';
import { listen, type RequestLogEntry } from './http/server.ts';
import { loadSettings } from './settings.ts';
import { storeErrorOf } from './store/database.ts';
import { DATABASE_NAME, openStore } from './store/open-store.ts';
import { ensureIdentity, readServiceKeys } from './store/service-identity.ts';

export interface PracticeOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  /** Folder of the database, the certificate and `settings.json`; created with mode 0700, files 0600. */
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

export type { AdvanceSummary, BookStatus, PracticeAdmin, PracticeStatus } from './admin.ts';
export type { BookEvent } from './book/execute-order.ts';
export type { PracticeClock, PracticeRandom } from './domain/practice-types.ts';
export { PracticeInputError, PracticeStoreError } from './domain/practice-types.ts';
export type { Faults } from './faults.ts';
export type { RequestLogEntry } from './http/server.ts';
export type { PracticeSettings } from './settings.ts';

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
  const { settings, terms } = await loadSettings(store);
  const faultStore = makeFaultStore(new Set(terms.markets.keys()), faults);
  const db = await openStore({
    store,
    random,
    initialFaults: encodeFaults(noFaults),
    seed: (created) => seedBook(created, random, terms.openingBalance),
  });
  const missing = db.transaction(() => marketsInUse(db)).find((market) => !terms.markets.has(market));
  if (missing !== undefined) {
    db.close();
    throw new PracticeStoreError(
      store,
      `The practice settings in ${store} have no market ${missing}, but the book has hedges on it. Add the market again.`,
    );
  }
  return { db, terms, random, clock, store, settings, faults: faultStore };
}
