/** Reads hedges: a filtered list, or the one with an ID or a deal ID. */
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Hedge } from '../client/schemas.ts';
import { ownField } from '../domain/fields.ts';
import { instantOf } from '../domain/instants.ts';
import type { HedgeStatus } from '../domain/vocabulary.ts';
export interface ListedHedges {
  status?: HedgeStatus | undefined;
  dealId?: string | undefined;
  /** Page size asked of the service, 1 to 500 (specification §8). */
  limit: number;
}

/** What a list covers, for `meta.covers`. */
export interface ListCoverage {
  count: number;
  from: string | null;
  to: string | null;
  /** The list may be incomplete: sums over it are unreliable. */
  maybe_truncated: boolean;
}

/** By its prefix (specification §2), so that the result depends on the word alone. */
export const isHedgeId = (word: string): boolean => word.startsWith('hdg_');

export async function readHedges(
  api: HedgeApi,
  filter: ListedHedges,
): Promise<ApiResponse<readonly Hedge[]>> {
  return api.hedges({
    limit: filter.limit,
    ...(filter.status === undefined ? {} : { status: filter.status }),
    ...(filter.dealId === undefined ? {} : { client_reference: filter.dealId }),
  });
}

/**
 * An ID is read directly. Anything else is searched as a deal ID, then read as an ID, so that the error is the service's
 * own.
 */
export async function findHedges(api: HedgeApi, word: string): Promise<ApiResponse<readonly Hedge[]>> {
  if (!isHedgeId(word)) {
    const tagged = await api.hedges({ client_reference: word });
    if (tagged.data.length > 0) return tagged;
  }
  const one = await api.hedge(word);
  return { ...one, data: [one.data] };
}

/**
 * Coverage by a timestamp field. The specification has no default page size and no cursor, so a full or a round page
 * counts as possibly incomplete.
 */
export function hedgeCoverage(
  records: readonly Readonly<Record<string, unknown>>[],
  field: string,
  limit?: number,
): ListCoverage {
  const texts = records.map((record) => ownField(record, field)).filter((at) => typeof at === 'string');
  const instants = texts.filter((at) => instantOf(at) !== undefined);
  const sorted = instants.toSorted((one, other) => (instantOf(one) ?? 0) - (instantOf(other) ?? 0));
  const count = records.length;
  return {
    count,
    from: sorted[0] ?? null,
    to: sorted.at(-1) ?? null,
    maybe_truncated: count > 0 && (count % ROUND_PAGE === 0 || (limit !== undefined && count >= limit)),
  };
}

const ROUND_PAGE = 10;
