/** The words that may follow each word of a command line, from the command declarations. The build bundles the result. */
import { Option } from 'commander';
import {
  type Command,
  type CommandGroup,
  type Completes,
  isGroup,
  type NameSource,
  type OptionSpec,
} from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { ownField } from '../../domain/fields.ts';
import { ENVIRONMENTS, HEDGE_STATUSES, SIDES, TENORS } from '../../domain/vocabulary.ts';
import { GLOBAL_OPTIONS, HELP_OPTION, OUTPUT_FORMS } from '../global-options.ts';
import { HELP_TOPICS, TOPICS } from '../help/topics.ts';

export interface Candidate {
  word: string;
  summary: string;
}

export interface OptionModel extends Candidate {
  /** `--tenor`, `-t` */
  spellings: readonly string[];
  /** Not offered once one of these is given. */
  unless: readonly string[];
  /** Undefined for a switch. */
  completes?: Completes;
}

/** The words that may follow a command's name. */
export interface CommandModel {
  words: readonly Candidate[];
  options: readonly OptionModel[];
  operands: readonly Completes[];
  /** The last operand may be repeated. */
  variadic: boolean;
  /** After `--columns`; undefined if the command shows no list. */
  columns?: readonly string[];
}

export interface CommandLineModel {
  /** By name: `''` for hedge itself, `quote`, `profile add`. */
  commands: Readonly<Record<string, CommandModel>>;
  globalOptions: readonly OptionModel[];
}

const NAMES = (...names: readonly NameSource[]): Completes => ({ names });
const WORDS = (words: readonly (string | number)[]): Completes => ({ words: words.map(String) });

/** Completion of a placeholder, unless its command declares another. */
const PLACEHOLDERS: Readonly<Record<string, Completes>> = {
  MARKET: NAMES('markets'),
  market: NAMES('markets'),
  markets: { names: ['markets'], list: true },
  SIDE: WORDS(SIDES),
  side: WORDS(SIDES),
  ACTION: NAMES('actions', 'hedges', 'deals'),
  actions: { names: ['unresolved'], list: true },
  ID: NAMES('hedges', 'deals'),
  id: NAMES('deals'),
  NAME: NAMES('profiles'),
  name: NAMES('profiles'),
  FILE: 'files',
  path: 'files',
  days: WORDS(TENORS),
  environment: WORDS(ENVIRONMENTS),
  form: WORDS(OUTPUT_FORMS),
  status: WORDS(HEDGE_STATUSES),
  when: WORDS(['today', 'yesterday', '7d']),
};

const VERSION: OptionSpec = { flags: '--version', summary: 'print the version' };
const NOTHING: CommandModel = { words: [], options: [], operands: [], variadic: false };

/** Loads every command. */
export async function commandLineModel(): Promise<CommandLineModel> {
  const entries = await Promise.all(REGISTRY.map((line) => line.load()));
  const words = REGISTRY.map(({ name, summary }) => ({ word: name, summary }));
  const topics = [...HELP_TOPICS, TOPICS].map(({ name, summary }) => ({ word: name, summary }));
  const help = { word: 'help', summary: 'help for a command or a topic' };
  return {
    commands: Object.fromEntries([
      ['', { ...NOTHING, words: [...words, help], options: optionsOf([VERSION]) }],
      ...entries.flatMap((entry) => (isGroup(entry) ? groupModels(entry) : commandModels(entry))),
      ['help', { ...NOTHING, words: [...words, ...topics] }],
    ]),
    globalOptions: optionsOf([...GLOBAL_OPTIONS, HELP_OPTION]),
  };
}

type Named = readonly [name: string, model: CommandModel];

function groupModels({ name, main, commands }: CommandGroup): readonly Named[] {
  const words = commands.map((command) => ({
    word: command.name.slice(name.length + 1),
    summary: command.summary,
  }));
  const alone = main === undefined ? NOTHING : modelOf(main);
  return [[name, { ...alone, words }], ...commands.flatMap(commandModels)];
}

/** A command, and one entry for each word of its first operand that determines the next. */
function commandModels(command: Command): readonly Named[] {
  const { name, options, operands } = command;
  const model = modelOf(command);
  const [first] = operands;
  const decided = Object.entries(first?.decides ?? {});
  if (first === undefined || decided.length === 0) return [[name, model]];
  const words = decided.map(([word]) => ({ word, summary: first.summary }));
  return [
    [name, { ...model, words, operands: ['nothing', ...model.operands.slice(1)] }],
    ...decided.map(([word, { next, allows }]): Named => {
      const left = optionsOf(options.filter(({ flags }) => allows(flags)));
      return [`${name} ${word}`, { ...model, options: left, operands: [next, ...model.operands.slice(2)] }];
    }),
  ];
}

/** The headings of some lists name a deal ID so. */
const columnNames = (columns: readonly string[]): readonly string[] =>
  columns.includes('client_reference') ? [...columns, 'deal_id'] : columns;

const modelOf = ({ options, operands, lists, columns }: Command): CommandModel => ({
  ...(lists ? { columns: columnNames(columns) } : {}),
  words: [],
  options: optionsOf(options),
  operands: operands.map(({ name, completes }) => completes ?? ownField(PLACEHOLDERS, name) ?? 'nothing'),
  variadic: operands.at(-1)?.variadic === true,
});

/** Each one sets the output format. */
const FORMS: readonly string[] = ['--json', '--csv', '--output'];

function optionsOf(specs: readonly OptionSpec[]): readonly OptionModel[] {
  const read = specs.map((spec) => ({ spec, option: new Option(spec.flags, spec.summary) }));
  return read.map(({ spec: { summary, repeats, completes }, option }) => {
    const word = option.long ?? option.flags;
    const contradicting = read.filter(
      ({ option: other }) =>
        other !== option &&
        (other.attributeName() === option.attributeName() ||
          (FORMS.includes(word) && FORMS.includes(other.long ?? ''))),
    );
    const spellings = spellingsOf(option);
    const unless = [
      ...(repeats === true ? [] : spellings),
      ...contradicting.flatMap(({ option: other }) => spellingsOf(other)),
    ];
    // The word after an option with an optional value may be an operand: no completion.
    const placeholder = /<([^>.]+)/.exec(option.flags)?.[1];
    if (placeholder === undefined) return { word, summary, spellings, unless };
    const value = completes ?? ownField(PLACEHOLDERS, placeholder) ?? 'nothing';
    return { word, summary, spellings, unless, completes: value };
  });
}

const spellingsOf = ({ long, short }: Option): readonly string[] =>
  [long, short].filter((each) => each !== undefined);
