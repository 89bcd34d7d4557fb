/**
 * What became of an action, for a person, on standard output. Nothing where it did not go as asked: the error
 * on standard error says all of it. Computes nothing.
 *
 * What became of an add, a reduction or a close: the side and each hedge before and after, what comes back.
 *
 * The first line of what became of an action: a word, the side, and the size that it is about.
 */
import { Big } from 'big.js';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import { roundTo, sum } from '../../domain/amounts.ts';
import { ownField } from '../../domain/fields.ts';
import { shellWord } from '../../domain/quoted.ts';
import type { ActionFigures, ActionReport } from '../../trading/trading-context.ts';
import { type Block, type Cell, line, message, nameText, text } from '../blocks.ts';
import { cellOf, labelOf } from '../field-labels.ts';
import { days, maturityCell, rate, row, signedIn, usd } from './cells.ts';
import { viewPlan } from './plan.ts';
import { changeRows } from './position-rows.ts';
import { unknownFields } from './record-columns.ts';
export function viewAction(report: ActionReport): readonly Block[] {
  switch (report.outcome) {
    case 'filled':
      return viewHedge(report, 'FILLED');
    case 'changed':
      return viewChanged(report);
    case 'closed':
      // An open that was looked at late: its hedge has come and gone.
      return hasOwnHedge(report) ? viewHedge(report, 'CLOSED') : viewChanged(report);
    case 'submitted':
      return viewSubmitted(report);
    case 'planned':
      return viewPlanned(report);
    case 'flat':
      return [line(text('FLAT', 'good'), text(`: nothing is open on ${subject(report)}; nothing was sent.`))];
    case 'failed':
    case 'pending':
    case 'unknown':
    case 'refused':
    case 'not_sent':
      return [];
    default:
      return report.outcome satisfies never;
  }
}

function viewHedge(report: ActionReport, word: 'FILLED' | 'CLOSED'): readonly Block[] {
  const { hedge, entry, derived } = report;
  const struck = derived.struck_rate ?? hedge?.struck_rate ?? undefined;
  const maturity = hedge?.maturity_at ?? undefined;
  const tenor = hedge?.tenor_days;
  const dealId = entry?.intent.deal_id;
  const pairs: { name: string; value: readonly Cell[] }[] = [
    {
      name: 'Struck',
      value: [struck === undefined ? { kind: 'missing' } : rate(struck), ...against(derived)],
    },
    ...grownSince(report),
    { name: 'Hedge', value: [textOr(hedge?.id ?? entry?.hedgeId), ...nowIs(hedge, word)] },
    ...provisional(entry),
    ...(dealId === undefined ? [] : [{ name: 'Deal id', value: [nameText(dealId)] }]),
    {
      name: 'Matures',
      value: [
        maturity === undefined ? { kind: 'missing' } : maturityCell(maturity, 'minute'),
        ...(tenor === undefined ? [] : [text(`, ${days(tenor.toFixed())}`)]),
      ],
    },
    { name: 'Order tx', value: [textOr(hedge?.order_tx_hash ?? entry?.orderTxHash)] },
    { name: 'Fill tx', value: [textOr(hedge?.fill_tx_hash ?? undefined)] },
    ...actionPair(report),
    ...extras(hedge),
  ];
  const isPart = word === 'FILLED' && partOf(report) !== undefined;
  return [actionHeadline(report, isPart ? 'PARTIAL FILL' : word), { kind: 'pairs', pairs }];
}

/** Found under its deal id, and not told by an answer: the next command after that reads it again. */
const provisional = (entry: ActionReport['entry']): readonly { name: string; value: readonly Cell[] }[] =>
  entry?.provisionalUntil === undefined
    ? []
    : [
        {
          name: 'Provisional',
          value: [
            text('until', 'warn'),
            { kind: 'time', at: entry.provisionalUntil, style: 'second' },
            text('(found by its deal ID; an earlier attempt may still arrive)'),
          ],
        },
      ];

/** A hedge that was added to, or reduced, since it was dealt: the rate it has now is weighted. */
function grownSince(report: ActionReport): readonly { name: string; value: readonly Cell[] }[] {
  const { entry, hedge } = report;
  const filled = partOf(report) ?? entry?.notional;
  if (hedge === undefined || filled === undefined || hedge.notional_usd.eq(filled)) return [];
  const rateNow = hedge.struck_rate ?? undefined;
  const at = rateNow === undefined ? [] : [text('at'), rate(rateNow)];
  return [{ name: 'Since then', value: [usd(hedge.notional_usd, 'USD'), ...at] }];
}

