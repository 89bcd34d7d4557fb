/**
 * Read replicas that are behind: a reading that lacks a side, or a hedge of it, is not believed while it may be
 * older than what is known to be there. The whole program, on one clock with the service.
 */
import { describe, expect, it } from 'vitest';
import { type Lag, type LaggingService, laggingService, type Reading } from '../support/lagging-service.ts';
import type { Ran, TestCli } from '../support/test-cli.ts';

const OPEN = 'open USDTNGN buy 10000 --tenor 7 --yes --json';
const CLOSE = 'close USDTNGN buy --yes --json';
const BUY = { side: 'buy', notional_usd: 10_000, tenor_days: 7 };
const TEN_MINUTES = 600_000;

interface Said {
  data: { outcome: string } | null;
  error: { code: string; message: string; effect: string; retry: string; hint?: string } | null;
}
const said = (ran: Ran): Said => JSON.parse(ran.out);
const told = (ran: Ran): unknown => [
  ran.code,
  said(ran).data?.outcome ?? said(ran).error?.code,
  said(ran).error?.effect,
];

/** What it came to, and how long it took by the clock of the desk. */
async function timed(service: LaggingService, running: Promise<Ran>): Promise<{ came: unknown; ms: number }> {
  const from = service.clock.now();
  const came = told(await running);
  return { came, ms: service.clock.now() - from };
}

interface AtDesk {
  service: LaggingService;
  desk: TestCli;
}

/** This machine has opened 10,000, so many milliseconds ago. */
async function opened(age: number): Promise<AtDesk> {
  const service = await laggingService();
  const cli = service.machine();
  expect(told(await cli.run(OPEN))).toEqual([0, 'filled', undefined]);
  await service.pass(age);
  return { service, desk: cli };
}

/** A colleague has opened 10,000, so many milliseconds ago. */
async function openedElsewhere(age: number): Promise<AtDesk> {
  const service = await laggingService();
  await service.served.colleague('/hedges', BUY);
  await service.pass(age);
  expect(await service.open('buy')).toHaveLength(1);
  return { service, desk: service.machine() };
}

/** Behind once there is an order on its way, and only in the readings of these kinds, each of these times it is read. */
function behindOnce(service: LaggingService, behind: ReturnType<Lag>, ...kinds: readonly Reading[]): void {
  const after = service.served.changes().length;
  const turns = new Map<Reading, number>();
  service.lag((reading) => {
    if (service.served.changes().length === after) return 0;
    const turn = (turns.get(reading) ?? 0) + 1;
    turns.set(reading, turn);
    return kinds.includes(reading) && turn === 2 ? behind : 0;
  });
}

const landsAfter = (service: LaggingService, seconds: number): Promise<unknown> =>
  service.served.desk.service.admin.setFaults({ slow_fills_seconds: seconds });

describe('seconds after a fill of this machine, as replicas show it that are behind', () => {
  it('close --if-open does not call the side flat, and closes it', async () => {
    const { service, desk } = await opened(2_000);
    service.lag(() => 12_000);
    expect(told(await desk.run(`${CLOSE} --if-open`))).toEqual([0, 'closed', undefined]);
    expect(await service.open('buy')).toEqual([]);
  });

  it.each([
    ['add USDTNGN buy 5000 --yes --json', 15_000],
    ['reduce USDTNGN buy --to 4000 --yes --json', 4_000],
    ['close USDTNGN buy --yes --json', undefined],
  ])('%s does not say that nothing is open, and is done', async (line, left) => {
    const { service, desk } = await opened(2_000);
    service.lag(() => 12_000);
    expect((await desk.run(line)).code).toBe(0);
    expect((await service.open('buy'))[0]?.notional_usd).toBe(left);
  });

  it.each<[string, readonly Reading[]]>([
    ['the positions lack', ['positions']],
    ['the list of hedges lacks', ['hedges']],
    ['positions and list lack', ['positions', 'hedges']],
    ['every reading lacks', ['positions', 'hedges', 'hedge']],
  ])('a close is not CLOSED by one reading in which %s what is still open', async (_, kinds) => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    behindOnce(service, 12_000, ...kinds);
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
    expect(await service.open('buy')).toEqual([]);
  });

  it('a reduction of everything is not CLOSED by one such reading', async () => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    behindOnce(service, 12_000, 'positions', 'hedges');
    const { came, ms } = await timed(service, desk.run('reduce USDTNGN buy 10000 --yes --json'));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
  });

  it('a close sent with --no-wait is in flight for check and wait, until it is closed in truth', async () => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    expect((await desk.run(`${CLOSE} --no-wait`)).code).toBe(0);
    service.lag((reading) => (reading === 'hedge' ? 0 : 12_000));
    expect(told(await desk.run('check --json'))).toEqual([8, 'pending', 'pending']);
    const [action] = JSON.parse((await desk.run('journal --json')).out).data;
    expect(told(await desk.run(`wait ${action.action_id} --json`))).toEqual([0, 'closed', undefined]);
    expect(await service.open('buy')).toEqual([]);
  });
});

