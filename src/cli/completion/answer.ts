/**
 * Candidates for the completion scripts. `hedge __complete WORDS... CURRENT` takes the unquoted words after `hedge` up
 * to the cursor and prints every candidate for CURRENT, one `word<TAB>summary` per line, and `:files` last if the shell
 * should complete files. The shell filters by CURRENT. Bash does not unquote or filter: `hedge __complete-line LINE`
 * takes the line up to the cursor and prints only matching words.
 */

import type { CachedName } from '../../cache/names.ts';
import type { Completes, NameSource } from '../../commands/define.ts';
import { ownField } from '../../domain/fields.ts';
import type { Candidate, CommandLineModel, CommandModel, OptionModel } from './model.ts';

export interface CompletionSources {
  model: CommandLineModel;
  /** `profile`: from the command line; '' for none. */
  names: (sources: readonly NameSource[], profile: string) => Promise<readonly CachedName[]>;
}

interface Answer {
  candidates: readonly Candidate[];
  files: boolean;
  /** Options match case-sensitively, everything else in any case. */
  options: boolean;
}

export const completeWords = async (words: readonly string[], sources: CompletionSources): Promise<string> =>
  written(await answer(words, sources));

export async function completeLine(line: string, sources: CompletionSources): Promise<string> {
  const words = wordsOf(line).slice(1);
  const found = await answer(words, sources);
  const current = words.at(-1) ?? '';
  const lower = current.toLowerCase();
  const exact = found.candidates.filter(({ word }) => word.startsWith(current));
  const candidates =
    exact.length > 0 || found.options
      ? exact
      : found.candidates.filter(({ word }) => word.toLowerCase().startsWith(lower));
  return written({ ...found, candidates });
}

/** Words of a bash line, without quotes; the last one is at the cursor. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, escaped, single, double, blank, other] of line.matchAll(
    /\\(.?)|'([^']*)'?|"([^"]*)"?|(\s+)|(.)/gsu,
  )) {
    if (blank === undefined) word = `${word ?? ''}${escaped ?? single ?? double ?? other ?? ''}`;
    else {
      if (word !== undefined) words.push(word);
      word = undefined;
    }
  }
  return [...words, word ?? ''];
}

/** Only characters without a special meaning in a shell or a terminal. */
const HARMLESS = /^[A-Za-z0-9:._/=,-]+$/;

function written({ candidates, files }: Answer): string {
  const lines = candidates
    .filter(({ word }) => HARMLESS.test(word))
    .map(({ word, summary }) => (summary === '' ? `${word}\n` : `${word}\t${summary}\n`));
  return [...lines, files ? ':files\n' : ''].join('');
}

const NO_COMMAND: CommandModel = { words: [], options: [], operands: [], variadic: false };
const NOTHING: Answer = { candidates: [], files: false, options: false };

/** The words before the cursor, read as commander reads them. */
interface Before {
  command: CommandModel;
  operands: number;
  given: ReadonlySet<string>;
  profile: string;
  /** The option whose value is at the cursor. */
  option: string | undefined;
  /** Options ended with `--`. */
  ended: boolean;
}

async function answer(words: readonly string[], { model, names }: CompletionSources): Promise<Answer> {
  const before = read(words.slice(0, -1), model);
  const { command, operands, profile, option, ended } = before;
  const current = words.at(-1) ?? '';
  const value = (completes: Completes | undefined, prefix = ''): Promise<Answer> =>
    valueOf(completes, { prefix, current, names: (sources) => names(sources, profile) });
  const options = (): Answer => ({ candidates: optionsLeft(before, model), files: false, options: true });

  if (option !== undefined) return value(optionAt(option, command, model)?.completes);
  if (!ended && /^--.*=/s.test(current)) {
    const [name = ''] = current.split('=', 1);
    return value(optionAt(name, command, model)?.completes, `${name}=`);
  }
  if (!ended && current.startsWith('-')) return options();
  const last = command.operands.length - 1;
  const completes = command.operands[command.variadic ? Math.min(operands, last) : operands];
  const subcommands = operands === 0 ? command.words : [];
  if (completes === undefined && subcommands.length === 0 && !ended) return options();
  const operand = await value(completes);
  return { ...operand, candidates: [...subcommands, ...operand.candidates] };
}

function read(words: readonly string[], model: CommandLineModel): Before {
  let [path, command, operands] = ['', ownField(model.commands, '') ?? NO_COMMAND, 0];
  let [profile, ended, option]: [string, boolean, string | undefined] = ['', false, undefined];
  const given = new Set<string>();
  for (const word of words) {
    if (option !== undefined) {
      if (option === '--profile') profile = word;
      option = undefined;
    } else if (!ended && word === '--') {
      ended = true;
    } else if (!ended && /^--.*=/s.test(word)) {
      const [name = ''] = word.split('=', 1);
      given.add(name);
      if (name === '--profile') profile = word.slice(name.length + 1);
    } else if (!ended && /^-./s.test(word)) {
      given.add(word);
      if (optionAt(word, command, model)?.completes !== undefined) option = word;
    } else if (operands === 0 && command.words.some((each) => each.word === word)) {
      path = path === '' ? word : `${path} ${word}`;
      command = ownField(model.commands, path) ?? NO_COMMAND;
    } else {
      operands += 1;
    }
  }
  return { command, operands, given, profile, option, ended };
}

function optionAt(
  spelling: string,
  { options, columns }: CommandModel,
  { globalOptions }: CommandLineModel,
): OptionModel | undefined {
  const option = [...options, ...globalOptions].find(({ spellings }) => spellings.includes(spelling));
  return option?.word === '--columns' && columns !== undefined
    ? { ...option, completes: { words: columns, list: true } }
    : option;
}

const optionsLeft = ({ command, given }: Before, { globalOptions }: CommandLineModel): readonly Candidate[] =>
  [...command.options, ...globalOptions].filter(({ unless }) => !unless.some((each) => given.has(each)));

interface AtCursor {
  /** `--tenor=` */
  prefix: string;
  current: string;
  names: (sources: readonly NameSource[]) => Promise<readonly CachedName[]>;
}

async function valueOf(
  completes: Completes | undefined,
  { prefix, current, names }: AtCursor,
): Promise<Answer> {
  if (completes === undefined || completes === 'nothing') return NOTHING;
  if (completes === 'files') return { ...NOTHING, files: true };
  const listed = completes.list === true ? current.slice(prefix.length, current.lastIndexOf(',') + 1) : '';
  const chosen = listed.split(',');
  const found =
    'words' in completes
      ? completes.words.map((word) => ({ name: word, about: '' }))
      : await names(completes.names);
  return {
    ...NOTHING,
    candidates: found
      .filter(({ name }) => !chosen.includes(name))
      .map(({ name, about }) => ({ word: `${prefix}${listed}${name}`, summary: about })),
  };
}
