/** The preview of an action, in a dry run and before confirmation: cost or return, and the side before and after. */

import type { Big } from 'big.js';
import type { Reduction } from '../../domain/action-intent.ts';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { inOneLine } from '../../domain/hint.ts';
import { MINUTE_MS } from '../../domain/instants.ts';
import { oppositeOf } from '../../domain/opposite-side.ts';
import { hasBound } from '../../domain/price-bounds.ts';
import { carryInWords } from '../../domain/quote-figures.ts';
import { estimatedPnl } from '../../domain/returned-amounts.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import type { AddPlan, ClosePlan, OpenPlan, Plan, ReducePlan } from '../../trading/plan.ts';
import type { Finding, Preview } from '../../trading/trading-context.ts';
import { dimLine, figureRows, gap, hintBlocks, line, phraseLine, type View, warnLine } from '../blocks.ts';
import { type Cell, hintCell, message, missing, nameText, phrase, text, type Words } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { changeRows, hedgeTable, notIncluded, severalHedges, sideRow } from './positions.ts';
import { breakEvenRow, cost, costWord, gainsWhen } from './priced.ts';
import { bps, carryCell, days, inUnit, maturityCell, rate, row, signedIn, usd } from './record-columns.ts';
import { coverCells, largestCells } from './sized.ts';

/** `openedElsewhere`: IDs of open hedges on the side that were not opened from this machine, if known. */
export function viewPlan(plan: Plan, openedElsewhere?: readonly string[]): View {
  return enlarges(plan) ? viewIncrease(plan, openedElsewhere) : viewReduction(plan, openedElsewhere);
}

function viewReduction(plan: ReducePlan | ClosePlan, openedElsewhere: readonly string[] | undefined): View {
  const { sidePosition } = plan.facts;
  const { totalBefore } = plan;
  if (totalBefore !== undefined && (takesWholeSide(plan) || sidePosition.total?.eq(0) === true))
    return viewFlat(plan, totalBefore);
  const named =
    !takesWholeSide(plan) && plan.after.hedges !== undefined && (openedElsewhere ?? []).length === 0;
  return [
    reductionHeadline(plan),
    !named && sidePosition.open.length > 0 && [gap, hedgeTable(sidePosition, openedElsewhere), gap],
    figureRows(
      sideRow(plan, openedElsewhere),
      ...(takesWholeSide(plan) || plan.totalBefore !== undefined ? [] : changeRows(plan.after.hedges)),
      ...comesBackRows(plan),
    ),
    !takesWholeSide(plan) && severalMaturities(plan) && warnLine(EACH_IN_PART),
    plan.comesBack && dimLine('Estimates: the fill sets the figures. USDC counts as USD.'),
    notIncluded(sidePosition),
    takesWholeSide(plan) && [gap, heldToMaturity(plan)],
  ];
}

/** Who wants to close what matures first would leave a rest of each instead. */
const EACH_IN_PART = 'The same part of each, whatever its maturity: one alone cannot be closed.';

const severalMaturities = ({ closesSide, facts: { sidePosition } }: ReducePlan): boolean =>
  !closesSide && new Set(sidePosition.open.map(({ maturityAt }) => maturityAt)).size > 1;

/** A close or reduction that is to be sent again, and may have left nothing. */
const viewFlat = (plan: ReducePlan | ClosePlan, before: Big): View => [
  phraseLine`${subject(plan)}: the side is flat (was ${usd(before, 'USD')}), by ${takesWholeSide(plan) ? 'this close or by somebody else' : 'this reduce, a later close or somebody else'}.`,
  dimLine(
    `Sent again, it ${takesWholeSide(plan) ? 'closes' : 'reduces'} only hedges that are opened on the side meanwhile.`,
  ),
];

const subject = ({ action, side, market }: Plan): Cell =>
  nameText(`${action.toUpperCase()} ${side} ${market}`, 'strong');

function reductionHeadline(plan: ReducePlan | ClosePlan): View {
  const { total } = plan.facts.sidePosition;
  if (takesWholeSide(plan))
    return line(
      subject(plan),
      total && usd(total, 'USD', 'strong'),
      `: all ${wholeSide(plan.facts.sidePosition)}.`,
    );
  return line(
    subject(plan),
    phrase`by ${usd(plan.notional, 'USD', 'strong')} ${total && phrase`of ${usd(total, 'USD')}`}`,
    askedAs(plan.intent.reduction),
    severalHedges(plan.after.hedges),
    '.',
  );
}

/** A close takes also what an incomplete list lacks. */
function wholeSide({ open, mayBeCut }: SidePosition): string {
  if (mayBeCut) return `hedges on the side, ${open.length} of them listed`;
  return open.length > 1 ? `${open.length} hedges on the side` : 'hedges on the side';
}

