/** Finds a size with at most four quotes: one that covers an amount in naira, or the largest that fits. */
import type { Big } from 'big.js';
import type { Account, Market, Quote } from '../client/schemas.ts';
import { grouped } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import { quotedName } from '../domain/quoted.ts';
import {
  type Binding,
  coverNotional,
  coverOf,
  type LargestSize,
  largestSize,
  nextNotional,
  type OwnRoom,
  type QuotedSize,
} from '../domain/sizes.ts';
import type { StoppedError } from '../errors.ts';
import { nothingSent, type OwnCode } from '../errors.ts';

/** The price moves with the size, so one quote is not enough; more would not help in a market that moves. */
const MOST_QUOTES = 4;
const SMALL_USD = 100;

/** A quote for this notional in USD. */
export type QuoteFor = (notional: Big) => Promise<Quote>;

export interface FoundSize {
  /** USD, in whole cents. */
  notional: Big;
  /** For exactly that notional. */
  quote: Quote;
}

/**
 * The size of the last of at most four quotes with N × K ≤ A and the rest under 1 bp of A: A over the mid first, then
 * the size that the quotes before lead to. @throws StoppedError `size_not_found` when none has.
 */
export async function findCover(
  amount: Big,
  { market, quoteFor }: { market: Market; quoteFor: QuoteFor },
): Promise<FoundSize> {
  let before: QuotedSize | undefined;
  let notional = market.price.gt(0) ? coverNotional(amount, market.price) : amount.minus(amount);
  for (let count = 1; count <= MOST_QUOTES; count += 1) {
    if (notional.lte(0)) throw tooSmall(amount, market);
    const quote = await quoteFor(notional);
    const last = { notional, rate: quote.pricing.execution_price };
    if (coverOf(notional, last.rate, amount).fits) return { notional, quote };
    notional = nextNotional(amount, last, before);
    before = last;
  }
  // A cent is more than 1 bp of less than 100 USD.
  const isSmall = notional.lt(SMALL_USD);
  throw nothingSent({
    code: 'size_not_found',
    what: isSmall
      ? `${grouped(amount)} NGN is too small to be covered within 1 bp: a size has whole cents.`
      : `No size for ${grouped(amount)} NGN: the price of ${quotedName(market.market)} moved between the quotes.`,
    hint: isSmall
      ? `Did you mean ${grouped(amount)} million? Write ${amount.toFixed()}m. Or give the size in USD.`
      : 'Try again, or give the size in USD.',
    retry: isSmall ? 'never' : 'later',
    details: { ngn: amount },
  });
}

const tooSmall = (amount: Big, { market }: Market): StoppedError =>
  nothingSent({
    code: 'size_not_found',
    what: `No size for ${grouped(amount)} NGN: it is less than a cent, or ${quotedName(market)} has no mid.`,
    hint: 'Give a larger amount.',
    details: { ngn: amount },
  });

export interface FoundLargest extends FoundSize, Pick<LargestSize, 'binding' | 'room'> {}

const NOTHING_FITS: Readonly<Record<Binding, { code: OwnCode; what: string }>> = {
  headroom: { code: 'exposure_exceeded', what: 'The account has no headroom' },
  capacity: { code: 'capacity_exceeded', what: 'The side has no capacity' },
  balance: { code: 'insufficient_balance', what: 'The free balance is too small' },
  per_trade_limit: { code: 'limit_exceeded', what: "This profile's per-trade limit is zero" },
  daily_limit: { code: 'limit_exceeded', what: "This profile's daily limit is used up" },
  open_limit: { code: 'limit_exceeded', what: "The desk's limit of the open notional is reached" },
};

/**
 * The largest size, less 1 % of what may move, from at most four quotes: each shows what the balance pays for at the size of the one
 * before, until that is the same size. The last one that the balance pays for counts. @throws StoppedError with the code of the limit when nothing fits.
 */
export async function findLargest(
  account: Account,
  { capacity, quoteFor, own }: { capacity: Big; quoteFor: QuoteFor; own?: OwnRoom | undefined },
): Promise<FoundLargest> {
  const room = { headroom: account.available_exposure_usd, capacity, balance: account.balance_usdc, own };
  let largest = largestSize(room);
  let found: FoundLargest | undefined;
  if (account.balance_usdc.lte(0)) throw nothingFits('balance', room);
  for (let count = 1; count <= MOST_QUOTES; count += 1) {
    const { notional } = largest;
    if (notional.lte(0)) break;
    const quote = await quoteFor(notional);
    const { total_upfront_usdc: upfront } = quote.upfront;
    const next = largestSize({ ...room, quote: { notional, upfront } });
    if (upfront.lte(account.balance_usdc))
      found = { notional, quote, binding: largest.binding, room: largest.room };
    if (next.notional.eq(notional)) break;
    largest = next;
  }
  if (found === undefined) throw nothingFits(largest.binding, room);
  return found;
}

function nothingFits(
  binding: Binding,
  room: Readonly<Record<'headroom' | 'capacity' | 'balance', Big>>,
): StoppedError {
  const { code, what } = NOTHING_FITS[binding];
  return nothingSent({
    code,
    what: `${what}: no size fits.`,
    hint:
      binding === 'daily_limit'
        ? 'The daily limit resets at 00:00 UTC.'
        : say`Close, reduce or deposit first: ${shell`hedge account`}, ${shell`hedge positions`}`,
    retry: 'later',
    details: {
      available_exposure_usd: room.headroom,
      available_capacity_usd: room.capacity,
      balance_usdc: room.balance,
    },
  });
}
