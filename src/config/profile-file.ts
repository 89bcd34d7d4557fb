/**
 * The schema of the profiles file and its strict reader, which takes a millisecond where conf takes 50. A damaged file or
 * one of another version is rejected and left as it is; fields added by a newer hedge are kept.
 */
import * as z from 'zod/mini';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { PRACTICE_LIVE } from '../domain/vocabulary.ts';
import { DamagedFileError } from '../errors.ts';
import { checkFolder, readOwnFile } from '../platform/atomic-file.ts';
import type { Host } from '../platform/host.ts';
import { isBuiltIn, isProfileName, PRACTICE } from './profile-names.ts';

const MAX_BYTES = 262_144;
const VERSION = 1;

const text = z.string().check(z.minLength(1));
/** USD as digits, exact. */
const usd = z.string().check(z.regex(/^\d{1,15}(\.\d{1,2})?$/));
/** First eight hexadecimal digits of the SHA-256 of a key. */
const fingerprint = z.string().check(z.regex(/^[0-9a-f]{8}$/));
/** The settings that every profile can have, the built-in ones too. */
const preferences = {
  /** The person who trades with it. */
  operator: z.optional(text),
  /** IANA name of the zone in which times are shown. */
  time_zone: z.optional(text),
  /** Limits; an absent one does not limit (domain/profile-limits.ts). */
  max_notional_usd: z.optional(usd),
  max_daily_notional_usd: z.optional(usd),
  read_only: z.optional(z.boolean()),
  markets: z.optional(z.readonly(z.array(text).check(z.minLength(1)))),
};
const builtInProfile = z.looseObject(preferences);
const storedProfile = z
  .looseObject({
    ...preferences,
    base_url: text,
    /** The key itself, in plain text: the file is 0600. */
    api_key: z.optional(text),
    /** A program that prints the key, and its arguments. */
    api_key_command: z.optional(z.tuple([text], z.string())),
    /** The entry of the platform's keychain. */
    api_key_keychain: z.optional(text),
    /** The operator's label of the account, the same on every machine. */
    account: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]*$/))),
    /** The key when it was added or replaced: a key stored elsewhere is not read to compare. */
    known_key: z.optional(z.object({ environment: z.enum(['live', 'sandbox']), fingerprint })),
    /** Fingerprints of earlier keys of the same account, as the operator stated. */
    replaced_keys: z.optional(z.readonly(z.array(fingerprint))),
    /** PEM file of further certificate authorities, as an absolute path. */
    ca_file: z.optional(text),
    /** ISO 8601 UTC. */
    added_at: text,
  })
  .check(
    z.refine(
      ({ api_key: key, api_key_command: command, api_key_keychain: entry }) =>
        [key, command, entry].filter((source) => source !== undefined).length === 1,
    ),
  );

const profileFile = z.looseObject({
  version: z.literal(VERSION),
  default_profile: z.optional(text),
  built_in: z.optional(
    z.looseObject({ [PRACTICE]: z.optional(builtInProfile), [PRACTICE_LIVE]: z.optional(builtInProfile) }),
  ),
  profiles: z.record(z.string(), storedProfile),
});

export type StoredProfile = z.infer<typeof storedProfile>;
export type BuiltInProfile = z.infer<typeof builtInProfile>;
export type ProfileFile = z.infer<typeof profileFile>;

export const NO_PROFILES: ProfileFile = { version: VERSION, profiles: {} };

/** Whether a value can be stored as a profile. */
export const isStorable = (profile: StoredProfile): boolean => storedProfile.safeParse(profile).success;

/** Undefined when there is no file. @throws DamagedFileError */
export function readProfileFile(path: string, folder: string, host: Host): ProfileFile | undefined {
  const bytes = readOwnFile(path, { host, maxBytes: MAX_BYTES });
  if (bytes === undefined) return undefined;
  // Who can write to the folder can replace the file, which names programs to run.
  checkFolder(folder, host);
  let read: unknown;
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw damaged(path, 'is not valid JSON', error);
  }
  const version = z.looseObject({ version: z.number() }).safeParse(read);
  if (version.success && version.data.version !== VERSION) {
    throw new DamagedFileError(path, {
      what: `${path} was written by another version of hedge (format ${version.data.version.toString()}; this one reads ${VERSION.toString()}).`,
      meaning: 'Nothing was changed.',
      hint: 'Use that version of hedge, or set HEDGE_HOME to another folder.',
    });
  }
  const parsed = profileFile.safeParse(read);
  if (!parsed.success) {
    const at = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
    throw damaged(path, at === '' ? 'does not contain profiles' : `is not valid at ${quoted(at)}`);
  }
  const misnamed = Object.keys(parsed.data.profiles).find((name) => !isProfileName(name));
  if (misnamed !== undefined && isBuiltIn(misnamed))
    throw damaged(path, `contains a profile named ${quoted(misnamed)}, which is the name of a built-in one`);
  if (misnamed !== undefined)
    throw damaged(path, `contains a profile with the invalid name ${quoted(misnamed)}`);
  return parsed.data;
}

const damaged = (path: string, how: string, cause?: unknown): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} ${how}.`,
    meaning: 'Nothing was changed.',
    hint: say`Repair it, restore a copy, or move it away and add the profiles again: ${shell`hedge profile add NAME`}`,
    cause,
  });
