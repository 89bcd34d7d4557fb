/** The preview that the operator of `hedge deals run` confirms. */
import type { DealsFile } from '../../args/deals-file.ts';
import { shell } from '../../domain/hint.ts';
import type { EndedDeal } from '../../runs/deals/deal.ts';
import type { AccountLeft, SideTotal } from '../../runs/simulate-batch.ts';
import { dimLine, line, type View, warnLine } from '../blocks.ts';
import { message, nameText, text } from '../cells.ts';
import { andMore } from '../hint-blocks.ts';
import { leftLine } from './batch.ts';
import { MOST_NAMED, nairaLines, remarksOn, sidesTable } from './deals.ts';

export interface DealsPreview {
  file: DealsFile;
  ends: readonly EndedDeal[];
  sides: readonly SideTotal[];
  left: AccountLeft | undefined;
  /** How many rows are to be sent. */
  toRun: number;
  quotes: { asked: number; estimated: boolean };
}

export function viewDealsPreview({ file, ends, sides, left, toRun, quotes }: DealsPreview): View {
  const skipped = ends.filter(({ outcome }) => outcome === 'skipped');
  const unresolved = ends.filter((end) => end.report?.entry !== undefined && end.report.effect === 'unknown');
  const sentBefore = ends.length - toRun;
  const codes = [
    ...new Set(ends.flatMap(({ report }) => report?.warnings ?? []).map(({ message: each }) => each)),
  ];
  return [
    line(
      text(`OPEN ${toRun === 1 ? '1 deal' : `${toRun} deals`}`, 'strong'),
      'of',
      nameText(file.path),
      sentBefore !== 0 && `; ${sentBefore} sent before`,
    ),
    remarksOn(file),
    sides.length > 0 && [sidesTable(sides, 'TO OPEN'), left !== undefined && leftLine(left)],
    nairaLines(ends.filter(({ outcome }) => outcome === 'planned')),
    skipped.length > 0 &&
      line(
        text(
          `${skipped.length === 1 ? '1 row is' : `${skipped.length} rows are`} beyond the price limit now, not in these totals, and skipped unless the price gets better:`,
          'warn',
        ),
        nameText(skippedByName(skipped)),
      ),
    unresolved.length > 0 &&
      warnLine(
        `${unresolved.length === 1 ? '1 row has' : `${unresolved.length} rows have`} an unknown outcome: sent again with the same key, which executes once.`,
      ),
    codes.slice(0, MOST_NAMED).map((each) => line(text('Warning:', 'warn'), message(each))),
    codes.length > MOST_NAMED && andMore(codes.length - MOST_NAMED, shell`hedge deals check`, ' warnings'),
    dimLine(quotedInWords(quotes)),
  ];
}

const quotedInWords = ({ asked, estimated }: DealsPreview['quotes']): string =>
  `${estimated ? `Estimated from ${asked} quotes` : 'As quoted now'}. Each row is quoted again before it is sent; without a price limit, more than 10 bps worse stops the run.`;

/** `line 3 PAY-3, line 5 PAY-5 and 2 more` */
function skippedByName(rows: readonly EndedDeal[]): string {
  const named = rows
    .slice(0, MOST_NAMED)
    .map(({ line: at, intent }) => `line ${at} ${intent.dealId ?? ''}`)
    .join(', ');
  return rows.length > MOST_NAMED ? `${named} and ${rows.length - MOST_NAMED} more` : named;
}
