/** A journal put on disk line by line, as a run of the program (or a crash of one) would have left it. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { chainedLine, hashOfLine, NO_LINE } from '../../src/journal/chain.ts';
import type { JournalRecord } from '../../src/journal/records.ts';

/** The file that the records of this home go to: the last segment, or `journal.jsonl` without one. */
export function journalFile(home: string): string {
  const folder = join(home, 'state', 'journal');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  const last = names.toSorted().at(-1);
  return last === undefined ? join(home, 'state', 'journal.jsonl') : join(folder, last);
}

/** Every record of all segments, in order, as text without the chain; empty without a journal. */
export function journalText(home: string): string {
  const folder = join(home, 'state', 'journal');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  if (names.length === 0) {
    const path = join(home, 'state', 'journal.jsonl');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }
  return names
    .toSorted()
    .map((name) => withoutLinks(readFileSync(join(folder, name), 'utf8')))
    .join('');
}

/** One file in the place of the journal, as the first version left it. */
export function replaceJournal(home: string, text: string): void {
  removeJournal(home);
  mkdirSync(join(home, 'state'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'state', 'journal.jsonl'), text, { mode: 0o600 });
}

/** As on another machine, or in a new folder. */
export function removeJournal(home: string): void {
  for (const name of ['journal.jsonl', 'journal'])
    rmSync(join(home, 'state', name), { recursive: true, force: true });
}

/** Adds the lines to the journal of the desk whose home this is, and gives its path. */
export function writeJournal(home: string, lines: readonly (JournalRecord | string)[]): string {
  mkdirSync(join(home, 'state'), { recursive: true, mode: 0o700 });
  const path = journalFile(home);
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  if (path.endsWith('/journal.jsonl')) appendFileSync(path, `${text.join('\n')}\n`, { mode: 0o600 });
  else appendFileSync(path, chained(text, linesIn(path).at(-1)));
  return path;
}

/** Changes the text of the last segment, as if it had been written so. Its index would tell that it was not. */
export function rewriteJournal(home: string, change: (text: string) => string): void {
  const path = journalFile(home);
  const plain = linesIn(path).map(withoutLinks);
  writeFileSync(path, chained(change(plain.join('\n')).split('\n'), undefined));
  for (const name of ['active.index', 'active.terms']) rmSync(join(dirname(path), name), { force: true });
}

const withoutLinks = (text: string): string =>
  text.replaceAll(/,"prev":"[0-9a-f]{64}","crc":"[0-9a-f]{8}"\}$/gm, '}');

const linesIn = (path: string): readonly string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

function chained(records: readonly string[], last: string | undefined): string {
  let prev = last === undefined ? NO_LINE : hashOfLine(Buffer.from(last));
  return records
    .map((record) => {
      const line = chainedLine(record, prev);
      prev = hashOfLine(Buffer.from(line));
      return `${line}\n`;
    })
    .join('');
}
