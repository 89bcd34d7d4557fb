/** A machine leaves its desk: for another one, in the middle of a join, or twice. Nothing that it did is forgotten. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installLog } from '../../src/desk/install-log.ts';
import { DEALER } from '../../src/desk/log-schema.ts';
import { type DatabaseFront, databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { ADMIN_PASSWORD } from '../support/postgres.ts';
import { quickClock, type Ran } from '../support/test-cli.ts';
import { aLog, heldLog, recordId, type TestLog } from './a-log.ts';

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};

const statusOf = async (machine: DeskMachine): Promise<{ name?: string; state?: string }> =>
  Object((await machine.ok('desk status --json')).document()).data;

/** A second desk in a database of its own, of the same account or another one. Returns how a machine joins it. */
async function anotherDesk(
  desk: DeskOfMachines,
  name: string,
  { log: given, ...changes }: { log?: TestLog; environment?: 'live' } = {},
): Promise<(machine: DeskMachine) => Promise<readonly string[]>> {
  const log = given ?? (await aLog({ isEmpty: true, server: desk.log.server }));
  const [first] = await desk.records();
  const identity = { ...Object(first?.record['identity']), ...changes };
  const founding = { id: recordId(name), record: JSON.stringify({ ...first?.record, name, identity }) };
  const connection = await log.connect('postgres', ADMIN_PASSWORD);
  await installLog(connection, { name, founding });
  connection.close();
  return async (machine) => {
    const { user, password, client } = await log.login(machine.name, 'approver');
    await client.end();
    appendFileSync(join(machine.home, '.pgpass'), `*:*:*:${user}:${password}\n`);
    return ['desk', 'join', log.url(user), '--ca-file', desk.caFile];
  };
}

it('a machine that left one desk for another follows the new one, which has all that it knew', async () => {
  const desk = await deskOfMachines();
  const [ada, bisi] = [await desk.joined('ada'), await desk.joined('bisi')];
  await bisi.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  const joining = await anotherDesk(desk, 'lagos-2');
  const joined = await ada.ok(await joining(ada));
  expect(joined.out).toContain('2 actions from this machine');
  expect(await statusOf(ada)).toMatchObject({ name: 'lagos-2', state: 'following' });
  const chidi = await desk.machine('chidi');
  await chidi.ok(await joining(chidi));
  for (const [deal, notional] of [
    ['PAY-1', 500],
    ['PAY-2', 600],
  ])
    expect(
      errorOf(await chidi.run(`open USDTNGN buy ${notional} --tenor 7 --deal-id ${deal} --yes --json`)).code,
    ).toBe('deal_id_used');
  await chidi.ok(['halt', 'venue down']);
  expect(errorOf(await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
  await ada.ok('desk leave --yes');
  expect(await statusOf(ada)).toMatchObject({ name: 'lagos-2', state: 'left' });
});

it('a machine that joins another desk is told that the limits of the one that it left do not hold there', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk limit --max-notional 700');
  await ada.ok('desk leave --yes');
  const joining = await anotherDesk(desk, 'lagos-2');
  const joined = (await ada.ok(await joining(ada))).out.replace(/\s+/g, ' ');
  expect(joined).toContain('The limits of desk lagos, which this machine had left, do not hold here.');
});

it('the halt of a machine that left a lost log is one of the desk that it joins next', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  front.be('refused');
  await ada.ok('desk leave --lost', { terminal: { isTTY: true }, answer: 'y\r' });
  const joining = await anotherDesk(desk, 'lagos-2');
  await ada.ok(await joining(ada));
  const halted = await ada.run('open USDTNGN buy 700 --tenor 3 --yes');
  expect([halted.code, halted.err]).toEqual([10, expect.stringContaining('without its log')]);
});

it('what a machine did after it left a desk goes to no other account whose desk has the same name', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  const log = await aLog({ isEmpty: true, server: desk.log.server });
  const joining = await anotherDesk(desk, 'lagos', { log, environment: 'live' });
  const words = [...(await joining(ada)), '--yes', '--json'];
  const ran = await ada.run(words, { env: desk.served.way(ada.home, 'live') });
  expect([ran.code, errorOf(ran).code]).toEqual([10, 'account_unclear']);
  expect((await log.owner.query('SELECT seq FROM hedge.records')).rows).toHaveLength(1);
});

