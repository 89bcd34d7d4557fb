/** The result of an audit of the journal, and a checkpoint: as screens and as documents. */

import { counted, groupedCount } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import {
  type AuditReport,
  type AuditVerdict,
  type CheckpointComparison,
  changeInWords,
  comparisonInWords,
  type LogComparison,
  type OwnReport,
  verdictOf,
} from '../../journal/audit-report.ts';
import type { Checkpoint } from '../../journal/checkpoint.ts';
import type { JournalHead } from '../../journal/store/record-rows.ts';
import type { AuditDocument } from '../../schema/journal-document.ts';
import { hintLine, line, messageLine, type Pair, pair, pairs, type View, verbatimLines } from '../blocks.ts';
import { message, type Parts, partsIn, text } from '../cells.ts';
import { time } from './record-columns.ts';

export interface AuditResult {
  report: AuditReport;
  /** Path of the journal, or of an export or backup. */
  path: string;
  isExport: boolean;
  durationMs: number;
  /** Set with a desk only. */
  log?: LogComparison | undefined;
  /** This machine's own journal; set with a desk only. */
  own?: OwnReport | undefined;
}

/** The time is a cell of its own, so that it is in the profile's zone. */
function viewComparison(comparison: CheckpointComparison, report: AuditReport): View {
  const { checkpoint, result, changedBefore } = comparison;
  const tone = result === 'continued' && !changedBefore ? 'good' : 'bad';
  const [before = '', after = ''] = comparisonInWords(comparison, report, TIME).split(` ${TIME}`);
  return line(message(before, tone), time(checkpoint.at), message(after.trimStart(), tone));
}

const TIME = '\0';

export function viewAudit({ report, path, isExport, durationMs, log, own }: AuditResult): View {
  const { changes, changeCount, rewound, damage, pending, losses, head, comparison, first } = report;
  const took = `${(durationMs / 1_000).toFixed(1)} s`;
  const beginning = first > 1 ? ` from record ${groupedCount(first)} on` : '';
  return [
    headline(report, own?.report),
    changes.map((change) => messageLine(changeInWords(change), 'bad')),
    changeCount > changes.length &&
      line(text(`${groupedCount(changeCount - changes.length)} more places do not fit.`, 'bad')),
    partsIn([rewound, damage]).map((each) => messageLine(each, 'bad')),
    partsIn([own && wrongIn(own.report)]).map((each) =>
      messageLine(`In this machine's own journal: ${each}`, 'bad'),
    ),
    comparison !== undefined && viewComparison(comparison, report),
    losses.map(({ seq, at, who }) => {
      const accepted = message(`Record ${seq}: ${who} accepted on`, 'warn');
      return line(accepted, time(at), text('that records may be lost.', 'warn'));
    }),
    pairs(
      pair(isExport ? 'File' : 'Journal', path),
      pair('Read', `${counted(report.records, 'record')}${beginning}, in ${took}`),
      report.from !== null && pair('From', time(report.from)),
      report.to !== null && pair('To', time(report.to)),
      head && headPairs(head),
      log && logPair(log),
      own && pair('Own journal', `${own.path}, ${counted(own.report.records, 'record')}`),
      pending !== 0 && pair('Pending', `${counted(pending, 'record')} in pending.sqlite`),
    ),
    comparison === undefined &&
      verdictOf(report) === 'unchanged' &&
      head !== undefined &&
      hintLine(
        say`Without --checkpoint ${isExport ? 'a removed end' : 'a whole folder that was put back'} and a chain that was made again do not show: ${shell`hedge help audit`}`,
      ),
  ];
}

const logPair = ({ desk, records, trouble }: LogComparison): Pair =>
  pair(
    'Log',
    records === undefined
      ? message(trouble?.what ?? '', 'bad')
      : `the same in the log of desk ${desk}: ${counted(records, 'record')}`,
  );

/** The first of them. */
const wrongIn = ({ changes: [change], rewound, damage }: AuditReport): string | undefined =>
  change === undefined ? (rewound ?? damage[0]) : changeInWords(change);

const worstOf = (...reports: readonly AuditReport[]): AuditVerdict => {
  const verdicts = reports.map(verdictOf);
  return (['changed', 'damaged'] as const).find((each) => verdicts.includes(each)) ?? 'unchanged';
};

function headline(report: AuditReport, own = report): View {
  const both = own === report ? [report] : [report, own];
  const changeCount = both.reduce((sum, each) => sum + each.changeCount, 0);
  const damage = both.flatMap((each) => each.damage);
  const { head } = report;
  const verdict = worstOf(report, own);
  if (verdict === 'changed')
    return line(text('CHANGED', 'bad'), changeCount !== 0 && `: ${counted(changeCount, 'place')}.`);
  const faults = `: ${counted(damage.length, 'fault')}. No change was found in what was read.`;
  if (verdict === 'damaged') return line(text('DAMAGED', 'bad'), faults);
  if (head === undefined) return line('The journal is empty: nothing was sent from this machine.');
  return line(text('UNCHANGED', 'good'), ': no record was edited, removed, inserted or moved.');
}

const headPairs = ({ seq, hash }: JournalHead): Parts<Pair> => [
  pair('Head', `record ${groupedCount(seq)}`),
  pair('Hash', hash),
];

export function auditDocument({ report, path, isExport, durationMs, log, own }: AuditResult): AuditDocument {
  const { records, first, bytes, from, to, head, changes, changeCount, comparison } = report;
  const { rewound, damage, pending, losses } = report;
  return {
    verdict: worstOf(report, own?.report ?? report),
    path,
    is_export: isExport,
    checked: { records, first, bytes, from, to, duration_ms: durationMs },
    head: head ?? null,
    changes: changes.map((change) => ({ ...change, seq: change.seq ?? null, id: change.id ?? null })),
    changes_found: changeCount,
    rewound: rewound ?? null,
    damage,
    pending,
    losses,
    ...(log && {
      log: { desk: log.desk, compared: log.records ?? null, trouble: log.trouble?.what ?? null },
    }),
    ...(own && {
      own_journal: {
        verdict: verdictOf(own.report),
        path: own.path,
        records: own.report.records,
        head: own.report.head ?? null,
        changes_found: own.report.changeCount,
        first_fault: wrongIn(own.report) ?? null,
      },
    }),
    checkpoint: comparison
      ? { result: comparison.result, changed_before: comparison.changedBefore, ...comparison.checkpoint }
      : null,
  };
}

export interface WrittenCheckpoint {
  checkpoint: Checkpoint;
  /** Undefined: to standard output. */
  to: string | undefined;
}

export function viewCheckpoint({ checkpoint, to }: WrittenCheckpoint): View {
  if (to === undefined) return verbatimLines(JSON.stringify(checkpoint, null, 2));
  return [
    line(text(`Written to ${to}.`, 'good'), 'Keep a copy on another machine.'),
    pairs(headPairs(checkpoint)),
    hintLine(say`To compare later: ${shell`hedge audit verify --checkpoint FILE`}`),
  ];
}
