/**
 * Reads a table that a person saved from a spreadsheet: its delimiter, its header and its amounts. A wrong cell
 * is a sentence; every wrong row is named at once.
 */
import type { Big } from 'big.js';
import { CsvError, parse } from 'csv-parse/sync';
import { withoutGuard } from '../domain/formula-guard.ts';
import { hintText } from '../domain/hint.ts';
import { LONGEST_ID, quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import {
  isSplitDecimal,
  isSplitThousand,
  unclearMark,
  withDecimalPoint,
  wrongComma,
} from './decimal-comma.ts';
import { hasDecimals, isNot, wholeDigits } from './operands.ts';
import { parseNaira } from './sizing.ts';

/** A row of the file. A rejection of it is kept for `rejectWrong`. */
export interface SheetRow {
  /** Line of the file, from 1: the header is one. */
  line: number;
  /** The text of a cell, without spaces at either end; empty in a file without its column. */
  cell: (column: string) => string;
  /** The value of a cell. Undefined if `read` throws a UsageError: a reader for operands, which has a hint, does not name the column. */
  value: <Value>(column: string, read: (text: string) => Value) => Value | undefined;
  /** `why`: a sentence. */
  reject: (why: string) => undefined;
  isRejected: () => boolean;
}

export interface SheetShape {
  /** For messages. */
  path: string;
  /** The right header, and what its columns hold: the hint of every error. */
  columns: readonly string[];
  optional?: readonly string[];
  /** Columns of amounts, in which a decimal comma is read. */
  amounts: readonly string[];
  /**
   * Two columns of amounts, of which a row needs one. Those amounts may be below a thousand: three digits behind one belong
   * to it.
   */
  either?: readonly [usual: string, other: string];
  example: string;
  /** The consequence of a wrong file, as a sentence. */
  meaning?: string;
}

const DELIMITERS = [',', ';', '\t'] as const;
const MOST_ROWS = 10_000;
/** A workbook is a zip archive. */
const ZIP = 'PK\u0003\u0004';

/**
 * Columns in any order, further ones ignored, empty rows skipped. `rejectWrong` throws one UsageError for all rows that were
 * rejected, among them those whose cells are not those of the header. @throws UsageError
 */
export function readSheet(
  content: string,
  shape: SheetShape,
): { rows: readonly SheetRow[]; ignored: readonly string[]; rejectWrong: () => void } {
  const { path, columns, optional = [], amounts, either } = shape;
  if (content.startsWith(ZIP))
    throw wrongFile(
      `${quoted(path)} is an Excel workbook, not CSV.`,
      shape,
      'In Excel, save its sheet as "CSV UTF-8", and name that file.',
    );
  if (content.includes('\0') || content.includes('\ufffd'))
    throw wrongFile(`${quoted(path)} is not UTF-8 text.`, shape, 'In Excel, save it as "CSV UTF-8".');
  const { text, delimiter, skipped } = delimited(content);
  const [header, ...records] = recordsIn(text, delimiter, shape);
  if (header === undefined) throw wrongFile(`${quoted(path)} is empty.`, shape);
  const names = header.cells.map(columnName);
  const twice = columns.find((name) => names.filter((each) => each === name).length > 1);
  if (twice !== undefined) throw wrongFile(`The header of ${quoted(path)} has ${twice} twice.`, shape);
  const lacking = columns.filter(
    (name) =>
      !names.includes(name) &&
      !optional.includes(name) &&
      !(name === either?.[0] && names.includes(either[1])),
  );
  if (lacking.length > 0)
    throw wrongFile(
      `The header of ${quoted(path)} has no ${lacking.join(', ')}: ${quoted(header.cells.join(delimiter))}.`,
      shape,
    );
  if (records.length > MOST_ROWS) throw wrongFile(`${quoted(path)} has more than ${MOST_ROWS} rows.`, shape);
  const hasDecimalComma = records.some(({ cells }) =>
    names.some((name, at) => amounts.includes(name) && withDecimalPoint(cells[at] ?? '') !== undefined),
  );
  const wrong: WrongRow[] = [];
  const rows = records.flatMap((record): SheetRow[] => {
    const line = record.line + skipped;
    const reject = (why: string): undefined => {
      wrong.push({ line, message: why });
    };
    if (
      record.cells.length > names.length ||
      (delimiter === ',' && hasSplitNumber(record.cells, names, shape))
    ) {
      reject('it has more cells than the header: put an amount with commas in quotation marks, "10,000.00".');
      return [];
    }
    const cell = (column: string): string => record.cells[names.indexOf(column)] ?? '';
    const value = <Value>(column: string, read: (from: string) => Value): Value | undefined => {
      const written = cell(column);
      const isAmount = amounts.includes(column);
      const unclear = isAmount && hasDecimalComma ? unclearMark(written) : undefined;
      if (unclear !== undefined) return reject(`${column}: ${unclear}`);
      const pointed = isAmount ? withDecimalPoint(written) : undefined;
      try {
        return read(pointed ?? written);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const comma = isAmount && pointed === undefined ? wrongComma(written) : undefined;
        if (comma !== undefined) return reject(`${column}: ${comma}`);
        const how = pointed === undefined ? '' : `${quoted(written)} has a decimal comma. `;
        if (error.hint === undefined) return reject(`${how}${error.what}`);
        return reject(`${column}: ${how}${error.what} ${hintText(error.hint).replaceAll('\n', ' ')}`);
      }
    };
    return [{ line, cell, value, reject, isRejected: () => wrong.some((each) => each.line === line) }];
  });
  return {
    rows,
    ignored: names.filter((name) => name !== '' && !columns.includes(name)),
    rejectWrong: () =>
      rejectRows(
        wrong.toSorted((one, another) => one.line - another.line),
        shape,
      ),
  };
}

/**
 * `10,000.00` or `45.000,00` without quotation marks: its second part is in a column that is ignored, or that has what may be
 * left out, and ten would be read.
 */
const hasSplitNumber = (
  cells: readonly string[],
  names: readonly string[],
  { columns, optional = [], amounts, either }: SheetShape,
): boolean =>
  cells.some((cell, at) => {
    const [name = '', next = ''] = [names[at], names[at + 1]];
    const behind = cells[at + 1] ?? '';
    if (isSplitThousand(cell, behind)) return either?.includes(name) === true || !columns.includes(next);
    const mayBeLeftOut = !columns.includes(next) || optional.includes(next);
    return amounts.includes(name) && mayBeLeftOut && isSplitDecimal(cell, behind);
  });

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

function recordsIn(text: string, delimiter: string, shape: SheetShape) {
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
      const cells = Array.isArray(record) ? record.map((cell) => withoutGuard(String(cell).trim())) : [];
      // Excel keeps rows that were emptied.
      return cells.every((cell) => cell === '') ? [] : [{ line: Number(info.lines), cells }];
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = Number(Object(error).lines);
    throw wrongFile(
      `Line ${at} of ${quoted(shape.path)} has a quotation mark that is not closed or not doubled.`,
      shape,
    );
  }
}

