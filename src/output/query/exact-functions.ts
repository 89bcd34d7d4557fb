/**
 * Exact numbers in a query. The query library knows numbers only as floats, so they pass through it as symbols named by
 * their digits: it can only pass a symbol on, compare it or reject it, and no digit is lost silently. The functions that
 * compute or sort replace the library's own. Sums, differences and products keep every digit; quotients are rounded once.
 */
import { isDeepStrictEqual } from 'node:util';
import { Big } from 'big.js';
import { divide, sum } from '../../domain/amounts.ts';
import { exactDigits, writeExactJson } from '../../domain/exact-json.ts';

/** One symbol per number, in whatever way it is written. */
export const symbolOf = (amount: Big): symbol => Symbol.for(amount.eq(0) ? '0' : exactDigits(amount));

/** The number of a symbol; undefined for any other value. */
export function queryNumber(value: unknown): Big | undefined {
  if (typeof value === 'number') return new Big(value);
  const digits = typeof value === 'symbol' ? Symbol.keyFor(value) : undefined;
  return digits === undefined ? undefined : new Big(digits);
}

/** A copy with symbols for numbers, of objects that inherit nothing: a query sees only what was sent. */
export function wrapExact(value: unknown): unknown {
  if (value instanceof Big) return symbolOf(value);
  if (typeof value === 'number' || typeof value === 'bigint') return symbolOf(new Big(value.toString()));
  if (Array.isArray(value)) return value.map(wrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, wrapExact);
  return value ?? null;
}

/** The original value, numbers as Big. */
export function unwrapExact(value: unknown): unknown {
  const amount = queryNumber(value);
  if (amount !== undefined) return amount;
  if (Array.isArray(value)) return value.map(unwrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, unwrapExact);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

function mapFields(value: object, change: (inner: unknown) => unknown): object {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) fields[name] = change(inner);
  return fields;
}

/** Decimals of a quotient, half-even. */
const PLACES = 12;
/** Each product has as many as both its factors. */
const MOST_DIGITS = 1_000;
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** An expression such as `&notional_usd`, applied to a value. */
type Key = (of: unknown) => unknown;
type Comparable = Big | string;

export interface ExactFunction {
  name: string;
  takes: readonly ('value' | 'expression')[];
  run: (values: readonly unknown[], key: Key) => unknown;
}

const on = (name: string, takes: number, run: (...values: readonly unknown[]) => unknown): ExactFunction => ({
  name,
  takes: Array.from({ length: takes }, () => 'value' as const),
  run: (values) => run(...values),
});
const by = (name: string, run: (list: readonly unknown[], key: Key) => unknown): ExactFunction => ({
  name,
  takes: ['value', 'expression'],
  run: ([list], key) => run(listIn(name, list), key),
});

const OPERATORS: Readonly<Record<string, (left: unknown, right?: unknown) => unknown>> = {
  EQ: (left, right) => same(left, right),
  NE: (left, right) => !same(left, right),
  GT: comparison((order) => order > 0),
  GTE: comparison((order) => order >= 0),
  LT: comparison((order) => order < 0),
  LTE: comparison((order) => order <= 0),
  Plus: arithmetic('+', (left, right) => left.plus(right)),
  Minus: arithmetic('-', (left, right) => left.minus(right)),
  Multiply: arithmetic('*', (left, right) => left.times(right)),
  Star: arithmetic('*', (left, right) => left.times(right)),
  Divide: arithmetic('/', (left, right) => divide(left, divisor(right), PLACES)),
  Div: arithmetic('//', (left, right) => wholes(left, divisor(right))),
  Modulo: arithmetic('%', (left, right) => left.mod(divisor(right))),
  UnaryPlus: (value) => symbolOf(figureIn('+', value)),
  UnaryMinus: (value) => symbolOf(figureIn('-', value).neg()),
};

