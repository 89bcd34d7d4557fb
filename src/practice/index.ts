/** The public functions and types of the practice service. */
import { join } from 'node:path';
import { makeAdmin, type PracticeAdmin } from './admin.ts';
import { bookTime } from './book/transaction-context.ts';
import { BOOK_NAME, DEFAULT_BOOK, makeKeyring } from './control/keyring.ts';
import { makeRequestJournal } from './control/request-journal.ts';
import { PracticeInputError } from './domain/practice-types.ts';
import type { Faults } from './faults.ts';
import type { RequestLogEntry } from './http/request-log.ts';
import { listen } from './http/server.ts';
import { type BookModes, type OpenBook, openBook, type PracticeAdminOptions } from './open-book.ts';
import { storeErrorOf } from './store/database.ts';
import { DATABASE_NAME } from './store/open-store.ts';
import { ensureIdentity, type ServiceIdentityOptions } from './store/service-identity.ts';

/** `store`: folder of the database, and the certificate; created with mode 0700, files 0600. */
export interface PracticeOptions
  extends PracticeAdminOptions,
    BookModes,
    Pick<ServiceIdentityOptions, 'certificates'> {
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
export type { RequestLogEntry } from './http/request-log.ts';
export type { PracticeSettings, SettingChange } from './settings.ts';

/** Listens on loopback until it is closed. */
export async function startPracticeService(options: PracticeOptions): Promise<PracticeService> {
  const opened: OpenBook[] = [];
  const closeBooks = () => {
    for (const book of opened) book.close();
  };
  try {
    const names = [DEFAULT_BOOK, ...bookNames(options.books ?? [])];
    const stored = await openStoredBook(options);
    if (options.memory !== true) opened.push(stored);
    const identity = await ensureIdentity(stored.db, options);
    const { settings } = stored.settings.current(stored.db);
    if (options.memory === true) stored.close();
    // The faults of `serve` are those of every book.
    for (const name of names.slice(opened.length))
      opened.push(await openBook({ ...options, settings, name }));
    const [first] = opened;
    if (first === undefined) throw new Error('The practice service has no book.');
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
        control: {
          // Slow to load, and most services are never controlled.
          largestBody: async (head) =>
            (await import('./control/handle-control.ts')).largestBody(keys.control, head),
          async handle(raw) {
            const { handleControl } = await import('./control/handle-control.ts');
            return handleControl({ books: opened, key: keys.control, journal }, raw);
          },
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

/** Books in memory have their certificate and settings from the stored one, so that clients keep trusting it. */
function openStoredBook(options: PracticeOptions): Promise<OpenBook> {
  const { clock, random, store } = options;
  return openBook(options.memory === true ? { clock, random, store } : options);
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
