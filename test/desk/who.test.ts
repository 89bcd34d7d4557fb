/** Who did it, and who may lift it, where the machines of a desk are one computer or one user. */
import { expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';
import type { Ran } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { message?: string; hint?: unknown } => Object(ran.document()).error ?? {};

it('what another login sent from the same user of the same computer is said to be of that login', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bola = await desk.joined('bola', { host: 'ada' });
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_before: 1, only: 'open' });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes', { code: 7 });
  await admin.clearFaults();
  const stopped = await bola.run('open USDTNGN buy 700 --tenor 3 --yes --json');
  expect(errorOf(stopped).message).toContain(`of ${ada.user} (ada@ada)`);
  const own = await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json');
  expect(errorOf(own).message).not.toContain('(ada@ada)');
});

it('a dealer reads that an approver lifts the halt, and an approver that it is the whole desk', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  const halted = await ada.ok(['halt', 'venue down']);
  expect(halted.out).toContain('An approver of the desk lifts it: hedge unhalt');
  const stopped = await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json');
  expect(errorOf(stopped).hint).toContain('An approver of the desk lifts it: hedge unhalt');
  expect((await ada.run('desk status')).out.replaceAll(/\s+/g, ' ')).toContain(
    'An approver of the desk lifts it: hedge unhalt',
  );
  expect((await ada.run('')).out.replaceAll(/\s+/g, ' ')).toContain(
    'An approver of the desk lifts it: hedge unhalt',
  );
  const asked = await bisi.run('unhalt', {
    answer: 'n\r',
    terminal: { isTTY: { stdin: true, stderr: true } },
  });
  expect(asked.err.replaceAll(/\s+/g, ' ')).toContain('Desk lagos is halted by ada@ada');
  expect((await bisi.run('desk status')).out).toContain('To lift: hedge unhalt');
});