it('the damaged file of a desk that was left stops its account alone, and a join without it brings back what was done since', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  const file = join(ada.home, 'state', 'desk-lagos', 'desk.json');
  writeFileSync(file, '{');
  const live = '--yes --expect-env live --any-price --json';
  await ada.ok(`open USDTNGN buy 500 --tenor 3 --deal-id LIVE-1 ${live}`, {
    env: desk.served.way(ada.home, 'live'),
  });
  const stopped = await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json');
  expect([stopped.code, errorOf(stopped).code]).toEqual([78, 'damaged_file']);
  rmSync(file);
  await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(intents.map(({ record }) => record['deal_id'])).toEqual(['PAY-2']);
  await ada.ok('open USDTNGN buy 700 --tenor 3 --yes');
});

/** A machine whose first join ended before its records were delivered; it has an action whose outcome is unknown. */
async function inTheMiddle(): Promise<{
  desk: DeskOfMachines;
  ada: DeskMachine;
  front: DatabaseFront;
  joining: readonly string[];
}> {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.machine('ada', { port: front.port });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await ada.ok('open USDTNGN sell 500 --tenor 3 --deal-id PAY-2 --yes', { code: 7 });
  await admin.clearFaults();
  const joining = ['desk', 'join', ada.url, '--ca-file', desk.caFile];
  await whileReadOnly(desk, () => ada.ok(joining, { code: 10 }));
  expect(await statusOf(ada)).toMatchObject({ state: 'joining' });
  return { desk, ada, front, joining };
}

/** While no dealer may append to the log. */
async function whileReadOnly(
  { log: { owner } }: DeskOfMachines,
  work: () => Promise<unknown>,
): Promise<void> {
  await owner.query(`REVOKE EXECUTE ON FUNCTION ${APPEND} FROM ${DEALER}`);
  await work();
  await owner.query(`GRANT EXECUTE ON FUNCTION ${APPEND} TO ${DEALER}`);
}

const APPEND = 'hedge.append(bigint, bigint, bytea, boolean, text)';

const expectNothingForgotten = async (ada: DeskMachine): Promise<void> => {
  const used = await ada.run('open USDTNGN buy 700 --tenor 7 --deal-id PAY-1 --yes --json');
  expect(errorOf(used).code).toBe('deal_id_used');
  const stopped = await ada.run('open USDTNGN sell 700 --tenor 3 --yes --json');
  expect(errorOf(stopped).code).toBe('unresolved');
  await ada.ok('check PAY-2');
  await ada.ok('open USDTNGN sell 700 --tenor 3 --deal-id PAY-3 --yes');
  await ada.ok('audit verify');
};

