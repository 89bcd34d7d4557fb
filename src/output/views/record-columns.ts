/** Cells and rows that several views share. */

import { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import { type Fields, ownField } from '../../domain/fields.ts';
import { exactInstant } from '../../domain/instants.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import type { TimeStyle } from '../../domain/zone-times.ts';
import { type Amount, type Cell, inline, missing, nameText, type Tone, text, type Words } from '../cells.ts';
import { cellOf, labelOf, unknownFields } from '../field-labels.ts';

/** For a field whose value is an exact amount; a dash for any other. */
export const ofAmount =
  (cell: (amount: Big) => Cell) =>
  (value: unknown): Cell =>
    value instanceof Big ? cell(value) : missing;

/** Half up, as people do when they check a figure by hand. */
export const cents = (amount: Big): Big => roundHalfUp(amount, 2);

/** A signed figure in whole cents; a dash where it is not known. */
export const signedCents = (amount: Big | undefined): Cell =>
  amount === undefined ? missing : signedCell(cents(amount));

export const inUnit = (unit: string, cell: Cell): Cell => (cell.kind === 'money' ? { ...cell, unit } : cell);

export const signedIn = (unit: string, value: unknown): Cell => inUnit(unit, signedCell(value));

/**
 * Carry of a position or a closed hedge, in a word. The service's sign (ASSUMED) is that of P&L: negative is paid. A
 * quote's is the opposite.
 */
export function carryCell(value: unknown): Cell {
  const cell = signedCell(value);
  if (!(value instanceof Big) || value.eq(0) || cell.kind !== 'money') return cell;
  return { ...cell, amount: value.abs(), signed: false, word: value.lt(0) ? 'paid' : 'earned' };
}

/** The operator's deal ID; a reference that the program generated is not one. */
export const dealIdCell = (reference: unknown): Cell =>
  typeof reference === 'string' && !isDerivedReference(reference) ? nameText(reference) : missing;

/** A dash where it is not known. */
export const known = <Value>(value: Value | null | undefined, cell: (value: Value) => Cell): Cell =>
  value === undefined || value === null ? missing : cell(value);

export const hashCell = (hash: string): Cell => ({ kind: 'hash', text: spelledName(hash) });

/** The fields of a record of the service that are not specified, each with its label. */
export const extraCells = (record: Fields, specified: readonly string[]) =>
  unknownFields([record], specified).map(
    (name) => [labelOf(name), cellOf(name, ownField(record, name))] as const,
  );

/** A signed P&L figure, colored by its sign. */
export const signedCell = ofAmount((amount) => ({
  kind: 'money',
  amount,
  signed: true,
  tone: amount.eq(0) ? undefined : amount.gt(0) ? 'good' : 'bad',
}));

export const centsCell = ofAmount((amount) => usd(cents(amount)));
export const priceCell = ofAmount((price) => rate(price, 4));

/** A time of day, and the date of another day; a dash where it is not known. */
export const shortTime = (at: unknown): Cell =>
  typeof at === 'string' ? { kind: 'time', at, style: 'short' } : missing;

/** An instant, ISO 8601, to the second unless `style` is another. */
export const time = (at: string, style: TimeStyle = 'second', tone?: Tone): Cell => ({
  kind: 'time',
  at,
  style,
  tone,
});

/** An instant in milliseconds, to the minute. */
export const minute = (ms: number, tone?: Tone): Cell => time(exactInstant(ms), 'minute', tone);

export const countCell = (amount: number): Cell => ({ kind: 'number', amount });

/** A row of figures: a name, one figure, and words after it. */
export const row = (name: string, ...words: readonly Words[]): Cell[] => [text(name), ...inline(...words)];

/** An amount in USD, under a heading that says so, or in another `unit`. A dash where it is not known. */
export const usd = (amount: Amount | null | undefined, unit?: string, tone?: Tone): Cell =>
  known(amount, (each) => ({ kind: 'money', amount: each, unit, tone }));

/** A rate with all its decimals, or rounded to `places`. */
export const rate = (amount: Big, places?: number): Cell => ({
  kind: 'rate',
  amount: places === undefined ? amount : roundHalfUp(amount, places),
});

export const bps = (amount: Big): Cell => ({ kind: 'number', amount: roundHalfUp(amount, 1), unit: 'bps' });

/** Under a heading that names the unit. */
export const bpsFigure = (amount: Big): Cell => ({ kind: 'number', amount: roundHalfUp(amount, 1) });

/** `1 hedge`, `3200 hedges`. */
export const countOf = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

export const days = (count: string): string => (count === '1' ? '1 day' : `${count} days`);

/** When a hedge matures; marked on a weekend or a public holiday of the reader's time zone. */
export const maturityCell = (at: string, style: 'date' | 'minute'): Extract<Cell, { kind: 'time' }> => ({
  kind: 'time',
  at,
  style,
  matures: true,
});
