/** What an operator is told to do about a file that the system refused: it fits the cause. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileAdvice, fileError } from '../../src/platform/file-errors.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const failure = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

/** A data file in a folder, with these permissions. */
function fileWith(modes: { file: number; folder: number }) {
  const folder = join(temporaryFolder(), 'state');
  const path = join(folder, 'journal.jsonl');
  mkdirSync(folder);
  writeFileSync(path, '');
  chmodSync(path, modes.file);
  chmodSync(folder, modes.folder);
  onTestFinished(() => chmodSync(folder, 0o700));
  return { folder, path };
}

describe.skipIf(process.platform === 'win32')('advice on a file without permission', () => {
  it.each(['EACCES', 'EPERM'])('names the command that permits the file itself: %s', (code) => {
    const { path } = fileWith({ file: 0o000, folder: 0o700 });
    expect(fileAdvice(path, failure(code))).toBe(
      `Permit yourself to use it (chmod u+rw ${path}), then try again.`,
    );
    expect(fileError('read', path, failure(code)).hint).toContain(`chmod u+rw ${path}`);
  });

  it('names the folder that may not be written to', () => {
    const { folder, path } = fileWith({ file: 0o600, folder: 0o500 });
    expect(fileAdvice(path, failure('EACCES'))).toContain(`chmod u+rwx ${folder}`);
  });

  it('names the existing folder in which none can be created', () => {
    const { folder } = fileWith({ file: 0o600, folder: 0o500 });
    expect(fileAdvice(join(folder, 'new', 'journal.jsonl'), failure('EACCES'))).toContain(
      `chmod u+rwx ${folder})`,
    );
  });

  it("names the owner of another user's file, and no chmod, which only the owner may do", () => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    const { uid } = userInfo();
    const advice = fileAdvice(path, failure('EACCES'), uid + 1);
    expect(advice).toMatch(
      /belongs to another user [(]ID \d+[)]\. Run hedge as that user, or set HEDGE_HOME/,
    );
    expect(advice).not.toContain('chmod');
    expect(path).toContain(advice?.split(' ')[0]);
  });

  it('asks to check the permissions where none of them is the cause', () => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    expect(fileAdvice(path, failure('EPERM'))).toMatch(/^Check its owner and permissions/);
  });
});

describe('advice on a file that the system refused for another reason', () => {
  it.each([
    ['ENOSPC', /^Free space on the disk/],
    ['EDQUOT', /^Free space in your quota/],
    ['EROFS', /^Make the disk writable/],
    ['EIO', /^Check the disk/],
    ['ENOTDIR', /^Move away the file/],
    ['ENAMETOOLONG', /shorter path/],
  ])('fits the cause: %s', (code, advice) => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    expect(fileAdvice(path, failure(code))).toMatch(advice);
    expect(fileError('write', path, failure(code)).hint).toMatch(advice);
  });

  it('is left to the caller where the cause is not known', () => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    expect(fileAdvice(path, failure('ESOMETHING'))).toBeUndefined();
  });
});
