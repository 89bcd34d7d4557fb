/** A size that was given as naira, or as the largest one: both figures, and the rest or the limit; and what was quoted of an action. */
import type { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import type { Sizing } from '../../domain/action-intent.ts';
import { readDecimal } from '../../domain/amounts.ts';
import { wholeCents } from '../../domain/exposure.ts';
import { type Binding, coverOf } from '../../domain/sizes.ts';
import { nairaAsked } from '../../journal/describe.ts';
import type { QuoteReading } from '../../readings/read-quotes.ts';
import type { SizedDocument } from '../../schema/action-document.ts';
import type { ActionReport } from '../../trading/report.ts';
import { line, type View } from '../blocks.ts';
import { type Cell, phrase, text, type Words } from '../cells.ts';
import { cents, usd } from './record-columns.ts';

const naira = (amount: Big): Cell => usd(cents(amount), 'NGN');

interface Covering {
  /** USD. */
  notional: Big;
  /** NGN. */
  asked: Big;
  /** Undefined: the rate is not known. */
  quote: Quote | undefined;
}

/** `799,999,988.89 NGN of 800,000,000.00 asked; rest 11.11` */
export function coverCells({ notional, asked, quote }: Covering): readonly [Cell, ...Words[]] {
  if (quote === undefined) return [naira(asked), 'asked'];
  const amount = cents(coverOf(notional, quote.pricing.execution_price, asked).amount);
  // The rest of the shown amount, so that the two figures add up to the naira asked for.
  return [naira(amount), phrase`of ${usd(asked)} asked`, ...restCells(asked.minus(amount))];
}

const restCells = (rest: Big): readonly Cell[] =>
  rest.lt(0) ? [text(';'), usd(rest.abs()), text('above it', 'warn')] : [text('; rest'), usd(rest)];

/** `799,412,338.10 NGN at the struck rate, of 800,000,000.00 asked; rest 587,661.90`, where the size was given in naira. */
export function coveredNaira(
  { entry, derived }: ActionReport,
  { price, named }: { price: Big | undefined; named: string },
): [Cell, ...Cell[]] | undefined {
  const asked = nairaAsked(entry?.intent.asked);
  const notional = derived.filled_notional_usd ?? entry?.notional;
  if (asked === undefined || notional === undefined || price === undefined) return undefined;
  const amount = cents(notional.times(price));
  const rest = restCells(asked.minus(amount));
  return [naira(amount), text(`at the ${named}, of`), usd(asked), text('asked'), ...rest];
}

export const quotedPrice = (entry: ActionReport['entry']) => ({
  price: readDecimal(entry?.intent.quote?.['execution_price']),
  named: 'quoted price',
});

/** `99 % of the 49,504.95 USD that your balance pays for`; a limit of the profile does not move, so all of it is taken. */
export const largestCells = ({ binding, room }: { binding: Binding; room: Big }): Words =>
  LARGEST[binding](usd(wholeCents(room), 'USD'));

const LARGEST: Readonly<Record<Binding, (limit: Cell) => Words>> = {
  headroom: (limit) => phrase`99 % of the headroom, ${limit}`,
  capacity: (limit) => phrase`99 % of the capacity of the side, ${limit}`,
  balance: (limit) => phrase`99 % of the ${limit} that your balance pays for`,
  per_trade_limit: (limit) => phrase`limited by the per-trade limit, ${limit}`,
  daily_limit: (limit) => phrase`limited by the daily limit, ${limit} left today`,
  open_limit: (limit) => phrase`limited by what the desk may have open, ${limit} left`,
};

/** Below the quotes: `Size 49,009.90 USD: 99 % of the 49,504.95 USD that your balance pays for.` One size is quoted for every tenor: of the others, those whose price makes it another amount. */
export function viewSized({ intent, tenors }: QuoteReading): View {
  const { sizing, notional } = intent;
  if (sizing?.by === 'max' && sizing.limit !== undefined)
    return line(phrase`Size ${usd(notional, 'USD')}: ${largestCells(sizing.limit)}.`);
  if (sizing?.by !== 'ngn') return [];
  const asked = sizing.amount;
  const shown = tenors.filter(
    ({ quote }, at) => at === 0 || !coverOf(notional, quote.pricing.execution_price, asked).fits,
  );
  return shown.map(({ quote }) => {
    const tenor = tenors.length > 1 ? `Naira, ${quote.tenor_days.toFixed()} d:` : 'Naira:';
    return line(tenor, coverCells({ notional, asked, quote }), '.');
  });
}

/** The tenors with what their document says of the size. */
export const withSized = ({ intent: { sizing, notional }, tenors }: QuoteReading): QuoteReading['tenors'] =>
  tenors.map((tenor) => ({
    ...tenor,
    sized: sizedDocument(sizing, { notional, price: tenor.quote.pricing.execution_price }),
  }));

/** In a document: null for a size that was typed, or whose limit is not known any more. `ngn_rest`: negative is more than was asked. */
export function sizedDocument(
  sizing: Sizing | undefined,
  { notional, price }: Pick<Covering, 'notional'> & { price: Big | undefined },
): SizedDocument | null {
  switch (sizing?.by) {
    case undefined:
      return null;
    case 'ngn': {
      const cover = price && coverOf(notional, price, sizing.amount);
      return { ngn_asked: sizing.amount, ngn: cover?.amount ?? null, ngn_rest: cover?.rest ?? null };
    }
    case 'max':
      return sizing.limit === undefined
        ? null
        : { binding: sizing.limit.binding, room_usd: sizing.limit.room };
    case 'target':
      return { target_usd: sizing.target };
    default:
      return sizing satisfies undefined;
  }
}

/** Paid from the free balance by an open or add, as quoted. */
export function quotedUpfront(entry: ActionReport['entry']): { all: Cell; parts: Words } | undefined {
  const quote = entry?.intent.quote ?? {};
  const all = readDecimal(quote['total_upfront_usdc']);
  const margin = readDecimal(quote['required_margin_usdc']);
  const fee = readDecimal(quote['platform_fee_usdc']);
  if (all === undefined || margin === undefined || fee === undefined) return undefined;
  return { all: usd(all, 'USDC'), parts: phrase`margin ${usd(margin)}, fee ${usd(fee)}` };
}