describe('a machine that leaves in the middle of a join', () => {
  it('still knows what it did before, and delivers all of it when it joins again', async () => {
    const { desk, ada, joining } = await inTheMiddle();
    await ada.ok('desk leave --yes');
    expect(await statusOf(ada)).toMatchObject({ state: 'left' });
    await expectNothingForgotten(ada);
    await ada.ok(joining);
    const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
    expect(intents.map(({ record }) => record['deal_id'])).toEqual(['PAY-1', 'PAY-2', 'PAY-3']);
    await ada.ok('audit verify');
  });

  it('can leave a log that is lost, and is halted then', async () => {
    const { ada, front } = await inTheMiddle();
    front.be('refused');
    expect(errorOf(await ada.run('desk leave --yes --json')).code).toBe('desk_unreachable');
    await ada.ok(['halt', 'venue down']);
    await ada.ok('desk leave --lost', { terminal: { isTTY: true }, answer: 'y\r' });
    expect((await ada.run('journal halts --json')).out).toMatch(
      /venue down[^]*without its log|without its log[^]*venue down/,
    );
    expect(errorOf(await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
    await ada.ok('unhalt --yes');
    await expectNothingForgotten(ada);
  });

  it('is halted by no halt that the desk has lifted', async () => {
    const { desk, ada, joining } = await inTheMiddle();
    await ada.ok(joining);
    await ada.ok(['halt', 'venue down']);
    const bisi = await desk.joined('bisi', { role: 'approver' });
    await bisi.ok('unhalt --yes');
    await whileReadOnly(desk, () => ada.ok(joining, { code: 10 }));
    await ada.ok('desk leave --yes');
    expect(await ada.run('open USDTNGN buy 700 --tenor 3 --yes')).toMatchObject({ code: 0 });
  });

  it('sets no limit of the desk before the join has ended', async () => {
    const { ada } = await inTheMiddle();
    const ran = await ada.run('desk limit --max-notional 800 --json');
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_joined']);
  });
});

it('a machine that has left its desk does not leave it twice, adopts nothing, and is asked nothing', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk leave --yes');
  const records = (await desk.records()).length;
  for (const words of ['desk leave --yes --json', 'desk adopt --json']) {
    const ran = await ada.run(words);
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'no_desk']);
  }
  const attended = await ada.run('desk leave', { terminal: { isTTY: true }, answer: 'n\r' });
  expect([attended.code, attended.err]).toEqual([10, expect.stringContaining('has left desk lagos')]);
  expect(attended.err).not.toContain('Leave desk');
  expect(await desk.records()).toHaveLength(records);
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
});

it('a machine that has left its desk says that a limit is its own, which the desk never gets', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('desk leave --yes');
  const { out } = await ada.ok('desk limit --max-notional 800');
  expect(out).toMatch(/THIS MACHINE ONLY: it has left the desk/);
  expect(out).not.toContain('next command');
  expect(errorOf(await ada.run('open USDTNGN buy 900 --tenor 3 --yes --json')).code).toBe('limit_exceeded');
  await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  expect((await desk.records()).map(({ record }) => record.kind)).not.toContain('desk_limit');
  await ada.ok('open USDTNGN buy 900 --tenor 3 --yes');
});

it('an outcome recorded manually by a machine that had left does not replace what the desk has recorded of the action since', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi');
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_before: 1, only: 'open' });
  for (const [side, deal] of [
    ['buy', 'PAY-1'],
    ['sell', 'PAY-2'],
  ])
    await bisi.ok(`open USDTNGN ${side} 500 --tenor 3 --deal-id ${deal} --yes`, { code: 7 });
  await admin.clearFaults();
  await ada.ok('desk leave --yes');
  for (const deal of ['PAY-1', 'PAY-2'])
    await ada.ok(`journal resolve ${deal} --as not-executed --reason told --yes --allow-late-arrival`);
  await bisi.ok('journal resolve PAY-1 --as executed --reason told --yes');
  const joined = await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  expect(joined.err).toContain('is not delivered: the desk has later records of it');
  const settled = (await desk.records()).filter(({ record }) => record.kind === 'settled');
  expect(settled.map(({ record }) => record['as'])).toEqual(['done', 'nothing']);
  for (const machine of [ada, bisi]) await machine.ok('audit verify');
});

it('an open while the machine comes back to its desk is delivered too', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const { waiting, release } = await heldLog(desk.log);
  const joining = ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  // What it did is in the log, and its machine does not know that yet.
  front.be('held');
  await release();
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  front.be('open');
  await joining;
  const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(intents.map(({ record }) => record['deal_id'])).toEqual(['PAY-1', 'PAY-2']);
  await ada.ok('audit verify');
});

/** A machine where a process waits for the outcome of an open, after it has left its desk or before. `ended`: it goes on, and ends. */
async function waitingForOutcome({ leaves = true }: { leaves?: boolean } = {}): Promise<{
  desk: DeskOfMachines;
  ada: DeskMachine;
  ended: () => Promise<unknown>;
}> {
  const desk = await deskOfMachines({ settings: { fill_seconds: { min: 30, max: 30 } } });
  const clock = quickClock();
  let goesOn = Promise.resolve();
  let sleeps = (): void => undefined;
  const sleep: typeof clock.sleep = async (...given) => {
    sleeps();
    await goesOn;
    await clock.sleep(...given);
  };
  const ada = await desk.joined('ada', { clock: { ...clock, sleep } });
  const again = await desk.machine('again', { home: ada.home, as: ada, host: 'ada' });
  if (leaves) await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes --no-wait');
  const asleep = new Promise<void>((resolve) => (sleeps = resolve));
  let go = (): void => undefined;
  goesOn = new Promise((resolve) => (go = resolve));
  const waiting = ada.ok('wait PAY-1');
  await asleep;
  return {
    desk,
    ada: { ...again, name: 'ada' },
    async ended() {
      await desk.served.desk.service.admin.advance(60_000);
      go();
      return waiting;
    },
  };
}

