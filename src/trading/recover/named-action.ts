/** Finds the action or hedge that a word names, and waits for its outcome. Sends no action. */

import type { Hedge } from '../../client/schemas.ts';
import { say, shell } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { RefusedError } from '../../errors.ts';
import { findHedges } from '../../readings/filter-records.ts';
import { findActionOfAccount, refuseOtherAccount } from '../../readings/find-actions.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { awaitHedge } from '../follow/await-end.ts';
import { follow } from '../follow/follow.ts';
import { reportWithoutLookup } from '../follow/lookups.ts';
import { hedgesUnderDealId } from '../outcome/change-evidence.ts';
import type { ActionReport } from '../report.ts';

/** `word`: an action ID or its beginning, a hedge ID or a deal ID; also of a hedge without an action here. */
export async function waitFor(
  word: string,
  { timeoutMs }: { timeoutMs: number },
  context: ReadContext,
): Promise<ActionReport> {
  const action = findActionOfAccount(context.journal.read(), word, context.identity);
  const waiting = { wait: true, timeoutMs };
  if (action === undefined) {
    const hedge = await hedgeNamed(word, context).catch((error: unknown) =>
      nothingNamed(word, error, context),
    );
    return awaitHedge(hedge, waiting, context);
  }
  try {
    return await follow(action, { asks: 'wait', ...waiting }, context);
  } catch (error) {
    return reportWithoutLookup(action, error, context);
  }
}

/** The service knows neither the actions nor that the word may be a deal ID. @throws the error */
function nothingNamed(word: string, error: unknown, { journal, identity }: ReadContext): never {
  if (!(error instanceof RefusedError) || error.code !== 'hedge_not_found') throw error;
  refuseOtherAccount(journal.read(), word, identity);
  throw error.with({
    what: `Not found: no action, hedge or deal ID ${quotedName(word)}.`,
    hint: say`To list them: ${shell`hedge journal`}, ${shell`hedge hedges`}`,
  });
}

/** @throws OutcomeUnknownError when several hedges carry the deal ID; the service's rejection when it knows none. */
async function hedgeNamed(word: string, { api }: ReadContext): Promise<Hedge> {
  const { data } = await findHedges(api, word);
  // The service may ignore the filter.
  const named = data.filter(({ id, client_reference: reference }) => id === word || reference === word);
  const several = hedgesUnderDealId(word, named);
  if (several !== undefined) throw several;
  return named.find(({ status }) => status !== 'failed') ?? named[0] ?? (await api.hedge(word)).data;
}
