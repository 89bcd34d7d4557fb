/** P&L of a period: the bridge of net asset value in parts, the hedges or groups, and missing figures. */
import type { Big } from 'big.js';
import { type DealPnl, isEstimated, isWithoutChange } from '../../domain/deal-pnl.ts';
import { counted, someOf } from '../../domain/exposure.ts';
import { optionWords, say, shell } from '../../domain/hint.ts';
import { durationInWords, HOUR_MS, instantText, isoSeconds } from '../../domain/instants.ts';
import { totalValue } from '../../domain/net-asset-value.ts';
import { NO_PNL, netPnl } from '../../domain/pnl-parts.ts';
import type { PeriodEnd, ReportReading } from '../../readings/read-report.ts';
import { dimLine, gap, hintLine, line, messageLine, phraseLine, type View, warnLine } from '../blocks.ts';
import { type Cell, dimPhrase, hintCell, nameText, phrase, text, type Words, warnPhrase } from '../cells.ts';
import { cents, minute, signedCents, signedIn, usd } from './record-columns.ts';
import { daysShown, groupBlock, hasPartial, isOneSided, PART_NAMES, shownParts } from './report-document.ts';
import { AT_PAR, readingNotes } from './snapshot.ts';

export function viewReport(report: ReportReading, page: string | undefined): View {
  const { trouble } = report;
  return [
    periodLine(report),
    [report.from, ...(report.endsNow ? [] : [report.to])].map((end) => passedLine(end, report)),
    earlyLines(report),
    trouble?.kind === 'desk' && messageLine(`Figures may be incomplete: ${trouble.what}`, 'warn'),
    partialLine(report),
    gap,
    bridgeTable(report),
    feesLine(report),
    unsplitLine(report),
    gap,
    groupBlock(report),
    report.intent.by === 'day' && dayLines(report),
    missingLines(report),
    readingNotes(report.account),
    page !== undefined && line('Page written to', nameText(page), '.'),
    hintLine(say`${AT_PAR} Rounded half up; full precision: --json. More: ${shell`hedge help books`}`),
  ];
}

/** Hedges whose price P&L is in one figure. */
function unsplitLine({ deals }: ReportReading): View {
  const unsplit = deals.filter(({ realized, unrealized }) =>
    [realized, unrealized].some((parts) => parts !== undefined && !cents(parts.price_usd).eq(0)),
  );
  const ids = unsplit.map(({ deal: { dealId, hedgeId } }) => dealId ?? hedgeId);
  if (ids.length === 0) return [];
  return line(
    dimPhrase`Price not split: ${nameText(`${someOf(ids)}.`)} A quote at a fill is not known here (as of an order that was sent again), or somebody else changed it.`,
  );
}

/** `From the snapshot of Fri 31 Oct 18:00 (nearest to Sat 1 Nov 00:00) to now, Tue 24 Nov 21:10.` */
const periodLine = ({ from, to, endsNow }: ReportReading): View =>
  phraseLine`From ${readingOf(from)} ${minute(from.ms)} ${askedFor(from)} to ${endsNow ? 'now,' : readingOf(to)} ${minute(to.ms)} ${askedFor(to)}.`;

const readingOf = ({ snapshot }: PeriodEnd): string => (snapshot === undefined ? '' : 'the snapshot of');

/** A reading closer than this is as good as one of the time asked for. */
const CLOSE_MS = 3 * HOUR_MS;

/** `18 h before Tue 1 Dec 00:00`. */
const offInWords = ({ ms, askedMs }: PeriodEnd): string =>
  `${durationInWords(Math.abs(ms - askedMs))} ${ms < askedMs ? 'before' : 'after'}`;

const askedFor = (end: PeriodEnd): Words => {
  const { ms, askedMs, snapshot, passedOver } = end;
  if (ms === askedMs || snapshot === undefined || passedOver !== undefined) return false;
  return Math.abs(ms - askedMs) > CLOSE_MS
    ? phrase`(the nearest, ${offInWords(end)} ${minute(askedMs)})`
    : phrase`(nearest to ${minute(askedMs)})`;
};