/** A hedge that was dealt before may have gone on since. */
const nowIs = (hedge: ActionReport['hedge'], word: string): readonly Cell[] =>
  hedge === undefined || hedge.status === word.toLowerCase() ? [] : [text(`, now ${hedge.status}`)];

/** `0.98 bps (4.89 USD) worse than quoted`: the sign is in the word. */
function against({ slippage_bps: points, slippage_usd: amount }: ActionFigures): readonly Cell[] {
  if (points === undefined) return [];
  if (points.eq(0)) return [text(', as quoted')];
  const way = points.gt(0) ? text('worse than quoted', 'warn') : text('better than quoted', 'good');
  const shown = roundTo(points.abs(), BPS_SHOWN);
  if (shown.eq(0)) return [text(', less than 0.01 bps'), way];
  return [
    text(','),
    { kind: 'number', amount: shown, unit: 'bps' },
    ...(amount === undefined ? [] : [text('('), usd(roundTo(amount.abs(), CENTS), 'USD'), text(')')]),
    way,
  ];
}
const BPS_SHOWN = 2;
const CENTS = 2;

const KNOWN_OF_HEDGE = [
  'id',
  'client_reference',
  'market',
  'side',
  'notional_usd',
  'tenor_days',
  'status',
  'order_tx_hash',
  'fill_tx_hash',
  'struck_rate',
  'units',
  'order_key',
  'opened_at',
  'filled_at',
  'maturity_at',
];

/** Fields of the hedge that the specification doesn't have. */
const extras = (hedge: ActionReport['hedge']): { name: string; value: readonly Cell[] }[] =>
  hedge === undefined
    ? []
    : unknownFields([hedge], KNOWN_OF_HEDGE).map((name) => ({
        name: labelOf(name),
        value: [cellOf(name, ownField(hedge, name))],
      }));

const textOr = (value: string | undefined): Cell =>
  value === undefined ? { kind: 'missing' } : nameText(value);

const actionPair = ({ entry }: ActionReport): { name: string; value: readonly Cell[] }[] =>
  entry === undefined ? [] : [{ name: 'Action', value: [text(entry.shortId)] }];

function viewSubmitted(report: ActionReport): readonly Block[] {
  const { entry, hedge } = report;
  const hedgeId = hedge?.id ?? entry?.hedgeId;
  const word = hedgeId ?? entry?.shortId;
  const pairs = [
    ...(hedgeId === undefined ? [] : [{ name: 'Hedge', value: [nameText(hedgeId)] }]),
    ...actionPair(report),
    ...(word === undefined
      ? []
      : [{ name: 'To wait', value: [text(`hedge wait ${shellWord(word)}`, 'strong')] }]),
  ];
  return [
    actionHeadline(report, 'SUBMITTED', text('; accepted, its end is not waited for.')),
    { kind: 'pairs', pairs },
  ];
}

/** A dry run: the preview's own blocks, and the body to the digit. */
function viewPlanned({ plan, warnings }: ActionReport): readonly Block[] {
  if (plan === undefined) return [];
  const body = Object.entries(plan.request).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [{ name, value: [value instanceof Big ? exact(value) : nameText(String(value))] }],
  );
  return [
    line(text('DRY RUN', 'warn'), text(': nothing was sent.')),
    ...viewPlan(plan),
    ...warnings.map(({ message: says }) => line(text('Warning:', 'warn'), message(says))),
    { kind: 'gap' },
    line(text('Would be sent:', 'dim')),
    { kind: 'pairs', pairs: body },
  ];
}

const exact = (amount: Big): Cell => text(amount.toFixed());

