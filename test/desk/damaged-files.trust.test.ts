/** Files of one machine of a desk are damaged: a close and a halt work all the same, and the log has them in the end. */
import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile, pendingFile } from '../../src/journal/store/schema.ts';
import { databaseFront } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { withRows } from '../support/stored-journal.ts';
import type { Ran } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};

const stateOf = ({ home }: DeskMachine): string => join(home, 'state');
const folderOf = (machine: DeskMachine): string => join(stateOf(machine), 'desk-lagos');

/** Another file in its place: this process may have the old one open. */
function withoutHeader(path: string): void {
  writeFileSync(`${path}.new`, Buffer.alloc(8_192, 0x5a), { mode: 0o600 });
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  renameSync(`${path}.new`, path);
}

/** The text of one kind of record, and not its hash. */
const withChangedRecord = (path: string): void =>
  withRows(path, (db) => {
    db.run(`UPDATE records SET record = replace(record, '"accepted"', '"accepteX"') WHERE kind = 'accepted'`);
  });

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ['cannot be opened', withoutHeader],
  ['has a record that was changed', withChangedRecord],
];

/** Ada, behind the front, has a hedge of 5,000 USD. */
async function aDesk() {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port, env: { HEDGE_DESK_TIMEOUT: '20' } });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await ada.ok('open USDTNGN buy 5000 --tenor 3 --yes');
  return { desk, front, ada, bisi };
}

const countOf = async (desk: DeskOfMachines, kind: string): Promise<number> =>
  (await desk.records()).filter(({ record }) => record.kind === kind).length;

const closesIn = async (desk: DeskOfMachines): Promise<number> =>
  (await desk.records()).filter(({ record }) => record['action'] === 'close').length;

describe.each(DAMAGES)('pending.sqlite of a desk that %s', (_, damage) => {
  async function damaged() {
    const at = await aDesk();
    at.front.be('refused');
    await at.ada.ok('reduce USDTNGN buy 1000 --yes');
    damage(pendingFile(folderOf(at.ada)));
    return at;
  }

  it('is put aside by a close while the log is away: the close is sent, and delivered with a halt that says so', async () => {
    const { desk, front, ada, bisi } = await damaged();
    const closed = await ada.ok('close USDTNGN buy --yes');
    expect(await desk.served.openOn('buy')).toBe(0);
    const [aside = ''] = readdirSync(folderOf(ada)).filter((name) => name.startsWith('pending.damaged-'));
    expect(closed.err.replace(/\s+/g, '')).toContain(aside);
    expect((await ada.ok('journal')).out).toMatch(/close USDTNGN buy .* closed/);
    front.be('open');
    await ada.ok('journal');
    expect(await closesIn(desk)).toBe(1);
    const seen = (await bisi.ok('journal')).out;
    expect(seen).toMatch(/close USDTNGN buy .* closed/);
    expect(seen).not.toContain('unresolved');
    const { data } = JSON.parse((await bisi.ok('journal halts --json')).out);
    expect(data[0].why).toContain('pending.sqlite was repaired');
    await bisi.ok('unhalt --yes');
    await ada.ok('open USDTNGN sell 500 --tenor 3 --yes');
  });

  it('does not keep a halt from the log that can be reached', async () => {
    const { desk, front, ada, bisi } = await damaged();
    front.be('open');
    const halted = await ada.ok(['halt', 'venue down', '--json']);
    expect(halted.document()).toMatchObject({
      data: { halted: true, desks: [{ name: 'lagos', delivered: true }] },
    });
    expect((await desk.records()).map(({ record }) => record['why'])).toContain('venue down');
    expect(errorOf(await bisi.run('open USDTNGN sell 500 --tenor 3 --yes --json')).code).toBe('halted');
  });

  it('keeps a halt on this machine while the log is away, which says so', async () => {
    const { desk, front, ada } = await damaged();
    const halted = await ada.run(['halt', 'venue down', '--timeout', '2']);
    expect([halted.code, halted.err]).toEqual([8, expect.stringContaining('HALTED ON THIS MACHINE ONLY')]);
    front.be('open');
    await ada.ok('journal');
    expect((await desk.records()).map(({ record }) => record['why'])).toContain('venue down');
  });
});

