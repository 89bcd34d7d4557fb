/**
 * A service that answers each request line with a function of the request. By default it prices as a test works out by
 * hand, and sends the fields that the specification names and no others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { aMarket, anAccount, aQuote, type Body, failed, succeeded } from '../spec/bodies.ts';
import { cliFor } from './cli-for.ts';
import { BASE_PATH, close, listen } from './scripted-service.ts';
import { loopbackTls } from './tls.ts';

/** `nth`: counts the requests of this line from 1. */
export interface Asked {
  body: Body;
  nth: number;
}

/** `data` of a success, or a refusal. */
export type Reply = { data: unknown } | { status: number; code: string };

export interface PricedService {
  url: string;
  ca: string;
  /** `POST /quotes`, in order of arrival, with the body. */
  requests: readonly { line: string; body: Body }[];
  count(line: string): number;
}

export const MID = 1500;

/** Impact 4 bps and 2 bps per 10,000 USD; carry 0.05 % or −0.02 % a day; fee 0.1 %; margin 10 %. */
export function priced({ market, side, notional_usd, tenor_days }: Body, mid: number = MID): Body {
  const notional = Number(notional_usd);
  const days = Number(tenor_days);
  const bps = 4 + (2 * notional) / 10_000;
  const daily = notional * (side === 'buy' ? 0.0005 : -0.0002);
  return aQuote({
    market,
    side,
    notional_usd,
    tenor_days,
    pricing: {
      market_price: mid,
      execution_price: mid + (side === 'buy' ? 1 : -1) * round((mid * bps) / 10_000),
      price_impact_usd: round((-notional * bps) / 10_000),
    },
    carry: {
      daily_usdc: round(daily),
      daily_rate_pct: side === 'buy' ? 0.05 : -0.02,
      total_usdc: round(daily * days),
      total_rate_pct: round((side === 'buy' ? 0.05 : -0.02) * days),
    },
    upfront: {
      required_margin_usdc: round(notional * 0.1),
      platform_fee_usdc: round(notional * 0.001),
      total_upfront_usdc: round(notional * 0.101),
    },
  });
}

const round = (amount: number): number => Number(amount.toFixed(6));

/** `date`: of the service, in each answer; none unless given. */
export async function pricedService(
  answers: Readonly<Record<string, (asked: Asked) => Reply>> = {},
  { date }: { date?: Date } = {},
): Promise<PricedService> {
  const { key, cert, ca } = await loopbackTls();
  const requests: { line: string; body: Body }[] = [];
  const every: Readonly<Record<string, (asked: Asked) => Reply>> = {
    'GET /markets': () => ({ data: [aMarket({ price: MID })] }),
    'GET /account': () => ({ data: anAccount() }),
    'POST /quotes': ({ body }) => ({ data: priced(body) }),
    ...answers,
  };
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method ?? ''} ${(request.url ?? '').replace(BASE_PATH, '')}`;
    const sent = await text(request);
    const body: Body = sent === '' ? {} : JSON.parse(sent);
    requests.push({ line, body });
    const nth = requests.filter((each) => each.line === line).length;
    const reply = every[line]?.({ body, nth }) ?? { status: 404, code: 'not_found' };
    const [status, envelope] =
      'data' in reply ? [200, succeeded(reply.data)] : [reply.status, failed(reply.code)];
    response.sendDate = false;
    if (date !== undefined) response.setHeader('date', date.toUTCString());
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(envelope));
  }
  const server = createServer({ key, cert, keepAliveTimeout: 0 }, (request, response) => {
    void serve(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  return {
    url: `https://127.0.0.1:${port}${BASE_PATH}`,
    ca,
    requests,
    count: (line) => requests.filter((each) => each.line === line).length,
  };
}

/** A line that ends with exit code 2 and this message, and sends nothing. */
export async function expectUsageError(words: string, says: string): Promise<void> {
  const service = await pricedService();
  const ran = await cliFor(service).run(words);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(says);
  expect(service.requests).toEqual([]);
}
