/** The mids that were seen of one market, as a line over time, and how far it has moved. */
import { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import { instantText } from '../../domain/instants.ts';
import { quoteCurrency } from '../../domain/vocabulary.ts';
import type { SeenMarket } from '../../flow/read/read-seen-prices.ts';
import { type Block, type Cell, line, nameText, text } from '../blocks.ts';

export function viewSeenPrice({ market, seen }: SeenMarket): readonly Block[] {
  const [first] = seen;
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return [];
  if (seen.length === 1)
    return [
      { kind: 'gap' },
      line(
        nameText(`${market} was seen once from this machine. hedge price --watch lets the line grow.`, 'dim'),
      ),
    ];
  return [
    { kind: 'gap' },
    line(
      nameText(`${market}, ${quoteCurrency(market)} per USDT, as seen from this machine:`, 'strong'),
      text(`${seen.length.toString()} prices,`),
      ...moveCells(first.mid, last.mid),
    ),
    {
      kind: 'chart',
      points: seen.map(({ at, mid }) => ({ x: at, y: mid })),
      label: (mid) => ({ kind: 'rate', amount: roundTo(mid, 4) }),
      ends: [timeCell(first.at), timeCell(last.at)],
      empty: 'No price has been seen yet.',
    },
  ];
}

/** How far it is from one price to another: signed, and in percent of the first. */
export function moveCells(from: Big, to: Big): readonly Cell[] {
  const move = to.minus(from);
  if (move.eq(0)) return [text('unchanged')];
  const percent = from.eq(0) ? new Big(0) : roundTo(move.times(100).div(from), 3);
  return [
    { kind: 'money', amount: roundTo(move, 4), signed: true },
    text('('),
    { kind: 'percent', amount: percent, signed: true },
    text(')'),
  ];
}

const timeCell = (at: number): Cell => ({ kind: 'time', at: instantText(at), style: 'minute' });