describe('seconds after a change of this machine, as replicas show it that are behind', () => {
  it.each([
    ['a reduction', 'reduce USDTNGN buy 4000 --yes --json', 5_000],
    ['an addition', 'add USDTNGN buy 2000 --yes --json', 5_000],
    ['another fill', OPEN.replace('10000', '3000'), 5_000],
  ])('reduce --to takes what is too much after %s, and not what was before it', async (_, line, left) => {
    const { service, desk } = await opened(TEN_MINUTES);
    expect((await desk.run(line)).code).toBe(0);
    service.lag(() => 10_000);
    expect((await desk.run(`reduce USDTNGN buy --to ${left} --yes --json`)).code).toBe(0);
    const open = await service.open('buy');
    expect(open.reduce((sum, { notional_usd: size }) => sum + size, 0)).toBeCloseTo(left, 4);
  });

  it('a second addition is not done by what the first one added', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    const add = 'add USDTNGN buy 500 --yes --json --allow-duplicate';
    expect((await desk.run(add)).code).toBe(0);
    const before = service.served.changes().length;
    service.lag(() => (service.served.changes().length === before ? 10_000 : 0));
    await landsAfter(service, 20);
    const { came, ms } = await timed(service, desk.run(add));
    expect({ came, left: (await service.open('buy'))[0]?.notional_usd }).toEqual({
      came: [0, 'changed', undefined],
      left: 11_000,
    });
    expect(ms).toBeGreaterThan(20_000);
  });
});

const resized = (change: string): string => `${change} USDTNGN buy 1000 --yes --json --allow-duplicate`;

/** Every order of so many changes. */
const orders = (count: number): readonly (readonly string[])[] =>
  count === 0
    ? [[]]
    : orders(count - 1).flatMap((before) => ['add', 'reduce'].map((change) => [...before, change]));

describe('a change that brings back a size that the hedge had seconds before', () => {
  it.each(orders(3).map((changes) => [changes.join(', '), changes] as const))(
    'is done within seconds: open, %s, close',
    async (_, changes) => {
      const service = await laggingService();
      const desk = service.machine();
      for (const line of [OPEN, ...changes.map(resized), CLOSE]) {
        const { came, ms } = await timed(service, desk.run(line));
        expect({ line, came, isQuick: ms < 6_000 }).toEqual({
          line,
          came: [0, expect.stringMatching(/^(filled|changed|closed)$/), undefined],
          isQuick: true,
        });
      }
      expect(await service.open('buy')).toEqual([]);
    },
  );

  it.each([['--timeout 15'], ['--no-wait']])(
    'is seen by check and by what follows it: reduce %s',
    async (how) => {
      const { service, desk } = await opened(TEN_MINUTES);
      expect((await desk.run(resized('add'))).code).toBe(0);
      await desk.run(`${resized('reduce')} ${how}`);
      await service.pass(5_000);
      // Another reading of the side must not wait for a minute either: the change in flight explains the size.
      const { came, ms } = await timed(service, desk.run(`add USDTNGN buy 300 --yes --json`));
      expect({ came, isQuick: ms < 8_000 }).toEqual({ came: [0, 'changed', undefined], isQuick: true });
      expect((await desk.run('check --json')).code).toBe(0);
      expect((await service.open('buy'))[0]?.notional_usd).toBe(10_300);
    },
  );

  it('can be closed at once where its outcome is unknown', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    expect((await desk.run(resized('add'))).code).toBe(0);
    await service.served.desk.service.admin.setFaults({ lost_after: 1 });
    expect((await desk.run(resized('reduce'))).code).toBe(7);
    await service.served.desk.service.admin.clearFaults();
    await service.pass(5_000);
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect({ came, isQuick: ms < 8_000 }).toEqual({ came: [0, 'closed', undefined], isQuick: true });
  });

  it('is not done by a list that is behind the hedge itself', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    expect((await desk.run(resized('add'))).code).toBe(0);
    await landsAfter(service, 20);
    const before = service.served.changes().length;
    service.lag((reading) => (service.served.changes().length > before && reading !== 'hedge' ? 12_000 : 0));
    const { came, ms } = await timed(service, desk.run(resized('reduce')));
    expect(came).toEqual([0, 'changed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
  });
});

