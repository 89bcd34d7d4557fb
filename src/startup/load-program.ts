/**
 * Loads the built program's files, each once, from the text and compiled code that earlier starts stored.
 *
 * Gain, CPU time of a quote over all tenors (node -e 0 takes 19, 20 and 22 ms): Node 20 95 -> 71 ms, Node 22 88 -> 66 ms,
 * Node 24 98 -> 75 ms; 2 ms of it because a start reads one script instead of forty files. Node's own
 * module.enableCompileCache gains at most half as much, so it is not used.
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
import { type CodeCache, openCodeCache, type StoredScript } from './code-cache.ts';

/** The folder of the program's files, and Node's own require. */
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
  /** Keeps the code of this command for its next start. Never throws. */
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
    // A stack trace names the sources with -v: Node applies source maps to files that it loads itself.
    process.setSourceMapsEnabled(true);
    return { exports: require(join(folder, file)), keepCode: () => undefined };
  }
  const cache = codeCacheOf(process, argv, buildId);
  const modules = moduleLoader({ folder, read, require, kept: cache?.read() });
  return {
    exports: modules.load(file),
    keepCode() {
      try {
        const script = modules.scriptToKeep();
        if (script !== undefined) cache?.write(script);
      } catch {
        // The next start compiles it again.
      }
    },
  };
}

/** Options under which a command runs other code. */
const CODE_OPTIONS: readonly string[] = ['--help', '--json', '--watch'];

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
    return openCodeCache(pathsOf({ env, host, home: homedir() }), {
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
  /** The script for the next start; undefined if it is stored already. */
  scriptToKeep(): StoredScript | undefined;
}

type ModuleBody = (exports: unknown, require: (id: string) => unknown, module: { exports: unknown }) => void;

/**
 * Runs CommonJS files of one folder. The first start keeps their text as one script, the second one keeps what V8 compiled
 * of it, and from then on a start reads and deserializes once instead of for each file.
 */
export function moduleLoader({
  folder,
  read,
  require,
  kept,
}: Pick<Installed, 'folder' | 'require'> & {
  read?: ((name: string) => string) | undefined;
  kept: StoredScript | undefined;
}): ModuleLoader {
  const modules = new Map<string, { exports: unknown }>();
  const place = join(folder, sep);
  // In parentheses, V8 compiles a function when it reads it, not in a second pass.
  const textOf = (name: string): string =>
    `(function(exports,require,module){${read?.(name) ?? readFileSync(`${place}${name}`, 'utf8')}\n})`;
  const { script, bodies } = joined(kept, `${place}program`);

  const run = (name: string): { exports: unknown } => {
    const body: ModuleBody =
      bodies.get(name) ?? new Script(textOf(name), { filename: `${place}${name}` }).runInThisContext();
    const module = { exports: {} };
    modules.set(name, module);
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
    scriptToKeep() {
      const names = new Set([...bodies.keys(), ...modules.keys()]);
      if (kept === undefined || script === undefined || names.size > bodies.size) {
        const members = [...names].map((name) => `${JSON.stringify(name)}:${textOf(name)}`);
        return { text: `({${members.join(',')}})`, code: Buffer.alloc(0) };
      }
      return kept.code.length > 0 && script.cachedDataRejected === false
        ? undefined
        : { text: kept.text, code: script.createCachedData() };
    },
  };
}

interface JoinedFiles {
  script?: Script;
  /** By the name of the file. */
  bodies: ReadonlyMap<string, ModuleBody>;
}

/** V8 compiles the script again where its code is of another version. Empty for a text that is none. */
function joined(kept: StoredScript | undefined, filename: string): JoinedFiles {
  if (kept === undefined) return { bodies: new Map() };
  try {
    const script = new Script(kept.text, { filename, cachedData: kept.code });
    return { script, bodies: new Map(Object.entries(script.runInThisContext())) };
  } catch {
    return { bodies: new Map() };
  }
}
