/** One deals file that two machines of one account run at once: each row is opened once, and both find it afterwards. */
import { describe, expect, it } from 'vitest';
import { aDesk, answered, codesOf, outcomesOf, worse } from '../support/deals-desk.ts';
import { refusal } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { WITHOUT_LIMIT } from '../support/served-book.ts';
import { ON_A_TERMINAL, type Ran, testCli } from '../support/test-cli.ts';

const HEADER = 'deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps';
const naira = ['PAY-1,USDTNGN,buy,,80m,3,300', 'PAY-2,USDTNGN,sell,,15m,1,300'];
const usd = ['PAY-1,USDTNGN,buy,10k,,3,300', 'PAY-2,USDTNGN,sell,5k,,1,300'];

const RUN = 'run FILE --yes --json';
const EMPTY = { status: 200, headers: { 'content-type': 'application/json' } };
const earlierOf = (ran: Ran): readonly boolean[] => answered(ran).data.deals.map(({ earlier }) => earlier);

/** A desk and another machine: the same account, with a journal of its own. */
async function twoMachines(rows: readonly string[], settings?: Record<string, unknown>) {
  const desk = await aDesk({ ...WITHOUT_LIMIT, ...settings });
  desk.write(rows, HEADER);
  const home = temporaryFolder();
  const cli = testCli({ home, clock: desk.clock, env: desk.front.way(home) });
  const other = (command: string) => cli.run(`deals ${command.replace('FILE', `${desk.home}/deals.csv`)}`);
  /** The other machine runs the file when the desk's first open is on its way; `moved`: in basis points since the desk's quotes. */
  const runBoth = async (moved: number): Promise<{ won: Ran; lost: Ran }> => {
    let won: Promise<Ran> | undefined;
    desk.front.meddle(async (line, pass) => {
      if (line === 'POST /hedges' && won === undefined) {
        won = other(RUN);
        await won;
      }
      const answer = await pass();
      return line === 'POST /quotes' && won !== undefined ? worse(answer, moved) : answer;
    });
    const lost = await desk.deals(RUN);
    desk.front.meddle((_line, pass) => pass());
    if (won === undefined) throw new Error('the other machine did not run');
    return { won: await won, lost };
  };
  const opened = async () => {
    const { body } = await desk.served.desk.get('/hedges?limit=500', { as: 'test' });
    const hedges: readonly { client_reference: string; notional_usd: number }[] = body.data;
    return hedges.map(({ client_reference: id, notional_usd: size }) => [id, size] as const).toReversed();
  };
  return { ...desk, other, otherRun: cli.run, runBoth, opened };
}

