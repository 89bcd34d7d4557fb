/** The figures of adds, reduces and closes of the whole program against the practice service, and that they add up. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type TestCli, testCli } from '../support/test-cli.ts';

const SCREEN = { terminal: { width: 80, isTTY: { stdout: true }, env: { NO_COLOR: '1' } } };

/** Two hedges on buy, the older with a deal ID, a day old. */
async function twoHedges(): Promise<TestCli> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes --json');
  await cli.run('open USDTNGN buy 20k --tenor 7 --yes --json');
  await cli.run('practice advance 1d');
  return cli;
}

const dataOf = async (cli: TestCli, line: string) => JSON.parse((await cli.run(`${line} --json`)).out).data;
const linesOf = async (cli: TestCli, line: string): Promise<readonly string[]> =>
  (await cli.run(line, SCREEN)).out.split('\n').map((each) => each.replace(/ +/g, ' '));
const less = (figures: Record<string, number>, from: string, ...names: string[]): string =>
  names
    .reduce((left, name) => left.minus(figures[name] ?? Number.NaN), new Big(figures[from] ?? 0))
    .toFixed();

describe('what an action shows of its money', () => {
  it('add: the receipt has the entry price and the struck rate that the service has after it', async () => {
    const cli = await twoHedges();
    const [before] = await dataOf(cli, 'positions');
    const { derived } = await dataOf(cli, 'add USDTNGN buy 2500 --yes');
    const [after] = await dataOf(cli, 'positions');
    expect(derived).toMatchObject({
      entry_price_before: before.entry_price,
      entry_price_after: after.entry_price,
    });
    const [grown, other] = derived.hedges;
    const { struck_rate: now } = await dataOf(cli, `hedges ${grown.hedge_id}`);
    expect(grown).toMatchObject({ after_usd: 22500, client_reference: expect.any(String) });
    expect(grown.struck_rate_after).toBe(now);
    expect(grown.struck_rate_after).not.toBe(grown.struck_rate_before);
    expect(other).toMatchObject({ client_reference: 'PAY-1' });
    expect(other.struck_rate_after).toBe(other.struck_rate_before);
  });

  it('close: what is recorded of it has no figure of a hedge that was opened since', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice settings fill_seconds.min=3 fill_seconds.max=3');
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
    await cli.run('close USDTNGN buy --yes --no-wait');
    const [inFlight] = await dataOf(cli, 'journal');
    await cli.run(`open USDTNGN buy 5k --tenor 3 --yes --despite ${inFlight.action_id}`);
    await cli.run('check');
    const [, close] = await dataOf(cli, 'journal');
    expect(close).toMatchObject({ action: 'close', outcome: 'closed', closed_notional_usd: 10_000 });
    const { may_land_until: _until, ...ended } = close.ended_as;
    expect(ended).toEqual({ [close.hedge_ids[0]]: '0' });
  });

  it('add: the receipt of the only hedge has one average, the quoted price and what was paid, and claims no fill price', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes --json');
    const lines = await linesOf(cli, 'add USDTNGN buy 2500 --yes');
    expect(lines.filter((each) => /^(Entry price|Struck rate|Quoted price|Upfront)/.test(each))).toEqual([
      expect.stringMatching(/^Entry price 1,\d{3}\.\d+ side average, was 1,\d{3}\.\d+$/),
      expect.stringMatching(/^Quoted price 1,\d{3}\.\d+ the service reports no fill price$/),
      'Upfront 252.50 USDC margin 250.00, fee 2.50, as quoted',
    ]);
  });

  it('reduce: the estimate is P&L before fees less the fee, to the last digit, before and after', async () => {
    const cli = await twoHedges();
    const dry = (await dataOf(cli, 'reduce USDTNGN buy 7k --dry-run')).derived;
    const sent = (await dataOf(cli, 'reduce USDTNGN buy 7k --yes')).derived;
    for (const { planned, estimated_pnl_usd: estimated } of [dry, sent]) {
      const back = planned.comes_back;
      expect(new Big(back.realized_pnl_usd).toFixed()).toBe(less(back, 'net_pnl_usd', 'close_fee_usdc'));
      expect(estimated).toBe(back.realized_pnl_usd);
    }
    expect(sent.net_pnl_usd).toBeNull();
  });

  it('reduce: the same estimate is shown by wait and journal later, from the record', async () => {
    const cli = await twoHedges();
    const { action_id: id, derived } = await dataOf(cli, 'reduce USDTNGN buy 7k --yes');
    expect((await dataOf(cli, `wait ${id}`)).derived).toMatchObject({
      estimated_pnl_usd: derived.estimated_pnl_usd,
      hedges: [{ client_reference: expect.any(String) }, { client_reference: 'PAY-1' }],
    });
    const receipt = (await linesOf(cli, `wait ${id}`)).join('\n');
    expect(receipt).toMatch(/^P&L before fees [-+][\d.]+ USD price and carry$/m);
    expect((await linesOf(cli, `journal ${id}`)).join('\n')).toMatch(
      /^Quoted P&L before fees \(USD\) [-+]?[\d.]+$/m,
    );
  });

  it('reduce: several hedges are reduced in proportion, each with its deal ID, before and after', async () => {
    const cli = await twoHedges();
    const shown = (await linesOf(cli, 'reduce USDTNGN buy 3k --dry-run')).join('\n');
    expect(shown).toContain('by 3,000.00 USD of 30,000.00 USD, 2 hedges in proportion.');
    expect(shown).toMatch(/^hdg_\w+ 20,000\.00 USD → 18,000\.00 USD$/m);
    expect(shown).toMatch(/^hdg_\w+ 10,000\.00 USD → 9,000\.00 USD \(PAY-1\)$/m);
    const receipt = (await linesOf(cli, 'reduce USDTNGN buy 3k --yes')).join('\n');
    expect(receipt).toContain('REDUCED buy USDTNGN by 3,000.00 USD, 2 hedges in proportion');
    expect(receipt).toMatch(/^hdg_\w+ 10,000\.00 USD → 9,000\.00 USD \(PAY-1\)$/m);
  });

  it('close: realized P&L is its parts, to the last digit, and that of the records', async () => {
    const cli = await twoHedges();
    await cli.run('reduce USDTNGN buy 7k --yes --json');
    const { derived } = await dataOf(cli, 'close USDTNGN buy --yes');
    const records: readonly Record<string, number>[] = await dataOf(cli, 'history');
    for (const name of ['net_pnl_usd', 'gross_pnl_usd', 'carry_usdc', 'fees_usdc']) {
      const total = records.reduce((sum, record) => sum.plus(record[name] ?? Number.NaN), new Big(0));
      expect([name, new Big(derived[name]).toFixed()]).toEqual([name, total.toFixed()]);
    }
    const parts = new Big(derived.gross_pnl_usd).plus(derived.carry_usdc).minus(derived.fees_usdc);
    expect(parts.toFixed()).toBe(new Big(derived.net_pnl_usd).toFixed());
  });

  it.each(['close USDTNGN buy', 'reduce USDTNGN buy 30k'])(
    'a close sent after %s: of the two, one has the P&L and the size of the hedges that are gone',
    async (line) => {
      const cli = await twoHedges();
      // Longer than this process may take between two commands.
      await cli.run('practice settings fill_seconds.min=40 fill_seconds.max=40');
      const first = await dataOf(cli, `${line} --yes --no-wait`);
      const second = await dataOf(cli, `close USDTNGN buy --yes --despite ${first.action_id}`);
      const looked = await dataOf(cli, `wait ${first.action_id}`);
      expect([second.outcome, looked.outcome]).toEqual(['closed', 'closed']);
      const claims = [second, looked].map(({ derived }) => [derived.net_pnl_usd, derived.estimated_pnl_usd]);
      expect(claims).toEqual([
        [expect.any(Number), expect.any(Number)],
        [null, null],
      ]);
      const rows: readonly { closed_notional_usd: number | null }[] = await dataOf(cli, 'journal');
      expect(rows.map(({ closed_notional_usd: size }) => size).filter((size) => size !== null)).toEqual([
        30_000,
      ]);
      expect((await linesOf(cli, `wait ${first.action_id}`)).join('\n')).toContain(
        'Realized P&L — recorded with another close',
      );
    },
  );

  it('close: the preview has the carry to maturity as an amount, and the service charges that amount', async () => {
    const cli = await twoHedges();
    const { planned } = (await dataOf(cli, 'close USDTNGN buy --dry-run')).derived;
    const [{ accrued_carry_usdc: paid }] = await dataOf(cli, 'positions');
    await cli.run('practice advance 7d');
    const records: readonly { carry_usdc: number }[] = await dataOf(cli, 'history');
    const total = records.reduce((sum, { carry_usdc: carry }) => sum.plus(carry), new Big(0));
    const left = total.minus(paid).times(-1);
    // The carry of five minutes: the two readings are some seconds apart.
    expect(left.minus(planned.carry_to_maturity_usdc).abs().lt('0.05')).toBe(true);
  });
});

