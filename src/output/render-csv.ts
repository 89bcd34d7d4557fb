/** A list as CSV (RFC 4180, UTF-8): figures with every digit, times in UTC, and no cell that a spreadsheet runs. */
import { Big } from 'big.js';
import { stringify } from 'csv-stringify/sync';
import { exactDigits, writeExactJson } from '../domain/exact-json.ts';
import { guardRest } from '../domain/formula-guard.ts';
import { exactInstant, instantOf } from '../domain/instants.ts';
import { escapeJson, sanitize, withoutControls } from '../domain/sanitize.ts';
import { isTimeField } from './field-labels.ts';
import { flatTable, type RecordTable } from './record-table.ts';

/** A number, which keeps its minus. */
interface Figure {
  digits: string;
}

/** `harmless`: for a terminal, where text is one sanitized line. In a pipe it keeps its line ends. */
export function renderCsv(table: RecordTable, { harmless }: { harmless: boolean }): string {
  const { columns, rows } = flatTable(table);
  if (columns.length === 0) return '';
  const textOf = (text: string): string => guardRest(harmless ? sanitize(text) : withoutControls(text));
  const cells = rows.map((row) => row.map((value, at) => cellOf(columns[at] ?? '', value)));
  return stringify([columns, ...cells], {
    record_delimiter: 'windows',
    escape_formulas: true,
    // A line end in a cell would start a new line, and with it a formula.
    quoted_match: /[\r\n]/,
    cast: { string: textOf, object: ({ digits }) => ({ value: String(digits), escape_formulas: false }) },
  });
}

function cellOf(column: string, value: unknown): Figure | string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') {
    if (DECIMAL.test(value)) return figure(value);
    return isTimeField(column) ? inUtc(value) : value;
  }
  if (value instanceof Big) return figure(exactDigits(value));
  return figure(escapeJson(writeExactJson(value)));
}

const figure = (digits: string): Figure => ({ digits });

/** Some services send money as text to keep its digits. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const OTHER_ZONE = /[+-]\d\d:?\d\d$/;

function inUtc(text: string): string {
  const instant = OTHER_ZONE.test(text) ? instantOf(text) : undefined;
  return instant === undefined ? text : exactInstant(instant);
}
