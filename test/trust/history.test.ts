/**
 * Random days at a desk on one journal: deals through trouble, a program that dies at any point, colleagues, clocks
 * that are wrong, limits and halts, a damaged journal, looking and settling. Never two from one intent, never one
 * that the journal does not know, never a wrong word. A failure prints the day, its seed, path and replay path:
 *
 *   HEDGE_DAY='{"seed":1,"path":"3:1","replayPath":"AB:C"}' npx vitest run --config test/vitest.config.ts test/trust/history.test.ts
 */
import { assert, asyncModelRun, asyncProperty, commands } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtOn } from '../support/day/built-day.ts';
import {
  brake,
  colleague,
  type DealAsked,
  deal,
  limit,
  look,
  passes,
  practiceFaults,
  type ResumeAsked,
  resume,
  type Step,
  settle,
  waitFor,
} from '../support/day/commands.ts';
import {
  type DayHouse,
  dayHouse,
  NO_TROUBLE,
  newDay,
  type Place,
  type Program,
  type Start,
  type Trouble,
} from '../support/day/day.ts';
import { evening } from '../support/day/evening.ts';
import { type Harm, harm, keepCopy, mend, STEPS } from '../support/day/journal-harm.ts';
import { newModel } from '../support/day/model.ts';
import { recordsIn } from '../support/day/words.ts';
import type { FaultName } from '../support/faults/faults.ts';
import { aQuarterOf, everyDay, expectHeld, howMany } from '../support/goal.ts';

let house: DayHouse;
beforeAll(async () => {
  house = await dayHouse();
});
afterAll(() => house.close());

/** What must never be and was. */
async function played(
  steps: Iterable<Step>,
  program?: Program,
  begin?: (place: Place) => Start,
): Promise<readonly string[]> {
  const [model, day] = [newModel(), await newDay(house, program, begin)];
  try {
    await asyncModelRun(() => ({ model, real: day }), steps);
    if (model.wrong.length === 0) await evening(model, day);
    return model.wrong;
  } finally {
    await day.close();
  }
}

const DAYS = [
  { how: 'in this process', begin: undefined, few: 40, many: 400, longest: 14 },
  { how: 'by the built program, killed for real', begin: builtOn, few: 2, many: 20, longest: 7 },
] as const;

describe('any day at a desk', () => {
  it.each(DAYS)(
    '$how, ends with one action an intent, all of it in the journal, and no wrong report',
    async ({ how, begin, few, many, longest }) => {
      const { replayPath, ...again } = JSON.parse(process.env['HEDGE_DAY'] ?? '{}');
      let runs = 0;
      let found: readonly string[] = [];
      const wrong: string[] = [];
      await assert(
        asyncProperty(commands(STEPS, { maxCommands: longest, size: '+1', replayPath }), async (steps) => {
          runs += 1;
          const now = await played(steps, undefined, begin);
          if (now.length > 0) found = now;
          expect(now).toEqual([]);
        }),
        {
          seed: 20_261_121,
          numRuns: howMany(few, many),
          ...again,
        },
      ).catch((error: unknown) => wrong.push(`${String(error)}\n${found.join('\n')}`));
      expectHeld(`R1 R2 R4 R5 R6 random days on one journal, ${how}`, { runs, wrong });
    },
  );
});

const through = (...send: FaultName[]): Trouble => ({
  plan: { faults: { before: [], send, polls: [] }, forever: true },
  dies: undefined,
});

const aDeal = (parts: Partial<DealAsked> = {}): Step =>
  deal({
    profile: 'desk',
    action: 'open',
    side: 'buy',
    size: { usd: 1_000 },
    tenor: 7,
    name: undefined,
    ensure: false,
    retryFailed: false,
    twice: true,
    despite: false,
    waits: true,
    trouble: NO_TROUBLE,
    ...parts,
  });
const aResume = resume({ which: 0, profile: 'desk', by: 'unasked', trouble: NO_TROUBLE });
const lost = aDeal({ trouble: through('reset before') });
const HOUR_MS = 3_600_000;

const resumed = (by: ResumeAsked['by']): Step =>
  resume({ which: 0, profile: 'desk', by, trouble: NO_TROUBLE });
const dying = (at: number): Trouble => ({ ...NO_TROUBLE, dies: { at, half: false } });
const POINTS = Array.from({ length: 30 }, (_, index) => index + 10);

const putBack = harm({ how: 'older copy', withLog: true });
const inPage = (part: number): Step =>
  harm({ how: 'flip', file: 'journal.sqlite', part, bit: 3 } satisfies Harm);

/** A close that never arrived, a second one that did, and a hedge that was opened since: then the first is resumed. */
const closedOver = [
  aDeal({ action: 'close', trouble: through('reset before') }),
  aDeal({ action: 'close' }),
  colleague({ action: 'open', side: 'buy', size: 2_500, dealId: undefined }),
  passes(10_000),
  aResume,
];

