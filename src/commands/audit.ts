/** `hedge audit`: verifies the chain of the journal, and writes its head as a checkpoint for another machine. */

import { optionText } from '../args/option.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { ConditionError, DamagedFileError, type HedgeError, OutputError, UsageError } from '../errors.ts';
import { changeInWords, comparisonInWords, type OwnReport, verdictOf } from '../journal/audit-report.ts';
import { type Checkpoint, checkpointOf, parseCheckpoint, writeCheckpoint } from '../journal/checkpoint.ts';
import { operatorInFull } from '../journal/describe.ts';
import { troubleAdvice, troubleError } from '../journal/trouble.ts';
import type { JournalAudit } from '../journal/verify.ts';
import { type AuditResult, auditDocument, viewAudit, viewCheckpoint } from '../output/views/audit.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import { noteOwnJournal } from '../readings/journal-trouble.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const WHAT_IT_PROVES =
  'A checkpoint on another machine shows every change of what was written before it. Without one, a change shows only if later records were left as they were: the owner of this machine can rewrite everything since the last checkpoint, or put the whole folder back. More: hedge help audit.';

export const auditVerify = defineCommand({
  name: 'audit verify',
  summary: 'Read the whole journal, an export or a backup, and name the first changed record',
  description: `Each record has a hash of itself and of the record before it. An edited, removed, inserted or moved record is named, with exit code 11, and so is a journal that lacks its last records. A damaged database is 78. With a desk the whole copy is also compared with its log, and this machine's own journal is read, which has the snapshots. Changes nothing and sends nothing.\n\n${WHAT_IT_PROVES}`,
  operands: [
    {
      name: 'FILE',
      summary: 'an export or a backup (hedge journal export, backup); default: the journal',
      optional: true,
      completes: 'files',
    },
  ],
  options: [
    {
      flags: '--checkpoint <path>',
      summary: 'an earlier checkpoint: also find a removed end and a chain that was made again',
    },
  ],
  examples: [
    { line: 'hedge audit verify', shows: 'how many records were checked, and the head' },
    { line: 'hedge audit verify --checkpoint head.json', shows: 'the same, compared with a checkpoint' },
    { line: 'hedge audit verify export.jsonl', shows: 'the same of an export or a backup' },
  ],
  read: (raw) => ({ checkpoint: optionText(raw, 'checkpoint'), file: raw.operands[0] }),
  async run(context, { checkpoint: path, file }) {
    const checkpoint = path === undefined ? undefined : checkpointAt(path);
    const audit = await context.audit();
    const began = context.clock.monotonic();
    context.progress.start('Verifying the journal');
    const report = await audit.verify({
      file,
      checkpoint,
      progress: (bytes) =>
        context.progress.update(`Verifying the journal: ${Math.floor(bytes / MEGABYTE).toString()} MB`),
    });
    const own = file === undefined ? await ownReport(audit) : undefined;
    const log = file === undefined ? await context.logComparison() : undefined;
    context.progress.stop();
    const { zone } = await context.profileContext();
    const durationMs = Math.round(context.clock.monotonic() - began);
    const value = { report, path: file ?? audit.path, isExport: file !== undefined, durationMs, log, own };
    return { value, finding: findingOf(value), zone };
  },
  document: auditDocument,
  view: viewAudit,
});

/** Records at the end that are checked before a checkpoint is made. */
const LAST = 10_000;

export const auditCheckpoint = defineCommand({
  name: 'audit checkpoint',
  summary: 'Write the head of the journal, to keep on another machine',
  description: `Number and hash of the last record, time and operator, as JSON. It has no amounts and no keys. Keep it where nobody who uses this machine can change it. Checks the last 10,000 records first.\n\n${WHAT_IT_PROVES}`,
  options: [{ flags: '--to <path>', summary: 'a new file; default: standard output' }],
  examples: [
    { line: 'hedge audit checkpoint --to head.json', shows: 'then copy head.json to another machine' },
    {
      line: 'hedge audit checkpoint | ssh vault "cat > hedge-head.json"',
      shows: 'straight to another machine',
    },
  ],
  read: (raw) => ({ to: optionText(raw, 'to') }),
  async run(context, { to }) {
    const audit = await context.audit();
    const report = await audit.verify({ last: LAST });
    const found = findingOf({ report, path: audit.path, isExport: false });
    if (found !== undefined) throw found;
    const { head } = report;
    if (audit.own !== undefined)
      noteOwnJournal(shell`hedge --profile practice audit checkpoint`, (each) => context.note(each));
    if (head === undefined)
      throw new ConditionError({
        code: 'empty_journal',
        what: 'The journal is empty: nothing was sent from this machine.',
        hint: 'Make a checkpoint after the first action.',
      });
    const at = new Date(context.clock.now()).toISOString();
    const operator = operatorInFull(await context.operator());
    // The numbers have no gaps: the last one is the count.
    const checkpoint = checkpointOf({ ...head, records: head.seq, at, operator });
    if (to !== undefined) writeTo(to, checkpoint);
    const { zone } = await context.profileContext();
    return { value: { checkpoint, to }, zone };
  },
  document: ({ checkpoint }) => checkpoint,
  view: viewCheckpoint,
});

