/**
 * `wait`: waits for the end of an action of this machine, or of any hedge of the account. Sends nothing that
 * changes anything.
 */
import type { Hedge } from '../../client/schemas.ts';
import { unquoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { onceNobodySends } from '../deal/continue.ts';
import { finish } from '../deal/finish.ts';
import type { ActionReport, Looking } from '../dealing.ts';
import { awaitHedge } from '../evidence/await-hedge.ts';
import { findHedges } from '../read/find-hedges.ts';
import { actionOfBook } from '../read/name-action.ts';

/** `word`: an action id or its beginning, a hedge id or a deal id. What has ended already is told at once. */
export async function waitFor(
  word: string,
  { timeoutMs }: { timeoutMs: number },
  looking: Looking,
): Promise<ActionReport> {
  const action = actionOfBook(looking.journal.read().actions, word, looking.identity);
  if (action === undefined)
    return awaitHedge(await hedgeNamed(word, looking), { wait: true, timeoutMs }, looking);
  return finish(await onceNobodySends(action, timeoutMs, looking), { wait: true, timeoutMs }, looking);
}

/** @throws UsageError when several hedges carry the deal id; the service's own refusal when it knows none. */
async function hedgeNamed(word: string, { api }: Looking): Promise<Hedge> {
  const { data } = await findHedges(api, word);
  // A service that does not filter has sent them all.
  const named = data.filter(({ id, client_reference: reference }) => id === word || reference === word);
  const standing = named.filter(({ status }) => status !== 'failed');
  const [first, ...more] = standing.length > 0 ? standing : named.slice(0, 1);
  if (first === undefined) return (await api.hedge(word)).data;
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ id }) => unquoted(id)).join(', ');
  throw new UsageError(
    `${(1 + more.length).toString()} hedges carry that deal id: ${ids}.`,
    'Name one of them.',
  );
}
