/**
 * One deal ID is one hedge on every machine, also after a rejection, a failed order, or a restored journal, whatever the
 * service remembers under its idempotency keys. Where there are two, the run that can see it names both and exits 7.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aQuarterOf, everyDay, expectHeld, howMany } from '../support/goal.ts';
import { type KeyRules, keyedService } from '../support/keyed-service.ts';
import { seededRandom } from '../support/steady-clock.ts';
import type { Ran, TestCli } from '../support/test-cli.ts';

const HOUR_MS = 3_600_000;
const EVERY_RULE: readonly (readonly [string, KeyRules])[] = (['kept', 'forgotten'] as const).flatMap(
  (rejections) =>
    [Number.POSITIVE_INFINITY, HOUR_MS].flatMap((lifeMs) =>
      [0, 60_000].map(
        (lagMs) =>
          [
            `rejections ${rejections}, keys for ${lifeMs === HOUR_MS ? 'an hour' : 'ever'}, lists ${lagMs === 0 ? 'of now' : '60 s behind'}`,
            { rejections, lifeMs, lagMs },
          ] as const,
      ),
    ),
);
const RULES = aQuarterOf(EVERY_RULE);

const ENSURE = 'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --ensure --yes --json';
const HEADER = 'deal_id,market,side,notional_usd,tenor_days,max_cost_bps';

/** The ways to open the deal ID PAY-1 once. */
const WAYS: Readonly<Record<string, (machine: TestCli) => Promise<Ran>>> = {
  'open --ensure': (machine) => machine.run(ENSURE),
  'open --deal-id': (machine) => machine.run(ENSURE.replace(' --ensure', '')),
  'deals run': (machine) => {
    const path = join(machine.home, 'deals.csv');
    writeFileSync(path, `${HEADER}\nPAY-1,USDTNGN,buy,1000,3,300\n`);
    return machine.run(`deals run ${path} --retry-failed --yes --json`);
  },
  batch: (machine) =>
    machine.run('batch - --yes --json', { stdin: `${ENSURE.replace(' --yes --json', '')}\n` }),
};

describe.each(Object.entries(WAYS))('%s, after a rejection that one machine has recorded', (_way, run) => {
  it.each(RULES)('opens once, whichever of two machines comes first: %s', async (_rules, rules) => {
    const service = await keyedService();
    for (const first of [0, 1]) {
      await service.begin(rules);
      const machines = [service.machine(), service.machine()] as const;
      service.reject('exposure_exceeded');
      expect((await run(machines[0])).code).toBe(3);
      service.reject(undefined);
      const order = [machines[first], machines[1 - first]];
      for (let round = 0; round < 2; round += 1)
        for (const machine of order) if (machine !== undefined) await run(machine);
      expect(await service.opened('PAY-1')).toHaveLength(1);
    }
  });
});

const outcomeOf = (ran: Ran) => {
  const { error }: { error: { code: string; message: string } | null } = JSON.parse(ran.out);
  return { code: ran.code, error: error?.code ?? null, message: error?.message ?? '' };
};

/** A machine whose first attempt was rejected before, on a service that accepts again. */
async function afterRejection(rules: Partial<KeyRules> = {}, code = 'exposure_exceeded') {
  const service = await keyedService();
  await service.begin({ rejections: 'kept', lifeMs: Number.POSITIVE_INFINITY, lagMs: 0, ...rules });
  const machine = service.machine();
  service.reject(code);
  expect((await machine.run(ENSURE)).code).toBe(3);
  service.reject(undefined);
  return { ...service, machine: () => machine, another: service.machine };
}

