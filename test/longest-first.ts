/** Tests that take long begin first, so that no core is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their names, the longest first. */
const LONGEST = [
  'hostile-answers',
  'faults',
  'random-moments',
  'kill-sweep',
  'history',
  'terminal',
  'tls',
  'disk',
  'secrets',
  'transit',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => placeOf(one) - placeOf(other)));
  }
}
