/** An action of one machine is looked up, awaited and sent again by any other: by one at a time, and under its own key. */
import { describe, expect, it } from 'vitest';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import type { Ran } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { code?: string } => Object(ran.document()).error ?? {};

/** A deal whose every answer is lost, or whose requests do not arrive: its outcome is unknown to its machine. */
async function anUnknownOpen(
  desk: DeskOfMachines,
  machine: DeskMachine,
  { executes, dealId = 'PAY-1' }: { executes: boolean; dealId?: string },
): Promise<void> {
  const { admin } = desk.served.desk.service;
  await admin.setFaults(executes ? { lost_after: 1, only: 'open' } : { lost_before: 1, only: 'open' });
  const ran = await machine.run(`open USDTNGN buy 500 --tenor 3 --deal-id ${dealId} --yes --json`);
  expect([ran.code, errorOf(ran).code]).toEqual([7, 'outcome_unknown']);
  await admin.clearFaults();
}

describe('an open of another machine whose outcome is unknown', () => {
  it('stops opens on that side everywhere, and is found by check on any machine', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const bisi = await desk.joined('bisi');
    await anUnknownOpen(desk, ada, { executes: true });
    const stopped = await bisi.run('open USDTNGN buy 700 --tenor 3 --yes --json');
    expect([stopped.code, errorOf(stopped).code]).toEqual([10, 'unresolved']);
    const checked = await bisi.run('check');
    expect(checked.out + checked.err).toContain('PAY-1');
    expect(checked.out).toContain('ada@ada');
    expect((await ada.ok('journal')).out).toMatch(/PAY-1/);
    await bisi.ok('check PAY-1');
    expect((await ada.ok('journal')).out).toMatch(/filled +PAY-1/);
    await bisi.ok('open USDTNGN buy 700 --tenor 3 --yes');
  });

  it('is sent again by one of the machines that resume it at the same moment, under its key', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const others: DeskMachine[] = [];
    for (const name of ['bisi', 'chidi', 'dayo', 'efe']) others.push(await desk.joined(name));
    await anUnknownOpen(desk, ada, { executes: false });
    const ran = await Promise.all(others.map((each) => each.run('resume PAY-1 --resend --yes --json')));
    const sendings = (await desk.records()).filter(({ record }) => record.kind === 'sending');
    expect([desk.served.acted('/hedges'), sendings.length]).toEqual([1, 2]);
    // The others wait for the sender, or see that it was sent.
    for (const { code, err } of ran) expect([err, [0, 8, 10].includes(code)]).toEqual([err, true]);
    expect((await ada.ok('journal')).out).toMatch(/filled +PAY-1/);
  });

  it('is awaited by any machine', async () => {
    const desk = await deskOfMachines({ settings: { fill_seconds: { min: 30, max: 30 } } });
    const ada = await desk.joined('ada');
    const bisi = await desk.joined('bisi');
    await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --no-wait --yes');
    await desk.served.desk.service.admin.advance(60_000);
    await bisi.ok('wait PAY-1');
    expect((await ada.ok('journal')).out).toMatch(/filled +PAY-1/);
  });

  it('is recorded manually by any machine, and the first outcome stays', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const bisi = await desk.joined('bisi');
    await anUnknownOpen(desk, ada, { executes: false });
    const all = [ada, bisi];
    const [{ action_id: id = '' } = {}] = (await desk.records())
      .map(({ record }) => record)
      .filter(({ kind }) => kind === 'intent');
    const ran = await Promise.all(
      all.map((each, at) =>
        each.run([
          'journal',
          'resolve',
          id,
          '--as',
          at === 0 ? 'executed' : 'not-executed',
          '--reason',
          'they said so',
          '--yes',
        ]),
      ),
    );
    expect(ran.filter(({ code }) => code === 0)).toHaveLength(1);
    const shown = await Promise.all(all.map((each) => each.ok(`journal ${id.slice(0, 8)}`)));
    expect(shown[0]?.out).toBe(shown[1]?.out);
  });
});