describe('a day on which', () => {
  it.each<[string, readonly Step[]]>([
    ['what is unresolved is two hours old', [lost, passes(2 * HOUR_MS), resumed('unasked')]],
    [
      'it is old, and the clock was set back',
      [lost, passes(3_700_000), aDeal({ side: 'sell' }), passes(-400_000), resumed('unasked')],
    ],
    ['it is unresolved when opens are halted', [lost, brake(true), resumed('unasked')]],
    ['it is unresolved when a limit is set', [lost, limit('desk', { most: 500 }), resumed('unasked')]],
    [
      'it is unresolved under a name, and is settled, and dealt on other terms',
      [
        aDeal({ name: 'PAY-1', trouble: through('unwell before') }),
        settle(0),
        aDeal({ name: 'PAY-1', tenor: 3 }),
      ],
    ],
    [
      'a colleague deals under its name',
      [
        aDeal({ name: 'PAY-1', trouble: through('in flight') }),
        colleague({ action: 'open', side: 'buy', size: 1_000, dealId: 'PAY-1' }),
        aDeal({ name: 'PAY-1', ensure: true }),
      ],
    ],
    ['a script resumes what never left', [aDeal({ trouble: through('refused') }), resumed('script')]],
    [
      'a script resumes what was turned away',
      [aDeal({ trouble: through('slow down for 2 s') }), resumed('script')],
    ],
    ['a person says no, and then yes', [lost, resumed('n'), resumed('y')]],
    [
      'a deal that failed is opened again with --ensure',
      [
        practiceFaults({ share_failing_orders: 1 }),
        aDeal({ name: 'PAY-1' }),
        aDeal({ name: 'PAY-1', ensure: true }),
        aDeal({ name: 'PAY-1', ensure: true, retryFailed: true }),
      ],
    ],
    [
      'an addition is dealt beside one of a colleague of the same size',
      [
        aDeal({ action: 'add', trouble: through('reset after', 'refused') }),
        colleague({ action: 'add', side: 'buy', size: 1_000, dealId: undefined }),
        passes(10_000),
        resumed('script'),
      ],
    ],
    ['the side must be flat whatever is unresolved', [lost, aDeal({ action: 'close' })]],
    ['a close is in doubt, and another hedge stands there since', closedOver],
  ])('%s ends well', everyDay, async (_, steps) => {
    expect(await played(steps)).toEqual([]);
  });

  it.each<[string, readonly Step[]]>([
    [
      'an older copy is put back, and what it lacks is dealt again',
      [aDeal({ name: 'PAY-1' }), putBack, aDeal({ name: 'PAY-1' })],
    ],
    [
      'an older copy is put back beside the log',
      [aDeal(), harm({ how: 'older copy', withLog: false }), aDeal()],
    ],
    [
      'an older copy is put back, and the side is closed',
      [aDeal(), putBack, aDeal({ action: 'close' }), aDeal()],
    ],
    ['the copy is older than a halt', [aDeal(), keepCopy, brake(true), putBack, aDeal()]],
    ['the witness is lost', [aDeal(), harm({ how: 'lost witness' }), aDeal(), aDeal({ action: 'close' })]],
    ['the shared memory is lost', [aDeal(), harm({ how: 'lost shm' }), aDeal()]],
    [
      'its page is damaged, and the side is closed',
      [aDeal(), inPage(0.01), aDeal(), aDeal({ action: 'close' }), mend, aDeal()],
    ],
    ['what is unresolved is lost', [lost, putBack, aDeal({ action: 'reduce' }), resumed('unasked')]],
  ])('of the journal %s ends well', everyDay, async (_, steps) => {
    expect(await played([keepCopy, ...steps])).toEqual([]);
  });

  it('the program dies at any point and any page of the journal is damaged ends well', async () => {
    for (const at of aQuarterOf(POINTS))
      for (const part of at % 5 === 0 ? [0.001, 0.1, 0.5, 0.9] : [0.3])
        expect(
          await played([aDeal({ trouble: dying(at) }), inPage(part), waitFor(0, NO_TROUBLE), aDeal(), mend]),
        ).toEqual([]);
  });
});

/** Another word in the place of the one that begins a line. */
const instead =
  (word: string, other: Program): Program =>
  (words, run, day) =>
    words[0] === word ? other(words, run, day) : run(words);

const saying =
  (one: string, other: string, code?: number): Program =>
  async (words, run) => {
    const ran = await run(words);
    return words[0] === 'journal'
      ? ran
      : { ...ran, code: code ?? ran.code, out: ran.out.replaceAll(one, other) };
  };

