/** Reads the options of `hedge practice serve` into the modes of the practice service. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, oneOf, optionGiven, optionText, parsePlainDecimal, type RawInput } from './operands.ts';
import { FAULT_OPTIONS, type FaultChange, readFaultChange } from './practice-faults.ts';

export const PRINT_ENV_FORMATS = ['sh', 'python', 'go'] as const;
export type PrintEnvFormat = (typeof PRINT_ENV_FORMATS)[number];

/** Absent fields have the defaults of the service. */
export interface ServeModes {
  port?: number;
  host?: string;
  seed?: number;
  clockMode: 'wall' | 'manual';
  /** Milliseconds since the epoch. */
  startAt?: number;
  memory?: boolean;
  rateLimit?: boolean;
  fillAfterMs?: number;
  books: readonly string[];
  keysFile?: string;
  faults: FaultChange;
}

export const SERVE_OPTIONS = [
  { flags: '--port <port>', summary: 'port to listen on; 0, the default, is any free one' },
  {
    flags: '--host <address>',
    summary: 'a loopback address (default 127.0.0.1)',
    completes: { words: ['127.0.0.1', '::1'] },
  },
  { flags: '--log', summary: 'log one line per request to standard error' },
  {
    flags: '--print-env <language>',
    summary: 'print addresses, certificate and all keys for sh, python or go',
    completes: { words: PRINT_ENV_FORMATS },
  },
  { flags: '--memory', summary: 'keep the books in memory only, empty at the start' },
  { flags: '--seed <number>', summary: 'draw IDs, fill times and faults from this seed' },
  {
    flags: '--clock <mode>',
    summary: 'wall, or manual: time moves only when it is advanced',
    completes: { words: ['wall', 'manual'] },
  },
  { flags: '--start <time>', summary: 'practice time to begin at: 2026-12-01T08:00Z' },
  { flags: '--fill-after <seconds>', summary: 'fill every order after exactly this time' },
  {
    flags: '--rate-limit <switch>',
    summary: 'default on, with a manual clock off',
    completes: { words: ['on', 'off'] },
  },
  { flags: '--books <names>', summary: 'more books at /practice/NAME/v2, with their own keys: a,b' },
  { flags: '--keys <path>', summary: 'use the keys in this file; written if it is missing' },
  ...FAULT_OPTIONS,
] as const;

export function readServeModes(raw: RawInput): ServeModes {
  const keysFile = optionText(raw, 'keys');
  return {
    faults: readFaultChange(raw),
    books: given(raw, 'books', readBookNames) ?? [],
    clockMode: given(raw, 'clock', (text) => oneOf(['wall', 'manual'], text, 'possible (--clock)')) ?? 'wall',
    ...optional('port', given(raw, 'port', readPort)),
    ...optional('host', given(raw, 'host', readLoopbackHost)),
    ...optional('seed', given(raw, 'seed', readSeed)),
    ...optional('startAt', given(raw, 'start', readStart)),
    ...optional('fillAfterMs', given(raw, 'fillAfter', readFillAfter)),
    ...optional(
      'rateLimit',
      given(raw, 'rateLimit', (text) => oneOf(['on', 'off'], text, 'possible (--rate-limit)') === 'on'),
    ),
    ...optional('keysFile', keysFile),
    ...(optionGiven(raw, 'memory') ? { memory: true } : {}),
  };
}

export const readPrintEnv = (raw: RawInput): PrintEnvFormat | undefined =>
  given(raw, 'printEnv', (text) => oneOf(PRINT_ENV_FORMATS, text, 'possible (--print-env)'));

function given<T>(raw: RawInput, name: string, read: (text: string) => T): T | undefined {
  const text = optionText(raw, name);
  return text === undefined ? undefined : read(text);
}

/** An absent option is an absent field. */
function optional<N extends string, T>(name: N, value: T | undefined): Partial<Record<N, T>>;
function optional(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

const MAX_PORT = 65_535;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= MAX_PORT) return port;
  throw new UsageError(
    `${quoted(text)} is not a port (--port).`,
    'Use a number from 1 to 65535, or 0 for any free port.',
  );
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** The practice service never listens where another machine could reach it. */
function readLoopbackHost(text: string): string {
  if (LOOPBACK.test(text)) return text;
  throw new UsageError(
    `${quoted(text)} is not a loopback address (--host).`,
    'The practice service listens on this machine only: 127.0.0.1, ::1 or localhost.',
  );
}

const LARGEST_SEED = 4_294_967_295;

function readSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= LARGEST_SEED) return seed;
  throw new UsageError(
    `${quoted(text)} is not a seed (--seed).`,
    `Use a whole number from 0 to ${LARGEST_SEED}.`,
  );
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

function readStart(text: string): number {
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`${quoted(text)} is not a time (--start).`, 'Write it in UTC: 2026-12-01T08:00Z');
}

const LONGEST_FILL_SECONDS = 43_200;
const MILLISECOND_DECIMALS = 3;

function readFillAfter(text: string): number {
  const seconds = parsePlainDecimal(text);
  if (seconds?.lte(LONGEST_FILL_SECONDS) === true && hasDecimals(seconds, MILLISECOND_DECIMALS))
    return seconds.times(1_000).toNumber();
  throw new UsageError(
    `${quoted(text)} is not a time in seconds (--fill-after).`,
    `Use 0 to ${LONGEST_FILL_SECONDS}, with at most three decimals.`,
  );
}

const BOOK_NAME = /^(?!v\d+$|default$)[a-z0-9][a-z0-9-]{0,31}$/;

function readBookNames(text: string): readonly string[] {
  const names = text.split(',');
  const wrong = names.find((name) => !BOOK_NAME.test(name));
  if (wrong === undefined) return names;
  throw new UsageError(
    `${quoted(wrong)} is not a name for a book (--books).`,
    'Use small letters, digits and hyphens, separated by commas: a,b. Not default, and not a version like v2.',
  );
}
