/** What `hedge hedges` was asked: one hedge by a word, or the list with its filters. */
import type { HedgeStatus } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { isNarrowed, type Narrowing, readNarrowing } from './narrowing.ts';
import { readDealId, readLimit, readStatus } from './operands.ts';
import { optionText, type RawInput } from './raw-input.ts';

export interface HedgesIntent {
  /** A hedge id or a deal id; undefined asks for the list. */
  id: string | undefined;
  /** Picked out here, of what the service sends. */
  narrowing: Narrowing;
  /** Asked of the service. */
  filter: { status: HedgeStatus | undefined; dealId: string | undefined; limit: number };
}

const DEFAULT_LIMIT = 100;
/** What is picked out here is picked out of as much as the service gives (specification §8). */
const LARGEST_LIMIT = 500;

export function readHedgesIntent(raw: RawInput): HedgesIntent {
  const [word] = raw.operands;
  const status = optionText(raw, 'status');
  const dealId = optionText(raw, 'dealId');
  const limit = optionText(raw, 'limit');
  const narrowing = readNarrowing(raw);
  const filtered = [status, dealId, limit].some((value) => value !== undefined) || isNarrowed(narrowing);
  if (word !== undefined && filtered)
    throw new UsageError('One hedge takes no filters.', 'Leave out the options, or leave out the id.');
  return {
    id: word === undefined ? undefined : readDealId(word),
    narrowing,
    filter: {
      status: status === undefined ? undefined : readStatus(status),
      dealId: dealId === undefined ? undefined : readDealId(dealId),
      limit: limit === undefined ? (isNarrowed(narrowing) ? LARGEST_LIMIT : DEFAULT_LIMIT) : readLimit(limit),
    },
  };
}
