/**
 * Runs the files of the built program, each once, from V8's compiled code where an earlier start kept it: that
 * halves what a start costs. Whatever is wrong with what was kept, the files themselves are run. Knows nothing
 * of the program.
 */
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Script } from 'node:vm';

export interface ProgramFiles {
  /** What the file exports. */
  load(name: string): unknown;
  /** The code of every file that ran, compiled, where it was not all there before; undefined where it was. */
  compiled(): ReadonlyMap<string, Buffer> | undefined;
}

interface Parts {
  folder: string;
  /** The text of a file, where it is not one of the folder's. */
  read?: ((name: string) => string) | undefined;
  /** For what is no file of the program: Node's own modules, and packages with native parts. */
  require: (id: string) => unknown;
  kept: ReadonlyMap<string, Buffer>;
}

type Body = (exports: unknown, require: (id: string) => unknown, module: { exports: unknown }) => void;

export function programFiles({ folder, read, require, kept }: Parts): ProgramFiles {
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  const place = join(folder, sep);
  const textOf = read ?? ((name) => readFileSync(`${place}${name}`, 'utf8'));
  let allKept = true;

  const run = (name: string): { exports: unknown } => {
    const filename = `${place}${name}`;
    const cachedData = kept.get(name);
    const script = new Script(`(function (exports, require, module) {${textOf(name)}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    scripts.set(name, script);
    if (script.cachedDataRejected !== false) allKept = false;
    const module = { exports: {} };
    modules.set(name, module);
    const body: Body = script.runInThisContext();
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
