/** Options of `hedge profile add`, `set` and `limit`, and their values. The API key is never an argument. */
import { basename, resolve } from 'node:path';
import { andThen, say, shell } from '../domain/hint.ts';
import type { LimitsChange } from '../domain/profile-limits.ts';
import { UsageError } from '../errors.ts';
import { isNot, parsedJson, readMarket, readNotional } from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { YES_OPTION } from './shared-options.ts';

const LIMIT_OPTIONS = [
  { flags: '--max-notional <usd>', summary: 'per-trade limit: USD of one open or add: 50k' },
  {
    flags: '--max-daily-notional <usd>',
    summary: 'daily limit: USD of all opens and adds of a UTC day: 200k',
  },
  { flags: '--read-only', summary: 'block every action, previews too' },
  { flags: '--markets <names>', summary: 'allow opens and adds only in these: USDTNGN, or a list' },
] as const;

export const PROFILE_OPTIONS = [
  { flags: '--base-url <url>', summary: 'https URL of the service, ending in its version' },
  { flags: '--key-stdin', summary: 'read the key from standard input' },
  { flags: '--key-file <path>', summary: 'read the key from a file' },
  { flags: '--key-command <json>', summary: 'run this command for the key each time; store no key' },
  {
    flags: '--store <place>',
    summary: 'store the key in a file (plain text, only you can read it) or keychain',
    completes: { words: ['file', 'keychain'] },
  },
  { flags: '--account <label>', summary: 'account label, the same on every machine: payroll' },
  { flags: '--ca-file <path>', summary: 'more certificates to trust (PEM)' },
  { flags: '--time-zone <zone>', summary: 'time zone of screens (default UTC): Africa/Lagos' },
  { flags: '--operator <name>', summary: 'name of the person who trades: "Ada O."' },
  ...LIMIT_OPTIONS,
  { flags: '--no-check', summary: 'do not try the key and base URL on the service' },
] as const;

const CHANGE_OPTIONS = [{ flags: '--no-read-only', summary: 'allow trading again' }, YES_OPTION] as const;

/** The options of `profile set`: those of `profile add`. */
export const PROFILE_CHANGE_OPTIONS = [...PROFILE_OPTIONS, ...CHANGE_OPTIONS];

/** The options of `profile limit`, a part of `profile set`. */
export const LIMIT_CHANGE_OPTIONS = [...LIMIT_OPTIONS, ...CHANGE_OPTIONS];

export type KeyOrigin =
  | { kind: 'prompt' }
  | { kind: 'standard input' }
  | { kind: 'file'; path: string }
  | { kind: 'command'; argv: readonly [string, ...string[]] };

/** The place of the stored key; a key from a command is not stored. */
export type KeyStore = 'file' | 'keychain';

export type ProfileIntent = ReturnType<typeof readProfileIntent>;

/** Fields are undefined where nothing was given, and null where `none` removes them. @throws UsageError */
function readProfileIntent(raw: RawInput) {
  const [name = ''] = raw.operands;
  const keyOrigin = readKeyOrigin(raw);
  const store = readStore(raw, keyOrigin);
  const caFile = readOption(raw, 'caFile', orNone);
  return {
    name,
    baseUrl: optionText(raw, 'baseUrl'),
    keyOrigin: keyOrigin ?? (store === undefined ? undefined : ({ kind: 'prompt' } as const)),
    store,
    /** The account label, as typed. */
    account: readOption(raw, 'account', orNone),
    caFile: typeof caFile === 'string' ? resolve(caFile) : caFile,
    timeZone: readOption(raw, 'timeZone', readTimeZone),
    /** The name as it was typed. */
    operator: readOption(raw, 'operator', orNone),
    limits: readLimits(raw),
    /** Whether to test the key before storing it. */
    check: raw.options['check'] !== false,
    yes: optionGiven(raw, 'yes'),
  };
}

/** @throws UsageError without a base URL. */
export function readNewProfile(raw: RawInput): ProfileIntent & { baseUrl: string; keyOrigin: KeyOrigin } {
  const intent = readProfileIntent(raw);
  const { name, baseUrl, keyOrigin = { kind: 'prompt' } } = intent;
  if (baseUrl === undefined)
    throw new UsageError(
      'Missing: the base URL of the service.',
      say`Give it with its version segment: ${shell`hedge profile add ${name} --base-url https://…/v2`}`,
    );
  return { ...intent, baseUrl, keyOrigin };
}

