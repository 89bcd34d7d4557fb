/** Reads the arguments of `hedge cover`, its exposures and its policy. */
import { Big } from 'big.js';
import { CERTAINTIES, type CoverPolicy, DIRECTIONS, type Exposure } from '../domain/cover.ts';
import { parseExactJson } from '../domain/exact-json.ts';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { similarForm } from '../domain/similar-ids.ts';
import { UsageError } from '../errors.ts';
import { filePath, hasDecimals, isNot, oneOf, parsedJson, readMarket } from './operands.ts';
import { optionText, type RawInput, readOption } from './option.ts';
import { type DateOrder, dateOrderOf, isSerialDate, readDate } from './sheet-dates.ts';
import { readAmount, readRowId, readSheet } from './spreadsheet.ts';

export type CoverIntent = ReturnType<typeof readCoverIntent>;

export const COVER_EXAMPLE = say`Example: ${shell`hedge cover exposures.csv --policy policy.json`}`;

/** Paths, and the market in capitals: undefined for the account's naira market. */
export function readCoverIntent(raw: RawInput) {
  const [exposures = ''] = raw.operands;
  const policy = optionText(raw, 'policy');
  if (policy === undefined)
    throw new UsageError('Missing --policy: the file with the buckets.', COVER_EXAMPLE);
  const pathOf = (text: string, name: string): string => filePath(text, name, COVER_EXAMPLE);
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
  /** Dates that were numbers of a spreadsheet: `46370`. */
  serialDates: readonly { text: string; date: string }[];
}

/** @throws UsageError that names every wrong row. */
export function readExposures(content: string, path: string, dates?: DateOrder): ExposureFile {
  const shape = {
    path,
    columns: EXPOSURE_COLUMNS,
    amounts: ['ngn'],
    example: 'ID-1,2026-12-31,"25,000,000.00",receive,firm',
  };
  const { rows, ignored, rejectWrong } = readSheet(content, shape);
  const order = dates ?? dateOrderOf(rows.map(({ cell }) => cell('due')));
  // An exposure that counted twice would be covered twice.
  const twins = new Map<string, { id: string; line: number }>();
  const exposures = rows.flatMap(({ line, cell, value, reject, isRejected }): Exposure[] => {
    const id = value('id', readRowId);
    const due = value('due', (text) => readDate(text, order));
    const ngn = value('ngn', readAmount);
    const direction = value('direction', (text) => readWord('direction', directionIn(text), DIRECTIONS));
    const certainty = value('certainty', (text) => readWord('certainty', text, CERTAINTIES));
    const foreign = CURRENCY_COLUMNS.map(cell).find(isForeign);
    if (foreign !== undefined) reject(`its currency is ${quoted(foreign)}: amounts of this file are naira.`);
    if (id !== undefined) {
      const twin = twins.get(similarForm(id));
      twins.set(similarForm(id), { id, line });
      if (twin?.id === id) reject(`the id ${quoted(id)} is that of line ${twin.line}.`);
      else if (twin !== undefined)
        reject(
          `the id ${quoted(id)} looks like ${quoted(twin.id)} of line ${twin.line}. If they are two exposures, rename one.`,
        );
    }
    return isRejected() || !id || !due || !ngn || !direction || !certainty
      ? []
      : [{ id, due, ngn, direction, certainty }];
  });
  rejectWrong();
  if (exposures.length === 0)
    throw new UsageError(
      `${quoted(path)} has no exposures.`,
      `The header is: ${shape.columns.join(',')}\nA row: ${shape.example}`,
    );
  const isNumeric = rows.some(({ cell }) => /^\d{1,2}[/-]\d{1,2}[/-]\d{4}/.test(cell('due')));
  const unread = ignored.filter((name) => !CURRENCY_COLUMNS.includes(name));
  return {
    exposures,
    ignored: unread,
    dateOrder: isNumeric && order !== 'mixed' ? order : undefined,
    serialDates: rows.flatMap(({ cell }) => {
      const text = cell('due');
      return isSerialDate(text) ? [{ text, date: readDate(text, order) }] : [];
    }),
  };
}

/** A row without a currency is in naira. */
const isForeign = (currency: string): boolean => !['', '₦', 'NGN', 'NAIRA'].includes(currency.toUpperCase());

/** An accounting system calls the directions receivable and payable. */
const OTHER_DIRECTIONS: Readonly<Record<string, Exposure['direction']>> = {
  receivable: 'receive',
  receivables: 'receive',
  payable: 'pay',
  payables: 'pay',
};

const directionIn = (text: string): string => ownField(OTHER_DIRECTIONS, text.toLowerCase()) ?? text;

function readWord<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return word;
  throw new UsageError(`${name} ${quoted(text)} is not ${words.join(' or ')}.`);
}

const POLICY_EXAMPLE =
  '{ "buckets": [{ "from_days": 0, "to_days": 7, "min_pct": 60, "target_pct": 80, "max_pct": 100 }], "before_days": 1, "after_days": 1, "forecast_weight_pct": 50 }';
