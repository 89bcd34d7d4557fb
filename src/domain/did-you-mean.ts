/** Suggests the known name that a mistyped one probably meant. */
import type { Hint } from '../errors.ts';
import { commandOnId, say, shell, step } from './hint.ts';
import { unquoted } from './quoted.ts';

/** Letters that may be missing, too many, others, or swapped with their neighbours. */
const MOST_SLIPS = 2;

/** Undefined when none is similar. */
export function closestMatch(word: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ name, slips }) => slips <= MOST_SLIPS && slips * 2 < name.length)
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.name;
}

/** `Did you mean buy? ` with its trailing space; '' when none is similar. */
export function didYouMean(word: string, names: readonly string[]): string {
  const meant = closestMatch(word, names);
  return meant === undefined ? '' : `Did you mean ${unquoted(meant)}? `;
}

/** For a market that the account does not have. One that is more than letters may be a deal ID. */
export const marketMeant = (named: string, names: readonly string[]): Hint => [
  say`${didYouMean(named, names)}To list them: ${shell`hedge markets`}`,
  ...stepsForDeal(named),
];

/** Empty for letters alone. */
export const stepsForDeal = (word: string) =>
  /^[a-z]+$/i.test(word)
    ? []
    : [step(commandOnId(shell`hedge hedges`, word), 'market and side, if that is a deal ID')];

function slipsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1] ? 0 : 1;
      const swapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      current[at] = Math.min(
        (current[at - 1] ?? 0) + 1,
        (last[at] ?? 0) + 1,
        (last[at - 1] ?? 0) + same,
        swapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
