/**
 * A service over HTTPS that is unwell as it is told, and writes down what reached it and when. What is well in it is as
 * the specification shows it; it keeps no book.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import {
  aMarket,
  anAcceptedOpen,
  anAccount,
  aQuote,
  type Body,
  failed,
  succeeded,
} from '../../spec/bodies.ts';
import { BASE_PATH, close, listen } from '../scripted-service.ts';
import { loopbackTls } from '../tls.ts';

export interface Arrival {
  /** Milliseconds, of no clock but its own. */
  at: number;
  /** `POST /hedges`, without the query. */
  line: string;
  /** The deal id in it, which tells who asks. */
  who: string | undefined;
  idempotencyKey: string | undefined;
  /** When it was answered for; undefined while it was not. */
  answeredAt: number | undefined;
  status: number | undefined;
}

export type Illness =
  | { how: 'well' }
  | { how: 'status'; status: number; code: string; retryAfter?: number | undefined }
  /** Nothing is answered, and the connection stays. */
  | { how: 'silent' }
  /** A byte every 300 ms, without end. */
  | { how: 'drip' }
  | { how: 'late'; ms: number };

/** What befalls a request; `earlier`: all that came before it. */
export type Ills = (arrival: Arrival, earlier: readonly Arrival[]) => Illness;

export interface UnwellService {
  url: string;
  ca: string;
  /** In the order in which they came, since the last `begin`. */
  arrivals: readonly Arrival[];
  begin(ills: Ills): void;
  close(): Promise<void>;
}

export const unwell: Illness = { how: 'status', status: 503, code: 'unwell' };
/** `seconds` undefined: no Retry-After. */
export const slowDown = (seconds?: number): Illness => ({
  how: 'status',
  status: 429,
  code: 'rate_limited',
  retryAfter: seconds,
});

/** What a reading or an open of 10,000 USD for three days is answered when all is well. */
const WELL: Readonly<Record<string, Body | readonly Body[]>> = {
  'GET /markets': [aMarket()],
  'GET /account': anAccount(),
  'GET /positions': [],
  'GET /hedges': [],
  'POST /quotes': aQuote(),
  'POST /hedges': anAcceptedOpen(),
};

const DRIP_MS = 300;

export async function unwellService(): Promise<UnwellService> {
  const tls = await loopbackTls();
  const arrivals: Arrival[] = [];
  let ills: Ills = () => ({ how: 'well' });
  const server = createServer({ key: tls.key, cert: tls.cert, keepAliveTimeout: 0 }, (request, response) => {
    // The clocks of the crowd go faster than the machine's.
    response.sendDate = false;
    void serve(request, response);
  });
  server.on('tlsClientError', () => undefined);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const body = await text(request).catch(() => '');
    const target = new URL(request.url ?? '', 'https://desk.test');
    const arrival: Arrival = {
      at,
      line: `${request.method ?? ''} ${target.pathname.replace(BASE_PATH, '')}`,
      who: target.searchParams.get('client_reference') ?? /"client_reference":"([^"]+)"/.exec(body)?.[1],
      idempotencyKey: request.headers['idempotency-key']?.toString(),
      answeredAt: undefined,
      status: undefined,
    };
    const illness = ills(arrival, arrivals);
    arrivals.push(arrival);
    play(illness, arrival, response);
  }

  const port = await listen(server);
  return {
    url: `https://127.0.0.1:${port.toString()}${BASE_PATH}`,
    ca: tls.ca,
    arrivals,
    begin(next) {
      ills = next;
      arrivals.length = 0;
    },
    close: () => close(server),
  };
}

function play(illness: Illness, arrival: Arrival, response: ServerResponse): void {
  const answer = (status: number, body: Body, headers: Readonly<Record<string, string>> = {}): void => {
    arrival.answeredAt = performance.now();
    arrival.status = status;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const well = (): void => {
    const data = WELL[arrival.line];
    if (data === undefined) answer(404, failed('not_found'));
    else answer(200, succeeded(data));
  };
  switch (illness.how) {
    case 'well':
      return well();
    case 'status': {
      const { status, code, retryAfter } = illness;
      return answer(
        status,
        failed(code),
        retryAfter === undefined ? {} : { 'retry-after': retryAfter.toString() },
      );
    }
    case 'silent':
      return undefined;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      const dripping = setInterval(() => response.write(' '), DRIP_MS);
      response.on('close', () => clearInterval(dripping));
      return undefined;
    }
    case 'late':
      setTimeout(well, illness.ms);
      return undefined;
  }
  return illness satisfies never;
}