const BUCKET = ['from_days', 'to_days', 'min_pct', 'target_pct', 'max_pct'];
const POLICY = ['buckets', 'before_days', 'after_days', 'forecast_weight_pct', 'min_notional_usd'];
/** Figures are from 0 up to these. */
const [MOST_DAYS, MOST_WINDOW, MOST_PCT] = [730, 31, 1_000];
const PCT_DECIMALS = 4;
const MOST_BUCKETS = 50;
/** USD, in whole cents. */
const LEAST_NOTIONAL = new Big('0.01');
/** USD: a deal of cents is not worth a settlement. */
const USUAL_LEAST = new Big(10);

/** @throws UsageError for a wrong or missing field, an unknown one, overlapping buckets, and fractions instead of percent. */
export function readPolicy(content: string, path: string): CoverPolicy {
  const wrong: Wrong = (why) =>
    new UsageError(`The policy ${quoted(path)}: ${why}.`, `Example: ${POLICY_EXAMPLE}`);
  const policy = parsedJson(content.replace(/^\ufeff/, ''), parseExactJson);
  if (policy === undefined) throw isNot(path, 'JSON', `Example: ${POLICY_EXAMPLE}`);
  if (!isObject(policy)) throw wrong('must be an object');
  checkNames(policy, POLICY, wrong);
  const list = ownField(policy, 'buckets');
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_BUCKETS)
    throw wrong(`buckets must be a list of 1 to ${MOST_BUCKETS} buckets`);
  const buckets = list
    .map((each: unknown, index) => bucketIn(each, (why) => wrong(`buckets[${index}].${why}`)))
    .toSorted((one, other) => one.fromDays - other.fromDays);
  const later = buckets.find((bucket, index) => {
    const before = buckets[index - 1];
    return before !== undefined && before.toDays >= bucket.fromDays;
  });
  if (later !== undefined)
    throw wrong(`two buckets overlap at day ${later.fromDays}; both ends are included`);
  // A cover of at most 1 % is no policy: these are fractions.
  if (buckets.every(({ maxPct }) => maxPct.lte(1)) && buckets.some(({ maxPct }) => maxPct.gt(0)))
    throw wrong('min_pct, target_pct and max_pct are in percent: 60, not 0.6');
  const least = ownField(policy, 'min_notional_usd') ?? USUAL_LEAST;
  const beforeDays = daysIn(policy, 'before_days', MOST_WINDOW, wrong);
  const afterDays = daysIn(policy, 'after_days', MOST_WINDOW, wrong);
  const forecastWeightPct = figureIn(policy, 'forecast_weight_pct', [100, PCT_DECIMALS], wrong);
  if (!(least instanceof Big) || least.lt(LEAST_NOTIONAL) || !hasDecimals(least, 2) || least.gt(1e9))
    throw wrong('min_notional_usd must be a number of USD above zero, with two decimals at most');
  return { buckets, beforeDays, afterDays, forecastWeightPct, minNotional: least };
}

type Wrong = (why: string) => UsageError;

function bucketIn(value: unknown, wrong: Wrong) {
  if (!isObject(value)) throw wrong('must be an object of its own');
  checkNames(value, BUCKET, wrong);
  const percent = (name: string): Big => figureIn(value, name, [MOST_PCT, PCT_DECIMALS], wrong);
  const fromDays = daysIn(value, 'from_days', MOST_DAYS, wrong);
  const toDays = daysIn(value, 'to_days', MOST_DAYS, wrong);
  const [minPct, targetPct, maxPct] = [percent('min_pct'), percent('target_pct'), percent('max_pct')];
  if (fromDays > toDays) throw wrong('from_days is after to_days');
  if (minPct.gt(targetPct) || targetPct.gt(maxPct)) throw wrong('min_pct, target_pct and max_pct must rise');
  return { fromDays, toDays, minPct, targetPct, maxPct };
}

const isObject = (value: unknown): value is Fields => isFields(value) && !(value instanceof Big);

/** Rejects unknown fields: a misspelled one would be ignored. */
function checkNames(fields: Fields, names: readonly string[], wrong: Wrong): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) throw wrong(`${quoted(unknown)} is not one of ${names.join(', ')}`);
}

const daysIn = (fields: Fields, name: string, most: number, wrong: Wrong): number =>
  figureIn(fields, name, [most, 0], wrong).toNumber();

function figureIn(fields: Fields, name: string, [most, decimals]: readonly [number, number], wrong: Wrong) {
  const value = ownField(fields, name);
  if (value === undefined) throw wrong(`${name} is missing`);
  if (!(value instanceof Big) || value.lt(0) || value.gt(most))
    throw wrong(`${name} must be a number from 0 to ${most}`);
  if (hasDecimals(value, decimals)) return value;
  throw wrong(decimals === 0 ? `${name} must be a whole number` : `${name} has more than four decimals`);
}
