/** Sums of closed hedges as a person reads them: a line a group, the total last, and which figures did not come. */
import type { HistorySums, SumGroup, Summed, Sums } from '../../flow/read/sum-history.ts';
import { type Block, type Cell, type Column, line, text } from '../blocks.ts';
import { signedCell } from './cells.ts';

const FIGURES: readonly { name: Summed; header: string; named: string; signed: boolean; optional?: true }[] =
  [
    { name: 'notional_usd', header: 'NOTIONAL USD', named: 'notional', signed: false },
    { name: 'gross_pnl_usd', header: 'GROSS USD', named: 'gross P&L', signed: true, optional: true },
    { name: 'carry_usdc', header: 'CARRY USDC', named: 'carry', signed: true, optional: true },
    { name: 'fees_usdc', header: 'FEES USDC', named: 'fees', signed: false, optional: true },
    { name: 'net_pnl_usd', header: 'NET P&L USD', named: 'net P&L', signed: true },
  ];

export function viewHistorySums({ by, zone, groups, total }: HistorySums): readonly Block[] {
  const figures = FIGURES.filter(({ name }) => total.sums[name] !== null);
  const columns: readonly Column[] = [
    { header: by.toUpperCase() },
    { header: 'HEDGES', align: 'right' },
    ...figures.map(({ header, optional }) => ({
      header,
      align: 'right' as const,
      ...(optional === undefined ? {} : { optional }),
    })),
  ];
  const rowOf = (name: Cell, sums: Sums): readonly Cell[] => [
    name,
    { kind: 'number', amount: sums.count },
    ...figures.map(({ name: figure, signed }) => sumCell(sums.sums[figure], signed)),
  ];
  const rows = groups.map((group) => rowOf(nameCell(group), group));
  return [
    {
      kind: 'table',
      columns,
      rows: groups.length === 0 ? [] : [...rows, rowOf(text('TOTAL', 'strong'), total)],
      fixed: true,
      empty: 'Nothing was closed.',
    },
    ...(zone === null || groups.length === 0
      ? []
      : [line(text(`A ${by} is one of ${zone}, by closed_at.`, 'dim'))]),
    ...lackingLines(total),
  ];
}

const nameCell = ({ name }: SumGroup): Cell => text(name ?? '(not said)');

function sumCell(amount: Sums['sums'][Summed], signed: boolean): Cell {
  if (amount === null) return { kind: 'missing' };
  return signed ? signedCell(amount) : { kind: 'money', amount };
}

/** A sum of fewer records than there are must not be taken for the whole. */
function lackingLines({ count, lacking }: Sums): readonly Block[] {
  const none = FIGURES.filter(({ name }) => count > 0 && lacking[name] === count);
  const some = FIGURES.filter(({ name }) => lacking[name] > 0 && lacking[name] !== count);
  return [
    ...(none.length === 0
      ? []
      : [line(text(`The service did not send ${none.map(({ named }) => named).join(', ')}.`, 'dim'))]),
    ...some.map(({ name, named }) =>
      line(
        text(
          `Sums of ${named} are of ${(count - lacking[name]).toString()} of ${count.toString()} hedges: the service did not send the others.`,
          'warn',
        ),
      ),
    ),
  ];
}
