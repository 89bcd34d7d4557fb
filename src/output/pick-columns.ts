/** `--columns`: names and headings to columns, and a list with only these, on a screen and as records. */
import { closestMatch } from '../domain/did-you-mean.ts';
import { ownField } from '../domain/fields.ts';
import { quoted, unquoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { Block, Column, TableBlock } from './blocks.ts';
import { type Cell, missing } from './cells.ts';
import { cellOf, headerOf, upperHeader } from './field-labels.ts';
import { flatTable, type RecordTable } from './record-table.ts';

interface ListResult {
  blocks(): readonly Block[];
  table(): RecordTable | undefined;
}

/** A table whose rows are records of the list. */
const isList = (block: Block): block is TableBlock => block.kind === 'table' && block.records !== undefined;

/** @throws UsageError that names the closest columns, and as many others as two lines take. */
export function checkColumns(result: ListResult, typed: readonly string[]): void {
  const { find, fields, headings, isEmpty } = columnsOfResult(result);
  // An empty list has no fields beyond those that hedge knows.
  const unknown = isEmpty ? undefined : wordsOf(typed).find((word) => find(word) === undefined);
  if (unknown === undefined) return;
  const others = fields.filter((each) => !headings.some(({ field }) => field === each));
  const all = [...headings, ...others.map((field) => ({ field, header: field }))];
  const closest = closestTo(unknown, all).join(' or ');
  const meant = closest === '' ? '' : `Did you mean ${closest}? `;
  throw new UsageError(
    `Unknown column: ${quoted(unknown)}.`,
    `${meant}${listOf(all, TWO_LINES - meant.length)}`,
    { column: unknown, columns: all.map(({ field }) => field) },
  );
}

/** Characters that take two lines in a window of 80, wherever a line breaks. */
const TWO_LINES = 138;
const MOST_MEANT = 3;

/** Names that contain the word, as a whole or mistyped, as a field or as a heading. */
function closestTo(word: string, columns: readonly Heading[]): readonly string[] {
  const name = bare(word);
  const partsOf = ({ header, field }: Heading): readonly string[] =>
    [header, field, lastPart(field)].flatMap((each) => [bare(each), ...bare(each).split(/[ .]/)]);
  const like = columns.filter((column) => partsOf(column).some((part) => part === name));
  const mistyped = columns.filter((column) => closestMatch(name, partsOf(column)) !== undefined);
  return (like.length > 0 ? like : mistyped).slice(0, MOST_MEANT).map(({ field }) => unquoted(field));
}

/** `Columns: id (HEDGE), market, units.`: those of the screen with their headings, then the others; or as many as there is room for. */
function listOf(columns: readonly Heading[], room: number): string {
  const names = columns.map(({ header, field }) =>
    bare(header) === bare(field) ? field : `${field} (${header})`,
  );
  const all = `Columns: ${names.join(', ')}.`;
  if (all.length <= room) return all;
  const cut = (count: number): string => {
    const fields = columns.slice(0, count).map(({ field }) => field);
    return `Columns: ${fields.join(', ')}, and ${columns.length - count} more; --csv begins with all of them.`;
  };
  let count = columns.length - 1;
  while (count > 1 && cut(count).length > room) count -= 1;
  return cut(count);
}

/** The blocks of a result, its tables with only these columns. Undefined: as they are. */
export function pickedBlocks(result: ListResult, typed: readonly string[] | undefined): readonly Block[] {
  const blocks = result.blocks();
  if (typed === undefined) return blocks;
  const { find, headings } = columnsOfResult(result);
  const fields = fieldsOf(typed, find);
  if (blocks.some(isList)) return blocks.map((each) => (isList(each) ? pickedTable(each, fields) : each));
  const table = result.table() ?? { columns: [], records: [] };
  return [pickedTable({ kind: 'table', columns: headings, rows: [], records: table.records }, fields)];
}

/** The table with only these columns, for CSV and JSON Lines. */
export function pickedRecords(result: ListResult, table: RecordTable, typed: readonly string[]): RecordTable {
  const picked = fieldsOf(typed, columnsOfResult(result).find);
  const { rows } = flatTable({ ...table, picked });
  return {
    columns: table.columns,
    picked,
    records: rows.map((row) => nested(picked.map((field, at) => [pathOf(field), row[at] ?? null]))),
  };
}

const wordsOf = (typed: readonly string[]): readonly string[] =>
  typed.map((word) => word.trim()).filter((word) => word !== '');

const fieldsOf = (
  typed: readonly string[],
  find: (word: string) => string | undefined,
): readonly string[] => [...new Set(wordsOf(typed).map((word) => find(word) ?? word))];

/** `Net P&L`, `NET_P&L` and `net_pnl` are one heading. */
const bare = (word: string): string =>
  word
    .toLowerCase()
    .replace(/[()]/g, '')
    .replaceAll('&', 'n')
    .replace(/[\s_-]+/g, ' ')
    .trim();

/** `NOTIONAL USD` is also `notional`. */
const withoutUnit = (word: string): string => bare(word).replace(/ (?:usdc?|pct|%|bps)$/, '');

/** `receipt.hedge_id` is also `hedge_id`. */
const lastPart = (field: string): string => bare(field.slice(field.lastIndexOf('.') + 1));

/** The service's name of a deal ID, and that of the journal. */
const SAME: Readonly<Record<string, string>> = {
  'deal id': 'client_reference',
  'client reference': 'deal_id',
};

interface Heading {
  header: string;
  field: string;
}

function headingsOf(block: Block): readonly Heading[] {
  const named =
    block.kind === 'pairs'
      ? block.pairs.map(({ name, field }) => ({ header: upperHeader(name), field }))
      : isList(block)
        ? block.columns
        : [];
  return named.flatMap(({ header, field }) => (field === undefined ? [] : [{ header, field }]));
}

function columnsOfResult(result: ListResult) {
  const table = result.table() ?? { columns: [], records: [] };
  const { columns: fields } = flatTable(table);
  const headings = result.blocks().flatMap(headingsOf);
  const find = (word: string): string | undefined => {
    const name = bare(word);
    const same = ownField(SAME, name);
    const heading =
      headings.find(({ header }) => bare(header) === name) ??
      headings.find(({ header }) => withoutUnit(header) === name);
    return (
      fields.find((field) => bare(field) === name) ??
      heading?.field ??
      fields.find((field) => lastPart(field) === name || withoutUnit(field) === name) ??
      fields.find((field) => field === same)
    );
  };
  return { fields, headings, isEmpty: table.records.length === 0, find };
}

function pickedTable(block: TableBlock, fields: readonly string[]): TableBlock {
  const records = block.records ?? [];
  const rowCount = Math.max(records.length, block.rows.length);
  const flat = flatTable({ columns: fields, records, like: fields, picked: fields }).rows;
  const columns = fields.map((field, index): { column: Column; cells: readonly Cell[] } => {
    const at = block.columns.findIndex((column) => column.field === field);
    const known = block.columns[at];
    const cells = Array.from({ length: rowCount }, (_, row): Cell => {
      const cell = known === undefined ? undefined : block.rows[row]?.[at];
      return cell ?? cellOf(field, flat[row]?.[index]);
    });
    return { column: known ?? { header: headerOf(field), field }, cells };
  });
  return {
    ...block,
    columns: columns.map(({ column: { optional: _optional, group: _group, ...column } }) => column),
    rows: Array.from({ length: rowCount }, (_, row) => columns.map(({ cells }) => cells[row] ?? missing)),
    fixed: true,
  };
}

type Leaf = readonly [path: readonly string[], value: unknown];

/** `a.b` in `a` again, as in the whole record. */
function nested(leaves: readonly Leaf[]): unknown {
  const groups = new Map<string, Leaf[]>();
  for (const [[name = '', ...rest], value] of leaves)
    groups.set(name, [...(groups.get(name) ?? []), [rest, value]]);
  return Object.fromEntries(
    [...groups].map(([name, inner]) => {
      const own = inner.find(([path]) => path.length === 0);
      const below = inner.filter(([path, value]) => path.length > 0 && (own === undefined || value !== null));
      return [name, below.length === 0 ? own?.[1] : nested(below)];
    }),
  );
}

const pathOf = (field: string): readonly string[] =>
  field.split(/(?<!\\)\./).map((part) => part.replace(/\\(.)/g, '$1'));
