import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/own-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLE = 'src/domain/action-table.ts';
const CLOSE = /^ {2}close: \{\n[\s\S]*?^ {2}\},\n/m;

const folder = temporaryFolder(afterAll);
const table = readFileSync(join(ROOT, TABLE), 'utf8');

/** The files in which the compiler finds an error where the table has this row too. */
function filesInErrorWith(row: string): readonly string[] {
  writeFileSync(
    join(folder, TABLE),
    table.replace(CLOSE, (close) => `${close}${row}`),
  );
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      'src/tsconfig.json',
      '--noEmit',
      // A build leaves the types to `npm run check`.
      '--noCheck',
      'false',
      '--pretty',
      'false',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  const files = [...stdout.matchAll(/^(src\/\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? '');
  return [...new Set(files)].toSorted();
}

describe('a fifth row in the table of actions', () => {
  beforeAll(() => {
    for (const name of ['src', 'package.json', 'tsconfig.json'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });

  it('is an error in the table alone, as long as facts are missing', () => {
    expect(filesInErrorWith('')).toEqual([]);
    expect(filesInErrorWith("  roll: { path: '/hedges/roll', body: SIDE },\n")).toEqual([TABLE]);
  });

  it('is asked for its parts, once it is whole, where each layer binds its own', () => {
    const close = CLOSE.exec(table)?.[0] ?? '';
    expect(filesInErrorWith(close.replace('close: {', 'roll: {').replace('/close', '/roll'))).toEqual([
      'src/args/action-options.ts',
      'src/args/read-action.ts',
      'src/client/hedge-api.ts',
      'src/main/practice-launcher.ts',
      'src/main/serve-practice.ts',
      'src/trading/action-parts.ts',
    ]);
  });
});
