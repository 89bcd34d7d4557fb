import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { HedgeApi } from '../../src/client/hedge-api.ts';
import { decimalFrom } from '../../src/client/json.ts';
import { serializeAction } from '../../src/client/serialize-request.ts';
import { writeExactJson } from '../../src/domain/exact-json.ts';
import { UsageError } from '../../src/errors.ts';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAcceptedChange,
  anAcceptedClose,
  anAcceptedOpen,
  anAccount,
  aPosition,
  aQuote,
  MARKETS_META,
  QUOTE_META,
  unspecified,
} from '../spec/bodies.ts';
import { ENDPOINTS } from '../spec/rules.ts';
import { CANARY, rejection, TRANSPORTS } from '../support/scripted-client.ts';
import { json, ok, on } from '../support/scripted-service.ts';

const OPEN = {
  market: 'USDTNGN',
  side: 'buy',
  notional_usd: '10000.5',
  tenor_days: 3,
  client_reference: 'PAY-8841',
} as const;
const CHANGE = { market: 'USDTNGN', side: 'sell', notional_usd: new Big('2500') } as const;

interface Case {
  endpoint: string;
  call: (api: HedgeApi) => Promise<{ data: unknown }>;
  line: string;
  body: string;
  data: unknown;
}

const CASES: readonly Case[] = [
  {
    endpoint: 'GET /markets',
    call: (api) => api.markets(),
    line: 'GET /markets',
    body: '',
    data: [aMarket()],
  },
  {
    endpoint: 'GET /prices',
    call: (api) => api.price('USDTNGN'),
    line: 'GET /prices?symbols=USDTNGN',
    body: '',
    data: { market: 'USDTNGN', price: 1530.1 },
  },
  {
    endpoint: 'POST /quotes',
    call: (api) => api.quote({ market: 'USDTNGN', side: 'buy', notional_usd: '10000', tenor_days: 3 }),
    line: 'POST /quotes',
    body: '{"market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3}',
    data: aQuote(),
  },
  {
    endpoint: 'POST /hedges',
    call: (api) => api.open(OPEN, 'key-1'),
    line: 'POST /hedges',
    body: '{"market":"USDTNGN","side":"buy","notional_usd":10000.5,"tenor_days":3,"client_reference":"PAY-8841"}',
    data: anAcceptedOpen(),
  },
  {
    endpoint: 'POST /hedges/add',
    call: (api) => api.add(CHANGE, 'key-2'),
    line: 'POST /hedges/add',
    body: '{"market":"USDTNGN","side":"sell","notional_usd":2500}',
    data: anAcceptedChange(),
  },
  {
    endpoint: 'POST /hedges/reduce',
    call: (api) => api.reduce(CHANGE, 'key-3'),
    line: 'POST /hedges/reduce',
    body: '{"market":"USDTNGN","side":"sell","notional_usd":2500}',
    data: anAcceptedChange(),
  },
  {
    endpoint: 'POST /hedges/close',
    call: (api) => api.close({ market: 'USDTNGN', side: 'sell' }, 'key-4'),
    line: 'POST /hedges/close',
    body: '{"market":"USDTNGN","side":"sell"}',
    data: anAcceptedClose(),
  },
  {
    endpoint: 'GET /hedges',
    call: (api) => api.hedges({ status: 'filled', client_reference: 'PAY 1&2', limit: 500 }),
    line: 'GET /hedges?status=filled&client_reference=PAY%201%262&limit=500',
    body: '',
    data: [aHedge(), aHedge({ status: 'failed' })],
  },
  {
    endpoint: 'GET /hedges/{id}',
    call: (api) => api.hedge('hdg_01/../JD?8#K'),
    line: 'GET /hedges/hdg_01%2F..%2FJD%3F8%23K',
    body: '',
    data: aHedge({ id: 'hdg_01/../JD?8#K' }),
  },
  {
    endpoint: 'GET /hedges/history',
    call: (api) => api.history(),
    line: 'GET /hedges/history',
    body: '',
    data: [aClosedHedge()],
  },
  {
    endpoint: 'GET /positions',
    call: (api) => api.positions(),
    line: 'GET /positions',
    body: '',
    data: [aPosition()],
  },
  {
    endpoint: 'GET /account',
    call: (api) => api.account(),
    line: 'GET /account',
    body: '',
    data: anAccount(),
  },
];

