/** Rows and words of a price that quotes and previews share. */
import type { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import type { QuoteFigures } from '../../domain/quote-figures.ts';
import { type Side, sideInWords } from '../../domain/vocabulary.ts';
import { type Cell, missing, nameText } from '../cells.ts';
import { rate, row, usd } from './record-columns.ts';

/** A cost without its sign: `costWord` names a gain. */
export const cost = (amount: Big): Cell => usd(amount.abs(), 'USDC', 'strong');
export const costWord = (amount: Big): string => (amount.lt(0) ? 'You earn' : 'Total cost');

/** `buy` → `Buy` */
export const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** `Gains when the naira weakens.` */
export const gainsWhen = (market: string, side: Side): Cell =>
  nameText(`${capitalized(sideInWords(market, side))}.`);

/** How far the mid must move by maturity for the hedge to pay its own costs. */
export function breakEvenRow({ all_in_rate: allIn, move_to_break_even_pct: move }: QuoteFigures): Cell[] {
  const name = 'Break-even';
  if (allIn === undefined || move === undefined) return row(name, missing, 'at no rate');
  if (move.eq(0)) return row(name, rate(allIn, 4), 'at the mid');
  const direction = move.gt(0) ? 'above the mid' : 'below the mid';
  return row(name, rate(allIn, 4), { kind: 'percent', amount: roundHalfUp(move.abs(), 2) }, direction);
}
