/**
 * What the hedges that carry an open's reference say about it. Pure. A reference is ours alone when it was made
 * from our key; a deal id may have been used by a colleague too.
 */
import { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { unquoted } from '../../domain/quoted.ts';
import type { IntentRecord } from '../../journal/record.ts';
import type { Evidence } from './evidence.ts';
import { severalInWords } from './several-hedges.ts';

/** Statuses before anything can be added to a hedge, or taken from it. */
const AS_OPENED: readonly string[] = ['submitting', 'submitted', 'failed'];

/** Hedges that the before-state names are earlier ones: an attempt that failed, dealt anew under its deal id. */
export function openEvidence(intent: IntentRecord, underReference: readonly Hedge[]): Evidence {
  if (intent.client_reference === undefined)
    return { kind: 'unclear', says: 'it was sent without a reference to look for' };
  const earlier = new Set(intent.before.hedges.map(({ hedge_id }) => hedge_id));
  const found = underReference.filter(
    (hedge) => hedge.client_reference === intent.client_reference && !earlier.has(hedge.id),
  );
  const [first, ...more] = found;
  if (first === undefined) return { kind: 'none' };
  if (more.length === 0) return hedgeEvidence(intent, first);
  const isOneOf = found.map(({ id }) => id);
  return { kind: 'other', says: severalInWords(intent.client_reference, isOneOf), hedges: [], isOneOf };
}

/**
 * Whether this hedge is what was asked: market, side and tenor, and its size unless it was changed since. `byId`: the
 * service named it as ours, so that less than was asked is a partial fill, also while it fills.
 */
export function hedgeEvidence(intent: IntentRecord, hedge: Hedge, { byId = false } = {}): Evidence {
  const asked = new Big(intent.notional_usd ?? 0);
  const sameTerms =
    hedge.market === intent.market &&
    hedge.side === intent.side &&
    hedge.tenor_days.eq(intent.tenor_days ?? 0);
  const sameSize = hedge.notional_usd.eq(asked);
  const isPart = byId && hedge.notional_usd.lt(asked);
  if (!sameTerms || (!sameSize && !isPart && AS_OPENED.includes(hedge.status)))
    return { kind: 'other', says: `${inWords(hedge)}: not what was asked`, hedges: [] };
  return {
    kind: 'exact',
    hedges: [],
    hedge,
    says: sameSize
      ? undefined
      : `${unquoted(hedge.id)} is ${usdInWords(hedge.notional_usd)}, asked were ${usdInWords(asked)}`,
  };
}

const inWords = (hedge: Hedge): string =>
  `${unquoted(hedge.id)} is ${hedge.side} ${unquoted(hedge.market)} ${usdInWords(hedge.notional_usd)}, ` +
  `${hedge.tenor_days.toFixed()} d, ${unquoted(hedge.status)}`;