describe('an order that is on its way to close an old hedge', () => {
  it.each([
    ['this machine', opened],
    ['a colleague', openedElsewhere],
  ])('is not CLOSED by one reading that shows nothing of what %s opened', async (_, begin) => {
    const { service, desk } = await begin(TEN_MINUTES);
    await landsAfter(service, 20);
    behindOnce(service, 'lost', 'positions');
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
  });

  it('is CLOSED by the first reading that lacks it and lists it as closed, with no request more', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    service.readings();
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeLessThan(6_000);
    const read = service.readings();
    expect(read.filter((line) => line.includes('/hedges/hdg_'))).toEqual([]);
    expect(read.filter((line) => line === 'GET /positions').length).toBe(1 + Math.ceil(ms / 1_500) + 1);
  });

  it('is CLOSED as soon by a service that leaves it filled, after a second reading that lacks it', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    service.leavesFilled();
    service.readings();
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeLessThan(8_000);
    expect(service.readings().filter((line) => line.includes('/hedges/hdg_'))).toEqual([]);
    expect(await timed(service, desk.run(`${CLOSE} --if-open`))).toEqual({
      came: [0, 'flat', undefined],
      // Its second reading comes a second later.
      ms: 1_000,
    });
  });

  it('is CLOSED without mentioning other hedges where the positions are behind the list', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    const after = service.served.changes().length;
    service.lag((reading) =>
      reading === 'positions' && service.served.changes().length > after ? 8_000 : 0,
    );
    const ran = await desk.run(CLOSE);
    expect(told(ran)).toEqual([0, 'closed', undefined]);
    expect(JSON.parse(ran.out).data.position).toBeNull();
  });

  it('is reported by check at once, by a service that leaves it filled', async () => {
    const { service, desk } = await opened(TEN_MINUTES);
    service.leavesFilled();
    await desk.run(`${CLOSE} --no-wait`);
    await service.pass(5_000);
    expect((await desk.run('check --json')).code).toBe(0);
    expect(JSON.parse((await desk.run('journal --json')).out).data[0]).toMatchObject({ state: 'done' });
  });
});

describe('a hedge that filled seconds ago, closed at a service that leaves it filled', () => {
  it('is CLOSED when no reading can be older than its fill', async () => {
    const { service, desk } = await opened(5_000);
    service.leavesFilled();
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(50_000);
    expect(ms).toBeLessThan(60_000);
  });

  it('is pending where the time limit comes first, and closed for check a minute later', async () => {
    const { service, desk } = await opened(5_000);
    service.leavesFilled();
    const ran = await desk.run(`${CLOSE} --timeout 10`);
    expect(told(ran)).toEqual([8, 'pending', 'pending']);
    expect(said(ran).error?.message).toContain('is filled, but the positions do not show USDTNGN buy');
    await service.pass(60_000);
    expect((await desk.run('check --json')).code).toBe(0);
  });

  it('only its id is read as well, once for each reading that lacks it', async () => {
    const { service, desk } = await opened(5_000);
    const [hedge] = await service.open('buy');
    service.leavesFilled();
    service.readings();
    await desk.run(`${CLOSE} --timeout 10`);
    const ids = service.readings().filter((line) => line.startsWith('GET /hedges/hdg_'));
    expect(new Set(ids)).toEqual(new Set([`GET /hedges/${hedge?.id ?? ''}`]));
    expect(ids.length).toBeLessThan(8);
  });
});

