/** The examination as a person reads it: each line begins with its verdict as a word. */
import type { Check, Checkup, Verdict } from '../../diagnostics/checks.ts';
import { type Block, line, message, type Tone, text } from '../blocks.ts';

const TONES: Readonly<Record<Verdict, Tone>> = { pass: 'good', warn: 'warn', fail: 'bad' };
const SUMS: Readonly<Record<Verdict, string>> = {
  pass: 'All is well.',
  warn: 'Nothing keeps hedge from dealing; some of it wants a look.',
  fail: 'Some of it has to be mended.',
};

export const viewCheckup = ({ verdict, checks }: Checkup): readonly Block[] => [
  {
    kind: 'pairs',
    pairs: checks.flatMap(({ check, verdict: each, says, todo }) => [
      {
        name: `${each.toUpperCase()}  ${check}`,
        value: [message(says, each === 'pass' ? 'plain' : TONES[each])],
      },
      ...(todo?.split('\n').map((step) => ({ name: '', value: [message(`-> ${step}`)] })) ?? []),
    ]),
  },
  { kind: 'gap' },
  line(text(SUMS[verdict], TONES[verdict])),
];

export const checkupDocument = ({ verdict, checks }: Checkup): unknown => ({
  verdict,
  checks: checks.map(({ check, verdict: each, says, todo, facts }: Check) => ({
    check,
    verdict: each,
    says,
    todo: todo ?? null,
    facts: facts ?? null,
  })),
});
