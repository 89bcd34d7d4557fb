/**
 * Attempts that are lost, rejected, or held on their way for up to five minutes, and an operator who types in between:
 * never two deals for one intent, and never "nothing was done" where it is done then.
 */
import { array, assert, asyncProperty, boolean, constantFrom, integer, record, tuple } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EACH_ACTION } from '../support/each-action.ts';
import { frontOf } from '../support/front.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { ATTEMPTS } from '../support/held-attempts.ts';
import {
  type HeldCase,
  type HeldRunner,
  type HeldSetup,
  heldText,
  judgedHeld,
  STEPS,
} from '../support/held-case.ts';
import { movingClock } from '../support/moving-clock.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';

async function heldSetup(): Promise<HeldSetup> {
  const clock = movingClock();
  const served = await servedBook({ ...WITHOUT_LIMIT, fill_seconds: { min: 1.5, max: 4 } }, clock);
  onTestFinished(() => served.close());
  return { clock, served, front: await frontOf(served, temporaryFolder()) };
}

const open = EACH_ACTION[0];

/** A held attempt first, so that most cases have something to tell; an open as often as all else. */
const anyCase = record({
  action: constantFrom(...EACH_ACTION, ...(open === undefined ? [] : [open, open])),
  isNamed: boolean(),
  attempts: array(constantFrom(...ATTEMPTS, 'held' as const, 'rejected' as const), {
    minLength: 1,
    maxLength: 6,
  }),
  steps: array(tuple(constantFrom(...STEPS, 'arrive' as const), constantFrom(0, 5, 40, 100, 290, 310)), {
    minLength: 1,
    maxLength: 7,
  }),
  seed: integer({ min: 1, max: 1_000_000 }),
}).map(({ isNamed, ...one }): HeldCase => ({ ...one, byDealId: isNamed && one.action.name === 'open' }));

describe('attempts that are held on their way', () => {
  it('are one deal at most, whatever is typed meanwhile, and nothing is called undone that is done then', async () => {
    const desk = await heldSetup();
    let runs = 0;
    const wrong: string[] = [];
    await assert(
      asyncProperty(anyCase, async (one) => {
        runs += 1;
        const found = await judgedHeld(desk, one);
        expect({ one: heldText(one), found }).toMatchObject({ found: [] });
      }),
      { seed: 20_261_122, numRuns: howMany(20, 150) },
    ).catch((error: unknown) => wrong.push(String(error)));
    expectHeld('R17 held attempts', { runs, wrong });
  });
});

describe('the judge of attempts that are held', () => {
  const opening = (
    steps: HeldCase['steps'],
    attempts: HeldCase['attempts'] = ['held', 'rejected'],
  ): HeldCase => {
    if (open === undefined) throw new Error('no open among the actions');
    return { action: open, byDealId: true, attempts, steps, seed: 1 };
  };
  const late = opening([
    ['check', 5],
    ['arrive', 40],
  ]);

  it.each<[string, RegExp, HeldCase, HeldRunner]>([
    [
      'calls rejected what may still arrive',
      /nothing was done, it said, and then it was/,
      late,
      async (words, run) => {
        const ran = await run(words);
        const out = ran.out.replaceAll('"effect":"unknown"', '"effect":"none"');
        return ran.code === 7 ? { ...ran, code: 3, out, document: (): unknown => JSON.parse(out) } : ran;
      },
    ],
    [
      'deals it again under another key',
      /did it 2 times/,
      late,
      async (words, run) => {
        const ran = await run(words);
        if (words[0] !== 'open' || ran.code !== 7) return ran;
        const [, id = ''] = /"action_id":"([0-9a-f]+)"/.exec(ran.out) ?? [];
        return run(
          `open USDTNGN buy 10000 --tenor 3 --deal-id PAY-2 --yes --json --despite ${id}`.split(' '),
        );
      },
    ],
    [
      'settles nothing',
      /stays unsettled/,
      opening([['check', 5]], ['lost', 'rejected']),
      async (words, run) => (words[0] === 'check' ? { ...(await run(words)), ...UNSETTLED } : run(words)),
    ],
  ])('catches a program that %s', async (_what, says, one, broken) => {
    const desk = await heldSetup();
    expect(await judgedHeld(desk, one)).toEqual([]);
    expect((await judgedHeld(desk, one, broken)).join('\n')).toMatch(says);
  });
});

const UNSETTLED = {
  code: 7,
  out: '{"data":[{"action":"open","action_id":"1","effect":"unknown"}],"error":{"effect":"unknown"},"meta":{}}',
  document: (): unknown => JSON.parse(UNSETTLED.out),
};
