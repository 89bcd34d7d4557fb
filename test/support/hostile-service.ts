/**
 * A service that answers every endpoint as the specification shows, and puts somebody else's text into every string
 * that it may choose by itself, into the names of fields that nobody knows, and, when told, into one value that is
 * specified otherwise or into a refusal. It acts on a small book of one side.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as passes } from 'node:timers/promises';
import * as z from 'zod/mini';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAcceptedChange,
  anAcceptedOpen,
  anAccount,
  aPosition,
  aQuote,
  type Body,
  failed,
  succeeded,
  unspecified,
} from '../spec/bodies.ts';
import { BASE_PATH, close, listen } from './scripted-service.ts';
import { loopbackTls } from './tls.ts';

/** What an answer says in the place of a harmless text. */
export type Says = (harmless: string) => string;

export interface Temper {
  says: Says;
  /** Every request, or every action, is refused in the service's own words. */
  refuses?: 'all' | 'actions' | undefined;
  /** The value of this number, in the order of the document, becomes a text too. */
  spoils?: number | undefined;
  /** Milliseconds that an answer takes. */
  slowMs?: number | undefined;
  /** The JSON of every answer is spelled otherwise. */
  spells?: ((json: string) => string) | undefined;
  /** The hedges of deal PAY-1: none of them is filled, or several of them are open on one side. */
  deal?: 'submitted' | 'several' | undefined;
  /** A header of every answer. */
  header?: string | undefined;
}

export interface HostileService {
  url: string;
  ca: string;
  /** `POST /quotes`, in order of arrival. */
  requests: readonly string[];
  /** From now on; the book is as at the beginning. */
  become(temper: Temper): void;
  close(): Promise<void>;
}

const OPEN_USD = 10_000;
const asked = z.looseObject({
  market: z.string(),
  side: z.string(),
  notional_usd: z.optional(z.number()),
  tenor_days: z.optional(z.number()),
});

export async function hostileService(): Promise<HostileService> {
  const tls = await loopbackTls();
  let temper: Temper = { says: (harmless) => harmless };
  let open = OPEN_USD;
  const requests: string[] = [];

  const hedges = (): readonly Body[] => {
    const { says, deal } = temper;
    const running = { opened_at: inHours(-1), filled_at: inHours(-1), maturity_at: inHours(71) };
    const named = { client_reference: says('PAY-1'), order_tx_hash: says('0x1'), fill_tx_hash: says('0x2') };
    const base = { ...running, ...named, order_key: says('0xk'), ...unknown(says) };
    const ofDeal = {
      ...base,
      client_reference: 'PAY-1',
      status: deal === 'several' ? 'filled' : 'submitted',
    };
    if (deal !== undefined)
      return ['hdg_1', 'hdg_2'].map((id) => aHedge({ ...ofDeal, id: says(id), notional_usd: open / 2 }));
    return [
      aHedge({ ...base, id: says('hdg_1'), notional_usd: open }),
      aHedge({ ...base, id: says('hdg_2'), market: says('USDTKES'), side: 'sell' }),
      aHedge({ ...base, id: says('hdg_3'), side: 'sell', status: says('settling') }),
    ].filter(({ notional_usd: size }) => size !== 0);
  };

  function dataOf(method: string, path: string, body: string): unknown {
    const { says } = temper;
    const more = unknown(says);
    if (method === 'POST') {
      const request = asked.parse(JSON.parse(body));
      const echo = { market: request.market, side: request.side };
      const size = request.notional_usd ?? 0;
      if (path === '/quotes')
        return aQuote({ ...echo, notional_usd: size, tenor_days: request.tenor_days ?? 3, ...more });
      if (path === '/hedges')
        return anAcceptedOpen({ hedge_id: says('hdg_9'), order_tx_hash: says('0x9'), ...more });
      open = path === '/hedges/close' ? 0 : open + (path === '/hedges/add' ? size : -size);
      return anAcceptedChange({ order_tx_hash: says('0x8'), status: says('submitted'), ...more });
    }
    if (path === '/markets')
      return [aMarket(more), aMarket({ market: says('USDTKES'), status: says('open') })];
    if (path === '/prices') return { market: 'USDTNGN', price: 1530.1, ...more };
    if (path === '/account') return anAccount({ ...unspecified.account, ...more });
    if (path === '/positions') {
      const other = aPosition({ market: says('USDTKES'), side: says('sell'), notional_usd: 5, ...more });
      const ours = aPosition({ ...unspecified.position, notional_usd: open, ...more });
      if (temper.deal === 'submitted') return [];
      return open === 0 ? [other] : [ours, other];
    }
    const record = { ...unspecified['closed hedge'], id: says('hdg_0'), reason: says('maturity') };
    if (path === '/hedges/history') return [aClosedHedge({ ...record, market: says('USDTNGN'), ...more })];
    if (path === '/hedges') return hedges();
    // Whichever hedge is asked for, it is this one: what is in flight ends.
    return { ...hedges()[0], id: decodeURIComponent(path.slice('/hedges/'.length)) };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url = '' } = request;
    const path = url.replace(BASE_PATH, '').replace(/\?.*/, '');
    requests.push(`${method} ${path}`);
    const { says, refuses, spoils, slowMs = 0, spells = asItIs, header } = temper;
    if (slowMs > 0) await passes(slowMs);
    const refused =
      refuses === 'all' || (refuses === 'actions' && path.startsWith('/hedges') && method === 'POST');
    const meta = { source: says('onchain'), allowed_markets: ['USDTNGN', says('USDTKES')], ...unknown(says) };
    const details = { ...unknown(says), list: [says('a'), { [says('name')]: says('b') }] };
    const answer = refused
      ? failed(says('exposure_exceeded'), says('would exceed the cap'), details)
      : succeeded(dataOf(method, path, body), meta);
    const spoilt = spoils === undefined ? answer : withSpoilt(answer, spoils, says);
    const headers = header === undefined ? {} : { 'x-request-id': header };
    response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json', ...headers });
    response.end(spells(JSON.stringify(spoilt)));
  }

  const server = createServer(tls, (request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const port = await listen(server);
  return {
    requests,
    url: `https://127.0.0.1:${port.toString()}${BASE_PATH}`,
    ca: tls.ca,
    become(next) {
      temper = next;
      open = OPEN_USD;
    },
    close: () => close(server),
  };
}

const asItIs = (json: string): string => json;

/** Fields that no specification has: their names are the service's own too. */
const unknown = (says: Says): Body => ({
  [says('note')]: says('hello'),
  venue: says('dex'),
  nested: { [says('deep')]: [says('x'), says('y')] },
});

const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** The same document, its leaf of that number (round and round) a text of the service's own. */
function withSpoilt(document: Body, number: number, says: Says): unknown {
  const count = leavesOf(document);
  let left = number % count;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
    return left-- === 0 ? says('spoilt') : value;
  };
  return walk(document);
}

const leavesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + leavesOf(inner), 0)
    : 1;
