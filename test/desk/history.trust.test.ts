/** The log was changed, put back or lost: the next command of any machine says so, and what a person does then. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../src/journal/store/schema.ts';
import { withLock } from '../../src/platform/lock.ts';
import { databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { testMachine } from '../support/own-folder.ts';
import { aPostgres, copyOfServer, type PostgresServer } from '../support/postgres.ts';
import type { Ran, RunOptions } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};
const AT_A_TERMINAL: RunOptions = {
  answer: 'y\r',
  terminal: { isTTY: { stdin: true, stderr: true } },
};

describe('a record of the log that its owner', () => {
  const asOwner = async (desk: DeskOfMachines, sql: string): Promise<void> => {
    const { owner } = desk.log;
    await owner.query('ALTER TABLE hedge.records DISABLE TRIGGER ALL');
    await owner.query(sql);
    await owner.query('ALTER TABLE hedge.records ENABLE TRIGGER ALL');
  };

  it.each([
    [
      'edited',
      `UPDATE hedge.records SET record = replace(record, '"notional_usd":"500"', '"notional_usd":"5"') WHERE record LIKE '%"kind":"intent"%'`,
      /record \d+ of its log was edited after it was written/,
    ],
    [
      'removed',
      `DELETE FROM hedge.records WHERE record LIKE '%"kind":"accepted"%'`,
      /record \d+ of its log was removed/,
    ],
    [
      'gave another author',
      `UPDATE hedge.records SET stamp = replace(stamp, '"approver" : false', '"approver" : true')`,
      /record \d+ of its log was edited after it was written/,
    ],
  ])(
    '%s: the next command of any machine names it, opens stop, a close goes on',
    async (_what, sql, says) => {
      const desk = await deskOfMachines();
      const ada = await desk.joined('ada');
      const bisi = await desk.joined('bisi');
      await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
      await bisi.ok('journal');
      await asOwner(desk, sql);
      for (const machine of [ada, bisi]) {
        const ran = await machine.run('open USDTNGN sell 300 --tenor 3 --yes --json');
        expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_changed']);
        expect(errorOf(ran).message).toMatch(says);
      }
      expect((await ada.run('journal')).err).toMatch(says);
      await bisi.ok('close USDTNGN buy --yes');
      expect(await desk.served.openOn('buy')).toBe(0);
      expect((await ada.run('audit verify --json')).code).toBe(10);
    },
  );
});

describe('a login without the role of an approver, in SQL', () => {
  it('lifts no halt and raises no limit: it is ignored, and every machine names it', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const bisi = await desk.joined('bisi', { role: 'approver' });
    await bisi.ok('desk limit --max-notional 1000');
    await bisi.ok(['halt', 'venue down']);
    const [halt] = (await desk.records()).filter(({ record }) => record.kind === 'halt');
    const { client } = await desk.log.login('mallory', 'dealer');
    const base = { schema: 3, at: new Date().toISOString(), who: 'bisi@bisi' };
    const append = async (id: string, record: object): Promise<void> => {
      await client.query('SELECT * FROM hedge.append(0, NULL, NULL, false, $1)', [
        JSON.stringify([{ id, record: JSON.stringify({ ...base, ...record }) }]),
      ]);
    };
    await append('00000000000000b1', { kind: 'unhalt', halt_ids: [halt?.record['halt_id']] });
    await append('00000000000000b2', { kind: 'desk_limit', max_notional_usd: null });
    const stopped = await ada.run('open USDTNGN buy 500 --tenor 3 --yes --json');
    expect([stopped.code, errorOf(stopped).code]).toEqual([10, 'halted']);
    expect(stopped.err).toMatch(/unhalt of .* by login "mallory_.*" was ignored/);
    await bisi.ok('unhalt --yes');
    const above = await ada.run('open USDTNGN buy 1500 --tenor 3 --yes --json');
    expect(errorOf(above).code).toBe('limit_exceeded');
    await bisi.ok('desk status --json');
    const status = (await bisi.ok('desk status')).out;
    expect(status).toMatch(/unhalt of .* was\s+ignored/s);
    expect(status).toMatch(/raised limit of .* was\s+ignored/s);
    expect((await bisi.ok('journal halts')).out).toMatch(/was\s+ignored/);
  });
});

const joinWords = (desk: DeskOfMachines, { url }: DeskMachine): readonly string[] => [
  'desk',
  'join',
  url,
  '--ca-file',
  desk.caFile,
];

/** A standby lacks an open of ada whose outcome is unknown, and a limit of bisi, who has both. `stop` ends the first server. */
async function movedTo(): Promise<Omit<PutBack, 'back'> & { stop(): Promise<void> }> {
  const server = await aPostgres();
  const desk = await deskOfMachines({ server });
  const ada = await desk.joined('ada', { env: { HEDGE_DESK_TIMEOUT: '20' } });
  const bisi = await desk.joined('bisi', { role: 'approver', env: { HEDGE_DESK_TIMEOUT: '20' } });
  const standby = await copyOfServer(server);
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_before: 1, only: 'open' });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
  await admin.clearFaults();
  await bisi.ok('desk limit --max-daily-notional 700');
  return { desk, server: standby, ada, bisi, stop: () => server.stop('immediate') };
}

