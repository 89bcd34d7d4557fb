/**
 * Reads the arguments of `hedge api`. Allows only paths below the base URL, readings, and the four actions, whose
 * bodies become the same intents as the commands (specification §4).
 */
import { Big } from 'big.js';
import type { TypedIntent } from '../domain/action-intent.ts';
import { ACTION_NAMES, type ActionName, type BodyField, rowOf } from '../domain/action-table.ts';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { ACTION_OPTIONS, optionsOf } from './action-options.ts';
import { isNot } from './operands.ts';
import { longOption, optionText, optionTexts, type RawInput } from './option.ts';
import { readAction } from './read-action.ts';

export type TextSource =
  | { from: 'line'; text: string }
  | { from: 'file'; path: string }
  | { from: 'standard input' };

export type ApiBody =
  | { kind: 'none' }
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'given'; source: TextSource };

/** Options of all four actions, without those that are fields of the body. */
const OF_ACTIONS = [
  ...ACTION_OPTIONS.open.filter(({ flags }) => !/^-t,|^--deal-id/.test(flags)),
  ...ACTION_OPTIONS.close.filter(({ flags }) => flags === '--if-open'),
];

export const API_OPTIONS = [
  { flags: '-f, --raw-field <field>', summary: 'body field as key=value, text', repeats: true },
  {
    flags: '-F, --field <field>',
    summary: 'body field as key=value: number, true, false or null',
    repeats: true,
  },
  { flags: '--data <json>', summary: 'whole body: JSON, @FILE, or - for standard input' },
  { flags: '--param <param>', summary: 'query parameter of a GET as key=value', repeats: true },
  // The deal ID is the body field client_reference here.
  ...OF_ACTIONS.map(({ flags, summary }) => ({
    flags,
    summary: `actions: ${summary.replace('--deal-id', 'client_reference')}`,
  })),
] as const;

const ACTION_PATHS = ACTION_NAMES.map((action) => rowOf(action).path);

/** `readingPosts`: paths of the POST requests that change nothing. @throws UsageError. */
export function readApiIntent(raw: RawInput, readingPosts: readonly string[]) {
  const [word = '', path = ''] = raw.operands;
  const method = readMethod(word);
  checkPath(path);
  const query = optionTexts(raw, 'param').map((pair) => readPair('--param', pair));
  const body = readBody(raw);
  if (method === 'GET' && body.kind !== 'none')
    throw new UsageError('A GET has no body.', 'Use a query: --param key=value');
  if (method === 'POST' && query.length > 0)
    throw new UsageError('A POST has no query here.', 'Use a body: -f, -F or --data');
  const action = method === 'POST' ? actionAt(path, readingPosts) : undefined;
  checkOptions(raw, action);
  /** `action`: undefined for a reading. */
  return { method, path, query, body, action, raw };
}

function readMethod(word: string): 'GET' | 'POST' {
  const method = /^[a-z]+$/i.test(word) ? word.toUpperCase() : '';
  if (method === 'GET' || method === 'POST') return method;
  throw isNot(word, 'a supported method', say`Use GET or POST: ${shell`hedge api GET /markets`}`);
}

/** The action of a POST. An unknown path is not sent, since it may be an action. */
function actionAt(path: string, readingPosts: readonly string[]): ActionName | undefined {
  const action = ACTION_NAMES.find((name) => rowOf(name).path === path);
  if (action !== undefined || readingPosts.includes(path)) return action;
  throw new UsageError(
    `POST ${quoted(path)} is not known and may change a position. Nothing was sent.`,
    `Allowed for POST: ${[...readingPosts, ...ACTION_PATHS].join(', ')}; for GET: any path below the base URL.`,
  );
}