/** `The period begins 18 h before Tue 1 Dec 00:00. The snapshot of Tue 1 Dec 06:00 is nearer, but …` */
function passedLine(end: PeriodEnd, { from }: ReportReading): View {
  const { askedMs, snapshot, passedOver } = end;
  if (snapshot === undefined || passedOver === undefined) return false;
  const why =
    passedOver.why === 'unsteady'
      ? 'an order was being filled while it was taken.'
      : end === from
        ? 'was taken after a hedge changed: this report would lack that change.'
        : 'was taken after a hedge changed: that change belongs to the next report.';
  return phraseLine`The period ${end === from ? 'begins' : 'ends'} ${offInWords(end)} ${minute(askedMs)}. The snapshot of ${minute(passedOver.ms)} is nearer, but ${why}`;
}

function feesLine({ total, groups }: ReportReading): View {
  const fees = [total, ...groups].flatMap(({ unrealized, lacksChange }) =>
    unrealized === undefined || lacksChange ? [] : cents(unrealized.fees_usdc),
  );
  if (fees.every((each) => each.eq(0))) return false;
  return [
    dimLine('Unrealized fees are those to close hedges that are still open.'),
    fees.some((each) => each.gt(0)) &&
      dimLine(
        'Fees are positive where a fee to close that the opening counted fell away: the hedge was closed, reduced or settled.',
      ),
  ];
}

function dayLines({ days, to, endsFar }: ReportReading): View {
  const last = days.at(-1);
  const hidden = days.length - daysShown(days).length;
  return [
    hidden > 0 &&
      dimLine(`Not shown: ${counted(hidden, 'day')} before the first snapshot and the first hedge.`),
    dimLine(
      'A day ends with the snapshot nearest to its midnight; what was realized after it is in the next day.',
    ),
    endsFar &&
      last !== undefined &&
      line(
        warnPhrase`${last.name} ends at ${minute(to.ms)}, the last snapshot of the period, and not near its midnight: another report may have more of that day.`,
      ),
  ];
}

/** Another report of the time between may have the same figures, or lack them too. */
const earlyLines = ({ intent, from, to, until, realizedEarly, isSplitByDay }: ReportReading): View => [
  !realizedEarly.from.eq(0) && [
    line(
      warnPhrase`Realized before ${minute(from.askedMs)} and in this report:`,
      signedIn('USDC', cents(realizedEarly.from)),
      '.',
    ),
    isSplitByDay &&
      intent.by !== 'day' &&
      hintLine(
        say`By day: ${shell`hedge report --since ${instantText(from.ms)} ${optionWords('--until', until)} --by day`}`,
      ),
  ],
  !realizedEarly.to.eq(0) &&
    line(
      warnPhrase`Realized before ${minute(to.askedMs)} and not in this report, but in the next one:`,
      signedIn('USDC', cents(realizedEarly.to)),
      '.',
    ),
];

const valueRow = (name: string, of: Big): readonly Cell[] => [
  text(name, 'strong'),
  text(''),
  text(''),
  usd(cents(of), undefined, 'strong'),
];

/** Above the figures, which a reader may take for all. */
function partialLine(report: ReportReading): View {
  if (!isOneSided(report, report.total))
    return hasPartial(report) && warnLine('Partial: a row has no net where figures of it are not known.');
  const { from, to, deals } = report;
  const lacking = deals.filter(({ unrealized }) => unrealized === undefined);
  const isAtStart = from.snapshot === undefined && lacking.some(({ deal }) => deal.openedMs < from.ms);
  const end = isAtStart || to.snapshot !== undefined ? from : to;
  return line(
    warnPhrase`Partial, only what was realized: the unrealized P&L of ${counted(lacking.length, 'hedge')} is not known, because no snapshot is near ${minute(end.askedMs)}. The change and the total are not shown.`,
  );
}

