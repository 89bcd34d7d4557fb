/** The preview of an action, in a dry run and before confirmation: cost or return, and the side before and after. */

import type { Big } from 'big.js';
import type { Reduction } from '../../args/action-intent.ts';
import type { Account, Position, Quote } from '../../client/schemas.ts';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { inOneLine } from '../../domain/hint.ts';
import { carryInWords, type QuoteFigures } from '../../domain/quote-figures.ts';
import { estimatedPnl } from '../../domain/returned-amounts.ts';
import { sideInWords } from '../../domain/vocabulary.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import type { AddPlan, ClosePlan, OpenPlan, Plan, ReducePlan } from '../../trading/plan.ts';
import type { Finding, Preview } from '../../trading/trading-context.ts';
import { type Block, type Cell, hintCell, line, message, nameText, text } from '../blocks.ts';
import { hintBlocks } from '../hint-blocks.ts';
import {
  changeRows,
  type ExternalHedgeIds,
  hedgeTable,
  notIncluded,
  severalHedges,
  sideRow,
} from './positions.ts';
import {
  bps,
  breakEvenRow,
  carryCell,
  cost,
  costWord,
  days,
  maturityCell,
  rate,
  row,
  signedIn,
  usd,
} from './record-columns.ts';
import { coverRow, largestCells } from './sized.ts';

/** `openedElsewhere`: IDs of open hedges on the side that were not opened from this machine, if known. */
export function viewPlan(plan: Plan, openedElsewhere?: readonly string[]): readonly Block[] {
  return enlarges(plan) ? viewIncrease(plan, openedElsewhere) : viewReduction(plan, openedElsewhere);
}

const gap: Block = { kind: 'gap' };
const dash: Cell = { kind: 'missing' };

export function viewReduction(
  plan: ReducePlan | ClosePlan,
  openedElsewhere: ExternalHedgeIds,
): readonly Block[] {
  const { sidePosition } = plan.facts;
  const named =
    !takesWholeSide(plan) && plan.after.hedges !== undefined && (openedElsewhere ?? []).length === 0;
  return [
    reductionHeadline(plan),
    ...(!takesWholeSide(plan) && plan.closesSide
      ? [line(text('99 % or more: the service closes the whole side.', 'warn'))]
      : []),
    ...(named || sidePosition.open.length === 0 ? [] : [gap, hedgeTable(sidePosition, openedElsewhere), gap]),
    {
      kind: 'figures',
      rows: [
        sideRow(plan, openedElsewhere),
        ...(takesWholeSide(plan) || plan.totalBefore !== undefined ? [] : changeRows(plan.after.hedges)),
        ...comesBackRows(plan),
      ],
    },
    ...(plan.comesBack === undefined ? [] : [ESTIMATED]),
    ...notIncluded(sidePosition),
    ...(takesWholeSide(plan) ? [gap, ...heldToMaturity(plan)] : []),
  ];
}

const ESTIMATED = line(text('Estimates: the fill sets the figures. USDC counts as USD.', 'dim'));

function reductionHeadline(plan: ReducePlan | ClosePlan): Block {
  const what = nameText(`${plan.action.toUpperCase()} ${plan.side} ${plan.market}`, 'strong');
  const { total } = plan.facts.sidePosition;
  if (takesWholeSide(plan))
    return line(
      what,
      ...(total === undefined
        ? []
        : [{ kind: 'money', amount: total, unit: 'USD', tone: 'strong' } as const]),
      text(`: all ${wholeSide(plan.facts.sidePosition)}.`),
    );
  return line(
    what,
    text('by'),
    { kind: 'money', amount: plan.notional, unit: 'USD', tone: 'strong' },
    ...(total === undefined ? [] : [text('of'), usd(total, 'USD')]),
    ...askedAs(plan.intent.reduction),
    ...severalHedges(plan.after.hedges),
    text('.'),
  );
}

/** A close takes also what an incomplete list lacks. */
function wholeSide({ open, mayBeCut }: SidePosition): string {
  const listed = open.length.toString();
  if (mayBeCut) return `hedges on the side, ${listed} of them listed`;
  return open.length > 1 ? `${listed} hedges on the side` : 'hedges on the side';
}

/** The part or target that was requested. */
function askedAs(reduction: Reduction): readonly Cell[] {
  switch (reduction.by) {
    case 'notional':
      return [];
    case 'percent':
      return [text('('), { kind: 'number', amount: reduction.percent, unit: '%' }, text('of the side)')];
    case 'ngn':
      return [
        text('('),
        { kind: 'money', amount: reduction.amount, unit: 'NGN' },
        text('less covered, at the struck rate)'),
      ];
    case 'target':
      return [text('(down to'), usd(reduction.target), text(')')];
    default:
      return reduction satisfies never;
  }
}

