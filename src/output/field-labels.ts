/** Labels and formats of fields that are not declared, from their names (specification §1): `_usd`, `_pct`, `_at`. */
import { Big } from 'big.js';
import { writeExactJson } from '../domain/exact-json.ts';
import { ownField } from '../domain/fields.ts';
import { instantOf } from '../domain/instants.ts';
import { spelledName } from '../domain/sanitize.ts';
import type { Amount, Cell } from './cells.ts';

const UNITS = new Map([
  ['_usdc', 'USDC'],
  ['_usd', 'USD'],
  ['_pct', '%'],
  ['_bps', 'bps'],
  ['_days', 'days'],
]);

/** The cell of any value by the name of its field. The label has the unit. */
export function cellOf(field: string, value: unknown): Cell {
  if (value === undefined || value === null) return { kind: 'missing' };
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no' };
  if (isAmount(value)) return numberCell(field, value);
  if (typeof value !== 'string') return { kind: 'text', text: writeExactJson(value) };
  if (isTimeField(field) && instantOf(value) !== undefined)
    return { kind: 'time', at: value, style: 'minute' };
  // Some services send money as text to keep its digits.
  if (isQuantity(field) && DECIMAL.test(value)) return numberCell(field, value);
  if (HASH_FIELD.test(field) && HASH.test(value)) return { kind: 'hash', text: value };
  return { kind: 'text', text: NAME.test(field) ? spelledName(value) : value };
}

/** `id`, `market`, `client_reference`, `order_tx_hash` */
const NAME = /(?:^|_)(?:id|market|symbol|reference|hash|key)$/;

const HASH_FIELD = /(?:^|_)(?:hash|key)$/;
/** The hash of a transaction or an order. */
const HASH = /^0x[0-9a-f]{32,}$/i;

/** `net_margin_usd` → `Net margin (USD)`, `maturity_at` → `Maturity`, `orderKey` → `Order key`. */
export function labelOf(field: string): string {
  const known = ownField(LABELS, field);
  if (known !== undefined) return known;
  const unit = unitOf(field);
  const stem = field.replace(unit === undefined ? /_at$/ : /_[a-z]+$/, '');
  const spaced = stem
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\s]+/g, ' ')
    .trim();
  if (spaced === '') return field;
  const words = spaced.split(' ').map((word) => ownField(WORDS, word.toLowerCase()) ?? word.toLowerCase());
  const label = words.join(' ');
  const named = label.charAt(0).toUpperCase() + label.slice(1);
  return unit === undefined ? named : `${named} (${unit})`;
}

/** The labels of the other screens. */
const LABELS: Readonly<Record<string, string>> = {
  all_in_rate: 'Break-even',
  net_margin_usd: 'Closing returns (USD)',
};

/** The header of a column: `NET MARGIN USD`. */
export const headerOf = (field: string): string =>
  upperHeader(labelOf(field.slice(field.lastIndexOf('.') + 1)));

export const upperHeader = (label: string): string => label.toUpperCase().replace(/ \((USDC?)\)$/, ' $1');

const WORDS: Readonly<Record<string, string>> = { pnl: 'P&L', id: 'ID', tx: 'transaction', usd: 'USD' };
const DECIMAL = /^-?\d{1,40}(?:\.\d{1,40})?$/;

const unitOf = (field: string): string | undefined => UNITS.get(/.(_[a-z]+)$/.exec(field)?.[1] ?? '');

const isRate = (field: string): boolean => /rate|price/i.test(field);
/** Whether a field of this name holds an instant. */
export const isTimeField = (field: string): boolean => /_at$|maturity|timestamp|_time$|date/i.test(field);
const isQuantity = (field: string): boolean => unitOf(field) !== undefined || isRate(field);
const isAmount = (value: unknown): value is Amount =>
  value instanceof Big || typeof value === 'number' || typeof value === 'bigint';

function numberCell(field: string, amount: Amount): Cell {
  const unit = unitOf(field);
  if (unit === '%') return { kind: 'percent', amount };
  if (unit === 'USD' || unit === 'USDC') return { kind: 'money', amount };
  return unit === undefined && isRate(field) ? { kind: 'rate', amount } : { kind: 'number', amount };
}

/** Computed figures in a document; no view shows them as a field. */
const DERIVED = 'derived';

/** Fields that are not known, in the order of their first appearance. */
export function unknownFields(records: readonly object[], known: readonly string[]): readonly string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  for (const name of [...known, DERIVED]) names.delete(name);
  return [...names];
}
