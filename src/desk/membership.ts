/**
 * The desks of this machine: each has a folder in the state folder, with its copy of the log, the pending records, and the file
 * that says which account it is for and where its log is.
 */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { fieldsIn } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError, nothingSent, type StoppedError, UsageError } from '../errors.ts';
import { identitySchema } from '../journal/records.ts';
import { ensureFolder, readOwnFile, syncFolder, writeAtomically } from '../platform/atomic-file.ts';
import { attempting, codeOf, fileError } from '../platform/file-errors.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

const text = z.string().check(z.minLength(1));

const membership = z.object({
  version: z.literal(1),
  name: text,
  /** `joining`: its records are being delivered. `left`: the copy is the account's journal, and follows no log. */
  state: z.enum(['joining', 'following', 'left']),
  /** A PostgreSQL URL without a password. */
  url: text,
  /** PEM file, as an absolute path. */
  ca_file: z.optional(text),
  /** A program that prints the password, and its arguments. */
  password_command: z.optional(z.tuple([text], z.string())),
  /** Its entry in the platform's keychain. */
  password_keychain: z.optional(text),
  /** The account, as the log's first record has it. */
  identity: identitySchema,
  /** Fingerprints of the API keys that were shown to be of it on this machine. */
  keys: z.readonly(z.array(z.string())),
  /** The last record of this machine's own journal that was looked at, to deliver those of the account. */
  delivered_to: z.number(),
});

export type Membership = z.infer<typeof membership>;

/** Address of a desk's log, and the source of its password. */
export type DeskAccess = Pick<Membership, 'url' | 'ca_file' | 'password_command' | 'password_keychain'>;

const FILE = 'desk.json';
const PREFIX = 'desk-';
const MAX_BYTES = 65_536;
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** @throws UsageError */
export function readDeskName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError(
    `${quoted(name)} is not a name for a desk.`,
    'A name has 1 to 32 small letters, digits, - and _, and starts with a letter or a digit: lagos',
  );
}

export const deskFolder = (state: string, name: string): string => join(state, `${PREFIX}${name}`);

/** The folders with the desk's folder as that of the journal. */
export function placesOfDesk(places: Paths, name: string): Paths {
  return {
    get config() {
      return places.config;
    },
    get state() {
      return deskFolder(places.state, name);
    },
    get cache() {
      return places.cache;
    },
  };
}

/** Undefined when this machine has none of that name. @throws DamagedFileError */
export function readMembership(state: string, name: string, host: Host): Membership | undefined {
  const path = join(deskFolder(state, name), FILE);
  const bytes = readOwnFile(path, { host, maxBytes: MAX_BYTES });
  if (bytes === undefined) return undefined;
  const parsed = membership.safeParse(fieldsIn(bytes));
  if (parsed.success && parsed.data.name === name) return parsed.data;
  throw new DamagedFileError(path, {
    what: `${path} is damaged: it does not describe desk ${name}.`,
    hint: say`Move it away, then join again: ${shell`hedge desk join URL`}`,
  });
}

/** @throws DamagedFileError */
export function writeMembership(state: string, member: Membership, machine: Machine): void {
  const folder = deskFolder(state, member.name);
  ensureFolder(folder, machine.host);
  writeAtomically(join(folder, FILE), `${JSON.stringify(member, undefined, 2)}\n`, machine);
}

/** The copy in its folder is no journal of an account any more. @throws DamagedFileError */
export function removeMembership(state: string, name: string, { host }: Machine): void {
  const folder = deskFolder(state, name);
  attempting('remove', join(folder, FILE), () => {
    rmSync(join(folder, FILE), { force: true });
    syncFolder(folder, host);
  });
}

export function deskNamesIn(state: string): readonly string[] {
  try {
    return readdirSync(state).flatMap((each) =>
      each.startsWith(PREFIX) && NAME.test(each.slice(PREFIX.length)) ? [each.slice(PREFIX.length)] : [],
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError('read', state, error);
  }
}

export const leftMeanwhile = (name: string): StoppedError =>
  nothingSent({
    code: 'desk_left',
    what: `This machine has left desk ${name} meanwhile.`,
    hint: 'Run the same command again.',
  });
