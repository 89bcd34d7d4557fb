/**
 * The form a result leaves in: what `--output`, `--json` and `--csv` come to, and where a form makes no sense.
 * It renders nothing.
 */
import type { Command } from '../commands/define.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';

/** A view for a person; one document; a record a line; a table for a spreadsheet. */
export const OUTPUT_FORMS = ['table', 'json', 'jsonl', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/** What was typed of it. */
export interface OutputOptions {
  json: boolean;
  csv: boolean;
  output?: string | undefined;
}

/** The form that was asked for. Throws UsageError for one that does not exist, and for two at once. */
export function readOutput({ json, csv, output }: OutputOptions): OutputForm {
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
      `It is one of ${OUTPUT_FORMS.join(', ')}: --output json`,
    );
  return form;
}

/** The same read loosely, for showing whatever is wrong with the line: the first form that is named. */
export const guessOutput = (options: OutputOptions): OutputForm => formOf(options) ?? 'table';

function formOf({ json, csv, output }: OutputOptions): OutputForm | undefined {
  if (json) return 'json';
  if (csv) return 'csv';
  return output === undefined ? 'table' : OUTPUT_FORMS.find((form) => form === output.toLowerCase());
}

/** Throws UsageError where the command has nothing to show in that form. */
export function checkOutput(form: OutputForm, { name, lists }: Command): void {
  if (form !== 'csv' || lists) return;
  throw new UsageError(
    `hedge ${name} shows no list, and CSV is for lists.`,
    'For a script: --json. Lists are markets, price, quote, hedges, history, positions and journal.',
  );
}
