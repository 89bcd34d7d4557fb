/**
 * Figures of a list with the same number of decimals down a column: money 2, rates and percentages 4. What is
 * cut that way is said under the list. One record in full, and every document, keep each digit.
 */
import { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';

const PLACES: Readonly<Partial<Record<Cell['kind'], number>>> = { money: 2, rate: 4, percent: 4 };

export interface FixedRows {
  rows: readonly (readonly Cell[])[];
  /** A line to stand under the list; none where every digit is shown. */
  notes: readonly Block[];
}

export function fixedRows(rows: readonly (readonly Cell[])[]): FixedRows {
  const fixed = rows.map((row) => row.map(fixedCell));
  const cut = fixed.some((row, at) => row.some((cell, place) => isCut(rows[at]?.[place], cell)));
  return { rows: fixed, notes: cut ? [line(text(NOTE, 'dim'))] : [] };
}

const NOTE = 'Money to 2 decimals, rates to 4 here; every digit: --json, --csv.';

function fixedCell(cell: Cell): Cell {
  const places = PLACES[cell.kind];
  if (places === undefined || !('amount' in cell) || !(cell.amount instanceof Big)) return cell;
  const amount = roundTo(cell.amount, places);
  return cell.kind === 'rate' ? { ...cell, amount, decimals: places } : { ...cell, amount };
}

const isCut = (one: Cell | undefined, other: Cell): boolean =>
  one !== undefined &&
  'amount' in one &&
  'amount' in other &&
  one.amount instanceof Big &&
  !one.amount.eq(other.amount);
