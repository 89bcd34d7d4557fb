/**
 * Whether a market that was named is one of the account's: the service's to say, never ours. Asked only where
 * nothing that came is of it, so that a slip of the finger is not answered with an empty list.
 */
import type { HedgeApi } from '../../client/hedge-api.ts';
import { didYouMean } from '../../domain/closest.ts';
import { unquoted } from '../../domain/quoted.ts';
import { RefusedError } from '../../errors.ts';
import type { SomeRecord } from './narrow.ts';

/** One more reading, and only where none of the records is of the market. @throws RefusedError `market_not_found`. */
export async function checkMarketIsKnown(
  api: HedgeApi,
  named: string | undefined,
  came: readonly SomeRecord[],
): Promise<void> {
  if (named === undefined || came.some(({ market }) => market === named)) return;
  const names = (await api.markets()).data.map(({ market }) => market);
  if (!names.includes(named)) throw marketNotFound(named, names);
}

/** `names`: the markets of the account. */
export const marketNotFound = (named: string, names: readonly string[]): RefusedError =>
  new RefusedError({
    code: 'market_not_found',
    what: `This account has no market ${unquoted(named)}.`,
    book: 'Nothing was changed.',
    hint: `${didYouMean(named, names)}To see which it has: hedge markets`,
    details: { market: named },
  });
