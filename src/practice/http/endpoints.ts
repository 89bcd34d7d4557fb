/** The twelve endpoints of the specification: what each takes and which part of the service answers it. */
import * as z from 'zod';
import { addToHedge, closeHedges, openHedge, reduceHedges } from '../actions/dealing.ts';
import { listMarkets, listPrices, quote } from '../actions/markets.ts';
import { account, listHedges, listHistory, listPositions, oneHedge } from '../actions/readings.ts';
import type { Sitting } from '../book/sitting.ts';
import type { OrderKind } from '../door.ts';
import * as answers from '../wire/answers.ts';
import type { Reply } from '../wire/envelope.ts';
import type { Json } from '../wire/json.ts';
import type { RefusalCode } from '../wire/refusal.ts';
import * as takes from '../wire/requests.ts';

/** A request that has been understood: what to do in the sitting, and its body as it was understood. */
export interface Work {
  run(sitting: Sitting): Reply;
  body: { readonly [name: string]: Json };
}

export interface Asked {
  /** The path's `{id}`, when it has one. */
  id: string;
  query: Record<string, string>;
  body: unknown;
}

export interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  /** Set when it changes the book. */
  action?: OrderKind;
  operation: string;
  summary: string;
  query: z.ZodType;
  body?: z.ZodType;
  data: z.ZodType;
  status: 200 | 201;
  refusals: readonly RefusalCode[];
  prepare(asked: Asked): Work;
}

type Described = Pick<Endpoint, 'path' | 'operation' | 'summary' | 'data'> & {
  refusals?: readonly RefusalCode[];
};

function reading<Q>(
  endpoint: Described & { query: z.ZodType<Q>; run: (sitting: Sitting, query: Q, id: string) => Reply },
): Endpoint {
  return {
    refusals: [],
    ...endpoint,
    method: 'GET',
    status: 200,
    prepare({ id, query }) {
      const asked = takes.taken(endpoint.query, query);
      return { run: (sitting) => endpoint.run(sitting, asked, id), body: {} };
    },
  };
}

function posting<B extends { [name: string]: Json | undefined }>(
  endpoint: Described & {
    action?: OrderKind;
    status: 200 | 201;
    body: z.ZodType<B>;
    run: (sitting: Sitting, body: B) => Reply;
  },
): Endpoint {
  return {
    refusals: [],
    ...endpoint,
    method: 'POST',
    query: takes.noQuery,
    prepare({ query, body }) {
      takes.taken(takes.noQuery, query);
      const asked = takes.taken(endpoint.body, body);
      return { run: (sitting) => endpoint.run(sitting, asked), body: understood(asked) };
    },
  };
}

function understood(body: { [name: string]: Json | undefined }): { [name: string]: Json } {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

const newNotional: readonly RefusalCode[] = [
  'exposure_exceeded',
  'capacity_exceeded',
  'insufficient_balance',
  'market_disabled',
  'market_not_found',
];

export const endpoints: readonly Endpoint[] = [
  reading({
    path: '/markets',
    operation: 'listMarkets',
    summary: 'Markets available to the account',
    query: takes.noQuery,
    data: z.array(answers.market),
    run: (sitting) => listMarkets(sitting),
  }),
  reading({
    path: '/prices',
    operation: 'listPrices',
    summary: 'Indicative mid rates; several symbols with commas, all when none is named',
    query: takes.pricesQuery,
    data: z.array(answers.price),
    refusals: ['market_not_found'],
    run: (sitting, query) => listPrices(sitting, query.symbols),
  }),
  posting({
    path: '/quotes',
    operation: 'quote',
    summary: 'Indicative quote; opens and stores nothing',
    status: 200,
    body: takes.quoteBody,
    data: answers.quote,
    refusals: ['market_not_found', 'market_disabled', 'capacity_exceeded'],
    run: (sitting, body) =>
      quote(sitting, {
        market: body.market,
        side: body.side,
        notional: takes.microOf(body.notional_usd),
        tenorDays: body.tenor_days,
      }),
  }),
  posting({
    path: '/hedges',
    action: 'open',
    operation: 'openHedge',
    summary: 'Open a hedge; it fills asynchronously',
    status: 201,
    body: takes.openBody,
    data: answers.opened,
    refusals: newNotional,
    run: (sitting, body) =>
      openHedge(sitting, {
        market: body.market,
        side: body.side,
        notional: takes.microOf(body.notional_usd),
        tenorDays: body.tenor_days,
        clientReference: body.client_reference ?? null,
      }),
  }),
  posting({
    path: '/hedges/add',
    action: 'add',
    operation: 'addToHedge',
    summary: 'Add notional to the newest open hedge of a side; its maturity stays',
    status: 200,
    body: takes.sizedBody,
    data: answers.submitted,
    refusals: ['no_open_hedge', ...newNotional],
    run: (sitting, { market, side, notional_usd }) =>
      addToHedge(sitting, { market, side, notional: takes.microOf(notional_usd) }),
  }),
  posting({
    path: '/hedges/reduce',
    action: 'reduce',
    operation: 'reduceHedges',
    summary: 'Remove notional from all open hedges of a side in proportion; 99 % or more closes it',
    status: 200,
    body: takes.sizedBody,
    data: answers.submitted,
    refusals: ['no_open_hedge', 'market_not_found'],
    run: (sitting, { market, side, notional_usd }) =>
      reduceHedges(sitting, { market, side, notional: takes.microOf(notional_usd) }),
  }),
  posting({
    path: '/hedges/close',
    action: 'close',
    operation: 'closeHedges',
    summary: 'Close all open hedges of a side',
    status: 200,
    body: takes.closeBody,
    data: answers.submitted,
    refusals: ['no_open_hedge', 'market_not_found'],
    run: (sitting, { market, side }) => closeHedges(sitting, { market, side }),
  }),
  reading({
    path: '/hedges',
    operation: 'listHedges',
    summary: 'Hedges, newest first',
    query: takes.hedgesQuery,
    data: z.array(answers.hedge),
    refusals: ['hedge_not_found'],
    run: (sitting, query) => listHedges(sitting, { ...query, clientReference: query.client_reference }),
  }),
  reading({
    path: '/hedges/history',
    operation: 'listHistory',
    summary: 'Closed hedges with what they realised, newest close first',
    query: takes.historyQuery,
    data: z.array(answers.record),
    refusals: ['hedge_not_found'],
    run: (sitting, query) => listHistory(sitting, query),
  }),
  reading({
    path: '/hedges/{id}',
    operation: 'oneHedge',
    summary: 'One hedge',
    query: takes.noQuery,
    data: answers.hedge,
    refusals: ['hedge_not_found'],
    run: (sitting, _query, id) => oneHedge(sitting, id),
  }),
  reading({
    path: '/positions',
    operation: 'listPositions',
    summary: 'Open positions, one line for each market and side',
    query: takes.noQuery,
    data: z.array(answers.position),
    run: (sitting) => listPositions(sitting),
  }),
  reading({
    path: '/account',
    operation: 'account',
    summary: 'Account summary',
    query: takes.noQuery,
    data: answers.account,
    run: (sitting) => account(sitting),
  }),
];
