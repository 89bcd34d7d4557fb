/** `hedge practice status`. */
import { readNothing } from '../../args/operands.ts';
import { viewPracticeState } from '../../output/views/practice.ts';
import { defineCommand } from '../define.ts';
export const practiceStatus = defineCommand({
  name: 'practice status',
  summary: 'book time, both books and the weather',
  examples: [{ line: 'hedge practice status', shows: 'where the practice desk stands' }],
  read: readNothing,
  run: async (desk) => ({ value: await desk.practice.status() }),
  view: viewPracticeState,
});