/** The part or target that was requested. */
function askedAs(reduction: Reduction): Words {
  switch (reduction.by) {
    case 'notional':
      return [];
    case 'percent':
      return phrase`(${{ kind: 'number', amount: reduction.percent, unit: '%' }} of the side)`;
    case 'ngn':
      return phrase`(${usd(reduction.amount, 'NGN')} of cover taken off, at the struck rate)`;
    case 'target':
      return phrase`(down to ${usd(reduction.target)})`;
    default:
      return reduction satisfies never;
  }
}

/** P&L of an open position is price and carry; fees count only once it is closed (specification §2). */
function comesBackRows(plan: ReducePlan | ClosePlan) {
  const { comesBack, closesSide, facts } = plan;
  const fee = comesBack?.close_fee_usdc;
  const realized = comesBack && estimatedPnl(comesBack);
  const carry = facts.sidePosition.position?.accrued_carry_usdc;
  const entry = cellOf('entry_price', facts.sidePosition.position?.entry_price);
  const part = closesSide ? '' : 'of this part: ';
  return [
    comesBack?.mark_price && row('Mark price', rate(comesBack.mark_price), 'entry', entry),
    row('P&L before fees', signedIn('USD', comesBack?.net_pnl_usd), `${part}price and carry`),
    takesWholeSide(plan) && row('Carry so far', inUnit('USDC', carryCell(carry)), 'part of P&L before fees'),
    row('Fee to close', fee === undefined ? missing : usd(fee, 'USDC'), 'none at maturity'),
    // The platform fee left the balance at the open.
    row('Would realize', signedIn('USD', realized), 'P&L before fees less fee to close'),
    comesBack === undefined
      ? row('Returns', missing, text('position unknown', 'warn'))
      : row('Returns', usd(comesBack.net_margin_usd, 'USD'), 'to balance'),
  ];
}

/** Settlement at maturity is automatic and has no closing fee (specification §3). */
function heldToMaturity({ side, carryToMaturity, facts: { sidePosition, market } }: ClosePlan): View {
  return [
    dimLine('If held to maturity:'),
    figureRows(
      row('Carry', carryLeft(carryToMaturity, market?.net_rate_daily_pct[side])),
      row('Fee to close', 'none'),
      row('Matures', maturities(sidePosition.open.flatMap(({ maturityAt }) => maturityAt ?? []))),
    ),
  ];
}

/** `you pay another 36.42 USDC, at the current 0.05 %/day`; without the maturities, the rate alone. */
function carryLeft(amount: Big | undefined, daily: Big | undefined): Words {
  if (daily === undefined) return missing;
  if (daily.eq(0)) return 'none at the current rate';
  const { words, amount: percent } = carryInWords(daily);
  const rateADay: Cell = { kind: 'number', amount: percent, unit: '%/day' };
  return [
    text(`${words} another`),
    amount === undefined ? rateADay : phrase`${usd(amount.abs(), 'USDC')}, at the current ${rateADay}`,
  ];
}

function maturities(instants: readonly string[]): Words {
  const sorted = instants.toSorted((one, other) => Date.parse(one) - Date.parse(other));
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return missing;
  // Shown to the minute.
  if (minuteOf(first) === minuteOf(last)) return maturityCell(first, 'minute');
  return phrase`first ${maturityCell(first, 'minute')}, last ${maturityCell(last, 'minute')}`;
}

const minuteOf = (instant: string): number => Math.floor(Date.parse(instant) / MINUTE_MS);

type IncreasePlan = OpenPlan | AddPlan;

function viewIncrease(plan: IncreasePlan, openedElsewhere: readonly string[] | undefined): View {
  const { sidePosition } = plan.facts;
  const grown = createsHedge(plan) || plan.totalBefore !== undefined ? [] : changeRows(plan.after.hedges);
  const dealId = 'dealId' in plan.intent ? plan.intent.dealId : undefined;
  return [
    increaseHeadline(plan),
    figureRows(
      sizedRow(plan),
      ...pricedRows(plan),
      sideRow(plan, openedElsewhere),
      ...grown,
      dealId !== undefined && row('Deal ID', nameText(dealId)),
    ),
    sidePosition.opposite !== undefined &&
      phraseLine`Also open: ${oppositeOf(plan.side)} ${usd(sidePosition.opposite, 'USD')}.`,
    notIncluded(sidePosition),
  ];
}

