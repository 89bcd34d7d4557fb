import { describe, expect, it } from 'vitest';
import { readSharedFacts } from '../../src/runs/deals/open-deals.ts';
import { NO_LIMITS } from '../../src/trading/guards/guard-plan.ts';
import { readFacts } from '../../src/trading/read-facts.ts';
import { DESK } from '../journal/records.ts';
import { aHedge, aMarket, anAccount, aPosition, aQuote, type Body } from '../spec/bodies.ts';
import { rejection, scriptedClient } from '../support/scripted-client.ts';
import { type Answer, type Exchange, no, ok, on } from '../support/scripted-service.ts';
import { hedge, intent } from './facts.ts';
import { aJournal, recordingWatch } from './read-context.ts';
import { dealingDesk } from './trading-context.ts';

const BUY = aPosition({ market: 'USDTNGN', side: 'buy', notional_usd: 10_000 });
const WHOLE = '/hedges?limit=500';
const status = (name: string) => `GET /hedges?status=${name}&limit=500`;
/** Hedges of 10 USD each, newest first. */
const many = (count: number, changes: Body = {}): readonly Body[] =>
  Array.from({ length: count }, (_, at) => aHedge({ id: `hdg_${at}`, notional_usd: 10, ...changes }));

const besides = (): readonly Exchange[] => [
  on('GET /markets', ok([aMarket()])),
  on('GET /account', ok(anAccount())),
];
const theBook = (
  hedges: readonly unknown[],
  positions: readonly unknown[] = hedges.length > 0 ? [BUY] : [],
): readonly Exchange[] => [on('GET /positions', ok(positions)), on(`GET ${WHOLE}`, ok(hedges))];

async function factsOf(
  line: string,
  script: readonly Exchange[],
  options: { dealId?: string; timeout?: string } = {},
) {
  // A reduce or close reads no account.
  const read = /^(reduce|close) /.test(line) ? script.filter((each) => each.on !== 'GET /account') : script;
  const { api, clock, service } = await scriptedClient(read);
  const signal = new AbortController().signal;
  const reading = {
    api,
    clock,
    signal,
    journal: aJournal(clock),
    identity: DESK,
    progress: recordingWatch(),
    limits: () => NO_LIMITS,
  };
  return { facts: readFacts(intent(line, options), reading), service, clock };
}

