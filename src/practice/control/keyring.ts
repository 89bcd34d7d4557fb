/** The keys of all books and of the control API: from the stores, or from a file that the user names. */
import { createHmac } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import {
  DEFAULT_BOOK,
  type PracticeEnvironment,
  PracticeInputError,
  type PracticeRandom,
} from '../domain/practice-types.ts';
import { apiKeyOf, newApiKey } from '../domain/random-ids.ts';
import { ensureControlKey } from '../store/control-tables.ts';
import type { Database } from '../store/database.ts';
import { namedFileError } from '../store/named-file.ts';
import { readServiceKeys } from '../store/service-identity.ts';

export interface KeyPair {
  live: string;
  test: string;
}

export interface PracticeKeys {
  control: string;
  of(book: KeyedBook): KeyPair;
}

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
  options: { random: PracticeRandom; keysFile?: string | undefined },
): Promise<PracticeKeys> {
  const stored = storedKeys(books, options.random);
  if (options.keysFile === undefined) return { control: stored.control, of: ({ db }) => readServiceKeys(db) };
  const path = resolve(options.keysFile);
  const text = await readKeys(path);
  if (text === undefined) await writeKeys(path, stored);
  const keys = text === undefined ? stored : parseKeys(path, text);
  return {
    control: keys.control,
    of({ name }) {
      if (name === DEFAULT_BOOK) return { live: keys.live, test: keys.test };
      return (
        (Object.hasOwn(keys.books, name) ? keys.books[name] : undefined) ?? derivedKeys(keys.control, name)
      );
    },
  };
}

/** Keys for a book that the file does not name: the same with each start. */
function derivedKeys(control: string, book: string): KeyPair {
  const keyFor = (environment: PracticeEnvironment): string =>
    apiKeyOf(environment, createHmac('sha256', control).update(`${environment} ${book}`).digest());
  return { live: keyFor('live'), test: keyFor('test') };
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

async function readKeys(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw namedFileError('keys', { kind: 'keys file', path, error });
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
    throw namedFileError('keys', { kind: 'keys file', path, error });
  }
}
