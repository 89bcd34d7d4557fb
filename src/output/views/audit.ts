/** The result of an audit of the journal, and a checkpoint: as screens and as documents. */

import {
  type AuditedSegment,
  type AuditReport,
  type CheckpointComparison,
  verdictOf,
} from '../../journal/audit-report.ts';
import type { Checkpoint } from '../../journal/checkpoint.ts';
import { timeInWords } from '../../journal/describe.ts';
import { changeInWords } from '../../journal/follow-chain.ts';
import { type Block, type Cell, hintText, line, message, text, verbatimLines } from '../blocks.ts';

export interface AuditResult {
  report: AuditReport;
  /** Of the journal. */
  path: string;
  /** The folder for archived segments that was named. */
  archive?: string | undefined;
  durationMs: number;
}

/** `made`: the time of the checkpoint in words. */
export function comparisonInWords(
  { checkpoint, result, changedBefore }: CheckpointComparison,
  { head }: Pick<AuditReport, 'head'>,
  made = timeInWords(checkpoint.at),
): string {
  const { segment, lines } = checkpoint;
  const place = `line ${lines.toString()} of ${segment}`;
  switch (result) {
    case 'continued':
      return changedBefore
        ? `The last line of the checkpoint of ${made} is there (${place}), but lines before it were changed.`
        : `The journal continues the checkpoint of ${made} (${place}).`;
    case 'cut_off':
      return `Its end was removed: the checkpoint of ${made} has ${place}, and the journal ends at ${head === undefined ? 'its beginning' : `line ${head.lines.toString()} of ${head.segment}`}.`;
    case 'rewritten':
      return `It was written again: ${place} is not the line of the checkpoint of ${made}.`;
    case 'not_read':
      return `Not compared with the checkpoint of ${made}: ${segment} is archived and was not read.`;
    default:
      return result satisfies never;
  }
}

/** The time is a cell of its own, so that it is in the profile's zone. */
function viewComparison(comparison: CheckpointComparison, report: AuditReport): Block {
  const { checkpoint, result, changedBefore } = comparison;
  const tone = result === 'continued' && !changedBefore ? 'good' : 'bad';
  const [before = '', after = ''] = comparisonInWords(comparison, report, TIME).split(` ${TIME}`);
  return line(
    message(before, tone),
    { kind: 'time', at: checkpoint.at, style: 'second' },
    message(after.trimStart(), tone),
  );
}

const TIME = '\0';