describe('what an action is decided on', () => {
  it('of an open is the book, the market, the account, and a quote for exactly what is meant', async () => {
    const { facts, service } = await factsOf('open USDTNGN buy 10k', [
      ...besides(),
      ...theBook([aHedge()]),
      on('POST /quotes', ok(aQuote())),
    ]);
    const { sidePosition, market, account, quote, underDealId } = await facts;
    expect(sidePosition.total?.toFixed()).toBe('10000');
    expect([market?.market, account?.balance_usdc.toFixed(), quote?.tenor_days.toFixed()]).toEqual([
      'USDTNGN',
      '41320',
      '3',
    ]);
    expect(underDealId).toEqual([]);
    const sent = service.requests.find(({ line }) => line === 'POST /quotes');
    expect(sent?.body).toBe('{"market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3}');
  });

  it('of an open with a deal ID has the hedges under it, also from a service that does not filter', async () => {
    const { facts } = await factsOf(
      'open USDTNGN buy 10k',
      [
        ...besides(),
        ...theBook([]),
        on('POST /quotes', ok(aQuote())),
        on(
          'GET /hedges?client_reference=PAY-1&limit=500',
          ok([aHedge({ id: 'hdg_1', client_reference: 'PAY-1', side: 'sell' }), aHedge({ id: 'hdg_2' })]),
        ),
      ],
      { dealId: 'PAY-1' },
    );
    expect((await facts).underDealId.map(({ id }) => id)).toEqual(['hdg_1']);
  });

  it('of an open with a deal ID believes a service that filters, however many it sends', async () => {
    const mine = many(10, { client_reference: 'PAY-1' });
    const script = [
      ...besides(),
      ...theBook([]),
      on('POST /quotes', ok(aQuote())),
      on('GET /hedges?client_reference=PAY-1&limit=500', ok(mine)),
    ];
    const { facts } = await factsOf('open USDTNGN buy 10k', script, { dealId: 'PAY-1' });
    expect((await facts).underDealId).toHaveLength(10);
  });

  it('of an add is quoted at the tenor of the newest open hedge', async () => {
    const { facts, service } = await factsOf('add USDTNGN buy 10k', [
      ...besides(),
      ...theBook([
        aHedge({ id: 'hdg_C', status: 'submitted', tenor_days: 1 }),
        aHedge({ id: 'hdg_B', tenor_days: 7 }),
      ]),
      on('POST /quotes', ok(aQuote({ tenor_days: 7 }))),
    ]);
    expect((await facts).quote?.tenor_days.toFixed()).toBe('7');
    expect(service.requests.find(({ line }) => line === 'POST /quotes')?.body).toContain('"tenor_days":7');
  });

  it('of an add to nothing has no quote', async () => {
    const { facts } = await factsOf('add USDTNGN buy 10k', [...besides(), ...theBook([])]);
    expect((await facts).quote).toBeUndefined();
  });

  it.each(['reduce USDTNGN buy 5k', 'close USDTNGN buy'])('of %s asks for no quote', async (line) => {
    const { facts } = await factsOf(line, [...besides(), ...theBook([aHedge()])]);
    expect(await facts).toMatchObject({ quote: undefined, market: { market: 'USDTNGN' } });
  });

  it.each([
    ['is disabled', [aMarket({ status: 'disabled' })], no(400, 'market_disabled')],
    ['is not in the list', [], no(404, 'market_not_found')],
    [
      'has less capacity than that',
      [aMarket({ available_capacity_usd: { buy: 9_999, sell: 500_000 } })],
      no(400, 'capacity_exceeded'),
    ],
  ])('goes without the quote of a market that %s', async (_, markets, refusal: Answer) => {
    const { facts } = await factsOf('open USDTNGN buy 10k', [
      on('GET /markets', ok(markets)),
      on('GET /account', ok(anAccount())),
      ...theBook([]),
      on('POST /quotes', refusal),
    ]);
    expect((await facts).quote).toBeUndefined();
  });

  it('fails with any other refusal of the quote', async () => {
    const { facts } = await factsOf('open USDTNGN buy 10k', [
      ...besides(),
      ...theBook([]),
      on('POST /quotes', no(400, 'invalid_request')),
    ]);
    expect(await rejection(facts)).toMatchObject({ code: 'invalid_request' });
  });

  it('reads the book again when positions and hedges disagree, and says what disagrees still', async () => {
    const stale = theBook([aHedge({ notional_usd: 15_000 })]);
    const { facts } = await factsOf('close USDTNGN buy', [
      ...besides(),
      ...stale,
      on('GET /positions', ok([aPosition({ market: 'USDTNGN', side: 'buy', notional_usd: 15_000 })])),
      on(`GET ${WHOLE}`, ok([aHedge({ notional_usd: 15_000 })])),
    ]);
    expect((await facts).sidePosition.total?.toFixed()).toBe('15000');
    const again = await factsOf('close USDTNGN buy', [...besides(), ...stale, ...stale]);
    expect((await again.facts).sidePosition.unclear).toContain('the position is 10,000.00 USD');
  });

  it('reads the book again at once when a hedge was filled between the two requests', async () => {
    const book = [aHedge({ filled_at: '2026-11-20T09:02:10Z', opened_at: '2026-11-20T09:02:10Z' })];
    const byId = on('GET /hedges/hdg_01JD8K', ok(aHedge()));
    const script = [...besides(), ...theBook(book, []), byId, ...theBook(book)];
    const { facts, clock } = await factsOf('close USDTNGN buy', script);
    expect((await facts).sidePosition.inPositions).toBe(true);
    expect(clock.sleeps).toEqual([]);
  });
});

describe('positions that lack a side with an old hedge', () => {
  const OLD = [aHedge({ filled_at: '2026-11-20T08:00:00Z', opened_at: '2026-11-20T08:00:00Z' })];
  const lacking = theBook(OLD, []);
  const history = (...records: readonly Body[]) => on('GET /hedges/history', ok(records));
  const sideOf = async (line: string, script: readonly Exchange[], options: { timeout?: string } = {}) => {
    const { facts, clock } = await factsOf(line, [...besides(), ...script], options);
    return { sidePosition: facts.then(({ sidePosition }) => sidePosition), clock };
  };

  it('are read again after a second, not from the same replica at once', async () => {
    const { sidePosition, clock } = await sideOf('close USDTNGN buy', [...lacking, ...theBook(OLD)]);
    expect((await sidePosition).inPositions).toBe(true);
    expect(clock.sleeps).toEqual([1_000]);
  });

  it('are not believed a second time while the history lacks the hedge', async () => {
    const { sidePosition } = await sideOf('close USDTNGN buy', [
      ...lacking,
      ...lacking,
      history({ hedge_id: 'hdg_OTHER', net_pnl_usd: 1 }),
      ...theBook(OLD),
    ]);
    expect((await sidePosition).inPositions).toBe(true);
  });

  it('are believed with its record in the history, where a close leaves it filled', async () => {
    const { sidePosition, clock } = await sideOf('close USDTNGN buy', [
      ...lacking,
      ...lacking,
      history({ hedge_id: 'hdg_01JD8K', net_pnl_usd: 1 }),
    ]);
    expect((await sidePosition).inPositions).toBe(false);
    expect(clock.sleeps).toEqual([1_000]);
  });

  it.each([
    ['without its record', ok([])],
    ['that names no hedge', ok([{ net_pnl_usd: 1 }])],
    ['that cannot be read', no(400, 'not_here')],
  ])('and a history %s are not believed before the timeout', async (_, told) => {
    const polls = [...lacking, ...lacking, on('GET /hedges/history', told), ...lacking];
    const { sidePosition } = await sideOf(
      'close USDTNGN buy',
      [...polls, on('GET /hedges/history', told), ...lacking, on('GET /hedges/history', told)],
      { timeout: '3' },
    );
    expect(await rejection(sidePosition)).toMatchObject({ code: 'outcome_unknown', effect: 'none' });
  });
});

