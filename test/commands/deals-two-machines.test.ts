/** One deals file that two machines of one account run at once: each row is opened once, and both find it afterwards. */
import { describe, expect, it } from 'vitest';
import { aDesk, answered, outcomesOf, worse } from '../support/deals-desk.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { WITHOUT_LIMIT } from '../support/served-book.ts';
import { type Ran, testCli } from '../support/test-cli.ts';

const HEADER = 'deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps';
const usd = ['PAY-1,USDTNGN,buy,10k,,3,300', 'PAY-2,USDTNGN,sell,5k,,1,300'];

const RUN = 'run FILE --yes --json';

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
