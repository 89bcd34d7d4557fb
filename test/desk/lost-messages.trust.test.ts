/**
 * A connection to the log that breaks at each message: the client's request is lost, or the server's answer. Nothing is sent that
 * neither the log nor the file of pending records has. Nothing is doubled, and nothing is lost.
 */
import { describe, expect, it } from 'vitest';
import { type DatabaseFront, databaseFront, type Lost } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { IN_FULL } from '../support/goal.ts';
import type { Ran } from '../support/test-cli.ts';

/** More than any command has. */
const MOST_MESSAGES = 40;
/** Every day only some of them, after the handshake: one half of the requests, the other half of the answers. */
const FIRST: Readonly<Record<Lost, number>> = IN_FULL ? { request: 1, answer: 1 } : { request: 6, answer: 7 };
const STEP = IN_FULL ? 1 : 2;

interface Cut {
  desk: DeskOfMachines;
  /** Whose connection breaks. */
  ada: DeskMachine;
  bisi: DeskMachine;
  front: DatabaseFront;
}

const effectOf = (ran: Ran): string => Object(ran.document()).error?.effect ?? 'done';

async function cutDesk(): Promise<Cut> {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  return { desk, ada, bisi, front };
}

/** At each message of a command, until the command has fewer. */
async function atEach({ front }: Cut, lost: Lost, round: (at: number) => Promise<void>): Promise<number> {
  let rounds = 0;
  for (let at = FIRST[lost]; at < MOST_MESSAGES; at += STEP) {
    front.cut(at, lost);
    await round(at);
    front.heal();
    if (!front.wasCut()) return rounds;
    rounds += 1;
  }
  throw new Error('a command has more messages than that');
}

describe.each<Lost>(['request', 'answer'])('the %s of each message is lost', (lost) => {
  it('of an open: it is told truly, and the same deal again is one deal', async () => {
    const all = await cutDesk();
    const { desk, ada, bisi } = all;
    const rounds = await atEach(all, lost, async (at) => {
      const deal = `open USDTNGN buy 500 --tenor 3 --deal-id PAY-${at.toString()} --ensure --yes --json`;
      const acted = desk.served.acted('/hedges');
      const ran = await ada.run(deal);
      const executed = desk.served.acted('/hedges') - acted;
      const place = `message ${at.toString()}: ${ran.code.toString()} ${ran.err}`;
      expect([place, executed]).toEqual([place, effectOf(ran) === 'none' ? 0 : 1]);
      all.front.heal();
      await ada.ok('check');
      const records = await desk.records();
      const intents = records.filter(({ record }) => record['deal_id'] === `PAY-${at.toString()}`);
      expect([place, intents.length >= executed]).toEqual([place, true]);
      // The deal is sent once, on every machine that goes on with it.
      const again = await bisi.run(deal);
      expect([place, again.code, again.err]).toEqual([place, 0, again.err]);
      expect([place, desk.served.acted('/hedges') - acted]).toEqual([place, 1]);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
    expect(Object((await ada.ok('desk status --json')).document()).data.pending).toBe(0);
    await ada.ok('audit verify');
    await bisi.ok('audit verify');
  });

  it('of a close: it is sent all the same, once, and the log has it in the end', async () => {
    const all = await cutDesk();
    const { desk, ada, bisi } = all;
    const rounds = await atEach(all, lost, async (at) => {
      await bisi.ok(`open USDTNGN buy 500 --tenor 3 --deal-id PAY-${at.toString()} --yes`);
      const acted = desk.served.acted('/hedges/close');
      const ran = await ada.run('close USDTNGN buy --yes --json');
      const place = `message ${at.toString()}: ${ran.err}`;
      expect([place, ran.code, effectOf(ran)]).toEqual([place, 0, 'done']);
      expect([place, desk.served.acted('/hedges/close') - acted]).toEqual([place, 1]);
      await ada.ok('journal');
      const kinds = (await desk.records()).filter(({ record }) => record['action'] === 'close');
      expect([place, kinds.length]).toEqual([place, (at - FIRST[lost]) / STEP + 1]);
    });
    expect(rounds).toBeGreaterThanOrEqual(2);
    await ada.ok('audit verify');
    await bisi.ok('audit verify');
  });
});
