/** A file that only grows: what is added is there whole or not at all, and only if the file is truly ours. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withAppendOnlyFile } from '../../src/platform/append-only-file.ts';
import { temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const { host } = testMachine();
const aPath = (): string => join(temporaryFolder(), 'file');

describe('a growing file', () => {
  it.each([0o000, 0o277])(
    'is made for its owner alone under umask %o, and grows at its end',
    async (umask) => {
      const path = aPath();
      const size = await withUmask(umask, () =>
        withAppendOnlyFile(path, host, (file) => {
          file.append('one\n');
          return file.bytes;
        }),
      );
      withAppendOnlyFile(path, host, (file) => {
        expect(file.bytes).toBe('one\n'.length);
        file.append('two\n');
      });
      expect([size, (statSync(path).mode & 0o777).toString(8)]).toEqual([0, '600']);
      expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    },
  );

  it('passes on what its user throws, and is then as it was', () => {
    const path = aPath();
    const work = (): void =>
      withAppendOnlyFile(path, host, () => {
        throw new Error('no');
      });
    expect(work).toThrow('no');
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['a link', (path) => symlinkSync('elsewhere', path), /is a symbolic link/],
    ['a folder', (path) => mkdirSync(path), /is not a regular file|it is a folder/],
    [
      'open to others',
      (path) => {
        writeFileSync(path, '', { mode: 0o600 });
        chmodSync(path, 0o604);
      },
      /chmod 600/,
    ],
  ])('is refused when it is %s', (_what, put, how) => {
    const path = aPath();
    put(path);
    try {
      withAppendOnlyFile(path, host, () => undefined);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'damaged_file' });
      expect(JSON.stringify(error)).toMatch(how);
    }
  });
});