/** How the size was computed: what it covers of an amount in naira, or what limits it. */
function sizedRow({ intent: { sizing }, notional, facts: { quote } }: IncreasePlan) {
  if (sizing?.by === 'target') return row('Target size', usd(sizing.target, 'USD'));
  if (sizing?.by === 'ngn') return row('Naira', ...coverCells({ notional, asked: sizing.amount, quote }));
  return sizing?.limit && row('Largest', largestCells(sizing.limit));
}

/** `OPEN buy USDTNGN 50,000.00 USD, 3 days, to Mon 23 Nov 10:02 WAT. Gains when the naira weakens.` */
const increaseHeadline = (plan: IncreasePlan): View =>
  line(
    subject(plan),
    usd(plan.notional, 'USD', 'strong'),
    createsHedge(plan) ? openedTo(plan) : addedTo(plan),
    gainsWhen(plan.market, plan.side),
  );

const openedTo = ({ intent, facts: { quote } }: OpenPlan): Words =>
  phrase`, ${days(intent.tenor.toString())}${quote && phrase`, to ${maturityCell(quote.maturity, 'minute')}`}.`;

/** The service picks the hedge to increase (specification §4); its maturity stays (§3). */
function addedTo({ grows, facts: { sidePosition } }: AddPlan): Words {
  const grown = sidePosition.open.find(({ id }) => id === grows);
  if (grown === undefined) return ': the service picks which hedge to increase; maturity unchanged.';
  const { id, maturityAt: at } = grown;
  return [
    nameText(`to hedge ${id},`),
    phrase`maturity unchanged${at !== undefined && [':', maturityCell(at, 'minute')]}.`,
  ];
}

/** An add runs to the maturity of its hedge; of several, the most expensive counts. */
function heldFor(plan: IncreasePlan): Words {
  if (createsHedge(plan)) return `over ${days(plan.intent.tenor.toString())}`;
  const to = plan.figures?.maturity_at;
  if (to === undefined) return [];
  return ['to', maturityCell(to, 'minute'), plan.grows === undefined && '(worst case)'];
}

function pricedRows(plan: IncreasePlan): Cell[][] {
  const {
    figures,
    facts: { quote, account },
    intent: { bounds },
  } = plan;
  if (quote === undefined || figures === undefined || account === undefined) return [];
  const { pricing, carry, upfront } = quote;
  const isUnbounded = !hasBound(bounds);
  const held = figures.carry_usdc ?? carry.total_usdc;
  const free = account.balance_usdc;
  return [
    row(
      'Price',
      rate(pricing.execution_price),
      phrase`mid ${rate(pricing.market_price)}`,
      bounds.worstPrice === undefined
        ? `, ${isUnbounded ? 'no price limit' : 'indicative'}; the final rate is set at the fill`
        : phrase`, worst price ${rate(bounds.worstPrice)} (pre-trade check, not a limit order)`,
    ),
    breakEvenRow(figures),
    row(
      costWord(figures.cost_usdc),
      cost(figures.cost_usdc),
      bps(figures.cost_bps),
      bounds.maxCostBps !== undefined && phrase`, limit ${bps(bounds.maxCostBps)}`,
      phrase`: impact ${usd(figures.impact_cost_usd)} ${held.lt(0) ? ', less carry earned' : ', carry'}`,
      phrase`${heldFor(plan)} ${usd(held.abs())}, fee ${usd(upfront.platform_fee_usdc)}`,
    ),
    row(
      'Upfront',
      usd(upfront.total_upfront_usdc, 'USDC'),
      phrase`of ${usd(free)} free`,
      free.lt(upfront.total_upfront_usdc) && text('(insufficient)', 'warn'),
    ),
  ];
}

export function viewPreview({
  plan,
  warnings,
  openedElsewhere,
  changed,
}: Omit<Preview, 'openedElsewhere'> & { openedElsewhere: readonly string[] | undefined }): View {
  return [
    changed !== undefined && line(text('CHANGED', 'warn'), text(`since it was shown: ${changed}.`, 'strong')),
    viewPlan(plan, openedElsewhere),
    viewNote(plan),
    viewWarnings(warnings),
  ];
}

const viewNote = ({ intent: { options } }: Plan): View =>
  options.note !== undefined && line(text('Note:', 'dim'), message(options.note));

/** Shown also without a confirmation. */
export const viewWarnings = (warnings: readonly Finding[]): View => warnings.map(viewWarning);

/** A hint in words follows the warning; commands have lines of their own. */
function viewWarning({ message: words, hint }: Finding): View {
  const warning = [text('Warning:', 'warn'), message(words)] as const;
  const advice = hintBlocks(hint);
  return advice.length > 1 || advice[0]?.kind === 'commands'
    ? [line(warning), advice]
    : line(warning, hint && hintCell(inOneLine(hint)));
}
