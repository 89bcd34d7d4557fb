/** A machine joins: its earlier records become the desk's, each once, however often the join is interrupted. */
import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import { databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ADMIN_PASSWORD } from '../support/postgres.ts';
import { quickClock, type Ran } from '../support/test-cli.ts';
import { holdJournal, readRecords, writeJournal } from '../support/written-journal.ts';
import { heldLog } from './a-log.ts';

const errorOf = (ran: Ran): { code?: string } => Object(ran.document()).error ?? {};

/** The state in the file of the desk; undefined without one. */
function stateOf({ home }: DeskMachine): unknown {
  const path = join(home, 'state', 'desk-lagos', 'desk.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).state : undefined;
}

const joinWords = ({ caFile }: DeskOfMachines, machine: DeskMachine): readonly string[] => [
  'desk',
  'join',
  machine.url,
  '--ca-file',
  caFile,
];

/** An open whose outcome is unknown to its machine. */
async function unknownOpen(desk: DeskOfMachines, machine: DeskMachine, dealId: string): Promise<void> {
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await machine.ok(`open USDTNGN sell 500 --tenor 3 --deal-id ${dealId} --yes`, { code: 7 });
  await admin.clearFaults();
}

describe('a machine with actions, an unknown one, a halt and a lifted one', () => {
  it('delivers them, and never an unhalt', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.machine('ada', { role: 'approver' });
    await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
    await unknownOpen(desk, ada, 'PAY-2');
    await ada.ok(['halt', 'over']);
    await ada.ok('unhalt --yes');
    const bisi = await desk.joined('bisi', { role: 'approver' });
    await bisi.ok(['halt', 'venue down']);
    await ada.ok(joinWords(desk, ada));
    const records = await desk.records();
    expect(records.filter(({ record }) => record.kind === 'unhalt')).toEqual([]);
    expect(records.filter(({ record }) => record.kind === 'halt').map(({ record }) => record['why'])).toEqual(
      ['venue down'],
    );
    expect(
      records.filter(({ record }) => record.kind === 'intent').map(({ stamp }) => stamp.earlier),
    ).toEqual([true, true]);
    expect(errorOf(await ada.run('open USDTNGN buy 500 --tenor 3 --yes --json')).code).toBe('halted');
    await bisi.ok('unhalt --yes');
    const used = await bisi.run('open USDTNGN buy 700 --tenor 3 --deal-id PAY-1 --yes --json');
    expect(errorOf(used).code).toBe('deal_id_used');
    const stopped = await bisi.run('open USDTNGN sell 700 --tenor 3 --yes --json');
    expect(errorOf(stopped).code).toBe('unresolved');
    await bisi.ok('check PAY-2');
    await ada.ok('open USDTNGN sell 700 --tenor 3 --yes');
  });

  it('sends alone again what it sent before it joined', async () => {
    const desk = await deskOfMachines();
    const { admin } = desk.served.desk.service;
    const ada = await desk.machine('ada');
    await admin.setFaults({ lost_before: 1, only: 'open' });
    await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
    await admin.clearFaults();
    await ada.ok(joinWords(desk, ada));
    const bisi = await desk.joined('bisi');
    const stopped = await bisi.run('resume PAY-1 --resend --yes --json');
    expect([stopped.code, errorOf(stopped).code]).toEqual([7, 'other_machine']);
    expect(stopped.err + stopped.out).toContain('only that machine sends it again');
    await ada.ok('resume PAY-1 --resend --yes');
    expect(desk.served.acted('/hedges')).toBe(1);
  });
});

it('two logins of one user on one computer are two on the list, and leave one by one', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada', { host: 'office' });
  const bisi = await desk.joined('bisi', { host: 'office', role: 'approver' });
  const list = async (): Promise<readonly string[]> => {
    const { data } = Object((await ada.ok('desk status --json')).document());
    return data.machines.flatMap(({ login, left_at: left }: { login: string; left_at: string | null }) =>
      left === null ? [login] : [],
    );
  };
  expect(await list()).toEqual([ada.user, bisi.user]);
  await bisi.ok(joinWords(desk, bisi));
  expect(await list()).toEqual([ada.user, bisi.user]);
  await bisi.ok('desk leave --yes');
  expect(await list()).toEqual([ada.user]);
});

