/** The options of every command, output format included, and a scan for them that works on an invalid command line too. */

import type { OptionSpec } from '../commands/define.ts';
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { ColumnChoice } from '../output/layout.ts';

export const OUTPUT_FORMS = ['table', 'json', 'jsonl', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

export interface Output extends ColumnChoice {
  form: OutputForm;
  /** By --output. */
  isNamed: boolean;
  /** JMESPath over the document; with `table` its result is printed bare. */
  query: string | undefined;
}

export interface OutputOptions {
  json: boolean;
  csv: boolean;
  output: string | undefined;
  query: string | undefined;
  wide: boolean;
  /** The list as typed, with its commas. */
  columns: string | undefined;
}

/** @throws UsageError for an unknown format, and for two at once. */
export function readOutput({ json, csv, output, query, wide, columns }: OutputOptions): Output {
  const asked = [
    ...(json ? ['--json'] : []),
    ...(csv ? ['--csv'] : []),
    ...(output === undefined ? [] : ['--output']),
  ];
  const [one, other] = asked;
  if (other !== undefined)
    throw new UsageError(`${one ?? ''} and ${other} both set the output format.`, 'Give one of them.');
  const form = formOf({ json, csv, output });
  if (form === undefined)
    throw new UsageError(
      `${quoted(output ?? '')} is not an output format.`,
      `${didYouMean(output ?? '', OUTPUT_FORMS)}Use one of ${OUTPUT_FORMS.join(', ')}: --output json`,
    );
  if (query !== undefined && output !== undefined && form === 'table')
    throw new UsageError(
      '--query does not work with --output table.',
      'Leave out --output table for bare values, or use json, jsonl or csv.',
    );
  return { form, isNamed: output !== undefined, query, wide, columns: columns?.split(',') };
}

/** The first format that is named, also on an invalid command line. */
export const inferOutput = (options: Omit<OutputOptions, 'wide' | 'columns'>): Output => ({
  form: formOf(options) ?? 'table',
  isNamed: options.output !== undefined,
  query: options.query,
  wide: false,
  columns: undefined,
});

function formOf({
  json,
  csv,
  output,
}: Pick<OutputOptions, 'json' | 'csv' | 'output'>): OutputForm | undefined {
  if (json) return 'json';
  if (csv) return 'csv';
  return output === undefined ? 'table' : OUTPUT_FORMS.find((form) => form === output.toLowerCase());
}

export interface GlobalOptions {
  profile?: string;
  expectEnv?: string;
  output: Output;
  quiet: boolean;
  verbose: boolean;
}

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--profile <name>', summary: 'profile to use (practice and practice-live are built in)' },
  {
    flags: '--expect-env <environment>',
    summary: 'require live, sandbox or practice; abort if it differs',
  },
  { flags: '--json', summary: 'print one JSON document, on success and on failure' },
  { flags: '--csv', summary: 'print a list as CSV' },
  {
    flags: '-o, --output <form>',
    summary: 'table, json, jsonl (one record per line) or csv',
  },
  {
    flags: '--query <expression>',
    summary: 'pick from the document with JMESPath',
  },
  { flags: '--wide', summary: 'show every column of a list, whatever the width' },
  { flags: '--columns <names>', summary: 'only these columns of a list, in this order: id,side' },
  { flags: '--no-color', summary: 'no color' },
  { flags: '-q, --quiet', summary: 'no progress or notes on standard error' },
  { flags: '-v, --verbose', summary: 'requests and responses on standard error, key masked' },
];

export const HELP_OPTION: OptionSpec = { flags: '-h, --help', summary: 'show help' };

/** Spellings of the options with a value, which is not the name of a command: `-o`, `--output`. */
const VALUED_GLOBALS: readonly string[] = GLOBAL_OPTIONS.flatMap(({ flags }) =>
  flags.includes('<') ? flags.replace(/ <.*/, '').split(', ') : [],
);

export interface ScannedOptions {
  output: Output;
  quiet: boolean;
  noColor: boolean;
  verbose: boolean;
}

/** Finds the switches before a bare `--`. */
export function scanGlobalOptions(argv: readonly string[]): ScannedOptions {
  const words = wordsBeforeDashes(argv);
  const has = (...names: readonly string[]): boolean => names.some((name) => words.includes(name));
  return {
    output: inferOutput({
      json: has('--json'),
      csv: has('--csv'),
      output: valueOf(words, '--output') ?? valueOf(words, '-o'),
      query: valueOf(words, '--query'),
    }),
    quiet: has('-q', '--quiet'),
    noColor: has('--no-color'),
    verbose: has('-v', '--verbose'),
  };
}

/** The value after an option, or after its `=`; a short one may have it at once. */
function valueOf(words: readonly string[], option: string): string | undefined {
  const start = option.startsWith('--') ? `${option}=` : option;
  const at = words.findIndex((word) => word === option || word.startsWith(start));
  const word = words[at];
  return word === option ? words[at + 1] : word?.slice(start.length);
}

/** Before a bare `--`, short options apart: `-qo json` is `-q -o json`. */
function wordsBeforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).flatMap((word) => {
    const [, switches = '', last = ''] = /^-([a-np-z]+)(o.*)?$/.exec(word) ?? [];
    return switches === ''
      ? [word]
      : [...switches.split(''), last].filter((each) => each !== '').map((each) => `-${each}`);
  });
}

/** The words that are neither options nor their values. */
export function bareWords(argv: readonly string[]): readonly string[] {
  const words = wordsBeforeDashes(argv);
  return words.filter((word, at) => !word.startsWith('-') && !VALUED_GLOBALS.includes(words[at - 1] ?? ''));
}
