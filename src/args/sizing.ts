/** Reads the options that give a size instead of NOTIONAL: `--ngn`, `--max`, and `--to` of an add. */
import type { Big } from 'big.js';
import type { Sizing } from '../domain/action-intent.ts';
import { say, step } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { isNairaMarket } from '../domain/vocabulary.ts';
import { type CommandWords, UsageError } from '../errors.ts';
import { hasDecimals, isNot, isTooLarge, parseDecimal, parsePlainDecimal, readNotional } from './operands.ts';
import { optionGiven, optionText, type RawInput } from './option.ts';

export const SIZE_OPTIONS = [
  { flags: '--ngn <amount>', summary: 'size as naira to cover, instead of NOTIONAL: 800m, 1.2bn' },
  { flags: '--max', summary: 'the largest size that fits, less 1 %, instead of NOTIONAL' },
] as const;

const NAIRA_FORMS = 'Write it in naira as 800000000, 800,000,000, 800m or 1.2bn, two decimals at most.';
const UNITS: readonly (readonly [unit: string, multiple: number])[] = [
  ['bn', 1_000_000_000],
  ['m', 1_000_000],
  ['k', 1_000],
];

/**
 * Undefined: the size is the notional, or missing. @throws UsageError when the size is given more than once, or the
 * market is not quoted in naira. `line`: the command up to the size.
 */
export function readSizing(
  raw: RawInput,
  { market, line, target = false }: { market: string | undefined; line: CommandWords; target?: boolean },
): Sizing | undefined {
  const ngn = optionText(raw, 'ngn');
  const to = target ? optionText(raw, 'to') : undefined;
  const isMax = optionGiven(raw, 'max');
  const amount = ngn === undefined ? undefined : readNaira(ngn, ' (--ngn)');
  checkOneSize(line, { '': raw.operands[2], '--ngn': ngn, '--max': isMax ? '' : undefined, '--to': to });
  if (amount !== undefined) {
    if (market !== undefined) checkNairaMarket(market, line);
    return { by: 'ngn', amount };
  }
  if (to !== undefined) return { by: 'target', target: readNotional(to) };
  return isMax ? { by: 'max' } : undefined;
}

/** `sizes`: as typed, by their options. @throws UsageError that has a line for each of several. */
export function checkOneSize(line: CommandWords, sizes: Readonly<Record<string, string | undefined>>): void {
  const given = Object.entries(sizes).filter(([, text]) => text !== undefined);
  if (given.length > 1)
    throw new UsageError('The size is given more than once.', [
      'Use one of:',
      ...given.map((size) => step([...line, ...size.flatMap((word) => word || [])])),
    ]);
}

/** `line`: the command up to the size; none for an answer. @throws UsageError when the market is not quoted in naira. */
export function checkNairaMarket(market: string, line?: CommandWords): void {
  if (isNairaMarket(market)) return;
  if (line === undefined) throw new UsageError(`${market} is not quoted in naira.`, 'Type the size in USD.');
  throw new UsageError(
    `${market} is not quoted in naira (--ngn).`,
    say`Give the size in USD: ${[...line, 'NOTIONAL']}`,
  );
}

export const namesNaira = (text: string): boolean => withoutCurrency(text) !== text;

/** `₦45m`, `NGN 65m`, `N65m`, `65m naira`: the amount alone. */
export const withoutCurrency = (text: string): string =>
  text.replace(/^(?:(?:₦|NGN) *|N(?=\d))/i, '').replace(/ *(?:₦|NGN|naira)$/i, '');

/** NGN, exact: `800m` is 800,000,000. Undefined if the text is not an amount. */
export function parseNaira(text: string): Big | undefined {
  const amount = withoutCurrency(text).toLowerCase();
  const unit = UNITS.find(([letters]) => amount.endsWith(letters));
  if (unit !== undefined) return parsePlainDecimal(amount.slice(0, -unit[0].length))?.times(unit[1]);
  // `800.000` is eight hundred thousand in many countries.
  return /^\d{1,3}\.\d{3}$/.test(amount) ? undefined : parseDecimal(amount);
}

/** Positive, two decimals at most. `where`: added to a message, such as the option. @throws UsageError */
export function readNaira(text: string, where = ''): Big {
  const value = parseNaira(text);
  if (value === undefined || value.eq(0)) throw isNot(text, `an amount in naira${where}`, NAIRA_FORMS);
  if (!hasDecimals(value, 2) || isTooLarge(value))
    throw new UsageError(`${quoted(text)} is too large or has more than two decimals${where}.`, NAIRA_FORMS);
  return value;
}
