/** The output format: `--output`, `--json`, `--csv` and `--query`. */
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
export const OUTPUT_FORMS = ['table', 'json', 'jsonl', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

export interface Output {
  form: OutputForm;
  /** JMESPath over the document; with `table` its result is printed bare. */
  query: string | undefined;
}

export interface OutputOptions {
  json: boolean;
  csv: boolean;
  output: string | undefined;
  query: string | undefined;
}

/** @throws UsageError for an unknown format, and for two at once. */
export function readOutput({ json, csv, output, query }: OutputOptions): Output {
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
      `${didYouMean(output ?? '', OUTPUT_FORMS)}It is one of ${OUTPUT_FORMS.join(', ')}: --output json`,
    );
  if (query !== undefined && output !== undefined && form === 'table')
    throw new UsageError(
      '--query does not work with --output table.',
      'Leave out --output table for bare values, or use json, jsonl or csv.',
    );
  return { form, query };
}

/** The first format that is named, also on an invalid command line. */
export const inferOutput = (options: OutputOptions): Output => ({
  form: formOf(options) ?? 'table',
  query: options.query,
});

function formOf({ json, csv, output }: Omit<OutputOptions, 'query'>): OutputForm | undefined {
  if (json) return 'json';
  if (csv) return 'csv';
  return output === undefined ? 'table' : OUTPUT_FORMS.find((form) => form === output.toLowerCase());
}
