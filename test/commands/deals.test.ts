/** `hedge deals` of the whole program in front of a practice service: which requests go out, and what each row becomes. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { readCsv } from '../support/csv.ts';
import { aDesk, answered, codesOf, LOOSE, outcomesOf, specifiedOnly, worse } from '../support/deals-desk.ts';
import { refusal } from '../support/front.ts';
import { everyDay, howMany } from '../support/goal.ts';
import { ON_A_TERMINAL, type RunOptions, testCli } from '../support/test-cli.ts';
import { journalText } from '../support/written-journal.ts';

const three = [
  `PAY-1,USDTNGN,buy,"10,000.00",3${LOOSE}payout one`,
  `PAY-2,USDTNGN,buy,20k,3${LOOSE}`,
  `PAY-3,USDTNGN,sell,5000,1${LOOSE}`,
];

const priced = ({ execution_price, cost_bps, cost_usdc, upfront_usdc }: Record<string, number>) => {
  expect(execution_price).toBeGreaterThan(1_000);
  return { execution_price, cost_bps, cost_usdc, upfront_usdc };
};

describe('deals check', everyDay, () => {
  it('quotes each row once, adds up each side, and sends and records nothing', async () => {
    const desk = await aDesk();
    desk.write([...three, `PAY-4,,buy,20000.00,3${LOOSE}`]);
    const ran = await desk.deals('check FILE --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['planned', 'planned', 'planned', 'planned']]);
    // Margin 10 % and fee 0.1 %: 10.1 % of 50,000 is 5,050, of 5,000 it is 505.
    expect(answered(ran).data.derived?.sides).toMatchObject([
      { side: 'buy', deals: 3, notional_usd: 50_000, upfront_usdc: 5_050 },
      { side: 'sell', deals: 1, notional_usd: 5_000, upfront_usdc: 505 },
    ]);
    expect([desk.count('POST /quotes'), desk.served.changes().length]).toEqual([3, 0]);
    expect(journalText(desk.home)).toBe('');
  });

  it('leaves a row that is stopped for a similar deal ID out of the totals', async () => {
    const desk = await aDesk();
    desk.write([`PAY-1,USDTNGN,buy,10k,3${LOOSE}`]);
    expect((await desk.deals('run FILE --yes --json')).code).toBe(0);
    desk.write([`pay-1,USDTNGN,buy,400k,3${LOOSE}`, `PAY-2,USDTNGN,buy,20k,3${LOOSE}`]);
    const ran = await desk.deals('check FILE --json');
    expect(outcomesOf(ran)[1]).toBe('planned');
    expect(answered(ran).data.deals[0]?.outcome).not.toBe('planned');
    expect(answered(ran).data.derived?.sides).toMatchObject([
      { side: 'buy', deals: 1, notional_usd: 20_000 },
    ]);
  });

  it('has the maturity of each row that was quoted', async () => {
    const desk = await aDesk();
    desk.write([`A,USDTNGN,buy,10k,1${LOOSE}`, `B,USDTNGN,buy,10k,7${LOOSE}`]);
    const [row] = readCsv((await desk.deals('check FILE --csv')).out);
    expect(String(row?.['maturity_at'])).toMatch(/^\d{4}-\d\d-\d\dT/);
    const { run } = testCli({ home: desk.home, clock: desk.clock, env: { HEDGE_PROFILE: 'practice' } });
    const { out } = await run(['deals', 'check', join(desk.home, 'deals.csv')], {
      terminal: { isTTY: true, width: 120, env: { NO_COLOR: '1' } },
    });
    expect(out).toMatch(/ DAYS +MATURES +PRICE /);
    expect(out).toMatch(/ 10,000\.00 +7 +(?:\w{3} )?\d+ \w{3}.* FITS$/m);
  });

  it('carries each row forward, and names the first that does not fit', async () => {
    const desk = await aDesk();
    desk.write([
      `A,USDTNGN,buy,300k,3${LOOSE}`,
      `B,USDTNGN,sell,150k,3${LOOSE}`,
      `C,USDTNGN,buy,100k,3${LOOSE}`,
      `D,USDTNGN,buy,50k,3${LOOSE}`,
    ]);
    const ran = await desk.deals('check FILE --json');
    // 500,000 − 300,000 − 150,000 = 50,000 of headroom are left for C; D takes them.
    expect([ran.code, codesOf(ran)]).toEqual([10, [null, null, 'exposure_exceeded', null]]);
    expect(answered(ran).error?.message).toMatch(/^Line 4, "C": .*headroom of 50,000\.00 USD/);
    expect(answered(ran).error?.hint).toContain('50,000.00 USD');
  });

  it('counts the rows before against the daily limit of the profile', async () => {
    const desk = await aDesk();
    const env = { HEDGE_PROFILE: 'practice' };
    const { run } = testCli({ home: desk.home, clock: desk.clock, env });
    expect((await run('profile limit practice --max-daily-notional 25k')).code).toBe(0);
    desk.write(three);
    const ran = await run(['deals', 'check', join(desk.home, 'deals.csv'), '--json']);
    // 10,000 + 20,000 is above 25,000; 10,000 + 5,000 is not.
    expect([ran.code, codesOf(ran)]).toEqual([10, [null, 'limit_exceeded', null]]);
    await run('open USDTNGN buy 1k --tenor 3 --any-price --yes');
    const { out } = await run(['deals', 'check', join(desk.home, 'deals.csv')], ON_A_TERMINAL);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'Daily limit 25,000.00 USD: 24,000.00 USD is left, and the whole file needs 35,000.00 USD. A limit of 36,000.00 USD would admit it.',
    );
  });

  it('says which rows are beyond their price limit', async () => {
    const desk = await aDesk();
    desk.write(['A,USDTNGN,buy,1k,3,,1,', `B,USDTNGN,buy,1k,3${LOOSE}`]);
    const ran = await desk.deals('check FILE --json');
    expect([ran.code, outcomesOf(ran), codesOf(ran)]).toEqual([
      10,
      ['skipped', 'planned'],
      ['cost_too_high', null],
    ]);
    // Quoted like any other.
    const [beyond, fits] = JSON.parse(ran.out).data.deals;
    expect(beyond).toMatchObject({ ...priced(fits), outcome: 'skipped' });
  });

  it('is told the column of a bound, also where the size is one more reason', async () => {
    const desk = await aDesk();
    desk.write(['A,USDTNGN,buy,900k,3,,1,']);
    expect((await desk.deals('check FILE --json')).document()).toMatchObject({
      error: { hint: expect.stringMatching(/^(?![^]*--max-cost-bps)[^]*raise max_cost_bps of the row\./) },
    });
  });

  it('says a reason that several rows share once, and advises what a file can do', async () => {
    const desk = await aDesk();
    desk.write([`A,USDTNGN,buy,1k,3${LOOSE}`, 'B,USDTNGN,buy,1k,3,1100,,', 'C,USDTNGN,buy,1k,3,1100,,']);
    const { out, err } = await desk.deals('check FILE', ON_A_TERMINAL);
    expect(out).toMatch(/^lines 3, 4: --worst-price 1100 is /m);
    expect(err).toContain('Correct worst_price of the row.');
    expect(err).not.toContain('--any-price');
  });

  it('says that the run would open none, if one row does not fit', async () => {
    const desk = await aDesk();
    desk.write([
      `A,USDTNGN,buy,1k,3${LOOSE}`,
      `B,USDTNGN,buy,900k,3${LOOSE}`,
      `C,USDTNGN,buy,1200,3${LOOSE}`,
    ]);
    const { out, err } = await desk.deals('check FILE', ON_A_TERMINAL);
    expect(out).toContain('3 rows: 2 fit, 1 blocked. deals run would open none of them.');
    expect(out).toContain('FITS, NOT RUN');
    expect(out).not.toMatch(/TO OPEN|Left after it/);
    expect(err).toContain('No row is opened until line 3 fits or is out of the file.');
    expect(JSON.parse((await desk.deals('check FILE --json')).out).data.derived).toMatchObject({
      would_open: 0,
    });
    desk.write([`A,USDTNGN,buy,1k,3${LOOSE}`, `C,USDTNGN,buy,1200,3${LOOSE}`]);
    expect(JSON.parse((await desk.deals('check FILE --json')).out).data.derived).toMatchObject({
      would_open: 2,
    });
  });
});

describe('deals run', everyDay, () => {
  it('sends one quote and one open for each row, in order, and awaits them by list alone', async () => {
    const desk = await aDesk();
    desk.write(three);
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled', 'filled']]);
    // 10.1 % of 30,000 and of 5,000.
    expect(answered(ran).data.derived?.sides).toMatchObject([
      { side: 'buy', deals: 2, not_opened: 0, notional_usd: 30_000, upfront_usdc: 3_030 },
      { side: 'sell', deals: 1, not_opened: 0, notional_usd: 5_000, upfront_usdc: 505 },
    ]);
    expect(await desk.references()).toEqual(['PAY-3', 'PAY-2', 'PAY-1']);
    const sending = desk.lines.findIndex((line) => line === 'POST /hedges');
    const last = desk.lines.findLastIndex((line) => line === 'POST /hedges');
    expect(desk.lines.slice(sending - 1, last + 1)).toEqual([
      'POST /quotes',
      'POST /hedges',
      'POST /quotes',
      'POST /hedges',
      'POST /quotes',
      'POST /hedges',
    ]);
    // One list each 1.5 s until the last is filled, at most 4 s later: no hedge is read by itself.
    const awaiting = desk.lines.slice(last + 1);
    expect(new Set(awaiting)).toEqual(new Set(['GET /hedges?limit=500']));
    expect(awaiting.length).toBeLessThanOrEqual(5);
  });

  it('opens nothing twice: the same file again only reads', async () => {
    const desk = await aDesk();
    desk.write(three);
    await desk.deals('run FILE --yes --json');
    desk.lines.length = 0;
    const again = await desk.deals('run FILE --yes --json');
    expect([again.code, outcomesOf(again)]).toEqual([0, ['filled', 'filled', 'filled']]);
    expect(answered(again).data.deals.every(({ earlier }) => earlier)).toBe(true);
    expect(desk.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
    expect(desk.served.acted('/hedges')).toBe(3);
  });

  it('opens only the new rows of a file that has grown', async () => {
    const desk = await aDesk();
    desk.write(three.slice(0, 2));
    await desk.deals('run FILE --yes --json');
    desk.write(three);
    const again = await desk.deals('run FILE --yes --json');
    expect(answered(again).data.deals.map(({ earlier }) => earlier)).toEqual([true, true, false]);
    expect(await desk.references()).toEqual(['PAY-3', 'PAY-2', 'PAY-1']);
  });

  it('opens no deal ID that another machine has used', async () => {
    const desk = await aDesk();
    await desk.served.colleague('/hedges', {
      side: 'buy',
      notional_usd: 10_000,
      tenor_days: 3,
      client_reference: 'PAY-1',
    });
    desk.write(three);
    const ran = await desk.deals('run FILE --yes --json');
    expect(answered(ran).data.deals.map(({ earlier }) => earlier)).toEqual([true, false, false]);
    expect((await desk.references()).toSorted()).toEqual(['PAY-1', 'PAY-2', 'PAY-3']);
  });

  it('stops at a row that was changed under its deal ID, before anything is sent', async () => {
    const desk = await aDesk();
    desk.write(three.slice(0, 2));
    await desk.deals('run FILE --yes --json');
    desk.write([...three.slice(0, 2), ...three.slice(2)].map((row) => row.replace('20k', '25k')));
    const ran = await desk.deals('run FILE --yes --csv');
    expect(ran.code).toBe(10);
    const rows = readCsv(ran.out);
    expect(rows.map(({ line, outcome, code }) => [line, outcome, code])).toEqual([
      ['2', 'filled', ''],
      ['3', 'stopped', 'deal_id_used'],
      ['4', 'not_run', 'not_run'],
    ]);
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('sends nothing at all if a row does not fit', async () => {
    const desk = await aDesk();
    desk.write([`A,USDTNGN,buy,300k,3${LOOSE}`, `B,USDTNGN,buy,300k,3${LOOSE}`]);
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, codesOf(ran)]).toEqual([10, ['not_run', 'exposure_exceeded']]);
    expect(answered(ran).error?.hint).toContain('No row is opened until line 3 fits or is out of the file.');
    expect(answered(ran).error?.hint).not.toContain('same file again');
    expect(desk.served.changes()).toEqual([]);
  });

  it('skips a row beyond its limit, and goes on', async () => {
    const desk = await aDesk();
    desk.write([`A,USDTNGN,buy,1k,3${LOOSE}`, 'B,USDTNGN,buy,1k,3,1470,,', `C,USDTNGN,buy,1k,3${LOOSE}`]);
    // Practice prices are around 1,530: 1,470 is within 5 % only below 1,547.
    const ran = await desk.deals('run FILE --yes --json');
    expect(ran.code).toBe(10);
    expect(outcomesOf(ran)).toEqual(['filled', 'skipped', 'filled']);
    expect(codesOf(ran)[1]).toBe('worse_price');
    expect(answered(ran).error).toMatchObject({ code: 'worse_price', effect: 'done' });
  });
});

describe('deals run, after the confirmation', everyDay, () => {
  const bounded = (id: string): string => `${id},USDTNGN,buy,1k,3${LOOSE}`;

  it('stops at a row without a limit whose price is more than 10 bps worse, not at one with a limit', async () => {
    const desk = await aDesk();
    desk.write([bounded('A'), bounded('B'), 'C,USDTNGN,buy,1k,3,,,', bounded('D')]);
    let opened = 0;
    desk.front.meddle(async (line, pass) => {
      if (line === 'POST /hedges') opened += 1;
      const answer = await pass();
      return line === 'POST /quotes' && opened > 0 ? worse(answer, 11) : answer;
    });
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([10, ['filled', 'filled', 'stopped', 'not_run']]);
    expect(codesOf(ran)).toEqual([null, null, 'worse_price', 'not_run']);
    expect(desk.served.acted('/hedges')).toBe(2);
  });

  it('goes on with a row without a limit that got 9 bps worse', async () => {
    const desk = await aDesk();
    desk.write([bounded('A'), 'C,USDTNGN,buy,1k,3,,,']);
    let opened = 0;
    desk.front.meddle(async (line, pass) => {
      if (line === 'POST /hedges') opened += 1;
      const answer = await pass();
      return line === 'POST /quotes' && opened > 0 ? worse(answer, 9) : answer;
    });
    expect(outcomesOf(await desk.deals('run FILE --yes --json'))).toEqual(['filled', 'filled']);
  });

  it.each([
    ['reached the service', true],
    ['did not reach it', false],
  ])(
    'stops with 7 at a row without an answer that %s; run again, each is opened once',
    async (_, reaches) => {
      const desk = await aDesk();
      desk.write(['A', 'B', 'C'].map(bounded));
      let posted = 0;
      desk.front.meddle(async (line, pass) => {
        if (line === 'POST /hedges') posted += 1;
        const isLost = line === 'POST /hedges' && posted >= 2;
        if (!isLost) return pass();
        if (reaches) await pass();
        return 'cut';
      });
      const ran = await desk.deals('run FILE --yes --json');
      expect([ran.code, outcomesOf(ran)]).toEqual([7, ['filled', 'unknown', 'not_run']]);
      expect(answered(ran).error).toMatchObject({ code: 'outcome_unknown', effect: 'unknown' });

      desk.front.meddle((_line, pass) => pass());
      const again = await desk.deals('run FILE --yes --json');
      expect([again.code, outcomesOf(again)]).toEqual([0, ['filled', 'filled', 'filled']]);
      expect((await desk.references()).toSorted()).toEqual(['A', 'B', 'C']);
    },
  );

  it('is stopped by an unresolved action of another command on its side, unless that is ignored', async () => {
    const desk = await aDesk();
    desk.front.meddle(async (line, pass) => (line === 'POST /hedges' ? 'cut' : pass()));
    expect((await desk.run('open USDTNGN buy 777 --tenor 3 --yes --json')).code).toBe(7);
    desk.front.meddle((_line, pass) => pass());
    desk.write([bounded('A'), `B,USDTNGN,sell,1k,3${LOOSE}`]);
    const stopped = await desk.deals('run FILE --yes --json');
    expect([stopped.code, codesOf(stopped)]).toEqual([10, ['unresolved', 'not_run']]);
    const [id = ''] = /[0-9a-f]{16}/.exec(journalText(desk.home)) ?? [];
    const ran = await desk.deals(`run FILE --yes --json --despite ${id}`);
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled']]);
    expect((await desk.deals('run FILE --yes --json --despite beef')).code).toBe(2);
  });

  it('goes on after a row that the service rejects', async () => {
    const desk = await aDesk();
    desk.write(['A', 'B', 'C'].map(bounded));
    let posted = 0;
    desk.front.meddle(async (line, pass) => {
      if (line === 'POST /hedges') posted += 1;
      return line === 'POST /hedges' && posted === 2 ? refusal(400, 'exposure_exceeded') : pass();
    });
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([3, ['filled', 'refused', 'filled']]);
    const again = await desk.deals('run FILE --yes --json');
    expect([again.code, outcomesOf(again)]).toEqual([0, ['filled', 'filled', 'filled']]);
  });

  it('stops at a halt that was set meanwhile', async () => {
    const desk = await aDesk();
    desk.write(['A', 'B', 'C'].map(bounded));
    let halted = false;
    desk.front.meddle(async (line, pass) => {
      if (line === 'POST /hedges' && !halted) {
        halted = true;
        await desk.run(['halt', 'too', 'fast']);
      }
      return pass();
    });
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, codesOf(ran)]).toEqual([10, [null, 'halted', 'not_run']]);
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('stops at a signal, with a result for every row', async () => {
    const desk = await aDesk();
    desk.write(['A', 'B', 'C'].map(bounded));
    const stopping = new AbortController();
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line === 'POST /hedges') stopping.abort(new InterruptedError('SIGINT', { what: 'Interrupted.' }));
      return answer;
    });
    const ran = await desk.deals('run FILE --yes --json', { signal: stopping.signal });
    expect(answered(ran).data.deals).toHaveLength(3);
    expect(outcomesOf(ran).slice(1)).toEqual(['not_run', 'not_run']);
    expect(answered(ran).error?.code).toBe('interrupted');
    expect(answered(ran).error?.hint).toMatch(/^hedge check .*\nOr run the same file again: /);
    expect(desk.served.acted('/hedges')).toBe(1);

    desk.front.meddle((_line, pass) => pass());
    expect(outcomesOf(await desk.deals('run FILE --yes --json'))).toEqual(['filled', 'filled', 'filled']);
    expect(desk.served.acted('/hedges')).toBe(3);
  });

  it.each([
    ['quoting, with --no-wait', 'POST /quotes', '--no-wait', ['submitted', 'stopped', 'not_run']],
    ['waiting for the fills', 'GET /hedges?limit=500', '', ['pending', 'pending', 'pending']],
  ])('says that deals continue if it is stopped while %s', async (_, at, option, outcomes) => {
    const desk = await aDesk();
    desk.write(['A', 'B', 'C'].map(bounded));
    const stopping = new AbortController();
    let posted = 0;
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line === 'POST /hedges') posted += 1;
      if (posted > 0 && line === at) stopping.abort(new InterruptedError('SIGINT', { what: 'Interrupted.' }));
      return answer;
    });
    const ran = await desk.deals(`run FILE --yes --json ${option}`, { signal: stopping.signal });
    expect(answered(ran).error).toMatchObject({ code: 'interrupted', effect: 'pending' });
    expect(outcomesOf(ran).map((each) => (each === 'submitted' && option === '' ? 'pending' : each))).toEqual(
      outcomes,
    );
  });

  it('with --no-wait ends when the last row is accepted', async () => {
    const desk = await aDesk();
    desk.write(['A', 'B'].map(bounded));
    const ran = await desk.deals('run FILE --yes --no-wait --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['submitted', 'submitted']]);
    expect(desk.lines.at(-1)).toBe('POST /hedges');
  });

  it('reports an order that failed, and opens it again only with --retry-failed', async () => {
    const desk = await aDesk();
    desk.write(['A', 'B'].map(bounded));
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ failing_orders: 1 });
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line === 'POST /hedges') await admin.clearFaults();
      return answer;
    });
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([9, ['failed', 'filled']]);
    expect(answered(ran).error?.effect).toBe('done');
    expect(answered(ran).error?.hint).toMatch(
      /^hedge deals run \S+deals\.csv --retry-failed +open the failed row again\nRun as it is, the same file opens nothing more\.$/,
    );
    const again = await desk.deals('run FILE --yes --json');
    expect([again.code, outcomesOf(again)]).toEqual([9, ['failed', 'filled']]);
    expect(answered(again).error?.hint).toBe(answered(ran).error?.hint);
    expect(answered(again).error?.message).not.toMatch(/:$/);
    const retried = await desk.deals('run FILE --yes --retry-failed --json');
    expect([retried.code, outcomesOf(retried)]).toEqual([0, ['filled', 'filled']]);
  });
});

describe('deals run, of rows that fill in part', everyDay, () => {
  it('has what was filled of each row, now and when it is run again, and the command for each rest', async () => {
    const desk = await aDesk();
    desk.write(
      ['P-1,USDTNGN,buy,1974.89,,3,300', 'P-2,USDTNGN,buy,,2m,3,300'],
      'deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps',
    );
    await desk.served.desk.service.admin.setFaults({ partial_fills: 1 });
    const ran = await desk.deals('run FILE --yes --json');
    desk.clock.pass(60_000);
    const again = await desk.deals('run FILE --yes --json');
    const rests = [
      /^hedge check \w{4} +line 2, in a minute: the rest may still fill$/,
      /^hedge check \w{4} +line 3/,
    ];
    // 789.956 is not open: no more than that is opened.
    const late = [
      /^hedge open USDTNGN buy 789\.95 --tenor 3 --deal-id P-1-rest .* line 2$/,
      /--deal-id P-2-rest/,
    ];
    for (const [{ code, out }, next] of [
      [ran, rests],
      [again, late],
    ] as const) {
      const { data, error } = JSON.parse(out);
      const [first, second] = data.deals;
      expect([code, error.code]).toEqual([7, 'partial_fill']);
      expect(first).toMatchObject({ notional_usd: 1974.89, filled_notional_usd: 1184.934, ngn_struck: null });
      expect(second.filled_notional_usd).toBeCloseTo(second.notional_usd * 0.6, 6);
      expect(second.ngn_struck).toBeCloseTo(second.filled_notional_usd * second.struck_rate, 6);
      expect(second.ngn).toBeGreaterThan(1_999_000);
      const rest = 1974.89 - 1184.934 + second.notional_usd - second.filled_notional_usd;
      const [, said = ''] =
        /2 of 2 are open, 2 of them in part: (\S+) USD is not open\.$/.exec(error.message) ?? [];
      expect(Number(said.replaceAll(',', ''))).toBeCloseTo(rest, 6);
      expect(error.hint.split('\n')).toEqual([
        ...next.map((each) => expect.stringMatching(each)),
        'Run as it is, the same file opens nothing more.',
      ]);
    }
    expect(desk.served.acted('/hedges')).toBe(2);
    expect(readCsv((await desk.deals('run FILE --yes --csv')).out)[0]).toMatchObject({
      notional_usd: '1974.89',
      filled_notional_usd: '1184.934',
    });
    expect((await desk.deals('run FILE --yes', ON_A_TERMINAL)).out).toMatch(
      /NOTIONAL +FILLED[^]*2 rows: 2 filled in part\./,
    );
  });
});

describe('the confirmation of deals run', everyDay, () => {
  const terminal: RunOptions = { terminal: { isTTY: true, env: { NO_COLOR: '1' } } };

  it('is one question for all rows; a no sends nothing', async () => {
    const desk = await aDesk();
    desk.write(three);
    const no = await desk.deals('run FILE', { ...terminal, answer: 'n\r' });
    expect([no.code, desk.served.changes().length]).toEqual([10, 0]);
    expect(no.err).toContain('Open 3 deals?');
    const yes = await desk.deals('run FILE', { ...terminal, answer: 'y\r' });
    expect([yes.code, desk.served.acted('/hedges')]).toEqual([0, 3]);
  });

  it('is followed by a new reading: a deal ID that a colleague has used meanwhile is not opened', async () => {
    const desk = await aDesk();
    desk.write(three);
    const answer = async (): Promise<string> => {
      const theirs = { side: 'buy', notional_usd: 700, tenor_days: 7, client_reference: 'PAY-1' };
      await desk.served.colleague('/hedges', theirs);
      desk.clock.pass(5_000);
      return 'y\r';
    };
    const ran = await desk.deals('run FILE', { ...terminal, answer });
    expect([ran.code, ran.err.replaceAll(/\s+/g, ' ')]).toEqual([10, expect.stringContaining('PAY-1')]);
    expect((await desk.references()).filter((each) => each === 'PAY-1')).toHaveLength(1);
  });

  it('names the rows beyond their price limit, which are not in the totals', async () => {
    const desk = await aDesk();
    desk.write([...three, 'PAY-4,USDTNGN,buy,1k,3,,1,']);
    const { err } = await desk.deals('run FILE', { ...terminal, answer: 'n\r' });
    const words = err.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      '1 row is beyond the price limit now, not in these totals, and skipped unless the price gets better: line 5 PAY-4',
    );
    expect(words).toContain('OPEN 3 deals');
    expect(words).toContain('Open 3 deals, and 1 more if the price gets better?');
  });

  it('is typed on live, where each row needs a price limit', async () => {
    const desk = await aDesk();
    const live = { env: desk.front.way(desk.home, 'live') };
    desk.write([...three, 'PAY-4,USDTNGN,buy,1k,3,,,']);
    const unbounded = await desk.deals('run FILE', { ...terminal, ...live });
    expect([unbounded.code, unbounded.err]).toEqual([2, expect.stringContaining('line 5')]);
    desk.write(three);
    const none = await desk.deals('run FILE', { ...terminal, ...live, answer: '\r' });
    expect([none.code, desk.served.changes().length]).toEqual([10, 0]);
    const typed = await desk.deals('run FILE', { ...terminal, ...live, answer: '3 deals\r' });
    expect([typed.code, desk.served.acted('/hedges')]).toEqual([0, 3]);
  });

  it('needs --yes and the environment without a terminal', async () => {
    const desk = await aDesk();
    desk.write(three);
    expect((await desk.deals('run FILE')).code).toBe(2);
    const live = { env: desk.front.way(desk.home, 'live') };
    const ran = await desk.deals('run FILE --yes', live);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--expect-env live')]);
    expect(desk.lines).toEqual([]);
  });
});

describe('deals of a service that sends the specified fields alone', everyDay, () => {
  it('are checked, opened once and seen filled', async () => {
    const desk = await aDesk();
    await desk.served.opened('buy', 5_000);
    desk.front.meddle(async (line, pass) => specifiedOnly(line, await pass()));
    desk.write(three);
    expect((await desk.deals('check FILE --json')).code).toBe(0);
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled', 'filled']]);
    expect((await desk.deals('run FILE --yes')).code).toBe(0);
    expect(desk.served.acted('/hedges')).toBe(3);
  });

  it('are read by hedge ID where the list is a short page, and no others', async () => {
    const desk = await aDesk();
    desk.front.meddle(async (line, pass) => {
      const answer = specifiedOnly(line, await pass());
      if (!line.startsWith('GET /hedges?limit')) return answer;
      const document = JSON.parse(answer.body);
      document.data = document.data.slice(0, 5);
      return { ...answer, body: JSON.stringify(document) };
    });
    desk.write(Array.from({ length: 8 }, (_, at) => `P-${String(at)},USDTNGN,buy,1k,3${LOOSE}`));
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, Array.from({ length: 8 }, () => 'filled')]);
    const last = desk.lines.lastIndexOf('POST /hedges');
    const byId = new Set(desk.lines.slice(last).filter((line) => line.startsWith('GET /hedges/hdg_')));
    // The page has the newest five of eight.
    expect(byId.size).toBe(3);
  });
});

/** 200 in the full project. */
const MANY = howMany(200, 200);
/** Two for each deal and fourteen for all, less the burst, at ten a second; then the last fill. 49.4 s for 200. */
const MANY_MS = ((2 * MANY + 14 - 20) / 10) * 1_000 + 10_000;

