/** Screens with a desk say who, which machine, and as of when. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type DeskMachine, deskOfMachines } from '../support/desk-machines.ts';
import { journalFile, settleJournal } from '../support/written-journal.ts';

it('the halt and the unknown outcomes of a desk are on the first screen and in doctor', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await ada.ok('open USDTNGN sell 8000 --tenor 3 --deal-id ADA-1 --yes', { code: 7 });
  await admin.clearFaults();
  await ada.ok(['halt', 'venue down']);
  const home = (await bisi.ok('')).out;
  expect(home).toMatch(/Desk lagos as of \d{4}-/);
  expect(home).toContain('HALTED by ada@ada');
  expect(home).toMatch(/ADA-1.*by ada@ada/s);
  const doctor = (await bisi.run('doctor --json')).document();
  const checks: readonly {
    check: string;
    verdict: string;
    message: string;
    facts: Record<string, unknown>;
  }[] = Object(doctor).data.checks;
  const [own] = checks.filter(({ check }) => check === 'desk');
  expect(own).toMatchObject({
    verdict: 'pass',
    facts: { tls: 'TLSv1.3', name: 'lagos', state: 'following', reached: true, approver: true, pending: 0 },
  });
  const status = (await bisi.ok('desk status')).out;
  expect(status).toMatch(/ada@ada .*bisi@bisi/s);
  expect((await bisi.ok('profile show')).out).toMatch(/lagos/);
});

it("doctor names the copy of the log by its folder, and damage of the machine's own journal beside it", async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const doctor = async (): Promise<string> => (await ada.run('doctor')).out.replace(/\s+/g, ' ');
  expect(await doctor()).toMatch(/PASS journal .*desk-lagos\/journal\.sqlite has .* PASS desk /);
  const own = journalFile(ada.home);
  settleJournal(ada.home);
  writeFileSync(own, readFileSync(own).fill(0x5a, 8_192, 16_384));
  expect(await doctor()).toMatch(
    /FAIL desk \S+journal\.sqlite is damaged: .* hedge --profile practice journal repair/,
  );
});

it('journal halts shows the login of each, whatever name its machine says', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada', { env: { HEDGE_OPERATOR: 'bisi' } });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await ada.ok(['halt', 'on behalf']);
  await bisi.ok('unhalt --yes');
  const shown = (await bisi.ok('journal halts')).out.replace(/\s+/g, ' ');
  expect(shown.match(/login/g)).toHaveLength(2);
  expect(Object((await bisi.ok('journal halts --json')).document()).data).toMatchObject([
    { event: 'unhalt', login: bisi.user },
    { event: 'halt', login: ada.user },
  ]);
});

it('doctor says that the owner has to bring the log of an earlier version up to date', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await desk.log.owner.query('UPDATE hedge.head SET schema_version = 1');
  const doctor = (await ada.run('doctor')).out.replace(/\s+/g, ' ');
  expect(doctor).toMatch(
    /WARN desk The log of desk lagos was made by an earlier version .* hedge desk init URL/,
  );
});

it('a watched screen shows a halt that another machine sets meanwhile', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi: DeskMachine = await desk.joined('bisi');
  const halting = ada.ok(['halt', 'venue down']);
  const watching = bisi.run('positions --watch 1', {
    stopWhen: (shown) => shown.includes('HALTED'),
    terminal: { isTTY: { stdout: true } },
  });
  const board = bisi.run('watch --json', { stopWhen: (shown) => shown.includes('venue down') });
  await halting;
  await watching;
  const shown: readonly unknown[] = (await board).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).data.derived);
  expect(shown.at(-1)).toMatchObject({ desk: { name: 'lagos' }, halt: { why: 'venue down' } });
});

it('a halt that an approver has lifted for the desk still names what it stops on the machine that set it, and how to lift that', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await ada.ok(['halt', 'rate jump']);
  const flat = (out: string): string => out.replace(/\s+/g, ' ');
  const lifted = flat((await bisi.ok('unhalt --yes')).out);
  expect(lifted).toContain('Opens and adds of desk lagos are allowed again.');
  expect(lifted).toContain('There: hedge --profile practice unhalt');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  const open = '--profile practice open USDTNGN buy 500 --tenor 3 --yes';
  const stopped = await ada.ok(open, { code: 10 });
  expect(flat(stopped.err)).toContain('To lift the halt: hedge --profile practice unhalt');
  const none = flat((await ada.ok('unhalt --yes')).out);
  expect(none).toContain(
    'No halt is set for the desk. HALTED for the profiles of this machine without the desk',
  );
  expect(none).toContain('To lift it: hedge --profile practice unhalt');
  expect(flat((await ada.ok('journal halts')).out)).toContain('hedge --profile practice unhalt');
  expect(flat((await bisi.ok('journal halts')).out)).not.toContain('hedge --profile practice unhalt');
  await ada.ok('--profile practice unhalt --yes');
  await ada.ok(open);
  expect((await ada.ok('unhalt --yes')).out).toContain('No halt is set.');
});