describe('the next attempt under a deal ID', everyDay, () => {
  it('is made where the service repeats the rejection of an earlier command, after the first again', async () => {
    const { machine, posts, opened } = await afterRejection();
    const [first] = posts();
    expect(outcomeOf(await machine().run(ENSURE))).toMatchObject({ code: 0 });
    expect(posts().slice(0, 2)).toEqual([first, first]);
    expect(posts()).toHaveLength(3);
    expect(await opened('PAY-1')).toHaveLength(1);
  });

  it('is not made where the service judges the first again and accepts it', async () => {
    const { machine, posts } = await afterRejection({ rejections: 'forgotten' });
    expect(outcomeOf(await machine().run(ENSURE))).toMatchObject({ code: 0 });
    expect(new Set(posts()).size).toBe(1);
  });

  it('is not made by a machine that has not recorded the rejection before: it ends with 3', async () => {
    const { another, posts } = await afterRejection();
    const other = another();
    expect(outcomeOf(await other.run(ENSURE))).toMatchObject({ code: 3, error: 'exposure_exceeded' });
    expect(new Set(posts()).size).toBe(1);
    expect((await other.run(ENSURE)).code).toBe(0);
  });

  it('is not made after another rejection than the recorded one', async () => {
    const { machine, posts, reject } = await afterRejection({ rejections: 'forgotten' });
    reject('insufficient_margin');
    expect(outcomeOf(await machine().run(ENSURE))).toMatchObject({ code: 3, error: 'insufficient_margin' });
    expect(new Set(posts()).size).toBe(1);
  });

  it.each([401, 403, 408, 425, 429])(
    'is not made after an answer with status %i, however often',
    async (status) => {
      const service = await keyedService();
      await service.begin({ rejections: 'forgotten', lifeMs: Number.POSITIVE_INFINITY, lagMs: 0 });
      const machine = service.machine();
      service.reject('for_now', status);
      for (let run = 0; run < 3; run += 1) expect((await machine.run(ENSURE)).code).not.toBe(0);
      expect(new Set(service.posts()).size).toBe(1);
      service.clock.pass(10 * 60_000);
      service.reject(undefined);
      expect((await machine.run(ENSURE)).code).toBe(0);
      expect(await service.opened('PAY-1')).toHaveLength(1);
    },
  );

  it('is made at most ten times in one command', async () => {
    const { machine, posts, reject } = await afterRejection({ rejections: 'forgotten' });
    reject('exposure_exceeded');
    for (let run = 0; run < 14; run += 1) expect((await machine().run(ENSURE)).code).toBe(3);
    expect(new Set(posts()).size).toBe(10);
  });

  it('ends with deal_id_used where the key has another request', async () => {
    const { another, posts } = await afterRejection();
    const other = await another().run(ENSURE.replace('1000', '2000'));
    expect(outcomeOf(other)).toMatchObject({ code: 10, error: 'deal_id_used' });
    expect(other.out).toContain('"service_code":"idempotency_key_reuse"');
    expect(new Set(posts()).size).toBe(1);
  });

  it('after a failed order needs --retry-failed, and follows the first on every machine', async () => {
    const service = await keyedService();
    const one = service.machine();
    await service.failOrders(1);
    const needsWord = {
      error: { retry: 'never', message: expect.stringContaining('with --retry-failed it does') },
    };
    const failed = await one.run(ENSURE);
    expect([failed.code, failed.document()]).toMatchObject([9, needsWord]);
    await service.failOrders(0);
    const still = await one.run(ENSURE);
    expect([still.code, still.document()]).toMatchObject([9, needsWord]);
    const retry = `${ENSURE} --retry-failed`;
    expect((await one.run(retry)).code).toBe(0);
    expect((await service.machine().run(retry)).code).toBe(0);
    expect(new Set(service.posts()).size).toBe(2);
    expect(await service.opened('PAY-1')).toHaveLength(1);
  });

  it('is not made by the command whose own order fails', async () => {
    const service = await keyedService();
    const machine = service.machine();
    await service.failOrders(1);
    for (const keys of [1, 2, 3]) {
      const failed = await machine.run(`${ENSURE} --retry-failed`);
      expect([failed.code, failed.document()]).toMatchObject([9, { error: { retry: 'later' } }]);
      expect(new Set(service.posts()).size).toBe(keys);
    }
  });

  it('has the bytes that were recorded for it, in naira at another rate too', async () => {
    const naira = ENSURE.replace('1000', '--ngn 3m').replace('PAY-1', 'PAY-2');
    const service = await keyedService();
    const desk = service.machine();
    service.reject('exposure_exceeded');
    expect((await desk.run(naira)).code).toBe(3);
    service.reject(undefined);
    service.clock.pass(10 * 60_000);
    expect(outcomeOf(await desk.run(naira))).toMatchObject({ code: 0 });
    expect(service.posts()).toHaveLength(3);
    expect(await service.opened('PAY-2')).toHaveLength(1);
  });
});

const NAIRA = ENSURE.replace('1000', '--ngn 3m');
const RETRY = `${NAIRA} --retry-failed`;

/** A deal in naira whose order failed, before the rate moved by 1 %. */
async function failedInNaira({ lagMs = 0 } = {}) {
  const service = await keyedService();
  await service.begin({ rejections: 'kept', lifeMs: Number.POSITIVE_INFINITY, lagMs });
  const machine = service.machine();
  const restored = service.copyOf(machine);
  await service.failOrders(1);
  const failed = await machine.run(NAIRA);
  expect(failed.code).toBe(9);
  await service.failOrders(0);
  service.moveRate(1.01);
  return { ...service, machine, other: service.machine, restored, failed };
}

