/** Unit tests begin, for they tell of a mistake soonest. Then what takes long, so that no core is left alone with it at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their names, the longest first. */
const LONGEST = ['kill-sweep', 'examples', 'secrets', 'wizard', 'history', 'batch', 'watch', 'interrupted'];

const placeOf = ({ moduleId, project }: TestSpecification): number => {
  if (project.name === 'unit') return -1;
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => placeOf(one) - placeOf(other)));
  }
}
