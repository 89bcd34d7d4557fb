/** Files that the operator names. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUserFile } from '../../src/platform/atomic-file.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { writeUserFile } from '../../src/platform/write-user-file.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const read = (path: string) => readUserFile(path, { maxBytes: 10 });

it('reads a file of any mode, through links too', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'ten bytes.', { mode: 0o644 });
  symlinkSync('file', join(folder, 'link'));
  expect(read(join(folder, 'link'))).toEqual({ bytes: Buffer.from('ten bytes.') });
});

it('says why when there is nothing to read, and waits for no pipe', () => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large'), 'eleven byte');
  expect(read(join(folder, 'pipe'))).toEqual({ why: 'it is not a regular file' });
  expect(read(folder)).toEqual({ why: 'it is not a regular file' });
  expect(read('/dev/zero')).toEqual({ why: 'it is not a regular file' });
  expect(read(join(folder, 'large'))).toEqual({ why: 'it is larger than 10 bytes' });
  expect(read(join(folder, 'absent'))).toEqual({
    why: 'there is no such file or folder (ENOENT)',
    absent: true,
  });
});

describe('a file that is written', () => {
  const write = (path: string, text: string) => writeUserFile(path, text, { random: systemRandom });

  it.each(['640', '664', '600'])(
    'replaces the one before it, whose mode stays (%s), through a link too',
    (mode) => {
      const bits = Number.parseInt(mode, 8);
      const folder = temporaryFolder();
      const file = join(folder, 'file');
      writeFileSync(file, 'before');
      chmodSync(file, bits);
      symlinkSync('file', join(folder, 'link'));
      expect(write(join(folder, 'link'), 'after')).toBeUndefined();
      expect(readFileSync(file, 'utf8')).toBe('after');
      expect(statSync(file).mode & 0o777).toBe(bits);
      expect(readdirSync(folder).toSorted()).toEqual(['file', 'link']);
    },
  );

  it('is new where there was none, and leaves nothing where it cannot be written', () => {
    const folder = temporaryFolder();
    expect(write(join(folder, 'new'), 'text')).toBeUndefined();
    expect(write(folder, 'text')).toBe('it is not a regular file');
    expect(write(join(folder, 'absent', 'new'), 'text')).toBe('there is no such file or folder (ENOENT)');
    expect(write(join(folder, 'n'.repeat(300)), 'text')).toMatch(/^the path is too long/);
    expect(readdirSync(folder)).toEqual(['new']);
  });
});
