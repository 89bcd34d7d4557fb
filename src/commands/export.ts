/** `hedge export` */
import { EXPORT_FORMATS, readAccountNames, readExportIntent } from '../args/export-options.ts';
import { SAVE_OPTION } from '../args/shared-options.ts';
import { counted } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import { USUAL_ACCOUNTS } from '../domain/postings.ts';
import { quoted } from '../domain/quoted.ts';
import { type OutputError, UsageError } from '../errors.ts';
import {
  type BookedExport,
  bookedDocument,
  bookedWorkbook,
  exportText,
  POSTING_COLUMNS,
  postingTable,
  viewExportedBooks,
} from '../output/views/export.ts';
import { exportFinding, readExport } from '../readings/read-export.ts';
import type { CommandContext } from './command-context.ts';
import { defineCommand } from './define.ts';

const EXAMPLE = say`Example: ${shell`hedge export --format hledger --accounts accounts.json`}`;

export const exportBooks = defineCommand({
  name: 'export',
  summary: 'Write double entry for hledger, beancount or a spreadsheet',
  description:
    'From the journal: margin, fees, carry and results of each hedge of this machine, or of its desk. At each snapshot a transaction brings the balances to those of the service, to the last digit. Sends no action, and takes a snapshot first unless the period is over. A second export of a period that is over is the same file, byte for byte, and a later export only adds to an earlier one, unless another machine of the desk delivers its records later.\n\nEach transaction has the deal ID, the hedge ID, the time and the hash of its record in the journal. --accounts is JSON with your names of accounts, { "balance": "Assets:Bank:Partner" }; hedge help books lists them.',
  operands: [
    { name: 'FILE', summary: 'a new file; default: standard output', optional: true, completes: 'files' },
  ],
  options: [
    {
      flags: '--format <format>',
      summary: EXPORT_FORMATS.join(', '),
      completes: { words: EXPORT_FORMATS },
    },
    { flags: '--since <when>', summary: 'from then on (default: the first snapshot): 2026-11-01, 7d' },
    { flags: '--until <when>', summary: 'until then; a day is included whole' },
    { flags: '--accounts <file>', summary: 'JSON file: names of accounts', completes: 'files' },
    SAVE_OPTION,
  ],
  examples: [
    { line: 'hedge export --format hledger', shows: 'all from the first snapshot on' },
    {
      line: 'hedge export november.journal --format hledger --since 2026-11-01 --until 2026-11-30',
      shows: 'a month, to a new file',
    },
    { line: 'hedge export november.xlsx --format xlsx --since 2026-11-01', shows: 'a workbook' },
  ],
  read: readExportIntent,
  async run(context, intent) {
    const { selected = '', zone } = await context.profileContext();
    const { accounts: path, format } = intent;
    const names =
      path === undefined
        ? USUAL_ACCOUNTS
        : readAccountNames((await context.userFile(path)).readGiven('--accounts', EXAMPLE), path, format);
    await checkIsNew(context, intent.file);
    const reading = await readExport(await context.readContext(), intent, { zone, profile: selected });
    if (reading.unbooked > 0) context.note(beforeFirst(reading.unbooked));
    const { localHourOf } = await import('../domain/calendar.ts');
    const dateOf = (ms: number): string => localHourOf(ms, zone).date;
    const booked = { reading, names, dateOf, profile: selected };
    const value: BookedExport = { ...booked, content: exportText(booked, format) };
    const failure = await writeTo(context, value);
    return {
      value,
      servedAt: new Date(reading.last.ms),
      finding: failure ?? exportFinding(reading),
    };
  },
  document: bookedDocument,
  columns: POSTING_COLUMNS,
  tableWithError: true,
  table: postingTable,
  file: ({ reading, content }: BookedExport) => (reading.intent.file === undefined ? content : undefined),
  view: viewExportedBooks,
});

const beforeFirst = (count: number): string =>
  `${counted(count, 'hedge')} opened before the first snapshot on this machine: no opening balance before them, so they are in the first transaction alone, without lines of their own. On a desk, export on the machine that has the earlier snapshots.`;

/** Before any request. @throws UsageError */
async function checkIsNew(context: CommandContext, path: string | undefined): Promise<void> {
  if (path === undefined || (await context.userFile(path)).read() === undefined) return;
  throw new UsageError(
    `${quoted(path)} exists.`,
    'Nothing was written. Use another name, or move that file away.',
  );
}

async function writeTo(context: CommandContext, booked: BookedExport): Promise<OutputError | undefined> {
  const { file } = booked.reading.intent;
  if (file === undefined) return undefined;
  const content = booked.content ?? (await bookedWorkbook(booked));
  const words = { kind: 'file', option: 'hedge export', meaning: 'No action was sent.' };
  return (await context.userFile(file)).write(content, words);
}
