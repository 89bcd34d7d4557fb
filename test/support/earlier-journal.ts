/** Journals as earlier versions of hedge left them, written as plain text: one file of format 1, 2 or 3, or chained segments. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface EarlierJournal {
  /** Content of `journal.jsonl`: the lines from before the segments, or anything else. */
  single?: string | Buffer;
  /** In order; the first one may be `0000.jsonl`. `archive`: the folder it was moved to. */
  segments?: readonly { name: string; content: string | Buffer; archive?: string }[];
  /** Content of `halt.json`. */
  halt?: string;
}

const MARKER = '{"schema":3,"kind":"segments","folder":"journal"}\n';

export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

/** A record without what its format did not have. */
export function inFormat(format: 1 | 2 | 3, record: object): object {
  const fields = Object.entries({ ...record, schema: format }).filter(
    ([name]) =>
      !['halt_id', 'halt_ids'].includes(name) &&
      (format === 3 || !['operator', 'version', 'note', 'short_id'].includes(name)),
  );
  return Object.fromEntries(
    fields.map(([name, value]) =>
      name === 'identity' && format === 1
        ? [name, Object.assign({}, value, { account: undefined })]
        : [name, value],
    ),
  );
}

export const linesOf = (format: 1 | 2 | 3, records: readonly object[]): string =>
  records.map((each) => `${JSON.stringify(inFormat(format, each))}\n`).join('');

/** `prev`: hash of the line before, or of the whole file before; undefined for the first line of all. */
export function chainedLines(records: readonly (object | string)[], prev = '0'.repeat(64)): string {
  let before = prev;
  return records
    .map((each) => {
      const line = typeof each === 'string' ? each : chainedLine(inFormat(3, each), before);
      before = sha256(line);
      return `${line}\n`;
    })
    .join('');
}

export function chainedLine(record: object, prev: string): string {
  const start = `${JSON.stringify(record).slice(0, -1)},"prev":"${prev}"`;
  return `${start},"crc":"${crc32(start).toString(16).padStart(8, '0')}"}`;
}

/** The hash of the last line, for the next segment. */
export const headOf = (content: string): string => sha256(content.split('\n').at(-2) ?? '');

/** Segments of these records, chained from one to the next. `zero`: the file before them. */
export function segmentsOf(
  months: Readonly<Record<string, readonly (object | string)[]>>,
  zero?: string | Buffer,
): { name: string; content: string | Buffer }[] {
  let prev = zero === undefined ? undefined : sha256(zero);
  const segments = Object.entries(months).map(([month, records], index) => {
    const content = chainedLines(records, prev);
    prev = headOf(content);
    return { name: `${(index + 1).toString().padStart(4, '0')}-${month}.jsonl`, content };
  });
  return zero === undefined ? segments : [{ name: '0000.jsonl', content: zero }, ...segments];
}

/** Writes the files into the state folder. */
export function writeEarlierJournal(state: string, { single, segments, halt }: EarlierJournal): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const content = single ?? (segments === undefined ? undefined : MARKER);
  if (content !== undefined) put(join(state, 'journal.jsonl'), content);
  if (halt !== undefined) put(join(state, 'halt.json'), halt);
  for (const each of segments ?? [])
    put(join(each.archive ?? join(state, 'journal'), each.name), each.content);
  const archived = (segments ?? []).flatMap(({ name, content: text, archive }) =>
    archive === undefined ? [] : [registered(name, text, archive)],
  );
  if (archived.length > 0)
    put(join(state, 'journal', 'archived.json'), JSON.stringify({ version: 1, segments: archived }));
  // The lookups of archived segments stay.
  for (const { name } of archived) put(join(state, 'journal', `${name}.lookup`), 'a lookup');
}

const registered = (name: string, content: string | Buffer, folder: string) => ({
  name: name.replace('.jsonl', ''),
  number: Number(name.slice(0, 4)),
  lines: content.toString().split('\n').length - 1,
  bytes: Buffer.byteLength(content),
  head: headOf(content.toString()),
  folder,
  at: '2026-11-20T12:00:00.000Z',
  operator: 'ada@desk',
});

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
}
