/** Help pages of hedge, of a command and of a group of commands. Examples come first. */
import {
  type Command,
  type CommandGroup,
  isGroup,
  longFlag,
  type OperandSpec,
  type OptionSpec,
} from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { GLOBAL_OPTIONS, HELP_OPTION } from '../global-options.ts';
import { code, type Page, type Part, paragraph, renderPage, rows } from './page.ts';
import { HELP_TOPICS } from './topics.ts';

export const DESCRIPTION = 'Price, open, increase, reduce and close naira hedges from the terminal';

export const rootHelp = (width: number): string => renderPage(rootPage(), width);

export const commandHelp = (entry: Command | CommandGroup, width: number): string =>
  renderPage(isGroup(entry) ? groupPage(entry) : commandPage(entry), width);

function rootPage(): Page {
  const groups = [...new Set(REGISTRY.map(({ group }) => group))];
  return [
    { title: '', parts: [paragraph(`${DESCRIPTION}.`)] },
    {
      title: 'Usage',
      parts: [
        code('hedge COMMAND [arguments] [options]', 'hedge                # status, and what to do next'),
      ],
    },
    {
      title: 'Try it without money',
      parts: [code('hedge --profile practice markets', 'hedge --profile practice quote USDTNGN buy 10000')],
    },
    { title: 'Examples', parts: [code(...EXAMPLES.map(([line, does]) => `${line.padEnd(34)}# ${does}`))] },
    ...groups.map((group) => ({
      title: group,
      parts: [
        rows(REGISTRY.filter((line) => line.group === group).map(({ name, summary }) => [name, summary])),
      ],
    })),
    {
      title: 'Help',
      parts: [
        rows([
          ['help COMMAND', 'Examples, arguments and options of a command'],
          ...HELP_TOPICS.map(({ name, summary }) => [`help ${name}`, summary] as const),
        ]),
      ],
    },
    { title: 'Options of every command', parts: [optionRows(COMMON_OPTIONS)] },
  ];
}

/** The most frequent commands of a desk, in the order of its day. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ['hedge quote USDTNGN buy 10k', 'price every tenor'],
  ['hedge open', 'open one step by step'],
  ['hedge open USDTNGN buy 10k -t 3', 'open in one line; you confirm'],
  ['hedge positions', 'open positions and what closing returns'],
  ['hedge add USDTNGN buy 5k', 'increase a side'],
  ['hedge reduce USDTNGN buy --by 50%', 'take half of it off'],
  ['hedge close USDTNGN buy', 'close the side'],
  ['hedge check', 'look up unknown outcomes'],
  ['hedge history --csv', 'closed hedges for a spreadsheet'],
  ['hedge halt "venue down"', 'stop opens and adds'],
];

export const COMMON_OPTIONS: readonly OptionSpec[] = [
  ...GLOBAL_OPTIONS,
  HELP_OPTION,
  { flags: '--version', summary: 'print the version; with --json also Node and the platform' },
];

const SEE_ROOT: Page[number] = {
  title: 'Options of every command',
  parts: [paragraph(`${GLOBAL_OPTIONS.map(({ flags }) => longFlag(flags)).join(', ')}: see hedge --help`)],
};

export function commandPage(command: Command): Page {
  return [
    { title: '', parts: [paragraph(`${command.summary}.`)] },
    { title: 'Usage', parts: [code(usageOf(command))] },
    ...aboutCommand(command),
    SEE_ROOT,
  ];
}

function groupPage({ name, summary, main, commands }: CommandGroup): Page {
  const listed = rows(
    commands.map((command) => [usageOf(command).replace(' [options]', ''), command.summary]),
  );
  return [
    { title: '', parts: [paragraph(main === undefined ? summary : `${main.summary}.`)] },
    { title: 'Usage', parts: [code(...(main === undefined ? [`hedge ${name} COMMAND`] : [usageOf(main)]))] },
    { title: main === undefined ? 'Commands' : 'Also', parts: [listed] },
    ...(main === undefined
      ? [
          {
            title: 'Examples',
            parts: [examplesOf(commands.flatMap((command) => command.examples.slice(0, 1)))],
          },
        ]
      : aboutCommand(main)),
    SEE_ROOT,
  ];
}

const aboutCommand = (command: Command): Page => [
  { title: 'Examples', parts: command.examples.length === 0 ? [] : [examplesOf(command.examples)] },
  { title: 'Description', parts: paragraphs(command.description ?? '') },
  { title: 'Arguments', parts: argumentRows(command) },
  { title: 'Options', parts: command.options.length === 0 ? [] : [optionRows(command.options)] },
];

function argumentRows({ operands, rest }: Command): readonly Part[] {
  const all = [...operands, ...(rest === undefined ? [] : [{ ...rest, name: `-- ${rest.name}` }])];
  return all.length === 0 ? [] : [operandRows(all)];
}

const paragraphs = (description: string): readonly Part[] =>
  description
    .split('\n\n')
    .filter((each) => each !== '')
    .map(paragraph);

/** Comments make the whole block safe to paste. */
const examplesOf = (examples: Command['examples']): Part =>
  code(...examples.flatMap(({ line, shows }) => [`# ${shows}`, line]));

export function usageOf({ name, operands, options, rest }: Command): string {
  const words = operands.map(({ name: operand, optional, variadic }) => {
    const word = variadic === true ? `${operand}...` : operand;
    return optional === true ? `[${word}]` : word;
  });
  const after = rest === undefined ? [] : [`[-- ${rest.name}]`];
  return ['hedge', name, ...words, ...(options.length > 0 ? ['[options]'] : []), ...after].join(' ');
}

export const operandRows = (operands: readonly OperandSpec[]): Part =>
  rows(operands.map(({ name, summary }) => [name, summary]));

export const optionRows = (options: readonly OptionSpec[]): Part =>
  rows(options.map(({ flags, summary }) => [flagsInWords(flags), summary]));

/** `-t, --tenor <days>` becomes `-t, --tenor DAYS`, as the usage line has its operands. */
const flagsInWords = (flags: string): string =>
  flags
    .replace(/<([^>]+)>/, (_whole, placeholder: string) => placeholder.toUpperCase())
    .replace(/\[[^\]]+\]/, (placeholder) => placeholder.toUpperCase());
