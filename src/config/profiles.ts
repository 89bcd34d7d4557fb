/**
 * The store of profiles. conf alone writes the file, under a lock and after our checks of links, owners and modes;
 * reading uses the strict reader (profile-file.ts).
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError, unless } from '../errors.ts';
import { checkReplaceable, ensureFolder, syncFolder } from '../platform/atomic-file.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import {
  type BuiltInProfile,
  isStorable,
  NO_PROFILES,
  type ProfileFile,
  readProfileFile,
  type StoredProfile,
} from './profile-file.ts';
import {
  BUILT_IN,
  type BuiltInName,
  ENVIRONMENT_PAIR,
  isBuiltIn,
  isReserved,
  PROFILE_NAME,
  unknownProfile,
} from './profile-names.ts';

export type { BuiltInProfile, StoredProfile } from './profile-file.ts';

/** One reading of the file, which is read again only where it has changed. */
export interface ProfileSettings {
  /** May name a missing profile when the file was edited by hand. */
  defaultName: string | undefined;
  profiles: ReadonlyMap<string, StoredProfile>;
  /** Settings of the built-in profiles. */
  builtIn: Readonly<Partial<Record<BuiltInName, BuiltInProfile | undefined>>>;
}

export interface ProfileStore {
  readonly path: string;
  /** This and the next two throw DamagedFileError. */
  read(): ProfileSettings;
  /** By name, without the built-in ones. */
  list(): readonly { name: string; profile: StoredProfile }[];
  defaultName(): string | undefined;
  /** Does not change the default. Rejects an existing name. */
  add(name: string, profile: StoredProfile): Promise<void>;
  /** Makes a profile, stored or built in, the default. */
  use(name: string): Promise<void>;
  /** Changes a profile under the lock. */
  change(name: string, change: (profile: StoredProfile) => StoredProfile): Promise<void>;
  /** Changes the settings of a built-in profile under the lock. */
  changeBuiltIn(name: BuiltInName, change: (profile: BuiltInProfile) => BuiltInProfile): Promise<void>;
  /** `wasDefault`: there is no default now. */
  remove(name: string): Promise<{ wasDefault: boolean }>;
}

const CONFIG_NAME = 'profiles';

