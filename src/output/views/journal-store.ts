/** Backup, export, import and repair of the journal, and a loss that was accepted: as screens and as documents. */
import { counted } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { type Sentence } from '../../errors.ts';
import type { ImportResult } from '../../journal/import/import-journal.ts';
import type { AcceptedLoss, Loss } from '../../journal/store/accept-loss.ts';
import type { Backup } from '../../journal/store/backup.ts';
import type { RepairedFile, RepairResult } from '../../journal/store/repair.ts';
import type { Head } from '../../journal/store/witness.ts';
import type {
  AcceptedLossDocument,
  BackupDocument,
  JournalExportDocument,
  JournalImportDocument,
  JournalRepairDocument,
} from '../../schema/journal-document.ts';
import { type Block, hintLine, line, messageLine, pairs, type View } from '../blocks.ts';
import { hintCell, message, text, type Words } from '../cells.ts';

const pair = (name: string, value: string) => ({ name, value: [message(value)] });
const headPairs = (head: Head | undefined) =>
  head === undefined || head.seq === 0
    ? []
    : [pair('Head', `record ${head.seq}`), { name: 'Hash', value: [text(head.hash)] }];

const HALTED: Block = line(
  text('HALTED', 'warn'),
  hintCell(
    say`Opens and adds are blocked. Compare ${shell`hedge hedges`} and ${shell`hedge positions`} with ${shell`hedge journal`}. Then: ${shell`hedge unhalt`}`,
  ),
);

export const viewBackup = (copy: Backup | undefined): View =>
  copy !== undefined && [
    line(text('Copied', 'good'), `${counted(copy.head.seq, 'record')} to`, message(copy.path)),
    pairs(headPairs(copy.head)),
    hintLine(say`To restore it: ${shell`hedge help recovery`}`),
  ];

export const backupDocument = (copy: Backup | undefined): BackupDocument =>
  copy === undefined ? null : { path: copy.path, records: copy.head.seq, head: copy.head };

export interface ExportView {
  /** The whole path. */
  path: string;
  records: number;
  /** The last record; undefined when there is none. */
  head: Head | undefined;
}

export const viewExport = (written: ExportView | undefined): View =>
  written !== undefined && [
    line(text('Written', 'good'), `${counted(written.records, 'record')} to`, message(written.path)),
    pairs(headPairs(written.head)),
    hintLine(say`To check it, here or on another machine: ${shell`hedge audit verify FILE`}`),
  ];

export const exportDocument = (written: ExportView | undefined): JournalExportDocument =>
  written === undefined ? null : { path: written.path, records: written.records, head: written.head ?? null };

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
    damageCount > 0 && HALTED,
    isRewound &&
      line(
        hintCell(
          say`It lacks records that were written here. To accept it: ${shell`hedge journal accept-loss --note TEXT`}`,
          'bad',
        ),
      ),
  ];
}

export const importDocument = (view: ImportView): JournalImportDocument => ({
  imported: view.isNew,
  files: view.files,
  records: view.records,
  actions: view.actions,
  unresolved: view.unresolved,
  unreadable_lines: view.damageCount,
  unreadable: view.damage,
  halts: view.halts,
  rewound: view.isRewound,
  renamed: view.renamed,
});

export function viewRepair({ files, drained }: RepairResult): View {
  const taken = `${counted(drained, 'pending record')} taken into the journal.`;
  if (files.length === 0)
    return line(drained === 0 ? 'Nothing to repair: every record is what was written.' : taken);
  return [files.flatMap(viewRepaired), drained !== 0 && line(taken), HALTED];
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
  ids.length > 0 && line(hintCell(what, 'warn'), joined(ids));

const joined = (ids: readonly string[]): Words =>
  ids.map((id, index) => text(index === ids.length - 1 ? id : `${id},`));

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
    {
      name: 'Expected',
      value: [text(witness === undefined ? 'not known' : `record ${witness.seq}, ${witness.hash}`)],
    },
    {
      name: 'Found',
      value: [text(head.seq === 0 ? 'no record' : `record ${head.seq}, ${head.hash}`)],
    },
  ),
];

type Accepted = ({ loss: Loss } & AcceptedLoss) | undefined;

export const viewAccepted = (accepted: Accepted): View =>
  accepted === undefined
    ? line(
        'Nothing to accept: the journal has every record that was written on this machine, as far as its witness says.',
      )
    : [
        line(text('Accepted.', 'strong'), 'The loss is recorded, and the journal goes on from here.'),
        actionsLine('No intent is left of', accepted.withoutIntent),
        HALTED,
      ];

export const acceptedDocument = (accepted: Accepted): AcceptedLossDocument => ({
  accepted: accepted !== undefined,
  found: accepted?.loss.trouble.what ?? null,
  expected: accepted?.loss.witness ?? null,
  head: accepted?.head ?? null,
  without_intent: accepted?.withoutIntent ?? [],
});
