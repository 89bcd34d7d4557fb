/** An export: the chain as JSON lines, written from the database and read again. */
import * as z from 'zod/mini';
import { fieldsIn } from '../domain/fields.ts';
import { linesOf } from '../platform/file-lines.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { isHash } from './chain.ts';
import { refuseEarlierFiles } from './store/earlier-files.ts';
import { hashAt, headOf, storedRecords } from './store/record-rows.ts';
import { databaseFile, openJournalFile } from './store/schema.ts';

export interface ExportOptions {
  places: Pick<Paths, 'state'>;
  machine: Pick<Machine, 'host'>;
  /** ISO 8601 UTC: begins with the first record of that time or later, and has every one after it. */
  since?: string | undefined;
}

/**
 * The lines without their newlines, as the journal was when the first was taken: no writer waits, for records only
 * follow. None without a journal. @throws DamagedFileError
 */
export function* exportJournal({
  places: { state },
  machine: { host },
  since,
}: ExportOptions): Generator<string> {
  const db = openJournalFile(databaseFile(state), host);
  if (db === undefined) {
    refuseEarlierFiles(state, host);
    return;
  }
  try {
    const { seq: to } = headOf(db);
    const from =
      since === undefined ? 1 : db.get('SELECT min(seq) AS seq FROM records WHERE at >= ?', since)?.['seq'];
    if (typeof from !== 'number') return;
    // The hash of the record before, in the first line of an export that begins later than record 1.
    const prev = from === 1 ? undefined : hashAt(db, from - 1);
    for (const { seq, ...rest } of storedRecords(db, { from, to }))
      yield JSON.stringify({ seq, prev: seq === from ? prev : undefined, ...rest });
  } finally {
    db.close();
  }
}

const hash = z.string().check(z.refine(isHash));
const exportedRecord = z.object({
  seq: z.int().check(z.positive()),
  id: z.string(),
  record: z.string(),
  stamp: z.string(),
  hash,
  /** The hash of the record before, where the line states it. */
  prev: z.optional(hash),
});

/** A line of an export; `stored` is undefined for one that is none. */
export interface ExportedLine {
  /** From 1. */
  line: number;
  /** In bytes, with its newline. */
  bytes: number;
  stored: z.infer<typeof exportedRecord> | undefined;
}

/** The lines of an export, in constant memory. @throws DamagedFileError for a file that cannot be read. */
export function* exportedLines(path: string): Generator<ExportedLine> {
  let line = 0;
  for (const { bytes } of linesOf(path)) {
    line += 1;
    yield { line, bytes: bytes.length + 1, stored: exportedRecord.safeParse(fieldsIn(bytes)).data };
  }
}
