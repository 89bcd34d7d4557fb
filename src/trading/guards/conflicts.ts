/**
 * What of the same identity, market and side stands in the way of an action: what nobody knows the end of,
 * what is still in flight, what was just dealt. Pure.
 */
import { createsHedge, enlarges, rowOf, takesWholeSide } from '../../domain/action-table.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { actionInWords, stateInWords, timeInWords } from '../../journal/describe.ts';
import { type DealTerms, duplicatesOf, inFlightOn, unresolvedOn } from '../../journal/queries.ts';
import type { Action } from '../../journal/replay.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { commandLines } from '../command-lines.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
import type { Finding } from '../trading-context.ts';

interface OnTerms extends DealTerms {
  allowDuplicate: boolean;
  flat?: boolean | undefined;
  measured?: boolean | undefined;
  except?: string | undefined;
}

/** An action as scripts see it among the details. */
export const actionDetails = (action: Action) => ({
  action_id: action.id,
  action: action.intent.action,
  market: action.intent.market,
  side: action.intent.side,
  notional_usd: action.notional ?? null,
  deal_id: action.intent.deal_id ?? null,
  hedge_id: action.hedgeId ?? null,
  state: action.state,
  at: action.intent.at,
});

/**
 * Stops all but a close, since who must be flat is not kept from it, and an action that is sent again: of two
 * that are unresolved, one has to be settled first.
 */
export function unresolvedFindings(asked: OnTerms, actions: readonly Action[]): readonly Finding[] {
  const found = unresolvedOn(actions, asked);
  if (found.length === 0) return [];
  const named = found.map(
    (each) =>
      `${actionInWords(each)}, action ${each.shortId} of ${timeInWords(each.sentAt ?? each.intent.at)}, is unresolved (${stateInWords(each)}): ${isOfAnotherKey(each, asked) ? `${otherKeyInWords(each)}, and ` : ''}it may stand or not.`,
  );
  const stops = !takesWholeSide(asked) && asked.except === undefined;
  return [
    {
      level: stops ? 'stop' : 'warn',
      code: 'unresolved',
      message: takesWholeSide(asked) ? `${named.join(' ')} ${WHAT_A_CLOSE_TAKES}` : named.join(' '),
      hint: stops ? wayOut(found, asked) : lines(found, 'resume'),
      details: { actions: found.map(actionDetails) },
    },
  ];
}

const WHAT_A_CLOSE_TAKES = 'A close takes what is there when it lands.';

const wayOut = (found: readonly Action[], asked: OnTerms): string =>
  commandLines([
    ...found.filter((each) => isOfAnotherKey(each, asked)).flatMap(confirmationCommands),
    ...found.map(({ shortId }) => [`hedge check ${shortId}`, 'looks; sends nothing'] as const),
    ...found.map(({ shortId }) => [`hedge resume ${shortId}`, 'settles it'] as const),
    [despite(found), 'on the line: deal although that is open'],
  ]);

const lines = (found: readonly Action[], command: string): string =>
  found.map(({ shortId }) => `hedge ${command} ${shortId}`).join('\n');

const despite = (found: readonly Action[]): string =>
  `--despite ${found.map(({ shortId }) => shortId).join(',')}`;

/**
 * What a close would race with stops it, of a flat side what would open it; and a size that was worked out from
 * what is open now, and will not be when the other lands. Anything else is only pointed out, and so is what a
 * close has waited for long enough: who must be flat is not kept from it for ever.
 */
export function inFlightFindings(
  asked: OnTerms,
  actions: readonly Action[],
  nowMs: number,
): readonly Finding[] {
  const found = inFlightOn(actions, asked);
  const mayLand = ({ underway, changedAt }: Action): boolean =>
    underway || nowMs - Date.parse(changedAt) < NOT_SEEN_AFTER_MS;
  const races = ({ intent }: Action): boolean =>
    asked.flat === true ? createsHedge(intent) : !takesWholeSide(intent);
  const stopping = takesWholeSide(asked)
    ? found.filter(races).filter(mayLand)
    : asked.measured === true
      ? found
      : [];
  return [
    ...inFlight(stopping, 'stop', takesWholeSide(asked) ? WHAT_A_CLOSE_TAKES : WHAT_A_PART_IS_OF),
    ...inFlight(
      found.filter((each) => !stopping.includes(each)),
      'warn',
      inFlightMeaning(found, asked),
    ),
  ];
}

