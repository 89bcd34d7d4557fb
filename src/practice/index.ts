/** The public functions and types of the practice service. */
import { join } from 'node:path';
import { makeAdmin, type PracticeAdmin } from './admin.ts';
import { bookTime } from './book/transaction-context.ts';
import { BOOK_NAME, DEFAULT_BOOK, makeKeyring } from './control/keyring.ts';
import { makeRequestJournal } from './control/request-journal.ts';
import { PracticeInputError } from './domain/practice-types.ts';
import type { Faults } from './faults.ts';
import { listen, type RequestLogEntry } from './http/server.ts';
import { type BookModes, type OpenBook, openBook, type PracticeAdminOptions } from './open-book.ts';
import { type Database, storeErrorOf } from './store/database.ts';
import { DATABASE_NAME } from './store/open-store.ts';
import { ensureIdentity } from './store/service-identity.ts';

/** `store`: folder of the database, the certificate and `settings.json`; created with mode 0700, files 0600. */
export interface PracticeOptions extends PracticeAdminOptions, BookModes {
  /** A loopback address. Default: 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Called once per request, before its response is sent or lost. Never gets an API key. */
  onRequest?: (entry: RequestLogEntry) => void;
  /** Override the stored faults, for this service only. */
  faults?: Partial<Faults>;
  /** Names of further books; the default book is always there. */
  books?: readonly string[];
  /** File of all keys: read if it exists, otherwise written. Default: the keys of the stores. */
  keysFile?: string;
}

export interface PracticeService {
  /** Base URL, e.g. `https://127.0.0.1:41234/practice/v2`. */
  url: string;
  /** PEM of the certificate authority that clients must trust. */
  ca: string;
  /** File of that PEM. */
  caFile: string;
  keys: { live: string; test: string };
  /** The control API. */
  control: { url: string; key: string };
  /** The further books, in the order of their names. */
  books: readonly { name: string; url: string; keys: { live: string; test: string } }[];
  /** Changes with a reset by any process. */
  readonly bookId: string;
  admin: PracticeAdmin;
  close(): Promise<void>;
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
  const opened: OpenBook[] = [];
  const closeBooks = () => {
    for (const book of opened) book.close();
  };
  try {
    const names = [DEFAULT_BOOK, ...bookNames(options.books ?? [])];
    for (const name of names) opened.push(await openNamed(options, name));
    const [first] = opened;
    if (first === undefined) throw new Error('The practice service has no book.');
    const identity = await withIdentityStore(options, first.db, (db) => ensureIdentity(db, options));
    const keys = await makeKeyring(opened, options);
    const journal = makeRequestJournal();
    const listening = await listen(
      opened.map((book) => ({ name: book.name, service: { ...book, keys: keys.of(book.name) } })),
      {
        identity,
        host: options.host,
        port: options.port,
        onRequest(entry) {
          journal.add(entry);
          options.onRequest?.(entry);
        },
        async control(raw) {
          // Slow to load, and most services are never controlled.
          const { handleControl } = await import('./control/handle-control.ts');
          return handleControl({ books: opened, key: keys.control, journal }, raw);
        },
      },
    );
    return {
      url: listening.urlOf(DEFAULT_BOOK),
      ca: identity.authorityPem,
      caFile: identity.caFile,
      keys: keys.of(DEFAULT_BOOK),
      control: { url: listening.controlUrl, key: keys.control },
      books: names.slice(1).map((name) => ({ name, url: listening.urlOf(name), keys: keys.of(name) })),
      get bookId() {
        return bookTime(first.db, 0).bookId;
      },
      admin: makeAdmin(first),
      async close() {
        await listening.close();
        closeBooks();
      },
    };
  } catch (error) {
    closeBooks();
    throw storeErrorOf(join(options.store, DATABASE_NAME), error) ?? error;
  }
}

/** Administration without a server. */
export async function openPracticeAdmin(
  options: PracticeAdminOptions,
): Promise<PracticeAdmin & { close(): Promise<void> }> {
  const opened = await openBook(options);
  return { ...makeAdmin(opened), close: async () => opened.close() };
}

function openNamed(options: PracticeOptions, name: string): Promise<OpenBook> {
  // The faults of `serve` are those of every book.
  return openBook({ ...options, name });
}

/** Books in memory have their certificate from the stored one, so that clients keep trusting it. */
async function withIdentityStore<T>(
  options: PracticeOptions,
  db: Database,
  read: (db: Database) => Promise<T>,
): Promise<T> {
  if (options.memory !== true) return read(db);
  const { clock, random, store } = options;
  const stored = await openBook({ clock, random, store });
  try {
    return await read(stored.db);
  } finally {
    stored.close();
  }
}

function bookNames(names: readonly string[]): string[] {
  const sorted = [...new Set(names)].toSorted();
  const wrong = sorted.find((name) => !BOOK_NAME.test(name) || name === DEFAULT_BOOK);
  if (wrong === undefined) return sorted;
  throw new PracticeInputError(
    'books',
    'The name of a book is 1 to 32 small letters, digits and hyphens; not default, and not a version like v2.',
  );
}
