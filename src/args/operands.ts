/** Reads one operand or the value of one option, or throws a UsageError that names the allowed ones. Rejects ambiguous numbers. */
import { Big } from 'big.js';
import { didYouMean } from '../domain/did-you-mean.ts';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { isId, LONGEST_ID, quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/sanitize.ts';
import { HEDGE_STATUSES, LARGEST_PAGE, SIDES, type Side, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { type Hint, UsageError } from '../errors.ts';

const NOTIONAL_FORMS =
  'Write it in USD as 10000, 10_000, 10,000, 10k or 1.5m: above zero, two decimals at most, behind a point.';
const PRICE_DECIMALS = 8;
const BPS_DECIMALS = 4;
const PERCENTAGE_DECIMALS = 4;
const MAX_SECONDS = 86_400;
const MULTIPLIERS: Readonly<Record<string, Big>> = { k: new Big(1_000), m: new Big(1_000_000) };

/** `"x" is not a side.` `what`: with its article, and the option where the hint does not show it. */
export const isNot = (text: string, what: string, hint?: Hint): UsageError =>
  new UsageError(`${quoted(text)} is not ${what}.`, hint);

/** USD, positive, exact: `10000`, `10_000`, `10,000`, `10k`, `1.5m`; `1.2345k` is 1234.50. */
export function readNotional(text: string): Big {
  const value = parseNotional(text);
  if (value === undefined) throw isNot(text, 'a notional', notionalHint(text));
  if (value.eq(0)) throw new UsageError('The notional must be above zero.', NOTIONAL_FORMS);
  if (!hasDecimals(value, 2))
    throw new UsageError(`${quoted(text)} has more than two decimals in USD.`, NOTIONAL_FORMS);
  if (isTooLarge(value)) throw new UsageError(`${quoted(text)} is too large.`, NOTIONAL_FORMS);
  return value;
}

const EXACT_DECIMALS = 6;

/** Like `readNotional`, and also takes up to six decimals, as the service shows sizes: `527617.477328`. */
export function readExactNotional(text: string): Big {
  const value = parseDecimal(text);
  const decimals = writtenDecimals(text);
  // Three decimals after one to three digits may be a thousands separator.
  const mayBeGrouped = /^\d{1,3}\.\d{3}$/.test(text);
  if (value === undefined || decimals <= 2) return readNotional(text);
  if (decimals <= EXACT_DECIMALS && !mayBeGrouped && value.gt(0) && !isTooLarge(value)) return value;
  throw isNot(
    text,
    'a notional',
    mayBeGrouped
      ? `Write ${text.replace('.', '')}, or ${text}0 with four decimals.`
      : NOTIONAL_FORMS.replace('two decimals', 'six decimals'),
  );
}

/** `10mm` and `10,000 USDT` have one meaning; hedge names it, and never guesses. */
function notionalHint(text: string): string {
  const [, number = '', letters = ''] = /^([\d.,_]+[km]??) *(mm|mn|mio|usd[tc]?)$/i.exec(text) ?? [];
  const isUnit = /^u/i.test(letters);
  const meant = isUnit ? number : `${number}m`;
  if (letters === '' || parseNotional(meant) === undefined) return NOTIONAL_FORMS;
  return isUnit ? `Leave out the unit: ${meant}` : `Write ${meant}`;
}

function parseNotional(text: string): Big | undefined {
  const multiplier = ownField(MULTIPLIERS, text.slice(-1).toLowerCase());
  if (multiplier !== undefined && /[kKmM]$/.test(text))
    return parsePlainDecimal(text.slice(0, -1))?.times(multiplier);
  return writtenDecimals(text) > 2 ? undefined : parseDecimal(text);
}

/** `10.000` means ten thousand in many countries, so written decimals count, zeros included. */
const writtenDecimals = (text: string): number => /\.(\d*)$/.exec(text)?.[1]?.length ?? 0;

/** `buy` or `sell`, in any case. */
export const readSide = (text: string): Side =>
  oneOf(SIDES, text, 'a side', `${didYouMean(lower(text), SIDES)}Use buy or sell.`);

/** One of these words, in any case. `what`: `a status`. @throws UsageError */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  text: string,
  what: string,
  hint = `Use one of ${words.join(', ')}.`,
): Word {
  const found = words.find((word) => word === lower(text));
  if (found === undefined) throw isNot(text, what, hint);
  return found;
}

/** The same, with the word that was probably meant. */
export const oneMeant = <const Word extends string>(
  words: readonly Word[],
  text: string,
  what: string,
): Word => oneOf(words, text, what, `${didYouMean(lower(text), words)}Use one of ${words.join(', ')}.`);

/** The market in capitals. Checks the form only, and that it is no API key. */
export function readMarket(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]{1,31}$/.test(text) || containsKey(text))
    throw isNot(text, 'a market name', say`Example: USDTNGN. To list your markets: ${shell`hedge markets`}`);
  return text.toUpperCase();
}

