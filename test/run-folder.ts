import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { quickFolder } from './quick-folder.ts';

const MADE = 'HEDGE_TEST_FOLDER';

/** One folder for all temporary files of a run, whose workers are ended before they remove their own. Each project asks for it. */
export function setup(): () => void {
  if (process.env[MADE] !== undefined) return () => undefined;
  // Short, as the address of a socket in it may have 107 bytes.
  const folder = mkdtempSync(join(quickFolder(), 'h'));
  // A database runs as another user.
  chmodSync(folder, 0o755);
  process.env[MADE] = folder;
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
