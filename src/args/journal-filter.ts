/** Reads the arguments of `hedge journal` and `hedge journal resolve`. */

import { ACTION_NAMES } from '../domain/action-table.ts';
import type { Moment } from '../domain/calendar.ts';
import { optionWords, say, shell, step, withOperands } from '../domain/hint.ts';
import { containsKey, redactKeys } from '../domain/sanitize.ts';
import { ENVIRONMENTS } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { momentOf, PLACE_OPTIONS, spanOptions } from './list-filter.ts';
import { isNot, oneOf, readDealId } from './operands.ts';
import { type Given, limitOption, optionGiven, optionText, type RawInput, readOptions } from './option.ts';
import { readNote } from './shared-options.ts';

const DEFAULT_LIMIT = 20;

/** Outcomes as documents name them; `partial` for what was filled in part, `added` and `reduced` as on screens. */
export const JOURNAL_OUTCOMES = [
  'filled',
  'partial',
  'changed',
  'added',
  'reduced',
  'closed',
  'failed',
  'refused',
  'not_sent',
  'pending',
  'sending',
  'unknown',
  'not_seen',
  'settled',
] as const;

/** `unresolved` with `inFlight`: either of the two. */
export const JOURNAL_OPTIONS = {
  unresolved: { flags: '--unresolved', summary: 'only unknown outcomes' },
  inFlight: { flags: '--in-flight', summary: 'only in flight: accepted or being sent' },
  action: {
    flags: '--action <action>',
    summary: 'only open, add, reduce or close',
    completes: { words: ACTION_NAMES },
    read: (text: string) => oneOf(ACTION_NAMES, text, 'an action'),
  },
  ...PLACE_OPTIONS,
  dealId: {
    flags: '--deal-id <id>',
    summary: 'only with this deal ID, or on a hedge opened under it',
    read: readDealId,
  },
  operator: {
    flags: '--operator <name>',
    summary: 'only sent or resolved by: "Ada O.", ada or ada@desk',
    completes: { names: ['operators'] },
    read: readOperator,
  },
  outcome: {
    flags: '--outcome <outcome>',
    summary: 'only with this outcome: filled, failed, unknown',
    completes: { words: JOURNAL_OUTCOMES },
    read: (text: string): string => oneOf(JOURNAL_OUTCOMES, text.replaceAll('-', '_'), 'an outcome'),
  },
  environment: {
    flags: '--environment <environment>',
    summary: 'only live, sandbox or practice',
    read: (text: string) => oneOf(ENVIRONMENTS, text, 'an environment'),
  },
  ...spanOptions('began_at', 'sent'),
  day: {
    flags: '--day <day>',
    summary: 'only this day: 2026-11-20, today or yesterday',
    completes: { words: ['today', 'yesterday'] },
    read: readDay,
  },
  limit: limitOption('actions', 'number of actions, or all (default 20)'),
} as const;

/** Both ends are the same day for `--day`. */
export type JournalFilter = Omit<Given<typeof JOURNAL_OPTIONS>, 'day'>;

export function readJournalIntent(raw: RawInput) {
  const [word] = raw.operands;
  const { day, since, until, limit, ...others } = readOptions(JOURNAL_OPTIONS, raw);
  if (day !== undefined && (since !== undefined || until !== undefined))
    throw new UsageError(
      '--day is a whole day; it excludes --since and --until.',
      'Leave out --day, or the others.',
    );
  if (word !== undefined && Object.keys(raw.options).length > 0)
    throw new UsageError('One action takes no filters.', 'Leave out the options, or leave out the ID.');
  const filter: JournalFilter = {
    ...others,
    since: day ?? since,
    until: day ?? until,
    limit: limit ?? DEFAULT_LIMIT,
  };
  /** An action ID or its beginning, a hedge ID or a deal ID; undefined for the list. */
  return { word: word === undefined ? undefined : readDealId(word), filter };
}

export const HALTS_OPTIONS = {
  ...spanOptions('at', 'recorded'),
  limit: limitOption('records', 'number of records, or all (default 20)'),
} as const;

export function readHaltsFilter(raw: RawInput) {
  const { limit = DEFAULT_LIMIT, ...span } = readOptions(HALTS_OPTIONS, raw);
  return { ...span, limit };
}

const LONGEST_REASON = 500;
const RECORDED_AS = { executed: 'done', 'not-executed': 'nothing' } as const;
const REASON_EXAMPLE = '--reason "the venue says it never arrived"';

export function readResolveIntent(raw: RawInput) {
  const as = optionText(raw, 'as');
  const reason = optionText(raw, 'reason')?.trim();
  const word = readDealId(raw.operands[0] ?? '');
  if (as === undefined || reason === undefined) {
    const outcome = as === undefined ? 'executed' : readOutcome(as);
    const given = [
      '--as',
      outcome,
      ...optionWords('--reason', redactKeys(reason ?? 'seen on the statement')),
    ];
    const line = withOperands(shell`hedge journal resolve`, [word], given);
    throw new UsageError(
      as === undefined ? 'Missing --as: the outcome.' : 'Missing --reason: the evidence for it.',
      as === undefined ? say`${line}, or --as not-executed` : step(line),
    );
  }
  if (reason === '' || reason.length > LONGEST_REASON)
    throw new UsageError(`A reason has 1 to ${LONGEST_REASON} characters.`, REASON_EXAMPLE);
  if (containsKey(reason))
    throw new UsageError(
      'The reason contains what looks like an API key, and it would be kept in the journal.',
      REASON_EXAMPLE,
    );
  const outcome = readOutcome(as);
  const allowLateArrival = optionGiven(raw, 'allowLateArrival');
  if (allowLateArrival && outcome === 'executed')
    throw new UsageError(
      '--allow-late-arrival has no effect with --as executed.',
      'Leave out --allow-late-arrival.',
    );
  return {
    word,
    /** The outcome in the words of a record. */
    as: RECORDED_AS[outcome],
    reason,
    yes: optionGiven(raw, 'yes'),
    /** Record `nothing` although the request may still arrive. */
    allowLateArrival,
    note: readNote(raw),
  };
}

const readOutcome = (text: string) => oneOf(['executed', 'not-executed'], text, 'an outcome');

function readOperator(value: string): string {
  const operator = value.trim();
  if (operator === '')
    throw new UsageError(
      'The operator is empty (--operator).',
      'Give a name or a user: --operator "Ada O.", --operator ada',
    );
  return operator;
}

function readDay(value: string): Moment {
  const moment = momentOf(value.trim());
  if (moment?.kind === 'day' || moment?.kind === 'day_ago') return moment;
  throw isNot(
    value,
    'a day (--day)',
    moment === undefined
      ? 'Examples: --day 2026-11-20, today or yesterday.'
      : say`For a time or a span: ${shell`--since ${redactKeys(value)}`}`,
  );
}
