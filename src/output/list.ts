/**
 * A list, declared once. Its fields give the records of a document, CSV and JSON Lines, the names of --columns and their
 * completion, the table of a screen, and the lines of a watch. A reading of one resource is declared in the same way.
 */

import { writeExactJson } from '../domain/exact-json.ts';
import { isFields, ownField } from '../domain/fields.ts';
import { spelledName } from '../domain/sanitize.ts';
import type { Block, Column, TableBlock, TableSection, View } from './blocks.ts';
import { type Cell, type ChangeLine, nameText, text } from './cells.ts';
import { cellOf, labelOf, unknownFields, upperHeader } from './field-labels.ts';
import type { RecordTable } from './record-table.ts';

type Hides = Column['optional'];

/** Hidden early where every row has the same value. */
export const firstIfSame =
  <Row>(of: (row: Row) => unknown) =>
  (rows: readonly Row[]): Hides =>
    new Set(rows.map(of)).size > 1 ? 'last' : 'first';

/** `group`, `isId`, `wrap`, `align`: as of a column. */
export interface Field<Row> extends Omit<Column, 'header' | 'field' | 'optional' | 'note'> {
  /** Its name in a record and in CSV; `a.b` is `b` in the group `a`. */
  name: string;
  /** Its heading on a screen; without one it is only in records. */
  header?: string;
  /** Its value. Default: what the row has under its name. */
  of?: (row: Row) => unknown;
  /** Its value on a screen. Default: as its name tells (field-labels.ts). A dash where a row lacks it. */
  cell?: (value: unknown, row: Row) => Cell;
  /** In place of `cell`, also where a row lacks it. */
  show?: (row: Row) => Cell;
  /** The names in its group: each has a column in CSV, in place of its own. */
  parts?: readonly string[];
  /** The same for a column; it may depend on the rows. */
  optional?: Hides | ((rows: readonly Row[]) => Hides);
  note?: (rows: readonly Row[]) => string | undefined;
  /** In the row of a total too. */
  isSum?: boolean;
  /** Shown, but of no specification: in CSV after all others. */
  isExtra?: boolean;
}

interface ListOptions<Row, Rec> {
  /** For no rows. */
  empty?: string;
  /** The fields that name a row in the lines of a watch; without them there is no watch. */
  key?: readonly string[];
  /** The rows are records of the service: a field that none has takes no column, and others are shown after the known ones. */
  isSent?: boolean;
  /** Money and rates are rounded on a screen, and a line below says so. */
  isRounded?: boolean;
  /** The names in their order on a screen, if it is another. */
  screen?: string;
  /** The record of a row, where its fields are not all of it. */
  record?: (row: Row) => Rec;
}

/** The parts of a list that a command uses (commands/define.ts). */
export interface Listing<Value> {
  columns: readonly string[];
  document: (value: Value) => unknown;
  table: (value: Value) => RecordTable;
  view: (value: Value) => View;
  changes?: ((value: Value) => readonly ChangeLine[]) | undefined;
}

export interface List<Row, Rec> extends Listing<readonly Row[]> {
  fields: readonly Field<Row>[];
  record: (row: Row) => Rec;
  document: (rows: readonly Row[]) => Rec[];
  /** `only`: the fields to show, of those with a heading. */
  block: (rows: readonly Row[], shown?: Shown<Row>) => TableBlock;
  lines: (rows: readonly Row[]) => readonly ChangeLine[];
  /** The list in another value. `own`: in place of the list's. */
  within: <Value>(rowsOf: (value: Value) => readonly Row[], own?: Partial<Listing<Value>>) => Listing<Value>;
}

interface Shown<Row> {
  empty?: string;
  sections?: readonly TableSection[];
  /** A last row, with its sums only. */
  total?: Row;
  only?: (field: Field<Row>) => boolean;
}

