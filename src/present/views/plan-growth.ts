/** An open or an addition as it is planned: price, cost, what is reserved, and the side it makes larger. */
import type { Account, Quote } from '../../client/schemas.ts';
import type { QuoteFigures } from '../../domain/quote-figures.ts';
import { sideInWords } from '../../domain/vocabulary.ts';
import type { AddPlan, OpenPlan } from '../../flow/plan/plan.ts';
import { type Block, type Cell, line, nameText, text } from '../blocks.ts';
import { bps, breakEvenRow, cost, costWord, days, maturityCell, rate, row, usd } from './cells.ts';
import { besides, changeRows, type Elsewhere, sideRow } from './plan-side.ts';

type Growth = OpenPlan | AddPlan;

export function viewGrowth(plan: Growth, dealtElsewhere: Elsewhere): readonly Block[] {
  const { facts, figures } = plan;
  const { quote, account, book } = facts;
  const priced =
    quote === undefined || figures === undefined ? [] : pricedRows(quote, figures, { plan, account });
  const grown = plan.action === 'add' ? changeRows(plan.after.hedges) : [];
  const dealId = plan.action === 'open' && plan.intent.dealId !== undefined ? [plan.intent.dealId] : [];
  return [
    headline(plan),
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
function headline(plan: Growth): Block {
  const words = sideInWords(plan.market, plan.side);
  return line(
    nameText(`${plan.action.toUpperCase()} ${plan.side} ${plan.market}`, 'strong'),
    { kind: 'money', amount: plan.notional, unit: 'USD', tone: 'strong' },
    ...(plan.action === 'open' ? openedTo(plan) : addedTo(plan)),
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
  if (plan.action === 'open') return [text(`over ${days(plan.intent.tenor.toString())}`)];
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
