/** Backup, export, import and repair of the journal, and a loss that was accepted: as screens and as documents. */
import { counted } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import type { Sentence } from '../../errors.ts';
import type { ImportResult } from '../../journal/import/import-journal.ts';
import type { Loss, LossAccepted } from '../../journal/store/accept-loss.ts';
import type { Backup } from '../../journal/store/backup.ts';
import type { JournalHead } from '../../journal/store/record-rows.ts';
import type { RepairedFile, RepairResult } from '../../journal/store/repair.ts';
import type {
  AcceptedLossDocument,
  BackupDocument,
  JournalExportDocument,
  JournalImportDocument,
  JournalRepairDocument,
} from '../../schema/journal-document.ts';
import { type Block, hintLine, line, messageLine, type Pair, pair, pairs, type View } from '../blocks.ts';
import { hintCell, message, type Parts, text } from '../cells.ts';
import { pickOrNull } from '../record-table.ts';
import { haltedToCompare } from './halt.ts';

const headPairs = (head: JournalHead | undefined): Parts<Pair> =>
  head !== undefined && head.seq > 0 && [pair('Head', `record ${head.seq}`), pair('Hash', head.hash)];

const viewFile = (done: string, { records, path, head }: ExportView, next: Sentence): View => [
  line(text(done, 'good'), `${counted(records, 'record')} to`, message(path)),
  pairs(headPairs(head)),
  hintLine(next),
];

export const viewBackup = (copy: Backup | undefined): View =>
  copy &&
  viewFile('Copied', { ...copy, records: copy.head.seq }, say`To restore it: ${shell`hedge help recovery`}`);

export const backupDocument = (copy: Backup | undefined): BackupDocument =>
  copy ? { path: copy.path, records: copy.head.seq, head: copy.head } : null;

export interface ExportView {
  /** The whole path. */
  path: string;
  records: number;
  /** The last record; undefined when there is none. */
  head: JournalHead | undefined;
}

export const viewExport = (written: ExportView | undefined): View =>
  written &&
  viewFile(
    'Written',
    written,
    say`To check it, here or on another machine: ${shell`hedge audit verify FILE`}`,
  );

export const exportDocument = (written: ExportView | undefined): JournalExportDocument =>
  written ? pickOrNull(written, ['path', 'records', 'head']) : null;

interface ImportView extends ImportResult {
  /** Actions with an unknown outcome, and halts in force, in the journal now. */
  unresolved: number;
  halts: number;
}

export function viewImport(view: ImportView): View {
  const { isNew, files, records, actions, unresolved, damage, damageCount, halts, isRewound, renamed } = view;
  return [
    line(
      text(isNew ? 'Imported' : 'Already imported:', 'good'),
      `${counted(records, 'record')}, ${counted(actions, 'action')}, from`,
      message(files.join(', ')),
    ),
    pairs(
      pair('Unknown outcomes', unresolved === 0 ? 'none' : `${unresolved}: hedge check`),
      pair('Unreadable lines', damageCount === 0 ? 'none' : `${damageCount}, kept`),
      pair('Halts in force', halts === 0 ? 'none' : `${halts}: hedge journal halts`),
    ),
    damage.map((each): Block => messageLine(`Line ${each.line} of ${each.file} ${each.how}.`, 'warn')),
    renamed.map((path): Block => line(text('Renamed to', 'dim'), message(path))),
    damageCount > 0 && haltedToCompare(),
    isRewound &&
      hintLine(
        say`It may lack records that were written here. To accept that: ${shell`hedge journal accept-loss --note TEXT`}`,
        'bad',
      ),
  ];
}

export const importDocument = (view: ImportView): JournalImportDocument => ({
  imported: view.isNew,
  ...pickOrNull(view, ['files', 'records', 'actions', 'unresolved']),
  unreadable_lines: view.damageCount,
  unreadable: view.damage,
  halts: view.halts,
  rewound: view.isRewound,
  renamed: view.renamed,
});

export function viewRepair({ files, drained }: RepairResult): View {
  const taken = `${counted(drained, 'pending record')} taken into the journal.`;
  if (files.length === 0)
    return line(drained === 0 ? 'Nothing to repair: every record in it is what was written.' : taken);
  return [files.flatMap(viewRepaired), drained !== 0 && line(taken), haltedToCompare()];
}

const viewRepaired = (file: RepairedFile): View => [
  line(text('REPAIRED', 'warn'), message(`${file.why}.`)),
  line(`Now ${counted(file.records, 'record')}. Found:`, message(file.found)),
  line('The damaged file was put aside:'),
  { kind: 'verbatim', text: file.aside },
  actionsLine('No intent is left of', file.withoutIntent),
  actionsLine(say`Unknown now, look them up with ${shell`hedge check`}:`, file.maybeSent),
];

const actionsLine = (what: Sentence, ids: readonly string[]): View =>
  ids.length > 0 &&
  line(
    hintCell(what, 'warn'),
    ids.map((id, index) => text(index === ids.length - 1 ? id : `${id},`)),
  );

export const repairDocument = ({ files, drained }: RepairResult): JournalRepairDocument => ({
  repaired: files.map((file) => ({
    put_aside: file.aside,
    found: file.found,
    result: file.why,
    records: file.records,
    missing: file.missing ?? null,
    without_intent: file.withoutIntent,
    maybe_sent: file.maybeSent,
  })),
  pending_taken: drained,
});

/** The loss, before the question. */
export const viewLoss = ({ trouble, witness, head }: Loss): View => [
  messageLine(trouble.what, 'bad'),
  pairs(
    pair('Expected', witness === undefined ? 'not known' : `record ${witness.seq}, ${witness.hash}`),
    pair('Found', head.seq === 0 ? 'no record' : `record ${head.seq}, ${head.hash}`),
  ),
];

type Accepted = ({ loss: Loss } & LossAccepted) | undefined;

export const viewAccepted = (accepted: Accepted): View =>
  accepted === undefined
    ? line(
        'Nothing to accept: the journal has every record that was written on this machine, as far as its witness says.',
      )
    : [
        line(text('Accepted.', 'strong'), 'The loss is recorded, and the journal goes on from here.'),
        actionsLine('No intent is left of', accepted.withoutIntent),
        haltedToCompare(),
      ];

export const acceptedDocument = (accepted: Accepted): AcceptedLossDocument => ({
  accepted: accepted !== undefined,
  found: accepted?.loss.trouble.what ?? null,
  expected: accepted?.loss.witness ?? null,
  head: accepted?.head ?? null,
  without_intent: accepted?.withoutIntent ?? [],
});
