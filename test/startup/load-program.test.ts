import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleLoader } from '../../src/startup/load-program.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const require = createRequire(import.meta.url);

function aProgram(): string {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'main.cjs'),
    "exports.add = (a, b) => require('./sum.cjs').sum(a, b); exports.sep = require('node:path').sep;",
  );
  writeFileSync(
    join(folder, 'sum.cjs'),
    'exports.sum = (a, b) => { exports.times += 1; return a + b; }; exports.times = 0;',
  );
  return folder;
}

interface Main {
  add(a: number, b: number): number;
  sep: string;
}

const isMain = (exports: unknown): exports is Main =>
  typeof exports === 'object' && exports !== null && 'add' in exports && 'sep' in exports;

const loaded = (folder: string, kept: ReadonlyMap<string, Buffer> = new Map()) => {
  const files = moduleLoader({ folder, require, kept });
  const main: unknown = files.load('main.cjs');
  if (!isMain(main)) throw new Error('main.cjs did not run');
  return { files, main };
};

describe('the files of the program', () => {
  it('run once each, ask for one another and for what is Node’s', () => {
    const { files, main } = loaded(aProgram());
    expect([main.add(1, 2), main.add(3, 4), main.sep]).toEqual([3, 7, '/']);
    expect(files.load('sum.cjs')).toMatchObject({ times: 2 });
  });

  it('run from compiled code, and say when none is missing', () => {
    const folder = aProgram();
    const first = loaded(folder);
    first.main.add(1, 2);
    const kept = first.files.compiled();
    expect([...(kept ?? new Map()).keys()]).toEqual(['main.cjs', 'sum.cjs']);
    const second = loaded(folder, kept);
    expect(second.main.add(5, 6)).toBe(11);
    expect(second.files.compiled()).toBeUndefined();
  });

  it('run without it, and are compiled again, when it is of another file or of nothing', () => {
    const folder = aProgram();
    const first = loaded(folder);
    first.main.add(1, 2);
    const ofSum = first.files.compiled()?.get('sum.cjs') ?? Buffer.alloc(0);
    for (const strange of [ofSum, Buffer.from([1, 2, 3]), Buffer.alloc(0)]) {
      const { main, files } = loaded(folder, new Map([['main.cjs', strange]]));
      expect(main.add(2, 2)).toBe(4);
      expect(files.compiled()?.size).toBe(2);
    }
  });
});
