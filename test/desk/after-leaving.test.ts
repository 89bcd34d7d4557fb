/** A machine that has left its desk keeps the desk's limits, and says so wherever a dealer looks. */
import { describe, expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';

it('a machine that has left its desk names the limits that stay, whose they are, and how to change them', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk limit --max-notional 8k --max-open 20k');
  const left = await ada.ok('desk leave --yes');
  expect(left.out).toMatch(/limits of the desk stay.*hedge desk limit/s);
  const stopped = await ada.run('open USDTNGN buy 10k --tenor 3 --yes --json');
  expect(Object(stopped.document()).error).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining(
      'the per-trade limit of the desk that this machine has left (hedge desk limit), 8,000.00 USD',
    ),
  });
  const shown = (await ada.ok('profile show')).out;
  expect(shown).toMatch(/Desk +left; its limits stay on this machine: hedge desk limit/);
  expect(shown).toMatch(/8,000\.00 USD per trade; at most 20,000\.00 USD open/);
  expect(shown).toMatch(/Next open +at most 8,000\.00/);
  const plain = await ada.ok('desk limit');
  expect(plain.out).toMatch(/THIS MACHINE ONLY: it has left the desk/);
  expect(Object((await ada.ok('desk limit --json')).document()).data.delivered).toBe(false);
  await ada.ok(['halt', 'venue down']);
  const lifted = (await ada.ok('unhalt --yes')).out;
  expect(lifted).not.toContain('of desk lagos');
  expect(lifted).toContain('Opens and adds are allowed again');
  await ada.ok('desk limit --max-notional none --max-open none');
  await ada.ok('open USDTNGN buy 10k --tenor 3 --yes');
});

it('the others see that a machine has left its desk, and when, until it follows again', async () => {
  const desk = await deskOfMachines();
  const [ada, bisi] = [await desk.joined('ada'), await desk.joined('bisi')];
  expect((await bisi.ok('desk status')).out).not.toContain('LEFT');
  const left = async (): Promise<readonly unknown[]> =>
    Object((await bisi.ok('desk status --json')).document()).data.machines.map(
      ({ login, left_at: at }: { login: string; left_at: string | null }) => [login, at !== null],
    );
  await ada.ok('desk leave --yes');
  expect(await left()).toEqual([
    [bisi.user, false],
    [ada.user, true],
  ]);
  expect((await bisi.ok('desk status')).out).toMatch(/^LEFT +20/m);
  await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  expect(await left()).toEqual([
    [ada.user, false],
    [bisi.user, false],
  ]);
});

describe('the rolls of a desk on a machine that has left it', () => {
  /** Planned on cron, which then leaves. */
  async function aRollLeftBehind() {
    const desk = await deskOfMachines();
    const [ada, cron] = [await desk.joined('ada'), await desk.joined('cron')];
    await cron.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    await cron.ok('roll PAY-1 --at maturity --tenor 7 --yes');
    const left = await cron.ok('desk leave --yes');
    const { admin } = desk.served.desk.service;
    const settle = (): Promise<unknown> => admin.advance(73 * 3_600_000);
    return { desk, ada, cron, left, settle };
  }

  it('are named as it leaves, and are not run there: a colleague may have given one up', async () => {
    const { desk, ada, cron, left, settle } = await aRollLeftBehind();
    expect(left.out.replaceAll(/\s+/g, ' ')).toMatch(
      /Unfinished rolls: \w+\. From now on the other machines of desk lagos run them/,
    );
    await ada.ok(['roll', 'drop', 'PAY-1', '--note', 'paid early']);
    await settle();
    for (const line of ['roll run --due --yes --json', 'roll run PAY-1 --yes --json']) {
      const ran = await cron.ok(line, { code: 10 });
      expect(Object(ran.document()).error).toMatchObject({
        code: 'desk_left',
        message: expect.stringContaining('is of desk lagos, which this machine has left'),
      });
    }
    expect(desk.served.acted('/hedges')).toBe(1);
    const shown = (await cron.ok('roll show PAY-1')).out.replaceAll(/\s+/g, ' ');
    expect(shown).toContain('of desk lagos, which this machine has left');
    expect(shown).not.toContain('roll run');
  });

  it('are dropped there for that machine only, which it says, with exit code 8', async () => {
    const { desk, ada, cron, settle } = await aRollLeftBehind();
    const dropped = await cron.ok(['roll', 'drop', 'PAY-1', '--note', 'paid early'], { code: 8 });
    expect(dropped.out).toContain('DROPPED ON THIS MACHINE ONLY');
    expect(dropped.err).toContain('it has left desk lagos');
    await settle();
    await ada.ok('roll run --due --yes');
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('that it planned after it left are its own, and run there', async () => {
    const { desk, cron, settle } = await aRollLeftBehind();
    await cron.ok(['roll', 'drop', 'PAY-1', '--note', 'from here'], { code: 8 });
    await cron.ok('roll PAY-1 --at maturity --tenor 7 --yes');
    await settle();
    await cron.ok('roll run --due --yes');
    expect(desk.served.acted('/hedges')).toBe(2);
  });
});
