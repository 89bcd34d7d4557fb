/** Which actions `--despite` overrules: exactly those that are named and stand in the way. Pure. */
import { quotedName } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import { sameIdentity } from '../../journal/identity.ts';
import { actionInWords, stateInWords } from '../../journal/in-words.ts';
import { findAction, inFlightOn, type SidePlace, unresolvedOn } from '../../journal/ledger.ts';

/**
 * Their ids. @throws UsageError for a text that names no action or several, and for an action that is neither
 * unresolved nor in flight on this identity, market and side: what it was said about is no longer so.
 */
export function readDespite(
  asked: SidePlace & { despite: readonly string[] },
  actions: readonly Action[],
): ReadonlySet<string> {
  const inTheWay = [...unresolvedOn(actions, asked), ...inFlightOn(actions, asked)];
  return new Set(
    asked.despite.map((text) => {
      const action = named(text, actions);
      if (!inTheWay.includes(action)) throw notInTheWay(text, action, asked);
      return action.id;
    }),
  );
}

function named(text: string, actions: readonly Action[]): Action {
  const result = findAction(actions, text);
  switch (result.found) {
    case 'one':
      return result.action;
    case 'none':
      throw new UsageError(
        `No action is called ${quotedName(text)} (--despite). Nothing was sent.`,
        'To see them: hedge journal',
      );
    case 'many':
      throw new UsageError(
        `${quotedName(text)} may mean ${result.actions.map(({ id }) => id).join(' or ')} (--despite). Nothing was sent.`,
        'Write more of its id.',
      );
    default:
      return result satisfies never;
  }
}

function notInTheWay(text: string, action: Action, { identity, market, side }: SidePlace): UsageError {
  const { intent } = action;
  const isHere = intent.market === market && intent.side === side;
  const where = sameIdentity(intent.identity, identity)
    ? `on ${intent.market} ${intent.side}`
    : 'of another account';
  const why = isHere && sameIdentity(intent.identity, identity) ? stateInWords(action) : where;
  return new UsageError(
    `--despite ${text} overrules nothing on ${market} ${side}: ${actionInWords(action)} is ${why}. Nothing was sent.`,
    `Leave it out. To see that action: hedge journal ${action.shortId}`,
  );
}
