/** Unit tests begin, for they tell of a mistake soonest. Then what takes long, so that no core is left alone with it at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their names, the longest first; those of `unit` wait more than they work. */
const LONGEST = `
  troubles roll-now scripts one-deal-id
  kill-sweep interrupted examples join-kills.program life-cycle.program
  desk-screen watch lagging-readings completion batch screens wizard
  disk-errors history terminal secrets
`
  .trim()
  .split(/\s+/);

const placeOf = ({ moduleId, project }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  const place = found === -1 ? LONGEST.length : found;
  return project.name === 'unit' ? place - 2 * LONGEST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => placeOf(one) - placeOf(other)));
  }
}
