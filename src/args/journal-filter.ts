/** Reads the arguments of `hedge journal` and `hedge journal resolve`. */

import { ACTION_NAMES, type ActionName } from '../domain/action-table.ts';
import type { Moment } from '../domain/calendar.ts';
import { optionWords, say, shell, step, withOperands } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey, redactKeys } from '../domain/sanitize.ts';
import { ENVIRONMENTS, type Environment, type Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { momentOf, readMoment } from './list-filter.ts';
import { readNote } from './note.ts';
import {
  oneOf,
  optionGiven,
  optionText,
  type RawInput,
  readDealId,
  readMarket,
  readSide,
} from './operands.ts';

export interface JournalFilter {
  /** Only unresolved actions; together with `inFlight`, either of the two. */
  unresolved: boolean;
  inFlight: boolean;
  action: ActionName | undefined;
  market: string | undefined;
  side: Side | undefined;
  dealId: string | undefined;
  /** A name, a word of it, a user, or user and host. */
  operator: string | undefined;
  outcome: string | undefined;
  environment: Environment | undefined;
  /** Both are the same day for `--day`. */
  since: Moment | undefined;
  until: Moment | undefined;
  /** How many of the newest; undefined: all. */
  limit: number | undefined;
}

export interface JournalIntent {
  /** An action ID or its beginning, a hedge ID or a deal ID; undefined for the list. */
  word: string | undefined;
  filter: JournalFilter;
}

const DEFAULT_LIMIT = 20;

/** Outcomes as documents name them; `partial`, `added` and `reduced` as on screens. */
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

export function readJournalIntent(raw: RawInput): JournalIntent {
  const [word] = raw.operands;
  const text = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = optionText(raw, name);
    return value === undefined ? undefined : read(value);
  };
  const day = text('day', readDay);
  const since = text('since', (value) => readMoment('--since', value));
  const until = text('until', (value) => readMoment('--until', value));
  if (day !== undefined && (since !== undefined || until !== undefined))
    throw new UsageError(
      '--day is a whole day; it excludes --since and --until.',
      'Leave out --day, or the others.',
    );
  if (word !== undefined && Object.keys(raw.options).length > 0)
    throw new UsageError('One action takes no filters.', 'Leave out the options, or leave out the ID.');
  return {
    word: word === undefined ? undefined : readDealId(word),
    filter: {
      unresolved: optionGiven(raw, 'unresolved'),
      inFlight: optionGiven(raw, 'inFlight'),
      action: text('action', (value) => oneOf(ACTION_NAMES, value, 'an action')),
      market: text('market', readMarket),
      side: text('side', readSide),
      dealId: text('dealId', readDealId),
      operator: text('operator', readOperator),
      outcome: text('outcome', (value) => oneOf(JOURNAL_OUTCOMES, value.replaceAll('-', '_'), 'an outcome')),
      environment: text('environment', (value) => oneOf(ENVIRONMENTS, value, 'an environment')),
      since: day ?? since,
      until: day ?? until,
      limit: optionText(raw, 'limit') === undefined ? DEFAULT_LIMIT : text('limit', readCount),
    },
  };
}

/** The options of `hedge journal halts`. */
export type HaltsFilter = Pick<JournalFilter, 'since' | 'until' | 'limit'>;

export function readHaltsFilter(raw: RawInput): HaltsFilter {
  const { since, until, limit } = readJournalIntent(raw).filter;
  return { since, until, limit };
}

export interface ResolveIntent {
  word: string;
  /** The outcome in the words of a record. */
  as: 'done' | 'nothing';
  reason: string;
  yes: boolean;
  /** Record `nothing` although the request may still arrive. */
  allowLateArrival: boolean;
  note: string | undefined;
}

const LONGEST_REASON = 500;
const OUTCOMES = ['executed', 'not-executed'] as const;
const RECORDED_AS = { executed: 'done', 'not-executed': 'nothing' } as const;
const REASON_EXAMPLE = '--reason "the venue says it never arrived"';

export function readResolveIntent(raw: RawInput): ResolveIntent {
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
    throw new UsageError(`A reason has 1 to ${LONGEST_REASON.toString()} characters.`, REASON_EXAMPLE);
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
    as: RECORDED_AS[outcome],
    reason,
    yes: optionGiven(raw, 'yes'),
    allowLateArrival,
    note: readNote(raw),
  };
}

const readOutcome = (text: string) => oneOf(OUTCOMES, text, 'an outcome');

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
  throw new UsageError(
    `${quoted(value)} is not a day (--day).`,
    moment === undefined
      ? 'Examples: --day 2026-11-20, today or yesterday.'
      : say`For a time or a span: ${shell`--since ${redactKeys(value)}`}`,
  );
}

function readCount(text: string): number | undefined {
  if (text.toLowerCase() === 'all') return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new UsageError(`${quoted(text)} is not a number of actions.`, 'Write --limit 50, or --limit all.');
  return Number(text);
}
