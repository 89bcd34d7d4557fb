/**
 * A connection to the log that breaks at each message: the client's request is lost, or the server's answer. Nothing is sent that
 * neither the log nor the file of pending records has. Nothing is doubled, and nothing is lost.
 */
import { describe, expect, it } from 'vitest';
import { type DatabaseFront, databaseFront, type Lost } from '../support/database-front.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { IN_FULL } from '../support/goal.ts';
import { setBack } from '../support/older-log.ts';
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

describe.each(['open', 'add'])(
  'an %s of which the desk has the record, while its machine never heard so',
  (action) => {
    /** Ada's command, of which the answer to the commit is lost, and the log stays away. */
    async function lostCommit() {
      const all = await cutDesk();
      const { desk, ada, bisi, front } = all;
      await bisi.ok('open USDTNGN buy 5000 --tenor 3 --yes');
      const line = action === 'open' ? 'open USDTNGN buy 700 --tenor 3 --yes' : 'add USDTNGN buy 700 --yes';
      for (let at = FIRST.answer; at < MOST_MESSAGES; at += 1) {
        front.cut(at, 'answer', 'refused');
        const ran = await ada.run(`${line} --json`);
        const isRecorded = (await desk.records()).some(({ record }) => record['notional_usd'] === '700');
        if (isRecorded) return { ...all, line, ran };
        front.heal();
        front.be('open');
      }
      throw new Error('no message was the commit');
    }

    const acted = (desk: DeskOfMachines): number =>
      desk.served.acted(action === 'open' ? '/hedges' : '/hedges/add');

    it('is not called unsent: a colleague may resume it, and then it is named and stops the same again', async () => {
      const { desk, ada, bisi, front, line, ran } = await lostCommit();
      const before = acted(desk);
      expect(Object(ran.document()).error).toMatchObject({
        code: 'outcome_unknown',
        effect: 'unknown',
        message: expect.stringContaining('was not sent from here'),
      });
      expect(ran.code).toBe(7);
      const [first] = (await desk.records()).filter(({ record }) => record['notional_usd'] === '700');
      await setBack(desk, 6 * 60_000, { after: (first?.seq ?? 0) - 1 });
      await bisi.ok('resume --yes --resend');
      expect(acted(desk)).toBe(before + 1);
      front.be('open');
      const again = await ada.ok(`${line} --json`, { code: 10 });
      expect(Object(again.document()).error.code).toBe('duplicate');
      expect(again.err.replaceAll(/\s+/g, ' ')).toMatch(
        /Action \w+, which was not sent from here, was sent by/,
      );
      expect(acted(desk)).toBe(before + 1);
      expect((await ada.ok('check')).err).not.toContain('not sent from here');
    });

    it('is not sent by anybody once its machine has said so to the desk', async () => {
      const { desk, ada, bisi, front } = await lostCommit();
      const before = acted(desk);
      front.be('open');
      await ada.ok('check');
      await bisi.ok('resume --yes --resend');
      expect(acted(desk)).toBe(before);
    });
  },
);
