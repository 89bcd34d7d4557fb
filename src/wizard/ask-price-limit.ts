/** Asks for the price limit of an open: a worst price or a highest cost. */
import type { Big } from 'big.js';
import { readBps, readPrice } from '../args/operands.ts';
import type { OpenIntent } from '../domain/action-intent.ts';
import { grouped } from '../domain/exposure.ts';
import { checkPriceBounds, hasBound, type PriceBounds } from '../domain/price-bounds.ts';
import { quoted } from '../domain/quoted.ts';
import { quoteCurrency } from '../domain/vocabulary.ts';
import { RefusedError, UnavailableError, UsageError } from '../errors.ts';
import { implausiblePrice } from '../trading/guards/guard-plan.ts';
import { type WizardContext, whatAndHint } from './wizard-context.ts';

/** The limits of the command line, or the one that is typed; empty: none. */
export async function askBounds(intent: OpenIntent, context: WizardContext): Promise<PriceBounds> {
  const { bounds, anyPrice } = intent;
  if (anyPrice || hasBound(bounds)) return bounds;
  const answer = await context.prompter.input(
    {
      message: `Worst price in ${quoteCurrency(intent.market)}, or highest cost such as 40bps (optional)`,
      otherwise: '--worst-price PRICE or --max-cost-bps BPS',
      understood: (given) => boundsInWords(readBoundsOrNone(given), intent.market),
    },
    (given) => (given.trim() === '' ? undefined : boundsObjection(given.trim(), intent, context)),
  );
  return readBoundsOrNone(answer) ?? bounds;
}

const readBoundsOrNone = (answer: string): PriceBounds | undefined =>
  answer.trim() === '' ? undefined : readBounds(answer.trim());

/** `1,532.00 NGN`, `40 bps`, `none`. */
function boundsInWords(bounds: PriceBounds | undefined, market: string): string {
  const { worstPrice, maxCostBps } = bounds ?? {};
  if (worstPrice !== undefined) return `${grouped(worstPrice)} ${quoteCurrency(market)}`;
  return maxCostBps === undefined ? 'none' : `${maxCostBps.toFixed()} bps`;
}

/** `1530.5` is a price; `40bps` a cost. */
function readBounds(answer: string): PriceBounds {
  return /bps?$/i.test(answer)
    ? { maxCostBps: readBps(answer, 'highest cost') }
    : { worstPrice: readPrice(answer, 'worst price') };
}

/** A limit that the current quote exceeds would only be stopped later. */
async function boundsObjection(
  answer: string,
  { market, side, notional, tenor }: OpenIntent,
  { api, signal }: WizardContext,
): Promise<string | undefined> {
  try {
    const bounds = readBounds(answer);
    const order = { market, side, notional_usd: notional, tenor_days: tenor };
    const { data } = await api.quote(order, { signal });
    const { worstPrice } = bounds;
    const mid = data.pricing.market_price;
    if (worstPrice !== undefined && implausiblePrice(worstPrice, mid).length > 0)
      return typoInWords(worstPrice, mid);
    const [miss] = checkPriceBounds(data, bounds);
    return (
      miss &&
      `${miss.message.charAt(0).toUpperCase()}${miss.message.slice(1)}. Type a wider limit, or press Enter for none.`
    );
  } catch (error) {
    if (error instanceof UsageError)
      return `${quoted(answer)} is neither a price nor a cost. Type a price in ${quoteCurrency(market)} per USDT, or a cost such as 40bps.`;
    if (error instanceof RefusedError) return whatAndHint(error);
    if (error instanceof UnavailableError) return `${error.what} Type it again.`;
    throw error;
  }
}

/** A number far below the mid was probably meant as a cost. */
function typoInWords(worst: Big, mid: Big): string {
  const far = `A price of ${grouped(worst)} is more than 5 % from the mid of ${grouped(mid)}.`;
  return worst.lt(mid.div(2))
    ? `${far} For a cost of ${worst.toFixed()} bps, type ${worst.toFixed()}bps.`
    : `${far} Type a price closer to the mid, or press Enter for none.`;
}
