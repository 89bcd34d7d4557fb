/** A journal put on disk line by line, as a run of the program (or a crash of one) would have left it. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/journal/records.ts';
/** Adds the lines to the journal of the desk whose home this is, and gives its path. */
export function writeJournal(home: string, lines: readonly (JournalRecord | string)[]): string {
  const folder = join(home, 'state');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'journal.jsonl');
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  appendFileSync(path, `${text.join('\n')}\n`, { mode: 0o600 });
  return path;
}
