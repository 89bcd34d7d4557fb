/** Reads the arguments of `hedge cover`, its exposures and its policy. */
import { Big } from 'big.js';
import {
  CERTAINTIES,
  type CoverBucket,
  type CoverPolicy,
  DIRECTIONS,
  type Exposure,
} from '../domain/cover.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { similarForm } from '../domain/similar-ids.ts';
import { UsageError } from '../errors.ts';
import { filePath, hasDecimals, oneOf, optionText, type RawInput, readMarket } from './operands.ts';
import { readOption } from './option.ts';
import {
  type DateOrder,
  dateOrderOf,
  readAmount,
  readDate,
  readRowId,
  readSheet,
  rejectRows,
  type SheetShape,
  type WrongRow,
} from './spreadsheet.ts';

export interface CoverIntent {
  /** Paths. */
  exposures: string;
  policy: string;
  /** The path of the deals file to write. */
  deals: string | undefined;
  /** In capitals; undefined: the account's naira market. */
  market: string | undefined;
  dates: DateOrder | undefined;
  /** The path of the operator's own public holidays. */
  holidays: string | undefined;
}

const EXAMPLE = say`Example: ${shell`hedge cover exposures.csv --policy policy.json`}`;

export function readCoverIntent(raw: RawInput): CoverIntent {
  const [exposures = ''] = raw.operands;
  const policy = optionText(raw, 'policy');
  if (policy === undefined) throw new UsageError('Missing --policy: the file with the buckets.', EXAMPLE);
  const pathOf = (text: string, name: string): string => filePath(text, name, EXAMPLE);
  return {
    exposures: pathOf(exposures, 'EXPOSURES'),
    policy: pathOf(policy, '--policy'),
    deals: readOption(raw, 'deals', pathOf),
    holidays: readOption(raw, 'holidays', pathOf),
    market: readOption(raw, 'market', readMarket),
    dates: readOption(raw, 'dates', readDateOrder),
  };
}

export const DATE_ORDERS = ['dmy', 'mdy'] as const;

function readDateOrder(text: string): DateOrder {
  const hint = 'Use dmy for 14/12/2026, or mdy for 12/14/2026.';
  return oneOf(DATE_ORDERS, text, 'an order of dates (--dates)', hint) === 'dmy'
    ? 'day_first'
    : 'month_first';
}

export const EXPOSURE_COLUMNS = ['id', 'due', 'ngn', 'direction', 'certainty'] as const;

/** Columns that say in which currency the amount of a row is. */
const CURRENCY_COLUMNS: readonly string[] = ['currency', 'ccy', 'currency_code'];

export interface ExposureFile {
  exposures: readonly Exposure[];
  ignored: readonly string[];
  /** The order of dates such as 14/12/2026; undefined: there were none. */
  dateOrder: DateOrder | undefined;
}

