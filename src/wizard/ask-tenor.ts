/** Asks for the tenor of an open, each with its quote. */
import type { OpenIntent } from '../domain/action-intent.ts';
import { usdcInWords } from '../domain/exposure.ts';
import { carryInWords } from '../domain/quote-figures.ts';
import { TENORS, type Tenor } from '../domain/vocabulary.ts';
import { REST_DAY } from '../domain/zone-times.ts';
import { line } from '../output/blocks.ts';
import { tenorTable } from '../output/views/quote.ts';
import { maturityCell } from '../output/views/record-columns.ts';
import { type QuotedTenor, readQuotes } from '../readings/read-quotes.ts';
import { chooseRow, type WizardContext, whileReading } from './wizard-context.ts';

type Sized = Pick<OpenIntent, 'market' | 'side' | 'notional' | 'bounds'>;

export async function askTenor(
  { market, side, notional, bounds }: Sized,
  context: WizardContext,
): Promise<Tenor> {
  const { tenors } = await whileReading(
    context,
    'Reading quotes',
    readQuotes(context.api, { market, side, notional, tenors: TENORS, ...bounds }),
  );
  const table = tenorTable(tenors);
  // If no tenor meets the limits, the pre-trade check says by how much it misses.
  const someHold = tenors.some(({ misses }) => misses.length === 0);
  return chooseRow(
    context,
    { message: 'Tenor', otherwise: '--tenor DAYS' },
    {
      table,
      choices: TENORS.map((value, at) => ({ value, ...about(tenors[at], someHold, context) })),
    },
  );
}

function about(
  priced: QuotedTenor | undefined,
  someHold: boolean,
  { lines }: WizardContext,
): { description?: string; disabled?: string } {
  if (priced === undefined) return {};
  const { quote, misses } = priced;
  if (misses.length > 0 && someHold) return { disabled: '(exceeds your limit)' };
  const carry = carryInWords(quote.carry.total_usdc);
  const carried = carry.amount.eq(0) ? carry.words : `${carry.words} ${usdcInWords(carry.amount)}`;
  const sentences = misses.map((miss) => `${miss.message.charAt(0).toUpperCase()}${miss.message.slice(1)}.`);
  return {
    description: [
      `Carry: ${carried}. Upfront: ${usdcInWords(quote.upfront.total_upfront_usdc)}.`,
      ...(lines([line(maturityCell(quote.maturity, 'date'))])
        .join('')
        .includes(REST_DAY)
        ? [`${REST_DAY} Weekend or public holiday.`]
        : []),
      ...sentences,
    ].join(' '),
  };
}
