/** The output form that --output, --json and --csv ask for. */
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
/** A view for a person; one document; a record a line; a table for a spreadsheet. */
export const OUTPUT_FORMS = ['table', 'json', 'jsonl', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

export interface Output {
  form: OutputForm;
  /** A JMESPath expression that picks from the document; under `table` what it finds is printed bare. */
  query: string | undefined;
}

/** What was typed of it. */
export interface OutputOptions {
  json: boolean;
  csv: boolean;
  output: string | undefined;
  query: string | undefined;
}

/** The form that was asked for. Throws UsageError for one that does not exist, and for two at once. */
export function readOutput({ json, csv, output, query }: OutputOptions): Output {
  const asked = [
    ...(json ? ['--json'] : []),
    ...(csv ? ['--csv'] : []),
    ...(output === undefined ? [] : ['--output']),
  ];
  const [one, other] = asked;
  if (other !== undefined)
    throw new UsageError(`${one ?? ''} and ${other} both say the form of the output.`, 'Give one of them.');
  const form = formOf({ json, csv, output });
  if (form === undefined)
    throw new UsageError(
      `${quoted(output ?? '')} is not a form of output.`,
      `${didYouMean(output ?? '', OUTPUT_FORMS)}It is one of ${OUTPUT_FORMS.join(', ')}: --output json`,
    );
  if (query !== undefined && output !== undefined && form === 'table')
    throw new UsageError(
      'A query picks from the document, and a table has none.',
      'Leave out --output table for the bare values, or take json, jsonl or csv.',
    );
  return { form, query };
}

/** The same read loosely, for showing whatever is wrong with the line: the first form that is named. */
export const inferOutput = (options: OutputOptions): Output => ({
  form: formOf(options) ?? 'table',
  query: options.query,
});

function formOf({ json, csv, output }: Omit<OutputOptions, 'query'>): OutputForm | undefined {
  if (json) return 'json';
  if (csv) return 'csv';
  return output === undefined ? 'table' : OUTPUT_FORMS.find((form) => form === output.toLowerCase());
}
