/**
 * One word of the command line to one value, or a UsageError that says what is allowed. Pure. Says nothing
 * about what exists: markets and hedges are the service's to know.
 *
 * Decimal numbers as people write them: plain digits, or thousands set apart by one kind of separator.
 * Everything that could be read two ways is refused. Knows no units and no limits but those it is given.
 *
 * What was typed for a command, before it means anything.
 */
import { Big } from 'big.js';
import { didYouMean } from '../domain/did-you-mean.ts';
import { ownField } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/redact.ts';
import {
  HEDGE_STATUSES,
  type HedgeStatus,
  SIDES,
  type Side,
  TENORS,
  type Tenor,
} from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';

const NOTIONAL_FORMS = 'Write it in USD as 10000, 10_000, 10,000, 10k or 1.5m, with two decimals at most.';
const PRICE_DECIMALS = 8;
const BPS_DECIMALS = 4;
const PERCENTAGE_DECIMALS = 4;
const MAX_SECONDS = 86_400;
const MAX_PAGE = 500;
const MAX_DEAL_ID = 128;
const MULTIPLIERS: Readonly<Record<string, Big>> = { k: new Big(1_000), m: new Big(1_000_000) };

/** USD, positive, exact: `10000`, `10_000`, `10,000`, `10k`, `1.5m`; `1.2345k` is 1234.50. */
export function readNotional(text: string): Big {
  const value = parseNotional(text);
  if (value === undefined) throw new UsageError(`${quoted(text)} is not a notional.`, NOTIONAL_FORMS);
  if (value.eq(0)) throw new UsageError('A notional of zero is nothing to hedge.', NOTIONAL_FORMS);
  if (!hasDecimals(value, 2))
    throw new UsageError(`${quoted(text)} has more than two decimals in USD.`, NOTIONAL_FORMS);
  if (wholeDigits(value) > MAX_WHOLE_DIGITS)
    throw new UsageError(`${quoted(text)} is too large to be meant.`, NOTIONAL_FORMS);
  return value;
}

function parseNotional(text: string): Big | undefined {
  const multiplier = ownField(MULTIPLIERS, text.slice(-1).toLowerCase());
  if (multiplier !== undefined && /[kKmM]$/.test(text))
    return parsePlainDecimal(text.slice(0, -1))?.times(multiplier);
  return writtenDecimals(text) > 2 ? undefined : parseDecimal(text);
}

/** `10.000` is ten thousand to half the world: without a unit letter, what was written counts, zeros too. */
const writtenDecimals = (text: string): number => /\.(\d*)$/.exec(text)?.[1]?.length ?? 0;

/** `buy` or `sell`, in any case. */
export function readSide(text: string): Side {
  const side = SIDES.find((each) => each === lower(text));
  if (side === undefined)
    throw new UsageError(
      `${quoted(text)} is not a side.`,
      `${didYouMean(lower(text), SIDES)}The side is buy or sell.`,
    );
  return side;
}

/** The market's name in capitals. Only its shape is checked: the service is asked about it, and no key goes there. */
export function readMarket(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]{1,31}$/.test(text) || containsKey(text)) {
    throw new UsageError(
      `${quoted(text)} is not the name of a market.`,
      'A name looks like USDTNGN. To see yours: hedge markets',
    );
  }
  return text.toUpperCase();
}

/** One tenor in days: `3` or `3d`. */
export function readTenor(text: string): Tenor {
  const tenor = parseTenor(text);
  if (tenor === undefined)
    throw new UsageError(`${quoted(text)} is not a tenor.`, 'The tenor is one of 1, 3 and 7 days: --tenor 3');
  return tenor;
}

/** Tenors to compare: one, a list such as `1,3`, or `all`. Ascending, none twice. */
export function readTenors(text: string): readonly Tenor[] {
  if (lower(text) === 'all') return TENORS;
  const tenors = text.split(',').map(parseTenor);
  if (tenors.includes(undefined)) {
    throw new UsageError(
      `${quoted(text)} is not a tenor.`,
      'A tenor is 1, 3 or 7 days; several make a list: --tenor 3, --tenor 1,3 or --tenor all',
    );
  }
  return TENORS.filter((tenor) => tenors.includes(tenor));
}

const parseTenor = (text: string): Tenor | undefined =>
  TENORS.find((tenor) => tenor.toString() === lower(text).replace(/d$/, ''));

/** Quote currency per USDT, positive, eight decimals at most. `option` names it in the message. */
export function readPrice(option: string, text: string): Big {
  const value = parseDecimal(text);
  if (value === undefined || value.eq(0) || !hasDecimals(value, PRICE_DECIMALS) || tooLarge(value)) {
    throw new UsageError(
      `${quoted(text)} is not a price (${option}).`,
      `A price is a positive number with at most ${PRICE_DECIMALS.toString()} decimals, in quote currency per USDT. See it now: hedge price`,
    );
  }
  return value;
}

/** Basis points of notional; negative asks to earn. */
export function readBps(option: string, text: string): Big {
  const negative = text.startsWith('-');
  const value = parsePlainDecimal(negative ? text.slice(1) : text);
  if (value === undefined || !hasDecimals(value, BPS_DECIMALS) || tooLarge(value)) {
    throw new UsageError(
      `${quoted(text)} is not a number of basis points (${option}).`,
      `Write it as a decimal number, negative to ask for an earning: ${option} 27.5, ${option}=-5`,
    );
  }
  return negative && !value.eq(0) ? value.neg() : value;
}