it('an outcome that a process records after its machine came back to the desk is delivered', async () => {
  const { desk, ada, ended } = await waitingForOutcome();
  await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  await ended();
  await ada.ok('open USDTNGN sell 300 --tenor 3 --yes --no-wait');
  const outcomes = (await desk.records()).filter(({ record }) => record.kind === 'outcome');
  expect(outcomes).toHaveLength(1);
  await ada.ok('audit verify');
});

describe('what a process records in the copy', () => {
  const kindsIn = async ({ owner }: TestLog): Promise<readonly string[]> => {
    const { rows } = await owner.query<{ record: string }>('SELECT record FROM hedge.records ORDER BY seq');
    return rows.map(({ record }) => JSON.parse(record).kind);
  };

  it('of the desk that its machine had left, while that joins another one, is delivered to that one', async () => {
    const { desk, ada, ended } = await waitingForOutcome();
    const log = await aLog({ isEmpty: true, server: desk.log.server });
    const joining = await (await anotherDesk(desk, 'lagos-2', { log }))(ada);
    const { waiting, release } = await heldLog(log);
    const joined = ada.ok(joining);
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    await ended();
    await release();
    await joined;
    expect(await kindsIn(log)).toContain('outcome');
    await ada.ok('open USDTNGN buy 300 --tenor 3 --yes --no-wait');
    await ada.ok('audit verify');
  });

  it.each([
    ['it had left', true],
    ['it followed', false],
  ])(
    'of the desk that %s, after the machine has joined another one, is delivered to that one',
    async (_what, leaves) => {
      const { desk, ada, ended } = await waitingForOutcome({ leaves });
      const log = await aLog({ isEmpty: true, server: desk.log.server });
      if (!leaves) await ada.ok('desk leave --yes');
      await ada.ok(await (await anotherDesk(desk, 'lagos-2', { log }))(ada));
      await ended();
      await ada.ok('journal');
      expect(await kindsIn(log)).toContain('outcome');
      await ada.ok('audit verify');
    },
  );

  it('is no reduce that was confirmed after its machine has joined another desk: nothing is sent', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await ada.ok('desk leave --yes');
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --yes');
    const joining = await (await anotherDesk(desk, 'lagos-2'))(ada);
    const answer = async (): Promise<string> => {
      await ada.ok(joining);
      return 'y\r';
    };
    const terminal = { isTTY: { stdin: true, stderr: true } };
    const ran = await ada.run('reduce USDTNGN buy 1000 --json', { terminal, answer });
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_joined']);
    expect(ran.err + ran.out).toContain('Nothing was sent');
    expect(await desk.served.openOn('buy')).toBe(5_000);
    await ada.ok('reduce USDTNGN buy 1000 --yes');
  });
});

it('what a machine sent after it left is resumed by that machine alone once it has joined again', async () => {
  const desk = await deskOfMachines();
  const { admin } = desk.served.desk.service;
  const [ada, bisi] = [await desk.joined('ada'), await desk.joined('bisi')];
  await ada.ok('desk leave --yes');
  await admin.setFaults({ lost_before: 1, only: 'open' });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
  await admin.clearFaults();
  await ada.ok(['desk', 'join', ada.url, '--ca-file', desk.caFile]);
  expect(errorOf(await bisi.run('resume PAY-1 --resend --yes --json')).code).toBe('other_machine');
  await ada.ok('resume PAY-1 --resend --yes');
  expect(desk.served.acted('/hedges')).toBe(1);
});
