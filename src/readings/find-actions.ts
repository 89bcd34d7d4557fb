/**
 * Which action of the journal a word means: its id or a beginning of it, the hedge it made, or its deal id.
 * Pure; the actions to choose from come in.
 */
import { quotedName, shellWord, unquoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { type AccountIdentity, identityText, sameIdentity } from '../journal/account-identity.ts';
import { findAction } from '../journal/queries.ts';
import type { Action } from '../journal/replay.ts';
/** Oldest first. @throws UsageError when no action is meant. */
export function findActions(actions: readonly Action[], word: string): readonly Action[] {
  const byId = findAction(actions, word);
  if (byId.found === 'one') return [byId.action];
  if (byId.found === 'many') return byId.actions;
  const found = actions.filter(({ hedgeId, intent }) => hedgeId === word || intent.deal_id === word);
  if (found.length > 0) return found;
  throw new UsageError(
    `No action ${quotedName(word)} is in the journal of this machine.`,
    'To see those that are: hedge journal',
  );
}

/** @throws UsageError when none or more than one is meant. */
export function findOneAction(actions: readonly Action[], word: string): Action {
  const [first, ...more] = findActions(actions, word);
  if (first === undefined || more.length > 0) {
    const ids = [first, ...more].map((action) => action?.shortId).join(', ');
    throw new UsageError(
      `${quotedName(word)} means ${(1 + more.length).toString()} actions: ${ids}.`,
      `Name one of them; to see them: hedge journal ${shellWord(word)}`,
    );
  }
  return first;
}

/**
 * The action of one book that a word means, the latest under a deal id; undefined when none is.
 * @throws UsageError when it belongs to another book, or a beginning of an id means several.
 */
export function findActionOfAccount(
  actions: readonly Action[],
  word: string,
  identity: AccountIdentity,
): Action | undefined {
  const byId = findAction(actions, word);
  if (byId.found === 'many') return findOneAction(actions, word);
  if (byId.found === 'one') return ofBook(byId.action, identity);
  return actions.findLast(
    ({ hedgeId, intent }) =>
      (hedgeId === word || intent.deal_id === word) && sameIdentity(intent.identity, identity),
  );
}

function ofBook(action: Action, identity: AccountIdentity): Action {
  const { intent, shortId } = action;
  if (sameIdentity(intent.identity, identity)) return action;
  const gone = intent.identity.environment === 'practice' && identity.environment === 'practice';
  throw new UsageError(
    `Action ${shortId} was dealt under the profile ${unquoted(intent.profile)} (${identityText(intent.identity)}), not here (${identityText(identity)}).`,
    gone
      ? `That practice book was reset since. To be done with it: hedge journal settle ${shortId} --as nothing --because "the book was reset"`
      : `Name its profile: --profile ${unquoted(intent.profile)}`,
  );
}
