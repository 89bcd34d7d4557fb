/** `hedge practice advance`: moves the book's time. */
import { readDuration } from '../../args/practice-operands.ts';
import { viewPracticeAdvance } from '../../output/views/practice.ts';
import { defineCommand } from '../define.ts';
export const practiceAdvance = defineCommand({
  name: 'practice advance',
  summary: 'moves book time ahead, and tells what happened on the way',
  description:
    'Fills, maturities and settlements happen at their own instants, in their order. Keys and rate limits keep to the wall clock.',
  operands: [{ name: 'DURATION', summary: '3d, 12h, 90m, 30s or 1d12h' }],
  examples: [
    { line: 'hedge practice advance 3d', shows: 'three days later: what was filled and what settled' },
  ],
  read: ({ operands: [duration = ''] }) => ({ ms: readDuration(duration) }),
  run: async (desk, { ms }) => ({ value: await desk.practice.advance(ms) }),
  view: viewPracticeAdvance,
});
