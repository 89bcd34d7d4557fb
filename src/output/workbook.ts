/** Rows as an Excel workbook. Loaded only for one. */
import writeWorkbook from 'write-excel-file/universal';
import { DAY_MS } from '../domain/instants.ts';

export interface SheetColumn {
  header: string;
  width: number;
}

/** A date is `2026-11-20`. */
export type SheetCell = { text: string } | { date: string } | { amount: string; decimals: number };

/** Days are counted from here. */
const ZERO = Date.UTC(1899, 11, 30);

/** The same bytes for the same rows. */
export async function workbook(
  sheet: string,
  columns: readonly SheetColumn[],
  rows: readonly (readonly SheetCell[])[],
): Promise<Uint8Array> {
  const head = columns.map(({ header }) => ({ value: header, fontWeight: 'bold' as const }));
  const body = rows.map((row) => row.map(cellOf));
  const options = { sheet, columns: columns.map(({ width }) => ({ width })), stickyRowsCount: 1 };
  const written = writeWorkbook([head, ...body], options);
  return withoutTimes(new Uint8Array(await (await written.toBlob()).arrayBuffer()));
}

function cellOf(cell: SheetCell) {
  if ('text' in cell) return { value: cell.text, type: String };
  if ('date' in cell)
    return { value: (Date.parse(cell.date) - ZERO) / DAY_MS, type: Number, format: 'yyyy-mm-dd' };
  const format = cell.decimals === 0 ? '0' : `#,##0.${'0'.repeat(cell.decimals)}`;
  return { value: Number(cell.amount), type: Number, format };
}

/** 1 January 1980, 00:00. */
const NO_TIME = 0x00210000;
/** Sizes of the record that ends an archive without a comment, and of a file in its list. */
const [END_BYTES, FILE_BYTES] = [22, 46];

/** An archive holds when each of its files was written: without that, equal workbooks are equal files. */
function withoutTimes(archive: Uint8Array): Uint8Array {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = archive.length - END_BYTES;
  const sizesAt = (offset: number): number =>
    [28, 30, 32].reduce((total, field) => total + view.getUint16(offset + field, true), FILE_BYTES);
  let offset = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    view.setUint32(offset + 12, NO_TIME, true);
    view.setUint32(view.getUint32(offset + 42, true) + 10, NO_TIME, true);
    offset += sizesAt(offset);
  }
  return archive;
}
