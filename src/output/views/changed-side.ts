/** Rows of a side that was added to, reduced or closed: its size, its prices, and what it returned. */

import { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { estimatedPnl, type ReturnedAmounts, recordedReturn } from '../../domain/returned-amounts.ts';
import { closedAlone } from '../../journal/results.ts';
import type { ActionFigures, ActionReport } from '../../trading/report.ts';
import type { FigureRow } from '../blocks.ts';
import { missing, nameText, phrase, type Words } from '../cells.ts';
import { carryCell, rate, row, signedCell, signedIn, usd } from './record-columns.ts';
import { quotedPrice, quotedUpfront } from './sized.ts';

export function sideRows(report: ActionReport): readonly FigureRow[] {
  const { hedges, plan, position, evidence } = report;
  const remark = evidence?.kind === 'exact' ? evidence.message : undefined;
  const seen = hedges !== undefined && hedges.length > 0;
  const before = seen ? sum(hedges.map((each) => each.before)) : plan?.facts.sidePosition.total;
  const after = seen ? sum(hedges.map((each) => each.after)) : position?.notional_usd;
  if (before === undefined && !(after instanceof Big)) return [];
  const current = position?.notional_usd;
  return [
    row('Side', usd(before, 'USD'), '→', after instanceof Big ? usd(after, 'USD') : missing),
    remark !== undefined && row('', nameText(`(${remark})`)),
    current instanceof Big &&
      after instanceof Big &&
      !current.round(2).eq(after.round(2)) &&
      row('Side now', usd(current, 'USD'), 'includes other trades'),
  ];
}

/** The service reports no fill price of an add: the averages after it, and what was quoted before. */
export function addedAt({ plan, entry, hedges = [], derived }: ActionReport): readonly FigureRow[] {
  const { entry_price_before: was, entry_price_after: is } = derived;
  const paid = quotedUpfront(entry);
  const grown = hedges.find(({ before, after }) => after.gt(before));
  const quoted =
    plan !== undefined && 'figures' in plan
      ? plan.facts.quote?.pricing.execution_price
      : quotedPrice(entry).price;
  return [
    is && row('Entry price', rate(is), wasAt('side average', was)),
    grown?.rateAfter !== undefined &&
      (is === undefined || hedges.length !== 1) &&
      row('Struck rate', rate(grown.rateAfter), wasAt('of that hedge', grown.rateBefore)),
    quoted && row('Quoted price', rate(quoted), 'the service reports no fill price'),
    paid && row('Upfront', paid.all, paid.parts, ', as quoted'),
  ];
}

const wasAt = (words: string, was: Big | undefined): Words => [words, was && [', was', rate(was)]];

/** Realized by this action, as estimated before sending; for closed hedges also their whole life, from their records. */
export function realizedRows(report: ActionReport): readonly FigureRow[] {
  const { net_pnl_usd: realized } = report.derived;
  const back = expectedBack(report);
  const fee = back?.close_fee_usdc;
  const estimate = back && estimatedPnl(back);
  return [
    back?.mark_price && row('Mark price', rate(back.mark_price), 'as read before it was sent'),
    ...(fee === undefined || estimate === undefined
      ? []
      : [
          row('P&L before fees', signedIn('USD', back?.net_pnl_usd), 'price and carry'),
          row('Fee to close', usd(fee, 'USDC')),
          row('Realized P&L', signedIn('USD', estimate), 'about: P&L before fees less fee to close'),
        ]),
    report.entry !== undefined &&
      !closedAlone(report.entry) &&
      row('Realized P&L', missing, 'recorded with another close of these hedges, or settled'),
    realized && row('Net P&L', signedIn('USD', realized), wholeLife(report.derived)),
    back && row('Returned', usd(back.net_margin_usd, 'USD'), 'about; to balance'),
  ];
}

/** `whole life: gross -25.46, carry paid 0.01, fees 46.34` */
function wholeLife({ gross_pnl_usd: gross, carry_usdc: carry, fees_usdc: fees }: ActionFigures): Words {
  if (gross === undefined || carry === undefined || fees === undefined)
    return 'whole life, net of carry and all fees';
  return phrase`whole life: gross ${signedCell(gross)}, carry ${carryCell(carry)}, all fees ${usd(fees)}`;
}

/**
 * From the plan; from the journal for an earlier run, and where an earlier attempt has probably executed: at the price of
 * that time. Undefined where another action is recorded to have closed some of its hedges.
 */
export function expectedBack({ plan, entry }: ActionReport): ReturnedAmounts | undefined {
  if (entry !== undefined && !closedAlone(entry)) return undefined;
  const planned = plan !== undefined && 'comesBack' in plan ? plan.comesBack : undefined;
  const recorded = recordedReturn(entry?.intent.quote);
  return plan?.totalBefore === undefined ? (planned ?? recorded) : (recorded ?? planned);
}
