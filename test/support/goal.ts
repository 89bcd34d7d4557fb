/**
 * A goal of trust as it is counted: how often it was tried, and what was found against it. `npm test` tries a
 * spread; `HEDGE_SOAK=all` tries everything, and leaves a line for the table where HEDGE_SOAK_REPORT says.
 */
import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { seededRandom } from './steady-clock.ts';

export const SOAKING = process.env['HEDGE_SOAK'] === 'all';

/** How many of them: few for every day, many for the soak. */
export const howMany = (few: number, many: number): number => (SOAKING ? many : few);

/** One of so many for every day; for the soak all of them, or one of so many there too. */
export const spread = <T>(all: readonly T[], oneOf: number, soaking = 1): readonly T[] =>
  oneOfEach(all, SOAKING ? soaking : oneOf);

/**
 * One of every so many in turn, always the same ones, and each at another place among its neighbours: steps of one
 * length would pass over the same half of whatever is combined in twos.
 */
export function oneOfEach<T>(all: readonly T[], many: number): readonly T[] {
  const { fraction } = seededRandom(many);
  const groups = Array.from({ length: Math.ceil(all.length / many) }, (_, at) =>
    all.slice(at * many, (at + 1) * many),
  );
  return groups.flatMap((group) => {
    const at = Math.floor(fraction() * group.length);
    return group.slice(at, at + 1);
  });
}

/** `wrong`: what must never be and was, in words. Fails the test with all of it. */
export function expectHeld(goal: string, { runs, wrong }: { runs: number; wrong: readonly string[] }): void {
  const report = process.env['HEDGE_SOAK_REPORT'];
  if (report !== undefined)
    appendFileSync(report, `${JSON.stringify({ goal, runs, violations: wrong.length })}\n`);
  expect({ goal, isTried: runs > 0, wrong: wrong.slice(0, 10).join('\n\n') }).toEqual({
    goal,
    isTried: true,
    wrong: '',
  });
}