/** P&L of an open position is price and carry; fees count only once it is closed (specification §2). */
function comesBackRows(plan: ReducePlan | ClosePlan): Cell[][] {
  const { comesBack, closesSide, facts } = plan;
  const fee = comesBack?.close_fee_usdc;
  const realized = comesBack && estimatedPnl(comesBack);
  return [
    row(
      'P&L before fees',
      signedIn('USD', comesBack?.net_pnl_usd),
      text(closesSide ? 'price and carry' : 'of this part: price and carry'),
    ),
    ...(takesWholeSide(plan)
      ? [row('Carry so far', carrySoFar(facts.sidePosition.position), text('part of P&L before fees'))]
      : []),
    row('Fee to close', fee === undefined ? dash : usd(fee, 'USDC'), text('none at maturity')),
    row('Would realize', signedIn('USD', realized), text(WOULD_REALIZE)),
    row(
      'Returned',
      comesBack === undefined ? dash : usd(comesBack.net_margin_usd, 'USD'),
      text(
        comesBack === undefined ? 'position unknown' : 'to balance',
        comesBack === undefined ? 'warn' : 'plain',
      ),
    ),
  ];
}

/** The platform fee left the balance at the open. */
const WOULD_REALIZE = 'P&L before fees less fee to close';

/** Settlement at maturity is automatic and has no closing fee (specification §3). */
function heldToMaturity({
  side,
  carryToMaturity,
  facts: { sidePosition, market },
}: ClosePlan): readonly Block[] {
  return [
    line(text('If held to maturity:', 'dim')),
    {
      kind: 'figures',
      rows: [
        row('Carry', ...carryLeft(carryToMaturity, market?.net_rate_daily_pct[side])),
        row('Fee to close', text('none')),
        row('Matures', ...maturities(sidePosition.open.flatMap(({ maturityAt }) => maturityAt ?? []))),
      ],
    },
  ];
}

function carrySoFar(position: Position | undefined): Cell {
  const cell = carryCell(position?.accrued_carry_usdc);
  return cell.kind === 'money' ? { ...cell, unit: 'USDC' } : cell;
}

/** `you pay another 36.42 USDC, at the current 0.05 %/day`; without the maturities, the rate alone. */
function carryLeft(amount: Big | undefined, daily: Big | undefined): readonly [Cell, ...Cell[]] {
  if (daily === undefined) return [dash];
  if (daily.eq(0)) return [text('none at the current rate')];
  const { words, amount: percent } = carryInWords(daily);
  const rateADay: Cell = { kind: 'number', amount: percent, unit: '%/day' };
  const another = text(`${words} another`);
  return amount === undefined
    ? [another, rateADay]
    : [another, usd(amount.abs(), 'USDC'), text(', at the current'), rateADay];
}

function maturities(instants: readonly string[]): readonly [Cell, ...Cell[]] {
  const sorted = instants.toSorted((one, other) => Date.parse(one) - Date.parse(other));
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [dash];
  if (Date.parse(first) === Date.parse(last)) return [maturityCell(first, 'minute')];
  return [text('first'), maturityCell(first, 'minute'), text(', last'), maturityCell(last, 'minute')];
}

type IncreasePlan = OpenPlan | AddPlan;

export function viewIncrease(plan: IncreasePlan, openedElsewhere: ExternalHedgeIds): readonly Block[] {
  const { facts, figures } = plan;
  const { quote, account, sidePosition } = facts;
  const priced =
    quote === undefined || figures === undefined ? [] : pricedRows(quote, figures, { plan, account });
  const grown = createsHedge(plan) || plan.totalBefore !== undefined ? [] : changeRows(plan.after.hedges);
  const dealId = 'dealId' in plan.intent && plan.intent.dealId !== undefined ? [plan.intent.dealId] : [];
  return [
    increaseHeadline(plan),
    {
      kind: 'figures',
      rows: [
        ...sizedRows(plan),
        ...priced,
        sideRow(plan, openedElsewhere),
        ...grown,
        ...dealId.map((id) => row('Deal ID', nameText(id))),
      ],
    },
    ...notIncluded(sidePosition),
  ];
}

/** How the size was computed: what it covers of an amount in naira, or what limits it. */
function sizedRows({ intent, notional, facts: { quote } }: IncreasePlan): Cell[][] {
  const { sizing } = intent;
  if (sizing === undefined) return [];
  if (sizing.by === 'target') return [row('Side', usd(sizing.target, 'USD'), text('asked for'))];
  if (sizing.by === 'ngn') return [coverRow({ notional, asked: sizing.amount, quote })];
  const { limit } = sizing;
  return limit === undefined ? [] : [row('Largest', ...largestCells(limit))];
}

