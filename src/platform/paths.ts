/** The three data folders, from the environment. The folders above each are checked when it is first used. */
import { posix, win32 } from 'node:path';
import { once } from '../domain/once.ts';
import { UsageError } from '../errors.ts';
import type { Host } from './host.ts';
import { checkParents, type SeenEntries } from './parent-folders.ts';

/** Reading one throws DamagedFileError when another user could replace that folder. */
export interface Paths {
  /** Profiles. */
  config: string;
  /** The journal, the halt and the practice data of this machine. */
  state: string;
  /** May be deleted at any time. */
  cache: string;
}

/** The sockets of this user's agents. Who may write to the config folder may change base URLs: no more is gained by it. */
export const agentFolderOf = (
  { config }: Pick<Paths, 'config'>,
  { platform }: Pick<Host, 'platform'>,
): string => (platform === 'win32' ? win32 : posix).join(config, 'agent');

export interface PathSources {
  env: Readonly<Record<string, string | undefined>>;
  host: Pick<Host, 'platform' | 'uid'>;
  /** The user's home folder. */
  home: string;
}

/**
 * All under `HEDGE_HOME`, or the platform's folders: XDG (relative values are ignored, as that standard requires),
 * `~/Library`, `%APPDATA%` and `%LOCALAPPDATA%`. A relative `HEDGE_HOME` would differ in every working directory.
 */
export function pathsOf(sources: PathSources): Paths {
  const { config, state, cache } = foldersOf(sources);
  const seen: SeenEntries = new Map();
  const checked = (path: string): (() => string) =>
    once(() => {
      checkParents(path, sources.host, seen);
      return path;
    });
  const [ofConfig, ofState, ofCache] = [checked(config), checked(state), checked(cache)];
  return {
    get config() {
      return ofConfig();
    },
    get state() {
      return ofState();
    },
    get cache() {
      return ofCache();
    },
  };
}

function foldersOf({ env, host: { platform }, home }: PathSources): Paths {
  const paths = platform === 'win32' ? win32 : posix;
  const join = (...parts: readonly string[]): string => paths.join(...parts);
  const isAbsolute = (path: string): boolean => paths.isAbsolute(path);
  const chosen = env['HEDGE_HOME'];
  if (chosen !== undefined && chosen !== '') {
    if (!isAbsolute(chosen)) {
      throw new UsageError(
        'HEDGE_HOME is not an absolute path.',
        'Use a full path without ~, or unset HEDGE_HOME.',
      );
    }
    return { config: join(chosen, 'config'), state: join(chosen, 'state'), cache: join(chosen, 'cache') };
  }

  const absolute = (name: string): string | undefined => {
    const value = env[name];
    return value !== undefined && value !== '' && isAbsolute(value) ? value : undefined;
  };
  const atHome = (...parts: readonly string[]): string => {
    if (isAbsolute(home)) return join(home, ...parts);
    throw new UsageError(
      'This user has no home folder.',
      'Set HEDGE_HOME to the full path of your own folder.',
    );
  };

  if (platform === 'win32') {
    const roaming = absolute('APPDATA') ?? atHome('AppData', 'Roaming');
    const local = absolute('LOCALAPPDATA') ?? atHome('AppData', 'Local');
    return {
      config: join(roaming, 'hedge', 'config'),
      state: join(local, 'hedge', 'state'),
      cache: join(local, 'hedge', 'cache'),
    };
  }
  if (platform === 'darwin') {
    return {
      config: atHome('Library', 'Preferences', 'hedge'),
      state: atHome('Library', 'Application Support', 'hedge'),
      cache: atHome('Library', 'Caches', 'hedge'),
    };
  }
  return {
    config: join(absolute('XDG_CONFIG_HOME') ?? atHome('.config'), 'hedge'),
    state: join(absolute('XDG_STATE_HOME') ?? atHome('.local', 'state'), 'hedge'),
    cache: join(absolute('XDG_CACHE_HOME') ?? atHome('.cache'), 'hedge'),
  };
}