it('two machines whose journals overlap after a copied home deliver each action once', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok(['halt', 'venue down']);
  const home = temporaryFolder();
  cpSync(ada.home, home, { recursive: true });
  const twin = await desk.machine('twin', { home, role: 'approver' });
  await twin.ok('unhalt --yes');
  await twin.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  await ada.ok(joinWords(desk, ada));
  await twin.ok(joinWords(desk, twin));
  await ada.ok(joinWords(desk, ada));
  const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(intents.map(({ record }) => record['deal_id'])).toEqual(['PAY-1', 'PAY-2']);
  // Ada's halt holds: her twin has lifted it for itself alone.
  expect(errorOf(await twin.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
  await twin.ok('unhalt --yes');
  await ada.ok('open USDTNGN buy 700 --tenor 3 --yes');
  for (const machine of [ada, twin]) await machine.ok('audit verify');
});

it('an action of another API key at the same service stays where it is, also when the join is repeated', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const ofAnother = readRecords(ada.home).map((record): JournalRecord => {
    const other = { ...record };
    if ('action_id' in other) other.action_id = '00000000000000ff';
    if ('idempotency_key' in other) other.idempotency_key = '00000000-0000-4000-8000-0000000000ff';
    if ('identity' in other)
      other.identity = Object.assign({}, other.identity, { key_fingerprint: '00ff00ff' });
    return other;
  });
  writeJournal(ada.home, ofAnother);
  for (let joined = 0; joined < 2; joined += 1) {
    const { data } = Object((await ada.ok([...joinWords(desk, ada), '--json'])).document());
    expect(data).toMatchObject({ actions: 1, unclear: 1 });
  }
  const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(intents).toHaveLength(1);
});

it('a join that is interrupted at any message goes on when it is repeated, and opens wait until then', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.machine('ada', { port: front.port });
  const deals = howMany(10, 10);
  for (let at = 1; at <= deals; at += 1)
    await ada.ok(`open USDTNGN buy 500 --tenor 3 --deal-id PAY-${at.toString()} --yes`);
  let [interrupted, stopped] = [0, 0];
  for (let at = 6; ; at += 1) {
    front.cut(at, at % 2 === 0 ? 'request' : 'answer');
    const ran = await ada.run(joinWords(desk, ada));
    front.heal();
    if (!front.wasCut()) break;
    if (ran.code === 0) continue;
    interrupted += 1;
    if (stateOf(ada) !== 'joining') continue;
    const opened = await ada.run('open USDTNGN buy 900 --tenor 3 --yes --json');
    expect([opened.code, errorOf(opened).code]).toEqual([10, 'desk_joined']);
    stopped += 1;
  }
  expect(interrupted).toBeGreaterThan(stopped);
  expect(stopped).toBeGreaterThan(0);
  const intents = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(new Set(intents.map(({ id }) => id)).size).toBe(intents.length);
  expect(new Set(intents.map(({ record }) => record['deal_id'])).size).toBeGreaterThanOrEqual(deals);
  await ada.ok('open USDTNGN buy 900 --tenor 3 --deal-id LAST --yes');
  await ada.ok('audit verify');
});

it('the account of a desk is that with which it began, whichever profile prepares its log again', async () => {
  const desk = await deskOfMachines();
  const owner = await desk.machine('owner');
  appendFileSync(join(owner.home, '.pgpass'), `*:*:*:postgres:${ADMIN_PASSWORD}\n`);
  const words = ['desk', 'init', desk.log.url('postgres'), '--name', 'lagos', '--ca-file', desk.caFile];
  const env = desk.served.way(owner.home, 'live');
  const { data } = Object((await owner.ok([...words, '--json'], { env })).document());
  expect(data.identity).toMatchObject({ environment: 'sandbox' });
});

it.each([
  ['half of a pair, \ud83d', 'half of a pair, \ufffd'],
  ['the other half, \udd25.', 'the other half, \ufffd.'],
  ['a zero byte, \u0000', 'a zero byte, \ufffd'],
  ['none of them: \u{1f525}, \\ud83d, \\u0000', 'none of them: \u{1f525}, \\ud83d, \\u0000'],
])('a reference of the service with %j is no obstacle to a join', async (reference, there) => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const strange = readRecords(ada.home).map((record): JournalRecord => {
    const other = { ...record };
    if ('action_id' in other) other.action_id = '00000000000000ff';
    if ('idempotency_key' in other) other.idempotency_key = '00000000-0000-4000-8000-0000000000ff';
    if ('before' in other && other.kind === 'intent')
      other.before = {
        ...other.before,
        hedges: [{ hedge_id: 'h1', notional_usd: '5', status: 'filled', client_reference: reference }],
      };
    return other;
  });
  writeJournal(ada.home, strange);
  await ada.ok(joinWords(desk, ada));
  await ada.ok(joinWords(desk, ada));
  const [, intent] = (await desk.records()).filter(({ record }) => record.kind === 'intent');
  expect(intent?.record['before']).toMatchObject({ hedges: [{ client_reference: there }] });
  await ada.ok('audit verify');
});