describe('a dry run', () => {
  it.each(['close USDTNGN buy', 'reduce USDTNGN buy 1k'])(
    'shows which hedges were not opened from this machine, as before the confirmation: %s',
    async (line) => {
      const cli = await twoHedges();
      const elsewhere = testCli({ env: { HEDGE_PROFILE: 'practice' } });
      cpSync(join(cli.home, 'state', 'practice'), join(elsewhere.home, 'state', 'practice'), {
        recursive: true,
      });
      const both = await Promise.all([cli, elsewhere].map((each) => each.run(`${line} --dry-run`, SCREEN)));
      const [here = '', there = ''] = both.map(({ out }) => out.replace(/\s+/g, ' '));
      expect(there).toMatch(/Buy side.*\([\d,.]+ USD not in the journal\)/);
      expect(there).toMatch(/HEDGE .*ORIGIN/);
      expect(there).toMatch(/hdg_.* elsewhere/);
      expect(here).not.toContain('elsewhere');
      const { planned } = (await dataOf(elsewhere, `${line} --dry-run`)).derived;
      expect(planned.opened_elsewhere).toHaveLength(2);
    },
  );
});

describe('P&L of an open position', () => {
  it('is named before fees on each screen that has it', async () => {
    const cli = await twoHedges();
    const { out: list } = await cli.run('positions --wide', { terminal: { ...SCREEN.terminal, width: 160 } });
    expect(list).toContain('P&L BEFORE FEES');
    expect(list).not.toContain('NET P&L');
    for (const line of ['reduce USDTNGN buy 1k --dry-run', 'close USDTNGN buy --dry-run']) {
      const preview = (await linesOf(cli, line)).join('\n');
      expect(preview).toMatch(/^P&L before fees [-+]/m);
      expect(preview).not.toMatch(/net P&L/i);
    }
  });
});

describe('what a resumed reduce shows of its money', () => {
  it('is of the time when it was executed, not of the resume', async () => {
    const cli = await twoHedges();
    await cli.run('practice faults --lost-after 100% --only reduce --once 3');
    expect((await cli.run('reduce USDTNGN buy 6k --yes')).code).toBe(7);
    const [{ quote: recorded }] = await dataOf(cli, 'journal');
    await cli.run('practice advance 8h');
    const data = await dataOf(cli, 'resume --yes --resend');
    const then = new Big(recorded.net_pnl_usd).minus(recorded.close_fee_usdc);
    expect([data.outcome, new Big(data.derived.estimated_pnl_usd).toFixed()]).toEqual([
      'changed',
      then.toFixed(),
    ]);
  });
});
