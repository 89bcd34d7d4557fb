/**
 * Results as bare data on standard output: CSV, a record a line, or what a query picked. They hold no place for
 * an error: whatever went wrong is said on standard error, and then standard output stays empty.
 */
import type { Shown } from '../commands/shown.ts';
import type { RecordTable } from '../present/record-table.ts';
import { renderBare } from '../present/render-bare.ts';
import { renderJsonLine, renderJsonValue } from '../present/render-json.ts';
import { coversInWords, isCovers } from '../present/views/covers.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import type { Context } from './context.ts';
import type { Output, OutputForm } from './output.ts';
import { documentOf, type Printer } from './printer.ts';
import { sayError, sayHeading } from './saying.ts';

export function dataPrinter(
  terminal: Terminal,
  { output, quiet }: { output: Output; quiet: boolean },
): Printer {
  return {
    async result(shown, context) {
      if (!quiet && terminal.stderr.isTTY) sayHeading(terminal, shown, context);
      if (shown.finding !== undefined) {
        sayError(terminal, shown.finding, context);
        return;
      }
      await terminal.writeResult(await render(output, { shown, context, stdout: terminal.stdout }));
      if (!quiet) coverNotes(shown).forEach((note) => terminal.writeNote(note));
    },
    async failure(error, context) {
      sayError(terminal, error, context);
    },
  };
}

interface Ready {
  shown: Shown;
  context: Context;
  stdout: Surface;
}

async function render({ form, query }: Output, { shown, context, stdout }: Ready): Promise<string> {
  if (query === undefined) return inForm(form, tableOf(shown), stdout);
  const { readQuery } = await import('../present/query/query.ts');
  const picked = readQuery(query)(documentOf(context, shown, undefined));
  if (form === 'table') return renderBare(picked, spelling(stdout));
  if (form === 'json') return renderJsonValue(picked, { pretty: stdout.isTTY, ...spelling(stdout) });
  const records: readonly unknown[] = Array.isArray(picked) ? picked : [picked];
  return inForm(form, { columns: [], records, like: shown.table()?.columns }, stdout);
}

async function inForm(form: OutputForm, table: RecordTable, stdout: Surface): Promise<string> {
  if (form === 'jsonl')
    return table.records.map((record) => renderJsonLine(record, spelling(stdout))).join('');
  const { renderCsv } = await import('../present/render-csv.ts');
  return renderCsv(table, { harmless: stdout.isTTY });
}

const tableOf = (shown: Shown): RecordTable =>
  shown.table() ?? { columns: [], records: [shown.document() ?? null] };

const spelling = ({ unicode, isTTY }: Surface) => ({ unicode: unicode || !isTTY });

/** What a document says in `meta.covers`, where there is no document to say it. */
const coverNotes = ({ meta: { covers } }: Shown): readonly string[] =>
  isCovers(covers) ? coversInWords(covers) : [];
