/** The other side of a market. */
import type { Big } from 'big.js';
import { usdInWords } from './exposure.ts';
import type { Side } from './vocabulary.ts';

export const oppositeOf = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');

/** `; buy 25,000.00 USD is open`, of a sell. */
export const oppositeInWords = ({ side, opposite }: { side: Side; opposite?: Big | undefined }): string =>
  opposite === undefined ? '' : `; ${oppositeOf(side)} ${usdInWords(opposite)} is open`;
