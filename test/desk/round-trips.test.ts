/** What a desk costs: round trips to its database, and what a command waits for. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
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