describe.each(TRANSPORTS)('the endpoints, over the $road transport', ({ scriptedClient }) => {
  it('are all those of the specification', () => {
    expect(CASES.map(({ endpoint }) => endpoint).toSorted()).toEqual(
      ENDPOINTS.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  it.each(CASES)(
    '$endpoint is asked as the specification says, and its data comes through',
    async ({ call, line, body, data }) => {
      const { api, service } = await scriptedClient([on(line, ok(data, { ...QUOTE_META, later: [1] }))]);
      const answer = await call(api);
      expect(writeExactJson(answer.data)).toBe(JSON.stringify(data));
      expect(answer).toMatchObject({ meta: { source: 'onchain' } });
      expect(service.requests.map((request) => request.body)).toEqual([body]);
    },
  );

  it.each(CASES)(
    '$endpoint carries the key as a bearer, asks for plain JSON, and an idempotency key only if it acts',
    async ({ endpoint, call, line, data }) => {
      const { api, service } = await scriptedClient([on(line, ok(data))], { userAgent: 'hedge-cli/9' });
      await call(api);
      const idempotent = ENDPOINTS.find(({ method, path }) => `${method} ${path}` === endpoint)?.idempotent;
      const headers = service.requests[0]?.headers ?? {};
      expect(headers).toMatchObject({
        authorization: `Bearer hk_test_${CANARY}9f2c`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'hedge-cli/9',
      });
      expect('idempotency-key' in headers).toBe(idempotent);
      expect(headers['content-type']).toBe(line.startsWith('POST') ? 'application/json' : undefined);
    },
  );
});

describe.each(TRANSPORTS)('a response, over the $road transport', ({ scriptedClient }) => {
  it('has the meta of its envelope and the instant it was served', async () => {
    const { api } = await scriptedClient([
      on('GET /markets', ok([], MARKETS_META, { date: 'Fri, 20 Nov 2026 09:02:11 GMT' })),
    ]);
    const answer = await api.markets();
    expect(answer.meta).toEqual(MARKETS_META);
    expect(answer.servedAt?.toISOString()).toBe('2026-11-20T09:02:11.000Z');
  });

  it('without a readable date was served at no known instant, and may lack its meta', async () => {
    const { api } = await scriptedClient([
      on('GET /markets', json(200, { data: [], error: null }, { date: 'some time ago' })),
    ]);
    expect(await api.markets()).toMatchObject({ data: [], meta: {}, servedAt: undefined });
  });

  it('comes through whole where the service names unspecified fields otherwise, or leaves them out', async () => {
    const otherwise = { net_margin_usd: 1012.5, direction: 'long', pnl: { gross: 2.02 } };
    const account = { balance_usdc: 1, available_exposure_usd: 2, locked: '3' };
    const { api } = await scriptedClient([
      on('GET /positions', ok([otherwise])),
      on('GET /account', ok(account)),
      on(
        'GET /hedges/history',
        ok([{ net_pnl_usd: -1, ...unspecified['closed hedge'], reason: 9 }, { net_pnl_usd: 0 }]),
      ),
      on('GET /prices?symbols=USDTNGN', ok({ symbol: 'USDTNGN', quote: 1530.1 })),
    ]);
    expect(writeExactJson((await api.positions()).data)).toBe(JSON.stringify([otherwise]));
    expect(writeExactJson((await api.account()).data)).toBe(JSON.stringify(account));
    expect((await api.history()).data).toHaveLength(2);
    expect(writeExactJson((await api.price('USDTNGN')).data)).toBe('{"symbol":"USDTNGN","quote":1530.1}');
  });

  it('comes through whole where the history is that of a year: its request has no page', async () => {
    const closed = aClosedHedge({ id: 'hdg_01JD8K', note: 'a'.repeat(500) });
    const { api } = await scriptedClient([
      on('GET /hedges/history', ok(Array.from({ length: 2_500 }, () => closed))),
    ]);
    expect((await api.history()).data).toHaveLength(2_500);
  });

  it('keeps digits that a float would lose', async () => {
    const text =
      '{"data":{"balance_usdc":12345678901234567.89,"available_exposure_usd":0.1},"error":null,"meta":{}}';
    const { api } = await scriptedClient([
      on('GET /account', { kind: 'body', status: 200, body: text, headers: {} }),
    ]);
    expect(decimalFrom((await api.account()).data.balance_usdc)?.toFixed()).toBe('12345678901234567.89');
  });
});

describe.each(TRANSPORTS)(
  'what cannot be asked is refused before anything is sent, over the $road transport',
  ({ scriptedClient }) => {
    it.each<[string, (api: HedgeApi) => Promise<unknown>]>([
      ['a page of nothing', (api) => api.hedges({ limit: 0 })],
      ['a page beyond the largest', (api) => api.hedges({ limit: 501 })],
      ['the hedge called history', (api) => api.hedge('history')],
      ['the hedge called ..', (api) => api.hedge('..')],
      ['the hedge without an id', (api) => api.hedge('')],
      ['a notional of nothing', (api) => api.add({ ...CHANGE, notional_usd: '0' }, 'k')],
      ['a notional below nothing', (api) => api.add({ ...CHANGE, notional_usd: new Big(-5) }, 'k')],
      ['a notional that is no number', (api) => api.open({ ...OPEN, notional_usd: '1e3' }, 'k')],
      ['an empty idempotency key', (api) => api.open(OPEN, '')],
      ['a key with a blank', (api) => api.close(CHANGE, 'a b')],
      ['a key with a line break', (api) => api.close(CHANGE, 'a\r\nx: y')],
      ['a key beyond ASCII', (api) => api.close(CHANGE, 'clé')],
      ['a key of 256 characters', (api) => api.close(CHANGE, 'k'.repeat(256))],
    ])('%s', async (_, call) => {
      const { api, service } = await scriptedClient([]);
      expect(await rejection(call(api))).toBeInstanceOf(UsageError);
      expect(service.requests).toEqual([]);
    });
  },
);

describe.each(TRANSPORTS)('a prepared action, over the $road transport', ({ scriptedClient }) => {
  it('is sent byte for byte as it was written down', async () => {
    const prepared = serializeAction('open', { ...OPEN, notional_usd: new Big('10000.50') });
    const kept = { ...prepared, body: prepared.body.replace('{', '{ ') };
    const { api, service } = await scriptedClient([on('POST /hedges', ok(anAcceptedOpen()))]);
    const answer = await api.act(kept, 'key-of-yesterday');
    expect(answer.data).toMatchObject({ hedge_id: 'hdg_01JD8K', status: 'submitted' });
    expect(service.requests[0]?.body).toBe(kept.body);
    expect(service.requests[0]?.headers['idempotency-key']).toBe('key-of-yesterday');
  });

  it('is accepted when only its transaction hash is missing, since the hedge can be followed', async () => {
    const { api } = await scriptedClient([on('POST /hedges', ok(anAcceptedOpen({ order_tx_hash: null })))]);
    expect((await api.open(OPEN, 'k')).data.hedge_id).toBe('hdg_01JD8K');
  });
});
