import { expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';

it('x', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi', { role: 'approver' });
  console.log((await ada.ok('desk status')).out);
  const opened = await ada.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
  console.log(opened.code, opened.out, opened.err);
  const other = await bisi.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
  console.log(other.code, other.out, other.err);
  console.log((await bisi.run('journal')).out);
  console.log(await ada.run(['halt', 'venue down']));
  console.log(await bisi.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-2 --yes'));
  console.log(await ada.run('unhalt --yes'));
  console.log(await bisi.run('unhalt --yes'));
  console.log(await ada.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-2 --yes'));
  console.log((await desk.records()).map((r) => [r.seq, r.record.kind, r.stamp.by]));
  expect(1).toBe(1);
});
