/** Describes actions and the halt in parts of a sentence, with times in UTC, and the next commands for an action. */
import { Big } from 'big.js';
import { changedWords } from '../domain/action-table.ts';
import { readDecimal } from '../domain/amounts.ts';
import { grouped, usdInWords } from '../domain/exposure.ts';
import { optionWords, say, shell, step } from '../domain/hint.ts';
import { quoted, quotedName, unquoted } from '../domain/quoted.ts';
import type { CommandWords, Effect, NextStep, Sentence } from '../errors.ts';
import type { SignedHalt } from './halt.ts';
import type { HaltRecord, Operator } from './records.ts';
import { type Action, inFlight, isUnanswered, isUnresolved } from './replay.ts';
import { partialFillOf } from './results.ts';

/** `OPEN buy USDTNGN 50,000.00 USD ("PAY-8841")`; a close has no size. Behind a colleague's: `of Ada O. (ada@desk)`. */
export function actionInWords({ intent, colleague }: Action): string {
  const size = sizeInWords(intent);
  const dealId = intent.deal_id === undefined ? '' : ` (${quotedName(intent.deal_id)})`;
  const of = colleague === undefined ? '' : ` of ${unquoted(operatorInFull(colleague))}`;
  return `${intent.action.toUpperCase()} ${intent.side} ${unquoted(intent.market)}${size === '' ? '' : ` ${size}`}${dealId}${of}`;
}

/** `50,000.00 USD`: how much it changes; empty for a close. */
export const sizeInWords = ({ notional_usd: notional }: Action['intent']): string =>
  notional === undefined ? '' : usdInWords(new Big(notional));

/** Its state as the end of a sentence: `filled, hedge "hdg_01JD8K"`. */
export function stateInWords(action: Action): string {
  const hedge = action.hedgeId === undefined ? '' : `, hedge ${quotedName(action.hedgeId)}`;
  return `${stateText(action)}${hedge}`;
}

/** Said of an open, after a lookup by its deal ID or the reference that was derived for it. */
export const NOT_FOUND = 'the service shows no such hedge';
const SENT = 'outcome unknown';
const ACCEPTED = 'accepted; outcome unknown from the position';

function stateText(action: Action): string {
  if (action.underway) return 'being sent now';
  if (isUnanswered(action)) return action.outcome?.kind === 'not_told' ? ACCEPTED : SENT;
  if (inFlight(action)) return 'accepted, outcome pending';
  switch (action.state) {
    case 'done': {
      const part = partialFillOf(action);
      if (part !== undefined) return `partially filled, ${usdInWords(part)}`;
      const kind = action.outcome?.kind ?? 'done';
      return kind === 'changed' ? changeWord(action.intent) : kind;
    }
    case 'settled':
      return action.recordedAs === 'done'
        ? 'recorded manually as executed'
        : 'recorded manually as not executed';
    case 'accepted':
      return 'accepted, no change of the position seen';
    case 'prepared':
      return 'not sent';
    case 'not_sent':
      return action.rejectionCode === undefined ? 'not sent' : `rejected (${unquoted(action.rejectionCode)})`;
    case 'sent':
    case 'unknown':
      return SENT;
    case 'failed':
    case 'refused':
      return action.state;
    default:
      return action.state satisfies never;
  }
}

/** The outcome in one word; without one, what the action waits for or how it stopped. */
export function outcomeWord(action: Action): string {
  if (action.underway) return 'sending';
  if (isUnanswered(action)) return 'unknown';
  if (action.state === 'prepared') return 'not_sent';
  if (action.state === 'accepted') return action.outcome?.kind ?? 'pending';
  return action.state === 'done' || action.state === 'failed'
    ? (action.outcome?.kind ?? action.state)
    : action.state;
}

/** The word for an add or a reduce on screens; documents have `changed`. */
export const changeWord = (of: Pick<Action['intent'], 'action'>): string =>
  changedWords(of)?.listed ?? 'changed';

export const isPartialFill = (action: Action): boolean =>
  action.state === 'done' && partialFillOf(action) !== undefined;

/** Every word that names its outcome: the document's, and those of the screen for a part or a change. */
export function outcomeWords(action: Action): readonly string[] {
  const word = outcomeWord(action);
  return [
    word,
    ...(isPartialFill(action) ? ['partial'] : []),
    ...(word === 'changed' ? [changeWord(action.intent)] : []),
  ];
}

/** `Ada O.`, or `ada@desk` without a name. For a cell, which is sanitized. */
export const operatorInWords = ({ name, user, host }: Operator): string => name ?? `${user}@${host}`;

/** `Ada O. (ada@desk)` */
export const operatorInFull = (operator: Operator): string => {
  const { name, user, host } = operator;
  return name === undefined ? operatorInWords(operator) : `${name} (${user}@${host})`;
};

/** Names the machine too if there is a desk. */
export function senderInWords({ intent: { operator }, login }: Action): string | undefined {
  if (operator === undefined) return login;
  return login === undefined ? operatorInWords(operator) : operatorInFull(operator);
}

