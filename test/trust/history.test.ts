/**
 * Random days at a desk on one journal: deals through trouble, a program that dies, a colleague, hours that pass,
 * looking and settling. Never two from one intent, never one that the journal does not know, never a wrong word.
 */
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  oneof,
  option,
  record,
} from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultDesk, faultDesk } from '../support/faults/fault-case.ts';
import { FAULT_NAMES } from '../support/faults/faults.ts';
import { type Deal, played, type Runner, type Step } from '../support/faults/history.ts';
import { expectHeld, howMany, SOAKING } from '../support/goal.ts';

const LONG_MS = SOAKING ? 1_500_000 : 60_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

let desk: FaultDesk;
beforeAll(async () => {
  desk = await faultDesk();
});
afterAll(() => desk.close());

const action = constantFrom<Deal>('open', 'add', 'reduce', 'close');
const side = constantFrom('buy' as const, 'sell' as const);
const size = constantFrom(1_000, 2_500, 10_000);
const faults = (maxLength: number) => array(constantFrom(...FAULT_NAMES), { maxLength });

const step = oneof(
  {
    weight: 5,
    arbitrary: record({
      kind: constant('deal' as const),
      action,
      side,
      size,
      name: option(constantFrom('PAY-1', 'PAY-2'), { nil: undefined }),
      ensure: boolean(),
      send: faults(4),
      polls: faults(2),
      forever: boolean(),
      dies: constantFrom(undefined, undefined, 'before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: record({ kind: constant('colleague' as const), action, side, size }) },
  {
    weight: 1,
    arbitrary: record({
      kind: constant('passes' as const),
      ms: constantFrom(5 * SECOND_MS, 150 * SECOND_MS, 600 * SECOND_MS, 2 * HOUR_MS, 26 * HOUR_MS),
    }),
  },
  { weight: 1, arbitrary: record({ kind: constant('check' as const) }) },
  { weight: 2, arbitrary: record({ kind: constant('resume' as const), send: faults(3) }) },
);

const aDeal = (changes: Partial<Extract<Step, { kind: 'deal' }>> = {}): Step => ({
  kind: 'deal',
  action: 'open',
  side: 'buy',
  size: 1_000,
  name: undefined,
  ensure: false,
  send: [],
  polls: [],
  forever: false,
  dies: undefined,
  ...changes,
});

describe('any day at a desk', () => {
  it('ends with one action an intent, all of it in the journal, and no wrong word', {
    timeout: LONG_MS,
  }, async () => {
    let runs = 0;
    let found: readonly string[] = [];
    const wrong: string[] = [];
    await assert(
      asyncProperty(array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        runs += 1;
        const now = await played(desk, steps);
        if (now.length > 0) found = now;
        expect(now).toEqual([]);
      }),
      { seed: 20_261_121, numRuns: howMany(20, 1_000), endOnFailure: false },
    ).catch((error: unknown) => wrong.push(`${String(error)}\n${found.join('\n')}`));
    expectHeld('R1 R2 R5 R6 random days on one journal', { runs, wrong });
  });
});

describe('the model of the book', () => {
  it.each<[string, RegExp, readonly Step[], Runner]>([
    [
      'settles nothing',
      /not settled/,
      [aDeal({ name: 'PAY-1', send: ['reset before'], forever: true }), { kind: 'resume', send: [] }],
      async (words, run) => run(words[0] === 'resume' ? ['check', '--json'] : words),
    ],
    [
      'calls done what is not',
      /called done/,
      [aDeal({ send: ['slow down for days'] })],
      async (words, run) => {
        const ran = await run(words);
        return { ...ran, out: ran.out.replaceAll('"effect":"none"', '"effect":"done"') };
      },
    ],
    [
      'calls not done what is',
      /called not done/,
      [aDeal()],
      async (words, run) => {
        const ran = await run(words);
        return { ...ran, out: ran.out.replaceAll('"effect":"done"', '"effect":"none"') };
      },
    ],
  ])('catches a program that %s', async (_, says, steps, broken) => {
    expect(await played(desk, steps)).toEqual([]);
    expect((await played(desk, steps, broken)).join('\n')).toMatch(says);
  });

  it('catches a service that forgets its keys', async () => {
    desk.proxy.forgetsKeys(true);
    const found = await played(desk, [aDeal({ send: ['reset after'] })]);
    desk.proxy.forgetsKeys(false);
    expect(found).not.toEqual([]);
  });
});
