/** Every command of `hedge`, one line each, in the order of help. A command's file is loaded only when it is needed. */
import { type Command, type CommandGroup, commandsIn, WATCH_OPTION } from './define.ts';

export interface RegistryLine {
  name: string;
  group: 'Markets' | 'Trading' | 'Treasury' | 'Books' | 'Account' | 'Settings and practice';
  summary: string;
  /** Concerns every profile on this machine. */
  machineWide?: true;
  /** One of the settings that uses the account of the profile. */
  usesAccount?: true;
  load(): Promise<Command | CommandGroup>;
}

const under = (
  group: RegistryLine['group'],
  commands: readonly Omit<RegistryLine, 'group'>[],
): readonly RegistryLine[] => commands.map((command) => ({ ...command, group }));

export const REGISTRY: readonly RegistryLine[] = [
  ...under('Markets', [
    {
      name: 'markets',
      summary: 'List markets: status, mid, capacity and carry per side',
      load: async () => (await import('./markets.ts')).markets,
    },
    {
      name: 'price',
      summary: 'Show the indicative mid of markets',
      load: async () => (await import('./price.ts')).price,
    },
    {
      name: 'quote',
      summary: 'Price a hedge, all costs to maturity included',
      load: async () => (await import('./quote.ts')).quote,
    },
    {
      name: 'watch',
      summary: 'Show a live dashboard',
      load: async () => (await import('./watch.ts')).watch,
    },
  ]),
  ...under('Trading', [
    {
      name: 'open',
      summary: 'Open a hedge; without arguments, step by step',
      load: async () => (await import('./open.ts')).open,
    },
    {
      name: 'add',
      summary: 'Increase the open hedge on a side; the maturity stays',
      load: async () => (await import('./add.ts')).add,
    },
    {
      name: 'reduce',
      summary: 'Reduce a side: by an amount, by a part, or to a size',
      load: async () => (await import('./reduce.ts')).reduce,
    },
    {
      name: 'close',
      summary: 'Close all hedges on a side',
      load: async () => (await import('./close.ts')).close,
    },
    {
      name: 'check',
      summary: 'Look up unknown outcomes and actions in flight',
      load: async () => (await import('./check.ts')).check,
    },
    {
      name: 'resume',
      summary: 'Resolve an unknown outcome; ask before sending again',
      load: async () => (await import('./resume.ts')).resume,
    },
    {
      name: 'wait',
      summary: 'Wait for an action to finish',
      load: async () => (await import('./wait.ts')).wait,
    },
    {
      name: 'batch',
      summary: 'Run many commands from a file',
      load: async () => (await import('./batch.ts')).batch,
    },
    {
      name: 'halt',
      summary: 'Stop opens and adds of this machine, or of its desk',
      machineWide: true,
      load: async () => (await import('./halt.ts')).halt,
    },
    {
      name: 'unhalt',
      summary: 'Lift the halt',
      load: async () => (await import('./halt.ts')).unhalt,
    },
  ]),
  ...under('Treasury', [
    {
      name: 'cover',
      summary: 'Compare hedges with exposures; propose the missing deals',
      load: async () => (await import('./cover.ts')).cover,
    },
    {
      name: 'deals',
      summary: 'Check and open the deals of a CSV file',
      load: async () => (await import('./deals.ts')).deals,
    },
    {
      name: 'maturities',
      summary: 'Show when hedges mature; write a calendar file',
      load: async () => (await import('./maturities.ts')).maturities,
    },
    {
      name: 'roll',
      summary: 'Roll a hedge: now, or after it has settled',
      load: async () => (await import('./roll.ts')).roll,
    },
    {
      name: 'what-if',
      summary: 'Project P&L at other rates',
      load: async () => (await import('./what-if.ts')).whatIf,
    },
  ]),
  ...under('Books', [
    {
      name: 'snapshot',
      summary: 'Record account and positions in the journal, for reports',
      load: async () => (await import('./snapshot.ts')).snapshot,
    },
    {
      name: 'report',
      summary: 'Show the P&L of a period, and what it is made of',
      load: async () => (await import('./report.ts')).report,
    },
    {
      name: 'reconcile',
      summary: "Compare the journal with the service and with finance's list",
      load: async () => (await import('./reconcile.ts')).reconcile,
    },
    {
      name: 'export',
      summary: 'Write double entry for hledger, beancount or a spreadsheet',
      load: async () => (await import('./export.ts')).exportBooks,
    },
  ]),
  ...under('Account', [
    {
      name: 'status',
      summary: 'Show profile, balance, positions and unknown outcomes',
      machineWide: true,
      load: async () => (await import('./home.ts')).status,
    },
    {
      name: 'hedges',
      summary: 'List hedges, the open ones first, or show one',
      load: async () => (await import('./hedges.ts')).hedges,
    },
    {
      name: 'history',
      summary: 'List closed hedges with realized P&L, carry and fees',
      load: async () => (await import('./history.ts')).history,
    },
    {
      name: 'positions',
      summary: 'Show open positions and what closing returns',
      load: async () => (await import('./positions.ts')).positions,
    },
    {
      name: 'account',
      summary: 'Show balance, margin, exposure and headroom',
      load: async () => (await import('./account.ts')).account,
    },
    {
      name: 'journal',
      summary: 'Show what was sent, by whom, and the outcome',
      machineWide: true,
      load: async () => (await import('./journal.ts')).journal,
    },
    {
      name: 'audit',
      summary: 'Verify that nobody changed the journal',
      machineWide: true,
      load: async () => (await import('./audit.ts')).audit,
    },
    {
      name: 'desk',
      summary: 'Share one log with other machines: halts, limits, deal IDs',
      load: async () => (await import('./desk.ts')).desk,
    },
  ]),
  ...under('Settings and practice', [
    {
      name: 'profile',
      summary: 'Manage API keys, base URLs and limits',
      load: async () => (await import('./profile/index.ts')).profile,
    },
    {
      name: 'practice',
      summary: 'Manage the practice service on this machine',
      load: async () => (await import('./practice.ts')).practice,
    },
    {
      name: 'agent',
      summary: 'Keep connections to the service open for the next commands',
      usesAccount: true,
      load: async () => (await import('./agent.ts')).agent,
    },
    {
      name: 'doctor',
      summary: 'Check configuration, connectivity and data files',
      usesAccount: true,
      load: async () => (await import('./doctor.ts')).doctor,
    },
    {
      name: 'api',
      summary: 'Send a request that has no command yet',
      usesAccount: true,
      load: async () => (await import('./api.ts')).api,
    },
    {
      name: 'schema',
      summary: 'Print the JSON Schema of a command and its document',
      load: async () => (await import('./schema.ts')).schema,
    },
    {
      name: 'mcp',
      summary: 'Serve tools to an assistant, which only read',
      load: async () => (await import('./mcp.ts')).mcp,
    },
    {
      name: 'completion',
      summary: 'Print the completion script for bash, zsh or fish',
      load: async () => (await import('./completion.ts')).completion,
    },
    {
      name: 'version',
      summary: 'Print the version',
      load: async () => (await import('./version.ts')).version,
    },
  ]),
];

