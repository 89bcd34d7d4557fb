/** The journal of a desk on disk: one file, or segments in a folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const singleFile = (home: string): string => join(home, 'state', 'journal.jsonl');
const segmentFolder = (home: string): string => join(home, 'state', 'journal');

/** What journal.jsonl holds once there are segments. */
const isMarker = (text: string): boolean => text.startsWith('{"schema":3,"kind":"segments"');

function journalFiles(home: string): readonly string[] {
  const single = singleFile(home);
  if (!existsSync(single)) return [];
  if (!isMarker(readFileSync(single, 'utf8'))) return [single];
  const folder = segmentFolder(home);
  const names = readdirSync(folder).filter((name) => /^\d+(-\d{4}-\d\d)?\.jsonl$/.test(name));
  return names.toSorted().map((name) => join(folder, name));
}

/** The file that the next record is appended to. */
export const journalFile = (home: string): string => journalFiles(home).at(-1) ?? singleFile(home);

/** The hash of the line before it and its checksum, at the end of a line. */
const LINK = /,"prev":"[0-9a-f]{64}","crc":"[0-9a-f]{8}"\}$/gm;

/** Every line, in order, as the first version wrote it; empty without a journal. */
export const journalText = (home: string): string =>
  journalFiles(home)
    .map((path) => readFileSync(path, 'utf8'))
    .join('')
    .replace(LINK, '}');

/** Puts one file in the place of the journal, as the first version left it. */
export function replaceJournal(home: string, text: string): void {
  removeJournal(home);
  mkdirSync(join(home, 'state'), { recursive: true, mode: 0o700 });
  writeFileSync(singleFile(home), text, { mode: 0o600 });
}

/** As on another machine. */
export function removeJournal(home: string): void {
  rmSync(singleFile(home), { force: true });
  rmSync(segmentFolder(home), { recursive: true, force: true });
}
