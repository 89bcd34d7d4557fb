/** What an operator is told to do about a file that the system refused: it fits the cause. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hintText } from '../../src/domain/hint.ts';
import { fileAdvice, fileError } from '../../src/platform/file-errors.ts';
import { permissionAdvice } from '../../src/platform/permission-advice.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const failure = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

/** A data file in a folder, with these permissions. */
function fileWith(modes: { file: number; folder: number }) {
  const folder = join(temporaryFolder(), 'state');
  const path = join(folder, 'journal.sqlite');
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
    expect(hintText(permissionAdvice(path))).toMatch(new RegExp(`\nchmod u[+]rw ${path}$`));
    expect(hintText(fileError('read', path, failure(code)).hint)).toMatch(
      /^Check who owns it, and its permissions/,
    );
  });

  it('names the folder that may not be written to', () => {
    const { folder, path } = fileWith({ file: 0o600, folder: 0o500 });
    expect(hintText(permissionAdvice(path))).toContain(`chmod u+rwx ${folder}`);
  });

  it('names the existing folder in which none can be created', () => {
    const { folder } = fileWith({ file: 0o600, folder: 0o500 });
    expect(hintText(permissionAdvice(join(folder, 'new', 'journal.sqlite')))).toMatch(
      new RegExp(`chmod u[+]rwx ${folder}$`),
    );
  });

  it("names the owner of another user's file, and no chmod, which only the owner may do", () => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    const { uid } = userInfo();
    const advice = hintText(permissionAdvice(path, uid + 1));
    expect(advice).toMatch(
      /belongs to another user [(]ID \d+[)]\. Run hedge as that user, or set HEDGE_HOME/,
    );
    expect(advice).not.toContain('chmod');
    expect(path).toContain(advice.split(' ')[0]);
  });

  it('has no advice where the permissions are not the cause', () => {
    const { path } = fileWith({ file: 0o600, folder: 0o700 });
    expect(permissionAdvice(path)).toBeUndefined();
  });
});

describe('advice on a file that the system refused for another reason', () => {
  it.each([
    ['EACCES', /^Check who owns it/],
    ['EPERM', /^Check who owns it/],
    ['ENOSPC', /^Free disk space/],
    ['EDQUOT', /^Free disk space/],
    ['EROFS', /^Make the disk writable/],
    ['EIO', /^Check the disk/],
  ])('fits the cause: %s', (code, advice) => {
    expect(fileAdvice(failure(code))).toMatch(advice);
    expect(hintText(fileError('write', '/data/journal.sqlite', failure(code)).hint)).toMatch(advice);
  });

  it('is left to the caller where the cause is not known', () => {
    expect(fileAdvice(failure('ESOMETHING'))).toBeUndefined();
    expect(hintText(fileError('write', '/data/x', failure('ESOMETHING')).hint)).toBe(
      'Fix that. Then try again.',
    );
  });
});