describe('the model of a day', everyDay, () => {
  it.each<[string, RegExp, readonly Step[], Program]>([
    [
      'forgets its journal',
      /lost|not in the journal/,
      [aDeal(), aDeal()],
      async (words, run, { journal }) => {
        if (words[0] !== 'journal') journal.forget();
        return run(words);
      },
    ],
    [
      'writes its journal only when the answer has come',
      /not written down before/,
      [aDeal()],
      async (words, run, { journal }) => {
        journal.hide(true);
        return run(words).finally(() => journal.hide(false));
      },
    ],
    [
      'resumes under a new key',
      /under another key/,
      [lost, aResume],
      instead('resume', ([, id = ''], run) =>
        run('open USDTNGN buy 1000 --tenor 7 --yes --json --profile desk --despite'.split(' ').concat(id)),
      ),
    ],
    [
      'resumes with other bytes',
      /other bytes/,
      [lost, aResume],
      instead('resume', (words, run, { journal }) => {
        journal.rewrite((text) => text.replaceAll('1000,', '1001,').replaceAll('"1000"', '"1001"'));
        return run(words);
      }),
    ],
    [
      'resumes what is too old',
      /its key is 12\d min old/,
      [lost, passes(2 * HOUR_MS), aResume],
      instead('resume', async (words, run, { pass }) => {
        pass(-2 * HOUR_MS);
        return run(words).finally(() => pass(2 * HOUR_MS));
      }),
    ],
    ['says failed of what is unknown', /true is one of 7 unknown/, [lost], saying('"unknown"', '"none"', 9)],
    [
      'calls done what is not',
      /called done/,
      [aDeal({ trouble: through('slow down for days') })],
      saying('"effect":"none"', '"effect":"done"'),
    ],
    ['calls not done what is', /called not done/, [aDeal()], saying('"effect":"done"', '"effect":"none"')],
    [
      'calls unknown what is known',
      /could be known/,
      [aDeal()],
      saying('"effect":"done"', '"effect":"unknown"'),
    ],
    [
      'deals over what is unresolved',
      /while .* is unresolved/,
      [lost, aDeal()],
      instead('open', (words, run, { journal }) => {
        const ids = recordsIn(journal.read()).map((each) => each.action_id);
        return run(ids.length === 0 ? words : [...words, '--despite', ...new Set(ids)]);
      }),
    ],
    [
      'deals over a halt',
      /while opens and adds are halted/,
      [brake(true), aDeal()],
      instead('open', async (words, run) => {
        await run(['unhalt', '--yes', '--json']);
        return run(words);
      }),
    ],
    [
      'deals above a limit',
      /above the limit/,
      [limit('desk', { most: 500 }), aDeal()],
      instead('open', async (words, run) => {
        await run(['profile', 'limit', 'desk', '--max-notional', 'none', '--yes', '--json']);
        return run(words);
      }),
    ],
    [
      'deals over a journal that was put back',
      /over a journal that lacks records/,
      [keepCopy, aDeal(), putBack, aDeal()],
      instead('open', async (words, run) => {
        await run(['journal', 'accept-loss', '--note', 'whatever it is', '--yes', '--json']);
        await run(['unhalt', '--yes', '--json']);
        return run(words);
      }),
    ],
    [
      'does not say that its journal was put back',
      /does not say so/,
      [keepCopy, aDeal(), putBack, look(['check', '--profile', 'desk'], NO_TROUBLE)],
      instead('journal', async (words, run) => {
        const ran = await run(words);
        return { ...ran, out: ran.out.replace(/"trouble":\{[^}]*\}/, '"trouble_is_none":true') };
      }),
    ],
    [
      'sends while it looks',
      /only reads/,
      [lost, look(['check', '--profile', 'desk'], NO_TROUBLE)],
      instead('check', (_, run) => run('resume --yes --resend --json --profile desk'.split(' '))),
    ],
    [
      'closes again what it was not meant for',
      /which it was not meant for/,
      closedOver,
      async (words, run, { journal }) => {
        if (words[0] !== 'resume') return run(words);
        const { out } = await run(['hedges', '--limit', '1', '--json', '--profile', 'desk']);
        const [id = ''] = /hdg_\w+/.exec(out) ?? [];
        journal.rewrite((text) => text.replaceAll(/hdg_\w+/g, id));
        return run(words);
      },
    ],
    [
      'settles nothing',
      /not settled/,
      [lost],
      instead('resume', (_, run) => run(['check', '--json', '--profile', 'desk'])),
    ],
    ['says nothing', /no document/, [aDeal()], async (words, run) => ({ ...(await run(words)), out: '' })],
  ])('catches a program that %s', async (_, says, steps, broken) => {
    expect((await played(steps, broken)).join('\n')).toMatch(says);
    expect(await played(steps)).toEqual([]);
  });

  it('catches a service that forgets its keys', async () => {
    house.proxy.forgetsKeys(true);
    const found = await played([aDeal({ trouble: through('reset after') })]);
    house.proxy.forgetsKeys(false);
    expect(found.join('\n')).toMatch(/done \d times under/);
  });
});
