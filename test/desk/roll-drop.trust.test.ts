/** A roll that is given up on one machine of a desk, while another one may open its second leg. */
import { describe, expect, it } from 'vitest';
import { databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';

const DROP = ['roll', 'drop', 'PAY-1', '--note', 'paid early'];
const RUN = 'roll run --due --yes';

/** Ada's way to the log can be cut; `cron` always reaches it. Both know the plan to roll PAY-1 at its maturity. */
async function aPlannedRoll() {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port, env: { HEDGE_DESK_TIMEOUT: '5' } });
  const cron = await desk.joined('cron');
  await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok('roll PAY-1 --at maturity --tenor 7 --yes');
  await cron.ok('roll show');
  return { desk, front, ada, cron };
}

const settle = ({ served }: DeskOfMachines): Promise<unknown> =>
  served.desk.service.admin.advance(73 * 3_600_000);

const ends = async (desk: DeskOfMachines): Promise<readonly unknown[]> =>
  (await desk.records()).filter(({ record }) => record.kind === 'roll_end').map(({ record }) => record['as']);

const rollOn = async (machine: DeskMachine): Promise<unknown> =>
  Object((await machine.ok('roll show --json')).document()).data;

describe('roll run with a desk', () => {
  it('records who opened leg 2, and with which version', async () => {
    const { desk, cron } = await aPlannedRoll();
    await settle(desk);
    await cron.ok(RUN);
    const legs = (await desk.records()).filter(
      ({ record }) => record.kind === 'intent' && record['chain_id'] !== undefined,
    );
    expect(legs.map(({ record }) => record)).toMatchObject([
      { operator: { user: expect.any(String) }, version: expect.any(String) },
    ]);
  });
});

describe('roll drop with a desk', () => {
  it('whose log is reached counts on every machine: none opens leg 2', async () => {
    const { desk, ada, cron } = await aPlannedRoll();
    expect((await ada.ok(DROP)).out).toMatch(/DROPPED roll .*Leg 2 is not opened\./s);
    await settle(desk);
    expect((await cron.ok(RUN)).out).toContain('No roll is due.');
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('whose log cannot be reached is one of this machine only, says so, ends with 8, and is delivered later', async () => {
    const { desk, front, ada, cron } = await aPlannedRoll();
    front.be('refused');
    const ran = await ada.run(DROP);
    expect([ran.code, ran.out]).toEqual([8, expect.stringContaining('DROPPED ON THIS MACHINE ONLY')]);
    expect(ran.out).not.toContain('Leg 2 is not opened.');
    expect(ran.err).toContain('desk lagos has not received it');
    expect(await ends(desk)).toEqual([]);
    front.be('open');
    await ada.ok('journal');
    expect(await ends(desk)).toEqual(['dropped']);
    await settle(desk);
    expect((await cron.ok(RUN)).out).toContain('No roll is due.');
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('that was kept here does not drop a roll of which another machine has opened leg 2 meanwhile', async () => {
    const { desk, front, ada, cron } = await aPlannedRoll();
    front.be('refused');
    await ada.ok(DROP, { code: 8 });
    await settle(desk);
    await cron.ok(RUN);
    front.be('open');
    expect((await ada.ok('journal')).err).toMatch(/Roll \w+, which was dropped here at .*, is not dropped/);
    expect(await ends(desk)).not.toContain('dropped');
    for (const machine of [ada, cron]) expect(await rollOn(machine)).toMatchObject([{ state: 'done' }]);
    expect((await ada.ok('journal')).err).not.toContain('is not dropped');
  });

  it.each([
    ['opened it', 0, 2],
    ['sent it and has no response', 7, 10],
  ])('is refused where cron has %s while the operator is asked', async (_, cronEnds, adaEnds) => {
    const { desk, ada, cron } = await aPlannedRoll();
    await settle(desk);
    await ada.ok('journal');
    if (cronEnds === 7) await desk.served.desk.service.admin.setFaults({ lost_after: 1, only: 'open' });
    const ran = await ada.run(DROP, {
      terminal: { isTTY: { stdin: true, stderr: true } },
      answer: async () => {
        await cron.ok(RUN, { code: cronEnds });
        return 'y\r';
      },
    });
    expect([ran.code, ran.out]).toEqual([adaEnds, expect.not.stringContaining('DROPPED')]);
    expect(await ends(desk)).not.toContain('dropped');
  });
});
