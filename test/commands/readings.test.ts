import { describe, expect, it } from 'vitest';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAccount,
  aPosition,
  MARKETS_META,
  unspecified,
} from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { type Exchange, no, ok, on, scriptedService } from '../support/scripted-service.ts';

/** Runs one command against a script, once for a person and once for a program. */
async function bothViews(words: string, script: readonly Exchange[]) {
  const service = await scriptedService([...script, ...script]);
  const cli = cliFor(service);
  return { person: await cli.run(words), program: await cli.run(`${words} --json`) };
}

describe('markets', () => {
  it('shows status, mid, capacity and carry in words, a disabled market too', async () => {
    const sent = [
      aMarket(),
      aMarket({ market: 'USDTKES', status: 'disabled', price: 129.35, fee_tier: 'b' }),
    ];
    const { person, program } = await bothViews('markets', [on('GET /markets', ok(sent, MARKETS_META))]);
    expect(person.out).toContain('pays 0.05 %');
    expect(person.out).toContain('earns 0.02 %');
    expect(person.out).toMatch(/^USDTKES +disabled +129\.3500 +— +— /m);
    expect(person.out).toMatch(/Fee tier|FEE TIER/);
    expect(program.document()).toMatchObject({
      data: sent,
      meta: { ...MARKETS_META, environment: 'sandbox' },
    });
  });
});

describe('price', () => {
  it.each([
    ['an object', { market: 'USDTNGN', price: 1530.1 }],
    ['a list', [{ market: 'USDTNGN', price: 1530.1 }]],
    ['a map', { USDTNGN: 1530.1 }],
    ['a bare number', 1530.1],
  ])('finds the mid in %s', async (_shape, sent) => {
    const { person, program } = await bothViews('price USDTNGN', [
      on('GET /prices?symbols=USDTNGN', ok(sent)),
    ]);
    expect(person.out).toMatch(/USDTNGN\s+1,530\.10\s+NGN/);
    expect(program.code).toBe(0);
    const derived = { market: 'USDTNGN', mid: 1530.1 };
    const [only] = [sent].flat();
    const isPrice = typeof only === 'object' && 'market' in only;
    expect(Object(program.document()).data).toEqual(isPrice ? { ...only, derived } : { sent, derived });
  });

  it('shows a response of another shape as it came', async () => {
    const sent = { quotes: { NGN: '1530.10' } };
    const { person, program } = await bothViews('price USDTNGN', [
      on('GET /prices?symbols=USDTNGN', ok(sent)),
    ]);
    expect(person.code).toBe(0);
    expect(person.out).toContain('1530.10');
    expect(program.document()).toMatchObject({ data: { sent, derived: { mid: null } } });
  });

  it('asks for every market of the account when none is named', async () => {
    const markets = [aMarket(), aMarket({ market: 'USDTKES' })];
    const { person } = await bothViews('price', [
      on('GET /markets', ok(markets, MARKETS_META)),
      on('GET /prices?symbols=USDTNGN', ok({ market: 'USDTNGN', price: 1530.1 })),
      on('GET /prices?symbols=USDTKES', ok({ market: 'USDTKES', price: 129.5 })),
    ]);
    expect(person.out).toContain('1,530.10');
    expect(person.out).toContain('129.50');
  });

  it('is one flat list of several markets, in whatever shape each came', async () => {
    const { program } = await bothViews('price USDTNGN USDTKES', [
      on('GET /prices?symbols=USDTNGN', ok([{ market: 'USDTNGN', price: 1530.1 }])),
      on('GET /prices?symbols=USDTKES', ok(129.5)),
    ]);
    expect(Object(program.document()).data).toEqual([
      { market: 'USDTNGN', price: 1530.1, derived: { market: 'USDTNGN', mid: 1530.1 } },
      { sent: 129.5, derived: { market: 'USDTKES', mid: 129.5 } },
    ]);
  });

  it('names the market that the service refuses, which may be one of several', async () => {
    const { person, program } = await bothViews('price USDTNGN NOPE', [
      on('GET /prices?symbols=USDTNGN', ok({ market: 'USDTNGN', price: 1530.1 })),
      on('GET /prices?symbols=NOPE', no(404, 'market_not_found', { message: 'no such market' })),
    ]);
    expect(person.err).toMatch(/^Not found \(NOPE\): no such market \(market_not_found\)\.$/m);
    expect(program.document()).toMatchObject({ error: { code: 'market_not_found', effect: 'none' } });
  });
});