describe('a hedge that a colleague opened seconds ago', () => {
  it.each<[string, readonly Reading[]]>([
    ['the positions lack', ['positions']],
    ['positions and list lack', ['positions', 'hedges']],
  ])('is not CLOSED by one reading in which %s it', async (_, kinds) => {
    const { service, desk } = await openedElsewhere(5_000);
    await landsAfter(service, 20);
    behindOnce(service, 12_000, ...kinds);
    const { came, ms } = await timed(service, desk.run(CLOSE));
    expect(came).toEqual([0, 'closed', undefined]);
    expect(ms).toBeGreaterThan(20_000);
  });

  it('is not called flat by positions that are behind the list', async () => {
    const { service, desk } = await openedElsewhere(5_000);
    service.lag((reading) => (reading === 'positions' ? 12_000 : 0));
    expect(told(await desk.run(`${CLOSE} --if-open`))).toEqual([0, 'closed', undefined]);
    expect(await service.open('buy')).toEqual([]);
  });

  it('is not called flat where it was shown, and no reading has it after the yes', async () => {
    const { service, desk } = await openedElsewhere(5_000);
    let positions = 0;
    service.lag((reading) => {
      if (reading === 'positions') positions += 1;
      return positions > 1 && positions < 6 ? 12_000 : 0;
    });
    const ran = await desk.run('close USDTNGN buy --if-open', {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true } },
      answer: 'y\r',
    });
    expect({ code: ran.code, left: await service.open('buy') }).toEqual({ code: 0, left: [] });
  });
});

describe('readings that disagree to the end', () => {
  it('before anything is sent end with 7 and no effect', async () => {
    const { service, desk } = await opened(2_000);
    service.lag((reading) => (reading === 'positions' ? 'lost' : 0));
    const ran = await desk.run(`${CLOSE} --if-open --timeout 10`);
    expect(told(ran)).toEqual([7, 'outcome_unknown', 'none']);
    expect(said(ran).error).toMatchObject({
      retry: 'later',
      message: expect.stringMatching(/^Readings disagree/),
    });
    expect(service.served.changes()).toHaveLength(1);
  });

  it('before anything is sent are believed after a minute', async () => {
    const { service, desk } = await opened(2_000);
    service.lag((reading) => (reading === 'positions' ? 'lost' : 0));
    const { came, ms } = await timed(service, desk.run(`${CLOSE} --if-open`));
    expect(came).toEqual([0, 'flat', undefined]);
    expect(ms).toBeGreaterThan(50_000);
    expect(ms).toBeLessThan(62_000);
  });

  it('after a close was accepted end with 7, and the close is waited for afterwards', async () => {
    const { service, desk } = await opened(2_000);
    await landsAfter(service, 20);
    let turn = 0;
    service.lag((reading) => {
      if (reading !== 'positions' || service.served.changes().length === 1) return 0;
      turn += 1;
      return turn % 2 === 0 ? 12_000 : 0;
    });
    const ran = await desk.run(`${CLOSE} --timeout 3`);
    expect(told(ran)).toEqual([7, 'unknown', 'unknown']);
    expect(said(ran).error?.message).toContain('readings disagree: USDTNGN buy was missing in one reading');
    service.lag(() => 0);
    const [action] = JSON.parse((await desk.run('journal --json')).out).data;
    expect(told(await desk.run(`wait ${action.action_id} --json`))).toEqual([0, 'closed', undefined]);
  });

  it('on a hedge that no reading knows by its id prove nothing: 404 is read on', async () => {
    const { service, desk } = await opened(2_000);
    service.lag((reading) => (reading === 'hedges' ? 0 : 'lost'));
    expect(told(await desk.run(`${CLOSE} --if-open --timeout 10`))).toEqual([7, 'outcome_unknown', 'none']);
  });
});