describe('the list of hedges', () => {
  const probe = (count: number) => on('GET /hedges?limit=1', ok(many(count)));
  const cutOf = async (script: readonly Exchange[]) => {
    const { facts } = await factsOf('close USDTNGN buy', [
      ...besides(),
      on('GET /positions', ok([aPosition({ market: 'USDTNGN', side: 'buy' })])),
      ...script,
    ]);
    const { positionFacts, sidePosition } = await facts;
    return {
      cut: positionFacts.mayBeCut,
      total: sidePosition.total?.toFixed(),
      hedges: positionFacts.hedges.length,
    };
  };

  it.each([1, 7, 19])('of %d hedges is whole', async (count) => {
    expect(await cutOf([on(`GET ${WHOLE}`, ok(many(count)))])).toEqual({
      cut: false,
      total: (count * 10).toString(),
      hedges: count,
    });
  });

  it('of 10 hedges is whole where the page size is obeyed', async () => {
    expect(await cutOf([on(`GET ${WHOLE}`, ok(many(10))), probe(1)])).toMatchObject({ cut: false });
  });

  it.each([
    [20, true],
    [24, false],
    [25, true],
    [99, false],
    [100, true],
    [256, false],
    [499, false],
  ])('of %d hedges, all filled, may be cut at a smaller page than was asked for: %s', async (count, cut) => {
    const script = [
      on(`GET ${WHOLE}`, ok(many(count))),
      on(status('filled'), ok(many(count))),
      on(status('submitted'), ok([])),
      on(status('submitting'), ok([])),
      ...(cut ? [] : [probe(1)]),
    ];
    expect(await cutOf(script)).toMatchObject({ cut });
  });

  it('of a page that reaches further back than any hedge lives has all that matter', async () => {
    const old = { status: 'closed', opened_at: '2026-11-12T08:00:00Z', maturity_at: '2026-11-19T08:00:00Z' };
    const page = [...many(12), ...many(488, old).map(renamed)];
    expect(await cutOf([on(`GET ${WHOLE}`, dated(page))])).toEqual({ cut: false, total: '120', hedges: 500 });
  });

  it.each([
    ['that is not old enough', [...many(499), aHedge({ opened_at: '2026-11-12T10:00:00Z' })]],
    ['that is not the newest first', [aHedge({ opened_at: '2026-11-01T10:00:00Z' }), ...many(499)]],
    [
      'of which a part only is old',
      [
        aHedge({ opened_at: '2026-11-01T10:00:00Z' }),
        ...many(498),
        aHedge({ opened_at: '2026-11-01T10:00:00Z' }),
      ],
    ],
  ])('of a page %s is read by status', async (_, page) => {
    const script = [
      on(`GET ${WHOLE}`, dated(page)),
      ...['filled', 'submitted', 'submitting'].map((name) => on(status(name), ok([]))),
    ];
    expect((await cutOf(script)).cut).toBe(false);
  });

  it('of a round page of a service that chooses its own is read by status', async () => {
    const page = many(20, { status: 'closed' });
    const script = [
      on(`GET ${WHOLE}`, ok(page)),
      on(status('filled'), ok([aHedge({ id: 'hdg_old', notional_usd: 70 })])),
      on(status('submitted'), ok([])),
      on(status('submitting'), ok([])),
    ];
    expect(await cutOf(script)).toEqual({ cut: false, total: '70', hedges: 21 });
  });

  it('of 500 hedges is read by status, and each hedge counts once', async () => {
    const filled = many(30);
    const script = [
      on(`GET ${WHOLE}`, ok([...many(12), ...many(488, { status: 'closed' }).map(renamed)])),
      on(status('filled'), ok(filled)),
      on(status('submitted'), ok([])),
      on(status('submitting'), ok([])),
    ];
    expect(await cutOf(script)).toEqual({ cut: false, total: '300', hedges: 518 });
  });

  it.each([
    ['500 are filled', many(500)],
    ['the service does not filter', [aHedge({ id: 'hdg_X', status: 'closed' })]],
  ])('may be cut where %s', async (_, filled) => {
    const script = [
      on(`GET ${WHOLE}`, ok(many(500))),
      on(status('filled'), ok(filled)),
      on(status('submitted'), ok([])),
      on(status('submitting'), ok([])),
    ];
    expect(await cutOf(script)).toMatchObject({ cut: true, total: undefined });
  });
});

