/** Results as bare data on standard output: CSV, a record per line, or what a query picked. Errors go to standard error. */
import type { CommandResult } from '../commands/command-context.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { ConditionError } from '../errors.ts';
import type { RecordTable } from '../output/record-table.ts';
import { renderBare, renderJson } from '../output/render-json.ts';
import { coverageInWords, isCoverage } from '../output/views/list-summary.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import type { Output, OutputForm } from './global-options.ts';
import { printError, printHeading } from './human-output.ts';
import { documentOf, type Printer } from './printer.ts';
import type { RenderContext } from './render-context.ts';

export function dataPrinter(
  terminal: Terminal,
  { output, quiet }: { output: Output; quiet: boolean },
): Printer {
  return {
    async result(result, context) {
      if (!quiet && terminal.stderr.isTTY) printHeading(terminal, result, context);
      const { finding } = result;
      if (finding !== undefined) printError(terminal, finding, context);
      if (finding !== undefined && !(finding instanceof ConditionError || result.tableWithError)) return;
      await terminal.writeResult(await render(output, { result, context, stdout: terminal.stdout }));
      if (!quiet) notesOf(result).forEach((note) => terminal.writeNote(note));
    },
    async failure(error, context) {
      printError(terminal, error, context);
    },
  };
}

interface RenderInput {
  result: CommandResult;
  context: RenderContext;
  stdout: Surface;
}

async function render(
  { form, query, columns }: Output,
  { result, context, stdout }: RenderInput,
): Promise<string> {
  if (columns !== undefined) {
    const { pickedRecords } = await import('../output/pick-columns.ts');
    return inForm(form, pickedRecords(result, tableOf(result), columns), stdout);
  }
  if (query === undefined) return inForm(form, tableOf(result), stdout);
  const { readQuery } = await import('../output/query/query.ts');
  const picked = readQuery(query)(documentOf(context, result, undefined));
  if (form === 'table') return renderBare(picked, spelling(stdout));
  if (form === 'json') return renderJson(picked, { pretty: stdout.isTTY, ...spelling(stdout) });
  return inForm(form, pickedTable(Array.isArray(picked) ? picked : [picked], result.table()), stdout);
}

async function inForm(form: OutputForm, table: RecordTable, stdout: Surface): Promise<string> {
  if (form === 'jsonl') return table.records.map((record) => renderJson(record, spelling(stdout))).join('');
  const { renderCsv } = await import('../output/render-csv.ts');
  return renderCsv(table, { harmless: stdout.isTTY });
}

/** Whole records keep the columns of the list; anything else has its own. */
function pickedTable(records: readonly unknown[], list: RecordTable | undefined): RecordTable {
  const own: RecordTable = { columns: [], records, like: list?.columns };
  if (list === undefined || records.length === 0) return own;
  const whole = new Set(list.records.map((record) => writeExactJson(record)));
  return records.every((record) => whole.has(writeExactJson(record))) ? { ...list, records } : own;
}

function tableOf(result: CommandResult): RecordTable {
  const document = result.document() ?? [];
  return result.table() ?? { columns: [], records: Array.isArray(document) ? document : [document] };
}

const spelling = ({ unicode, isTTY }: Surface) => ({ unicode: unicode || !isTTY });

/** `meta.covers`, and what the screen says, for output without a document. */
const notesOf = ({ meta: { covers }, notes = [] }: CommandResult): readonly string[] => [
  ...(isCoverage(covers) ? coverageInWords(covers) : []),
  ...notes,
];
