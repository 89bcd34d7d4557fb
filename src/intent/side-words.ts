/**
 * Market and side of an action, and the right line where another was probably meant: a hedge's id, a side
 * without its market, the two the wrong way round. Nothing is guessed.
 */
import { unquoted } from '../domain/quoted.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readMarketAndSide } from './market-and-side.ts';
import { readMarket } from './operands.ts';

type ActionWord = 'open' | 'add' | 'reduce' | 'close';

const HEDGE_ID = /^hdg_/i;

/** Why no action names a hedge (specification §4: market and side decide). */
const NOT_BY_ID: Readonly<Record<ActionWord, string>> = {
  open: 'An open makes a new hedge; it takes no id of one.',
  add: 'The service adds to the open hedge of a market and side; it takes no id of one.',
  reduce: 'The service reduces what is open on a market and side; it takes no id of a hedge.',
  close: 'The service closes a whole side, every hedge on it; it cannot close one hedge.',
};

/** What stands after market and side in the line that is suggested. */
const SIZE: Readonly<Record<ActionWord, string>> = {
  open: ' NOTIONAL --tenor DAYS',
  add: ' NOTIONAL',
  reduce: ' NOTIONAL',
  close: '',
};

/** @throws UsageError naming what is missing or meant otherwise, with the line to type. */
export function readSideWords(
  action: ActionWord,
  operands: readonly string[],
): { market: string; side: Side } {
  refuseMistaken(action, operands);
  const [market, side, ...rest] = operands;
  if (market === undefined || side === undefined)
    throw new UsageError(
      market === undefined ? 'Market and side are missing.' : 'The side is missing: buy or sell.',
      `hedge ${action} ${market === undefined ? 'MARKET' : readMarket(market)} SIDE${SIZE[action]}`,
    );
  return readMarketAndSide(action, { market, side, rest });
}

/** Refuses what stands first and can be no market, before anything else is said about the line. */
export function refuseMistaken(action: ActionWord, operands: readonly string[]): void {
  const id = operands.find((word) => HEDGE_ID.test(word));
  if (id !== undefined)
    throw new UsageError(
      NOT_BY_ID[action],
      `hedge hedges ${unquoted(id)} says which market and side it is on; then hedge ${action} MARKET SIDE${SIZE[action]}`,
    );
  const [first = '', second, ...rest] = operands;
  const sideFirst = SIDES.some((side) => side === first.toLowerCase());
  // Two words with the side first may be market and side swapped; a size in second place cannot.
  if (sideFirst && (second === undefined || /^\d/.test(second))) {
    const words = [first.toLowerCase(), second ?? '', ...rest].map(unquoted).join(' ').trim();
    throw new UsageError('The market is missing.', `hedge ${action} MARKET ${words}`);
  }
}
