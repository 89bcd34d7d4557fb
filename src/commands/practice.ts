/** `hedge practice` */
import type { Big } from 'big.js';
import { hasDecimals, isTooLarge, parseDecimal, readDuration } from '../args/operands.ts';
import { optionGiven, readNothing, readOption } from '../args/option.ts';
import { FAULT_OPTIONS, FORMER_FAULT_OPTIONS, readFaultChange } from '../args/practice-faults.ts';
import {
  parsedSettings,
  readServeModes,
  readServeRun,
  readSettingsSource,
  SERVE_HIDDEN,
  SERVE_OPTIONS,
  SETTINGS_EXAMPLE,
} from '../args/practice-serve.ts';
import { YES_OPTION } from '../args/shared-options.ts';
import { quoted } from '../domain/quoted.ts';
import { HedgeError, UsageError, unless } from '../errors.ts';
import {
  viewPracticeAdvance,
  viewPracticeFaults,
  viewPracticeSettings,
  viewPracticeState,
} from '../output/views/practice.ts';
import { environmentLines, variablesOf, viewServedPractice } from '../output/views/practice-served.ts';
import { askFirst } from './ask-first.ts';
import type { CommandContext } from './command-context.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const zoneOf = async (context: CommandContext): Promise<string> => (await context.profileContext()).zone;

const status = defineCommand({
  name: 'practice status',
  summary: 'Show practice time, both accounts and the faults that are set',
  examples: [{ line: 'hedge practice status', shows: 'time, balances, hedges and faults' }],
  read: readNothing,
  run: async (context) => ({ value: await context.practice.status(), zone: await zoneOf(context) }),
  view: viewPracticeState,
});

/** A profile may use a practice service that another machine serves. */
async function noteOtherService(context: CommandContext): Promise<void> {
  const { selected = '' } = await context.profileContext();
  const store = await context.profiles();
  const profile = unless(HedgeError, () => store.read().profiles.get(selected));
  if (profile?.base_url.includes('/practice/') !== true) return;
  context.note(
    `This is the practice service of this HEDGE_HOME. If that of profile ${selected} is served elsewhere, use the command there.`,
  );
}

const advance = defineCommand({
  name: 'practice advance',
  summary: 'Move practice time ahead; list fills and settlements',
  description:
    'Fills and settlements happen at their own times, in order. Keys and rate limits follow the wall clock.',
  operands: [{ name: 'DURATION', summary: '3d, 12h, 90m, 30s or 1d12h' }],
  examples: [{ line: 'hedge practice advance 3d', shows: 'the fills and settlements of three days' }],
  read: ({ operands: [duration = ''] }) => ({ ms: readDuration(duration) }),
  async run(context, { ms }) {
    await noteOtherService(context);
    return { value: await context.practice.advance(ms), zone: await zoneOf(context) };
  },
  view: viewPracticeAdvance,
});

const faults = defineCommand({
  name: 'practice faults',
  summary: 'Show or set faults: delays, errors, lost responses, failing orders',
  description:
    'Only the options given change. A fault lasts until you clear it, or until --once is used up: each attempt of a request counts, and an action is sent up to three times. A share is 0 to 1, or a percentage. --script gives each of the next requests a fault of its own. All faults by name: hedge help mock-server. Prints the faults that are set, nothing with -q after a change.',
  operands: [
    { name: 'clear', summary: 'remove all faults', optional: true, completes: { words: ['clear'] } },
  ],
  options: FAULT_OPTIONS,
  refuses: FORMER_FAULT_OPTIONS,
  examples: [
    { line: 'hedge practice faults', shows: 'the current faults' },
    {
      line: 'hedge practice faults --lost-after 100% --only open --once 3',
      shows: 'the next open executes, but the responses to its three attempts are lost',
    },
    {
      line: 'hedge practice faults --script fail-before,lost-after,none --only open',
      shows: 'the next open fails, executes without a response, and then gets it',
    },
    { line: 'hedge practice faults clear', shows: 'no faults' },
  ],
  read(raw) {
    const [word] = raw.operands;
    const change = readFaultChange(raw);
    const changes = Object.keys(change).length > 0;
    if (word === undefined) return { change: changes ? change : undefined, clear: false };
    if (word !== 'clear')
      throw new UsageError(
        `Unknown argument: ${quoted(word)}.`,
        'To remove all faults: clear. To set faults: options.',
      );
    if (changes) throw new UsageError('clear takes no options.', 'First clear, then set.');
    return { change: undefined, clear: true };
  },
  async run(context, { change, clear }) {
    const { practice: service } = context;
    await noteOtherService(context);
    if (clear) return { value: await service.clearFaults(), confirmsChange: true };
    if (change === undefined) return { value: await service.faults() };
    return { value: await service.setFaults(change), confirmsChange: true };
  },
  document: ({ faults: set }) => set,
  view: viewPracticeFaults,
});

const settings = defineCommand({
  name: 'practice settings',
  summary: 'Show or change settings: markets, carry, fees, margin, caps, fill times',
  description:
    'Changes apply to all programs at once and to new hedges. An open hedge keeps the carry, fees and margin that it was opened with, also when you add to it; caps are those in force. A new market needs markets.NAME.base_rate.',
  operands: [{ name: 'KEY=VALUE', summary: 'setting to change, as listed', optional: true, variadic: true }],
  examples: [
    { line: 'hedge practice settings', shows: 'the settings in force' },
    {
      line: 'hedge practice settings margin_pct=12 markets.USDTNGN.carry_daily_pct.buy=0.06',
      shows: 'a new margin and carry, for new hedges',
    },
  ],
  read: ({ operands }) => ({ changes: operands.map(readSetting) }),
  async run({ practice: service }, { changes }) {
    if (changes.length === 0) return { value: await service.settings() };
    return { value: await service.changeSettings(changes), confirmsChange: true };
  },
  view: viewPracticeSettings,
});

