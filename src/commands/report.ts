/** `hedge report` */

import { REPORT_BY, readReportIntent } from '../args/report-options.ts';
import { NOTE_OPTION, SAVE_OPTION } from '../args/shared-options.ts';
import { quoted } from '../domain/quoted.ts';
import { type OutputError, UsageError } from '../errors.ts';
import { viewReport } from '../output/views/report.ts';
import { REPORT_COLUMNS, reportDocument, reportNotes, reportTable } from '../output/views/report-document.ts';
import { incompleteError } from '../readings/journal-trouble.ts';
import { type ReportReading, readReport } from '../readings/read-report.ts';
import type { CommandContext } from './command-context.ts';
import { defineCommand } from './define.ts';

export const report = defineCommand({
  name: 'report',
  summary: 'Show the P&L of a period, and what it is made of',
  description:
    'Sends no action. P&L of the hedges of this machine, realized and unrealized, split into market move, impact, slippage, carry and fees. Positive is a gain. A reduce is realized on its own day. The bridge leads from the opening to the closing net asset value, to the last digit. Its unexplained part has deposits, withdrawals, and hedges that were not opened from this machine.\n\nThe period runs from the snapshot nearest to its beginning (hedge snapshot) to now, or to the snapshot nearest to its end. None is later than the next change of a hedge. Where no snapshot is near, there is no bridge, and the report names the missing one. Days are those of the time zone of the profile. Records the reading, unless --no-save. More: hedge help books.',
  options: [
    { flags: '--day [day]', summary: 'today (default), yesterday, or 2026-11-20' },
    { flags: '--week [day]', summary: 'the week of today, last, 2026-W47, or that of a day in it' },
    { flags: '--month [month]', summary: 'this month, last, or 2026-11' },
    { flags: '--since <when>', summary: 'from then on: 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday' },
    { flags: '--until <when>', summary: 'until then; a day is included whole' },
    {
      flags: '--by <what>',
      summary: `${REPORT_BY.join(', ')} (default deal)`,
      completes: { words: REPORT_BY },
    },
    { flags: '--html <file>', summary: 'write a page with charts, to mail and to print', completes: 'files' },
    SAVE_OPTION,
    NOTE_OPTION,
  ],
  examples: [
    { line: 'hedge report', shows: 'what changed today' },
    { line: 'hedge report --month --html november.html', shows: 'this month, and a page to mail' },
    { line: 'hedge report --month 2026-11 --by day', shows: 'a month, day by day' },
    {
      line: 'hedge report --since 7d --by prefix --csv',
      shows: 'by the beginning of deal IDs, for a spreadsheet',
    },
    {
      line: 'hedge report --month --query data.derived.bridge.unexplained_usd',
      shows: 'only the unexplained part',
    },
  ],
  read: readReportIntent,
  async run(context, intent) {
    const { selected = '', zone } = await context.profileContext();
    await checkPage(context, intent.html);
    const reading = await readReport(await context.readContext(), intent, { zone, profile: selected });
    const { page, failure } = await writePage(context, reading, selected);
    const { notSaved, trouble } = reading;
    return {
      value: { reading, page },
      servedAt: reading.servedAt,
      ...(intent.html === undefined ? {} : { meta: { html: page ?? null } }),
      notes: reportNotes(reading),
      finding: notSaved ?? failure ?? (trouble && incompleteError(trouble)),
    };
  },
  document: ({ reading }) => reportDocument(reading),
  columns: REPORT_COLUMNS,
  tableWithError: true,
  table: ({ reading }) => reportTable(reading),
  view: ({ reading, page }: { reading: ReportReading; page: string | undefined }) =>
    viewReport(reading, page),
});

/** Before any request. @throws UsageError for a file that hedge did not write. */
async function checkPage(context: CommandContext, path: string | undefined): Promise<void> {
  const before = path === undefined ? undefined : (await context.userFile(path)).read();
  if (path === undefined || before === undefined) return;
  const { isHtmlPage } = await import('../output/html-page.ts');
  if (!isHtmlPage(before))
    throw new UsageError(
      `${quoted(path)} is not a page of hedge report.`,
      'Nothing was written. Use another name: --html FILE',
    );
}

async function writePage(
  context: CommandContext,
  reading: ReportReading,
  profile: string,
): Promise<{ page?: string; failure?: OutputError }> {
  const { html: path } = reading.intent;
  if (path === undefined) return {};
  const { reportPage } = await import('../output/views/report-page.ts');
  const { environment } = (await context.readContext()).identity;
  const words = { kind: 'page', option: '--html', meaning: 'No action was sent.' };
  const failure = (await context.userFile(path)).write(reportPage(reading, { profile, environment }), words);
  return failure === undefined ? { page: path } : { failure };
}