const wrongFile = (what: string, shape: SheetShape, more?: string): UsageError =>
  new UsageError(withMeaning(what, shape), [...(more === undefined ? [] : [more]), ...formOf(shape)]);

const withMeaning = (what: string, { meaning }: SheetShape): string =>
  meaning === undefined ? what : `${what} ${meaning}`;

/** The right header and a row, as lines of a hint. */
const formOf = ({ columns, either, example }: SheetShape): readonly string[] => [
  `The header is: ${columns.filter((name) => name !== either?.[1]).join(',')}`,
  ...(either === undefined ? [] : [`A row may have ${either[1]} instead of ${either[0]}.`]),
  `A row: ${example}`,
];

const MOST_SHOWN = 5;

interface WrongRow {
  line: number;
  /** A sentence. */
  message: string;
}

/** @throws UsageError that has the first five in words, and all in its details. A row may have several. */
function rejectRows(wrong: readonly WrongRow[], shape: SheetShape): void {
  if (wrong.length === 0) return;
  const rows = new Set(wrong.map(({ line }) => line)).size;
  const errors = rows === wrong.length ? '' : `, with ${wrong.length} errors`;
  const shown = wrong.slice(0, MOST_SHOWN).map(({ line, message }) => `Line ${line}: ${message}`);
  const more = wrong.length - shown.length;
  const what = `${quoted(shape.path)} has ${rows === 1 ? 'a wrong row' : `${rows} wrong rows`}${errors}.`;
  throw new UsageError(
    withMeaning(wrong.length === 1 ? [what, ...shown].join(' ') : what, shape),
    [
      ...(wrong.length === 1 ? [] : shown),
      ...(more > 0 ? [`And ${more} more: --json has all of them.`] : []),
      ...formOf(shape),
    ],
    wrong,
  );
}

const MAX_WHOLE = 15;
const AMOUNT_DECIMALS = 2;

/** Naira: `10000`, `10,000.00`, `800m`, `₦1.5bn`, `NGN 65m`: above zero, two decimals at most. @throws UsageError */
export function readAmount(text: string): Big {
  const value = parseNaira(text);
  if (/^(?:US\$|\$|USDT?\b)|(?:\$|\bUSDT?)$/i.test(text))
    throw new UsageError(`${quoted(text)} is in dollars: amounts of this file are naira.`);
  if (value === undefined || !hasDecimals(value, AMOUNT_DECIMALS))
    throw isNot(text, 'an amount: write 10000.50, 10,000.50, 800m or 1.5bn, with two decimals at most');
  if (value.eq(0)) throw new UsageError('the amount is zero.');
  if (wholeDigits(value) > MAX_WHOLE) throw new UsageError(`${quoted(text)} is too large.`);
  return value;
}

/** A row's own name: visible characters. @throws UsageError */
export function readRowId(text: string): string {
  if (text === '') throw new UsageError('the id is empty.');
  if (Array.from(text).length > LONGEST_ID)
    throw new UsageError(`the id is longer than ${LONGEST_ID} characters.`);
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text))
    throw new UsageError(`the id ${quoted(text)} has invisible characters.`);
  if (containsKey(text)) throw new UsageError(`the id ${quoted(text)} looks like an API key.`);
  return text;
}
