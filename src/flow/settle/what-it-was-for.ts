/**
 * Whether a close may be sent again: only for what it was meant to close. A key that the service never saw acts
 * now, on whatever stands now, and what was opened or added since was never meant. Pure.
 */
import { Big } from 'big.js';
import { usdInWords } from '../../domain/exposure.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import type { Action } from '../../journal/fold.ts';
import { closersOf } from '../../journal/ledger.ts';
import { commandLines } from '../command-lines.ts';
import type { Finding } from '../dealing.ts';
import type { SideBook, SideHedge } from '../plan/plan-side.ts';

/** Stops a close for which nothing is left, or beside which something else stands; empty of any other action. */
export function notWhatItWasFor(
  action: Action,
  now: SideBook,
  actions: readonly Action[],
): readonly Finding[] {
  if (action.intent.action !== 'close') return [];
  const says = whyNot(action, now, actions);
  return says === undefined
    ? []
    : [{ level: 'stop', code: 'book_changed', says, hint: waysOut(action, now) }];
}

function whyNot(action: Action, now: SideBook, actions: readonly Action[]): string | undefined {
  const { shortId, intent } = action;
  const place = `${unquoted(intent.market)} ${intent.side}`;
  const was = new Map(intent.before.hedges.map((each) => [each.hedge_id, each.notional_usd]));
  const standing = [...now.open, ...now.coming, ...now.unread];
  const since = standing.filter(({ id, notional }) => {
    const before = was.get(id) ?? undefined;
    return before === undefined || notional.gt(new Big(before));
  });
  if (since.length > 0)
    return `Action ${shortId} was not meant for what stands on ${place} now: ${inWords(since, was)}. Sent again it would close that too.`;
  if (now.total === undefined)
    return `Whether anything stands on ${place} that action ${shortId} was not meant for cannot be told: ${now.unclear ?? 'the book could not be read whole'}.`;
  const [closer] = standing.length > 0 ? [] : closersOf(actions, action);
  return closer === undefined
    ? undefined
    : `Nothing is left that action ${shortId} was meant for: action ${closer.shortId} of this machine closed ${place} since.`;
}

const MOST_NAMED = 5;

/** `hdg_W "W-1" 4,000.00 USD, hdg_A 12,000.00 USD (10,000.00 USD then)`. */
function inWords(hedges: readonly SideHedge[], was: ReadonlyMap<string, string | null>): string {
  const named = hedges.slice(0, MOST_NAMED).map(({ id, reference, notional }) => {
    const before = was.get(id) ?? undefined;
    const then = before === undefined ? '' : ` (${usdInWords(new Big(before))} then)`;
    const name = reference === undefined ? '' : ` ${quoted(reference)}`;
    return `${unquoted(id)}${name} ${usdInWords(notional)}${then}`;
  });
  const more = hedges.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more.toString()} more` : named.join(', ');
}

const waysOut = ({ shortId, intent }: Action, { inPositions }: SideBook): string =>
  commandLines([
    ...(inPositions === false
      ? []
      : [[`hedge close ${intent.market} ${intent.side}`, 'closes what stands there now'] as const]),
    [`hedge journal settle ${shortId} --as nothing --because TEXT`, 'your word: it never was'],
    [`hedge journal settle ${shortId} --as done --because TEXT`, 'your word: it was done'],
  ]);
