/**
 * Loads the built program's files, each once, from the compiled code that an earlier start stored.
 *
 * Gain, CPU time of a quote over all tenors (node -e 0 takes 19, 22 and 22 ms): Node 20 76 -> 57 ms, Node 22 83 -> 63 ms,
 * Node 24 89 -> 71 ms. Node's own module.enableCompileCache gains less (Node 22 77 ms, Node 24 80 ms), so it is not used.
 * Off: HEDGE_COMPILED_CODE=off. Without this folder main.ts requires the program's file itself.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { Script } from 'node:vm';
import { bareWords, scanGlobalOptions } from '../cli/global-options.ts';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import { pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';
import { type CodeCache, openCodeCache } from './code-cache.ts';
/** Where the program's files are, and Node's own require. */
export interface Installed {
  folder: string;
  require: (id: string) => unknown;
  /** The text of a file inside the single executable. */
  read?: (name: string) => string;
  /** The command line of the program that talks to the keychain. */
  keychainCommand: readonly [string, ...string[]];
}

export interface LoadedProgram {
  exports: unknown;
  /** Keeps the code that this command compiled, for its next start. Never throws. */
  keepCode(): void;
}

/** `buildId` differs for other files of the program. */
export function loadProgram(
  process: NodeJS.Process,
  { folder, read, require }: Omit<Installed, 'keychainCommand'>,
  { file, buildId }: { file: string; buildId: string },
): LoadedProgram {
  const argv = process.argv.slice(2);
  if (read === undefined && scanGlobalOptions(argv).verbose) {
    // With -v a stack trace names the sources: Node applies source maps to files that it loads itself.
    process.setSourceMapsEnabled(true);
    return { exports: require(join(folder, file)), keepCode: () => undefined };
  }
  const cache = codeCacheOf(process, argv, buildId);
  const modules = moduleLoader({ folder, read, require, kept: cache?.read() ?? new Map() });
  return {
    exports: modules.load(file),
    keepCode() {
      try {
        const compiled = modules.compiled();
        if (compiled !== undefined) cache?.write(compiled);
      } catch {
        // The next start compiles it again.
      }
    },
  };
}

/** With these options a command runs other code. */
const CODE_OPTIONS: readonly string[] = ['--help', '--json'];

/** The cache of this command; undefined where it is switched off or has no folder. */
function codeCacheOf(
  process: NodeJS.Process,
  argv: readonly string[],
  buildId: string,
): CodeCache | undefined {
  const { env, versions, arch } = process;
  const host = hostOf(process);
  if (env['HEDGE_COMPILED_CODE'] === 'off') return undefined;
  const words = [bareWords(argv)[0] ?? 'hedge', ...argv.filter((word) => CODE_OPTIONS.includes(word))];
  try {
    return openCodeCache(pathsOf({ env, host, home: homedir() }).cache, {
      variant: `${buildId}-${versions.node}-${arch}`,
      command: words.join('').replace(/[^a-z-]/gi, ''),
      machine: { clock: systemClock, random: systemRandom, host },
    });
  } catch {
    return undefined;
  }
}

export interface ModuleLoader {
  /** The exports of a file. */
  load(name: string): unknown;
  /** The compiled code of all files that ran; undefined where nothing new was compiled. */
  compiled(): ReadonlyMap<string, Buffer> | undefined;
}

type ModuleBody = (exports: unknown, require: (id: string) => unknown, module: { exports: unknown }) => void;

/** Runs CommonJS files of one folder; V8 rejects kept code of another file or version, and the file is compiled. */
export function moduleLoader({
  folder,
  read,
  require,
  kept,
}: Pick<Installed, 'folder' | 'require'> & {
  read?: ((name: string) => string) | undefined;
  kept: ReadonlyMap<string, Buffer>;
}): ModuleLoader {
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  const place = join(folder, sep);
  const textOf = read ?? ((name) => readFileSync(`${place}${name}`, 'utf8'));
  let allKept = true;

  const run = (name: string): { exports: unknown } => {
    const cachedData = kept.get(name);
    const script = new Script(`(function (exports, require, module) {${textOf(name)}\n})`, {
      filename: `${place}${name}`,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    scripts.set(name, script);
    if (script.cachedDataRejected !== false) allKept = false;
    const module = { exports: {} };
    modules.set(name, module);
    const body: ModuleBody = script.runInThisContext();
    body(module.exports, ask, module);
    return module;
  };
  const ask = (id: string): unknown => {
    if (!id.startsWith('./')) return require(id);
    const name = id.slice(2);
    return (modules.get(name) ?? run(name)).exports;
  };

  return {
    load: (name) => ask(`./${name}`),
    compiled() {
      if (allKept) return undefined;
      return new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
    },
  };
}