export const EXACT_FUNCTIONS: readonly ExactFunction[] = [
  on('abs', 1, (value) => symbolOf(figureIn('abs', value).abs())),
  on('ceil', 1, (value) => symbolOf(wholeAbove(figureIn('ceil', value)))),
  on('floor', 1, (value) => symbolOf(wholeAbove(figureIn('floor', value).neg()).neg())),
  on('sum', 1, (list) => symbolOf(sum(figuresIn('sum', list)))),
  on('avg', 1, (list) => {
    const figures = figuresIn('avg', list);
    return figures.length === 0 ? null : symbolOf(divide(sum(figures), new Big(figures.length), PLACES));
  }),
  on('max', 1, (list) => ordered('max', listIn('max', list)).at(-1) ?? null),
  on('min', 1, (list) => ordered('min', listIn('min', list))[0] ?? null),
  on('sort', 1, (list) => ordered('sort', listIn('sort', list))),
  by('max_by', (list, key) => ordered('max_by', list, key).at(-1) ?? null),
  by('min_by', (list, key) => ordered('min_by', list, key)[0] ?? null),
  by('sort_by', (list, key) => ordered('sort_by', list, key)),
  on('length', 1, (value) => symbolOf(new Big(lengthOf(value)))),
  on('to_number', 1, (value) => {
    const text = typeof value === 'string' && DECIMAL.test(value) ? symbolOf(new Big(value)) : null;
    return queryNumber(value) === undefined ? text : value;
  }),
  on('to_string', 1, (value) => (typeof value === 'string' ? value : writeExactJson(unwrapExact(value)))),
  on('join', 2, (between, list) => {
    const texts = listIn('join', list);
    if (typeof between !== 'string' || !texts.every((text) => typeof text === 'string'))
      throw new Error('join() takes a text and a list of texts; to_string() makes one of a figure');
    return texts.join(between);
  }),
  on('type', 1, typeOf),
  ...Object.entries(OPERATORS).map(([name, run]) => on(`operator ${name}`, run.length, run)),
];

function figureIn(caller: string, value: unknown): Big {
  const figure = queryNumber(value);
  if (figure === undefined) throw new Error(`${caller} needs a number, not ${typeOf(value)}`);
  return figure;
}

function listIn(caller: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${caller}() needs a list, not ${typeOf(value)}`);
  return value;
}

const figuresIn = (caller: string, list: unknown): readonly Big[] =>
  listIn(caller, list).map((value) => figureIn(`${caller}()`, value));

/** Ascending by their keys, which are all figures or all texts; equal ones keep their order. */
function ordered(caller: string, list: readonly unknown[], key: Key = (value) => value): readonly unknown[] {
  const keyed = list.map((value) => ({ value, key: comparableIn(caller, key(value)) }));
  return keyed.toSorted((one, other) => compare(caller, one.key, other.key)).map(({ value }) => value);
}

function comparableIn(caller: string, value: unknown): Comparable {
  const found = typeof value === 'string' ? value : queryNumber(value);
  if (found === undefined) throw new Error(`${caller}() sorts numbers or text, not ${typeOf(value)}`);
  return found;
}

function compare(caller: string, one: Comparable, other: Comparable): number {
  if (one instanceof Big && other instanceof Big) return one.cmp(other);
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0;
  throw new Error(`${caller}() sorts numbers or text, not both`);
}

/** Numbers by value. */
const same = (left: unknown, right: unknown): boolean =>
  isDeepStrictEqual(unwrapExact(left), unwrapExact(right));

/** Null if one of them is not a number, as JMESPath defines it. */
function comparison(holds: (order: number) => boolean) {
  return (left: unknown, right: unknown): boolean | null => {
    const [one, other] = [queryNumber(left), queryNumber(right)];
    return one === undefined || other === undefined ? null : holds(one.cmp(other));
  };
}

function arithmetic(caller: string, compute: (left: Big, right: Big) => Big) {
  return (left: unknown, right: unknown): symbol => {
    const figure = compute(figureIn(caller, left), figureIn(caller, right));
    if (figure.c.length > MOST_DIGITS)
      throw new Error(`${caller} makes a figure of more than ${MOST_DIGITS} digits`);
    return symbolOf(figure);
  };
}

function divisor(figure: Big): Big {
  if (figure.eq(0)) throw new Error('nothing can be divided by zero');
  return figure;
}

const wholeAbove = (figure: Big): Big => {
  const cut = figure.round(0, Big.roundDown);
  return figure.gt(cut) ? cut.plus(1) : cut;
};

/** The quotient, rounded down to a whole number. */
function wholes(left: Big, right: Big): Big {
  const rest = left.mod(right);
  const cut = divide(left.minus(rest), right, 0);
  return rest.eq(0) || left.s === right.s ? cut : cut.minus(1);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new Error(`length() needs a list, a text or an object, not ${typeOf(value)}`);
}

function typeOf(value: unknown): string {
  if (queryNumber(value) !== undefined) return 'number';
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
