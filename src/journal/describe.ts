/**
 * What the journal and the halt hold, as parts of a sentence: for guards, questions and errors. Whatever
 * somebody typed is made harmless. Times are UTC, since no profile's zone is known here.
 *
 * The lines to type that go on with an action, for whoever shows one: made of its state alone. Says what each
 * line does in half a sentence, and knows neither a screen nor the service.
 */
import { Big } from 'big.js';
import { usdInWords } from '../domain/exposure.ts';
import { quoted, quotedName, unquoted } from '../domain/quoted.ts';
import type { Halt } from './halt.ts';
import { partialFillOf } from './queries.ts';
import { type Action, inFlight, isUnresolved } from './replay.ts';
/** `OPEN buy USDTNGN 50,000.00 USD ("PAY-8841")`; a close has no size. */
export function actionInWords({ intent }: Action): string {
  const size = intent.notional_usd === undefined ? '' : ` ${usdInWords(new Big(intent.notional_usd))}`;
  const dealId = intent.deal_id === undefined ? '' : ` (${quotedName(intent.deal_id)})`;
  return `${intent.action.toUpperCase()} ${intent.side} ${unquoted(intent.market)}${size}${dealId}`;
}

/** What is known of its end, as the end of a sentence: `filled, hedge "hdg_01JD8K"`. */
export function stateInWords(action: Action): string {
  const hedge = action.hedgeId === undefined ? '' : `, hedge ${quotedName(action.hedgeId)}`;
  return `${bareState(action)}${hedge}`;
}

const NO_ANSWER = 'sent without a usable answer';
const NOT_TOLD = 'accepted, and the book does not tell what became of it';

function bareState(action: Action): string {
  if (action.underway) return 'being sent at this moment';
  if (isUnresolved(action)) return action.outcome?.kind === 'not_told' ? NOT_TOLD : NO_ANSWER;
  if (inFlight(action)) return 'accepted, its end not seen yet';
  switch (action.state) {
    case 'done': {
      const part = partialFillOf(action);
      return part === undefined ? (action.outcome?.kind ?? 'done') : `filled in part, ${usdInWords(part)}`;
    }
    case 'settled':
      return action.settledAs === 'done' ? "done, by a person's word" : "not done, by a person's word";
    case 'accepted':
      return 'accepted, and no change of the book was seen';
    case 'prepared':
      return 'not sent';
    case 'not_sent':
      return action.turnedAway === undefined ? 'not sent' : `turned away (${unquoted(action.turnedAway)})`;
    case 'sent':
    case 'unknown':
      return NO_ANSWER;
    case 'failed':
    case 'refused':
      return action.state;
    default:
      return action.state satisfies never;
  }
}

/** The end of a sentence: `halted by ada@desk, 2026-11-20 10:02:58 UTC: "venue down".`, or why it cannot be read. */
export function haltedInWords(halt: Halt): string {
  if ('unreadable' in halt) return `halted: ${halt.unreadable.what}`;
  return `halted by ${unquoted(halt.who)}, ${timeInWords(halt.at)}: ${quoted(halt.why)}.`;
}

/** `2026-11-20T10:02:58.123Z` → `2026-11-20 10:02:58 UTC`. */
export const timeInWords = (at: string): string =>
  `${unquoted(at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ''))} UTC`;

export interface NextStep {
  command: string;
  does: string;
}

/** HEDGE_API_KEY with HEDGE_BASE_URL: no name that `--profile` takes. */
const ENVIRONMENT_PAIR = 'env';

/** Most useful first; empty where its end is known. `selected` is the profile that commands would use as it is. */
export function nextSteps(action: Action, selected: string | undefined): readonly NextStep[] {
  const line = (words: string): string => `hedge ${profileOf(action, selected)}${words}`;
  const settle = [
    { as: 'done', does: 'your word: it was done' },
    { as: 'nothing', does: 'your word: it never was' },
  ].map(({ as, does }) => ({
    // A person's word needs no service, so no profile either.
    command: `hedge journal settle ${action.shortId} --as ${as} --because TEXT`,
    does,
  }));
  const look = { command: line(`check ${action.shortId}`), does: 'looks; sends nothing' };
  if (isUnresolved(action)) {
    const resume = {
      command: line(`resume ${action.shortId}`),
      does: 'looks, then asks before it sends again with the same key',
    };
    return [look, resume, ...settle];
  }
  if (inFlight(action) || action.underway)
    return [{ command: line(`wait ${action.shortId}`), does: 'waits for the end' }, look];
  return action.state === 'accepted' ? [look, ...settle] : [];
}

function profileOf({ intent }: Action, selected: string | undefined): string {
  const { profile } = intent;
  return profile === selected || profile === ENVIRONMENT_PAIR ? '' : `--profile ${profile} `;
}
