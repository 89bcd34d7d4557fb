/** The cost of a hedge by its notional, as a table and a chart. */
import { roundHalfUp } from '../../domain/amounts.ts';
import type { CurveReading } from '../../readings/read-curve.ts';
import { dimLine, gap, line, type View } from '../blocks.ts';
import { nameText, text } from '../cells.ts';
import { bps, bpsFigure, costWord, days, usd } from './record-columns.ts';

export function viewCurve({ tenors, intent, refused }: CurveReading): View {
  const [first] = tenors;
  const last = tenors.at(-1);
  if (first === undefined || last === undefined) return [];
  const { market, side, tenor_days: tenor } = first.quote;
  return [
    line(
      nameText(`${side === 'buy' ? 'Buy' : 'Sell'} ${market}, ${days(tenor.toString())}: cost by notional.`),
    ),
    gap,
    {
      kind: 'table',
      columns: [
        { header: 'NOTIONAL USD', align: 'right' },
        { header: 'PRICE', align: 'right' },
        { header: 'IMPACT', align: 'right', optional: true },
        { header: 'COST USDC', align: 'right' },
        { header: 'BPS', align: 'right' },
        { header: '' },
      ],
      rows: tenors.map(({ quote, figures }) => [
        usd(quote.notional_usd),
        { kind: 'rate', amount: roundHalfUp(quote.pricing.execution_price, 4), decimals: 4 },
        usd(figures.impact_cost_usd),
        { kind: 'money', amount: figures.cost_usdc, tone: 'strong' },
        bpsFigure(figures.cost_bps),
        text(quote.notional_usd.eq(intent.notional) ? '<- requested' : '', 'dim'),
      ]),
      empty: 'No quotes',
    },
    refused.map(({ notional, why }) => line('No quote for', usd(notional, 'USD'), `(${why}).`)),
    gap,
    dimLine(`${costWord(first.figures.cost_usdc)} in bps of notional, smallest to largest:`),
    {
      kind: 'chart',
      height: 8,
      points: tenors.map(({ figures }, index) => ({ x: index, y: figures.cost_bps })),
      label: bps,
      ends: [usd(first.quote.notional_usd, 'USD'), usd(last.quote.notional_usd, 'USD')],
      empty: 'No quotes',
    },
  ];
}
