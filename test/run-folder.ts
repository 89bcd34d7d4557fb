import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { quickFolder } from './quick-folder.ts';

/** Of how many projects: each asks for it. */
let users = 0;
let folder = '';

/** One folder for all temporary files of a run: a worker that is ended leaves its own behind. */
export default function setUp(): () => void {
  if (users++ === 0) {
    // Short, as the address of a socket in it may have 107 bytes.
    folder = mkdtempSync(join(quickFolder(), 'h'));
    // A database runs as another user.
    chmodSync(folder, 0o755);
    process.env['TMPDIR'] = folder;
  }
  return () => {
    if (--users === 0) rmSync(folder, { recursive: true, force: true });
  };
}
