/** The commands on the store of the journal: backup, export, import, repair, accept-loss. They need no key and send nothing. */

import { readMoment } from '../args/list-filter.ts';
import { optionGiven, readOption } from '../args/option.ts';
import { NOTE_OPTION, readNote, YES_OPTION } from '../args/shared-options.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import { type CommandWords, OutputError, UsageError } from '../errors.ts';
import { isUnresolved } from '../journal/replay.ts';
import { troubleError } from '../journal/trouble.ts';
import {
  acceptedDocument,
  backupDocument,
  exportDocument,
  importDocument,
  repairDocument,
  viewAccepted,
  viewBackup,
  viewExport,
  viewImport,
  viewLoss,
  viewRepair,
} from '../output/views/journal-store.ts';
import { spanOf } from '../readings/filter-records.ts';
import { noteOwnJournal } from '../readings/journal-trouble.ts';
import { askFirst } from './ask-first.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { type Command, defineCommand } from './define.ts';

const CANCELED = { what: 'Canceled. The journal is unchanged.' };
const zoneOf = async (context: CommandContext): Promise<string> => (await context.profileContext()).zone;

/** Without a file there is no value. */
const outcomeOf = <Written>(written: Written | OutputError): CommandOutcome<Written | undefined> =>
  written instanceof OutputError ? { value: undefined, finding: written } : { value: written };

/** On a desk a copy is of its log alone. */
async function noteOwn(context: CommandContext, other: CommandWords): Promise<void> {
  const { own } = await context.audit();
  if (own !== undefined) noteOwnJournal(other, (each) => context.note(each));
}

/** Says that records are missing. `meaning`: of damage, with which nothing is copied. */
async function checkTrouble(context: CommandContext, meaning: string): Promise<void> {
  const { trouble } = (await context.journal()).read();
  if (trouble?.kind === 'damaged') throw troubleError(trouble, meaning);
  if (trouble !== undefined) context.note(trouble.what);
}

export const journalBackup = defineCommand({
  name: 'journal backup',
  summary: 'Copy the journal to a new file, while it is in use',
  description:
    'The copy has every record up to one moment, and only you can read it. To restore it, end every hedge, move journal.sqlite, journal.sqlite-wal and journal.sqlite-shm out of the state folder and put the copy there as journal.sqlite. hedge then says that the journal was put back (exit code 78) until hedge journal accept-loss, since actions after the copy are missing. More: hedge help recovery.',
  operands: [{ name: 'FILE', summary: 'a new file', completes: 'files' }],
  examples: [
    {
      line: 'hedge journal backup journal-2026-11-20.sqlite',
      shows: 'number of records, and the head',
    },
  ],
  read: ({ operands: [to = ''] }) => ({ to }),
  async run(context, { to }) {
    const store = await context.journalStore();
    await checkTrouble(context, 'Nothing was copied.');
    await noteOwn(context, shell`hedge --profile practice journal backup FILE`);
    return outcomeOf(await store.backup(to));
  },
  document: backupDocument,
  view: viewBackup,
});

export const journalExport = defineCommand({
  name: 'journal export',
  summary: 'Write the records of the journal as JSON lines',
  description:
    'One line per record, in order: its number, ID, exact text and hash. For grep, jq and an auditor: hedge audit verify FILE checks it. --since begins with the first record of that time and has every one after it. A new file is readable only by you.',
  operands: [
    { name: 'FILE', summary: 'a new file; default: standard output', optional: true, completes: 'files' },
  ],
  options: [
    {
      flags: '--since <when>',
      summary: 'only from then on: 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today',
    },
  ],
  examples: [
    { line: 'hedge journal export journal.jsonl', shows: 'all records, to a new file' },
    {
      line: `hedge journal export --since 7d | jq -r '.record | fromjson | select(.kind == "intent") | .action_id'`,
      shows: 'action IDs of the last seven days',
    },
  ],
  read: (raw) => ({ to: raw.operands[0], since: readOption(raw, 'since', readMoment) }),
  async run(context, { to, since: moment }) {
    if (to === undefined && context.printsDocument)
      throw new UsageError(
        'Without a file, standard output has the records themselves, as JSON lines.',
        say`Leave out --json, or name a file: ${shell`hedge journal export journal.jsonl`}`,
      );
    const zone = await zoneOf(context);
    const { fromMs } = await spanOf(
      { since: moment, until: undefined },
      { zone, nowMs: context.clock.now() },
    );
    const since = fromMs === undefined ? undefined : exactInstant(fromMs);
    const store = await context.journalStore();
    await checkTrouble(context, 'Nothing was exported.');
    await noteOwn(context, shell`hedge --profile practice journal export`);
    if (to !== undefined) return outcomeOf(await store.exportToFile(to, since));
    await store.exportToOutput(since);
    return undefined;
  },
  document: exportDocument,
  view: viewExport,
});

