/**
 * Results as bare data on standard output: CSV, or a record a line. They hold no place for an error: whatever
 * went wrong is said on standard error, and then standard output stays empty.
 */
import type { Shown } from '../commands/define.ts';
import { renderCsv } from '../present/render-csv.ts';
import { renderJsonLine } from '../present/render-json.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import type { OutputForm } from './output.ts';
import { type Printer, sayError, sayHeading } from './printer.ts';

export function dataPrinter(
  terminal: Terminal,
  { form, quiet }: { form: Extract<OutputForm, 'csv' | 'jsonl'>; quiet: boolean },
): Printer {
  return {
    async result(shown, context) {
      if (!quiet && terminal.stderr.isTTY) sayHeading(terminal, shown, context);
      if (shown.finding !== undefined) {
        sayError(terminal, shown.finding, context);
        return;
      }
      const render = form === 'csv' ? toCsv : toLines;
      await terminal.writeResult(render(shown, terminal.stdout));
      if (!quiet && mayBeCut(shown)) terminal.writeNote(MAY_BE_CUT);
    },
    async failure(error, context) {
      sayError(terminal, error, context);
    },
  };
}

const MAY_BE_CUT = 'The service may have more than this page.';

function toCsv(shown: Shown, stdout: Surface): string {
  const table = shown.table();
  if (table === undefined) throw new Error('CSV of what is no list');
  return renderCsv(table, { harmless: stdout.isTTY });
}

function toLines(shown: Shown, stdout: Surface): string {
  const records = shown.table()?.records ?? [shown.document() ?? null];
  const unicode = stdout.unicode || !stdout.isTTY;
  return records.map((record) => renderJsonLine(record, { unicode })).join('');
}

/** What a document says in `meta.covers`, where there is no document to say it. */
function mayBeCut({ meta }: Shown): boolean {
  const { covers } = meta;
  return (
    typeof covers === 'object' &&
    covers !== null &&
    'maybe_truncated' in covers &&
    covers.maybe_truncated === true
  );
}
