/**
 * What stands for which words: every placeholder of an operand or an option in help, and what a shell may offer
 * in its place. One that is not here stops the generator, so that it is decided for each.
 */
import { SHELLS } from '../../commands/desk.ts';
import { ENVIRONMENTS, HEDGE_STATUSES, SIDES, TENORS } from '../../domain/vocabulary.ts';
import { WEATHER_REACHES } from '../../intent/weather-intent.ts';
import { JOURNAL_ACTIONS } from '../../journal/record.ts';
import { OUTPUT_FORMS } from '../output.ts';

/** `names`: what `hedge __complete` knows of that kind. `free`: a word that nobody but the operator knows. */
export type Takes =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'names'; of: 'markets' | 'hedges' | 'deals' | 'actions' | 'anything' | 'profiles' }
  | { kind: 'files' }
  | { kind: 'free' };

const FREE: Takes = { kind: 'free' };
const FILES: Takes = { kind: 'files' };
const words = (list: readonly (string | number)[]): Takes => ({ kind: 'words', words: list.map(String) });
const names = (of: Extract<Takes, { kind: 'names' }>['of']): Takes => ({ kind: 'names', of });

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
  actions: names('actions'),
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
  market: names('markets'),
  markets: names('markets'),
  ms: FREE,
  name: names('profiles'),
  names: names('markets'),
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
  'quote --tenor': words([...TENORS, 'all']),
  // A name or a deal id that is new.
  'profile add NAME': FREE,
  'open --deal-id': FREE,
  'journal settle --as': words(['done', 'nothing']),
  'history --by': words(['day', 'week', 'month', 'market', 'side']),
  'practice serve --host': words(['127.0.0.1', '::1']),
};

/** `place`: `quote --tenor`, `profile add NAME`. */
export function takesOf(place: string, placeholder: string): Takes {
  const found = EXCEPTIONS[place] ?? PLACEHOLDERS[placeholder];
  if (found === undefined)
    throw new Error(`${place}: say in src/cli/completion/words.ts what ${placeholder} stands for`);
  return found;
}