describe('hedges', () => {
  it('lists with the filters it was given, and says what the list covers', async () => {
    const { program } = await bothViews('hedges --status filled --deal-id PAY-8841 --limit 7', [
      on('GET /hedges?status=filled&client_reference=PAY-8841&limit=7', ok([aHedge()])),
    ]);
    expect(program.document()).toMatchObject({
      data: [aHedge()],
      meta: {
        covers: {
          count: 1,
          from: '2026-11-20T09:02:59Z',
          to: '2026-11-20T09:02:59Z',
          maybe_truncated: false,
        },
      },
    });
  });

  it('says that a full page may not be all', async () => {
    const { person, program } = await bothViews('hedges --limit 1', [
      on('GET /hedges?limit=1', ok([aHedge()])),
    ]);
    expect(person.out).toContain('the service may have more');
    expect(program.document()).toMatchObject({ meta: { covers: { maybe_truncated: true } } });
  });

  it('shows one hedge by its id', async () => {
    const { person, program } = await bothViews('hedges hdg_01JD8K', [
      on('GET /hedges/hdg_01JD8K', ok(aHedge())),
    ]);
    expect(person.out).toMatch(/Struck rate\s+1,532\.71/);
    expect(program.document()).toMatchObject({ data: aHedge() });
  });

  it.each([
    ['one hedge', [aHedge()]],
    ['two', [aHedge(), aHedge({ id: 'hdg_2', status: 'failed' })]],
  ])('lists what a deal ID finds, also where that is %s: a script reads one shape', async (_, found) => {
    const { person, program } = await bothViews('hedges PAY-8841', [
      on('GET /hedges?client_reference=PAY-8841', ok(found)),
    ]);
    expect(person.out).toContain('hdg_01JD8K');
    expect(program.document()).toMatchObject({ data: found });
  });

  it('lists the one hedge whose id does not look like one, as of a deal ID', async () => {
    const { program } = await bothViews('hedges H-1', [
      on('GET /hedges?client_reference=H-1', ok([])),
      on('GET /hedges/H-1', ok(aHedge({ id: 'H-1' }))),
    ]);
    expect(program.document()).toMatchObject({ data: [{ id: 'H-1' }] });
  });

  it('asks for an unknown word as an id, so that the refusal is the service’s own', async () => {
    const { person, program } = await bothViews('hedges PAY-1', [
      on('GET /hedges?client_reference=PAY-1', ok([])),
      on('GET /hedges/PAY-1', no(404, 'hedge_not_found')),
    ]);
    expect([person.code, program.code]).toEqual([3, 3]);
    expect(person.err).toContain('hedge_not_found');
    expect(program.document()).toMatchObject({
      data: null,
      error: { code: 'hedge_not_found', http_status: 404 },
    });
  });

  it('has a hedge past its maturity that the positions still hold among the open ones, and says so', async () => {
    const date = { date: 'Fri, 20 Nov 2026 12:00:00 GMT' };
    const sent = [aHedge({ id: 'hdg_late', notional_usd: 10000, maturity_at: '2026-11-20T11:00:00Z' })];
    const held = aPosition({ ...unspecified.position, notional_usd: 10000 });
    const { person, program } = await bothViews('hedges', [
      on('GET /hedges?limit=100', ok(sent, {}, date)),
      on('GET /positions', ok([held], {}, date)),
      on('GET /hedges?limit=500', ok(sent, {}, date)),
    ]);
    expect(person.out).toMatch(/Total buy USDTNGN +10,000\.00 USD +in 1 hedge/);
    expect(person.out).toContain('Past its maturity, still in the positions: hdg_late');
    expect(program.document()).toMatchObject({ data: sent });
  });

  it('has two hedges past their maturity, of which a position without a size may hold either, as such', async () => {
    const date = { date: 'Fri, 20 Nov 2026 12:00:00 GMT' };
    const late = ['hdg_a', 'hdg_b'].map((id) =>
      aHedge({ id, opened_at: '2026-11-19T11:00:00Z', maturity_at: '2026-11-20T11:00:00Z' }),
    );
    const over = { opened_at: '2026-10-01T11:00:00Z', maturity_at: '2026-10-02T11:00:00Z' };
    const sent = [...late, aHedge({ id: 'hdg_c', status: 'closed', ...over })];
    const held = aPosition({ ...unspecified.position, notional_usd: undefined });
    const readings = [
      on('GET /positions', ok([held], {}, date)),
      on('GET /hedges?limit=500', ok(sent, {}, date)),
    ];
    const { person } = await bothViews('hedges', [
      on('GET /hedges?limit=100', ok(sent, {}, date)),
      ...readings,
    ]);
    expect(person.out).toMatch(
      /May be open: past maturity, and the side is in the positions\.[^]*hdg_a[^]*hdg_b[^]*Ended[^]*hdg_c/,
    );
    const { program } = await bothViews('hedges --status open', [
      on('GET /positions', ok([held], {}, date)),
      on('GET /hedges?status=filled&limit=500', ok(late, {}, date)),
      ...readings,
    ]);
    expect(program.document()).toMatchObject({ data: late });
  });

  it('shows a status it does not know', async () => {
    const { person } = await bothViews('hedges', [
      on('GET /hedges?limit=100', ok([aHedge({ status: 'rolled' })])),
    ]);
    expect(person.out).toContain('rolled');
  });
});

