/** Net P&L as it added up, drawn over time. */
import { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import { instantText } from '../../domain/instants.ts';
import type { AddedUpHistory } from '../../flow/read/add-up-history.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import { signedIn } from './cells.ts';

export function viewAddedUp({ steps, undated }: AddedUpHistory): readonly Block[] {
  const [first] = steps;
  const last = steps.at(-1);
  const left = undated.length;
  const leftOut =
    left === 0
      ? []
      : [line(text(`${left.toString()} left out: they came without a time of closing.`, 'warn'))];
  if (first === undefined || last === undefined)
    return left === 0 ? [line(text('Nothing that was closed fits.', 'dim'))] : leftOut;
  const hedges = `${steps.length.toString()} closed ${steps.length === 1 ? 'hedge' : 'hedges'},`;
  return [
    line(text('Net P&L added up, USD:', 'strong'), text(hedges), text('now'), signedIn('USD', last.total)),
    {
      kind: 'chart',
      // It begins with nothing at the first closing, so that the first step is seen too.
      points: [
        { x: first.closedAt, y: new Big(0) },
        ...steps.map(({ closedAt, total }) => ({ x: closedAt, y: total })),
      ],
      label: (total) => ({ kind: 'money', amount: roundTo(total, 2), signed: true, unit: 'USD' }),
      ends: [timeCell(first.closedAt), timeCell(last.closedAt)],
      empty: 'Nothing has been closed yet.',
    },
    ...leftOut,
  ];
}

const timeCell = (at: number): Cell => ({ kind: 'time', at: instantText(at), style: 'minute' });
