/** Removes what looks like an API key from text that a person typed: keys get pasted into the wrong place. */

/** Specification §5. A secret is long; a deal id such as `Q4_live_20261120` is none. In capitals or small
 * letters it is still known to whoever reads it. Linear in any text. */
const KEY = /(?<![A-Za-z0-9])([A-Za-z0-9]+_(?:live|test)_)[\x21-\x7e]{16,}/gi;

/** `--profile=hk_live_0123456789abcdef` becomes `--profile=hk_live_…`. */
export const redactKeys = (text: string): string => text.replace(KEY, '$1…');

export const containsKey = (text: string): boolean => redactKeys(text) !== text;

/** A command line with every word, or part of a word, that looks like an API key blotted out (specification §5). */
export const redactArgv = (argv: readonly string[]): string[] =>
  argv.map((word) => word.replace(/(?<![A-Za-z0-9])([A-Za-z0-9]+_(?:live|test)_)[\x21-\x7e]+/gi, '$1…'));
