/**
 * A goal of trust as it is counted: how often it was tried, and what was found against it. `npm test` tries a few,
 * `npm run test:full` a spread; `HEDGE_SOAK=all` tries everything, and leaves a line where HEDGE_SOAK_REPORT says.
 */
import { appendFileSync } from 'node:fs';
import { expect, type TestOptions } from 'vitest';
import { seededRandom } from './steady-clock.ts';

export const SOAKING = process.env['HEDGE_SOAK'] === 'all';
/** Set by the project `full`, and not for every day. */
export const IN_FULL = SOAKING || process.env['HEDGE_FULL'] === 'all';

/** Options of tests that are the same every day as in `full`, which leaves them out. */
export const everyDay: TestOptions = IN_FULL && !SOAKING ? { skip: true } : {};

/** Every day, one in so many of what `full` tries. */
const EVERY_DAY = 20;

/** A figure of its own for each run. */
export function perRun(figures: { soak: number; full: number; everyDay: number }): number {
  if (SOAKING) return figures.soak;
  return IN_FULL ? figures.full : figures.everyDay;
}

/** How many of them: for `full`, and for the soak. */
export const howMany = (full: number, soak: number): number =>
  perRun({ soak, full, everyDay: Math.ceil(full / EVERY_DAY) });

/** For `full`, and a quarter of them every day. */
export const aQuarter = (full: number): number => (IN_FULL ? full : Math.ceil(full / 4));

/** The same of a list. */
export const aQuarterOf = <T>(all: readonly T[]): readonly T[] => (IN_FULL ? all : oneOfEach(all, 4));

/** One of so many for `full`; for the soak all of them, or one of so many there too. */
export const spread = <T>(all: readonly T[], oneOf: number, soaking = 1): readonly T[] => {
  if (SOAKING) return oneOfEach(all, soaking);
  return oneOfEach(all, IN_FULL ? oneOf : oneOf * EVERY_DAY);
};

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
