/** The log of the desk cannot be reached: what stops, what goes on, what is said, and what is delivered afterwards. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { type DatabaseFront, databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { quickClock, type Ran } from '../support/test-cli.ts';

interface Parted {
  desk: DeskOfMachines;
  /** A dealer behind the front. */
  ada: DeskMachine;
  /** An approver who reaches the log. */
  bisi: DeskMachine;
  front: DatabaseFront;
}

async function parted({ role = 'dealer' }: { role?: 'dealer' | 'approver' } = {}): Promise<Parted> {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { role, port: front.port, env: { HEDGE_DESK_TIMEOUT: '20' } });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  return { desk, ada, bisi, front };
}

/** Its log becomes part of the file. */
function settleDatabase(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

function countIn(path: string): number {
  if (!existsSync(path)) return 0;
  const db = new DatabaseSync(path, { readOnly: true });
  const { count } = Object(db.prepare('SELECT count(*) AS count FROM records').get());
  db.close();
  return Number(count);
}

const errorOf = (ran: Ran): { code?: string; effect?: string } => Object(ran.document()).error ?? {};

const kindsIn = async ({ desk }: Parted): Promise<readonly string[]> =>
  (await desk.records()).map(({ record }) => record.kind);

describe('while the log cannot be reached', () => {
  it('opens, adds, rolls, deals, unhalt and a raised limit stop, and nothing of them is sent', async () => {
    const at = await parted();
    const { desk, ada, bisi, front } = at;
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    await bisi.ok('desk limit --max-notional 9000');
    await ada.ok('journal');
    const sent = desk.served.changes().length;
    const kinds = await kindsIn(at);
    const deals = join(ada.home, 'deals.csv');
    writeFileSync(deals, 'market,side,notional_usd,tenor_days,deal_id\nUSDTNGN,buy,500,3,D-1\n');
    front.be('refused');
    for (const words of [
      'open USDTNGN buy 1000 --tenor 3 --yes --json',
      'add USDTNGN buy 1000 --yes --json',
      'roll USDTNGN buy --tenor 7 --at now --yes --json',
      `deals run ${deals} --yes --json`,
      'desk limit --max-notional none --json',
    ]) {
      const ran = await ada.run(words);
      expect([words, ran.code, errorOf(ran).code]).toEqual([words, 10, 'desk_unreachable']);
    }
    expect(desk.served.changes()).toHaveLength(sent);
    front.be('open');
    await bisi.ok(['halt', 'venue down']);
    await ada.ok('journal');
    front.be('refused');
    expect(errorOf(await ada.run('unhalt --yes --json')).code).toBe('desk_unreachable');
    front.be('open');
    await ada.ok('journal');
    expect(await kindsIn(at)).toEqual([...kinds, 'halt']);
  });

  it('says so, and what still works', async () => {
    const { ada, front } = await parted();
    front.be('refused');
    const opened = await ada.run('open USDTNGN buy 1000 --tenor 3 --yes');
    expect(opened.err).toContain('The log of desk lagos cannot be reached');
    expect(opened.err).toContain('Nothing was sent. Reduce and close still work.');
    expect((await ada.run('desk status')).out).toMatch(/Reached +NO/);
    expect((await ada.run('')).out).toContain('Desk lagos');
    expect((await ada.run('')).out).toContain('not reached now');
  });

  it('says as of when this machine has its records, also where its copy is older than its last contact', async () => {
    const at = await parted();
    const { desk, ada, bisi, front } = at;
    const copy = join(ada.home, 'state', 'desk-lagos', 'journal.sqlite');
    settleDatabase(copy);
    const older = readFileSync(copy);
    const statusNow = async () => Object((await ada.run('desk status --json')).document()).data;
    await bisi.ok('halt "venue down"');
    const halted = (await desk.records()).at(-1)?.stamp.at ?? '';
    await ada.ok('journal');
    front.be('refused');
    expect((await statusNow()).as_of >= halted).toBe(true);
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
    expect((await statusNow()).as_of).toBeNull();
    expect((await ada.ok('journal halts')).err).toContain('no record of it is known here');
    writeFileSync(copy, older, { mode: 0o600 });
    expect((await statusNow()).as_of < halted).toBe(true);
  });

  it('says as of when this machine has its records, also where a pull broke after its first page', async () => {
    const { desk, ada, front } = await parted();
    await desk.log.owner.query(
      `SELECT FROM hedge.append(999, NULL, NULL, false, (SELECT json_agg(json_build_object('id', substr(md5(i::text), 1, 16), 'record', '{"schema":3,"kind":"imported_line","at":"2026-11-20T09:00:00.000Z","how":"x"}'))::text FROM generate_series(1, 500) AS i))`,
    );
    const records = await desk.records();
    const copy = join(ada.home, 'state', 'desk-lagos', 'journal.sqlite');
    const counts: number[] = [];
    for (let at = 1; counts.at(-1) !== records.length; at += 1) {
      for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
      front.cut(at, 'answer');
      const { as_of: asOf } = Object((await ada.run('desk status --json')).document()).data;
      const count = countIn(copy);
      counts.push(count);
      const next = records[count];
      if (next !== undefined) expect(asOf === null || asOf <= next.stamp.at).toBe(true);
    }
    expect(counts.some((count) => count > 0 && count < records.length)).toBe(true);
  });

  it('unhalt, the limits and doctor say that what a colleague wrote meanwhile may be missing', async () => {
    const { ada, bisi, front } = await parted({ role: 'approver' });
    await ada.ok('desk limit --max-notional 9000');
    front.be('refused');
    await bisi.ok('halt "venue down"');
    const lifted = await ada.run('unhalt --yes --json');
    expect([lifted.code, errorOf(lifted).code]).toEqual([10, 'desk_unreachable']);
    expect((await ada.run('unhalt --yes')).out).not.toContain('No halt is set');
    const limits = await ada.run('desk limit --json');
    expect([limits.code, errorOf(limits).code]).toEqual([10, 'desk_unreachable']);
    expect(Object(limits.document()).data).toMatchObject({
      limits: { max_notional_usd: '9000' },
      delivered: false,
    });
    const doctor = (await ada.run('doctor')).out.replace(/\s+/g, ' ');
    expect(doctor).toContain('WARN halt No halt is known here; records of one may be missing.');
    expect(doctor).toContain('WARN rolls No unfinished roll is known here; records of one may be missing.');
  });

  it('roll run --due fails, for rolls of colleagues may be missing', async () => {
    const { desk, ada, bisi, front } = await parted();
    await bisi.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    await ada.ok('journal');
    front.be('refused');
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ failing_orders: 1, only: 'open' });
    await bisi.run('roll PAY-1 --at now --tenor 7 --yes');
    await admin.clearFaults();
    const ran = await ada.run('roll run --due --yes --json');
    expect([ran.code, errorOf(ran).code]).toEqual([10, 'desk_unreachable']);
    expect(Object(ran.document()).meta).toMatchObject({ trouble: { code: 'desk_unreachable' } });
    const shown = await ada.run('roll run --due --yes');
    expect(shown.out).not.toContain('No roll is due');
    expect(shown.err.replace(/\s+/g, ' ')).toMatch(/as of .* Rolls of colleagues may be missing here/);
    front.be('open');
    await ada.ok('roll run --due --yes');
    expect(await desk.served.openOn('buy')).toBe(5_000);
  });

  it('readings, check, reduce and close work, and are delivered by the next command that reaches it', async () => {
    const at = await parted();
    const { desk, ada, bisi, front } = at;
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes');
    front.be('refused');
    for (const words of ['positions', 'hedges', 'journal', 'check', 'profile show']) await ada.ok(words);
    expect((await ada.ok('check')).out.replace(/\s+/g, ' ')).toContain(
      'among the records that this machine has',
    );
    for (const words of ['check', 'check PAY-1', 'roll show', 'journal'])
      expect(Object((await ada.ok(`${words} --json`)).document()).meta).toMatchObject({
        trouble: { kind: 'desk', code: 'desk_unreachable' },
      });
    for (const words of ['check', 'roll show', 'journal', 'journal halts'])
      expect((await ada.ok(words)).err).toContain('The log of desk lagos cannot be reached');
    await ada.ok('reduce USDTNGN buy 1000 --yes');
    expect((await ada.ok('close USDTNGN buy --yes')).out).toMatch(/Action +[0-9a-f]{4}$/m);
    expect(await desk.served.openOn('buy')).toBe(0);
    const doctor = (await ada.run('doctor')).out;
    expect(doctor).toMatch(/FAIL +desk +The log of desk lagos cannot be reached/);
    expect(doctor).toMatch(/Check the server, the\s+network, the\s+certificate and the\s+login/);
    expect(doctor).not.toContain('hedge doctor');
    const status = await ada.run('desk status --json');
    expect(Object(status.document()).data).toMatchObject({ reached: false, pending: 8 });
    expect((await bisi.ok('journal')).out).not.toContain('reduce');
    front.be('open');
    await ada.ok('journal');
    const seen = (await bisi.ok('journal --wide')).out;
    expect(seen).toMatch(/reduce USDTNGN buy .* reduced .*ada@ada/);
    expect(seen).toMatch(/close USDTNGN buy .* closed .*ada@ada/);
    expect(Object((await ada.ok('desk status --json')).document()).data).toMatchObject({
      reached: true,
      pending: 0,
    });
  });

  it('a halt holds here at once, says so, ends with 8, and is delivered by the next command, also after an unhalt of another', async () => {
    const at = await parted();
    const { ada, bisi, front, desk } = at;
    await bisi.ok(['halt', 'earlier']);
    await ada.ok('journal halts');
    front.be('refused');
    const halted = await ada.run(['halt', 'venue down', '--timeout', '2']);
    expect(halted.code).toBe(8);
    expect(halted.err).toContain('HALTED ON THIS MACHINE ONLY');
    await bisi.ok('unhalt --yes');
    await bisi.ok('open USDTNGN buy 500 --tenor 3 --yes');
    expect(errorOf(await ada.run('open USDTNGN buy 500 --tenor 3 --yes --json')).code).toBe(
      'desk_unreachable',
    );
    front.be('open');
    await ada.ok('journal halts');
    const stopped = await bisi.run('open USDTNGN sell 500 --tenor 3 --yes --json');
    expect([stopped.code, errorOf(stopped).code]).toEqual([10, 'halted']);
    expect(stopped.err + stopped.out).toContain('venue down');
    expect((await desk.records()).filter(({ record }) => record.kind === 'halt')).toHaveLength(2);
  });

  it('a lowered limit holds here at once, and on every machine when it is delivered', async () => {
    const { ada, bisi, front } = await parted();
    front.be('refused');
    const lowered = await ada.ok('desk limit --max-notional 800');
    expect(lowered.out).toContain('THIS MACHINE ONLY');
    front.be('open');
    expect(errorOf(await ada.run('open USDTNGN buy 900 --tenor 3 --yes --json')).code).toBe('limit_exceeded');
    expect(errorOf(await bisi.run('open USDTNGN buy 900 --tenor 3 --yes --json')).code).toBe(
      'limit_exceeded',
    );
  });

  it('a limit that was lowered here raises none that somebody has lowered further meanwhile', async () => {
    const { desk, ada, bisi, front } = await parted({ role: 'approver' });
    await bisi.ok('desk limit --max-open 2m');
    await ada.ok('journal');
    front.be('refused');
    await ada.ok('desk limit --max-open 1m --max-notional 9000');
    await bisi.ok('desk limit --max-open 500k');
    front.be('open');
    expect((await ada.ok('journal')).err).toContain('is not delivered where it would raise');
    for (const machine of [ada, bisi])
      expect(Object((await machine.ok('desk status --json')).document()).data).toMatchObject({
        limits: { max_open_usd: '500000', max_notional_usd: '9000' },
        pending: 0,
      });
    expect((await ada.ok('journal')).err).not.toContain('not delivered');
    expect((await desk.records()).filter(({ record }) => record.kind === 'desk_limit')).toHaveLength(3);
  });

  it('an outcome that was recorded manually here does not replace what a colleague has recorded of the action meanwhile', async () => {
    const { desk, ada, bisi, front } = await parted();
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open' });
    for (const deal of ['PAY-1', 'PAY-2'])
      await bisi.ok(
        `open USDTNGN ${deal === 'PAY-1' ? 'buy' : 'sell'} 500 --tenor 3 --deal-id ${deal} --yes`,
        {
          code: 7,
        },
      );
    await admin.clearFaults();
    await ada.ok('journal');
    front.be('refused');
    for (const deal of ['PAY-1', 'PAY-2'])
      await ada.ok(`journal resolve ${deal} --as not-executed --reason told --yes --allow-late-arrival`);
    await bisi.ok('journal resolve PAY-1 --as executed --reason told --yes');
    front.be('open');
    expect((await ada.ok('journal')).err).toContain('is not delivered: the desk has later records of it');
    const settled = (await desk.records()).filter(({ record }) => record.kind === 'settled');
    expect(settled.map(({ record }) => record['as'])).toEqual(['done', 'nothing']);
    expect(Object((await ada.ok('desk status --json')).document()).data).toMatchObject({ pending: 0 });
  });

  it('a close with nothing to close fails, for orders of colleagues may be on their way; other lines of its batch run', async () => {
    const { desk, ada, front } = await parted();
    await ada.ok('open USDTNGN sell 5000 --tenor 3 --yes');
    front.be('refused');
    const close = await ada.ok('close USDTNGN buy --if-open --yes --json', { code: 10 });
    expect(Object(close.document())).toMatchObject({
      data: { outcome: 'flat' },
      error: { code: 'desk_unreachable', effect: 'none', retry: 'later' },
    });
    const shown = await ada.ok('close USDTNGN buy --if-open --yes', { code: 10 });
    expect([shown.out, shown.err]).toEqual([
      expect.stringContaining('FLAT'),
      expect.stringContaining('Orders of colleagues may be on their way'),
    ]);
    const closes = join(ada.home, 'closes.txt');
    writeFileSync(closes, 'close USDTNGN buy --if-open\nclose USDTNGN sell --if-open\n');
    await ada.ok(`batch ${closes} --yes`, { code: 10 });
    expect(await desk.served.openOn('sell')).toBe(0);
  });

  it('a batch with an open stops as a whole; one of closes runs', async () => {
    const { desk, ada, front } = await parted();
    await ada.ok('open USDTNGN buy 5000 --tenor 3 --yes');
    const sent = desk.served.changes().length;
    front.be('refused');
    const both = join(ada.home, 'both.txt');
    writeFileSync(both, 'reduce USDTNGN buy 1000\nopen USDTNGN sell 500 --tenor 3\n');
    const stopped = await ada.run(`batch ${both} --yes --json`);
    expect(stopped.code).toBe(10);
    expect(desk.served.changes()).toHaveLength(sent);
    const closes = join(ada.home, 'closes.txt');
    writeFileSync(closes, 'reduce USDTNGN buy 1000\nclose USDTNGN buy\n');
    await ada.ok(`batch ${closes} --yes`);
    expect(await desk.served.openOn('buy')).toBe(0);
  });
});