it('a halt that is set on the machine while its records are delivered is one of the desk when the join ends', async () => {
  const desk = await deskOfMachines();
  const clock = quickClock();
  let looks = (): void => undefined;
  const now = (): number => {
    looks();
    return clock.now();
  };
  const ada = await desk.machine('ada', { clock: { ...clock, now } });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok(['halt', 'venue down']);
  const [halt] = readRecords(ada.home).filter(({ kind }) => kind === 'halt');
  await ada.ok('unhalt --yes');
  looks = () => {
    if (halt?.kind !== 'halt' || stateOf(ada) !== 'joining') return;
    looks = () => undefined;
    writeJournal(ada.home, [{ ...halt, halt_id: '00000000000000ee', why: 'meanwhile' }]);
  };
  await ada.ok(joinWords(desk, ada));
  expect(errorOf(await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
  const halts = (await desk.records()).filter(({ record }) => record.kind === 'halt');
  expect(halts.map(({ record }) => record['why'])).toEqual(['meanwhile']);
});

it('a halt that was set while the journal was in use is delivered too', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  const release = holdJournal(ada.home);
  await ada.ok(['halt', 'venue down']);
  release();
  await ada.ok(joinWords(desk, ada));
  expect(errorOf(await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
});

it('a halt that is set while the records are delivered and the journal is in use is delivered too', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  const clock = quickClock();
  // The journal is in use for long.
  const sleep: typeof clock.sleep = (ms) => clock.sleep(1_000 * ms);
  const again = await desk.machine('again', { home: ada.home, as: ada, clock: { ...clock, sleep } });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  const { waiting, release } = await heldLog(desk.log);
  const joined = ada.ok(joinWords(desk, ada));
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  const goOn = holdJournal(ada.home);
  await again.ok(['halt', 'venue down']);
  goOn();
  await release();
  await joined;
  const halts = (await desk.records()).filter(({ record }) => record.kind === 'halt');
  expect(halts.map(({ record }) => record['why'])).toEqual(['venue down']);
});

it('a halt that the desk has lifted does not come back when the machine that set it joins again', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await ada.ok(['halt', 'venue down']);
  await bisi.ok('unhalt --yes');
  const { data } = Object((await ada.ok([...joinWords(desk, ada), '--json'])).document());
  expect(data).toMatchObject({ halts: 0 });
  await bisi.ok('open USDTNGN buy 500 --tenor 3 --yes');
  await ada.ok(['halt', 'venue down again']);
  const { data: again } = Object((await ada.ok([...joinWords(desk, ada), '--json'])).document());
  expect(again).toMatchObject({ halts: 1 });
  expect(errorOf(await bisi.run('open USDTNGN buy 500 --tenor 3 --yes --json')).code).toBe('halted');
  const halts = (await desk.records()).filter(({ record }) => record.kind === 'halt');
  expect(halts.map(({ record }) => record['why'])).toEqual(['venue down', 'venue down again']);
});

it('a machine that left goes on alone: deal IDs stay used, and what it did is delivered when it comes back', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi');
  await bisi.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok('desk leave --yes');
  const used = await ada.run('open USDTNGN buy 700 --tenor 3 --deal-id PAY-1 --yes --json');
  expect(errorOf(used).code).toBe('deal_id_used');
  await ada.ok('open USDTNGN buy 700 --tenor 3 --deal-id PAY-2 --yes');
  const joined = Object((await ada.ok([...joinWords(desk, ada), '--json'])).document()).data;
  expect(joined).toMatchObject({ actions: 1 });
  const twice = await bisi.run('open USDTNGN buy 800 --tenor 3 --deal-id PAY-2 --yes --json');
  expect(errorOf(twice).code).toBe('deal_id_used');
  for (const machine of [ada, bisi]) await machine.ok('audit verify');
});

it('snapshots of the account stay in the journal of their machine, before it joins, after, and after it leaves', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.machine('ada');
  const seen = async (): Promise<number> =>
    Object((await ada.ok('report --no-save --json')).document()).data.derived.snapshots.length;
  await ada.ok('snapshot');
  const one = await seen();
  await ada.ok(joinWords(desk, ada));
  await ada.ok('snapshot');
  expect(await seen()).toBe(one + 1);
  await ada.ok('desk leave --yes');
  await ada.ok('snapshot');
  expect(await seen()).toBe(one + 2);
  await ada.ok(joinWords(desk, ada));
  expect(await seen()).toBe(one + 2);
  expect((await desk.records()).map(({ record }) => record.kind)).not.toContain('snapshot');
  await ada.ok('audit verify');
});
