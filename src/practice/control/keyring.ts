/** The keys of all books and of the control API: from the stores, or from a file that the user names. */
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { PracticeInputError, type PracticeRandom, PracticeStoreError } from '../domain/practice-types.ts';
import { newApiKey } from '../domain/random-ids.ts';
import { ensureControlKey } from '../store/control-tables.ts';
import type { Database } from '../store/database.ts';
import { readServiceKeys } from '../store/service-identity.ts';

export interface PracticeKeys {
  control: string;
  /** Throws for a book that is not served. */
  of(book: string): { live: string; test: string };
}

/** The name of the book at `/practice/v2`. */
export const DEFAULT_BOOK = 'default';
/** A folder and a segment of the path; `v2` would look like a version. */
export const BOOK_NAME = /^(?!v\d+$)[a-z0-9][a-z0-9-]{0,31}$/;

const keyOf = (environment: string) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9]{1,32}_${environment}_[A-Za-z0-9]{8,128}$`),
      `must look like hk_${environment}_0123456789`,
    );
const pair = { live: keyOf('live'), test: keyOf('test') };

const keysFile = z.strictObject({
  control: keyOf('control'),
  ...pair,
  books: z.record(z.string().regex(BOOK_NAME), z.strictObject(pair)).default({}),
});

type KeysFile = z.infer<typeof keysFile>;

interface KeyedBook {
  name: string;
  db: Database;
}

/** The first book is the default one; its store has the control key. */
export async function makeKeyring(
  books: readonly KeyedBook[],
  options: { random: PracticeRandom; keysFile?: string },
): Promise<PracticeKeys> {
  const stored = storedKeys(books, options.random);
  if (options.keysFile === undefined) return keyringOf(stored);
  const text = await readKeys(options.keysFile);
  if (text !== undefined) return keyringOf(parseKeys(options.keysFile, text), options.keysFile);
  await writeKeys(options.keysFile, stored);
  return keyringOf(stored);
}

function storedKeys(books: readonly KeyedBook[], random: PracticeRandom): KeysFile {
  const [first, ...others] = books;
  if (first === undefined) throw new Error('The practice service has no book.');
  return {
    control: ensureControlKey(first.db, () => newApiKey('control', random)),
    ...readServiceKeys(first.db),
    books: Object.fromEntries(others.map(({ name, db }) => [name, readServiceKeys(db)])),
  };
}

function keyringOf(keys: KeysFile, path?: string): PracticeKeys {
  return {
    control: keys.control,
    of(book) {
      if (book === DEFAULT_BOOK) return { live: keys.live, test: keys.test };
      const found = Object.hasOwn(keys.books, book) ? keys.books[book] : undefined;
      if (found !== undefined) return found;
      throw new PracticeInputError('keys', `The keys file ${path ?? ''} has no keys of the book ${book}.`);
    },
  };
}

async function readKeys(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new PracticeStoreError(path, `The keys file ${path} cannot be read.`, { cause: error });
  }
}

/** The message names the field, never a value: it may be a key. */
function parseKeys(path: string, text: string): KeysFile {
  const parsed = keysFile.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new PracticeInputError(
    'keys',
    `The keys file ${path} cannot be used. ${field === '' ? 'It' : field}: ${issue?.message ?? 'is not valid'}.`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function writeKeys(path: string, keys: KeysFile): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new PracticeStoreError(path, `The keys file ${path} cannot be written.`, { cause: error });
  }
}
