/** Unit tests begin, for they tell of a mistake soonest. Then what takes long, so that no core is left alone with it at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their names, the longest first; those of `unit` wait more than they work. */
const LONGEST = `
  roll resume-action
  kill-sweep interrupted screens pipes wizard
  every-action.trust examples.trust troubles.trust join-kills.trust life-cycle.trust one-deal-id.trust settlement.trust
  conformance.trust completion.trust
  roll-now.trust watch.trust desk-screen.trust lagging-readings.trust batch.trust clients.trust rewound.trust own-close.trust
  disk-errors terminal secrets
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
