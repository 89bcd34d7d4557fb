/**
 * Whether what an action was meant for still stands, so that it may be sent again. A key that the service never saw
 * acts now, on whatever stands now: a close never takes what was opened or added since, and an addition needs
 * something to fall on. Pure.
 */
import { Big } from 'big.js';
import { usdInWords } from '../../domain/exposure.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import { closesAfter } from '../../journal/ledger.ts';
import { commandLines } from '../command-lines.ts';
import type { Finding } from '../dealing.ts';
import { nothingOpen } from '../plan/plan-reduction.ts';
import type { SideBook, SideHedge } from '../plan/plan-side.ts';

/**
 * Stops a close for which nothing is left, or beside which something else stands, and an addition to a side that is
 * flat; empty of any other action.
 */
export function notWhatItWasFor(
  action: Action,
  now: SideBook,
  actions: readonly Action[],
): readonly Finding[] {
  const { intent } = action;
  if (intent.action === 'add' && now.inPositions === false) return [nothingToAddTo(action, now)];
  if (intent.action !== 'close') return [];
  const says = whyNot(action, now, actions);
  return says === undefined
    ? []
    : [{ level: 'stop', code: 'book_changed', says, hint: waysOut(action, now) }];
}

/** What may still fill is waited for first; else a person's word is all that is left, where it was ever sent. */
function nothingToAddTo(action: Action, now: SideBook): Finding {
  const { what, hint } = nothingOpen(now);
  const isComing = now.coming.length > 0;
  const code = isComing ? 'in_flight' : 'no_open_hedge';
  return {
    level: 'stop',
    code,
    says: what,
    hint: isComing || !isUnresolved(action) ? hint : commandLines(settling(action)),
  };
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
  if (standing.length > 0) return undefined;
  const closer = closesAfter(actions, action).find(({ state }) => state === 'done');
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

const waysOut = (action: Action, { inPositions }: SideBook): string =>
  commandLines([
    ...(inPositions === false
      ? []
      : [
          [
            `hedge close ${action.intent.market} ${action.intent.side}`,
            'closes what stands there now',
          ] as const,
        ]),
    ...(isUnresolved(action) ? settling(action) : []),
  ]);

const settling = ({ shortId }: Action) =>
  [
    [`hedge journal settle ${shortId} --as nothing --because TEXT`, 'your word: it never was'],
    [`hedge journal settle ${shortId} --as done --because TEXT`, 'your word: it was done'],
  ] as const;