/** `listOf<Row>()(fields)`: the fields are checked against the row. A text has names that are only in records. */
export const listOf =
  <Row extends object, Rec extends object = object>() =>
  (declared: readonly (Field<Row> | string)[], options: ListOptions<Row, Rec> = {}): List<Row, Rec> => {
    const fields = declared.flatMap((field): readonly Field<Row>[] =>
      typeof field === 'string' ? field.split(' ').map((name) => ({ name })) : [field],
    );
    const columns = fields.filter(({ isExtra }) => isExtra !== true).flatMap(columnsOfField);
    const record = recorderOf(fields, options);
    const onScreen = inOrder(fields, options.screen);
    const block = (rows: readonly Row[], shown: Shown<Row> = {}): TableBlock => {
      const known = onScreen.filter(
        (field) =>
          field.header !== undefined &&
          (shown.only?.(field) ?? true) &&
          (options.isSent !== true ||
            rows.length === 0 ||
            rows.some((row) => valueOf(field, row) !== undefined)),
      );
      const extra = options.isSent === true ? unknownFields(rows, fields.map(groupOf)) : [];
      const all: readonly Field<Row>[] = [
        ...known,
        ...extra.map((name) => ({ name, header: labelOf(name), optional: 'first' as const })),
      ];
      const { sections, total, empty = options.empty } = shown;
      return {
        kind: 'table',
        columns: all.map((field) => columnOf(field, rows)),
        rows: [
          ...rows.map((row) => all.map((field) => cellIn(field, row))),
          ...(total === undefined ? [] : [all.map((field, at) => totalCell(field, total, at))]),
        ],
        records: rows.map(record),
        empty,
        fixed: options.isSent === true || options.isRounded === true,
        sections,
      };
    };
    const { key } = options;
    const lines = (rows: readonly Row[]): readonly ChangeLine[] => rows.map(lineOf(fields, key ?? []));
    const within = <Value>(rowsOf: (value: Value) => readonly Row[], own: Partial<Listing<Value>> = {}) => ({
      columns,
      document: (value: Value) => rowsOf(value).map(record),
      table: (value: Value): RecordTable => ({ columns, records: rowsOf(value).map(record) }),
      view: (value: Value): View => [block(rowsOf(value))],
      changes: key === undefined ? undefined : (value: Value) => lines(rowsOf(value)),
      ...own,
    });
    const document = (rows: readonly Row[]): Rec[] => rows.map(record);
    return { ...within((rows: readonly Row[]) => rows), fields, record, document, block, lines, within };
  };

/** A reading of one resource, its fields one below the other; a missing one is a dash. */
export const resource =
  <Row extends object>(name: string) =>
  (fields: readonly Field<Row>[]): Listing<Row> & { lines: (row: Row) => readonly ChangeLine[] } => {
    const list = listOf<Row>()(fields, { isSent: true });
    const lines = (row: Row) => list.lines([row]).map((line) => ({ ...line, key: name }));
    const view = (row: Row) => [pairsOf(row, fields, () => true)];
    return { ...list.within((row: Row) => [row], { document: (row) => row, view, changes: lines }), lines };
  };

/** One record as names and values. `isAlways`: shown as a dash when it is missing. */
export function pairsOf<Row extends object>(
  row: Row,
  known: readonly Field<Row>[],
  isAlways: (field: Field<Row>) => boolean,
): Block {
  const fields: readonly Field<Row>[] = [
    ...known.filter((field) => valueOf(field, row) !== undefined || isAlways(field)),
    ...unknownFields([row], known.map(groupOf)).map((name) => ({ name, header: labelOf(name) })),
  ];
  return {
    kind: 'pairs',
    pairs: fields.map((field) => ({
      name: field.header ?? field.name,
      field: field.name,
      value: [wholeHash(cellIn(field, row))],
    })),
  };
}

/** One record in full is where a hash is copied from. */
const wholeHash = (cell: Cell): Cell => (cell.kind === 'hash' ? nameText(cell.text) : cell);

