/**
 * An action as it is planned, for a person: the same blocks before it is dealt and in a dry run. What makes
 * the book larger and what makes it smaller have a file each. Computes nothing; what was not sent is a dash.
 *
 * A reduction or a close as it is planned: what comes off, what is left, what comes back, and what holding to
 * maturity would mean instead. Only figures that were sent stand here; the others are dashes.
 *
 * An open or an addition as it is planned: price, cost, what is reserved, and the side it makes larger.
 *
 * What the operator sees before an action is sent: what changed since it was shown last, the plan, and what
 * the guards warn of. The environment line stands over it and is not among these blocks.
 */

import { Big } from 'big.js';
import type { Reduction } from '../../args/action-intent.ts';
import type { Account, Position, Quote } from '../../client/schemas.ts';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { carryInWords, type QuoteFigures } from '../../domain/quote-figures.ts';
import { sideInWords } from '../../domain/vocabulary.ts';
import type { AddPlan, ClosePlan, OpenPlan, Plan, ReducePlan } from '../../trading/plan.ts';
import type { Finding, Preview } from '../../trading/trading-context.ts';
import { type Block, type Cell, line, message, nameText, text } from '../blocks.ts';
import { hintBlocks } from '../hint.ts';
import { bps, breakEvenRow, cost, costWord, days, maturityCell, rate, row, signedIn, usd } from './cells.ts';
import { besides, changeRows, type Elsewhere, hedgeTable, sideRow } from './position-rows.ts';
/**
 * `dealtElsewhere`: ids of open hedges on the side that were not dealt from this machine; without it nothing is
 * said of where they were dealt.
 */
export function viewPlan(plan: Plan, dealtElsewhere?: readonly string[]): readonly Block[] {
  return enlarges(plan) ? viewIncrease(plan, dealtElsewhere) : viewReduction(plan, dealtElsewhere);
}

const gap: Block = { kind: 'gap' };
const dash: Cell = { kind: 'missing' };

export function viewReduction(plan: ReducePlan | ClosePlan, dealtElsewhere: Elsewhere): readonly Block[] {
  const { book } = plan.facts;
  const named =
    !takesWholeSide(plan) && plan.after.hedges !== undefined && (dealtElsewhere ?? []).length === 0;
  return [
    reductionHeadline(plan),
    ...(!takesWholeSide(plan) && plan.closesSide
      ? [line(text('That is about everything: the service closes the whole side.', 'warn'))]
      : []),
    ...(named || book.open.length === 0 ? [] : [gap, hedgeTable(book, dealtElsewhere), gap]),
    {
      kind: 'figures',
      rows: [
        sideRow(plan, dealtElsewhere),
        ...(takesWholeSide(plan) ? [] : changeRows(plan.after.hedges)),
        ...comesBackRows(plan),
      ],
    },
    ...besides(book),
    ...(takesWholeSide(plan) ? [gap, ...heldToMaturity(plan)] : []),
  ];
}

function reductionHeadline(plan: ReducePlan | ClosePlan): Block {
  const what = nameText(`${plan.action.toUpperCase()} ${plan.side} ${plan.market}`, 'strong');
  const { total } = plan.facts.book;
  if (takesWholeSide(plan))
    return line(
      what,
      ...(total === undefined
        ? []
        : [{ kind: 'money', amount: total, unit: 'USD', tone: 'strong' } as const]),
      text(': the whole side, every hedge on it.'),
    );
  return line(
    what,
    text('by'),
    { kind: 'money', amount: plan.notional, unit: 'USD', tone: 'strong' },
    ...(total === undefined ? [] : [text('of'), usd(total, 'USD')]),
    ...askedAs(plan.intent.reduction),
    text('.'),
  );
}

/** A part or a target that was asked for: the notional beside it was worked out from the book. */
function askedAs(reduction: Reduction): readonly Cell[] {
  switch (reduction.by) {
    case 'notional':
      return [];
    case 'percent':
      return [text('('), { kind: 'number', amount: reduction.percent, unit: '%' }, text('of it)')];
    case 'target':
      return [text('(down to'), usd(reduction.target), text(')')];
    default:
      return reduction satisfies never;
  }
}

/** The P&L of a position is price and carry (specification §2): fees are in none of it until the hedge has closed. */
function comesBackRows({ comesBack, closesSide }: ReducePlan | ClosePlan): Cell[][] {
  const fee = comesBack?.close_fee_usdc;
  return [
    row(
      'Comes back',
      comesBack === undefined ? dash : usd(comesBack.net_margin_usd, 'USD'),
      text(
        comesBack === undefined ? 'the position could not be told' : 'to the balance, as it stands now',
        comesBack === undefined ? 'warn' : 'plain',
      ),
    ),
    row(
      'Net P&L',
      signedIn('USD', comesBack?.net_pnl_usd),
      text(closesSide ? 'price and carry, before fees' : 'price and carry of it, before fees'),
    ),
    row('Fee to close', fee === undefined ? dash : usd(fee, 'USDC'), text('none at maturity')),
  ];
}

/** Settlement at maturity is automatic and takes no fee to close (specification §3). */
function heldToMaturity({ side, facts, comesBack }: ClosePlan): readonly Block[] {
  const { book, market } = facts;
  const rates = market?.net_rate_daily_pct;
  const fee = comesBack?.close_fee_usdc;
  return [
    line(text('Held to maturity instead:', 'dim')),
    {
      kind: 'figures',
      rows: [
        row('Fee saved', fee === undefined ? dash : usd(fee, 'USDC')),
        row('Carry so far', signedIn('USDC', accrued(book.position)), ...goesOn(rates?.[side])),
        row('Settles', ...settles(book.open.flatMap(({ maturityAt }) => maturityAt ?? []))),
      ],
    },
  ];
}

