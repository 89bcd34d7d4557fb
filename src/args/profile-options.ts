/** Reads the arguments of `hedge profile add`, `set` and `limit`. The API key is never an argument. */
import type { LimitsChange } from '../domain/profile-limits.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput, readMarket, readNotional } from './operands.ts';

/** The source of a profile's key. */
export type KeyOrigin =
  | { kind: 'prompt' }
  | { kind: 'standard input' }
  | { kind: 'file'; path: string }
  | { kind: 'command'; argv: readonly [string, ...string[]] };

export interface ProfileIntent {
  name: string;
  baseUrl: string;
  keyOrigin: KeyOrigin;
  /** Where the key is stored; a key from a command is not stored. */
  store: 'file' | 'keychain';
  /** The account label, as typed. */
  account: string | undefined;
  caFile: string | undefined;
  timeZone: string | undefined;
  /** Whether to test the key before storing it. */
  check: boolean;
  limits: LimitsChange;
}

export function readProfileIntent(raw: RawInput): ProfileIntent {
  const [name = ''] = raw.operands;
  const baseUrl = optionText(raw, 'baseUrl');
  if (baseUrl === undefined)
    throw new UsageError(
      'Missing: the base address of the service.',
      `Give it with its version segment: hedge profile add ${name} --base-url https://…/v2`,
    );
  const keyOrigin = readKeyOrigin(raw);
  return {
    name,
    baseUrl,
    keyOrigin,
    store: readStore(raw, keyOrigin),
    account: optionText(raw, 'account'),
    caFile: optionText(raw, 'caFile'),
    timeZone: optionText(raw, 'timeZone'),
    check: raw.options['check'] !== false,
    limits: readLimits(raw),
  };
}

export interface ProfileChangeIntent {
  name: string;
  /** Absent fields stay unchanged. */
  baseUrl: string | undefined;
  keyOrigin: KeyOrigin | undefined;
  store: ProfileIntent['store'] | undefined;
  /** As typed. */
  account: string | undefined;
  check: boolean;
}

/** @throws UsageError without a change. */
export function readProfileChange(raw: RawInput): ProfileChangeIntent {
  const [name = ''] = raw.operands;
  const store = optionText(raw, 'store');
  const given = readKeyOrigin(raw);
  const keyOrigin = given.kind === 'prompt' && store === undefined ? undefined : given;
  const change = {
    name,
    baseUrl: optionText(raw, 'baseUrl'),
    keyOrigin,
    store: store === undefined ? undefined : readStore(raw, given),
    account: optionText(raw, 'account'),
    check: raw.options['check'] !== false,
  };
  const others = ['timeZone', 'operator'].some((option) => optionText(raw, option) !== undefined);
  if (change.baseUrl === undefined && keyOrigin === undefined && change.account === undefined && !others)
    throw new UsageError(
      'No change was given.',
      `Give a new key (--key-stdin, --key-file, --key-command, --store), --account LABEL, --base-url, --time-zone or --operator: hedge profile set ${name} --key-stdin`,
    );
  return change;
}

function readKeyOrigin(raw: RawInput): KeyOrigin {
  const file = optionText(raw, 'keyFile');
  const command = optionText(raw, 'keyCommand');
  const origins: KeyOrigin[] = [
    ...(optionGiven(raw, 'keyStdin') ? [{ kind: 'standard input' } as const] : []),
    ...(file === undefined ? [] : [{ kind: 'file', path: file } as const]),
    ...(command === undefined ? [] : [{ kind: 'command', argv: readKeyCommand(command) } as const]),
  ];
  const [origin, second] = origins;
  if (second !== undefined)
    throw new UsageError(
      'The key can have only one source.',
      'Use one of --key-stdin, --key-file, --key-command.',
    );
  return origin ?? { kind: 'prompt' };
}

function readStore(raw: RawInput, { kind }: KeyOrigin): ProfileIntent['store'] {
  const store = optionText(raw, 'store') ?? 'file';
  if (store !== 'file' && store !== 'keychain')
    throw new UsageError(`${quoted(store)} is not a key store (--store).`, 'Use file or keychain.');
  if (store === 'keychain' && kind === 'command')
    throw new UsageError(
      'A key from --key-command is not stored.',
      'Leave out --store keychain, or --key-command.',
    );
  return store;
}

/** A JSON list of words: no shell runs it. */
function readKeyCommand(text: string): readonly [string, ...string[]] {
  const words = parsedList(text);
  const [program, ...rest] = words ?? [];
  if (words === undefined || program === undefined || program === '')
    throw new UsageError(
      `${quoted(text)} is not a command (--key-command).`,
      `Use a JSON list of words: --key-command '["pass","show","hedge/test"]'`,
    );
  return [program, ...rest];
}

function parsedList(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

export const LIMIT_OPTIONS = [
  { flags: '--max-notional <usd>', summary: 'maximum size of an open or add in USD: 50k' },
  { flags: '--max-daily-notional <usd>', summary: 'maximum of opens and adds per UTC day in USD: 200k' },
  { flags: '--read-only', summary: 'block every action' },
  { flags: '--markets <names>', summary: 'allow opens and adds only in these: USDTNGN, or a list' },
] as const;

const LIFTED = 'none';

/** `none` removes a limit; absent limits stay. */
export function readLimits(raw: RawInput): LimitsChange {
  const most = optionText(raw, 'maxNotional');
  const mostDaily = optionText(raw, 'maxDailyNotional');
  const markets = optionText(raw, 'markets');
  const readOnly = raw.options['readOnly'];
  return {
    ...(most === undefined ? {} : { max_notional_usd: readAmount('--max-notional', most) }),
    ...(mostDaily === undefined
      ? {}
      : { max_daily_notional_usd: readAmount('--max-daily-notional', mostDaily) }),
    ...(typeof readOnly === 'boolean' ? { read_only: readOnly } : {}),
    ...(markets === undefined ? {} : { markets: readMarkets(markets) }),
  };
}

export interface LimitIntent {
  name: string;
  change: LimitsChange;
  yes: boolean;
}

/** Arguments of `hedge profile limit`. @throws UsageError without a change. */
export function readLimitIntent(raw: RawInput): LimitIntent {
  const [name = ''] = raw.operands;
  const change = readLimits(raw);
  if (Object.keys(change).length === 0)
    throw new UsageError(
      'No limit was given.',
      `Example: hedge profile limit ${name} --max-notional 50k, or --max-notional ${LIFTED} to remove it. To see the limits: hedge profile show ${name}`,
    );
  return { name, change, yes: optionGiven(raw, 'yes') };
}

function readAmount(option: string, text: string): string | null {
  if (text.toLowerCase() === LIFTED) return null;
  try {
    return readNotional(text).toFixed();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.what} (${option})`, `${error.hint ?? ''} Or ${LIFTED}, to remove it.`);
  }
}

/** In capitals, without duplicates. */
const readMarkets = (text: string): readonly string[] | null =>
  text.toLowerCase() === LIFTED ? null : [...new Set(text.split(',').map(readMarket))];
