/** A roll whose log goes away between its legs: who opens the second one, and who does not. */
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instants.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { type DatabaseFront, databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { quickClock, type Ran } from '../support/test-cli.ts';

const ROLL = 'roll PAY-1 --at now --tenor 7 --timeout 600 --yes --json';
const RUN = 'roll run --due --yes --json';
/** Longer than a fill takes here. */
const FILLED_MS = MINUTE_MS;

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};

const opened = ({ served }: DeskOfMachines): number => served.acted('/hedges');

interface Rolling {
  desk: DeskOfMachines;
  ada: DeskMachine;
  bisi: DeskMachine;
  front: DatabaseFront;
}

/** `between`: done once, while Ada's roll waits for the fill of its close; returns by how much her clock goes on meanwhile. */
async function rolling(between: (at: Rolling) => Promise<number | void>): Promise<Rolling & { ran: Ran }> {
  const desk = await deskOfMachines({ settings: { fill_seconds: { min: 30, max: 30 } } });
  const front = await databaseFront(desk.log.server.port);
  const clock = quickClock();
  let [aheadMs, isDone] = [0, false];
  const waiting: Clock = {
    ...clock,
    monotonic: () => clock.monotonic() + aheadMs,
    async sleep(ms, signal) {
      if (!isDone && desk.served.acted('/hedges/close') > 0) {
        isDone = true;
        aheadMs = (await between({ desk, ada, bisi, front })) ?? 0;
      }
      await desk.served.desk.service.admin.advance(FILLED_MS);
      await clock.sleep(ms, signal);
    },
  };
  const ada = await desk.joined('ada', { port: front.port, clock: waiting });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
  const ran = await ada.run(ROLL);
  expect(isDone).toBe(true);
  return { desk, ada, bisi, front, ran };
}

describe('a roll between whose legs the log goes away', () => {
  it('opens its second leg all the same', async () => {
    const { desk, ada, bisi, front, ran } = await rolling(async (at) => at.front.be('refused'));
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect([await desk.served.openOn('buy'), opened(desk)]).toEqual([5_000, 2]);
    expect((await bisi.ok('journal')).out).not.toMatch(/PAY-1\.r2/);
    front.be('open');
    await ada.ok('journal');
    expect((await bisi.ok('journal')).out).toMatch(/PAY-1\.r2/);
    expect((await bisi.ok('roll show')).out).not.toMatch(/due/);
  });

  it('opens it also where the log is read once more, and its disk is full when the second leg is recorded', async () => {
    const { desk, ada, bisi, ran } = await rolling(async ({ desk: { log } }) => {
      await log.owner.query(
        'CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$',
      );
      await log.owner.query(
        "CREATE TRIGGER full_disk BEFORE INSERT ON hedge.records FOR EACH ROW WHEN (NEW.record LIKE '%PAY-1.r2%') EXECUTE FUNCTION full_disk()",
      );
    });
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect([await desk.served.openOn('buy'), opened(desk)]).toEqual([5_000, 2]);
    expect((await bisi.ok('journal')).out).not.toMatch(/PAY-1\.r2/);
    await desk.log.owner.query('DROP TRIGGER full_disk ON hedge.records');
    await ada.ok('journal');
    expect((await bisi.ok('journal')).out).toMatch(/PAY-1\.r2/);
  });

  it('leaves it to a person once the log was not seen for two minutes', async () => {
    const { desk, ran, front, ada } = await rolling(async (at) => {
      at.front.be('refused');
      await at.bisi.ok(['halt', 'venue down']);
      return 3 * MINUTE_MS;
    });
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_unreachable']);
    expect(opened(desk)).toBe(1);
    front.be('open');
    expect(errorOf(await ada.run(RUN)).code).toBe('halted');
  });
});

describe('a roll that was stopped between its legs', () => {
  /** Each of both machines is behind a front of its own, and has the state of the roll. */
  async function stopped() {
    const desk = await deskOfMachines();
    const fronts = [await databaseFront(desk.log.server.port), await databaseFront(desk.log.server.port)];
    const [ada, cron] = [
      await desk.joined('ada', { port: fronts[0]?.port ?? 0, env: { HEDGE_DESK_TIMEOUT: '5' } }),
      await desk.joined('cron', { port: fronts[1]?.port ?? 0, env: { HEDGE_DESK_TIMEOUT: '5' } }),
    ];
    const bisi = await desk.joined('bisi', { role: 'approver' });
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ failing_orders: 1, only: 'open' });
    expect((await ada.run(ROLL)).code).not.toBe(0);
    await admin.clearFaults();
    expect(await desk.served.openOn('buy')).toBe(0);
    for (const machine of [ada, cron])
      expect((await machine.ok('roll show --json')).out).toContain('flat_open_due');
    return { desk, ada, cron, bisi, cut: () => fronts.forEach((each) => each.be('refused')) };
  }

  it('is finished by another machine that reaches the log', async () => {
    const { desk, cron } = await stopped();
    const ran = await cron.run(RUN);
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect(await desk.served.openOn('buy')).toBe(5_000);
  });

  it('is not finished by a machine that has lost the log: it may be dropped, or the desk halted', async () => {
    const { desk, ada, cron, bisi, cut } = await stopped();
    const sent = opened(desk);
    cut();
    await bisi.ok('roll drop PAY-1 --note by-hand');
    await bisi.ok(['halt', 'venue down']);
    for (const machine of [cron, ada]) {
      const ran = await machine.run(RUN);
      expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_unreachable']);
      expect((await machine.run('roll run PAY-1 --yes')).err).toMatch(
        /Leg 2 was not sent\..* USDTNGN buy is flat\..*on\s+a\s+machine\s+that\s+reaches\s+it\./s,
      );
    }
    expect(opened(desk)).toBe(sent);
  });
});
