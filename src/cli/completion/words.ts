/**
 * What stands for which words: every placeholder of an operand or an option in help, and what a shell may offer
 * in its place. One that is not here stops the generator, so that it is decided for each.
 */

import { GET_PATHS, POST_PATHS } from '../../args/api-request.ts';
import { WEATHER_REACHES } from '../../args/weather-intent.ts';
import { SHELLS } from '../../commands/command-context.ts';
import { ownField } from '../../domain/fields.ts';
import { ENVIRONMENTS, HEDGE_STATUSES, SIDES, TENORS } from '../../domain/vocabulary.ts';
import { JOURNAL_ACTIONS } from '../../journal/records.ts';
import { OUTPUT_FORMS } from '../output-options.ts';

type NamesOf = 'markets' | 'hedges' | 'deals' | 'matters' | 'anything' | 'profiles';

/**
 * `names`: what `hedge __complete` knows of that kind. `free`: a word that nobody but the operator knows.
 * `list`: several of them with commas between.
 */
export type Takes =
  | { kind: 'words'; words: readonly string[]; list?: true }
  | { kind: 'names'; of: NamesOf; list?: true }
  | { kind: 'files' }
  | { kind: 'free' };

export const FREE: Takes = { kind: 'free' };
const FILES: Takes = { kind: 'files' };
const words = (list: readonly (string | number)[]) => ({ kind: 'words', words: list.map(String) }) as const;
const names = (of: NamesOf) => ({ kind: 'names', of }) as const;
const listOf = (takes: ReturnType<typeof words | typeof names>): Takes => ({ ...takes, list: true });

/** Operands in capitals, options in small letters, as help writes them. */
const PLACEHOLDERS: Readonly<Record<string, Takes>> = {
  MARKET: names('markets'),
  SIDE: words(SIDES),
  NOTIONAL: FREE,
  ACTION: names('anything'),
  ID: names('hedges'),
  FILE: FILES,
  METHOD: words(['GET', 'POST']),
  NAME: names('profiles'),
  PATH: FREE,
  REASON: FREE,
  DURATION: FREE,
  SHELL: words(SHELLS),
  clear: words(['clear']),

  action: words(JOURNAL_ACTIONS),
  actions: listOf(names('matters')),
  address: FREE,
  bps: FREE,
  count: FREE,
  day: words(['today']),
  days: words(TENORS),
  environment: words(ENVIRONMENTS),
  expression: FREE,
  field: FREE,
  form: words(OUTPUT_FORMS),
  id: names('deals'),
  json: FREE,
  key: FREE,
  label: FREE,
  market: names('markets'),
  markets: listOf(names('markets')),
  ms: FREE,
  name: names('profiles'),
  names: listOf(names('markets')),
  notional: FREE,
  param: FREE,
  path: FILES,
  percentage: FREE,
  place: words(['file', 'keychain']),
  port: FREE,
  price: FREE,
  requests: words(WEATHER_REACHES),
  seconds: FREE,
  share: FREE,
  side: words(SIDES),
  status: words(HEDGE_STATUSES),
  text: FREE,
  usd: FREE,
  usdc: FREE,
  when: words(['today', 'yesterday', '7d']),
  zone: FREE,
};

/** Where the same placeholder stands for something else. */
const EXCEPTIONS: Readonly<Record<string, Takes>> = {
  'quote --tenor': listOf(words([...TENORS, 'all'])),
  // Only what is open can be settled.
  'resume ACTION': names('matters'),
  'journal settle ACTION': names('matters'),
  'api PATH': words([...new Set([...GET_PATHS, ...POST_PATHS])]),
  // A name or a deal id that is new.
  'profile add NAME': FREE,
  'open --deal-id': FREE,
  'journal settle --as': words(['done', 'nothing']),
  'history --by': words(['day', 'week', 'month', 'market', 'side']),
  'practice serve --host': words(['127.0.0.1', '::1']),
};

export interface Following {
  /** The next operand. */
  takes: Takes;
  /** Whether an option still applies. */
  applies: (option: string) => boolean;
}

/** What is different after a word of an operand: `hedge api POST` goes to other paths than `hedge api GET`. */
export const FOLLOWING: Readonly<Record<string, Readonly<Record<string, Following>>>> = {
  'api METHOD': {
    GET: { takes: words(GET_PATHS), applies: (option) => option === '--param' },
    POST: { takes: words(POST_PATHS), applies: (option) => option !== '--param' },
  },
};

/** `place`: `quote --tenor`, `profile add NAME`. */
export function takesOf(place: string, placeholder: string): Takes {
  const found = ownField(EXCEPTIONS, place) ?? ownField(PLACEHOLDERS, placeholder);
  if (found === undefined)
    throw new Error(`${place}: say in src/cli/completion/words.ts what ${placeholder} stands for`);
  return found;
}