const grouped = (count: number): string => count.toString().replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
/** `1 line`, `59,387 bytes` */
export const counted = (count: number, word: string): string =>
  `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;

const readOf = ({ segments }: AuditReport) => {
  const read = segments.filter(({ state }) => state === 'read');
  const sum = (figure: (segment: AuditedSegment) => number): number =>
    read.reduce((total, segment) => total + figure(segment), 0);
  return {
    segments: read.length,
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    from: read.map(({ from }) => from).find((at) => at !== null) ?? null,
    to: read.map(({ to }) => to).findLast((at) => at !== null) ?? null,
  };
};

export function viewAudit({ report, path, archive, durationMs }: AuditResult): readonly Block[] {
  const { changes, changeCount, cutLines, cutCount, head, comparison } = report;
  const read = readOf(report);
  const took = `${(durationMs / 1_000).toFixed(1)} s`;
  return [
    headline(report),
    ...changes.map((change): Block => line(message(changeInWords(change), 'bad'))),
    ...(changeCount > changes.length
      ? [line(text(`${grouped(changeCount - changes.length)} more places do not fit.`, 'bad'))]
      : []),
    ...cutLines.map(
      (cut): Block =>
        line(
          message(
            `Line ${cut.line.toString()} of ${cut.segment} was cut by a crash. This is damage, not a change; nothing was sent for it.`,
            'warn',
          ),
        ),
    ),
    ...(cutCount > cutLines.length
      ? [line(text(`${grouped(cutCount - cutLines.length)} more lines were cut.`, 'warn'))]
      : []),
    ...notReadLines(report, archive),
    ...(comparison === undefined ? [] : [viewComparison(comparison, report)]),
    {
      kind: 'pairs',
      pairs: [
        { name: 'Journal', value: [text(path)] },
        {
          name: 'Read',
          value: [
            text(
              `${report.chained ? `${counted(read.segments, 'segment')}, ` : ''}${counted(read.lines, 'line')}, ${counted(read.bytes, 'byte')}, in ${took}`,
            ),
          ],
        },
        ...(read.from === null ? [] : [{ name: 'From', value: [time(read.from)] }]),
        ...(read.to === null ? [] : [{ name: 'To', value: [time(read.to)] }]),
        ...(head === undefined
          ? []
          : [
              { name: 'Head', value: [text(`${head.segment}, line ${grouped(head.lines)}`)] },
              { name: report.chained ? 'Hash' : 'SHA-256', value: [text(head.hash)] },
            ]),
      ],
    },
    ...(comparison === undefined && changeCount === 0 && report.chained
      ? [
          line(
            hintText(
              'Without --checkpoint a removed end and a chain that was made again do not show: hedge help audit',
              'dim',
            ),
          ),
        ]
      : []),
  ];
}

const time = (at: string): Cell => ({ kind: 'time', at });

function headline(report: AuditReport): Block {
  const { segments, changeCount, head } = report;
  if (head === undefined && segments.length === 0 && changeCount === 0)
    return line(text('The journal is empty: nothing was sent from this machine.'));
  switch (verdictOf(report)) {
    case 'changed':
      return line(
        text('CHANGED', 'bad'),
        text(changeCount === 0 ? '' : `: ${counted(changeCount, 'place')} in the journal.`),
      );
    case 'no_chain':
      return line(
        text('NO CHAIN', 'warn'),
        text(
          ': an earlier version of hedge wrote this journal, and changes in it do not show. The chain begins with the next action.',
        ),
      );
    case 'partly_unchanged':
      return line(
        text('UNCHANGED', 'good'),
        text(': no line was edited, removed, inserted or moved in what was read.'),
      );
    case 'unchanged':
      return line(text('UNCHANGED', 'good'), text(': no line was edited, removed, inserted or moved.'));
    default:
      return line();
  }
}

function notReadLines({ segments }: AuditReport, archive: string | undefined): readonly Block[] {
  const left = segments.filter(({ state }) => state === 'not_read');
  if (left.length === 0) return [];
  const lines = left.reduce((sum, segment) => sum + segment.lines, 0);
  const names = left.map(({ name }) => name);
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const which = names.length === 1 ? first : `${first} to ${last}`;
  const folders = [...new Set(left.flatMap(({ folder }) => folder ?? []))].join(', ');
  return [
    line(
      hintText(
        `Not read: ${counted(left.length, 'archived segment')} with ${counted(lines, 'line')}, ${which}, moved to ${folders}${archive === undefined ? '' : ` and not found in ${archive}`}. To read them: --archive DIR`,
        'warn',
      ),
    ),
  ];
}

export function auditDocument({ report, path, durationMs }: AuditResult): unknown {
  const { chained, segments, changes, changeCount, cutLines, cutCount, head, comparison } = report;
  return {
    verdict: verdictOf(report),
    chained,
    path,
    checked: { ...readOf(report), duration_ms: durationMs },
    head: head ?? null,
    changes: changes.map((change) => ({ ...change, line: change.line ?? null })),
    changes_found: changeCount,
    damage: cutLines.map((cut) => ({ ...cut, how: 'cut_by_a_crash' })),
    damage_found: cutCount,
    checkpoint:
      comparison === undefined
        ? null
        : {
            result: comparison.result,
            changed_before: comparison.changedBefore,
            ...comparison.checkpoint,
          },
    not_read: segments.filter(({ state }) => state === 'not_read').map(({ name }) => name),
    segments: segments.map((segment) => ({ ...segment, folder: segment.folder ?? null })),
  };
}

export interface WrittenCheckpoint {
  checkpoint: Checkpoint;
  /** Undefined: to standard output. */
  to: string | undefined;
  chained: boolean;
}

export function viewCheckpoint({ checkpoint, to, chained }: WrittenCheckpoint): readonly Block[] {
  if (to === undefined) return verbatimLines(JSON.stringify(checkpoint, null, 2));
  const { segment, lines, hash } = checkpoint;
  return [
    line(text(`Written to ${to}.`, 'good'), text('Keep a copy on another machine.')),
    {
      kind: 'pairs',
      pairs: [
        { name: 'Head', value: [text(`${segment}, line ${grouped(lines)}`)] },
        { name: chained ? 'Hash' : 'SHA-256', value: [text(hash)] },
      ],
    },
    line(hintText('To compare later: hedge audit verify --checkpoint FILE', 'dim')),
  ];
}