/** @throws UsageError without a change. */
export function readProfileChange(raw: RawInput): ProfileIntent {
  const intent = readProfileIntent(raw);
  if (!changesMoreThanLimits(intent) && Object.keys(intent.limits).length === 0)
    throw new UsageError(
      'No change was given.',
      say`Example: ${shell`hedge profile set ${intent.name} --max-notional 50k`}, or --max-notional ${NONE} to remove it. To see the profile: ${shell`hedge profile show ${intent.name}`}`,
    );
  return intent;
}

export const changesMoreThanLimits = (intent: ProfileIntent): boolean =>
  (['baseUrl', 'keyOrigin', 'account', 'caFile', 'timeZone', 'operator'] as const).some(
    (name) => intent[name] !== undefined,
  );

/** Removes a field or limit. */
const NONE = 'none';

const orNone = (text: string): string | null => (text.toLowerCase() === NONE ? null : text);

function readTimeZone(text: string): string | null {
  const zone = orNone(text);
  try {
    if (zone === null || new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '')
      return zone;
  } catch {
    // A RangeError.
  }
  throw isNot(text, 'a time zone', 'Use an IANA name such as Africa/Lagos or UTC.');
}

function readKeyOrigin(raw: RawInput): KeyOrigin | undefined {
  const path = optionText(raw, 'keyFile');
  const argv = readOption(raw, 'keyCommand', readCommandWords);
  const origins: readonly (KeyOrigin | false | undefined)[] = [
    optionGiven(raw, 'keyStdin') && { kind: 'standard input' },
    path !== undefined && { kind: 'file', path },
    argv && { kind: 'command', argv },
  ];
  const [origin, second] = origins.filter((each) => each !== undefined && each !== false);
  if (second !== undefined)
    throw new UsageError(
      'The key can have only one source.',
      'Use one of --key-stdin, --key-file, --key-command.',
    );
  return origin;
}

function readStore(raw: RawInput, origin: KeyOrigin | undefined): KeyStore | undefined {
  const store = optionText(raw, 'store');
  if (store !== undefined && store !== 'file' && store !== 'keychain')
    throw isNot(store, 'a key store (--store)', 'Use file or keychain.');
  if (store === 'keychain' && origin?.kind === 'command')
    throw new UsageError(
      'A key from --key-command is not stored.',
      'Leave out --store keychain, or --key-command.',
    );
  return store;
}

/** A JSON list of words: no shell runs it. A path of the program is made a full one. @throws UsageError */
export function readCommandWords(text: string, option: string): [string, ...string[]] {
  const words = parsedJson(text);
  const [program, ...rest] = isTexts(words) ? words : [];
  if (program === undefined || program === '')
    throw isNot(
      text,
      `a command (${option})`,
      `Use a JSON list of words: ${option} '["pass","show","hedge/test"]'`,
    );
  return [basename(program) === program ? program : resolve(program), ...rest];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/** `none` removes a limit; absent limits stay. */
function readLimits(raw: RawInput): LimitsChange {
  const most = readOption(raw, 'maxNotional', readAmountOrNone);
  const mostDaily = readOption(raw, 'maxDailyNotional', readAmountOrNone);
  const markets = readOption(raw, 'markets', readMarkets);
  const readOnly = raw.options['readOnly'];
  return {
    ...(most === undefined ? {} : { max_notional_usd: most }),
    ...(mostDaily === undefined ? {} : { max_daily_notional_usd: mostDaily }),
    ...(typeof readOnly === 'boolean' ? { read_only: readOnly } : {}),
    ...(markets === undefined ? {} : { markets }),
  };
}

/** USD as digits; null for `none`. @throws UsageError */
export function readAmountOrNone(text: string, option: string): string | null {
  if (text.toLowerCase() === NONE) return null;
  try {
    return readNotional(text).toFixed();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.what} (${option})`, andThen(error.hint ?? [], `Or ${NONE}, to remove it.`));
  }
}

/** In capitals, without duplicates. */
function readMarkets(text: string): readonly string[] | null {
  if (/^(?:any|all|\*)$/i.test(text))
    throw isNot(text, 'a list of markets (--markets)', `To allow every market: --markets ${NONE}`);
  return text.toLowerCase() === NONE ? null : [...new Set(text.split(',').map(readMarket))];
}
