/** The look-ups that the scripts of bash and zsh share: functions that set a variable by the place they are asked about. */
import { arms, single } from './shell-text.ts';
import type { Tables } from './tables.ts';

/** How a shell writes down its lists, one entry a line or a word. */
export interface Spelling {
  words: (offered: Tables['words'][number]['offered']) => string;
  options: (offered: Tables['everywhere']) => string;
}

export const lookups = (tables: Tables, { words, options }: Spelling): string =>
  [
    lookup('subs', {
      asks: '$1',
      entries: tables.words.map(({ path, offered }) => ({ keys: [path], gives: words(offered) })),
    }),
    lookup('options', {
      asks: '$1',
      entries: tables.options.map(({ path, offered }) => ({ keys: [path], gives: options(offered) })),
      always: options(tables.everywhere),
    }),
    lookup('takes', { asks: '"$1 $2"', entries: tables.takes }),
    lookup('operand', { asks: '"$1 $2"', entries: tables.operands, sets: 'takes' }),
  ].join('\n');

interface Lookup {
  /** What is compared, in the shell's words. */
  asks: string;
  entries: Parameters<typeof arms>[0];
  /** What stands there wherever it is asked. */
  always?: string;
  /** The variable; that of the function's own name when left out. */
  sets?: string;
}

const lookup = (name: string, { asks, entries, always, sets = name }: Lookup): string =>
  `_hedge_${name}() {
  ${sets}=''
  case ${asks} in
${arms(entries, sets)}  esac
${always === undefined ? '' : `  ${sets}+=$'\\n'${single(always)}\n`}}
`;
