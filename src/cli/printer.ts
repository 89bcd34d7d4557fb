/** How a result leaves the program: a view for a person, a document, CSV, a record per line, or what a query picked. */

import type { CommandResult } from '../commands/command-result.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { isoSeconds } from '../domain/instants.ts';
import { ConditionError, type HedgeError } from '../errors.ts';
import type { RecordTable } from '../output/record-table.ts';
import {
  errorDocument,
  type JsonDocument,
  renderBare,
  renderJson,
  renderJsonLine,
  renderJsonValue,
} from '../output/render-json.ts';
import { coverageInWords, isCoverage } from '../output/views/list-summary.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import type { Output, OutputForm } from './global-options.ts';
import { hintFor, printError, printHeading, type RenderContext } from './human-output.ts';

export interface Printer {
  result(shown: CommandResult, context: RenderContext): Promise<void>;
  failure(error: HedgeError, context: RenderContext): Promise<void>;
}

// Loaded only when there is something for a person.
const humanOutput = () => import('./human-output.ts');

const DOCUMENT_SCHEMA = 1;

/** The JSON document of any result or error. */
export function documentOf(
  context: RenderContext,
  shown: CommandResult | undefined,
  error: HedgeError | undefined,
): JsonDocument {
  const { identity } = context;
  return {
    data: shown?.document() ?? null,
    error: error === undefined ? null : errorDocument(error, hintFor(error, context.named)),
    meta: {
      ...shown?.meta,
      schema: DOCUMENT_SCHEMA,
      command: shown?.command ?? context.command,
      profile: identity?.profile ?? null,
      environment: identity?.environment ?? null,
      at: isoSeconds(shown?.servedAt?.getTime() ?? context.now),
    },
  };
}

const printerOf =
  (terminal: Terminal, { pretty }: { pretty: boolean }) =>
  (...of: Parameters<typeof documentOf>): Promise<void> =>
    terminal.writeResult(
      renderJson(documentOf(...of), {
        pretty,
        unicode: terminal.stdout.unicode || !terminal.stdout.isTTY,
      }),
    );

/** Documents on standard output; errors also on standard error, unless quiet. */
export function documentPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: terminal.stdout.isTTY });
  return {
    async result(shown, context) {
      if (!options.quiet && terminal.stderr.isTTY)
        (await humanOutput()).printHeading(terminal, shown, context);
      try {
        await print(context, shown, shown.finding);
      } finally {
        // Also if the document cannot be written.
        if (shown.finding !== undefined && !options.quiet)
          (await humanOutput()).printError(terminal, shown.finding, context);
      }
    },
    async failure(error, context) {
      if (!options.quiet) (await humanOutput()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Many documents, one per line; the batch itself reports them on standard error. */
export function linesPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: false });
  return {
    result: (shown, context) => print(context, shown, shown.finding),
    async failure(error, context) {
      if (!options.quiet) (await humanOutput()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Views on standard output, below the environment line; errors on standard error. */
export function humanPrinter(terminal: Terminal): Printer {
  return {
    result: async (shown, context) => (await humanOutput()).printResult(terminal, shown, context),
    failure: async (error, context) => (await humanOutput()).printError(terminal, error, context),
  };
}

export function dataPrinter(
  terminal: Terminal,
  { output, quiet }: { output: Output; quiet: boolean },
): Printer {
  return {
    async result(shown, context) {
      if (!quiet && terminal.stderr.isTTY) printHeading(terminal, shown, context);
      const { finding } = shown;
      if (finding !== undefined) printError(terminal, finding, context);
      if (finding !== undefined && !(finding instanceof ConditionError)) return;
      await terminal.writeResult(await render(output, { shown, context, stdout: terminal.stdout }));
      if (!quiet) coverNotes(shown).forEach((note) => terminal.writeNote(note));
    },
    async failure(error, context) {
      printError(terminal, error, context);
    },
  };
}

interface RenderInput {
  shown: CommandResult;
  context: RenderContext;
  stdout: Surface;
}

async function render({ form, query }: Output, { shown, context, stdout }: RenderInput): Promise<string> {
  if (query === undefined) return inForm(form, tableOf(shown), stdout);
  const { readQuery } = await import('../output/query/query.ts');
  const picked = readQuery(query)(documentOf(context, shown, undefined));
  if (form === 'table') return renderBare(picked, spelling(stdout));
  if (form === 'json') return renderJsonValue(picked, { pretty: stdout.isTTY, ...spelling(stdout) });
  return inForm(form, pickedTable(Array.isArray(picked) ? picked : [picked], shown.table()), stdout);
}

async function inForm(form: OutputForm, table: RecordTable, stdout: Surface): Promise<string> {
  if (form === 'jsonl')
    return table.records.map((record) => renderJsonLine(record, spelling(stdout))).join('');
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

function tableOf(shown: CommandResult): RecordTable {
  const document = shown.document() ?? [];
  return shown.table() ?? { columns: [], records: Array.isArray(document) ? document : [document] };
}

const spelling = ({ unicode, isTTY }: Surface) => ({ unicode: unicode || !isTTY });

/** `meta.covers`, for output without a document. */
const coverNotes = ({ meta: { covers } }: CommandResult): readonly string[] =>
  isCoverage(covers) ? coverageInWords(covers) : [];