function bridgeTable(report: ReportReading): View {
  const { from, to, bridge, book, total } = report;
  const { realized, parts, net, isPartial } = total;
  const isKnown = !isOneSided(report, total);
  const unrealized = isKnown ? total.unrealized : undefined;
  const ifKnown = (amount: Big): Cell => signedCents(isKnown ? amount : undefined);
  const change = unrealized ?? NO_PNL;
  const [opening, closing] = [from.snapshot?.value, to.snapshot?.value];
  return {
    kind: 'table',
    columns: [
      { header: 'USDC' },
      { header: 'REALIZED', align: 'right' },
      { header: 'UNREALIZED, CHANGE', align: 'right' },
      { header: 'TOTAL', align: 'right' },
      ...(isPartial ? [{ header: 'PARTIAL' }] : []),
    ],
    rows: [
      ...(opening === undefined ? [] : [valueRow('Opening net asset value', totalValue(opening))]),
      ...shownParts([realized, change]).map((part): readonly Cell[] => [
        text(PART_NAMES[part]),
        signedCents(realized[part]),
        signedCents(unrealized?.[part]),
        ifKnown(parts[part]),
      ]),
      [
        text(`Hedges of ${book}`, 'strong'),
        signedCents(netPnl(realized)),
        signedCents(unrealized && netPnl(unrealized)),
        ifKnown(net),
        ...(isPartial ? [text('partial', 'warn')] : []),
      ],
      ...(bridge === undefined
        ? []
        : [[text('Unexplained'), text(''), text(''), signedCents(bridge.unexplained)]]),
      ...(closing === undefined ? [] : [valueRow('Closing net asset value', totalValue(closing))]),
    ],
  };
}

export function missingLines(report: ReportReading): View {
  const { book, from, to, bridge, deals } = report;
  const where = bridge === undefined ? 'not in these figures' : 'in the unexplained part';
  return [
    bridge === undefined && noBridge(report),
    [from, ...(report.endsNow ? [] : [to])].some(({ snapshot }) => snapshot?.record.unsteady === true) &&
      warnLine(
        'An order was being filled while a snapshot at an end of the period was taken, and no other is near: the unexplained part may have the margin of that order.',
      ),
    idLines(`Not opened from ${book}, and ${where}`, report.others),
    idLines(`Opened from ${book}, not confirmed yet (hedge check), and ${where}`, report.unconfirmed),
    idLines(
      'The outcome of these actions is not known, and the split is not final (hedge check)',
      report.unresolved,
    ),
    idLines(
      'Realized P&L is counted; the change of unrealized P&L is not known, and left out, of',
      namesOf(deals.filter(isWithoutChange)),
    ),
    idLines(
      `Some parts of the P&L are not known, because the service or the journal has no figures. They are ${bridge === undefined ? 'in no sum' : 'in the unexplained part'}`,
      namesOf(deals.filter((each) => each.isPartial && !isWithoutChange(each))),
    ),
    report.intent.by === 'day' &&
      daysShown(report.days).some(({ unrealized }) => unrealized === undefined) &&
      warnLine(
        'A day without a snapshot near its end has its change of unrealized P&L in the next day with one.',
      ),
    bridge !== undefined &&
      !cents(bridge.unexplained).eq(0) &&
      deals.some(isEstimated) &&
      warnLine(
        'The P&L of a reduce is an estimate until its hedge closes; the difference is in the unexplained part.',
      ),
    report.unnamedClosed > 0 &&
      warnLine('The records of closed hedges name no hedge: what they realized is not split by deal.'),
  ];
}

const namesOf = (deals: readonly DealPnl[]): readonly string[] =>
  deals.map(({ deal }) => deal.dealId ?? deal.hedgeId);

const idLines = (what: string, ids: readonly string[]): View =>
  ids.length > 0 && line(text(`${what}:`, 'warn'), nameText(`${someOf(ids)}.`));

function noBridge({ from, to, firstAfter, until }: ReportReading): View {
  const end = from.snapshot === undefined ? from : to;
  const which = end === from ? 'opening' : 'closing';
  const why = `: no ${which} net asset value, so no bridge.`;
  const report =
    firstAfter && shell`hedge report --since ${isoSeconds(firstAfter.ms)} ${optionWords('--until', until)}`;
  return [
    line(
      text(`No snapshot near`, 'warn'),
      minute(end.askedMs),
      end.passedOver?.why === 'changed' && text('before a hedge changed', 'warn'),
      report === undefined
        ? hintCell(say`${why} Take one a day: ${shell`hedge snapshot`}`, 'warn')
        : text(`${why} The first one later:`, 'warn'),
    ),
    report !== undefined && line(hintCell(report)),
  ];
}
