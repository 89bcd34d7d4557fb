/**
 * Reads a table that a person saved from a spreadsheet: its delimiter, its header and its rows. A wrong cell
 * is a sentence; every wrong row is named at once.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';

export interface SheetRow {
  /** Of the file, from 1: the header is one. */
  line: number;
  /** By the name of its column, without spaces at either end. */
  cells: ReadonlyMap<string, string>;
}

export interface Sheet {
  rows: readonly SheetRow[];
  /** Columns of the file that were not asked for. */
  ignored: readonly string[];
  /** Rows whose cells are not those of the header. */
  wrong: readonly WrongRow[];
}

export interface SheetShape {
  /** For messages. */
  path: string;
  /** The right header, and what its columns hold: the hint of every error. */
  columns: readonly string[];
  /** Columns that the file may leave out. */
  optional?: readonly string[];
  example: string;
}

const DELIMITERS = [',', ';', '\t'] as const;
const MOST_ROWS = 10_000;

/** Columns in any order, further ones ignored, empty rows skipped. @throws UsageError */
export function readSheet(content: string, shape: SheetShape): Sheet {
  if (content.includes('\0') || content.includes('\ufffd'))
    throw wrongFile(`${quoted(shape.path)} is not UTF-8 text.`, shape, 'In Excel, save it as "CSV UTF-8".');
  const { text, delimiter, skipped } = delimited(content);
  const [header, ...records] = recordsIn(text, { delimiter, shape });
  const names = header?.cells.map(columnName) ?? [];
  const lacking = shape.columns.filter(
    (name) => !names.includes(name) && shape.optional?.includes(name) !== true,
  );
  const twice = shape.columns.find((name) => names.filter((each) => each === name).length > 1);
  if (header === undefined || lacking.length > 0 || twice !== undefined)
    throw wrongFile(
      header === undefined
        ? `${quoted(shape.path)} is empty.`
        : twice === undefined
          ? `The header of ${quoted(shape.path)} has no ${lacking.join(', ')}: ${quoted(header.cells.join(delimiter))}.`
          : `The header of ${quoted(shape.path)} has ${twice} twice.`,
      shape,
    );
  if (records.length > MOST_ROWS)
    throw wrongFile(`${quoted(shape.path)} has more than ${MOST_ROWS.toString()} rows.`, shape);
  const fits = ({ cells }: { cells: readonly string[] }): boolean =>
    cells.length <= names.length && !(delimiter === ',' && hasSplitNumber(cells, names, shape));
  return {
    rows: records.filter(fits).map(({ line, cells }) => ({
      line: line + skipped,
      cells: new Map(shape.columns.map((name) => [name, cells[names.indexOf(name)] ?? ''])),
    })),
    ignored: names.filter((name) => name !== '' && !shape.columns.includes(name)),
    wrong: records
      .filter((record) => !fits(record))
      .map(({ line }) => ({
        line: line + skipped,
        why: 'it has more cells than the header: put an amount with commas in quotation marks, "10,000.00".',
      })),
  };
}

/** `10,000.00` without quotation marks: its second part is in a column that is ignored, and ten would be read. */
const hasSplitNumber = (
  cells: readonly string[],
  names: readonly string[],
  { columns }: SheetShape,
): boolean =>
  cells.some(
    (cell, at) =>
      /^\d{1,3}$/.test(cell) &&
      /^\d{3}(?:\.\d*)?$/.test(cells[at + 1] ?? '') &&
      !columns.includes(names[at + 1] ?? ''),
  );

/** `Due ` and `DUE` are `due`. */
const columnName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Excel writes `sep=;` as a first line in some countries; otherwise the delimiter is the one that the header has most of. */
function delimited(content: string): { text: string; delimiter: string; skipped: number } {
  const text = content.replace(/^\ufeff/, '');
  const [, named = '', rest = ''] = /^"?sep=([,;\t])"?\r?\n([^]*)$/i.exec(text) ?? [];
  if (named !== '') return { text: rest, delimiter: named, skipped: 1 };
  const [header = ''] = text.trimStart().split(/\r\n|\r|\n/, 1);
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  const [delimiter = ','] = DELIMITERS.toSorted((one, other) => count(other) - count(one));
  return { text, delimiter, skipped: 0 };
}

function recordsIn(
  text: string,
  { delimiter, shape }: { delimiter: string; shape: SheetShape },
): readonly { line: number; cells: readonly string[] }[] {
  try {
    const found: readonly unknown[] = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return found.flatMap((each) => {
      const { record, info } = Object(each);
      const cells = Array.isArray(record) ? record.map((cell) => trimmed(String(cell))) : [];
      // Excel keeps rows that were emptied.
      return cells.every((cell) => cell === '') ? [] : [{ line: Number(info.lines), cells }];
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = Number(Object(error).lines);
    throw wrongFile(
      `Line ${at.toString()} of ${quoted(shape.path)} has a quotation mark that is not closed or not doubled.`,
      shape,
    );
  }
}

/** Spreadsheets pad with no-break spaces too. */
const trimmed = (cell: string): string => cell.replace(/^[\s\u00a0]+|[\s\u00a0]+$/g, '');

const wrongFile = (what: string, { columns, example }: SheetShape, more?: string): UsageError =>
  new UsageError(
    what,
    [...(more === undefined ? [] : [more]), `The header is: ${columns.join(',')}`, `A row: ${example}`].join(
      '\n',
    ),
  );

const MOST_SHOWN = 5;

/** A row that cannot be read, and why, as a sentence. */
export interface WrongRow {
  line: number;
  why: string;
}

/** @throws UsageError that names the wrong rows, the first five in words. */
export function rejectRows(wrong: readonly WrongRow[], shape: SheetShape): void {
  if (wrong.length === 0) return;
  const shown = wrong.slice(0, MOST_SHOWN).map(({ line, why }) => `Line ${line.toString()}: ${why}`);
  const more = wrong.length - shown.length;
  throw new UsageError(
    [
      `${quoted(shape.path)} has ${wrong.length === 1 ? 'a wrong row' : `${wrong.length.toString()} wrong rows`}. ${shown.join(' ')}`,
      ...(more > 0 ? [`And ${more.toString()} more.`] : []),
    ].join(' '),
    `The header is: ${shape.columns.join(',')}\nA row: ${shape.example}`,
    wrong.map(({ line, why }) => ({ line, message: why })),
  );
}
