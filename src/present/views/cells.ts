/** Cells that several views share. */
import { Big } from 'big.js';
import type { Cell } from '../blocks.ts';

/** A P&L figure as it was sent: signed, coloured by its sign; the sign says it without the colour. */
export function signedCell(value: unknown): Cell {
  if (!(value instanceof Big)) return { kind: 'missing' };
  const amount = { kind: 'money', amount: value, signed: true } as const;
  if (value.eq(0)) return amount;
  return { ...amount, tone: value.gt(0) ? 'good' : 'bad' };
}
