/**
 * A list of hedges as far as a reduce or close needs it, where it cannot be used as a whole: each hedge on its own, without the dates
 * that it should have, and without a size where it holds no position.
 */
import type { ApiResponse } from '../client/hedge-api.ts';
import type { Hedge } from '../client/schemas.ts';
import type { HedgesQuery } from '../client/serialize-request.ts';
import type { UnsizedHedge } from '../client/unsized-hedges.ts';
import { UnreadableAnswerError } from '../errors.ts';
import { PENDING_STATUSES } from './side-position.ts';

export interface HedgesPage extends ApiResponse<readonly Hedge[]> {
  unsized: readonly UnsizedHedge[];
  /** Hedges as sent. */
  count: number;
}

type ReadPage<T> = (query: HedgesQuery) => Promise<ApiResponse<T>>;

/** @throws the error of the whole list where a hedge that may hold a position cannot be used. */
export async function readBarePage(
  query: HedgesQuery,
  { whole, raw }: { whole: ReadPage<readonly Hedge[]>; raw: ReadPage<unknown> },
): Promise<HedgesPage> {
  try {
    const page = await whole(query);
    return { ...page, unsized: [], count: page.data.length };
  } catch (error) {
    if (!(error instanceof UnreadableAnswerError)) throw error;
    const page = await separated(await raw(query));
    if (page === undefined) throw error;
    return page;
  }
}

/** Undefined where one that may hold a position cannot be used. */
async function separated({ data, ...sent }: ApiResponse<unknown>): Promise<HedgesPage | undefined> {
  const { readBareHedges } = await import('../client/unsized-hedges.ts');
  const read = readBareHedges(data);
  // A failed one opened nothing.
  const unsized = read?.unsized.filter(({ status }) => status !== 'failed') ?? [];
  if (read === undefined || !unsized.every(({ status }) => PENDING_STATUSES.includes(status)))
    return undefined;
  return { ...sent, data: read.sized, unsized, count: read.sized.length + read.unsized.length };
}
