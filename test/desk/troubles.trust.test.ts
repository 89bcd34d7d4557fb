/** Trouble with the database, its server or its login: what stops, what still works, and the words shown. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { DEALER } from '../../src/desk/log-schema.ts';
import { recordHash } from '../../src/journal/chain.ts';
import { databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { IN_FULL } from '../support/goal.ts';
import { unusedPort } from '../support/ports.ts';
import { aPostgres, copyOfServer } from '../support/postgres.ts';
import { quickClock, type Ran } from '../support/test-cli.ts';
import { anAuthority, inDays, loopbackTls } from '../support/tls.ts';
import { needs } from '../support/tools.ts';
import { recordId, sqlState } from './a-log.ts';

const PAUSED_MS = IN_FULL ? 30_000 : 0;

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};

/** Opens stop with these words, a close works, and what it recorded is delivered once all is well again. */
async function expectOpensStop(
  desk: DeskOfMachines,
  machine: DeskMachine,
  says: string | RegExp,
  { code = 'desk_unreachable', again }: { code?: string; again: () => Promise<void> },
): Promise<void> {
  const acted = desk.served.acted('/hedges');
  const opened = await machine.run('open USDTNGN sell 400 --tenor 3 --yes --json');
  expect([opened.code, errorOf(opened).code]).toEqual([10, code]);
  expect(errorOf(opened).message).toMatch(says);
  expect(desk.served.acted('/hedges')).toBe(acted);
  await machine.ok('close USDTNGN buy --yes');
  expect(await desk.served.openOn('buy')).toBe(0);
  await machine.ok('hedges');
  await machine.ok('journal');
  await again();
  await machine.ok('journal');
  const closes = (await desk.records()).filter(({ record }) => record['action'] === 'close');
  expect(closes).toHaveLength(1);
  await machine.ok('open USDTNGN sell 400 --tenor 3 --yes');
}

const withAHedge = async (desk: DeskOfMachines, machine: DeskMachine): Promise<void> => {
  await machine.ok('open USDTNGN buy 5000 --tenor 3 --yes');
  expect(await desk.served.openOn('buy')).toBe(5_000);
};

describe('the database', () => {
  it('is read-only', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const { owner, database } = desk.log;
    await owner.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    await expectOpensStop(desk, ada, 'takes no records: the database is read-only', {
      async again() {
        await owner.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
      },
    });
  });

  it('is a standby, which takes no records', async () => {
    const server = await aPostgres();
    const desk = await deskOfMachines({ server });
    const front = await databaseFront(server.port);
    const ada = await desk.joined('ada', { port: front.port });
    await withAHedge(desk, ada);
    const standby = await copyOfServer(server, { isStandby: true });
    front.lead(standby.port);
    await expectOpensStop(desk, ada, 'takes no records: the database is read-only', {
      again: async () => front.lead(server.port),
    });
  });

  it('stands still', async () => {
    const desk = await deskOfMachines();
    const front = await databaseFront(desk.log.server.port);
    const ada = await desk.joined('ada', { port: front.port });
    await withAHedge(desk, ada);
    front.be('stalled');
    const impatient = { env: { HEDGE_DESK_TIMEOUT: '1' } };
    const waiting: DeskMachine = {
      ...ada,
      run: (words) => ada.run(words, isAway ? impatient : {}),
      ok: (words) => ada.ok(words, isAway ? impatient : {}),
    };
    let isAway = true;
    await expectOpensStop(desk, waiting, 'it did not respond within 1 s (HEDGE_DESK_TIMEOUT)', {
      async again() {
        isAway = false;
        front.be('open');
      },
    });
  });

  it('is paused, and goes on later with what it was told before', async () => {
    const server = await aPostgres();
    const desk = await deskOfMachines({ server });
    const ada = await desk.joined('ada', { env: { HEDGE_DESK_TIMEOUT: '2' } });
    await withAHedge(desk, ada);
    server.signal('SIGSTOP');
    const until = performance.now() + PAUSED_MS;
    await expectOpensStop(desk, ada, 'it did not respond within 2 s (HEDGE_DESK_TIMEOUT)', {
      async again() {
        await pause(Math.max(0, until - performance.now()));
        server.signal('SIGCONT');
        while ((await ada.run('journal')).err.includes('did not respond'));
      },
    });
  });

  it('is full', needs('unshare'), async () => {
    const server = await aPostgres({ hasSmallDisk: true });
    const desk = await deskOfMachines({ server });
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const { owner } = desk.log;
    await owner.query('ALTER TABLE hedge.records SET TABLESPACE small');
    await owner.query('CREATE TABLE filler (text text) TABLESPACE small');
    // Wherever a page has room, until nothing has any.
    const fill = async (table: string, bytes: number): Promise<void> => {
      while ((await sqlState(owner.query(table, ['x'.repeat(bytes)]))) === 'none');
    };
    await fill('INSERT INTO filler VALUES ($1)', 1_500);
    const text =
      "json_build_object('schema', 3, 'kind', 'note', 'at', '2026-11-20T09:00:00.000Z', 'text', $1::text)";
    await fill(
      `SELECT hedge.append(0, NULL, NULL, false, json_build_array(json_build_object('id', substr(md5(random()::text), 1, 16), 'record', ${text}::text))::text)`,
      100,
    );
    await expectOpensStop(desk, ada, 'takes no records: the server is out of resources', {
      async again() {
        await owner.query('DROP TABLE filler');
      },
    });
  });

  it('is locked by one who does not let go', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const holder = await desk.log.server.admin(desk.log.database);
    await holder.query('BEGIN; LOCK TABLE hedge.head IN EXCLUSIVE MODE');
    await expectOpensStop(desk, ada, 'takes no records: other machines were writing to it all the time', {
      async again() {
        await holder.query('ROLLBACK');
      },
    });
  });
});

