/** The public functions and types of the practice service. */
import { join } from 'node:path';
import { makeAdmin, type PracticeAdmin } from './admin.ts';
import { bookTime } from './book/transaction-context.ts';
import { BOOK_NAME, type KeyPair, makeKeyring } from './control/keyring.ts';
import { DEFAULT_BOOK, PracticeInputError, wrongField } from './domain/practice-types.ts';
import { newToken } from './domain/random-ids.ts';
import type { Faults } from './faults/fault-settings.ts';
import { makeRequestLog, type RequestLogEntry } from './http/request-log.ts';
import { basePathOf, listen } from './http/server.ts';
import { type BookModes, type OpenBook, openBook, type PracticeAdminOptions } from './open-book.ts';
import { makePageAccess } from './page/page-access.ts';
import { parseSettings, settingsIn } from './settings.ts';
import { storeErrorOf } from './store/database.ts';
import { DATABASE_NAME } from './store/open-store.ts';
import {
  type AuthorityFile,
  type IdentityOptions,
  newIdentity,
  storeAuthority,
  storedIdentity,
  temporaryAuthority,
  writeAuthority,
} from './store/service-identity.ts';

/** `store`: folder of the database, and the certificate; created with mode 0700, files 0600. In memory it is not touched. */
export interface PracticeOptions
  extends PracticeAdminOptions,
    Omit<BookModes, 'settings'>,
    Pick<IdentityOptions, 'certificates'> {
  /** A loopback address. Default: 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Called once per request, before its response is sent or lost. Never gets an API key. */
  onRequest?: (entry: RequestLogEntry) => void;
  /** Override the stored faults, for this service only. */
  faults?: Partial<Faults>;
  /** Names of further books; the default book is always there. */
  books?: readonly string[];
  /** File of all keys: read if it exists, otherwise written. Default: the keys of the stores. */
  keysFile?: string | undefined;
  /** A file for the CA certificate, which every user can read. Default: in the store or in a temporary folder. */
  caFile?: string | undefined;
  /** Settings of new books: a document of GET /settings, or a part of one. Default: the defaults. */
  settings?: unknown;
}

/** A book with its address. */
export interface BookAddress {
  name: string;
  /** Base URL, e.g. `https://127.0.0.1:41234/practice/v2`. */
  url: string;
  keys: KeyPair;
}

export interface PracticeService extends Omit<BookAddress, 'name'> {
  /** PEM of the certificate authority that clients must trust. */
  ca: string;
  /** File of that PEM. */
  caFile: string;
  /** The control API. */
  control: { url: string; key: string };
  /** A link to the page, which works once. */
  pageUrl: string;
  /** The further books, in the order of their names. */
  books: readonly BookAddress[];
  /** Changes with a reset by any process. */
  readonly bookId: string;
  admin: PracticeAdmin;
  close(): Promise<void>;
}

export type { PracticeAdmin, PracticeStatus, VersionedSettings } from './admin.ts';

export type { BookEvent } from './book/execute-order.ts';
export type { PracticeClock, PracticeRandom } from './domain/practice-types.ts';
export { PracticeInputError, PracticeStoreError } from './domain/practice-types.ts';
export type { Faults } from './faults/fault-settings.ts';
export { describeFaults } from './faults/fault-words.ts';
export type { RequestLogEntry } from './http/request-log.ts';
export type { AdvanceSummary, BookStatus } from './schemas/status-schemas.ts';
export { type PracticeSettings, parseSettings, type SettingChange } from './settings.ts';
export { type Certificates, makeCertificates } from './store/service-identity.ts';