/** Commands that use the account of a profile: in a hint they repeat --profile. */
export const ACCOUNT_COMMANDS: readonly string[] = REGISTRY.filter(
  ({ group, machineWide, usesAccount }) =>
    usesAccount ?? (group !== 'Settings and practice' && machineWide !== true),
).map(({ name }) => name);

/** Loads every command, those of groups included. */
export async function loadCommands(): Promise<readonly Command[]> {
  const entries = await Promise.all(REGISTRY.map((line) => line.load()));
  return entries.flatMap(commandsIn);
}

/** Undefined for a word that names none. */
export const loadEntry = async (word: string | undefined): Promise<Command | CommandGroup | undefined> =>
  REGISTRY.find(({ name }) => name === word)?.load();

/** The one that the words name, or those of a group; none for other words. */
export async function commandsNamed(words: readonly string[]): Promise<readonly Command[]> {
  const entry = await loadEntry(words[0]);
  const all = entry === undefined ? [] : commandsIn(entry);
  return words.length === 1 ? all : all.filter(({ name }) => name === words.join(' '));
}

/** For a sentence: `markets, price, quote`. */
export const namesInBatch = (): Promise<string> => namesOf(({ inBatch }) => inBatch !== undefined);
export const namesOfLists = (): Promise<string> => namesOf(({ lists }) => lists);
export const namesToWatch = (): Promise<string> => namesOf(({ options }) => options.includes(WATCH_OPTION));

const namesOf = async (which: (command: Command) => boolean): Promise<string> =>
  (await loadCommands())
    .filter(which)
    .map(({ name }) => name)
    .join(', ');

/** `hedge --version` with other options; main.ts answers the bare one. */
export const loadVersion = async (): Promise<Command> => (await import('./version.ts')).versionOption;

/** Bare `hedge`. */
export const loadHome = async (): Promise<Command> => (await import('./home.ts')).home;