const SEGMENTS = /^(?:\/(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)+$/;

/** Allows only paths below the base URL that every proxy reads the same way. */
function checkPath(path: string): void {
  if (/[?#]/.test(path))
    throw new UsageError(
      `${quoted(path)} contains a query or a fragment.`,
      'Give the path alone, and the query as --param key=value.',
    );
  const climbs = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  // An encoded slash, backslash or control is a slash to some servers and a letter to others.
  if (!SEGMENTS.test(path) || climbs || /%(?:2f|5c|25|[01][0-9a-f]|7f)/i.test(path))
    throw isNot(
      path,
      'a path below the base URL',
      'Start with one /, without scheme, host or "..": /hedges/history',
    );
}

function readPair(option: string, text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw isNot(text, `key=value (${option})`, `Write ${option} market=USDTNGN`);
}

function readBody(raw: RawInput): ApiBody {
  const data = optionText(raw, 'data');
  const pairs: readonly (readonly [string, unknown])[] = [
    ...optionTexts(raw, 'rawField').map((text) => readPair('-f', text)),
    ...optionTexts(raw, 'field').map((text) => readTyped(text)),
  ];
  if (data !== undefined && pairs.length > 0)
    throw new UsageError('The body is given twice.', 'Use --data alone, or -f and -F.');
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

/** Numbers keep their exact digits. */
function readTyped(text: string): readonly [string, unknown] {
  const [name, value] = readPair('-F', text);
  if (Object.hasOwn(WORDS, value)) return [name, WORDS[value]];
  if (NUMERAL.test(value)) return [name, new Big(value)];
  throw new UsageError(
    `${quoted(value)} is neither a number nor true, false or null (-F ${quoted(name)}).`,
    `As text: -f ${name}=…`,
  );
}

/** Without the options of the request itself. */
function ofAction({ options }: RawInput): RawInput['options'] {
  const { rawField: _text, field: _typed, data: _data, param: _param, ...others } = options;
  return others;
}

/** @throws UsageError for an option that this action does not have: an ignored limit would be no limit. */
function checkOptions(raw: RawInput, action: ActionName | undefined): void {
  const taken = action === undefined ? [] : optionsOf(action).map(({ flags }) => nameOf(flags));
  const stray = Object.entries(ofAction(raw)).find(
    ([name, value]) => value !== undefined && !taken.includes(name) && !(name === 'wait' && value === true),
  );
  if (stray === undefined) return;
  const flag = longOption(stray[0] === 'wait' ? 'noWait' : stray[0]);
  throw new UsageError(
    action === undefined ? `${flag} needs an action.` : `${flag} is not an option of ${action}.`,
    action === undefined ? 'Leave it out.' : say`See ${shell`hedge ${action} --help`}.`,
  );
}

/** `--worst-price <price>` → `worstPrice`, `--no-wait` → `wait`. */
const nameOf = (flags: string): string =>
  (/--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/g, (_dash, letter: string) =>
    letter.toUpperCase(),
  );

/** @throws UsageError naming the field that is missing, mistyped, or unknown to the action. */
export function actionOfBody(
  action: ActionName,
  body: Readonly<Record<string, unknown>>,
  raw: RawInput,
): TypedIntent {
  const { body: required, optional } = rowOf(action);
  const known: readonly string[] = [...required, ...optional];
  const strange = Object.keys(body).find((field) => !known.includes(field));
  if (strange !== undefined)
    throw new UsageError(
      `The field ${quoted(strange)} is not known for ${action}. Nothing was sent.`,
      `Known fields: ${known.join(', ')}.`,
    );
  const text = (field: BodyField): string | undefined => textOf(field, ownField(body, field));
  const missing = required.find((field) => text(field) === undefined);
  if (missing !== undefined)
    throw new UsageError(
      `The field ${quoted(missing)} is missing.`,
      `Required for ${action}: ${required.join(', ')}.`,
    );
  return readAction(action, {
    operands: [text('market'), text('side'), text('notional_usd')].filter((word) => word !== undefined),
    options: { ...ofAction(raw), tenor: text('tenor_days'), dealId: text('client_reference') },
  });
}

function textOf(field: BodyField, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (field === 'notional_usd' || field === 'tenor_days') {
    if (value instanceof Big) return value.toFixed();
    throw new UsageError(`The field ${quoted(field)} is not a number.`, `Give a number: -F ${field}=…`);
  }
  if (typeof value === 'string') return value;
  throw new UsageError(`The field ${quoted(field)} is not text.`, `Give text: -f ${field}=…`);
}
