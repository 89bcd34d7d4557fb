/**
 * What became of an action, for a person, on standard output. Nothing where it did not go as asked: the error
 * on standard error says all of it. Computes nothing.
 */
import { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import { ownField } from '../../domain/fields.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { ActionFigures, ActionReport } from '../../flow/dealing.ts';
import { type Block, type Cell, line, message, nameText, text } from '../blocks.ts';
import { cellOf, labelOf } from '../fields.ts';
import { viewChanged } from './action-change.ts';
import { actionOf, headline, partOf, subject } from './action-headline.ts';
import { days, maturityCell, rate, usd } from './cells.ts';
import { viewPlan } from './plan.ts';
import { unknownFields } from './records.ts';

export function viewAction(report: ActionReport): readonly Block[] {
  switch (report.outcome) {
    case 'filled':
      return viewHedge(report, 'FILLED');
    case 'changed':
      return viewChanged(report);
    case 'closed':
      // An open that was looked at late: its hedge has come and gone.
      return actionOf(report) === 'open' ? viewHedge(report, 'CLOSED') : viewChanged(report);
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
  return [headline(report, isPart ? 'PARTIAL FILL' : word), { kind: 'pairs', pairs }];
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
    headline(report, 'SUBMITTED', text('; accepted, its end is not waited for.')),
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
    ...warnings.map(({ says }) => line(text('Warning:', 'warn'), message(says))),
    { kind: 'gap' },
    line(text('Would be sent:', 'dim')),
    { kind: 'pairs', pairs: body },
  ];
}

const exact = (amount: Big): Cell => text(amount.toFixed());