describe('a deals file in naira that two machines run at once', () => {
  it('is opened once, and the machine that was later says that another request has the deal ID', async () => {
    const desk = await twoMachines(naira);
    const { won, lost } = await desk.runBoth(8);
    expect([won.code, outcomesOf(won)]).toEqual([0, ['filled', 'filled']]);
    expect([lost.code, outcomesOf(lost)]).toEqual([10, ['refused', 'refused']]);
    expect(desk.served.acted('/hedges')).toBe(2);
    const { error } = answered(lost);
    expect(error).toMatchObject({ code: 'deal_id_used', effect: 'none', retry: 'later' });
    expect(error?.message).toContain(
      'Deal ID "PAY-1" was sent before, here or elsewhere, with another size or other terms.',
    );
    expect(error?.message).toContain('This request opened nothing; the other one may have opened the deal.');
    expect(error?.hint).toMatch(
      /^See it, then try again: hedge hedges PAY-1\. A new deal needs a new deal ID\.\nRun the same/,
    );
    expect(error?.hint).not.toContain('Use a new one');
  });

  it('is found open by both when they run it again, with the size of the one that was opened', async () => {
    const desk = await twoMachines(naira);
    await desk.runBoth(8);
    const opened = await desk.opened();
    for (const run of [desk.deals, desk.other]) {
      const again = await run(RUN);
      expect([again.code, outcomesOf(again), earlierOf(again)]).toEqual([
        0,
        ['filled', 'filled'],
        [true, true],
      ]);
      const rows: readonly { deal_id: string; notional_usd: number }[] = JSON.parse(again.out).data.deals;
      expect(rows.map(({ deal_id: id, notional_usd: size }) => [id, size])).toEqual(opened);
    }
    expect(desk.served.acted('/hedges')).toBe(2);
    const { out } = await desk.deals('run FILE --yes', ON_A_TERMINAL);
    expect(out).toContain('2 filled before');
  });

  it('is not opened a second time while the list of hedges does not show the first', async () => {
    const desk = await twoMachines(naira);
    await desk.runBoth(8);
    desk.front.meddle((line, pass) =>
      line.startsWith('GET /hedges?')
        ? Promise.resolve({ ...EMPTY, body: JSON.stringify({ data: [], error: null, meta: {} }) })
        : pass(),
    );
    for (let time = 0; time < 3; time += 1) {
      const again = await desk.deals(RUN);
      expect([again.code, codesOf(again)]).toEqual([10, ['deal_id_used', 'deal_id_used']]);
    }
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('is opened at a size of now, under the same key, if the other request was rejected after all', async () => {
    const desk = await twoMachines(naira.slice(0, 1));
    const keys: unknown[] = [];
    desk.front.meddle(async (line, pass, headers) => {
      if (line !== 'POST /hedges') return pass();
      keys.push(headers['idempotency-key']);
      return keys.length === 1 ? refusal(409, 'idempotency_key_reuse') : pass();
    });
    const lost = await desk.deals(RUN);
    expect([lost.code, outcomesOf(lost)]).toEqual([10, ['refused']]);
    const before = JSON.parse(lost.out).data.deals[0].notional_usd;
    desk.clock.pass(3_600_000);
    desk.front.meddle(async (line, pass, headers) => {
      if (line === 'POST /hedges') keys.push(headers['idempotency-key']);
      const answer = await pass();
      return line === 'POST /quotes' ? worse(answer, 40) : answer;
    });
    const again = await desk.deals(RUN);
    expect([again.code, outcomesOf(again)]).toEqual([0, ['filled']]);
    expect(JSON.parse(again.out).data.deals[0].notional_usd).not.toBe(before);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('is not called filled in part when the answer to the first attempt was lost', async () => {
    const desk = await twoMachines(naira.slice(0, 1));
    let won: Promise<Ran> | undefined;
    desk.front.meddle(async (line, pass) => {
      const isFirst = line === 'POST /hedges' && won === undefined;
      if (isFirst) {
        won = desk.other(RUN);
        await won;
      }
      const answer = await pass();
      if (isFirst) return 'cut';
      return line === 'POST /quotes' && won !== undefined ? worse(answer, 8) : answer;
    });
    const lost = await desk.deals(RUN);
    expect([lost.code, outcomesOf(lost)]).toEqual([7, ['unknown']]);
    const again = await desk.deals(RUN);
    expect([again.code, outcomesOf(again), codesOf(again)]).toEqual([0, ['filled'], [null]]);
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('stops at a hedge of the other machine that is not filled yet, and finds it once it is', async () => {
    const desk = await twoMachines(naira.slice(0, 1));
    expect((await desk.other('run FILE --yes --no-wait --json')).code).toBe(0);
    const early = await desk.deals(RUN);
    expect([early.code, codesOf(early)]).toEqual([10, ['deal_id_used']]);
    const { error } = answered(early);
    expect(error).toMatchObject({ effect: 'none', retry: 'later' });
    expect(error?.message).toContain('opened elsewhere and not filled yet');
    expect(error?.hint).toMatch(
      /^Wait for the fill, then try again: hedge wait hdg_\S+\nNo row is opened until line 2 fits/,
    );
    desk.clock.pass(10_000);
    const again = await desk.deals(RUN);
    expect([again.code, outcomesOf(again), earlierOf(again)]).toEqual([0, ['filled'], [true]]);
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('stops at a hedge of the other machine that covers another amount', async () => {
    const desk = await twoMachines(naira.slice(0, 1));
    expect((await desk.other(RUN)).code).toBe(0);
    desk.write(['PAY-1,USDTNGN,buy,,81m,3,300'], HEADER);
    const ran = await desk.deals(RUN);
    expect([ran.code, codesOf(ran)]).toEqual([10, ['deal_id_used']]);
    expect(answered(ran).error?.message).toMatch(
      /It covers (79,9|80,0)\S+ NGN\. You asked for 81,000,000\.00 NGN/,
    );
    expect(desk.served.acted('/hedges')).toBe(1);
  });
});

describe('an open in naira under the deal ID of a row of another machine', () => {
  it('with --ensure reports its hedge, and without it is stopped', async () => {
    const desk = await twoMachines(naira.slice(0, 1));
    expect((await desk.deals(RUN)).code).toBe(0);
    const line = 'open USDTNGN buy --ngn 80m --tenor 3 --deal-id PAY-1 --max-cost-bps 300 --yes --json';
    const ensured = await desk.otherRun(`${line} --ensure`);
    expect([ensured.code, ensured.document()]).toMatchObject([0, { data: { outcome: 'filled' } }]);
    const stopped = await desk.otherRun(line);
    expect([stopped.code, stopped.document()]).toMatchObject([10, { error: { code: 'deal_id_used' } }]);
    expect(desk.served.acted('/hedges')).toBe(1);
  });
});

describe('a deals file in USD that two machines run at once', () => {
  it('is opened once, and both report the same hedges', async () => {
    const desk = await twoMachines(usd);
    const { won, lost } = await desk.runBoth(8);
    const hedgesOf = (ran: Ran) => answered(ran).data.deals.map(({ hedge_id: id }) => id);
    expect([won.code, outcomesOf(won)]).toEqual([0, ['filled', 'filled']]);
    expect([lost.code, outcomesOf(lost)]).toEqual([0, ['filled', 'filled']]);
    expect(hedgesOf(lost)).toEqual(hedgesOf(won));
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('awaits the fills of the other machine with the list of hedges, and does not wait for them in a check', async () => {
    const desk = await twoMachines(usd);
    expect((await desk.other('run FILE --yes --no-wait --json')).code).toBe(0);
    const startedAt = desk.clock.now();
    const checked = await desk.deals('check FILE --json');
    expect(outcomesOf(checked)).toEqual(['submitted', 'submitted']);
    expect(desk.clock.now()).toBe(startedAt);
    desk.lines.length = 0;
    const ran = await desk.deals(RUN);
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled']]);
    expect(desk.clock.now() - startedAt).toBeLessThan(10_000);
    expect(desk.count(/GET \/hedges\/hdg_/)).toBe(0);
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('says of a fill of the other machine that does not come how long it was awaited', async () => {
    const desk = await twoMachines(usd.slice(0, 1), { fill_seconds: { min: 600, max: 600 } });
    expect((await desk.other('run FILE --yes --no-wait --json')).code).toBe(0);
    const ran = await desk.deals('run FILE --yes --json --timeout 20');
    expect([ran.code, outcomesOf(ran)]).toEqual([8, ['pending']]);
    expect(answered(ran).error).toMatchObject({ code: 'pending', effect: 'pending', retry: 'after_check' });
    expect(answered(ran).error?.message).toContain('after 20 s');
    expect(desk.served.acted('/hedges')).toBe(1);
  });
});