export function openProfiles({ places, machine }: { places: Paths; machine: Machine }): ProfileStore {
  const folder = places.config;
  const path = join(folder, `${CONFIG_NAME}.json`);
  const load = (): ProfileFile => readProfileFile(path, folder, machine.host) ?? NO_PROFILES;
  let kept: { stamp: string; settings: ProfileSettings } | undefined;
  const read = (): ProfileSettings => {
    const stamp = stampOf(path);
    if (stamp !== undefined && stamp === kept?.stamp) return kept.settings;
    const { default_profile: defaultName, profiles, built_in: builtIn = {} } = load();
    const settings = { defaultName, profiles: new Map(Object.entries(profiles)), builtIn };
    kept = stamp === undefined ? undefined : { stamp, settings };
    return settings;
  };

  /** Reads, changes and writes the file under the lock. */
  async function changeFile<T>(decide: (file: ProfileFile) => { file: ProfileFile; result: T }): Promise<T> {
    // conf takes 50 ms to load, and its import takes over Ctrl-C (when-exit); SQLite takes 7 ms: loaded only to write.
    const [{ default: Conf }, { withLock }] = await Promise.all([
      import('conf'),
      import('../platform/lock.ts'),
    ]);
    ensureFolder(folder, machine.host);
    return withLock(join(folder, `${CONFIG_NAME}.lock`), machine, () => {
      const { file, result } = decide(load());
      checkReplaceable(path, machine.host);
      try {
        removeTemporaryFiles(folder, path);
        const conf = new Conf<ProfileFile>({
          projectName: 'hedge',
          projectSuffix: '',
          cwd: folder,
          configName: CONFIG_NAME,
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
          clearInvalidConfig: false,
          serialize: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
        });
        conf.store = file;
        syncFolder(folder, machine.host);
      } catch (error) {
        throw fileError('write', path, error);
      }
      return result;
    });
  }

  return {
    path,
    read,
    list: () =>
      [...read().profiles]
        .map(([name, profile]) => ({ name, profile }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    defaultName: () => read().defaultName,

    async add(name, profile) {
      checkProfileName(name);
      checkProfile(profile);
      return changeFile((file) => {
        const twin = Object.keys(file.profiles).find((each) => each.toLowerCase() === name.toLowerCase());
        if (twin !== undefined) {
          throw new UsageError(
            `Profile ${twin} already exists.`,
            say`Choose another name, or remove it first: ${shell`hedge profile remove ${twin}`}`,
          );
        }
        const profiles = Object.fromEntries([...Object.entries(file.profiles), [name, profile]]);
        return { file: { ...file, profiles }, result: undefined };
      });
    },

    async use(name) {
      return changeFile((file) => {
        if (!isBuiltIn(name) && !Object.hasOwn(file.profiles, name)) {
          throw unknownProfile(name, Object.keys(file.profiles));
        }
        return { file: { ...file, default_profile: name }, result: undefined };
      });
    },

    async change(name, change) {
      return changeFile((file) => {
        const changed = change(storedIn(file, name));
        checkProfile(changed);
        return { file: { ...file, profiles: { ...file.profiles, [name]: changed } }, result: undefined };
      });
    },

    async changeBuiltIn(name, change) {
      return changeFile((file) => {
        const builtIn = { ...file.built_in, [name]: change(file.built_in?.[name] ?? {}) };
        return { file: { ...file, built_in: builtIn }, result: undefined };
      });
    },

    async remove(name) {
      if (isReserved(name)) throw new UsageError(`${quoted(name)} is built in and cannot be removed.`);
      return changeFile((file) => {
        storedIn(file, name);
        const { [name]: _removed, ...profiles } = { ...file.profiles };
        const wasDefault = file.default_profile === name;
        const { default_profile: _dropped, ...rest } = file;
        return {
          file: wasDefault ? { ...rest, version: file.version, profiles } : { ...file, profiles },
          result: { wasDefault },
        };
      });
    },
  };
}

/** Another one for each change of the file; undefined where there is none, or it cannot be told. */
const stampOf = (path: string): string | undefined =>
  unless(Error, () => {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  });

/** @throws CredentialError `unknown_profile` */
function storedIn({ profiles }: ProfileFile, name: string): StoredProfile {
  const { [name]: found } = profiles;
  if (found === undefined || !Object.hasOwn(profiles, name))
    throw unknownProfile(name, Object.keys(profiles));
  return found;
}

/** @throws UsageError when the profile is not valid. */
function checkProfile(profile: StoredProfile): void {
  if (!isStorable(profile)) {
    throw new UsageError(
      'A profile needs a base URL and one source of its API key.',
      'Give the key or a command that prints it, not both.',
    );
  }
  if (profile.ca_file !== undefined && !isAbsolute(profile.ca_file)) {
    throw new UsageError(
      `${quoted(profile.ca_file)} is not an absolute path.`,
      'Use the full path of the CA file.',
    );
  }
}

/** Removes temporary files of a killed writer: they may contain a deleted key. Under the lock only. */
function removeTemporaryFiles(folder: string, path: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(path)}.tmp-`)) rmSync(join(folder, name), { force: true });
  }
}

/** Returns the name. @throws UsageError */
export function checkProfileName(name: string): string {
  if (isReserved(name)) {
    throw new UsageError(
      `The profile name ${quoted(name)} is reserved.`,
      `${BUILT_IN.join(' and ')} are built in, and ${ENVIRONMENT_PAIR} means HEDGE_API_KEY with HEDGE_BASE_URL. Choose another name.`,
    );
  }
  if (!PROFILE_NAME.test(name)) {
    throw new UsageError(
      `${quoted(name)} is not a valid profile name.`,
      'A name has 1 to 32 letters, digits, - and _, and starts with a letter or a digit: desk, desk-live',
    );
  }
  return name;
}