const columnsOfField = ({ name, parts }: { name: string; parts?: readonly string[] }): readonly string[] =>
  parts === undefined ? [name] : parts.map((part) => `${name}.${part}`);

const groupOf = ({ name }: { name: string }): string => name.split('.', 1)[0] ?? name;

/** Undefined if the row lacks it. */
function valueOf<Row extends object>({ name, of }: Field<Row>, row: Row): unknown {
  if (of !== undefined) return of(row);
  let value: unknown = row;
  for (const part of name.split('.')) value = isFields(value) ? ownField(value, part) : undefined;
  return value;
}

function cellIn<Row extends object>(field: Field<Row>, row: Row): Cell {
  if (field.show !== undefined) return field.show(row);
  const value = valueOf(field, row);
  return value === undefined || value === null || field.cell === undefined
    ? cellOf(field.name, value)
    : field.cell(value, row);
}

const totalCell = <Row extends object>(field: Field<Row>, total: Row, at: number): Cell =>
  at === 0 ? text('Total', 'strong') : field.isSum === true ? cellIn(field, total) : text('');

function columnOf<Row extends object>(field: Field<Row>, rows: readonly Row[]): Column {
  const { name, header = name, parts, align, optional, group, isId, wrap, note } = field;
  return {
    header: upperHeader(header),
    field: parts === undefined ? name : undefined,
    align: align ?? (rows.some((row) => isFigure(field, row)) ? 'right' : undefined),
    optional: typeof optional === 'function' ? optional(rows) : optional,
    group,
    isId,
    wrap,
    note: note?.(rows),
  };
}

const FIGURES: readonly Cell['kind'][] = ['money', 'rate', 'percent', 'number'];
const isFigure = <Row extends object>(field: Field<Row>, row: Row): boolean =>
  (field.show === undefined || field.of !== undefined) &&
  FIGURES.includes(cellOf(field.name, valueOf(field, row)).kind);

/** Its type is that of the document's schema (schema/), which the tests hold it to. */
function recorderOf<Row extends object, Rec>(
  fields: readonly Field<Row>[],
  options: ListOptions<Row, Rec>,
): (row: Row) => Rec;
function recorderOf<Row extends object>(fields: readonly Field<Row>[], options: ListOptions<Row, unknown>) {
  if (options.record !== undefined) return options.record;
  return (row: Row): object => {
    if (options.isSent === true) return row;
    const record: Record<string, unknown> = {};
    for (const field of fields) {
      const [group = '', ...inner] = field.name.split('.');
      const value = valueOf(field, row) ?? null;
      if (inner.length === 0) record[group] = value;
      // A group is a field of its own.
      else record[group] = { ...ownObject(record[group]), [inner.join('.')]: value };
    }
    return record;
  };
}

const ownObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

function inOrder<Row>(fields: readonly Field<Row>[], names: string | undefined): readonly Field<Row>[] {
  if (names === undefined) return fields;
  return names.split(' ').map((name) => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`no field ${name}`);
    return field;
  });
}

/** A row as a line for a pipe. `key`: the fields that name it. */
const lineOf =
  <Row extends object>(fields: readonly Field<Row>[], key: readonly string[]) =>
  (row: Row): ChangeLine => ({
    key: key.map((name) => wordOf(valueOf({ name }, row))).join(' '),
    cells: fields
      .filter(
        (field) =>
          field.isExtra !== true &&
          !key.includes(field.name) &&
          (valueOf(field, row) ?? undefined) !== undefined,
      )
      .flatMap((field, index) => [
        ...(index === 0 ? [] : [text(',')]),
        text((field.header ?? field.name).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())),
        cellIn(field, row),
      ]),
  });

const wordOf = (value: unknown): string =>
  typeof value === 'string'
    ? spelledName(value)
    : value === undefined || value === null
      ? '-'
      : writeExactJson(value);