export const journalImport = defineCommand({
  name: 'journal import',
  summary: 'Take over the journal of an earlier version, or an export',
  description:
    'Without FILE: the files of an earlier version in the state folder, which are then renamed and never removed. With FILE: exports, or copies of such files, into an empty journal; an export also into a journal that lacks its last records. Every line is kept as it is, with its chain. A line that cannot be read halts the machine, so that a person looks. A halt stays in force. Safe to repeat after an interruption.',
  operands: [
    {
      name: 'FILE',
      summary: 'exports or earlier files, in order',
      optional: true,
      variadic: true,
      completes: 'files',
    },
  ],
  options: [YES_OPTION],
  examples: [
    { line: 'hedge journal import', shows: 'ask, then take over the files of an earlier version' },
    { line: 'hedge journal import journal.jsonl', shows: 'an export of another machine' },
  ],
  read: (raw) => ({ files: raw.operands, yes: optionGiven(raw, 'yes') }),
  async run(context, { files, yes }) {
    const store = await context.journalStore();
    const named = files.length > 0 ? files : store.earlier();
    // Without any, the import says so.
    if (named.length > 0 && !yes)
      await askFirst(context, `Import ${named.map(quoted).join(', ')} into the journal?`, CANCELED);
    context.progress.start('Importing the journal');
    const result = await store.import(files);
    const { current, halt } = (await context.journal()).read();
    const unresolved = current.filter(isUnresolved).length;
    return { value: { ...result, unresolved, halts: halt?.ids.length ?? 0 }, zone: await zoneOf(context) };
  },
  document: importDocument,
  view: viewImport,
});

export const journalRepair = defineCommand({
  name: 'journal repair',
  summary: 'Repair a damaged journal; the damaged file is kept',
  description:
    'Reads every record. If the database is damaged, puts it aside under another name, and writes a new one with every record that its hash proves, then a halt, so that a person looks. Names the records that are missing. Records that waited in pending.sqlite go into the journal. A journal that is whole is not changed. Safe to repeat after an interruption. Sends nothing.',
  examples: [{ line: 'hedge journal repair', shows: 'the missing records, and the file that was put aside' }],
  read: () => undefined,
  async run(context) {
    const store = await context.journalStore();
    context.progress.start('Checking the journal');
    const value = await store.repair();
    const { trouble } = (await context.journal()).read();
    return {
      value,
      finding: value.failure ?? (trouble && troubleError(trouble, 'A repair does not change that.')),
      zone: await zoneOf(context),
    };
  },
  document: repairDocument,
  view: viewRepair,
});

export const journalAcceptLoss = defineCommand({
  name: 'journal accept-loss',
  summary: 'Go on with a journal that was put back and may lack records',
  description:
    'Only for a journal that lacks records which were written on this machine: a backup was put back, or its file was replaced. Compare hedge hedges, hedge positions and hedge history with hedge journal first: a deal that is missing here can be entered twice. Records the loss with your note, and halts: opens and adds stay blocked until hedge unhalt. Sends nothing.',
  options: [NOTE_OPTION, YES_OPTION],
  examples: [
    {
      line: 'hedge journal accept-loss --note "disk replaced, backup of 09:00 put back"',
      shows: 'show the loss, then ask',
    },
  ],
  read(raw) {
    const note = readNote(raw);
    if (note === undefined)
      throw new UsageError(
        'Missing --note: why records are missing.',
        'hedge journal accept-loss --note "backup put back"',
      );
    return { note, yes: optionGiven(raw, 'yes') };
  },
  async run(context, { note, yes }) {
    const store = await context.journalStore();
    const loss = store.findLoss();
    const zone = await zoneOf(context);
    if (loss === undefined) return { value: undefined, zone };
    await context.show(viewLoss(loss));
    if (!yes) await askFirst(context, 'Accept that these records are lost?', CANCELED);
    return { value: { loss, ...(await store.acceptLoss(loss, note)) }, zone };
  },
  document: acceptedDocument,
  view: viewAccepted,
});

export const JOURNAL_STORE_COMMANDS: readonly Command[] = [
  journalBackup,
  journalExport,
  journalImport,
  journalRepair,
  journalAcceptLoss,
];