/** `OPEN buy USDTNGN 50,000.00 USD, 3 days, to Mon 23 Nov 10:02 WAT. Gains when the naira weakens.` */
function increaseHeadline(plan: IncreasePlan): Block {
  const words = sideInWords(plan.market, plan.side);
  return line(
    nameText(`${plan.action.toUpperCase()} ${plan.side} ${plan.market}`, 'strong'),
    { kind: 'money', amount: plan.notional, unit: 'USD', tone: 'strong' },
    ...(createsHedge(plan) ? openedTo(plan) : addedTo(plan)),
    nameText(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`),
  );
}

function openedTo({ intent, facts: { quote } }: OpenPlan): readonly Cell[] {
  const tenor = days(intent.tenor.toString());
  return quote === undefined
    ? [text(`, ${tenor}.`)]
    : [text(`, ${tenor}, to`), maturityCell(quote.maturity, 'minute'), text('.')];
}

/** The service picks the hedge to increase (specification §4); its maturity stays (§3). */
function addedTo({ grows, facts: { sidePosition } }: AddPlan): readonly Cell[] {
  const grown = sidePosition.open.find(({ id }) => id === grows);
  if (grown === undefined) return [text(': the service picks which hedge to increase; maturity unchanged.')];
  const unchanged: readonly Cell[] =
    grown.maturityAt === undefined
      ? [text('maturity unchanged.')]
      : [text('maturity unchanged:'), maturityCell(grown.maturityAt, 'minute'), text('.')];
  return [nameText(`to hedge ${grown.id},`), ...unchanged];
}

/** An add runs to the maturity of its hedge; of several, the most expensive counts. */
function heldFor(plan: IncreasePlan): readonly Cell[] {
  if (createsHedge(plan)) return [text(`over ${days(plan.intent.tenor.toString())}`)];
  const to = plan.figures?.maturity_at;
  if (to === undefined) return [];
  const which = plan.grows === undefined ? [text('(worst case)')] : [];
  return [text('to'), maturityCell(to, 'minute'), ...which];
}

function pricedRows(
  { pricing, carry, upfront }: Quote,
  figures: QuoteFigures,
  { plan, account }: { plan: IncreasePlan; account: Account },
): Cell[][] {
  const { bounds } = plan.intent;
  const isUnbounded = bounds.worstPrice === undefined && bounds.maxCostBps === undefined;
  const held = figures.carry_usdc ?? carry.total_usdc;
  const free = account.balance_usdc;
  return [
    row(
      'Price',
      rate(pricing.execution_price),
      text('mid'),
      rate(pricing.market_price),
      ...(bounds.worstPrice === undefined
        ? [text(`, ${isUnbounded ? 'no price limit' : 'indicative'}; the final rate is set at the fill`)]
        : [text(', worst price'), rate(bounds.worstPrice), text('(pre-trade check, not a limit order)')]),
    ),
    breakEvenRow(figures),
    row(
      costWord(figures.cost_usdc),
      cost(figures.cost_usdc),
      bps(figures.cost_bps),
      ...(bounds.maxCostBps === undefined ? [] : [text(', limit'), bps(bounds.maxCostBps)]),
      text(': impact'),
      usd(figures.impact_cost_usd),
      text(held.lt(0) ? ', less carry earned' : ', carry'),
      ...heldFor(plan),
      usd(held.abs()),
      text(', fee'),
      usd(upfront.platform_fee_usdc),
    ),
    row(
      'Upfront',
      usd(upfront.total_upfront_usdc, 'USDC'),
      text('of'),
      usd(free),
      text('free'),
      ...(free.lt(upfront.total_upfront_usdc) ? [text('(insufficient)', 'warn')] : []),
    ),
  ];
}

export function viewPreview({ plan, warnings, openedElsewhere, changed }: Preview): readonly Block[] {
  return [
    ...(changed === undefined
      ? []
      : [line(text('CHANGED', 'warn'), text(`since it was shown: ${changed}.`, 'strong'))]),
    ...viewPlan(plan, openedElsewhere),
    ...viewNote(plan),
    ...viewWarnings(warnings),
  ];
}

/** The note for the journal. */
export const viewNote = ({ intent: { options } }: Plan): readonly Block[] =>
  options.note === undefined ? [] : [line(text('Note:', 'dim'), message(options.note))];

/** Shown also without a confirmation. */
export const viewWarnings = (warnings: readonly Finding[]): readonly Block[] => warnings.flatMap(viewWarning);

/** A hint in words follows the warning; commands have lines of their own. */
function viewWarning({ message: words, hint }: Finding): readonly Block[] {
  const warning = [text('Warning:', 'warn'), message(words)] as const;
  if (hint === undefined) return [line(...warning)];
  const advice = hintBlocks(hint);
  return advice.length > 1 || advice[0]?.kind === 'commands'
    ? [line(...warning), ...advice]
    : [line(...warning, hintCell(inOneLine(hint)))];
}