/** As an earlier version of the log took it from anybody with a login. */
async function plantDeepRecord({ records, log: { owner } }: DeskOfMachines): Promise<number> {
  const seq = (await records()).length + 1;
  const deep = `${'['.repeat(1_500)}${']'.repeat(1_500)}`;
  const stored = {
    id: recordId('deep'),
    record: `{"schema":3,"kind":"imported_line","at":"2026-11-20T09:00:00.000Z","how":"x","more":${deep}}`,
    stamp: '{"at":"2026-11-20T09:00:00.000Z","by":"ada","approver":false}',
  };
  const { rows } = await owner.query<{ hash: Buffer }>('SELECT hash FROM hedge.head');
  const prev = rows[0]?.hash ?? Buffer.alloc(0);
  const hash = Buffer.from(recordHash(prev.toString('hex'), stored), 'hex');
  await owner.query('INSERT INTO hedge.records VALUES ($1, $2, $3, $4, $5, $6)', [
    seq,
    ...Object.values(stored),
    prev,
    hash,
  ]);
  await owner.query('UPDATE hedge.head SET seq = $1, hash = $2', [seq, hash]);
  return seq;
}

describe('a record of the log that no machine can store', () => {
  it('stops opens by its number; the copy stays as it is, and a close and a halt go on', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const seq = await plantDeepRecord(desk);
    const opened = await ada.run('open USDTNGN sell 400 --tenor 3 --yes --json');
    expect([opened.code, errorOf(opened).code]).toEqual([10, 'desk_changed']);
    expect(errorOf(opened).message).toContain(`Record ${seq.toString()} of the log of desk lagos`);
    await ada.ok('halt "venue down" --timeout 1', { code: 8 });
    await ada.ok('close USDTNGN buy --yes');
    expect(await desk.served.openOn('buy')).toBe(0);
    expect((await ada.ok('journal')).err).not.toContain('damaged');
    expect(readdirSync(join(ada.home, 'state', 'desk-lagos')).join(' ')).not.toContain('damaged');
  });

  it('is all that a machine lacks which joins then', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await ada.ok('halt "venue down"');
    const bisi = await desk.machine('bisi');
    const seq = await plantDeepRecord(desk);
    const joining = ['desk', 'join', bisi.url, '--ca-file', desk.caFile, '--json'];
    expect(errorOf(await bisi.run(joining))).toMatchObject({
      code: 'desk_changed',
      message: expect.stringContaining(`Record ${seq.toString()} `),
    });
    const copy = new DatabaseSync(join(bisi.home, 'state', 'desk-lagos', 'journal.sqlite'), {
      readOnly: true,
    });
    expect(copy.prepare('SELECT max(seq) AS last FROM records').get()).toEqual({ last: seq - 1 });
    copy.close();
  });
});

