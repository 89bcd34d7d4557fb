/** Behind a pooler in transaction mode each transaction may have another connection of the server: nothing differs. */
import { expect, it } from 'vitest';
import { type DeskMachine, deskOfMachines } from '../support/desk-machines.ts';
import { pgbouncer } from '../support/pgbouncer.ts';
import { needs } from '../support/tools.ts';

it('machines behind pgbouncer share halts, limits and deal IDs', needs('pgbouncer'), async () => {
  const desk = await deskOfMachines();
  const direct: DeskMachine[] = [];
  for (const name of ['ada', 'bisi', 'chidi'])
    direct.push(await desk.machine(name, { role: name === 'bisi' ? 'approver' : 'dealer' }));
  const port = await pgbouncer(
    desk.log.server,
    direct.map(({ user }) => ({ user, password: `secret of ${user}` })),
  );
  for (const each of direct)
    await each.ok([
      'desk',
      'join',
      each.url.replace(/:\d+\//, `:${port.toString()}/`),
      '--ca-file',
      desk.caFile,
    ]);
  const [ada, bisi] = direct;
  await bisi?.ok('desk limit --max-daily-notional 1000');
  const ran = await Promise.all(
    direct.map((each) => each.run('open USDTNGN buy 600 --tenor 3 --yes --allow-duplicate --json')),
  );
  expect(ran.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([0, 10, 10]);
  await ada?.ok(['halt', 'venue down']);
  const stopped = await Promise.all(
    direct.map((each) => each.run('open USDTNGN sell 100 --tenor 3 --yes --json')),
  );
  expect(stopped.map(({ code }) => code)).toEqual([10, 10, 10]);
  await ada?.ok('close USDTNGN buy --yes');
  for (const each of direct) await each.ok('audit verify');
});