const WHAT_A_PART_IS_OF =
  'What is open is not what it will be: --by and --to would take more, or less, than was meant.';

const inFlightMeaning = (found: readonly Action[], asked: OnTerms): string => {
  const { otherInFlight } = rowOf(asked.action).words;
  if (!createsHedge(asked)) return otherInFlight;
  const smaller = found.filter(({ intent }) => !enlarges(intent));
  return [
    ...(smaller.length < found.length ? [otherInFlight] : []),
    ...(smaller.length > 0
      ? [
          'A reduction or close takes from what is open when it lands: from this one too, if it is filled by then.',
        ]
      : []),
  ].join(' ');
};

/** In full; the rest by their ids. A script that deals on and on without waiting has many. */
const MOST_IN_WORDS = 3;

function inFlight(found: readonly Action[], level: Finding['level'], meaning: string): readonly Finding[] {
  if (found.length === 0) return [];
  const inWords = found.slice(0, MOST_IN_WORDS);
  const more = found.slice(MOST_IN_WORDS);
  const named = inWords.map(
    (each) => `${actionInWords(each)}, action ${each.shortId}, is in flight (${stateInWords(each)}).`,
  );
  if (more.length > 0)
    named.push(`So are ${more.length.toString()} more: ${more.map(({ shortId }) => shortId).join(', ')}.`);
  const wait = more.length === 0 ? lines(found, 'wait') : 'hedge check';
  return [
    {
      level,
      code: 'in_flight',
      message: `${named.join(' ')} ${meaning}`,
      hint:
        level === 'stop'
          ? `${wait}\n${commandLines([[despite(found), 'on the line: do not wait for it']])}`
          : wait,
      details: { actions: found.map(actionDetails) },
    },
  ];
}

/** A second close finds nothing left to close, so there it is no matter. */
export function duplicateFindings(
  asked: OnTerms,
  actions: readonly Action[],
  nowMs: number,
): readonly Finding[] {
  if (takesWholeSide(asked) || asked.allowDuplicate) return [];
  // What is unresolved stops it already, and asks for more than to be allowed.
  const unresolved = unresolvedOn(actions, asked);
  const found = duplicatesOf(actions, asked, nowMs).filter((each) => !unresolved.includes(each));
  if (found.length === 0) return [];
  const named = found.map(
    (each) =>
      `${actionInWords(each)}, action ${each.shortId} (${stateInWords(each)}), ${ago(nowMs - Date.parse(each.intent.at))}.`,
  );
  const size = asked.notional === undefined ? '' : ` of ${usdInWords(asked.notional)}`;
  return [
    {
      level: 'stop',
      code: 'duplicate',
      message: `The same ${asked.action}${size} was dealt within the last minute: ${named.join(' ')}`,
      hint: `If it is meant twice: --allow-duplicate${otherwise(asked, found)}`,
      details: { actions: found.map(actionDetails) },
    },
  ];
}

/** Two opens are told apart by their deal ids, where each has one of its own. */
function otherwise(asked: OnTerms, found: readonly Action[]): string {
  if (!createsHedge(asked)) return '';
  const withoutId = found.filter(({ intent }) => intent.deal_id === undefined);
  if (withoutId.length > 0)
    return `. (${withoutId.map(({ shortId }) => shortId).join(', ')} has no deal id: opens are told apart only where each has its own.)`;
  return asked.dealId === undefined ? ', or a --deal-id of its own' : '';
}

const ago = (ms: number): string => (ms < 1_000 ? 'just now' : `${Math.floor(ms / 1_000).toString()} s ago`);
