/** The files of earlier versions of hedge in the state folder. Asked for at each start without a journal. */
import { join } from 'node:path';
import { say, shell } from '../../domain/hint.ts';
import { DamagedFileError } from '../../errors.ts';
import { checkFolder, statOf } from '../../platform/atomic-file.ts';
import type { Host } from '../../platform/host.ts';

/** The journal itself, or one line that refers to the folder of its segments. */
export const SINGLE_FILE = 'journal.jsonl';
export const SEGMENT_FOLDER = 'journal';
export const HALT_FILE = 'halt.json';

/** In the order in which they are renamed: after a kill the folder can be read without the line that refers to it. */
const NAMES = [SINGLE_FILE, HALT_FILE, SEGMENT_FOLDER];

/** Paths of those that are there: `journal.jsonl`, `halt.json`, `journal`. @throws DamagedFileError */
export function earlierFiles(state: string, host: Host): readonly string[] {
  checkFolder(state, host);
  return NAMES.map((name) => join(state, name)).filter((path) => isThere(path));
}

/** A process that died left an empty `journal.jsonl`. */
function isThere(path: string): boolean {
  const stats = statOf(path);
  return stats !== undefined && (!stats.isFile() || stats.size > 0 || path.endsWith(HALT_FILE));
}

/** For a journal without a database. @throws DamagedFileError where there are any. */
export function refuseEarlierFiles(state: string, host: Host): void {
  const [path] = earlierFiles(state, host);
  if (path === undefined) return;
  throw new DamagedFileError(path, {
    code: 'journal_earlier',
    what: `${path} was written by an earlier version of hedge.`,
    hint: say`To take it over: ${shell`hedge journal import`}`,
  });
}