describe('while a person thinks, the connection to the log', () => {
  /** The action is confirmed minutes after the question, and the connection is not what it was. */
  async function confirmed(
    words: string,
    { dies, timeout = '20' }: { dies: (front: DatabaseFront) => void; timeout?: string },
  ): Promise<{ ran: Ran; at: Parted }> {
    const clock = quickClock();
    let thoughtMs = 0;
    // The database's time is not changed.
    const later = { ...clock, monotonic: () => clock.monotonic() + thoughtMs };
    const desk = await deskOfMachines();
    const front = await databaseFront(desk.log.server.port);
    const ada = await desk.joined('ada', { port: front.port, clock: later });
    const bisi = await desk.joined('bisi', { role: 'approver' });
    await bisi.ok('open USDTNGN buy 500 --tenor 3 --yes');
    const shows = (text: string): void => {
      if (thoughtMs > 0 || !text.includes('y/N')) return;
      thoughtMs = 6 * 60_000;
      dies(front);
    };
    const ran = await ada.run(words, {
      env: { HEDGE_DESK_TIMEOUT: timeout },
      terminal: { isTTY: { stdin: true, stderr: true }, shows },
      answer: 'y\r',
    });
    expect(thoughtMs).toBeGreaterThan(0);
    return { ran, at: { desk, ada, bisi, front } };
  }

  it('is ended by the server: the confirmed open goes on with another one', async () => {
    const { ran, at } = await confirmed('open USDTNGN sell 700 --tenor 3', {
      dies(front) {
        front.be('refused');
        front.be('open');
      },
    });
    expect([ran.code, ran.out, ran.err]).toEqual([0, ran.out, ran.err]);
    expect(at.desk.served.acted('/hedges')).toBe(2);
  });

  it('dies in silence: a close takes another one within the time of the desk', async () => {
    const { ran, at } = await confirmed('close USDTNGN buy', {
      dies: (front) => front.forget(),
      timeout: '8',
    });
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect(ran.err).not.toContain('cannot be reached');
    const closes = (await at.desk.records()).filter(({ record }) => record['action'] === 'close');
    expect(closes).toHaveLength(1);
  });
});

it('a password command that hangs holds a close without a person only for a while', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  const path = join(ada.home, 'state', 'desk-lagos', 'desk.json');
  const member = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...member, password_command: ['sleep', '600'] }), { mode: 0o600 });
  const ran = await ada.ok('close USDTNGN buy --yes --no-wait', { env: { HEDGE_DESK_TIMEOUT: '1' } });
  expect(ran.out + ran.err).toContain('printed no key within 5 s');
  expect(desk.served.acted('/hedges/close')).toBe(1);
});
