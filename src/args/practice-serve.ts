/** Reads the options of `hedge practice serve` into the modes of the practice service. */
import { say, shell } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, isNot, oneOf, parsedJson, parsePlainDecimal } from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { FAULT_OPTIONS, FORMER_FAULT_OPTIONS, readFaultChange } from './practice-faults.ts';

const PRINT_ENV_FORMATS = ['sh', 'python', 'go'] as const;

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
  {
    flags: '--write-env <path>',
    summary: 'write them as NAME=value when the service is ready; removed when it stops',
  },
  { flags: '--ca-file <path>', summary: 'write the CA certificate here, readable for every user' },
  { flags: '--stop-with-parent', summary: 'stop when standard input closes: give it a pipe' },
  { flags: '--memory', summary: 'keep the books in memory only, empty at the start' },
  {
    flags: '--settings <file>',
    summary: 'with --memory: settings from a JSON file, or stored; otherwise the defaults',
    completes: 'files',
  },
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

/** Node takes `--env-file` for its own, wherever it is; where the file exists, it gets here and means `--write-env`. */
export const SERVE_HIDDEN = [{ flags: '--env-file <path>' }, ...FORMER_FAULT_OPTIONS] as const;

export type ServeModes = ReturnType<typeof readServeModes>;

/** Undefined fields have the defaults of the service. */
export const readServeModes = (raw: RawInput) => ({
  faults: readFaultChange(raw),
  books: readOption(raw, 'books', readBookNames) ?? [],
  clockMode: readOption(raw, 'clock', readClock) ?? 'wall',
  port: readOption(raw, 'port', readPort),
  host: readOption(raw, 'host', readLoopbackHost),
  seed: readOption(raw, 'seed', readSeed),
  /** Milliseconds since the epoch. */
  startAt: readOption(raw, 'start', readStart),
  fillAfterMs: readOption(raw, 'fillAfter', readFillAfter),
  rateLimit: readOption(raw, 'rateLimit', readSwitch),
  keysFile: optionText(raw, 'keys'),
  caFile: optionText(raw, 'caFile'),
  memory: optionGiven(raw, 'memory'),
});

/** `stored`, or a path. Undefined: the defaults, or those of the stored book. */
export function readSettingsSource(raw: RawInput): string | undefined {
  const named = optionText(raw, 'settings');
  if (named !== undefined && !optionGiven(raw, 'memory'))
    throw new UsageError(
      '--settings is for books in memory.',
      say`Add --memory. The stored book has settings of its own: ${shell`hedge practice settings`}`,
    );
  return named;
}

/** Output of `serve`, the command that it runs, and when it stops. */
export function readServeRun(raw: RawInput) {
  const language = readOption(raw, 'printEnv', readLanguage);
  const stopsWithParent = optionGiven(raw, 'stopWithParent');
  const command = readCommand(raw.rest);
  if (command !== undefined && language !== undefined)
    throw new UsageError(
      'The command after -- has the variables in its environment.',
      'Leave out --print-env. For a file with them: --write-env PATH',
    );
  if (command !== undefined && stopsWithParent)
    throw new UsageError(
      'The command after -- has the standard input.',
      'Leave out --stop-with-parent: the service stops with the command.',
    );
  const envFile = optionText(raw, 'writeEnv') ?? optionText(raw, 'envFile');
  return { run: { language, envFile, stopsWithParent, command } };
}

function readCommand(rest: RawInput['rest']): readonly [string, ...string[]] | undefined {
  if (rest === undefined) return undefined;
  const [program, ...words] = rest;
  if (program === undefined || program === '')
    throw new UsageError('There is no command after --.', 'Write it as in a shell: -- pytest -q');
  return [program, ...words];
}

export const SETTINGS_EXAMPLE = say`Example: ${shell`hedge practice settings --json`}`;

export function parsedSettings(text: string, path: string): unknown {
  const settings = parsedJson(text);
  if (settings !== undefined) return settings;
  throw isNot(path, 'JSON (--settings)', SETTINGS_EXAMPLE);
}

const readLanguage = (text: string, option: string) => oneOf(PRINT_ENV_FORMATS, text, `possible (${option})`);

const readClock = (text: string, option: string) => oneOf(['wall', 'manual'], text, `possible (${option})`);

const readSwitch = (text: string, option: string) =>
  oneOf(['on', 'off'], text, `possible (${option})`) === 'on';

const MAX_PORT = 65_535;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= MAX_PORT) return port;
  throw isNot(text, 'a port (--port)', 'Use a number from 1 to 65535, or 0 for any free port.');
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** The practice service never listens where another machine could reach it. */
function readLoopbackHost(text: string): string {
  if (LOOPBACK.test(text)) return text;
  throw isNot(
    text,
    'a loopback address (--host)',
    'The practice service listens on this machine only: 127.0.0.1, ::1 or localhost.',
  );
}

const LARGEST_SEED = 4_294_967_295;

function readSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= LARGEST_SEED) return seed;
  throw isNot(text, 'a seed (--seed)', `Use a whole number from 0 to ${LARGEST_SEED}.`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

function readStart(text: string): number {
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw isNot(text, 'a time (--start)', 'Write it in UTC: 2026-12-01T08:00Z');
}

const LONGEST_FILL_SECONDS = 43_200;
const MILLISECOND_DECIMALS = 3;

function readFillAfter(text: string): number {
  const seconds = parsePlainDecimal(text);
  if (seconds?.lte(LONGEST_FILL_SECONDS) === true && hasDecimals(seconds, MILLISECOND_DECIMALS))
    return seconds.times(1_000).toNumber();
  throw isNot(
    text,
    'a time in seconds (--fill-after)',
    `Use 0 to ${LONGEST_FILL_SECONDS}, with at most three decimals.`,
  );
}

const BOOK_NAME = /^(?!v\d+$|default$)[a-z0-9][a-z0-9-]{0,31}$/;

function readBookNames(text: string): readonly string[] {
  const names = text.split(',');
  const wrong = names.find((name) => !BOOK_NAME.test(name));
  if (wrong === undefined) return names;
  throw isNot(
    wrong,
    'a name for a book (--books)',
    'Use small letters, digits and hyphens, separated by commas: a,b. Not default, and not a version like v2.',
  );
}
