/** What `hedge journal` and `hedge journal settle` were asked. Text to value; reads no journal. */

import { ACTION_NAMES, type ActionName } from '../domain/action-table.ts';
import { exactInstant } from '../domain/instants.ts';
import { quoted, shellWord, unquoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/redact.ts';
import { ENVIRONMENTS, type Environment, type Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput, readDealId, readMarket, readSide } from './operands.ts';

export interface JournalFilter {
  /** Both together: either. */
  unresolved: boolean;
  inFlight: boolean;
  action: ActionName | undefined;
  market: string | undefined;
  side: Side | undefined;
  dealId: string | undefined;
  environment: Environment | undefined;
  /** A UTC day, `2026-11-20`, or the day it is. */
  day: string | undefined;
  /** How many of the newest; undefined: all. */
  limit: number | undefined;
}

export interface JournalIntent {
  /** An action id or its beginning, a hedge id or a deal id; undefined asks for the list. */
  word: string | undefined;
  filter: JournalFilter;
}

const DEFAULT_LIMIT = 20;
export const TODAY = 'today';

export function readJournalIntent(raw: RawInput): JournalIntent {
  const [word] = raw.operands;
  const text = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = optionText(raw, name);
    return value === undefined ? undefined : read(value);
  };
  if (word !== undefined && Object.keys(raw.options).length > 0)
    throw new UsageError('One action takes no filters.', 'Leave out the options, or leave out the id.');
  return {
    word: word === undefined ? undefined : readDealId(word),
    filter: {
      unresolved: optionGiven(raw, 'unresolved'),
      inFlight: optionGiven(raw, 'inFlight'),
      action: text('action', (value) => oneOf(ACTION_NAMES, value, 'an action')),
      market: text('market', readMarket),
      side: text('side', readSide),
      dealId: text('dealId', readDealId),
      environment: text('environment', (value) => oneOf(ENVIRONMENTS, value, 'an environment')),
      day: text('day', readDay),
      limit: optionText(raw, 'limit') === undefined ? DEFAULT_LIMIT : text('limit', readCount),
    },
  };
}

export interface ResolveIntent {
  word: string;
  as: 'done' | 'nothing';
  because: string;
  yes: boolean;
}

const LONGEST_REASON = 500;
const SETTLED_AS = ['done', 'nothing'] as const;

export function readResolveIntent(raw: RawInput): ResolveIntent {
  const as = optionText(raw, 'as');
  const because = optionText(raw, 'because')?.trim();
  const word = readDealId(raw.operands[0] ?? '');
  if (as === undefined || because === undefined) {
    const line = `hedge journal settle ${shellWord(unquoted(word))} --as`;
    const reason = `--because ${because === undefined ? '"seen on the statement"' : shellWord(quoted(because).slice(1, -1))}`;
    throw new UsageError(
      'Settling needs your word and your reason.',
      as === undefined
        ? `${line} done ${reason}, or --as nothing`
        : `${line} ${oneOf(SETTLED_AS, as, 'a way to settle')} ${reason}`,
    );
  }
  if (because === '' || because.length > LONGEST_REASON)
    throw new UsageError(
      `A reason has 1 to ${LONGEST_REASON.toString()} characters.`,
      '--because "the venue says it never arrived"',
    );
  if (containsKey(because))
    throw new UsageError(
      'What looks like an API key stands in the reason, which is kept in the journal.',
      '--because "the venue says it never arrived"',
    );
  return {
    word,
    as: oneOf(SETTLED_AS, as, 'a way to settle'),
    because,
    yes: optionGiven(raw, 'yes'),
  };
}

function oneOf<const Word extends string>(words: readonly Word[], text: string, what: string): Word {
  const found = words.find((word) => word === text.toLowerCase());
  if (found === undefined)
    throw new UsageError(`${quoted(text)} is not ${what}.`, `It is one of ${words.join(', ')}.`);
  return found;
}

function readDay(text: string): string {
  if (text.toLowerCase() === TODAY) return TODAY;
  const midnight = Date.parse(`${text}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(midnight);
  // Where a month is too short, a date is read as one of the next month.
  if (!isDay || !exactInstant(midnight).startsWith(text))
    throw new UsageError(`${quoted(text)} is not a day.`, 'A day is written 2026-11-20 (UTC), or today.');
  return text;
}

function readCount(text: string): number | undefined {
  if (text.toLowerCase() === 'all') return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new UsageError(`${quoted(text)} is not a number of actions.`, 'Write --limit 50, or --limit all.');
  return Number(text);
}