describe('a service that names unspecified fields otherwise, or leaves them out', () => {
  const elsewhere = {
    pair: 'USDTNGN',
    direction: 'buy',
    avg_in_price: 1532.7,
    fee_to_close_usdc: 5,
    nested: { a: 1 },
  };
  it.each([
    ['positions', 'GET /positions', [aPosition(elsewhere)]],
    ['history', 'GET /hedges/history', [aClosedHedge(elsewhere)]],
    ['account', 'GET /account', anAccount(elsewhere)],
  ])('%s shows whatever came, in both views', async (command, line, sent) => {
    const { person, program } = await bothViews(command, [on(line, ok(sent))]);
    expect([person.code, program.code]).toEqual([0, 0]);
    expect(program.document()).toMatchObject({ data: sent });
    for (const shown of ['USDTNGN', '1,532.70', '5.00']) expect(person.out).toContain(shown);
  });

  it.each([
    ['positions', 'GET /positions', [aPosition()], '1,012.50'],
    ['history', 'GET /hedges/history', [aClosedHedge()], '-12.25'],
    ['account', 'GET /account', anAccount(), '425,000.00'],
  ])('%s needs only the specified fields', async (command, line, sent, shown) => {
    const { person, program } = await bothViews(command, [on(line, ok(sent))]);
    expect(person.out).toContain(shown);
    expect(program.document()).toMatchObject({ data: sent });
  });
});

describe('positions, account and history as we assume them', () => {
  it('shows P&L with its sign and what closing returns', async () => {
    const { person } = await bothViews('positions', [
      on('GET /positions', ok([aPosition(unspecified.position)])),
    ]);
    expect(person.out).toContain('+0.82');
    expect(person.out).toContain('1,012.50');
  });

  it('says that the desk is flat', async () => {
    const { person, program } = await bothViews('positions', [on('GET /positions', ok([]))]);
    expect(person.out).toContain('No open positions');
    expect(program.document()).toMatchObject({ data: [] });
  });

  it('shows history with what it covers', async () => {
    const record = aClosedHedge(unspecified['closed hedge']);
    const { person, program } = await bothViews('history', [on('GET /hedges/history', ok([record]))]);
    expect(person.out).toContain('-12.25');
    expect(program.document()).toMatchObject({
      data: [record],
      meta: { covers: { count: 1, to: '2026-11-23T09:02:59Z' } },
    });
  });
});

describe('server-supplied text', () => {
  it('reaches the terminal harmless', async () => {
    const evil = 'A\u001b[2J\u001b]0;owned\u0007\r\nB\u202eC\u009b31m';
    const { person, program } = await bothViews('hedges hdg_1', [
      on('GET /hedges/hdg_1', ok(aHedge({ id: 'hdg_1', client_reference: evil, [`x${evil}`]: evil }))),
    ]);
    for (const out of [person.out, program.out]) expect([...out].filter(actsOnTerminals)).toEqual([]);
    expect(program.document()).toMatchObject({ data: { client_reference: evil } });
  });
});

/** C0 but the line end, DEL, C1, and the override that turns text round. */
function actsOnTerminals(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code < 0x20 && character !== '\n') || (code >= 0x7f && code <= 0x9f) || code === 0x202e;
}
