/** Finds actions of the journal by ID or its prefix, by hedge ID, or by deal ID. */
import { say, shell, withOperands } from '../domain/hint.ts';
import { quotedName, unquoted } from '../domain/quoted.ts';
import { type Sentence, UsageError } from '../errors.ts';
import {
  type AccountIdentity,
  identityText,
  isResetBetween,
  sameIdentity,
} from '../journal/account-identity.ts';
import { type Action, isUnfinished } from '../journal/replay.ts';
import { findById, type JournalState } from '../journal/state.ts';
import { mayBeLostError } from './journal-trouble.ts';

type Named = Pick<JournalState, 'find' | 'trouble'>;

/** Oldest first. @throws UsageError when there is none, DamagedFileError when its records may be lost. */
export function findActions(state: Named, word: string): readonly Action[] {
  const byId = findById(state, word);
  if (byId.length > 0) return byId;
  const found = state.find({ hedgeIds: [word], dealIds: [word] });
  if (found.length > 0) return found;
  if (state.trouble !== undefined) throw mayBeLostError(state.trouble, word);
  throw new UsageError(
    `The journal of this machine has no action ${quotedName(word)}.`,
    say`To list them: ${shell`hedge journal`}`,
  );
}

/** @throws UsageError when there is none, or more than one. */
export function findOneAction(state: Named, word: string): Action {
  const [first, ...more] = findActions(state, word);
  if (first === undefined || more.length > 0) {
    const ids = [first, ...more].map((action) => action?.shortId).join(', ');
    throw new UsageError(
      `${quotedName(word)} matches ${(1 + more.length).toString()} actions: ${ids}.`,
      say`Use the ID of one. To list them: ${withOperands(shell`hedge journal`, [word])}`,
    );
  }
  return first;
}

/**
 * The account's action, the latest under a deal ID; undefined when there is none.
 * @throws UsageError when it belongs to another account, or a prefix matches several.
 */
export function findActionOfAccount(
  state: Named,
  word: string,
  identity: AccountIdentity,
): Action | undefined {
  if (findById(state, word).length > 0) return checkAccount(findOneAction(state, word), identity);
  return state
    .find({ hedgeIds: [word], dealIds: [word] })
    .findLast(({ intent }) => sameIdentity(intent.identity, identity));
}

/** The same. @throws UsageError where there is none; DamagedFileError when its records may be lost. */
export function requireFound(state: Named, word: string, identity: AccountIdentity): Action {
  const action = findActionOfAccount(state, word, identity);
  if (action !== undefined) return action;
  if (state.trouble !== undefined) throw mayBeLostError(state.trouble, word);
  refuseOtherAccount(state, word, identity);
  throw new UsageError(
    `No action ${quotedName(word)} of this account in the journal.`,
    say`To list actions: ${shell`hedge journal`}. For a hedge opened elsewhere: ${shell`hedge hedges`}, ${shell`hedge wait`}.`,
  );
}

/** @throws UsageError for a deal ID or hedge ID of another account, after `findActionOfAccount` found none. */
export function refuseOtherAccount(state: Named, word: string, identity: AccountIdentity): void {
  const other = state.find({ hedgeIds: [word], dealIds: [word] }).at(-1);
  if (other !== undefined) checkAccount(other, identity);
}

function checkAccount(action: Action, identity: AccountIdentity): Action {
  const { intent, shortId } = action;
  if (sameIdentity(intent.identity, identity)) return action;
  throw new UsageError(
    `Action ${shortId} belongs to profile ${unquoted(intent.profile)} (${identityText(intent.identity)}), not to this one (${identityText(identity)}).`,
    hintFor(action, identity),
  );
}

function hintFor(action: Action, identity: AccountIdentity): Sentence {
  const { intent, shortId } = action;
  if (!isResetBetween(intent.identity, identity))
    return `Use its profile: --profile ${unquoted(intent.profile)}`;
  return isUnfinished(action)
    ? say`Practice was reset since. To resolve the action: ${shell`hedge journal resolve ${shortId} --as not-executed --allow-late-arrival`} --reason "practice was reset"`
    : say`Practice was reset since; its outcome stays. To see it: ${shell`hedge journal ${shortId}`}`;
}