/** One tenor in days: `3` or `3d`. */
export function readTenor(text: string): Tenor {
  const tenor = parseTenor(text);
  if (tenor === undefined) throw isNot(text, 'a tenor', 'Use 1, 3 or 7 days: --tenor 3');
  return tenor;
}

/** Tenors to compare: one, a list such as `1,3`, or `all`. Ascending, none twice. */
export function readTenors(text: string): readonly Tenor[] {
  if (lower(text) === 'all') return TENORS;
  const tenors = text.split(',').map(parseTenor);
  if (tenors.includes(undefined))
    throw isNot(text, 'a tenor', 'Use 1, 3 or 7 days, a list, or all: --tenor 3, --tenor 1,3, --tenor all');
  return TENORS.filter((tenor) => tenors.includes(tenor));
}

const parseTenor = (text: string): Tenor | undefined =>
  TENORS.find((tenor) => tenor.toString() === lower(text).replace(/d$/, ''));

/** Quote currency per USDT, positive, eight decimals at most. `option` names it in the message. */
export function readPrice(text: string, option: string): Big {
  const value = parseDecimal(text);
  if (value === undefined || value.eq(0) || !hasDecimals(value, PRICE_DECIMALS) || isTooLarge(value))
    throw isNot(
      text,
      `a price (${option})`,
      say`Use a positive number with at most ${PRICE_DECIMALS.toString()} decimals, in quote currency per USDT. To see the current price: ${shell`hedge price`}`,
    );
  return value;
}

/** Basis points of notional, also `27.5bps`; negative is a gain. */
export function readBps(text: string, option: string): Big {
  const negative = text.startsWith('-');
  const value = parsePlainDecimal(text.slice(negative ? 1 : 0).replace(/ *bps?$/i, ''));
  if (value === undefined || !hasDecimals(value, BPS_DECIMALS) || isTooLarge(value))
    throw isNot(
      text,
      `a number of basis points (${option})`,
      `Use a decimal number, negative for a gain: ${option} 27.5, ${option}=-5`,
    );
  return negative && !value.eq(0) ? value.neg() : value;
}

/** A limit above it limits nothing. */
const MOST_COST_BPS = 1_000;

/** A limit of the cost, in bps. @throws UsageError */
export function readMostBps(text: string, option: string): Big {
  const most = readBps(text, option);
  if (most.lte(MOST_COST_BPS)) return most;
  throw new UsageError(`${quoted(text)} looks like a typo: 1 % is 100 bps.`, `Example: ${option} 60`);
}

/** Above 0 and up to 100. The % sign is required: a bare 50 may mean USD. */
export function readPercentage(text: string, option: string): Big {
  const value = text.endsWith('%') ? parsePlainDecimal(text.slice(0, -1)) : undefined;
  if (value === undefined || value.eq(0) || value.gt(100) || !hasDecimals(value, PERCENTAGE_DECIMALS))
    throw isNot(
      text,
      `a percentage (${option})`,
      `Use a percentage above 0 % and up to 100 %, with the % sign: ${option} 50%`,
    );
  return value;
}