/** `3f2a of this machine`, or of a colleague on a desk. */
export const actionAndMachine = ({ shortId, colleague }: Action): string =>
  `${shortId} of ${colleague === undefined ? 'this machine' : unquoted(operatorInFull(colleague))}`;

/** NGN of a size that was asked for so. */
export const nairaAsked = (asked: string | undefined): Big | undefined =>
  readDecimal(/^ngn (.+)$/.exec(asked ?? '')?.[1]);

/** How a size was asked for: `800,000,000.00 NGN`, or the option as it was typed, `by 50%`. */
export function askedInWords(asked: string): string {
  const naira = nairaAsked(asked);
  return naira === undefined ? asked : `${grouped(naira)} NGN`;
}

/** Whose records a journal has: `this machine`, or `desk lagos` where it follows one. */
export const bookInWords = ({ desk }: { desk: { name: string } | undefined }): string =>
  desk === undefined ? 'this machine' : `desk ${unquoted(desk.name)}`;

/** The end of a sentence: `halted by ada@desk, 2026-11-20 10:02:58 UTC: "venue down".` */
export const haltedInWords = (halt: SignedHalt): string =>
  `halted by ${quoted(halt.who).slice(1, -1)}, ${timeInWords(halt.at)}: ${quoted(halt.why)}.`;

/** Who lifts the halt in force, and how. */
export const liftAdvice = (desk: { isApprover: boolean } | undefined): Sentence =>
  desk?.isApprover === false
    ? say`An approver of the desk lifts it: ${shell`hedge unhalt`}`
    : say`To lift the halt: ${shell`hedge unhalt`}`;

/** `2026-11-20T10:02:58.123Z` → `2026-11-20 10:02:58 UTC`. */
export const timeInWords = (at: string): string =>
  `${unquoted(at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ''))} UTC`;

/** Behind a time of this machine's clock: practice has its own, which may be days ahead. */
export const machineTimeNote = ({ intent }: Action): string =>
  intent.identity.environment === 'practice' ? " (this machine's time)" : '';

/** HEDGE_API_KEY with HEDGE_BASE_URL: not valid for `--profile`. */
const ENVIRONMENT_PAIR = 'env';

/** Most useful first; empty when its outcome is known. `selected`: the profile that commands use without an option. */
export function nextSteps(action: Action, selected: string | undefined): readonly NextStep[] {
  const { shortId: id, intent } = action;
  // Another machine of a desk may use any profile name: the one in use reaches the account.
  const profile = action.login === undefined ? underProfile(intent.profile, selected) : [];
  // Recording needs no service, so no profile either.
  const resolve = ['executed', 'not-executed'].map((as) =>
    step(shell`hedge journal resolve ${id} --as ${as} --reason TEXT`, 'after the partner has confirmed it'),
  );
  const check = step(shell`hedge ${profile} check ${id}`, 'check the outcome; sends nothing');
  if (isUnanswered(action)) {
    const resume = step(
      shell`hedge ${profile} resume ${id}`,
      'check, then confirm resending with the same key',
    );
    return [check, resume, ...resolve];
  }
  if (inFlight(action) || action.underway)
    return [step(shell`hedge ${profile} wait ${id}`, 'wait for the outcome'), check];
  return action.state === 'accepted' ? [check, ...resolve] : [];
}

/** The command as it was typed, with its key; without price limits. */
export function lineUnderKey({ intent }: Action): CommandWords {
  const { action, market, side, notional_usd: notional, tenor_days: tenor, deal_id: dealId } = intent;
  const size = intent.asked === undefined ? (notional ?? '') : `--${intent.asked}`;
  return [
    ...shell`hedge ${action}`,
    market,
    side,
    ...size.split(' ').filter((word) => word !== ''),
    ...(tenor === undefined ? [] : ['--tenor', tenor.toString()]),
    ...(dealId === undefined ? [] : [`--deal-id=${dealId}`]),
    ...optionWords('--idempotency-key', intent.idempotency_key),
  ];
}

/** The option of a command under `profile`; none where it is `selected` without. */
export const underProfile = (profile: string, selected: string | undefined): readonly string[] =>
  profile === selected || profile === ENVIRONMENT_PAIR ? [] : ['--profile', profile];

/** Before the commands that record an outcome manually. */
export const AFTER_THE_PARTNER = 'After the partner has confirmed it:';

/** The effect on the position, as far as the journal knows. */
export function effectOf(action: Action): Effect {
  if (action.underway || isUnresolved(action)) return 'unknown';
  if (action.state === 'accepted') return 'pending';
  return action.state === 'done' || action.recordedAs === 'done' ? 'done' : 'none';
}

export function haltSignerOf(record: HaltRecord): string | undefined {
  if (record.kind === 'halt') return record.who;
  return record.operator && operatorInFull(record.operator);
}

export function whyHalted(record: HaltRecord): string | undefined {
  return record.kind === 'halt' ? record.why : record.lifted?.why;
}

/** An unhalt may lift several. */
export function haltReasons(record: HaltRecord): string | undefined {
  const others = record.kind === 'unhalt' ? record.halt_ids.length - 1 : 0;
  return others > 0 ? `${whyHalted(record) ?? ''} (and ${others.toString()} before it)` : whyHalted(record);
}
