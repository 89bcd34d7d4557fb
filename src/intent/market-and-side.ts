/** A market and a side, and the line that was probably meant when they stand the wrong way round. */
import { unquoted } from '../domain/quoted.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readMarket, readSide } from './operands.ts';

const isSide = (word: string): boolean => SIDES.some((side) => side === word.toLowerCase());

/** Throws UsageError; swapped operands are answered with the line that was meant, never guessed. */
export function readMarketAndSide(
  command: string,
  words: { market: string; side: string; rest: readonly string[] },
): { market: string; side: Side } {
  const { market, side, rest } = words;
  if (isSide(market) && !isSide(side)) {
    const line = ['hedge', command, readMarket(side), market.toLowerCase(), ...rest.map(unquoted)].join(' ');
    throw new UsageError('The market comes before the side.', `Did you mean: ${line}`);
  }
  return { market: readMarket(market), side: readSide(side) };
}