async function recordsIn(server: PostgresServer, database: string): Promise<readonly { kind?: string }[]> {
  const { rows } = await (await server.admin(database)).query(
    'SELECT record FROM hedge.records ORDER BY seq',
  );
  return rows.map(({ record }) => JSON.parse(String(record)));
}

interface PutBack {
  desk: DeskOfMachines;
  server: PostgresServer;
  ada: DeskMachine;
  bisi: DeskMachine;
  /** Leads to the database as it was. */
  back(): Promise<void>;
}

/** An older copy of the database takes its place: one that lacks what `later` recorded. */
async function putBack(
  later: (machines: Pick<PutBack, 'desk' | 'ada' | 'bisi'>) => Promise<void>,
): Promise<PutBack> {
  const server = await aPostgres();
  const desk = await deskOfMachines({ server });
  const front = await databaseFront(server.port);
  const ada = await desk.joined('ada', { port: front.port });
  const bisi = await desk.joined('bisi', { port: front.port, role: 'approver' });
  const old = await copyOfServer(server);
  await later({ desk, ada, bisi });
  return {
    desk,
    server: old,
    ada,
    bisi,
    async back() {
      front.lead(old.port);
      await server.stop('immediate');
    },
  };
}

describe('a database that was restored, or a replica that lacks the last records', () => {
  it('stops every machine until a person delivers what is missing; nothing is lost, and no deal ID is free again', async () => {
    const { ada, bisi, desk, back } = await putBack(async ({ ada: one, bisi: other }) => {
      await one.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
      await other.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
      await one.ok('journal');
    });
    await back();
    for (const machine of [ada, bisi]) {
      const ran = await machine.run('open USDTNGN sell 300 --tenor 3 --yes --json');
      expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_rewound']);
    }
    await ada.ok('reduce USDTNGN buy 100 --yes');
    expect((await ada.run('desk adopt')).code).toBe(2);
    await ada.ok('desk adopt --json', AT_A_TERMINAL);
    // The other machine builds its copy again, or has nothing that is missing.
    const second = await bisi.run('desk adopt --json', AT_A_TERMINAL);
    expect([second.code, second.err]).toEqual([0, second.err]);
    const halted = await bisi.run('open USDTNGN sell 300 --tenor 3 --yes --json');
    expect(errorOf(halted).code).toBe('halted');
    await bisi.ok('unhalt --yes');
    for (const dealId of ['PAY-1', 'PAY-2']) {
      const ran = await bisi.run(`open USDTNGN buy 700 --tenor 3 --deal-id ${dealId} --yes --json`);
      expect(errorOf(ran).code).toBe('deal_id_used');
    }
    await bisi.ok('open USDTNGN sell 300 --tenor 3 --yes');
    const seen = [await ada.ok('journal --csv'), await bisi.ok('journal --csv')];
    expect(seen[0]?.out).toBe(seen[1]?.out);
    expect(seen[0]?.out).toContain('reduce');
    expect(await desk.served.openOn('buy')).toBe(1_000);
    for (const machine of [ada, bisi]) await machine.ok('audit verify');
  });

  it('shows the decisions that a person would deliver over later ones, before it asks', async () => {
    const { bisi, back } = await putBack(async ({ bisi: approver }) => {
      await approver.ok('desk limit --max-daily-notional 900k');
    });
    await back();
    const adopted = await bisi.run('desk adopt', AT_A_TERMINAL);
    const shown = `${adopted.out} ${adopted.err}`.replaceAll(/\s+/g, ' ');
    expect(shown).toContain('Decisions among them.');
    expect(shown).toMatch(/UTC: limits set, max_daily_notional_usd 900000/);
  });

  it('at another address is followed there once a machine joins it that has more, and gets from it what it lacks', async () => {
    const { desk, server, ada, bisi, stop } = await movedTo();
    const there = { ...bisi, url: bisi.url.replace(/:\d+\//, `:${server.port.toString()}/`) };
    await stop();
    const joined = await bisi.run([...joinWords(desk, there), '--json']);
    expect([joined.code, errorOf(joined).code]).toEqual([10, 'desk_rewound']);
    await bisi.ok('desk adopt --json', AT_A_TERMINAL);
    expect(Object((await bisi.ok('desk status --json')).document()).data).toMatchObject({
      url: there.url,
      limits: { max_daily_notional_usd: '700' },
    });
    await ada.ok(joinWords(desk, { ...ada, url: ada.url.replace(/:\d+\//, `:${server.port.toString()}/`) }));
    await bisi.ok('unhalt --yes');
    await bisi.ok('resume PAY-1 --resend --yes');
    for (const machine of [ada, bisi]) await machine.ok('audit verify');
  });

  it('that is left as lost, and joined at another address, gets its limits, and any machine resumes what it knew', async () => {
    const { desk, server, bisi, stop } = await movedTo();
    await stop();
    await bisi.ok('desk leave --lost', AT_A_TERMINAL);
    const there = { ...bisi, url: bisi.url.replace(/:\d+\//, `:${server.port.toString()}/`) };
    const joined = Object((await bisi.ok([...joinWords(desk, there), '--json'])).document()).data;
    expect(joined).toMatchObject({ actions: 1, halts: 1 });
    const records = await recordsIn(server, desk.log.database);
    expect(joined.records).toBe(records.length);
    expect(records.filter(({ kind }) => kind === 'halt')).toHaveLength(1);
    expect(Object((await bisi.ok('desk limit --json')).document()).data).toMatchObject({
      limits: { max_daily_notional_usd: '700' },
    });
    await bisi.ok('unhalt --yes');
    await bisi.ok('resume PAY-1 --resend --yes');
  });

  it('delivers no outcome recorded manually without it for an action that somebody has sent again since', async () => {
    const server = await aPostgres();
    const desk = await deskOfMachines({ server });
    const front = await databaseFront(server.port);
    const alone = await databaseFront(server.port);
    const ada = await desk.joined('ada', { port: alone.port, env: { HEDGE_DESK_TIMEOUT: '20' } });
    const bisi = await desk.joined('bisi', { port: front.port, role: 'approver' });
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open' });
    await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
    await bisi.ok('journal');
    const old = await copyOfServer(server);
    // Only ada has these: her copy ends later than the restored log does with all that follows there.
    for (let at = 0; at < 9; at += 1) await ada.ok(`halt "halt ${at.toString()}"`);
    alone.be('refused');
    await ada.ok('journal resolve PAY-1 --as not-executed --reason told --yes --allow-late-arrival');
    for (const each of [front, alone]) each.lead(old.port);
    await server.stop('immediate');
    await admin.clearFaults();
    await admin.setFaults({ lost_after: 1, only: 'open' });
    await bisi.ok('resume PAY-1 --resend --yes', { code: 7 });
    await admin.clearFaults();
    alone.be('open');
    const adopted = await ada.ok('desk adopt', AT_A_TERMINAL);
    const after = await ada.ok('journal');
    expect(`${adopted.err} ${after.err}`).toContain('is not delivered: the desk has later records of it');
    const settled = (await recordsIn(old, desk.log.database)).filter(({ kind }) => kind === 'settled');
    expect(settled).toEqual([]);
    expect(Object((await ada.ok('desk status --json')).document()).data).toMatchObject({ pending: 0 });
  });

  it('is given again what a machine sent before it joined as that: only that machine sends it again', async () => {
    const server = await aPostgres();
    const desk = await deskOfMachines({ server });
    const front = await databaseFront(server.port);
    const bisi = await desk.joined('bisi', { port: front.port, role: 'approver' });
    const chidi = await desk.machine('chidi', { port: front.port });
    const standby = await copyOfServer(server);
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open' });
    await chidi.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
    await admin.clearFaults();
    await chidi.ok(joinWords(desk, chidi));
    await bisi.ok('journal');
    front.lead(standby.port);
    await server.stop('immediate');
    await bisi.ok('desk adopt --json', AT_A_TERMINAL);
    await bisi.ok('unhalt --yes');
    const resumed = await bisi.run('resume PAY-1 --resend --yes --json');
    expect(errorOf(resumed).code).toBe('other_machine');
    await chidi.ok('resume PAY-1 --resend --yes');
  });

  it('adopts also where the log says meanwhile that a step was not taken, under the ID of its record', async () => {
    const [intentId, actionId] = ['00000000000000c1', '00000000000000c2'];
    const append = async (client: Client, record: object): Promise<void> => {
      await client.query('SELECT * FROM hedge.append(0, NULL, NULL, false, $1)', [
        JSON.stringify([{ id: intentId, record: JSON.stringify(record) }]),
      ]);
    };
    const { ada, bisi, desk, server, back } = await putBack(async (before) => {
      await before.ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
      const log = await before.desk.log.server.admin(before.desk.log.database);
      const { rows } = await log.query(
        `SELECT record FROM hedge.records WHERE record LIKE '%"kind":"intent"%'`,
      );
      const intent = JSON.parse(String(rows[0]?.record));
      await append(log, {
        ...intent,
        action_id: actionId,
        deal_id: 'PAY-2',
        idempotency_key: 'key-of-PAY-2',
      });
      await before.ada.ok('journal');
    });
    await back();
    const restored = await server.admin(desk.log.database);
    const why = 'the log of the desk did not say in time whether it took the record';
    const at = new Date().toISOString();
    await append(restored, { schema: 3, kind: 'not_sent', at, action_id: actionId, why });
    const adopted = await ada.run('desk adopt --json', AT_A_TERMINAL);
    expect([adopted.code, adopted.err]).toEqual([0, adopted.err]);
    await bisi.ok('unhalt --yes');
    expect((await ada.ok('journal --csv')).out).toContain('PAY-1');
    for (const machine of [ada, bisi]) await machine.ok('audit verify');
  });

  it('stops no close while another process of the machine builds the copy again', async () => {
    const { ada, desk, back } = await putBack(async ({ ada: one }) => {
      await one.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
    });
    await back();
    const lock = `${databaseFile(join(ada.home, 'state', 'desk-lagos'))}.lock`;
    const { opened, closed } = await withLock(lock, testMachine(), async () => ({
      opened: await ada.run('open USDTNGN sell 300 --tenor 3 --yes --json'),
      closed: await ada.run('close USDTNGN buy --yes'),
    }));
    expect([opened.code, errorOf(opened).code]).toEqual([10, 'desk_unreachable']);
    expect(errorOf(opened).message).toContain('Another process is building the copy of desk lagos again');
    expect([closed.code, closed.err]).toEqual([0, closed.err]);
    expect(await desk.served.openOn('buy')).toBe(0);
  });

  it('is noticed by a machine that has lost its copy, also when the log has as many records again', async () => {
    const { ada, bisi, back } = await putBack(async ({ ada: one }) => {
      await one.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
    });
    await back();
    const copy = databaseFile(join(ada.home, 'state', 'desk-lagos'));
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
    for (const size of ['600', '700']) await bisi.ok(`open USDTNGN buy ${size} --tenor 3 --yes`);
    const ran = await ada.run('open USDTNGN sell 300 --tenor 3 --yes --json');
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_rewound']);
    await ada.ok('desk adopt --json', AT_A_TERMINAL);
    await bisi.ok('unhalt --yes');
    await ada.ok('open USDTNGN sell 300 --tenor 3 --yes');
    await ada.ok('audit verify');
  });

  it('is noticed by a machine that has pulled nothing of what is missing, when another says so', async () => {
    const { ada, bisi, back } = await putBack(async ({ ada: one }) => {
      await one.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
    });
    await back();
    const ran = await ada.run('open USDTNGN sell 300 --tenor 3 --yes --json');
    expect(errorOf(ran).code).toBe('desk_rewound');
    const other = await bisi.run('open USDTNGN sell 300 --tenor 3 --yes --json');
    expect([other.code, errorOf(other).code]).toEqual([10, 'halted']);
  });
});
