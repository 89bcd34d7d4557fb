/** `hedge audit`: verifies the chain of the journal, and writes its head as a checkpoint for another machine. */

import { optionText } from '../args/operands.ts';
import { quoted } from '../domain/quoted.ts';
import { ConditionError, DamagedFileError, type HedgeError, OutputError, UsageError } from '../errors.ts';
import { type AuditReport, verdictOf } from '../journal/audit-report.ts';
import { type Checkpoint, checkpointOf, parseCheckpoint, writeCheckpoint } from '../journal/checkpoint.ts';
import { operatorInFull } from '../journal/describe.ts';
import { changeInWords } from '../journal/follow-chain.ts';
import { auditDocument, comparisonInWords, viewAudit, viewCheckpoint } from '../output/views/audit.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const WHAT_IT_PROVES =
  'A checkpoint on another machine shows every change of what was written before it. Without one, only a change that left later lines as they were is seen: the owner of this machine can rewrite everything since the last checkpoint. More: hedge help audit.';

export const auditVerify = defineCommand({
  name: 'audit verify',
  summary: 'Read the whole journal and name the first changed line',
  description: `Each line of the journal has the hash of the line before it. An edited, removed, inserted or swapped line is named, with exit code 11. A line that a crash cut is damage and no change: a warning, exit code 0. Archived segments are read where they were moved to, or in --archive; a segment that was not read is named. Changes nothing and sends nothing.\n\n${WHAT_IT_PROVES}`,
  options: [
    {
      flags: '--checkpoint <path>',
      summary: 'an earlier checkpoint: also find a removed end and a chain that was made again',
    },
    { flags: '--archive <path>', summary: 'folder with archived segments', completes: 'files' },
  ],
  examples: [
    { line: 'hedge audit verify', shows: 'segments and lines that were checked, and the head' },
    { line: 'hedge audit verify --checkpoint head.json', shows: 'the same, compared with a checkpoint' },
  ],
  read: (raw) => ({ checkpoint: optionText(raw, 'checkpoint'), archive: optionText(raw, 'archive') }),
  async run(context, { checkpoint: path, archive }) {
    const checkpoint = path === undefined ? undefined : checkpointAt(path);
    const audit = await context.audit();
    const began = context.clock.monotonic();
    context.progress.start('Verifying the journal');
    const report = await audit.verify({
      checkpoint,
      archive,
      progress: (bytes) =>
        context.progress.update(`Verifying the journal: ${Math.floor(bytes / MEGABYTE).toString()} MB`),
    });
    context.progress.stop();
    const { zone } = await context.profileContext();
    const durationMs = Math.round(context.clock.monotonic() - began);
    return {
      value: { report, path: audit.path, archive, durationMs },
      finding: findingOf(report, audit.path),
      zone,
    };
  },
  document: auditDocument,
  view: viewAudit,
});

export const auditCheckpoint = defineCommand({
  name: 'audit checkpoint',
  summary: 'Write the head of the journal, to keep on another machine',
  description: `Segment, number of lines, bytes and hash of the last line, time and operator, as JSON. It has no amounts and no keys. Keep it where nobody who uses this machine can change it. Checks the active segment first.\n\n${WHAT_IT_PROVES}`,
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
    const report = await audit.verify({ activeOnly: true });
    const found = findingOf(report, audit.path);
    if (found !== undefined) throw found;
    const { head } = report;
    if (head === undefined)
      throw new ConditionError({
        code: 'empty_journal',
        what: 'The journal is empty: nothing was sent from this machine.',
        hint: 'Make a checkpoint after the first action.',
      });
    const at = new Date(context.clock.now()).toISOString();
    const { segment, lines, bytes, hash } = head;
    const checkpoint = checkpointOf({
      segment,
      lines,
      bytes,
      hash,
      at,
      operator: operatorInFull(await context.operator()),
    });
    if (to !== undefined) writeTo(to, checkpoint);
    const { zone } = await context.profileContext();
    return { value: { checkpoint, to, chained: report.chained }, zone };
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
    'Name a file that hedge audit checkpoint wrote.',
  );
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

/** Undefined when nothing that was read has changed. */
function findingOf(report: AuditReport, path: string): HedgeError | undefined {
  const { changes, changeCount, comparison } = report;
  const [first] = changes;
  if (verdictOf(report) === 'changed') {
    const found =
      first === undefined ? comparison && comparisonInWords(comparison, report) : changeInWords(first);
    return new ConditionError({
      code: 'journal_changed',
      what: `The journal was changed. ${found ?? ''}`,
      book: 'hedge did not write it so: its amounts, keys and outcomes may be false.',
      hint: `To stop opens and adds: hedge halt "audit"\nKeep a copy of ${path} as it is. Compare it with a backup, hedge hedges and hedge history.`,
      details: { first: first ?? null, changes: changeCount, checkpoint: comparison?.result ?? null },
    });
  }
  if (comparison?.result !== 'not_read') return undefined;
  return new DamagedFileError(path, {
    what: `The checkpoint was not compared: its segment ${comparison.checkpoint.segment} is archived and was not read.`,
    book: 'Nothing was changed.',
    hint: 'Name the folder it was moved to: --archive DIR',
  });
}

export const audit: CommandGroup = {
  name: 'audit',
  summary: 'Verify that nobody changed the journal',
  commands: [auditVerify, auditCheckpoint],
};
