/**
 * Actions of ours that would change a side exactly as another one would: of a change that is seen once, nobody
 * can tell which of them made it. Pure.
 */
import type { Action } from '../journal/fold.ts';
import { mayStand } from '../journal/fold.ts';
import { sameIdentity } from '../journal/identity.ts';
import type { Evidence } from './evidence.ts';

/**
 * The evidence of an addition or a reduction, or `unclear` where another of the same size was about at the
 * same time. An open has a hedge of its own, and a side that is gone is closed by whichever close.
 */
export function toldApart(action: Action, evidence: Evidence, actions: readonly Action[]): Evidence {
  const [other] = evidence.kind === 'exact' ? lookalikesOf(action, actions) : [];
  if (other === undefined) return evidence;
  const says = `the change that is seen may be that of action ${other.shortId}, which asked for the same`;
  return { kind: 'unclear', says };
}

const lookalikesOf = ({ id, intent, notional }: Action, actions: readonly Action[]): readonly Action[] =>
  intent.action === 'open' || intent.action === 'close'
    ? []
    : actions.filter(
        (it) =>
          it.id !== id &&
          it.intent.action === intent.action &&
          it.intent.market === intent.market &&
          it.intent.side === intent.side &&
          it.notional !== undefined &&
          notional?.eq(it.notional) === true &&
          sameIdentity(it.intent.identity, intent.identity) &&
          mayStand(it) &&
          !wasOverBefore(it, intent.at),
      );

/** The side was read this long, at most, before what was read went into the journal. */
const READ_BEFORE_MS = 5_000;

/** Its effect is in the before-state of whatever began later. */
const wasOverBefore = ({ state, outcome }: Action, at: string): boolean =>
  state === 'done' && outcome !== undefined && Date.parse(outcome.at) < Date.parse(at) - READ_BEFORE_MS;
