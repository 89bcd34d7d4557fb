/**
 * PostgreSQL ends as in a crash and starts again, at any moment, while machines trade: nothing is sent that the log does not have in
 * the end, nothing is doubled, nothing is lost, and every machine has the same log.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type DeskMachine, deskOfMachines } from '../support/desk-machines.ts';
import { IN_FULL } from '../support/goal.ts';
import { aPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/steady-clock.ts';
import type { Ran } from '../support/test-cli.ts';

const CRASHES = IN_FULL ? 200 : 1;
const LONGEST_MS = 1_500;

const effectOf = (ran: Ran): string => Object(ran.document()).error?.effect ?? 'done';

it('nothing is lost or doubled when the database crashes while three machines trade', async () => {
  const server = await aPostgres();
  const desk = await deskOfMachines({ server });
  const machines = [
    await desk.joined('ada', { role: 'approver' }),
    await desk.joined('bisi'),
    await desk.joined('chidi'),
  ];
  const random = seededRandom(7);
  const over = new AbortController();
  let deals = 0;
  const told: { words: string; effect: string; err: string }[] = [];
  const trade = async (machine: DeskMachine, at: number): Promise<void> => {
    // Each on a side of its own market or book, so that a close is of its own hedges.
    const side = at === 0 ? 'buy' : 'sell';
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      deals += 1;
      const words =
        turn % 4 === 3 && at < 2
          ? `close USDTNGN ${side} --yes --json`
          : `open USDTNGN ${side} 500 --tenor 3 --deal-id D-${deals.toString()} --yes --json`;
      const ran = await machine.run(words);
      told.push({ words, effect: effectOf(ran), err: ran.err });
    }
  };
  const trading = Promise.all(machines.map(trade));
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await pause(random.fraction() * LONGEST_MS);
    await server.stop('immediate');
    await pause(random.fraction() * LONGEST_MS * (random.fraction() < 0.3 ? 1 : 0));
    await server.start();
  }
  over.abort();
  await trading;
  // Twice: what one delivers, the others read.
  for (const machine of [...machines, ...machines]) await machine.ok('journal');
  for (const machine of machines) await machine.ok('audit verify');
  const status = await Promise.all(
    machines.map(async (each) => Object((await each.ok('desk status --json')).document()).data),
  );
  expect(status.map(({ pending }) => pending)).toEqual([0, 0, 0]);
  expect(new Set(status.map(({ last_record: last }) => last.seq)).size).toBe(1);

  const records = await desk.records();
  const keys = new Set(records.map(({ record }) => record['idempotency_key']));
  const sent = desk.served.changes();
  for (const { idempotencyKey, path } of sent) expect([path, keys.has(idempotencyKey)]).toEqual([path, true]);
  // A deal ID is one deal.
  const openedOnce = records.filter(
    ({ record }) => record.kind === 'intent' && record['deal_id'] !== undefined,
  );
  expect(new Set(openedOnce.map(({ record }) => record['deal_id'])).size).toBe(openedOnce.length);
  // A command that said that nothing was done did nothing. A command that said that it is done did it.
  for (const { words, effect, err } of told) {
    const [, dealId] = /--deal-id (\S+)/.exec(words) ?? [];
    if (dealId === undefined) continue;
    const own = openedOnce.find(({ record }) => record['deal_id'] === dealId)?.record;
    const acted = sent.filter(
      ({ idempotencyKey, status: code, replayed }) =>
        idempotencyKey === own?.['idempotency_key'] && code < 300 && replayed !== true,
    );
    expect([dealId, acted.length, err]).toEqual([dealId, effect === 'none' ? 0 : 1, err]);
  }
  expect(told.filter(({ effect }) => effect === 'done').length).toBeGreaterThan(0);
});