describe('a deal in naira whose order failed, once the rate has moved', everyDay, () => {
  const sizesOf = (ran: Ran): number => JSON.parse(ran.out).data.request.notional_usd;

  it.each([
    ['open --ensure --retry-failed', (machine: TestCli) => machine.run(RETRY)],
    [
      'deals run --retry-failed',
      (machine: TestCli) => {
        const path = join(machine.home, 'deals.csv');
        writeFileSync(path, `${HEADER.replace('notional_usd', 'ngn')}\nPAY-1,USDTNGN,buy,3m,3,300\n`);
        return machine.run(`deals run ${path} --retry-failed --yes --json`);
      },
    ],
  ])('is opened once by %s, with the size of now', async (_, run) => {
    const { machine, posts, opened, failed } = await failedInNaira();
    const ran = await run(machine);
    expect([ran.code, new Set(posts()).size, (await opened('PAY-1')).length]).toEqual([0, 2, 1]);
    const [hedge] = JSON.parse((await machine.run('hedges PAY-1 --json')).out).data;
    expect(hedge.notional_usd).toBeLessThan(sizesOf(failed) * 0.995);
    expect((await machine.run(RETRY)).code).toBe(0);
    expect(await opened('PAY-1')).toHaveLength(1);
  });

  it('is retried as often as its orders fail, each time at another rate', async () => {
    const { machine, posts, opened, failOrders, moveRate } = await failedInNaira();
    await failOrders(1);
    expect((await machine.run(RETRY)).code).toBe(9);
    moveRate(1.02);
    expect((await machine.run(RETRY)).code).toBe(9);
    await failOrders(0);
    moveRate(1.03);
    expect((await machine.run(RETRY)).code).toBe(0);
    expect([new Set(posts()).size, (await opened('PAY-1')).length]).toEqual([4, 1]);
  });

  it.each([0, 60_000])(
    'is opened once by two machines that know the failure and retry at the same moment, with lists %i ms behind',
    async (lagMs) => {
      const { machine, copyOf, opened, posts, during } = await failedInNaira({ lagMs });
      const second = copyOf(machine);
      let theirs: Ran | undefined;
      during(posts().length + 2, async () => {
        theirs = await second.run(RETRY);
      });
      const ours = await machine.run(RETRY);
      expect([ours.code, theirs?.code, (await opened('PAY-1')).length]).toEqual([0, 0, 1]);
    },
  );

  it('is not sent again without --retry-failed', async () => {
    const { machine, posts } = await failedInNaira();
    expect((await machine.run(NAIRA)).code).toBe(9);
    expect(posts()).toHaveLength(1);
  });

  it('is not passed over by a machine without a record of the failure, nor once the key may be forgotten', async () => {
    const service = await failedInNaira();
    for (const other of [service.other(), service.restored])
      expect(outcomeOf(await other.run(RETRY))).toMatchObject({ code: 10, error: 'deal_id_used' });
    service.clock.pass(HOUR_MS);
    expect(outcomeOf(await service.machine.run(RETRY))).toMatchObject({ code: 10, error: 'deal_id_used' });
    expect(new Set(service.posts()).size).toBe(1);
  });

  it('is retried by the command that its failure advises, in naira', async () => {
    const { machine, failed, opened } = await failedInNaira();
    const { hint } = JSON.parse(failed.out).error;
    expect(hint).toContain('--ngn 3000000');
    const words = hint.slice(hint.indexOf('hedge ') + 6).split('\n')[0];
    expect((await machine.run(`${words} --yes --json`)).code).toBe(0);
    expect(await opened('PAY-1')).toHaveLength(1);
  });
});

/** Both hedges are named. */
const namesBoth = (ran: Ran, ids: readonly string[]): boolean =>
  ran.code === 7 && ids.every((id) => `${ran.out}${ran.err}`.includes(id));

/**
 * Two hedges, on a service that forgets rejections: one machine has an attempt rejected as before, the service accepts
 * again, and the other one's first attempt comes before the next of the first machine.
 */
async function openedTwice(run: (machine: TestCli) => Promise<Ran>, lagMs: number) {
  const desk = await afterRejection({ rejections: 'forgotten', lagMs });
  const [one, other] = [desk.machine(), desk.another()];
  const first = desk.posts().length;
  desk.reject('exposure_exceeded');
  let theirs: Ran | undefined;
  desk.during(first + 2, async () => {
    desk.reject(undefined);
    theirs = await run(other);
  });
  const ours = await run(one);
  const ids = await desk.opened('PAY-1');
  expect([ids.length, theirs?.code]).toEqual([2, 0]);
  return { ...desk, one, other, ours, ids };
}