const MAX_CHECKPOINT_BYTES = 65_536;

/** @throws UsageError */
function checkpointAt(path: string): Checkpoint {
  const read = readUserFile(path, { maxBytes: MAX_CHECKPOINT_BYTES });
  if ('bytes' in read) return parseCheckpoint(read.bytes.toString('utf8'), path);
  throw new UsageError(
    `The checkpoint ${quoted(path)} cannot be read: ${read.why}.`,
    say`Name a file that ${shell`hedge audit checkpoint`} wrote.`,
  );
}

/** Undefined where the account's journal is this machine's own, or that is empty. */
async function ownReport({ own }: JournalAudit): Promise<OwnReport | undefined> {
  const report = await own?.verify();
  if (own === undefined || report === undefined) return undefined;
  return report.records === 0 && verdictOf(report) === 'unchanged' ? undefined : { path: own.path, report };
}

function writeTo(path: string, checkpoint: Checkpoint): void {
  const why = writeCheckpoint(path, checkpoint);
  if (why === undefined) return;
  if (why.includes('EEXIST'))
    throw new UsageError(
      `${quoted(path)} already exists.`,
      'Choose another name. An earlier checkpoint proves more than a later one: do not replace it.',
    );
  throw new OutputError({
    code: 'output_failed',
    what: `${quoted(path)} cannot be written: ${why}.`,
    hint: 'Choose another file for --to.',
  });
}

const MEGABYTE = 1_000_000;

const COMPARE = say`Compare it with the journal that it was made from: ${shell`hedge audit verify`}`;

/** Undefined when nothing that was read has changed. */
function findingOf({ log, own, ...read }: Omit<AuditResult, 'durationMs'>): HedgeError | undefined {
  const ofOwn = own && changeFinding({ ...own, isExport: false, code: 'own_journal' });
  return (
    changeFinding(read) ??
    ofOwn ??
    (log?.trouble === undefined ? undefined : troubleError(log.trouble, 'Nothing was changed.'))
  );
}

function changeFinding({
  report,
  path,
  isExport,
  code,
}: Omit<AuditResult, 'durationMs' | 'log' | 'own'> & { code?: 'own_journal' }): HedgeError | undefined {
  const { changes, changeCount, rewound, damage, comparison } = report;
  const [first] = changes;
  const compared = comparison && comparisonInWords(comparison, report);
  const verdict = verdictOf(report);
  const advice = (kind: 'rewound' | 'damaged') => troubleAdvice({ kind, ...(code && { code }) });
  const name = isExport ? 'file' : code === undefined ? 'journal' : 'own journal of this machine';
  if (verdict === 'changed') {
    const found = first === undefined ? (rewound ?? compared) : changeInWords(first);
    return new ConditionError({
      code: 'journal_changed',
      what: `The ${name} was changed. ${found ?? ''}`,
      meaning: 'hedge did not write it so: its amounts, keys and outcomes may be false.',
      hint: isExport
        ? COMPARE
        : [
            'To stop opens and adds: hedge halt "audit"',
            say`Keep a copy of its folder as it is. Compare it with a backup, ${shell`hedge hedges`} and ${shell`hedge history`}.`,
            ...(rewound === undefined ? [] : [advice('rewound')]),
          ],
      details: {
        first: first ?? null,
        changes: changeCount,
        rewound: rewound ?? null,
        checkpoint: comparison?.result ?? null,
      },
    });
  }
  if (verdict === 'damaged')
    return new DamagedFileError(path, {
      what: damage[0] ?? '',
      meaning: 'No change was found in what was read.',
      hint: isExport ? COMPARE : advice('damaged'),
      details: { damage },
    });
  if (comparison?.result !== 'not_compared') return undefined;
  return new DamagedFileError(path, {
    what: compared ?? '',
    meaning: 'No change was found in what was read.',
    hint: say`Name an export that begins before that record: ${shell`hedge journal export`} without --since.`,
  });
}

export const audit: CommandGroup = {
  name: 'audit',
  summary: 'Verify that nobody changed the journal',
  commands: [auditVerify, auditCheckpoint],
};
