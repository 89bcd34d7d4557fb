/** Files of ours: whole, closed to others, and never read when they are not truly ours. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hintText, shellWord } from '../../src/domain/hint.ts';
import { checkFolder, ensureFolder, readOwnFile, writeAtomically } from '../../src/platform/atomic-file.ts';
import { damagedFileError, modeOf, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const machine = testMachine();
const { host } = machine;
const another = { ...host, uid: (host.uid ?? 0) + 1 };
const read = (path: string, maxBytes = 100) => readOwnFile(path, { host, maxBytes })?.toString('utf8');

describe('writing', () => {
  it.each(['000', '022', '077'])('closes files and folders to others under umask %s', async (umask) => {
    const folder = join(temporaryFolder(), 'a', 'b');
    await withUmask(Number.parseInt(umask, 8), () => {
      ensureFolder(folder, host);
      writeAtomically(join(folder, 'file'), 'x', machine);
    });
    expect([modeOf(join(folder, '..')), modeOf(folder), modeOf(join(folder, 'file'))]).toEqual([
      '700',
      '700',
      '600',
    ]);
  });

  it('replaces what was there and leaves no other file', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    writeAtomically(path, 'old', machine);
    writeAtomically(path, new Uint8Array([0xff, 0]), machine);
    expect(readFileSync(path)).toEqual(Buffer.from([0xff, 0]));
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('closes a file that was open to others', () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'old');
    chmodSync(path, 0o666);
    writeAtomically(path, 'new', machine);
    expect(modeOf(path)).toBe('600');
  });

  it('does not write through a link, and its target stays as it was', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'victim'), 'mine');
    symlinkSync('victim', join(folder, 'file'));
    const error = damagedFileError(() => writeAtomically(join(folder, 'file'), 'x', machine));
    expect(error).toMatchObject({ code: 'damaged_file', path: join(folder, 'file'), effect: 'none' });
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('mine');
  });

  it("does not replace another user's file, or a folder", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'theirs');
    mkdirSync(join(folder, 'folder'));
    const theirs = damagedFileError(() =>
      writeAtomically(join(folder, 'file'), 'x', { ...machine, host: another }),
    );
    expect(theirs.what).toContain('belongs to another user');
    expect(damagedFileError(() => writeAtomically(join(folder, 'folder'), 'x', machine)).what).toContain(
      'not a regular file',
    );
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('theirs');
  });

  it('says what is wrong when the folder is missing or is a file', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(damagedFileError(() => writeAtomically(join(folder, 'no', 'file'), 'x', machine)).what).toContain(
      '(ENOENT)',
    );
    expect(damagedFileError(() => ensureFolder(join(folder, 'file', 'sub'), host)).what).toContain(
      'is not a folder (ENOTDIR)',
    );
  });

  it("does not touch another's temporary file of the same name", () => {
    const folder = temporaryFolder();
    const fixed = {
      ...machine,
      random: { fraction: () => 0, bytes: (count: number) => new Uint8Array(count) },
    };
    writeFileSync(join(folder, 'file.0000000000000000.tmp'), 'theirs');
    expect(damagedFileError(() => writeAtomically(join(folder, 'file'), 'x', fixed)).what).toContain(
      'EEXIST',
    );
    expect(readdirSync(folder)).toEqual(['file.0000000000000000.tmp']);
  });
});

describe('a data folder', () => {
  it('is closed when others could look into it', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    ensureFolder(folder, host);
    expect(modeOf(folder)).toBe('700');
  });

  it.each(['770', '707', '777'])('is refused at mode %s, with the command that closes it', (mode) => {
    const folder = temporaryFolder();
    chmodSync(folder, Number.parseInt(mode, 8));
    expect(hintText(damagedFileError(() => ensureFolder(folder, host)).hint)).toContain(
      `chmod 700 ${folder}`,
    );
    expect(modeOf(folder)).toBe(mode);
  });

  it('is refused when it is a link, a file, or of another user', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    writeFileSync(join(folder, 'file'), '');
    expect(damagedFileError(() => ensureFolder(join(folder, 'link'), host)).what).toContain(
      'is not a folder',
    );
    expect(damagedFileError(() => checkFolder(join(folder, 'file'), host)).what).toContain('is not a folder');
    expect(damagedFileError(() => checkFolder(folder, another)).what).toContain('another user');
    expect(() => checkFolder(join(folder, 'absent'), host)).not.toThrow();
  });
});

describe('reading', () => {
  it('gives the bytes, an empty file included, and undefined when there is no file', () => {
    const folder = temporaryFolder();
    writeAtomically(join(folder, 'file'), 'ten bytes.', machine);
    writeAtomically(join(folder, 'empty'), '', machine);
    expect(read(join(folder, 'file'), 10)).toBe('ten bytes.');
    expect(read(join(folder, 'empty'))).toBe('');
    expect(read(join(folder, 'absent'))).toBeUndefined();
  });

  it('refuses a file larger than it should be', () => {
    const path = join(temporaryFolder(), 'file');
    writeAtomically(path, 'ten bytes.', machine);
    expect(damagedFileError(() => read(path, 9)).what).toBe(`${path} is larger than 9 bytes.`);
  });

  it.each(['604', '620', '640', '644', '666', '601'])(
    'refuses mode %s, and names the command that closes it',
    (mode) => {
      const path = join(temporaryFolder(), 'file');
      writeFileSync(path, 'x');
      chmodSync(path, Number.parseInt(mode, 8));
      const error = damagedFileError(() => read(path));
      expect(hintText(error.hint)).toContain(`chmod 600 ${path}`);
      expect(modeOf(path)).toBe(mode);
    },
  );

  it('follows no link, even to a data file', () => {
    const folder = temporaryFolder();
    writeAtomically(join(folder, 'file'), 'x', machine);
    symlinkSync('file', join(folder, 'link'));
    expect(damagedFileError(() => read(join(folder, 'link'))).what).toContain('symbolic link');
  });

  it('does not wait for a pipe', () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    expect(damagedFileError(() => read(path)).what).toContain('not a regular file');
  });

  it("refuses a folder, another user's file, and a path through a file", () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    writeAtomically(path, 'x', machine);
    expect(damagedFileError(() => read(folder)).what).toContain('not a regular file');
    expect(damagedFileError(() => readOwnFile(path, { host: another, maxBytes: 9 })).what).toContain(
      'another user',
    );
    expect(damagedFileError(() => read(join(path, 'sub'))).what).toContain('ENOTDIR');
    expect(existsSync(path)).toBe(true);
  });
});

describe('a path in a hint', () => {
  it.each([
    ['/home/ada/.config', '/home/ada/.config'],
    ['/home/ada lovelace', "'/home/ada lovelace'"],
    ["/it's", `'/it'"'"'s'`],
    ['/$(rm)', "'/$(rm)'"],
  ])('%s is written for a shell as %s', (path, word) => {
    expect(shellWord(path)).toBe(word);
  });
});