const reset = defineCommand({
  name: 'practice reset',
  summary: 'Delete all practice data and start with the opening balance',
  description:
    'Asks first. A running practice serve is reset too. Practice time returns to the wall clock, and prices that a program has set to the usual rate. Keys, faults and settings are kept.',
  options: [
    { flags: '--balance <usdc>', summary: 'opening balance of each account (default 100000)' },
    YES_OPTION,
  ],
  examples: [
    { line: 'hedge practice reset', shows: 'two new accounts' },
    { line: 'hedge practice reset --balance 5000', shows: 'accounts that soon run out of margin' },
  ],
  read(raw) {
    const balance = readOption(raw, 'balance', readBalance)?.toFixed();
    return { options: balance === undefined ? {} : { balance }, yes: optionGiven(raw, 'yes') };
  },
  async run(context, { options, yes }) {
    if (!yes)
      await askFirst(context, 'All practice data will be deleted. Reset?', {
        what: 'Canceled. Nothing was changed.',
      });
    return { value: await context.practice.reset(options) };
  },
  view: viewPracticeState,
});

const serve = defineCommand({
  name: 'practice serve',
  summary: 'Run the practice service for other programs, until Ctrl-C or with a command',
  description:
    'Prints the base URL, the certificate file and both keys as shell variables, and a link to a page that shows the book. Listens on this machine only. Ctrl-C and TERM stop it with exit code 0. With a command after --, it prints nothing, puts the variables into the environment of the command, and ends with its exit code. It is a mock server for tests in any language: hedge help mock-server.',
  options: SERVE_OPTIONS,
  refuses: SERVE_HIDDEN,
  rest: { name: 'COMMAND', summary: 'a command to run with it, and its arguments', variadic: true },
  examples: [
    { line: 'hedge practice serve --port 4870', shows: 'variables to paste into another shell' },
    { line: 'hedge practice serve --log > practice.env &', shows: 'the same for a script: . ./practice.env' },
    {
      line: 'hedge practice serve --memory --seed 7 --clock manual --print-env python',
      shows: 'a mock server that gives the same responses in every run',
    },
    {
      line: 'hedge practice serve --memory --seed 7 --clock manual -- python3 -m unittest',
      shows: 'a test suite with a server of its own',
    },
  ],
  read: (raw) => ({
    log: optionGiven(raw, 'log'),
    ...readServeRun(raw),
    source: readSettingsSource(raw),
    modes: readServeModes(raw),
  }),
  async run(context, { log, run, source, modes }, emit) {
    if (run.language !== undefined && context.printsDocument)
      throw new UsageError('--print-env and --json are two formats.', 'Give one of them.');
    if (run.command !== undefined && context.printsDocument)
      throw new UsageError('The command after -- prints its own output.', 'Leave out --json.');
    const envFile = run.envFile === undefined ? undefined : await context.userFile(run.envFile);
    // A program that waits for the file must not find that of an earlier run.
    envFile?.remove();
    const onRequest = log ? (line: string) => context.note(line, { whole: true }) : undefined;
    const initial = await initialSettings(source, context);
    const running = await context.practice.serve({ ...modes, settings: initial, onRequest });
    const { served } = running;
    try {
      const failed = envFile?.write(`${environmentLines(served).join('\n')}\n`, ENV_FILE);
      if (failed !== undefined) throw failed;
      if (run.command !== undefined) {
        const programExit = await context.runProgram(run.command, variablesOf(served));
        return { value: { served, language: undefined }, programExit };
      }
      await emit({ value: { served, language: run.language } });
      await context.untilStopped({ orInputCloses: run.stopsWithParent });
    } finally {
      envFile?.remove();
      await running.close();
    }
    context.note('The practice service has stopped.');
    return undefined;
  },
  document: ({ served }) => served,
  view: viewServedPractice,
});

const ENV_FILE = {
  kind: 'file of variables',
  option: '--write-env',
  meaning: 'The practice service has stopped.',
  isSecret: true,
};

/** Undefined: the defaults. */
async function initialSettings(source: string | undefined, context: CommandContext): Promise<unknown> {
  if (source === undefined) return undefined;
  if (source === 'stored') return (await context.practice.settings()).settings;
  const file = await context.userFile(source);
  return parsedSettings(file.readGiven('--settings', SETTINGS_EXAMPLE), source);
}

export const practice: CommandGroup = {
  name: 'practice',
  summary:
    'Manage the practice service on this machine: no money, no network. Trade on it with --profile practice, or under the rules of live with --profile practice-live.',
  commands: [status, advance, faults, settings, reset, serve],
};

const SETTING = /^([A-Za-z0-9_.]{1,100})=(.{1,100})$/;

function readSetting(text: string): { name: string; value: string } {
  const [, name, value] = SETTING.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`${quoted(text)} is not a setting.`, 'Write it as KEY=VALUE: margin_pct=12');
  return { name, value };
}

const USDC_DECIMALS = 6;

/** Zero is allowed. */
function readBalance(text: string): Big {
  const value = parseDecimal(text);
  if (value === undefined || !hasDecimals(value, USDC_DECIMALS) || isTooLarge(value)) {
    throw new UsageError(
      `${quoted(text)} is not a balance (--balance).`,
      'Give an amount in USDC with at most six decimals: --balance 100000',
    );
  }
  return value;
}
