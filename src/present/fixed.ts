/**
 * Figures with the same number of decimals down a column: money 2, rates and percentages 4. For tables side by
 * side; one record in full and every document keep each digit.
 */
import { Big } from 'big.js';
import { roundTo } from '../domain/amounts.ts';
import type { Cell } from './blocks.ts';

const PLACES: Readonly<Partial<Record<Cell['kind'], number>>> = { money: 2, rate: 4, percent: 4 };

/** Said under a table where a digit was cut off. */
export const CUT = 'Money to 2 decimals, rates to 4 here; every digit: --json.';

/** The cell with its decimals fixed, half-even; any other cell as it is. A nought has no sign, nor the colour of one. */
export function fixedCell(cell: Cell): Cell {
  const places = PLACES[cell.kind];
  if (places === undefined || !('amount' in cell) || !(cell.amount instanceof Big)) return cell;
  const amount = roundTo(cell.amount, places);
  if (cell.kind === 'rate') return { ...cell, amount, decimals: places };
  return amount.eq(0) ? { ...cell, amount, tone: 'plain' } : { ...cell, amount };
}

/** Whether fixing it took digits away. */
export function isCut(cell: Cell): boolean {
  const fixed = fixedCell(cell);
  return (
    'amount' in cell &&
    'amount' in fixed &&
    cell.amount instanceof Big &&
    fixed.amount instanceof Big &&
    !cell.amount.eq(fixed.amount)
  );
}
