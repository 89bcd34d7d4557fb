/** Reads a grid of indicative quotes: paced, and ended by a rate limit with what came until then. */
import type { Big } from 'big.js';
import type { HedgeApi } from '../client/hedge-api.ts';
import type { Account, Market, Quote } from '../client/schemas.ts';
import { leastOf } from '../domain/exposure.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import { customerRate, type Exceeded, exceededBy, marginalBps } from '../domain/quote-grid.ts';
import type { GridIntent } from '../domain/quote-intent.ts';
import type { Side, Tenor } from '../domain/vocabulary.ts';
import { CredentialError, HedgeError, RefusedError, UnavailableError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { marketNotFound, withCapacity } from './read-prices.ts';
import { ifItCan } from './read-quotes.ts';

/** A quote, or the service's code of its refusal. */
type GridAnswer =
  | { quote: Quote; figures: QuoteFigures; refused: undefined }
  | { quote: undefined; figures: undefined; refused: string };

/** One quote of the grid. */
export type GridCell = GridAnswer & {
  side: Side;
  /** USD. */
  notional: Big;
  tenor: Tenor;
  /** Bps of each further USD above the next smaller size with a quote; undefined for the smallest. */
  marginalBps: Big | undefined;
  /** The lowest cost in bps for its side and size; false with a single tenor. */
  best: boolean;
  exceeds: readonly Exceeded[];
  /** The rate with the markup, in quote currency per USDT. */
  customerRate: Big | undefined;
};

export interface GridReading {
  intent: GridIntent;
  /** By side, size and tenor; those that did not come are left out. */
  cells: readonly GridCell[];
  /** How many quotes were to be read. */
  asked: number;
  /** Undefined when it could not be read, or the service does not list the market. */
  market: Market | undefined;
  account: Account | undefined;
  /** Why it ended before the last quote. */
  ended: HedgeError | undefined;
  servedAt: Date | undefined;
  source: unknown;
}

/** Between the starts of two quotes: eight a second leave room for a trade with the same key. */
export const PACE_MS = 125;
/** Quotes at the same time, so that a slow service takes no longer than a quick one. */
const AT_ONCE = 4;

type Wanted = Pick<GridCell, 'side' | 'notional' | 'tenor'>;
type Came = Wanted & { at: number; answer: GridAnswer };

/**
 * @throws HedgeError when no quote came. RefusedError when the service refused all of them, or does not have the market.
 */
export async function readGrid(
  intent: GridIntent,
  {
    api,
    clock,
    onProgress,
  }: { api: HedgeApi; clock: Clock; onProgress: (came: number, asked: number) => void },
): Promise<GridReading> {
  const wanted = intent.sides.flatMap((side) =>
    intent.sizes.flatMap((notional) => intent.tenors.map((tenor) => ({ side, notional, tenor }))),
  );
  const [markets, account] = await Promise.all([
    ifItCan(api.markets().then(({ data }) => data)),
    ifItCan(api.account().then(({ data }) => data)),
  ]);
  const market = markets?.find((each) => each.market === intent.market);
  if (markets !== undefined && market === undefined) throw marketNotFound(intent.market, markets);
  const came: Came[] = [];
  let first: { servedAt: Date | undefined; source: unknown } | undefined;
  let refusal: RefusedError | undefined;
  let ended: HedgeError | undefined;
  const running = new Set<Promise<void>>();

  async function read(each: Wanted, at: number): Promise<void> {
    try {
      const { data, servedAt, meta } = await quoteOnce(api, intent.market, each);
      first ??= { servedAt, source: meta['source'] };
      came.push({ ...each, at, answer: { quote: data, figures: quoteFigures(data), refused: undefined } });
    } catch (error) {
      if (!(error instanceof HedgeError) || error instanceof CredentialError) throw error;
      if (error instanceof RefusedError) {
        refusal ??= error;
        came.push({ ...each, at, answer: { quote: undefined, figures: undefined, refused: error.code } });
      } else ended ??= error;
    }
    onProgress(came.length, wanted.length);
  }

  for (const [at, each] of wanted.entries()) {
    if (at > 0) await clock.sleep(PACE_MS);
    while (running.size >= AT_ONCE) await Promise.race(running);
    if (ended !== undefined) break;
    const reading = read(each, at).finally(() => running.delete(reading));
    running.add(reading);
  }
  await Promise.all(running);

  if (!came.some(({ answer }) => answer.quote !== undefined))
    throw ended ?? (refusal && withCapacity(refusal, market, intent.sides)) ?? noQuote();
  return {
    intent,
    cells: cellsOf(came, { intent, market, account }),
    asked: wanted.length,
    market,
    account,
    ended: ended && endedEarly(ended, came.length, wanted.length),
    servedAt: first?.servedAt,
    source: first?.source,
  };
}

/** The first 429 ends the grid: the client would wait and try again, and use up what a trade may need. */
async function quoteOnce(api: HedgeApi, market: string, { side, notional, tenor }: Wanted) {
  const stop = new AbortController();
  return api.quote(
    { market, side, notional_usd: notional, tenor_days: tenor },
    {
      signal: stop.signal,
      onAttempt: ({ status }) => {
        if (status === RATE_LIMITED) stop.abort(rateLimited());
      },
    },
  );
}

const RATE_LIMITED = 429;

const rateLimited = (): UnavailableError =>
  new UnavailableError({
    code: 'rate_limited',
    what: 'The rate limit of this key is reached.',
    meaning: 'Indicative only. No trade was made.',
    hint: 'Try again later, or with fewer sizes or tenors.',
    retry: 'later',
    httpStatus: RATE_LIMITED,
  });

const endedEarly = (error: HedgeError, came: number, asked: number): HedgeError =>
  error.with({
    what: `${error.what} ${came.toString()} of ${asked.toString()} quotes came.`,
    details: { quotes: came, asked },
  });

const noQuote = (): UnavailableError =>
  new UnavailableError({ code: 'unavailable', what: 'No quote came.', retry: 'later' });

function cellsOf(
  came: readonly Came[],
  { intent, market, account }: Pick<GridReading, 'intent' | 'market' | 'account'>,
): readonly GridCell[] {
  const cells = came
    .toSorted((one, another) => one.at - another.at)
    .map(({ side, notional, tenor, answer }) => ({
      side,
      notional,
      tenor,
      ...answer,
      exceeds: exceededBy(notional, answer.quote?.upfront.total_upfront_usdc, {
        capacity: market?.available_capacity_usd[side],
        headroom: account?.available_exposure_usd,
        balance: account?.balance_usdc,
      }),
      customerRate: intent.markupBps && answer.quote && customerRate(answer.quote, intent.markupBps),
    }));
  return cells.map((cell) => {
    const smaller = cells.findLast(
      ({ side, tenor, notional, quote }) =>
        side === cell.side && tenor === cell.tenor && notional.lt(cell.notional) && quote !== undefined,
    );
    const rivals = cells.filter(({ side, notional }) => side === cell.side && notional.eq(cell.notional));
    const lowest = leastOf(rivals.map(({ figures }) => figures?.cost_bps));
    return {
      ...cell,
      marginalBps: smaller?.quote && cell.quote && marginalBps(smaller.quote, cell.quote),
      best: intent.tenors.length > 1 && lowest !== undefined && cell.figures?.cost_bps.eq(lowest) === true,
    };
  });
}
