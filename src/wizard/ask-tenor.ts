/** For how long: every tenor with its price, carry and all-in rate, quoted now for the size that was said. */
import { carryInWords } from '../domain/carry.ts';
import { usdcInWords } from '../domain/exposure.ts';
import { TENORS, type Tenor } from '../domain/vocabulary.ts';
import { type QuotedTenor, readQuotes } from '../flow/read/read-quotes.ts';
import type { OpenIntent } from '../intent/action-intent.ts';
import { tenorTable } from '../present/views/quote.ts';
import { type Asking, reading } from './asking.ts';
import { chooseRow } from './choose.ts';

type Sized = Pick<OpenIntent, 'market' | 'side' | 'notional' | 'bounds'>;

export async function askTenor({ market, side, notional, bounds }: Sized, asking: Asking): Promise<Tenor> {
  const { tenors } = await reading(
    asking,
    'Asking for prices',
    readQuotes(asking.api, { market, side, notional, tenors: TENORS, ...bounds }),
  );
  const table = tenorTable(tenors);
  // Where no tenor holds the bounds, the guard says by how much, once one is chosen.
  const someHold = tenors.some(({ misses }) => misses.length === 0);
  return chooseRow(
    asking,
    { message: 'Tenor', otherwise: '--tenor DAYS' },
    {
      table,
      choices: TENORS.map((value, at) => ({ value, ...about(tenors[at], someHold) })),
    },
  );
}

function about(
  quoted: QuotedTenor | undefined,
  someHold: boolean,
): { description?: string; disabled?: string } {
  if (quoted === undefined) return {};
  const { quote, misses } = quoted;
  if (misses.length > 0 && someHold) return { disabled: '(beyond your bound)' };
  const carry = carryInWords(quote.carry.total_usdc);
  const carried = carry.amount.eq(0) ? carry.words : `${carry.words} ${usdcInWords(carry.amount)}`;
  const says = misses.map((miss) => `${miss.says.charAt(0).toUpperCase()}${miss.says.slice(1)}.`);
  return {
    description: [
      `Carry: ${carried}. Upfront: ${usdcInWords(quote.upfront.total_upfront_usdc)}.`,
      ...says,
    ].join(' '),
  };
}