describe('the server', () => {
  it.each([
    ['another authority', async () => (await anAuthority()).issue()],
    ['another host', async () => (await loopbackTls()).issue({ hosts: ['db.example.com'] })],
    ['a time that is over', async () => (await loopbackTls()).issue({ from: inDays(-3), until: inDays(-1) })],
  ])('shows a certificate of %s', async (_what, issue) => {
    const server = await aPostgres();
    const desk = await deskOfMachines({ server });
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    await server.certify(await issue());
    await expectOpensStop(desk, ada, 'its certificate is not accepted', {
      again: async () => server.certify(await loopbackTls()),
    });
  });
});

describe('a desk that is begun or joined', () => {
  it('says what is wrong with its database, and what helps', async () => {
    const desk = await deskOfMachines();
    const bisi = await desk.machine('bisi');
    const refused = async (words: readonly string[]): Promise<string> => {
      const { code, err } = await bisi.run(['desk', ...words]);
      expect([code, err]).toEqual([10, expect.stringContaining('Nothing was changed.')]);
      return err.replaceAll(/\s+/g, ' ');
    };
    const trusted = ['--ca-file', desk.caFile];
    const begun = ['--name', 'kano'];
    const another = bisi.url.replace(`/${desk.log.database}`, '/postgres');
    const stranger = bisi.url.replace(bisi.user, 'nobody');
    const dead = bisi.url.replace(/:\d+\//, `:${(await unusedPort()).toString()}/`);
    expect(await refused(['join', bisi.url])).toMatch(/its certificate is not accepted .* --ca-file PATH/);
    expect(await refused(['init', bisi.url, ...begun])).toMatch(/not accepted .* --ca-file PATH/);
    expect(await refused(['init', another, ...begun, ...trusted])).toMatch(
      /no right to it .* hedge help desk/,
    );
    expect(await refused(['join', another, ...trusted])).toMatch(/has no desk\. .* hedge desk init/);
    expect(await refused(['join', stranger, ...trusted])).toMatch(/no password is known .* hedge help desk/);
    expect(await refused(['join', dead, ...trusted])).toMatch(
      /refused the connection\. .* Check its address/,
    );
  });
});

describe('the login', () => {
  it('has a wrong password', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const { owner } = desk.log;
    await owner.query(`ALTER ROLE ${ada.user} PASSWORD 'another'`);
    await expectOpensStop(desk, ada, /the password is wrong \(login "ada_/, {
      async again() {
        await owner.query(`ALTER ROLE ${ada.user} PASSWORD 'secret of ${ada.user}'`);
      },
    });
  });

  it('has lost its role', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await withAHedge(desk, ada);
    const { owner } = desk.log;
    await owner.query(`REVOKE ${DEALER} FROM ${ada.user}`);
    await expectOpensStop(desk, ada, /the login has no right to it \(login "ada_/, {
      async again() {
        await owner.query(`GRANT ${DEALER} TO ${ada.user}`);
      },
    });
  });

  it('never shows its password', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.machine('ada');
    const ran = await ada.run(['desk', 'join', ada.url.replace('@', ':hunter2@'), '-v']);
    expect(ran.code).toBe(2);
    expect(ran.out + ran.err).not.toContain('hunter2');
  });
});

it('a newer schema: opens stop by name, and a close goes on', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await withAHedge(desk, ada);
  const { owner } = desk.log;
  await owner.query(`UPDATE hedge.head SET schema_version = 99, oldest_client = '9.1.0'`);
  await expectOpensStop(desk, ada, 'Desk lagos needs hedge 9.1.0 or later', {
    code: 'desk_newer',
    async again() {
      await owner.query(`UPDATE hedge.head SET schema_version = 1, oldest_client = '0.0.0'`);
    },
  });
});

it('two machines whose clocks are an hour apart trade by the time of the database', async () => {
  const desk = await deskOfMachines();
  const hourMs = 3_600_000;
  const ada = await desk.joined('ada', { clock: quickClock(() => Date.now() + hourMs) });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await bisi.ok('desk limit --max-daily-notional 1000');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-1 --yes');
  const stopped = await bisi.run('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes --json');
  expect(errorOf(stopped).code).toBe('limit_exceeded');
  await bisi.ok('open USDTNGN buy 400 --tenor 3 --deal-id PAY-2 --yes');
  await ada.ok('halt "venue down"');
  for (const { record, stamp } of await desk.records())
    expect(Math.abs(Date.parse(record.at) - Date.parse(stamp.at))).toBeLessThan(hourMs / 2);
  expect((await ada.ok('desk status')).out).toContain('ahead of');
  expect((await ada.run('doctor')).out).toContain('ahead of');
});
