import { unlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredScript } from '../../src/startup/code-cache.ts';
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

const loaded = (folder: string, kept?: StoredScript) => {
  const files = moduleLoader({ folder, require, kept });
  const main: unknown = files.load('main.cjs');
  if (!isMain(main)) throw new Error('main.cjs did not run');
  return { files, main };
};

/** What a start keeps that calls `add` of main.cjs. */
function keptAfter(folder: string, kept?: StoredScript): StoredScript {
  const { main, files } = loaded(folder, kept);
  expect(main.add(5, 6)).toBe(11);
  const script = files.scriptToKeep();
  if (script === undefined) throw new Error('nothing new to keep');
  return script;
}

describe('the files of the program', () => {
  it('run once each, ask for one another and for what is Node’s', () => {
    const { files, main } = loaded(aProgram());
    expect([main.add(1, 2), main.add(3, 4), main.sep]).toEqual([3, 7, '/']);
    expect(files.load('sum.cjs')).toMatchObject({ times: 2 });
  });

  it('are kept as one script by the first start, with its compiled code by the second, and run from it without their files', () => {
    const folder = aProgram();
    const first = keptAfter(folder);
    expect(first.code.length).toBe(0);
    const second = keptAfter(folder, first);
    expect(second.text).toBe(first.text);
    expect(second.code.length).toBeGreaterThan(0);
    for (const name of ['main.cjs', 'sum.cjs']) unlinkSync(join(folder, name));
    const third = loaded(folder, second);
    expect(third.main.add(7, 8)).toBe(15);
    expect(third.files.scriptToKeep()).toBeUndefined();
  });

  it('are kept all together when starts run different ones of them', () => {
    const folder = aProgram();
    const withoutSum = loaded(folder).files.scriptToKeep();
    const both = keptAfter(folder, withoutSum);
    expect(both.code.length).toBe(0);
    const compiled = keptAfter(folder, both);
    expect(loaded(folder, compiled).files.scriptToKeep()).toBeUndefined();
    expect(loaded(folder, compiled).main.add(1, 1)).toBe(2);
  });

  it('run without what is kept, and are kept again, when it is of another file or of nothing', () => {
    const folder = aProgram();
    const { text } = keptAfter(folder);
    const other = keptAfter(folder, { text: `${text} `, code: Buffer.alloc(0) });
    for (const code of [other.code, Buffer.from([1, 2, 3]), Buffer.alloc(0)])
      expect(keptAfter(aProgram(), { text, code }).code.length).toBeGreaterThan(0);
    for (const strange of ['', '({', 'null', '({}).none()', text.slice(1)])
      expect(keptAfter(folder, { text: strange, code: Buffer.alloc(0) }).text).toBe(text);
  });
});