/** @throws UsageError that names every wrong row. */
export function readExposures(
  content: string,
  { path, dates }: { path: string; dates: DateOrder | undefined },
): ExposureFile {
  const shape: SheetShape = {
    path,
    columns: EXPOSURE_COLUMNS,
    example: 'INV-2201,2026-12-14,"25,000,000.00",receive,firm',
  };
  const { rows, ignored, wrong: misfits } = readSheet(content, shape);
  const order = dates ?? dateOrderOf(rows.map(({ cells }) => cells.get('due') ?? ''));
  const wrong: WrongRow[] = [...misfits];
  const twinOf = twins();
  const exposures = rows.flatMap(({ line, cells }): Exposure[] => {
    const accept = <Value>(read: Value | string): Value | undefined => {
      if (typeof read !== 'string') return read;
      wrong.push({ line, why: read });
      return undefined;
    };
    const cell = (name: (typeof EXPOSURE_COLUMNS)[number]): string => cells.get(name) ?? '';
    const id = accept(readRowId(cell('id')))?.id;
    const due = accept(readDate(cell('due'), order))?.date;
    const ngn = accept(readAmount(cell('ngn')));
    const direction = accept(readWord(directionIn(cell('direction')), 'direction', DIRECTIONS))?.word;
    const certainty = accept(readWord(cell('certainty'), 'certainty', CERTAINTIES))?.word;
    const foreign = CURRENCY_COLUMNS.map((name) => cells.get(name) ?? '').find(isForeign);
    if (foreign !== undefined)
      wrong.push({ line, why: `its currency is ${quoted(foreign)}: amounts of this file are naira.` });
    const twin = id === undefined ? undefined : twinOf(id, line);
    if (twin !== undefined) wrong.push({ line, why: twin });
    return twin !== undefined || !id || !due || !ngn || !direction || !certainty
      ? []
      : [{ id, due, ngn, direction, certainty }];
  });
  rejectRows(wrong, shape);
  if (exposures.length === 0)
    throw new UsageError(
      `${quoted(path)} has no exposures.`,
      `The header is: ${shape.columns.join(',')}\nA row: ${shape.example}`,
    );
  const isNumeric = rows.some(({ cells }) => /^\d{1,2}[/-]\d{1,2}[/-]\d{4}/.test(cells.get('due') ?? ''));
  const unread = ignored.filter((name) => !CURRENCY_COLUMNS.includes(name));
  return { exposures, ignored: unread, dateOrder: isNumeric && order !== 'mixed' ? order : undefined };
}

/** A row without a currency is in naira. */
const isForeign = (currency: string): boolean => !['', '₦', 'NGN', 'NAIRA'].includes(currency.toUpperCase());

/** An exposure that counted twice would be covered twice. Undefined for an ID that looks like none before it. */
function twins(): (id: string, line: number) => string | undefined {
  const seen = new Map<string, { id: string; line: number }>();
  return (id, line) => {
    const form = similarForm(id);
    const twin = seen.get(form);
    seen.set(form, { id, line });
    if (twin === undefined) return undefined;
    return twin.id === id
      ? `the id ${quoted(id)} is that of line ${twin.line}.`
      : `the id ${quoted(id)} looks like ${quoted(twin.id)} of line ${twin.line}. If they are two exposures, rename one.`;
  };
}

/** An accounting system calls the directions receivable and payable. */
const OTHER_DIRECTIONS: Readonly<Record<string, Exposure['direction']>> = {
  receivable: 'receive',
  receivables: 'receive',
  payable: 'pay',
  payables: 'pay',
};

const directionIn = (text: string): string => ownField(OTHER_DIRECTIONS, text.toLowerCase()) ?? text;

function readWord<Word extends string>(
  text: string,
  name: string,
  words: readonly Word[],
): { word: Word } | string {
  const word = words.find((each) => each === text.toLowerCase());
  return word === undefined ? `${name} ${quoted(text)} is not ${words.join(' or ')}.` : { word };
}

const POLICY_EXAMPLE =
  '{ "buckets": [{ "from_days": 0, "to_days": 7, "min_pct": 60, "target_pct": 80, "max_pct": 100 }], "before_days": 1, "after_days": 1, "forecast_weight_pct": 50 }';
const MAX_DAYS = 730;
const MAX_WINDOW = 31;
const MAX_PCT = 1_000;
const PCT_DECIMALS = 4;
const MOST_BUCKETS = 50;
/** USD, in whole cents. */
const LEAST_NOTIONAL = new Big('0.01');

