/**
 * Every fault, in every phase of every action, over both roads: at most one action at the service, and the exit code
 * and effect that are true by the service's own log. Then one action at last, looked at and settled.
 */
import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EACH_ACTION } from '../support/each-action.ts';
import {
  againstTruth,
  type Case,
  caseText,
  type FaultSetup,
  faultSetup,
  judged,
  type Runner,
} from '../support/faults/fault-case.ts';
import { TRANSPORTS } from '../support/faults/fault-proxy.ts';
import { FAULT_NAMES, type FaultName, PHASES, type Phase, type Plan } from '../support/faults/faults.ts';
import { expectHeld, howMany, spread } from '../support/goal.ts';

/** Of all cases of `npm run test:trust`, one in so many: no divisor of the lists that are combined. */
const ONE_OF = 19;

let desk: FaultSetup;
beforeAll(async () => {
  desk = await faultSetup();
});
afterAll(() => desk.close());

const only = (phase: Phase, faults: readonly FaultName[], forever = false): Plan => ({
  faults: { before: [], send: [], polls: [], [phase]: faults },
  forever,
});

const EVERY_CASE: readonly Case[] = EACH_ACTION.flatMap((action) =>
  TRANSPORTS.flatMap((road) =>
    PHASES.flatMap((phase) =>
      FAULT_NAMES.flatMap((name, seed) =>
        [only(phase, [name]), only(phase, [name, name]), only(phase, [name], true)].map(
          (plan): Case => ({ action, road, plan, seed }),
        ),
      ),
    ),
  ),
);

const someFaults = (maxLength: number) => array(constantFrom(...FAULT_NAMES), { maxLength });
const anyCase = record({
  action: constantFrom(...EACH_ACTION),
  road: constantFrom(...TRANSPORTS),
  plan: record({
    faults: record({ before: someFaults(2), send: someFaults(5), polls: someFaults(4) }),
    forever: boolean(),
  }),
  seed: integer({ min: 1, max: 1_000_000 }),
  partial: boolean(),
});

describe('an action through trouble', () => {
  it('of each kind, in each phase, over each transport, is done once at most and reported correctly', async () => {
    const wrong: string[] = [];
    const cases = spread(EVERY_CASE, ONE_OF);
    for (const one of cases) {
      const found = await judged(desk, one);
      wrong.push(...found.map((what) => `${caseText(one)}: ${what}`));
    }
    expectHeld('R2 R5 faults × phases × actions × roads', { runs: cases.length, wrong });
  });

  it('of several kinds, one after the other, is done once at most and reported correctly', async () => {
    let runs = 0;
    const wrong: string[] = [];
    await assert(
      asyncProperty(anyCase, async (one) => {
        runs += 1;
        const found = await judged(desk, one);
        expect({ one: caseText(one), found }).toMatchObject({ found: [] });
      }),
      { seed: 20_261_120, numRuns: howMany(40, 500) },
    ).catch((error: unknown) => wrong.push(String(error)));
    expectHeld('R2 R5 random fault plans', { runs, wrong });
  });
});

describe('the judge of actions through trouble', () => {
  const opening = (plan: Plan): Case => {
    const action = EACH_ACTION.find(({ name }) => name === 'open');
    if (action === undefined) throw new Error('no open among the actions');
    return { action, road: 'direct', plan, seed: 1 };
  };
  const lost = opening(only('send', ['reset after'], true));
  const isDeal = (words: readonly string[]): boolean => words[0] === 'open';

  it.each<[string, RegExp, Runner]>([
    [
      'deals again, under another key, what is unknown',
      /did it 2 times/,
      async (words, run) => {
        const ran = await run(words);
        return isDeal(words) ? run([...words, '--despite', actionIn(ran.out)]) : ran;
      },
    ],
    [
      'calls done what is unknown',
      /true is one of/,
      async (words, run) => {
        const ran = await run(words);
        return isDeal(words) ? { ...ran, code: 0 } : ran;
      },
    ],
    [
      'says that nothing was done',
      /true is one of/,
      async (words, run) => {
        const ran = await run(words);
        const out = ran.out.replaceAll('"unknown"', '"none"');
        const document = (): unknown => JSON.parse(out);
        return isDeal(words) ? { ...ran, code: 5, out, document } : ran;
      },
    ],
    ['says nothing at all', /no document/, async (words, run) => ({ ...(await run(words)), out: '' })],
  ])('catches a program that %s', async (_, says, broken) => {
    expect(await judged(desk, lost)).toEqual([]);
    expect((await judged(desk, lost, broken)).join('\n')).toMatch(says);
  });

  it('holds of an open that is filled in part, and catches a program that tells it as asked', async () => {
    const part = { ...opening(only('polls', ['unwell before'])), partial: true };
    expect(await judged(desk, part)).toEqual([]);
    const found = await judged(desk, part, async (words, run) => {
      const ran = await run(words);
      return isDeal(words) ? { ...ran, code: 0 } : ran;
    });
    expect(found.join('\n')).toMatch(/filled in part, and told as asked/);
  });

  it('catches a program that settles nothing', async () => {
    const found = await judged(desk, opening(only('send', ['reset before'], true)), (words, run) =>
      run(words[0] === 'resume' ? ['check', '--json'] : words),
    );
    expect(found.join('\n')).toMatch(/not settled/);
  });

  it('catches a service that forgets its keys', async () => {
    desk.proxy.forgetsKeys(true);
    const found = await judged(desk, opening(only('send', ['reset after'])));
    desk.proxy.forgetsKeys(false);
    expect(found.join('\n')).toMatch(/did it 2 times/);
  });

  it('wants an action that meets no trouble to be sent', async () => {
    const out = JSON.stringify({ data: null, error: { effect: 'none' }, meta: {} });
    const ran = { code: 5, out, err: '', document: (): unknown => JSON.parse(out) };
    const polls = { through: 0, troubled: 0 };
    const truth = { sent: [], acted: 0, polls };
    expect(againstTruth(ran, { ...truth, plan: only('before', ['refused'], true) })).toEqual([]);
    expect(againstTruth(ran, { ...truth, plan: only('polls', ['refused'], true) })).toHaveLength(1);
  });
});

const actionIn = (out: string): string => /"action_id":"([0-9a-f]+)"/.exec(out)?.[1] ?? 'none';
