/** Files that the operator names. */
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readUserFile } from '../../src/platform/atomic-file.ts';
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
  expect(read(join(folder, 'absent'))).toEqual({ why: 'there is no such file or folder (ENOENT)' });
});