/** @throws UsageError for a wrong or missing field, an unknown one, overlapping buckets, and fractions instead of percent. */
export function readPolicy(content: string, path: string): CoverPolicy {
  const at = (where: string): PolicyReader => policyReader(path, where);
  const top = at('');
  const fields = top.object(jsonIn(content, path), [
    'buckets',
    'before_days',
    'after_days',
    'forecast_weight_pct',
    'min_notional_usd',
  ]);
  const list = ownField(fields, 'buckets');
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_BUCKETS)
    throw top.wrong(`buckets must be a list of 1 to ${MOST_BUCKETS} buckets`);
  const buckets = list
    .map((each: unknown, index): CoverBucket => bucketIn(each, at(`buckets[${index}].`)))
    .toSorted((one, other) => one.fromDays - other.fromDays);
  const later = buckets.find((bucket, index) => {
    const before = buckets[index - 1];
    return before !== undefined && before.toDays >= bucket.fromDays;
  });
  if (later !== undefined)
    throw top.wrong(`two buckets overlap at day ${later.fromDays}; both ends are included`);
  // A cover of at most 1 % is no policy: these are fractions.
  if (buckets.every(({ maxPct }) => maxPct.lte(1)) && buckets.some(({ maxPct }) => maxPct.gt(0)))
    throw top.wrong('min_pct, target_pct and max_pct are in percent: 60, not 0.6');
  const least = ownField(fields, 'min_notional_usd');
  return {
    buckets,
    beforeDays: top.days(fields, 'before_days', MAX_WINDOW),
    afterDays: top.days(fields, 'after_days', MAX_WINDOW),
    forecastWeightPct: top.percent(fields, 'forecast_weight_pct', 100),
    minNotional: least === undefined ? LEAST_NOTIONAL : top.notional(least),
  };
}

function bucketIn(value: unknown, reader: PolicyReader): CoverBucket {
  const fields = reader.object(value, ['from_days', 'to_days', 'min_pct', 'target_pct', 'max_pct']);
  const bucket = {
    fromDays: reader.days(fields, 'from_days', MAX_DAYS),
    toDays: reader.days(fields, 'to_days', MAX_DAYS),
    minPct: reader.percent(fields, 'min_pct', MAX_PCT),
    targetPct: reader.percent(fields, 'target_pct', MAX_PCT),
    maxPct: reader.percent(fields, 'max_pct', MAX_PCT),
  };
  if (bucket.fromDays > bucket.toDays) throw reader.wrong('from_days is after to_days');
  if (bucket.minPct.gt(bucket.targetPct) || bucket.targetPct.gt(bucket.maxPct))
    throw reader.wrong('min_pct, target_pct and max_pct must rise');
  return bucket;
}

function jsonIn(content: string, path: string): unknown {
  try {
    return parseExactJson(content.replace(/^\ufeff/, ''));
  } catch {
    // A SyntaxError, or a RangeError of a text that is nested too deep.
    throw new UsageError(`${quoted(path)} is not JSON.`, `Example: ${POLICY_EXAMPLE}`);
  }
}

type PolicyReader = ReturnType<typeof policyReader>;

function policyReader(path: string, where: string) {
  const wrong = (why: string): UsageError =>
    new UsageError(`The policy ${quoted(path)}: ${where}${why}.`, `Example: ${POLICY_EXAMPLE}`);
  const number = (fields: Fields, name: string, most: number): Big => {
    const value = ownField(fields, name);
    if (value === undefined) throw wrong(`${name} is missing`);
    if (!(value instanceof Big) || value.lt(0) || value.gt(most))
      throw wrong(`${name} must be a number from 0 to ${most}`);
    return value;
  };
  return {
    wrong,
    /** Rejects unknown fields: a misspelled one would be ignored. */
    object(value: unknown, names: readonly string[]): Fields {
      if (!isFields(value) || value instanceof Big)
        throw wrong(where === '' ? 'must be an object' : 'must be an object of its own');
      const unknown = Object.keys(value).find((name) => !names.includes(name));
      if (unknown !== undefined) throw wrong(`${quoted(unknown)} is not one of ${names.join(', ')}`);
      return value;
    },
    days(fields: Fields, name: string, most: number): number {
      const value = number(fields, name, most);
      if (!hasDecimals(value, 0)) throw wrong(`${name} must be a whole number`);
      return value.toNumber();
    },
    percent(fields: Fields, name: string, most: number): Big {
      const value = number(fields, name, most);
      if (!hasDecimals(value, PCT_DECIMALS)) throw wrong(`${name} has more than four decimals`);
      return value;
    },
    notional(value: unknown): Big {
      if (!(value instanceof Big) || value.lt(LEAST_NOTIONAL) || !hasDecimals(value, 2) || value.gt(1e9))
        throw wrong('min_notional_usd must be a number of USD above zero, with two decimals at most');
      return value;
    },
  };
}