describe('a service that rejects the page size', () => {
  const rejected = on(`GET ${WHOLE}`, no(400, 'invalid_request'));

  it('is asked without it, once and for all, and its list is whole where it looks whole', async () => {
    const { facts } = await factsOf(
      'open USDTNGN buy 10k',
      [
        ...besides(),
        on('GET /positions', ok([BUY])),
        rejected,
        on('GET /hedges', ok([aHedge()])),
        on('GET /hedges?client_reference=PAY-1&limit=500', no(400, 'invalid_request')),
        on('GET /hedges?client_reference=PAY-1', ok([])),
        on('POST /quotes', ok(aQuote())),
      ],
      { dealId: 'PAY-1' },
    );
    const { sidePosition, underDealIdCut } = await facts;
    expect([sidePosition.total?.toFixed(), sidePosition.mayBeCut, underDealIdCut]).toEqual([
      '10000',
      false,
      false,
    ]);
  });

  it('may have more hedges than a page of its own choice, which is read by status', async () => {
    const page = many(20, { status: 'closed' });
    const script = [rejected, on('GET /hedges', ok(page))];
    const byStatus = ['filled', 'submitted', 'submitting'].map((name) =>
      on(`GET /hedges?status=${name}`, ok(name === 'filled' ? many(20) : [])),
    );
    const { facts } = await factsOf('close USDTNGN buy', [
      ...besides(),
      on('GET /positions', ok([aPosition({ market: 'USDTNGN', side: 'buy' })])),
      ...script,
      ...byStatus,
    ]);
    expect((await facts).sidePosition).toMatchObject({ mayBeCut: true, inPositions: true, total: undefined });
  });

  it('with another reason for it says that reason', async () => {
    const { facts } = await factsOf('close USDTNGN buy', [
      ...besides(),
      on('GET /positions', ok([BUY])),
      rejected,
      on('GET /hedges', no(400, 'no_account')),
    ]);
    expect(await rejection(facts)).toMatchObject({ code: 'no_account' });
  });
});

/** Answered at 09:03 on the 20th. */
const dated = (hedges: readonly Body[]): Answer => ok(hedges, {}, { date: 'Fri, 20 Nov 2026 09:03:11 GMT' });
const renamed = (sent: Body, at: number): Body => ({ ...sent, id: `hdg_closed_${at}` });

describe('what a row of a deals file is decided on', () => {
  it('is as old as the reading that the rows share', async () => {
    const { practice, tradingContext } = await dealingDesk();
    const context = tradingContext();
    const sharedMs = practice.clock.now();
    const shared = await readSharedFacts(context, new Set());
    practice.clock.pass(120_000);
    const { readAtMs } = await readFacts(intent('open USDTNGN buy 10k'), { ...context, shared });
    expect(readAtMs - sharedMs).toBeLessThan(60_000);
  });

  it.each([
    [7, true],
    [40, false],
  ])('lacks no open hedge where a full page goes %i days back: %s', async (days, mayBeCut) => {
    const { practice, tradingContext } = await dealingDesk();
    const context = tradingContext();
    const shared = await readSharedFacts(context, new Set());
    const openedAt = new Date(practice.clock.now() - days * 86_400_000).toISOString();
    const hedges = [hedge('hdg_1', 10_000, { status: 'closed', opened_at: openedAt })];
    const list = { ...shared.list, hedges, mayBeCut: true };
    const { positionFacts } = await readFacts(intent('open USDTNGN buy 10k'), {
      ...context,
      shared: { ...shared, list },
    });
    expect(positionFacts.mayBeCut).toBe(mayBeCut);
  });
});
