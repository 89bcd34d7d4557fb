/**
 * The model as the tables that every shell's script holds: what it looks up by the place it is at. The one code
 * for what a place takes: `words a b`, `names KIND`, either of them after `list` where commas join several, `files`, `free`.
 */
import type { CommandLineModel, OfferedOption, Place } from './model.ts';
import type { Takes } from './words.ts';

export interface Offered {
  word: string;
  /** Once one of these is given, it is not offered again. */
  unless: readonly string[];
  summary: string;
}

export interface Tables {
  /** Of places that have sub-commands. */
  words: readonly { path: string; offered: readonly { word: string; summary: string }[] }[];
  /** Of places that have options of their own. */
  options: readonly { path: string; offered: readonly Offered[] }[];
  everywhere: readonly Offered[];
  /** What an option takes, by `path option`; of those of every place, `* option`. Options that take nothing are not there. */
  takes: readonly Coded[];
  /** What the n-th operand takes, by `path n`, from 0; `path *` for all from there on, after the others. */
  operands: readonly Coded[];
}

export interface Coded {
  keys: readonly string[];
  gives: string;
}

export function tablesOf({ places, everywhere }: CommandLineModel): Tables {
  return {
    words: places
      .filter(({ words }) => words.length > 0)
      .map(({ path, words }) => ({ path, offered: words })),
    options: places
      .filter(({ options }) => options.length > 0)
      .map(({ path, options }) => ({ path, offered: options.map(offeredOf) })),
    everywhere: everywhere.map(offeredOf),
    takes: together([
      ...places.flatMap(({ path, options }) => options.flatMap((option) => takenBy(path, option))),
      ...everywhere.flatMap((option) => takenBy('*', option)),
    ]),
    operands: together(places.flatMap(operandsAt)),
  };
}

const offeredOf = ({ word, spellings, repeats, against, summary }: OfferedOption): Offered => ({
  word,
  unless: [...(repeats ? [] : spellings), ...against],
  summary,
});

const takenBy = (
  path: string,
  { spellings, takes }: OfferedOption,
): readonly (readonly [string, string])[] =>
  takes === undefined ? [] : spellings.map((spelling) => [`${path} ${spelling}`, codeOf(takes)] as const);

function operandsAt({ path, operands, variadic }: Place): readonly (readonly [string, string])[] {
  return operands.map((takes, at) => {
    const key = variadic && at === operands.length - 1 ? '*' : at.toString();
    return [`${path} ${key}`, codeOf(takes)] as const;
  });
}

function codeOf(takes: Takes): string {
  if (takes.kind === 'files' || takes.kind === 'free') return takes.kind;
  const code = takes.kind === 'words' ? `words ${takes.words.join(' ')}` : `names ${takes.of}`;
  return takes.list === true ? `list ${code}` : code;
}

/** Keys of the same code stand together. */
function together(pairs: readonly (readonly [string, string])[]): readonly Coded[] {
  const found = new Map<string, string[]>();
  for (const [key, code] of pairs) found.set(code, [...(found.get(code) ?? []), key]);
  return [...found].map(([gives, keys]) => ({ keys, gives }));
}
