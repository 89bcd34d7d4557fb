/**
 * The command line as a shell completes it, from the registry: for each place what may stand there. Knows no
 * shell; each of them writes it down in its own words.
 */
import { Option } from 'commander';
import { type Command, type CommandGroup, isGroup, type OptionSpec } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import { ownField } from '../../domain/fields.ts';
import { GLOBAL_OPTIONS } from '../global-options.ts';
import { FOLLOWING, FREE, type Takes, takesOf } from './words.ts';
export interface OfferedOption {
  /** `--tenor` */
  word: string;
  /** Every spelling of it: `--tenor`, `-t`. */
  spellings: readonly string[];
  /** It may be given any number of times. */
  repeats: boolean;
  /** Spellings of others that contradict it. */
  against: readonly string[];
  summary: string;
  /** Undefined for a switch. */
  takes: Takes | undefined;
}

/** What may follow some words of a command's name. */
export interface Place {
  /** `''` for hedge itself, `quote`, `profile add`. */
  path: string;
  words: readonly { word: string; summary: string }[];
  options: readonly OfferedOption[];
  operands: readonly Takes[];
  /** The last operand may stand any number of times. */
  variadic: boolean;
}

export interface CommandLineModel {
  places: readonly Place[];
  /** Of every place. */
  everywhere: readonly OfferedOption[];
}

const HELP: OptionSpec = { flags: '-h, --help', summary: 'help for a command' };
const VERSION: OptionSpec = { flags: '--version', summary: 'the version of this program' };

/** Loads every command. `topics`: what `hedge help` knows besides commands. */
export async function commandLineModel(
  topics: readonly { name: string; summary: string }[],
): Promise<CommandLineModel> {
  const entries = await Promise.all(REGISTRY.map((line) => line.load()));
  const commands = REGISTRY.map(({ name, summary }) => ({ word: name, summary }));
  const help = { word: 'help', summary: 'help for a command or a topic' };
  const root: Place = { ...NOTHING, path: '', words: [...commands, help], options: optionsAt('', [VERSION]) };
  const about = topics.map(({ name, summary }) => ({ word: name, summary }));
  return {
    places: [
      root,
      ...entries.flatMap((entry) => (isGroup(entry) ? placesOfGroup(entry) : placesOf(entry))),
      { ...NOTHING, path: 'help', words: [...commands, ...about] },
    ],
    everywhere: optionsAt('', [...GLOBAL_OPTIONS, HELP]),
  };
}

const NOTHING: Omit<Place, 'path'> = { words: [], options: [], operands: [], variadic: false };

function placesOfGroup({ name, main, commands }: CommandGroup): readonly Place[] {
  const words = commands.map((command) => ({
    word: command.name.slice(name.length + 1),
    summary: command.summary,
  }));
  const alone = main === undefined ? { ...NOTHING, path: name } : placeOf(main);
  return [{ ...alone, words }, ...commands.map(placeOf)];
}

/** A command, and where one of its words decides what the next one is, a place for each such word. */
function placesOf(command: Command): readonly Place[] {
  const place = placeOf(command);
  const [first] = command.operands;
  const following = Object.entries(ownField(FOLLOWING, `${command.name} ${first?.name ?? ''}`) ?? {});
  if (following.length === 0) return [place];
  const words = following.map(([word]) => ({ word, summary: first?.summary ?? '' }));
  const after = following.map(([word, { takes, applies }]) => ({
    ...place,
    path: `${place.path} ${word}`,
    options: place.options.filter((option) => applies(option.word)),
    operands: [takes, ...place.operands.slice(2)],
  }));
  return [{ ...place, words, operands: [FREE, ...place.operands.slice(1)] }, ...after];
}

const placeOf = ({ name, options, operands }: Command): Place => ({
  path: name,
  words: [],
  options: optionsAt(name, options),
  operands: operands.map((operand) => takesOf(`${name} ${operand.name}`, operand.name)),
  variadic: operands.at(-1)?.variadic === true,
});

/** All three say the form of the output. */
const FORMS: readonly string[] = ['--json', '--csv', '--output'];

function optionsAt(path: string, specs: readonly OptionSpec[]): readonly OfferedOption[] {
  const read = specs.map(({ flags, summary, repeats }) => ({
    option: new Option(flags, summary),
    summary,
    repeats: repeats === true,
  }));
  return read.map(({ option, summary, repeats }) => {
    const word = option.long ?? option.flags;
    // What may stand without a value is offered none: the next word may be the command's own.
    const placeholder = /<([^>.]+)/.exec(option.flags)?.[1];
    const against = read.flatMap(({ option: other }) => {
      const contradicts =
        other.attributeName() === option.attributeName() ||
        (FORMS.includes(word) && FORMS.includes(other.long ?? ''));
      return contradicts && other !== option ? spellingsOf(other) : [];
    });
    const takes = placeholder === undefined ? undefined : takesOf(`${path} ${word}`, placeholder);
    return { word, spellings: spellingsOf(option), repeats, against, summary, takes };
  });
}

const spellingsOf = ({ long, short }: Option): readonly string[] =>
  [long, short].filter((each) => each !== undefined);