/** Listens on loopback until it is closed. */
export async function startPracticeService(options: PracticeOptions): Promise<PracticeService> {
  const opened = new Map<string, OpenBook>();
  const adding = new Set<string>();
  const closing: (() => Promise<void> | void)[] = [() => opened.forEach((book) => book.close())];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const { memory = false, settings: given, ...rest } = options;
    const settings = given === undefined ? {} : { settings: parseSettings(settingsIn(given)) };
    const modes = { ...rest, ...settings, memory };
    const first = await openBook({ ...modes, name: DEFAULT_BOOK });
    opened.set(DEFAULT_BOOK, first);
    const identity = memory ? await newIdentity(options) : await storedIdentity(first.db, options);
    const authority = await authorityFile(options, identity.authorityPem);
    closing.push(() => authority.remove());
    // A new book begins with the settings of the first. The faults of `serve` are those of each.
    const shared = memory ? modes : { ...modes, settings: first.settings.current(first.db).settings };
    for (const name of bookNames(options.books ?? [])) opened.set(name, await openBook({ ...shared, name }));
    const keys = await makeKeyring([...opened.values()], options);
    const log = makeRequestLog();
    const served = (book: OpenBook) => ({ name: book.name, service: { ...book, keys: keys.of(book) } });
    const secretsOf = (books: readonly OpenBook[]): string[] => [
      keys.control,
      ...books.flatMap((book) => Object.values(keys.of(book))),
    ];
    const access = makePageAccess(() => newToken(options.random));
    const listening = await listen(served(first), {
      identity,
      host: options.host,
      port: options.port,
      log,
      onRequest: options.onRequest,
      control: {
        // Slow to load, and most services are never controlled.
        largestBody: async (head) =>
          (await import('./control/handle-control.ts')).largestBody(keys.control, head),
        handle: async (raw) => (await import('./control/handle-control.ts')).handleControl(context, raw),
      },
      front: async (head) => (await import('./page/front.ts')).frontResponse(context, access, head),
    });
    closing.push(() => listening.close());
    const { origin, controlUrl } = listening;
    const urlOf = (name: string): string => `${origin}${basePathOf(name)}`;
    const named = (book: OpenBook): BookAddress => ({
      name: book.name,
      url: urlOf(book.name),
      keys: keys.of(book),
    });
    const context = {
      books: opened,
      key: keys.control,
      log,
      addressOf: named,
      async addBook(name: string) {
        const [checked = ''] = bookNames([name]);
        if (opened.has(checked) || adding.has(checked))
          throw wrongField('name', `there is a book ${checked} already`);
        adding.add(checked);
        const book = await openBook({ ...shared, name: checked }).finally(() => adding.delete(checked));
        opened.set(checked, book);
        listening.add(served(book));
        return book;
      },
      removeBook(name: string) {
        const book = opened.get(name);
        listening.remove(name);
        opened.delete(name);
        log.forget(name);
        book?.close();
      },
      pageUrl: () => `${origin}/?token=${access.issue()}`,
      withoutSecrets: (text: string) =>
        secretsOf([...opened.values()]).reduce((so, secret) => so.replaceAll(secret, '[API key]'), text),
      origin,
      controlUrl,
      urlOf,
    };
    for (const book of opened.values()) if (book !== first) listening.add(served(book));
    return {
      ...named(first),
      ca: identity.authorityPem,
      caFile: authority.path,
      control: { url: controlUrl, key: keys.control },
      pageUrl: context.pageUrl(),
      books: [...opened.values()].slice(1).map(named),
      get bookId() {
        return bookTime(first.db, 0).bookId;
      },
      admin: makeAdmin(first),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw storeErrorOf(join(options.store, DATABASE_NAME), error) ?? error;
  }
}

async function authorityFile(options: PracticeOptions, pem: string): Promise<AuthorityFile> {
  const { caFile, memory, store, random } = options;
  const stored = memory === true ? undefined : await storeAuthority(store, pem, random);
  if (caFile !== undefined) return writeAuthority(caFile, pem, random);
  return stored ?? temporaryAuthority(pem);
}

/** Administration without a server. */
export async function openPracticeAdmin(
  options: PracticeAdminOptions,
): Promise<PracticeAdmin & { close(): Promise<void> }> {
  const opened = await openBook(options);
  return { ...makeAdmin(opened), close: async () => opened.close() };
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
