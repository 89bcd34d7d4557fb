/** Deal IDs in use that look like a new one: a person may have typed, or a spreadsheet made, another spelling of it. */
import { readDealId } from '../args/operands.ts';
import type { Hedge } from '../client/schemas.ts';
import { similarForm } from '../domain/similar-ids.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
import { UsageError, unless } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { openHedgesFrom } from '../journal/queries.ts';
import { maybeExecuted } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import type { ReadContext } from './read-context.ts';

interface InUse {
  state: Pick<JournalState, 'find'>;
  /** At the service. */
  hedges: readonly Hedge[];
}

/** By the new deal ID: one in use that looks like it. Of the journal, those of the last month. */
export function similarDealIds(
  dealIds: readonly string[],
  { state, hedges }: InUse,
  { identity, clock }: Pick<ReadContext, 'identity' | 'clock'>,
): ReadonlyMap<string, string> {
  const from = openHedgesFrom(clock.now());
  const journaled = state
    .find({ similarTo: dealIds })
    .filter(({ intent }) => intent.at >= from && sameIdentity(intent.identity, identity))
    .filter(maybeExecuted)
    .flatMap(({ intent }) => intent.deal_id ?? []);
  const served = hedges.flatMap(({ client_reference: reference, status }) =>
    isDealId(reference) && status !== 'failed' && !isDerivedReference(reference) ? [reference] : [],
  );
  const inUse = new Map([...served, ...journaled].map((used) => [similarForm(used), used]));
  return new Map(
    dealIds.flatMap((dealId) => {
      const used = inUse.get(similarForm(dealId)) ?? dealId;
      return used === dealId ? [] : [[dealId, used]];
    }),
  );
}

/** Another reference of the service is in no command of a hint. */
const isDealId = (reference: string | null | undefined): reference is string =>
  typeof reference === 'string' && unless(UsageError, () => readDealId(reference)) === reference;
