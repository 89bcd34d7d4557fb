/**
 * A reduction or a close as it is planned: what comes off, what is left, what comes back, and what holding to
 * maturity would mean instead. Only figures that were sent stand here; the others are dashes.
 */
import { Big } from 'big.js';
import type { Position } from '../../client/schemas.ts';
import { carryInWords } from '../../domain/carry.ts';
import type { ClosePlan, ReducePlan } from '../../flow/plan/plan.ts';
import type { Reduction } from '../../intent/action-intent.ts';
import { type Block, type Cell, line, nameText, text } from '../blocks.ts';
import { maturityCell, row, signedIn, usd } from './cells.ts';
import { besides, changeRows, type Elsewhere, hedgeTable, sideRow } from './plan-side.ts';

const gap: Block = { kind: 'gap' };
const dash: Cell = { kind: 'missing' };

export function viewCut(plan: ReducePlan | ClosePlan, dealtElsewhere: Elsewhere): readonly Block[] {
  const { book } = plan.facts;
  const named =
    plan.action === 'reduce' && plan.after.hedges !== undefined && (dealtElsewhere ?? []).length === 0;
  return [
    headline(plan),
    ...(plan.action === 'reduce' && plan.closesSide
      ? [line(text('That is about everything: the service closes the whole side.', 'warn'))]
      : []),
    ...(named || book.open.length === 0 ? [] : [gap, hedgeTable(book, dealtElsewhere), gap]),
    {
      kind: 'figures',
      rows: [
        sideRow(plan, dealtElsewhere),
        ...(plan.action === 'reduce' ? changeRows(plan.after.hedges) : []),
        ...comesBackRows(plan),
      ],
    },
    ...besides(book),
    ...(plan.action === 'close' ? [gap, ...heldToMaturity(plan)] : []),
  ];
}

function headline(plan: ReducePlan | ClosePlan): Block {
  const what = nameText(`${plan.action.toUpperCase()} ${plan.side} ${plan.market}`, 'strong');
  const { total } = plan.facts.book;
  if (plan.action === 'close')
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