/** Seconds to wait, as whole milliseconds: more than 0, a day at most. */
export function readSeconds(text: string, option: string): number {
  const value = parsePlainDecimal(text);
  if (value === undefined || value.eq(0) || value.gt(MAX_SECONDS) || !hasDecimals(value, 3))
    throw isNot(
      text,
      `a number of seconds (${option})`,
      `Use more than 0 and up to ${MAX_SECONDS}: ${option} 60`,
    );
  return value.times(1_000).toNumber();
}

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
const DURATION = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?$/i;

/** Milliseconds of `3d`, `12h`, `90m`, `30s`, or several units, largest first: `1d12h`. @throws UsageError */
export function readDuration(text: string): number {
  const parts = DURATION.exec(text);
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts ?? [];
  const ms =
    Number(days) * UNIT_MS.d +
    Number(hours) * UNIT_MS.h +
    Number(minutes) * UNIT_MS.m +
    Number(seconds) * UNIT_MS.s;
  if (parts === null || ms === 0) throw isNot(text, 'a duration', 'Write it as 3d, 12h, 90m, 30s or 1d12h.');
  return ms;
}

/** Undefined for a text that is not JSON, or is nested too deep. */
export function parsedJson(text: string, parse: (json: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export function filePath(text: string, option: string, hint: Hint = `${option} FILE`): string {
  if (text.trim() !== '') return text;
  throw new UsageError(`${option} needs the name of a file.`, hint);
}

/** 1 to 500 (specification §8). */
export function readLimit(text: string): number {
  const value = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > LARGEST_PAGE)
    throw isNot(text, 'a number of hedges', `Use 1 to ${LARGEST_PAGE}: --limit 100`);
  return value;
}

/** A deal ID or hedge ID. */
export function readDealId(text: string): string {
  if (isId(text)) return text;
  if (containsKey(text))
    throw new UsageError(
      `${quoted(text)} looks like an API key.`,
      say`Deal IDs are stored and sent to the service. To add an API key: ${shell`hedge profile add NAME`}`,
    );
  throw isNot(text, 'a deal ID', `Use 1 to ${LONGEST_ID} visible characters without a space at either end.`);
}

/** `open` is hedge's own word: filled, not matured, and its side in the positions. */
export const LISTED_STATUSES = ['open', ...HEDGE_STATUSES] as const;

/** One of the service's five statuses, or `open`, in any case (specification §3). */
export const readStatus = (text: string) => oneMeant(LISTED_STATUSES, text, 'a status');

export const isTooLarge = (value: Big): boolean => wholeDigits(value) > MAX_WHOLE_DIGITS;

/** ASCII only: some other letters have an ASCII lower case. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const MAX_WHOLE_DIGITS = 12;

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const GROUPED = /^[1-9]\d{0,2}(?:(?:,\d{3})+|(?:_\d{3})+)(?:\.\d+)?$/;
/** Keeps a megabyte of digits out of the arithmetic. */
const MAX_LENGTH = 64;

/** `10000`, `10_000`, `10,000.50`; undefined for signs, exponents, spaces, leading zeros. */
export function parseDecimal(text: string): Big | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (!PLAIN.test(text) && !GROUPED.test(text)) return undefined;
  return new Big(text.replaceAll(/[,_]/g, ''));
}

/** Like `parseDecimal`, without separators: for a number before a unit letter. */
export const parsePlainDecimal = (text: string): Big | undefined =>
  PLAIN.test(text) ? parseDecimal(text) : undefined;

/** Whether the value can be written with at most so many decimals. */
export const hasDecimals = (value: Big, most: number): boolean => value.round(most).eq(value);

export const wholeDigits = (value: Big): number => value.abs().round(0, Big.roundDown).toFixed().length;
