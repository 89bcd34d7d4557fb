/** The cost of a desk: round trips to its database, waiting, and connections. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { databaseFront } from '../support/database-front.ts';
import { deskOfMachines } from '../support/desk-machines.ts';

const LOOK_MS = 5;

it('an open takes two round trips before it is sent, and one to record the response', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  const tripsOf = async (words: string): Promise<number> => {
    front.cut(0, 'request');
    await ada.ok(words);
    return front.messages();
  };
  await ada.ok('journal');
  // The connection, and one pull.
  const reading = await tripsOf('journal');
  expect(reading).toBeLessThanOrEqual(8);
  expect(await tripsOf('open USDTNGN buy 500 --tenor 3 --no-wait --yes')).toBe(reading + 3);
  expect(await tripsOf('positions')).toBeLessThanOrEqual(reading);
});

it('the connection to the database overlaps the readings of the service', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  const quotes = (): number => desk.served.desk.log.filter(({ path }) => path === '/quotes').length;
  await ada.ok('journal');
  const before = quotes();
  front.be('held');
  const opening = ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  // It would wait for ever if it read the service after the log.
  while (quotes() === before) await pause(LOOK_MS);
  expect(desk.served.changes()).toEqual([]);
  front.be('open');
  await opening;
  expect(desk.served.acted('/hedges')).toBe(1);
});

it.each(['positions', 'halt venue down', 'journal', 'desk status', 'doctor'])(
  '%s: its connections to the database end with it, also in a process that goes on',
  async (words) => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    const reader = await desk.log.server.admin(desk.log.database);
    onTestFinished(() => reader.end());
    for (let times = 0; times < 3; times += 1) await ada.run(words);
    const open = async (): Promise<unknown> =>
      (await reader.query('SELECT count(*) AS n FROM pg_stat_activity WHERE usename = $1', [ada.user]))
        .rows[0];
    await expect.poll(open).toEqual({ n: '0' });
  },
);
