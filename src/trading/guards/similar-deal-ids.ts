/** Deal IDs in use that look like a new one: a person may have typed, or a spreadsheet made, another spelling of it. */
import { readDealId } from '../../args/operands.ts';
import type { Hedge } from '../../client/schemas.ts';
import { commandOnId, say, shell } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { similarForm } from '../../domain/similar-ids.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import { UsageError, unless } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { openHedgesFrom } from '../../journal/queries.ts';
import { maybeExecuted } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import type { Finding, TradingContext } from '../trading-context.ts';

interface InUse {
  state: Pick<JournalState, 'find'>;
  /** At the service. */
  hedges: readonly Hedge[];
}

/** By the new deal ID: one in use that looks like it. Of the journal, those of the last month. */
export function similarDealIds(
  dealIds: readonly string[],
  { state, hedges }: InUse,
  { identity, clock }: Pick<TradingContext, 'identity' | 'clock'>,
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

/** A warning; a stop for a row of a deals file, which nobody confirms alone. */
export function similarFinding(dealId: string, used: string, level: Finding['level']): Finding {
  const message = `Deal ID ${quotedName(dealId)} is new, but looks like ${quotedName(used)}, which is used.`;
  const toSee = say`To see that one: ${commandOnId(shell`hedge hedges`, used)}`;
  return {
    level,
    code: 'similar_deal_id',
    details: { deal_id: dealId, similar_to: used },
    ...(level === 'warn'
      ? { message: `${message} If it is the same deal, do not open it again.`, hint: toSee }
      : {
          message,
          hint: say`${toSee}. The same deal: write its deal ID. Another deal: give it a deal ID that differs more.`,
        }),
  };
}
