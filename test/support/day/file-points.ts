/**
 * Numbers, inside this process, every call by which the program's code changes a file below one folder, so that a
 * program that runs here can be taken for dead at any of them. What native code does by itself is not seen: a transaction of
 * a database is whole between two of them.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve, sep } from 'node:path';

export interface FilePoint {
  /** `write`, `fsync`, `rename`, … */
  call: string;
  /** Below the folder. */
  on: string;
  /** Writes the first half of what is about to be written. */
  half: (() => void) | undefined;
}

/** Told before each change. What it throws, the call throws. */
export type AtPoint = (point: FilePoint) => void;

const NAMES = [
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmSync',
  'mkdirSync',
  'ftruncateSync',
  'chmodSync',
  'fchmodSync',
] as const;

// A patch of functions of many shapes: each is called as it was.
type Call = (...args: readonly unknown[]) => unknown;

let watched: { folder: string; at: AtPoint } | undefined;
let depth = 0;
const open = new Map<number, string>();

/** From now on, for changes below `folder`; undefined: no more. Calls made by `at` itself are no points. */
export function watchFiles(folder: string | undefined, at: AtPoint = () => undefined): void {
  open.clear();
  watched = folder === undefined ? undefined : { folder: resolve(folder), at };
}

const isBelow = (path: unknown): path is string =>
  typeof path === 'string' &&
  watched !== undefined &&
  `${resolve(path)}${sep}`.startsWith(watched.folder + sep);

const pathOf = (first: unknown): string | undefined =>
  typeof first === 'number' ? open.get(first) : isBelow(first) ? first : undefined;

function reach(name: string, path: string, half?: () => void): void {
  const call = name.replace(/Sync$/, '');
  inside(() => watched?.at({ call, on: relative(watched.folder, path), half }));
}

function inside<T>(body: () => T): T {
  depth += 1;
  try {
    return body();
  } finally {
    depth -= 1;
  }
}

patch();

/** When this is loaded: libraries keep the functions that they find. */
function patch(): void {
  const real = { ...fs };
  const calls: Record<string, Call> = {};
  const halfOf = (fd: unknown, data: unknown): (() => void) | undefined => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.isBuffer(data) ? data : undefined;
    if (bytes === undefined || typeof fd !== 'number') return undefined;
    return () => void real.writeSync(fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
  };
  for (const name of NAMES) {
    calls[name] = (...args) => {
      const path = pathOf(args[0]);
      if (depth === 0 && path !== undefined)
        reach(name, path, name.startsWith('write') ? halfOf(args[0], args[1]) : undefined);
      return inside(() => Reflect.apply(real[name], undefined, args));
    };
  }
  const makes = fs.constants.O_CREAT | fs.constants.O_TRUNC;
  calls['openSync'] = (path, flags, ...rest) => {
    const isNew =
      typeof flags === 'number' ? (flags & makes) !== 0 : typeof flags === 'string' && /[wax]/.test(flags);
    if (depth === 0 && isNew && isBelow(path)) reach('open', path);
    const fd: unknown = inside(() => Reflect.apply(real.openSync, undefined, [path, flags, ...rest]));
    if (isBelow(path) && typeof fd === 'number') open.set(fd, path);
    return fd;
  };
  calls['closeSync'] = (fd) => {
    if (typeof fd === 'number') open.delete(fd);
    return Reflect.apply(real.closeSync, undefined, [fd]);
  };
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}