describe('many deals at ten requests a second, with a burst of 20', () => {
  it('take two requests each before the awaiting: 200 take less than 50 seconds', async () => {
    const desk = await aDesk({ rate_limit: { burst: 20, per_second: 10 } });
    desk.write(
      Array.from({ length: MANY }, (_, at) => {
        const side = at % 3 === 0 ? 'sell' : 'buy';
        return `PAY-${String(at)},USDTNGN,${side},${String(500 + at)},${String([1, 3, 7][at % 3])}${LOOSE}`;
      }),
    );
    const startedAt = desk.clock.now();
    const ran = await desk.deals('run FILE --yes --json');
    const tookMs = desk.clock.now() - startedAt;
    expect([ran.code, new Set(outcomesOf(ran))]).toEqual([0, new Set(['filled'])]);
    expect(desk.served.acted('/hedges')).toBe(MANY);
    expect(tookMs).toBeLessThanOrEqual(MANY_MS);
    const served = desk.served.desk.log.filter(({ status }) => status !== 429);
    const last = served.findLastIndex(({ method, path }) => method === 'POST' && path === '/hedges');
    const before = served.slice(0, last + 1);
    const first = before.findIndex(({ method, path }) => method === 'POST' && path === '/hedges');
    // From the quote of the first row to the open of the last.
    expect(before.length - first + 1).toBe(2 * MANY);
    // Positions, markets, account, a list, and three sizes of each side and tenor.
    expect(first - 1).toBeLessThanOrEqual(4 + 1 + 9);
  });
});