describe('two hedges under one deal ID', everyDay, () => {
  const waiting = Object.entries(WAYS);
  it.each(waiting.flatMap(([way, run]) => [0, 60_000].map((lagMs) => [way, lagMs, run] as const)))(
    'are named by %s, which exits 7, with lists %i ms behind',
    async (_way, lagMs, run) => {
      const { ours, ids } = await openedTwice(run, lagMs);
      expect([ours.code, namesBoth(ours, ids)]).toEqual([7, true]);
    },
  );

  it('are named by the other machine where its open came after the whole run of the first', async () => {
    const desk = await afterRejection({ rejections: 'forgotten', lagMs: 60_000 });
    const first = desk.posts().length;
    let theirs: Ran | undefined;
    desk.during(first + 1, async () => {
      desk.reject('exposure_exceeded');
      desk.during(first + 3, async () => desk.reject(undefined));
      theirs = await desk.machine().run(ENSURE);
    });
    const ours = await desk.another().run(ENSURE);
    const ids = await desk.opened('PAY-1');
    expect([ids.length, theirs?.code, namesBoth(ours, ids)]).toEqual([2, 0, true]);
  });

  it.each([['check'], ['wait PAY-1'], ['hedges PAY-1'], [ENSURE]])(
    'are named by the next command after --no-wait: %s',
    async (next) => {
      const run = (machine: TestCli) => machine.run(ENSURE.replace('--json', '--no-wait --json'));
      const { one, ours, ids, clock } = await openedTwice(run, 0);
      expect(ours.code).toBe(0);
      clock.pass(5_000);
      expect(namesBoth(await one.run(next), ids)).toBe(true);
    },
  );
});

const MACHINES = ['one', 'other', 'restored'] as const;
const EVENTS = [
  ...MACHINES,
  ...MACHINES,
  'rejects',
  'accepts',
  'orders fail',
  'orders fill',
  '5 s',
  '70 s',
  '61 min',
  'meanwhile one',
  'meanwhile other',
] as const;

/** A random history of machines and service; what must never be and was, in words. */
async function judged(service: Awaited<ReturnType<typeof keyedService>>, rules: KeyRules, seed: number) {
  const { fraction } = seededRandom(seed);
  const one = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(fraction() * of.length)] ?? of[0];
  await service.begin(rules);
  await service.failOrders(0);
  const machines = { one: service.machine(), other: service.machine(), restored: service.machine() };
  const story: string[] = [];
  const ends: Ran[] = [];
  const line = one([ENSURE, `${ENSURE} --retry-failed`, ENSURE.replace(' --ensure', '')]);
  const run = async (name: keyof typeof machines): Promise<void> => {
    const ran = await machines[name].run(line);
    ends.push(ran);
    story.push(`${name} exits ${ran.code.toString()} (${outcomeOf(ran).error ?? ''})`);
  };
  for (let step = 0; step < 9; step += 1) {
    const event = one(EVENTS);
    story.push(event);
    if (event === 'rejects') service.reject('exposure_exceeded');
    else if (event === 'accepts') service.reject(undefined);
    else if (event === 'orders fail' || event === 'orders fill')
      await service.failOrders(event === 'orders fail' ? 1 : 0);
    else if (event === '5 s' || event === '70 s' || event === '61 min')
      service.clock.pass({ '5 s': 5_000, '70 s': 70_000, '61 min': 61 * 60_000 }[event]);
    else if (event === 'meanwhile one' || event === 'meanwhile other') {
      const flips = one([true, false]);
      service.during(service.posts().length + one([1, 2]), async () => {
        if (flips) service.reject(one([undefined, 'exposure_exceeded']));
        await run(event === 'meanwhile one' ? 'one' : 'other');
      });
    } else {
      if (event === 'restored') machines.restored = service.copyOf(machines.one);
      await run(event);
    }
  }
  const ids = await service.opened('PAY-1');
  const isNamed = ids.length < 2 || ends.some((ran) => namesBoth(ran, ids));
  return isNamed ? [] : [`${JSON.stringify(rules)}, seed ${seed.toString()}, ${line}: ${story.join('; ')}`];
}

describe('machines that open one deal ID in any order', () => {
  it.each(RULES)('open it once, or say that there are two: %s', async (_rules, rules) => {
    const service = await keyedService();
    const runs = howMany(30, 400);
    const wrong: string[] = [];
    for (let seed = 1; seed <= runs; seed += 1) wrong.push(...(await judged(service, rules, seed)));
    expectHeld('R16 one deal ID', { runs, wrong });
  });
});

describe('roll run', () => {
  it.each(RULES)(
    'opens leg 2 once on two machines with one plan, after a rejection on one: %s',
    async (_rules, rules) => {
      const service = await keyedService();
      await service.begin(rules);
      const one = service.machine();
      expect((await one.run(ENSURE)).code).toBe(0);
      expect((await one.run('roll PAY-1 --tenor 3 --at maturity --yes')).code).toBe(0);
      service.clock.pass(3 * 24 * HOUR_MS + HOUR_MS);
      const other = service.copyOf(one);
      service.reject('exposure_exceeded');
      await one.run('roll run --due --yes');
      service.reject(undefined);
      for (const machine of [one, other, one, other]) await machine.run('roll run --due --yes');
      expect(await service.opened('PAY-1.r2')).toHaveLength(1);
    },
  );
});
