/**
 * What `hedge api` was asked: which method and path, and what goes with it. Refuses whatever could lead to
 * another place than below the base address, and every request that neither reads nor is one of the four
 * actions. Reads no file and no body.
 */
import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { ACTION_OPTIONS } from './action-options.ts';
import { type ActionName, checkOptions } from './api-action.ts';
import { optionText, optionTexts, type RawInput } from './raw-input.ts';

/** Text that is on the line, in a file, or on standard input. */
export type TextSource =
  | { from: 'line'; text: string }
  | { from: 'file'; path: string }
  | { from: 'standard input' };

export type ApiBody =
  | { kind: 'none' }
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'given'; source: TextSource };

export interface ApiIntent {
  method: 'GET' | 'POST';
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  body: ApiBody;
  /** The action that the request is; undefined: it changes nothing. */
  action: ActionName | undefined;
  raw: RawInput;
}

/** All that the four take, but what the body says. */
const OF_ACTIONS = [
  ...ACTION_OPTIONS.open.filter(({ flags }) => !/^-t,|^--deal-id/.test(flags)),
  ...ACTION_OPTIONS.close.filter(({ flags }) => flags === '--if-open'),
];

export const API_OPTIONS = [
  { flags: '-f, --raw-field <field>', summary: 'key=value of the body, as text', repeats: true },
  { flags: '-F, --field <field>', summary: 'key=value: a number, true, false or null', repeats: true },
  { flags: '--data <json>', summary: 'the whole body: JSON, @FILE, or - for standard input' },
  { flags: '--param <param>', summary: 'key=value of the query of a GET', repeats: true },
  // A deal id is a field of the body here, under the service's name for it.
  ...OF_ACTIONS.map(({ flags, summary }) => ({
    flags,
    summary: `an action: ${summary.replace('--deal-id', 'client_reference')}`,
  })),
] as const;

const ACTIONS: Readonly<Record<string, ActionName>> = {
  '/hedges': 'open',
  '/hedges/add': 'add',
  '/hedges/reduce': 'reduce',
  '/hedges/close': 'close',
};
/** Specification §4: opens nothing and persists nothing. */
const READING_POSTS: readonly string[] = ['/quotes'];

/** Paths of the specification (§4) without an id in them, by their method. */
export const POST_PATHS: readonly string[] = [...READING_POSTS, ...Object.keys(ACTIONS)];
export const GET_PATHS: readonly string[] = [
  '/markets',
  '/prices',
  '/hedges',
  '/hedges/history',
  '/positions',
  '/account',
];

/** @throws UsageError. */
export function readApiIntent(raw: RawInput): ApiIntent {
  const [word = '', path = ''] = raw.operands;
  const method = readMethod(word);
  checkPath(path);
  const query = optionTexts(raw, 'param').map((pair) => readPair('--param', pair));
  const body = readBody(raw);
  if (method === 'GET' && body.kind !== 'none')
    throw new UsageError('A GET has no body.', `What it asks for is its query: --param key=value`);
  if (method === 'POST' && query.length > 0)
    throw new UsageError('A POST has no query here.', 'What it asks for is its body: -f, -F or --data');
  const action = method === 'POST' ? actionAt(path) : undefined;
  checkOptions(raw, action);
  return { method, path, query, body, action, raw };
}

function readMethod(word: string): ApiIntent['method'] {
  const method = /^[a-z]+$/i.test(word) ? word.toUpperCase() : '';
  if (method === 'GET' || method === 'POST') return method;
  throw new UsageError(
    `${quoted(word)} is not a method.`,
    'The service knows GET and POST: hedge api GET /markets',
  );
}

/** Which action a POST is. What hedge cannot tell from an action is not sent at all. */
function actionAt(path: string): ActionName | undefined {
  const action = ownField(ACTIONS, path);
  if (action !== undefined || READING_POSTS.includes(path)) return action;
  throw new UsageError(
    `What POST ${quoted(path)} does is not known here, so it may change the book, and it is not sent.`,
    `POST goes to ${[...READING_POSTS, ...Object.keys(ACTIONS)].join(', ')}; GET goes anywhere below the base address.`,
  );
}

const SEGMENTS = /^(?:\/(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)+$/;

/** Below the base address, and read in one way only by everybody on the way. */
function checkPath(path: string): void {
  if (/[?#]/.test(path))
    throw new UsageError(
      `${quoted(path)} has a query or a fragment in it.`,
      'Name the path alone; its query is --param key=value.',
    );
  const climbs = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  // An encoded slash, backslash or control is a slash to some servers and a letter to others.
  if (!SEGMENTS.test(path) || climbs || /%(?:2f|5c|25|[01][0-9a-f]|7f)/i.test(path))
    throw new UsageError(
      `${quoted(path)} is not a path below the base address.`,
      'It begins with one / and has no scheme, no host and no "..": /hedges/history',
    );
}

function readPair(option: string, text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`${quoted(text)} is not key=value (${option}).`, `Write ${option} market=USDTNGN`);
}

function readBody(raw: RawInput): ApiBody {
  const data = optionText(raw, 'data');
  const pairs: readonly (readonly [string, unknown])[] = [
    ...optionTexts(raw, 'rawField').map((text) => readPair('-f', text)),
    ...optionTexts(raw, 'field').map((text) => readTyped(text)),
  ];
  if (data !== undefined && pairs.length > 0)
    throw new UsageError('The body is said twice.', 'Give --data alone, or -f and -F.');
  if (data !== undefined) return { kind: 'given', source: sourceOf(data) };
  if (pairs.length === 0) return { kind: 'none' };
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`The field ${quoted(twice)} is given twice.`, 'Give it once.');
  return { kind: 'fields', fields: Object.fromEntries(pairs) };
}

function sourceOf(data: string): TextSource {
  if (data === '-') return { from: 'standard input' };
  return data.startsWith('@') ? { from: 'file', path: data.slice(1) } : { from: 'line', text: data };
}

const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const NUMERAL = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/;

/** A number keeps its digits: it never becomes a float. */
function readTyped(text: string): readonly [string, unknown] {
  const [name, value] = readPair('-F', text);
  if (Object.hasOwn(WORDS, value)) return [name, WORDS[value]];
  if (NUMERAL.test(value)) return [name, new Big(value)];
  throw new UsageError(
    `${quoted(value)} is neither a number nor true, false or null (-F ${quoted(name)}).`,
    `As text: -f ${name}=…`,
  );
}