it('a pending.sqlite that cannot be made again: a close says where it works, and a halt goes to the log', async () => {
  const { desk, front, ada } = await aDesk();
  const path = pendingFile(folderOf(ada));
  front.be('refused');
  // SQLite would take it for the log of a new file.
  writeFileSync(`${path}-wal`, 'left behind', { mode: 0o600 });
  const closed = await ada.run('close USDTNGN buy --yes');
  expect([closed.code, closed.err.replace(/\s+/g, ' ')]).toEqual([
    78,
    expect.stringMatching(
      /Nothing was sent\. Close does not work on this machine now: close on another one of the desk/,
    ),
  ]);
  expect(closed.err).not.toContain('Close still works');
  expect((await ada.run(['halt', 'venue down', '--timeout', '1'])).err).toContain('NOT HALTED: desk lagos');
  front.be('open');
  await ada.ok('close USDTNGN buy --yes');
  await ada.ok(['halt', 'venue is down']);
  expect(await countOf(desk, 'halt')).toBe(1);
});

describe("a copy of the desk's log that cannot be opened, while the log is away,", () => {
  it('stops opens, and no close, reduce of a person, or halt; the log makes the copy again and has them', async () => {
    const { desk, front, ada, bisi } = await aDesk();
    front.be('refused');
    withoutHeader(databaseFile(folderOf(ada)));
    const opened = await ada.run('open USDTNGN sell 500 --tenor 3 --yes');
    expect([opened.code, opened.err.replace(/\s+/g, ' ')]).toEqual([
      78,
      expect.stringMatching(/built again by the next command that reaches its log.*Close still works/),
    ]);
    const unhalt = await ada.run('unhalt --yes --json');
    expect([unhalt.code, errorOf(unhalt).message]).toEqual([78, expect.stringContaining('built again by')]);
    expect((await ada.run('desk status')).out).toMatch(/Reached +NO/);
    await ada.ok('reduce USDTNGN buy 1000', {
      terminal: { isTTY: { stdin: true, stderr: true } },
      answer: 'y\r',
    });
    await ada.ok('close USDTNGN buy --yes');
    expect(await desk.served.openOn('buy')).toBe(0);
    await ada.ok(['halt', 'venue down', '--timeout', '2'], { code: 8 });
    front.be('open');
    await ada.ok('journal');
    const seen = (await bisi.ok('journal')).out;
    expect(seen).toMatch(/reduce USDTNGN buy .* reduced/);
    expect(seen).toMatch(/close USDTNGN buy .* closed/);
    expect(await countOf(desk, 'halt')).toBe(1);
  });
});

describe("a machine's own journal that cannot be opened", () => {
  it('keeps no halt from the log where it cannot take one itself, which says both', async () => {
    const { desk, ada } = await aDesk();
    chmodSync(databaseFile(stateOf(ada)), 0o644);
    const ran = await ada.run(['halt', 'venue down']);
    expect([ran.code, ran.err.replace(/\s+/g, ' ')]).toEqual([
      78,
      expect.stringMatching(/NOT HALTED: .* The halt is stored for the account of desk lagos\./),
    ]);
    expect(await countOf(desk, 'halt')).toBe(1);
  });

  it('stops opens of the desk by name, and no reading, close, reduce of a person, or halt', async () => {
    const { desk, ada, bisi } = await aDesk();
    withoutHeader(databaseFile(stateOf(ada)));
    const opened = await ada.run('open USDTNGN sell 500 --tenor 3 --yes');
    expect([opened.code, opened.err.replace(/\s+/g, ' ')]).toEqual([
      78,
      expect.stringMatching(
        /state\/journal\.sqlite is damaged.*Close still works.*hedge --profile practice journal repair/,
      ),
    ]);
    expect((await ada.ok('journal')).err).toContain('journal.sqlite is damaged');
    expect((await ada.run('desk status')).out).toMatch(/Reached +yes/);
    await ada.ok(['halt', 'venue down']);
    expect(errorOf(await bisi.run('open USDTNGN sell 500 --tenor 3 --yes --json')).code).toBe('halted');
    await ada.ok('reduce USDTNGN buy 1000', {
      terminal: { isTTY: { stdin: true, stderr: true } },
      answer: 'y\r',
    });
    await ada.ok('close USDTNGN buy --yes');
    expect([await desk.served.openOn('buy'), await closesIn(desk)]).toEqual([0, 1]);
    await ada.ok('--profile practice journal repair');
    await bisi.ok('unhalt --yes');
    await ada.ok('open USDTNGN sell 500 --tenor 3 --yes');
  });
});