export function viewChanged(report: ActionReport): readonly Block[] {
  const { outcome, hedges, derived, entry } = report;
  const expected = expectedBack(report);
  const closed = outcome === 'closed';
  return [
    actionHeadline(
      report,
      closed ? 'CLOSED' : 'CHANGED',
      text(closed ? closedWords(report) : isIncrease(report) ? 'added.' : 'off.'),
    ),
    {
      kind: 'figures',
      rows: [
        ...sideRows(report),
        ...(closed && (hedges ?? []).length === 1 ? [] : changeRows(hedges)),
        ...(derived.net_pnl_usd === undefined
          ? []
          : [row('Net P&L', signedIn('USD', derived.net_pnl_usd), text(overLives(report)))]),
        ...(expected === undefined
          ? []
          : [row('Comes back', usd(expected, 'USD'), text('as the position stood before'))]),
        ...(entry === undefined ? [] : [row('Action', text(entry.shortId))]),
      ],
    },
  ];
}

/** A closed record covers the whole lifecycle (specification §2): what was reduced before is in it too. */
const overLives = ({ hedges = [] }: ActionReport): string =>
  `over ${hedges.length > 1 ? 'their lives' : 'its life'}, carry and fees included`;

/** What is said of the side is what was read of it: something may have been opened there since. */
const closedWords = ({ position }: ActionReport): string =>
  position === undefined ? ': the side is flat.' : ': other hedges stand there since.';

const isIncrease = (report: ActionReport): boolean => {
  const about = aboutOf(report);
  return about !== undefined && enlarges(about);
};

function sideRows(report: ActionReport): Cell[][] {
  const { hedges, plan, position } = report;
  const seen = hedges !== undefined && hedges.length > 0;
  const before = seen ? sum(hedges.map((each) => each.before)) : plan?.facts.book.total;
  const after = seen ? sum(hedges.map((each) => each.after)) : position?.notional_usd;
  if (before === undefined && !(after instanceof Big)) return [];
  const standing = position?.notional_usd;
  return [
    row(
      'Side',
      before === undefined ? { kind: 'missing' } : usd(before, 'USD'),
      text('→'),
      after instanceof Big ? usd(after, 'USD') : { kind: 'missing' },
    ),
    ...(standing instanceof Big && after instanceof Big && !standing.round(2).eq(after.round(2))
      ? [row('Stands now', usd(standing, 'USD'), text('other deals are in it too'))]
      : []),
  ];
}

/** As it was planned; of an action that was sent some time ago as the journal keeps it. */
function expectedBack({ plan, entry }: ActionReport): Big | undefined {
  const planned = plan !== undefined && 'comesBack' in plan ? plan.comesBack?.net_margin_usd : undefined;
  const kept = entry?.intent.quote?.['net_margin_usd'];
  return planned ?? (typeof kept === 'string' ? new Big(kept) : undefined);
}

/** What the action is about, from whichever of the two is there. */
const aboutOf = ({ plan, entry }: ActionReport) => plan ?? entry?.intent;
const hasOwnHedge = (report: ActionReport): boolean => {
  const about = aboutOf(report);
  return about !== undefined && createsHedge(about);
};
export const subject = (report: ActionReport): string => {
  const about = aboutOf(report);
  return about === undefined ? 'the side' : `${about.side} ${about.market}`;
};

/** USD that were filled of an open, where that is less than was asked. */
export const partOf = ({ entry, derived: { filled_notional_usd: filled } }: ActionReport): Big | undefined =>
  filled !== undefined && entry?.notional?.gt(filled) === true ? filled : undefined;

function notionalOf(report: ActionReport): Big | undefined {
  const { plan, entry } = report;
  if (report.outcome === 'closed' && !hasOwnHedge(report)) return closedSize(report);
  if (plan !== undefined) return 'notional' in plan ? plan.notional : plan.facts.book.total;
  return entry?.notional;
}

/** What really left the side, whatever was asked: it may have been about everything, or sent some time ago. */
function closedSize({ plan, hedges = [] }: ActionReport): Big | undefined {
  if (hedges.length > 0) return sum(hedges.map(({ before, after }) => before.minus(after)));
  const planned = plan?.facts.book.total;
  return planned?.gt(0) === true ? planned : undefined;
}

export function actionHeadline(report: ActionReport, word: string, ...rest: readonly Cell[]): Block {
  const notional = notionalOf(report);
  const part = partOf(report);
  return line(
    text(word, part === undefined ? 'good' : 'warn'),
    nameText(subject(report), 'strong'),
    ...(part === undefined ? [] : [usd(part, 'USD'), text('of')]),
    ...(notional === undefined ? [] : [usd(notional, 'USD')]),
    ...rest,
  );
}
