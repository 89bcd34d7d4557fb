/** Lines of `hedge journal export` as records: the chain must be that of a journal from its first record on. */
import { DamagedFileError } from '../../errors.ts';
import { type ExportedLine, exportedLines } from '../export.ts';
import type { NewRecord } from '../store/insert-records.ts';
import { isNextOf, NO_HEAD, parseRecord } from '../store/record-rows.ts';

/** Whether the file begins with a line of an export. */
export function isExport(path: string): boolean {
  for (const { stored } of exportedLines(path)) return stored !== undefined;
  return false;
}

/** Follows the lines of one export, or of several that continue each other. */
export class ExportedRecords {
  actions = 0;
  #last = NO_HEAD;

  /** The record exactly as it was exported. @throws DamagedFileError naming a line that is not what was exported. */
  add(path: string, { line, stored }: ExportedLine): NewRecord {
    const what = `Line ${line.toString()} of ${path}`;
    if (stored === undefined) throw refused(path, `${what} is not a line of an export.`);
    const { seq, id, record, stamp } = stored;
    if (line === 1 && seq > this.#last.seq + 1)
      throw refused(
        path,
        `${path} begins at record ${seq.toString()}: a journal cannot begin with it.`,
        'Export without --since, or name the export with the records before it first.',
      );
    if (!isNextOf(this.#last, stored))
      throw refused(
        path,
        `${what} is not what was exported: its hash does not match, or lines before it were removed.`,
      );
    const read = parseRecord(record);
    if (typeof read === 'string') throw refused(path, `${what} ${read}.`);
    if (read.kind === 'intent') this.actions += 1;
    this.#last = stored;
    return { id, record, stamp };
  }
}

const refused = (path: string, what: string, hint = 'Use another copy of the export.'): DamagedFileError =>
  new DamagedFileError(path, { what, meaning: 'Nothing was imported, and nothing was sent.', hint });
