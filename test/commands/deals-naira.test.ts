/** Rows of a deals file whose size is given in naira: found before the confirmation, kept after it. */
import { describe, expect, it } from 'vitest';
import { readCsv } from '../support/csv.ts';
import { aDesk, answered, codesOf, outcomesOf, worse } from '../support/deals-desk.ts';
import { refusal } from '../support/front.ts';
import { ON_A_TERMINAL } from '../support/test-cli.ts';

const HEADER = 'deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps';
const naira = [
  'PAY-1,USDTNGN,buy,,80m,3,300',
  'PAY-2,USDTNGN,sell,,"15,000,000.00",1,300',
  'PAY-3,USDTNGN,buy,5k,,3,300',
];

interface Sized {
  notional_usd: number;
  execution_price: number;
  ngn_asked: number | null;
  ngn: number | null;
  ngn_rest: number | null;
}
const sizesOf = (ran: Parameters<typeof answered>[0]): readonly Sized[] => JSON.parse(ran.out).data.deals;

describe('a deals file with sizes in naira', () => {
  it('is checked with both figures of each row, and its totals are in USD', async () => {
    const desk = await aDesk();
    desk.write(naira, HEADER);
    const ran = await desk.deals('check FILE --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['planned', 'planned', 'planned']]);
    const [first, second, third] = sizesOf(ran);
    expect([first?.ngn_asked, second?.ngn_asked, third?.ngn_asked]).toEqual([80_000_000, 15_000_000, null]);
    for (const row of [first, second]) {
      const asked = row?.ngn_asked ?? 0;
      // N × K ≤ A, and the rest is under 1 bp of A.
      expect(row?.ngn).toBeCloseTo((row?.notional_usd ?? 0) * (row?.execution_price ?? 0), 4);
      expect((row?.ngn ?? 0) + (row?.ngn_rest ?? -1)).toBeCloseTo(asked, 4);
      expect(row?.ngn_rest).toBeGreaterThanOrEqual(0);
      expect(row?.ngn_rest).toBeLessThan(asked / 10_000);
    }
    expect(third).toMatchObject({ notional_usd: 5_000, ngn: null, ngn_rest: null });
    const [buy] = answered(ran).data.derived?.sides ?? [];
    expect(buy).toMatchObject({ side: 'buy', deals: 2, notional_usd: 5_000 + (first?.notional_usd ?? 0) });
    expect(desk.count('POST /quotes')).toBeLessThanOrEqual(4 + 4 + 1);
    expect(desk.served.changes()).toEqual([]);
  });

  it('shows what is asked for and what is covered', async () => {
    const desk = await aDesk();
    desk.write(naira, HEADER);
    const { out } = await desk.deals('check FILE', ON_A_TERMINAL);
    expect(out).toContain('NAIRA');
    expect(out).toContain('80,000,000.00');
    expect(out).toMatch(
      /1 row in naira, buy: covers 79,99\d,\d{3}\.\d\d NGN at the quoted prices; asked\s+80,000,000\.00\./,
    );
    expect(out).toMatch(
      /1 row in naira, sell: covers 14,99\d,\d{3}\.\d\d NGN at the quoted prices; asked\s+15,000,000\.00\./,
    );
    const ran = await desk.deals('run FILE --yes', ON_A_TERMINAL);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(
      /1 row in naira, buy: covers \S+ NGN at the struck rates; asked\s+80,000,000\.00\./,
    );
  });

  it('opens the size that was found before the confirmation, with one quote and one open for each row', async () => {
    const desk = await aDesk();
    desk.write(naira, HEADER);
    let quoted = 0;
    let lastSize = 0;
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (line !== 'POST /quotes') return answer;
      quoted += 1;
      const document = JSON.parse(answer.body);
      lastSize = document.data.notional_usd;
      return answer;
    });
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, outcomesOf(ran)]).toEqual([0, ['filled', 'filled', 'filled']]);
    const { body } = await desk.served.desk.get('/hedges?limit=500', { as: 'test' });
    const opened: readonly { notional_usd: number }[] = body.data;
    expect(opened.map(({ notional_usd: size }) => size).toReversed()).toEqual(
      sizesOf(ran).map(({ notional_usd: size }) => size),
    );
    const first = desk.lines.indexOf('POST /hedges');
    const last = desk.lines.lastIndexOf('POST /hedges');
    expect(desk.lines.slice(first, last + 1)).toEqual([
      'POST /hedges',
      'POST /quotes',
      'POST /hedges',
      'POST /quotes',
      'POST /hedges',
    ]);
    expect([quoted <= 4 + 4 + 1 + 3, lastSize]).toEqual([true, 5_000]);
    const rows = readCsv((await desk.deals('run FILE --yes --csv')).out);
    expect(rows.map(({ ngn_asked: asked, notional_usd: size }) => [asked, size])).toEqual([
      ['80000000', String(sizesOf(ran)[0]?.notional_usd)],
      ['15000000', String(sizesOf(ran)[1]?.notional_usd)],
      ['', '5000'],
    ]);
  });

  it('run again reports what is open with the size that was sent, and asks for no quote', async () => {
    const desk = await aDesk();
    desk.write(naira, HEADER);
    const before = sizesOf(await desk.deals('run FILE --yes --json'));
    desk.lines.length = 0;
    const again = await desk.deals('run FILE --yes --json');
    expect([again.code, outcomesOf(again)]).toEqual([0, ['filled', 'filled', 'filled']]);
    expect(sizesOf(again).map(({ notional_usd: size }) => size)).toEqual(
      before.map(({ notional_usd: size }) => size),
    );
    expect(desk.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('compares the naira asked: a row that was changed under its deal ID is stopped', async () => {
    const desk = await aDesk();
    desk.write(naira, HEADER);
    expect((await desk.deals('run FILE --yes --json')).code).toBe(0);
    desk.write(
      naira.map((row) => row.replace('80m', '81m')),
      HEADER,
    );
    const changed = await desk.deals('run FILE --yes --json');
    expect([changed.code, codesOf(changed)]).toEqual([10, ['deal_id_used', null, null]]);
    expect(answered(changed).error?.message).toMatch(
      /USD \(80,000,000\.00 NGN\), 3 days\. You asked for buy USDTNGN 81,000,000\.00 NGN, 3 days/,
    );
    expect(desk.served.acted('/hedges')).toBe(3);
  });

  it('stops at a hedge of another machine that does not cover the naira of its row', async () => {
    const desk = await aDesk();
    await desk.served.colleague('/hedges', {
      side: 'buy',
      notional_usd: 50_000,
      tenor_days: 3,
      client_reference: 'PAY-1',
    });
    desk.write(naira, HEADER);
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, codesOf(ran)]).toEqual([10, ['deal_id_used', 'not_run', 'not_run']]);
    expect(desk.count('POST /hedges')).toBe(0);
  });

  it.each([
    ['reached the service', true],
    ['did not reach it', false],
  ])('sends the recorded size again for a row without an answer that %s', async (_, reaches) => {
    const desk = await aDesk();
    desk.write(naira.slice(0, 1), HEADER);
    desk.front.meddle(async (line, pass) => {
      if (line !== 'POST /hedges') return pass();
      if (reaches) await pass();
      return 'cut';
    });
    const lost = await desk.deals('run FILE --yes --json');
    expect([lost.code, outcomesOf(lost)]).toEqual([7, ['unknown']]);
    desk.front.meddle((_line, pass) => pass());
    const again = await desk.deals('run FILE --yes --json');
    expect([again.code, outcomesOf(again)]).toEqual([0, ['filled']]);
    expect(sizesOf(again)[0]?.notional_usd).toBe(sizesOf(lost)[0]?.notional_usd);
    expect(await desk.references()).toEqual(['PAY-1']);
  });

  it.each([
    ['keeps', 503, true],
    // Nothing was stored under its key.
    ['computes again', 429, false],
  ])(
    '%s the size of a row that the service answered with %i, at another price',
    async (_what, status, isKept) => {
      const desk = await aDesk();
      desk.write(naira.slice(0, 1), HEADER);
      const sizes: number[] = [];
      desk.front.meddle(async (line, pass) => {
        if (line !== 'POST /quotes')
          return line === 'POST /hedges' ? refusal(status, 'rate_limited') : pass();
        const answer = await pass();
        sizes.push(JSON.parse(answer.body).data.notional_usd);
        return answer;
      });
      const first = await desk.deals('run FILE --yes --json --timeout 5');
      expect(first.code).not.toBe(0);
      const asked = sizes.at(-1);
      desk.clock.pass(90_000);
      desk.front.meddle(async (line, pass) => {
        const answer = await pass();
        return line === 'POST /quotes' ? worse(answer, 40) : answer;
      });
      const again = await desk.deals('run FILE --yes --json');
      expect([again.code, outcomesOf(again)]).toEqual([0, ['filled']]);
      expect(sizesOf(again)[0]?.notional_usd === asked).toBe(isKept);
      expect(await desk.references()).toEqual(['PAY-1']);
    },
  );

  it('computes the size again, with --retry-failed, of a row whose order failed', async () => {
    const desk = await aDesk();
    desk.write(naira.slice(0, 1), HEADER);
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ failing_orders: 1 });
    expect((await desk.deals('run FILE --yes --json')).code).toBe(9);
    await admin.clearFaults();
    const retried = await desk.deals('run FILE --yes --retry-failed --json');
    expect([retried.code, outcomesOf(retried)]).toEqual([0, ['filled']]);
  });

  it('carries naira rows forward, and shows the size of a row beyond its limit', async () => {
    const desk = await aDesk();
    desk.write(['A,USDTNGN,buy,,500m,3,300', 'B,USDTNGN,buy,,1m,3,1', 'C,USDTNGN,sell,,400m,3,300'], HEADER);
    const ran = await desk.deals('check FILE --json');
    // 500 and 400 million naira at about 1,530 are above the headroom of 500,000 USD.
    expect([ran.code, codesOf(ran)]).toEqual([10, [null, 'cost_too_high', 'exposure_exceeded']]);
    expect(sizesOf(ran)[1]?.notional_usd).toBeGreaterThan(600);
    expect(sizesOf(ran)[1]?.ngn_asked).toBe(1_000_000);
  });
});
