/** What a hedge would cost at several notionals: a table, and the cost in bps as a line over it. */
import { roundTo } from '../../domain/amounts.ts';
import type { CurveReading } from '../../flow/read/read-curve.ts';
import { type Block, line, nameText, text } from '../blocks.ts';
import { costWord, days, usd } from './cells.ts';

export function viewCurve({ tenors, intent, refused }: CurveReading): readonly Block[] {
  const [first] = tenors;
  const last = tenors.at(-1);
  if (first === undefined || last === undefined) return [];
  const { market, side, tenor_days: tenor } = first.quote;
  return [
    line(
      nameText(
        `${side === 'buy' ? 'Buy' : 'Sell'} ${market}, ${days(tenor.toString())}: the cost by notional.`,
      ),
    ),
    { kind: 'gap' },
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
        { kind: 'rate', amount: roundTo(quote.pricing.execution_price, 4), decimals: 4 },
        usd(figures.impact_cost_usd),
        { kind: 'money', amount: figures.cost_usdc, tone: 'strong' },
        { kind: 'number', amount: roundTo(figures.cost_bps, 1) },
        text(quote.notional_usd.eq(intent.notional) ? '<- asked' : '', 'dim'),
      ]),
      empty: 'No quote came.',
    },
    ...refused.map(({ notional, why }) =>
      line(text('No quote for'), usd(notional, 'USD'), text(`(${why}).`)),
    ),
    { kind: 'gap' },
    line(
      text(
        `${costWord(first.figures.cost_usdc)}, in bps of notional; each step to the right is a larger one:`,
        'dim',
      ),
    ),
    {
      kind: 'chart',
      height: 8,
      points: tenors.map(({ figures }, index) => ({ x: index, y: figures.cost_bps })),
      label: (cost) => ({ kind: 'number', amount: roundTo(cost, 1), unit: 'bps' }),
      ends: [usd(first.quote.notional_usd, 'USD'), usd(last.quote.notional_usd, 'USD')],
      empty: 'No quote came.',
    },
  ];
}