const accrued = (position: Position | undefined): Big | undefined =>
  position?.accrued_carry_usdc instanceof Big ? position.accrued_carry_usdc : undefined;

function goesOn(daily: Big | undefined): readonly Cell[] {
  if (daily === undefined) return [text('and goes on')];
  const { words, amount } = carryInWords(daily);
  if (amount.eq(0)) return [text('and no more comes at the rate of now')];
  return [text(`and goes on: ${words}`), { kind: 'number', amount, unit: '%' }, text('a day')];
}

function settles(maturities: readonly string[]): readonly [Cell, ...Cell[]] {
  const sorted = maturities.toSorted((one, other) => Date.parse(one) - Date.parse(other));
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [dash];
  if (Date.parse(first) === Date.parse(last)) return [maturityCell(first, 'minute')];
  return [text('first'), maturityCell(first, 'minute'), text(', last'), maturityCell(last, 'minute')];
}

type Growth = OpenPlan | AddPlan;

export function viewIncrease(plan: Growth, dealtElsewhere: Elsewhere): readonly Block[] {
  const { facts, figures } = plan;
  const { quote, account, book } = facts;
  const priced =
    quote === undefined || figures === undefined ? [] : pricedRows(quote, figures, { plan, account });
  const grown = createsHedge(plan) ? [] : changeRows(plan.after.hedges);
  const dealId = 'dealId' in plan.intent && plan.intent.dealId !== undefined ? [plan.intent.dealId] : [];
  return [
    increaseHeadline(plan),
    {
      kind: 'figures',
      rows: [
        ...priced,
        sideRow(plan, dealtElsewhere),
        ...grown,
        ...dealId.map((id) => row('Deal id', nameText(id))),
      ],
    },
    ...besides(book),
  ];
}

/** `OPEN buy USDTNGN 50,000.00 USD, 3 days, to Mon 23 Nov 10:02 WAT. Gains when the naira weakens.` */
function increaseHeadline(plan: Growth): Block {
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

/** The service resolves the hedge that grows (specification §4); its maturity stays (§3). */
function addedTo({ grows, facts: { book } }: AddPlan): readonly Cell[] {
  const grown = book.open.find(({ id }) => id === grows);
  if (grown === undefined)
    return [text('to an open hedge that the service chooses, at the maturity it has.')];
  const unchanged: readonly Cell[] =
    grown.maturityAt === undefined
      ? [text('at the maturity it has.')]
      : [text('still to'), maturityCell(grown.maturityAt, 'minute'), text('.')];
  return [nameText(`to hedge ${grown.id},`), ...unchanged];
}

/** An open is held for its tenor; an addition to the maturity that it keeps, of several hedges the dearest's. */
function heldFor(plan: Growth): readonly Cell[] {
  if (createsHedge(plan)) return [text(`over ${days(plan.intent.tenor.toString())}`)];
  const to = plan.figures?.maturity_at;
  if (to === undefined) return [];
  const which = plan.grows === undefined ? [text('(the dearest it may get)')] : [];
  return [text('to'), maturityCell(to, 'minute'), ...which];
}

function pricedRows(
  { pricing, carry, upfront }: Quote,
  figures: QuoteFigures,
  { plan, account }: { plan: Growth; account: Account },
): Cell[][] {
  const { bounds, anyPrice } = plan.intent;
  const held = figures.carry_usdc ?? carry.total_usdc;
  const free = account.balance_usdc;
  return [
    row(
      'Price',
      rate(pricing.execution_price),
      text('mid'),
      rate(pricing.market_price),
      ...(bounds.worstPrice === undefined
        ? [text(anyPrice ? ', any price is taken' : ', indicative: struck at the fill')]
        : [
            text(', at worst'),
            rate(bounds.worstPrice),
            text('(checked here; the service has no limit price)'),
          ]),
    ),
    breakEvenRow(figures),
    row(
      costWord(figures.cost_usdc),
      cost(figures.cost_usdc),
      bps(figures.cost_bps),
      ...(bounds.maxCostBps === undefined ? [] : [text(', at most'), bps(bounds.maxCostBps)]),
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
      ...(free.lt(upfront.total_upfront_usdc) ? [text('(too little)', 'warn')] : []),
    ),
  ];
}

export function viewPreview({ plan, warnings, dealtElsewhere, changed }: Preview): readonly Block[] {
  return [
    ...(changed === undefined
      ? []
      : [line(text('CHANGED', 'warn'), text(`since it was shown: ${changed}.`, 'strong'))]),
    ...viewPlan(plan, dealtElsewhere),
    ...viewWarnings(warnings),
  ];
}

/** What is said even where nobody is asked. */
export const viewWarnings = (warnings: readonly Finding[]): readonly Block[] => warnings.flatMap(viewWarning);

/** A sentence goes on with the warning; commands stand one a line, to be pasted. */
function viewWarning({ message: says, hint }: Finding): readonly Block[] {
  const warning = [text('Warning:', 'warn'), message(says)] as const;
  if (hint === undefined) return [line(...warning)];
  return hint.startsWith('hedge ') || hint.includes('\n')
    ? [line(...warning), ...hintBlocks(hint)]
    : [line(...warning, message(hint))];
}