/** A part of the whole, more than 0 and at most 100. The sign must be there: a bare 50 may mean USD. */
export function readPercentage(option: string, text: string): Big {
  const value = text.endsWith('%') ? parsePlainDecimal(text.slice(0, -1)) : undefined;
  if (value === undefined || value.eq(0) || value.gt(100) || !hasDecimals(value, PERCENTAGE_DECIMALS)) {
    throw new UsageError(
      `${quoted(text)} is not a percentage (${option}).`,
      `Write a percentage above 0 % and up to 100 %, with its sign: ${option} 50%`,
    );
  }
  return value;
}

/** Seconds to wait, as whole milliseconds: more than 0, a day at most. */
export function readSeconds(option: string, text: string): number {
  const value = parsePlainDecimal(text);
  if (value === undefined || value.eq(0) || value.gt(MAX_SECONDS) || !hasDecimals(value, 3)) {
    throw new UsageError(
      `${quoted(text)} is not a number of seconds (${option}).`,
      `Write more than 0 and up to ${MAX_SECONDS.toString()}: ${option} 60`,
    );
  }
  return value.times(1_000).toNumber();
}

/** How many to ask for: 1 to 500 (specification §8). */
export function readLimit(text: string): number {
  const value = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > MAX_PAGE) {
    throw new UsageError(
      `${quoted(text)} is not a number of hedges.`,
      `Ask for 1 to ${MAX_PAGE.toString()} at a time: --limit 100`,
    );
  }
  return value;
}

/**
 * The desk's own deal id, or a hedge's: 1 to 128 visible characters, blanks only between them, kept as
 * typed. ASSUMED: the specification (§2) shows no limits for `client_reference`.
 */
export function readDealId(text: string): string {
  const characters = Array.from(text).length;
  if (characters < 1 || characters > MAX_DEAL_ID || !isVisible(text)) {
    throw new UsageError(
      `${quoted(text)} is not a deal id.`,
      `A deal id has 1 to ${MAX_DEAL_ID.toString()} visible characters and neither begins nor ends with a blank.`,
    );
  }
  if (containsKey(text)) {
    throw new UsageError(
      `${quoted(text)} looks like an API key, not like a deal id.`,
      'A deal id is kept in the journal and sent to the service; a key is never an argument: hedge profile add NAME',
    );
  }
  return text;
}

/** Its sets of Unicode's properties are made for a deal id alone: they take a while. */
const isVisible = (text: string): boolean =>
  /^(?! )(?:(?! )[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]| (?!$))+$/u.test(text);

/** One of the service's five statuses, in any case (specification §3). */
export function readStatus(text: string): HedgeStatus {
  const status = HEDGE_STATUSES.find((each) => each === lower(text));
  if (status === undefined) {
    throw new UsageError(
      `${quoted(text)} is not a status.`,
      `${didYouMean(lower(text), HEDGE_STATUSES)}A status is one of ${HEDGE_STATUSES.join(', ')}.`,
    );
  }
  return status;
}

const tooLarge = (value: Big): boolean => wholeDigits(value) > MAX_WHOLE_DIGITS;

/** ASCII only: other scripts have letters whose small form is an ASCII one. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Longest whole part, in digits: no desk deals a trillion, and no reader counts further. */
export const MAX_WHOLE_DIGITS = 12;

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const GROUPED = /^[1-9]\d{0,2}(?:(?:,\d{3})+|(?:_\d{3})+)(?:\.\d+)?$/;
/** Far more than any valid number is long; keeps a megabyte of digits from being computed with. */
const MAX_LENGTH = 64;

/** `10000`, `10_000`, `10,000.50`; undefined for everything else: signs, exponents, blanks, leading zeros. */
export function parseDecimal(text: string): Big | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (!PLAIN.test(text) && !GROUPED.test(text)) return undefined;
  return new Big(text.replaceAll(/[,_]/g, ''));
}

/** As `parseDecimal`, without separators: for a number that a unit letter follows. */
export const parsePlainDecimal = (text: string): Big | undefined =>
  PLAIN.test(text) ? parseDecimal(text) : undefined;

/** Whether the value can be written with at most so many decimals. */
export const hasDecimals = (value: Big, most: number): boolean => value.round(most).eq(value);

/** Digits before the decimal point. */
export const wholeDigits = (value: Big): number => value.abs().round(0, Big.roundDown).toFixed().length;

export interface RawInput {
  operands: readonly string[];
  /** By the option's long name in camelCase; a switch is a boolean, what may be repeated a list. */
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** The value of an option that takes one, or undefined when it was not given. */
export function optionText(raw: RawInput, name: string): string | undefined {
  const value = raw.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be repeated, in the order they were given. */
export function optionTexts(raw: RawInput, name: string): readonly string[] {
  const value = raw.options[name];
  return Array.isArray(value) ? value : [];
}

/** Whether a switch was given. */
export const optionGiven = (raw: RawInput, name: string): boolean => raw.options[name] === true;

/** For commands that take neither operands nor options of their own. */
export const readNothing = (_raw: RawInput): undefined => undefined;
