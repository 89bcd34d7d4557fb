/** The log of requests as the control API shows it, and what it is verified for. */
import { clientReferenceOf, jsonIn } from '../domain/request-match.ts';
import type { ReceivedRequest, RequestLog } from '../http/request-log.ts';
import type { Compared, Expectation, ShownRequest, Verification } from './control-schemas.ts';

/** The API key, and headers that differ with each start of the service. */
const LEFT_OUT = ['authorization', 'proxy-authorization', 'cookie', 'host'];

export function showRequest(received: ReceivedRequest): ShownRequest {
  const { number, at, environment, method, path, search, headers, key, end } = received;
  return {
    number,
    at: new Date(at).toISOString(),
    environment,
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined || LEFT_OUT.includes(name) ? [] : [[name, String(value)]],
      ),
    ),
    body: bodyOf(received),
    key: key ?? null,
    client_reference: clientReferenceOf(received) ?? null,
    status: end?.status ?? null,
    code: end?.code ?? null,
    replayed: end?.replayed === true,
    executed: end?.executed === true,
    fault: end?.fault ?? null,
  };
}

/** The JSON value, or the text that is none; null without a body. */
function bodyOf({ body }: ReceivedRequest): unknown {
  return body.length === 0 ? null : (jsonIn(body) ?? body.toString('utf8'));
}

export const MOST_SHOWN = 1_000;

export function verifyRequests(log: RequestLog, book: string, expected: Expectation): Verification {
  const found = log.find(book, expected.match);
  const complete = log.isComplete(book);
  const { count, at_most: most, same = [] } = expected;
  // Without a number, no request at all would pass.
  const { at_least: least = count === undefined && most === undefined ? 1 : 0 } = expected;
  const wrong = [
    ...(count !== undefined && found.length !== count ? [`expected exactly ${count}`] : []),
    ...(found.length < least ? [`expected at least ${least}`] : []),
    ...(most !== undefined && found.length > most ? [`expected at most ${most}`] : []),
    ...same
      .filter((field) => new Set(found.map((each) => comparedText(each, field))).size > 1)
      .map((field) => `expected one ${field}, saw ${listOf(found, field)}`),
  ];
  const saw = `${found.length} ${found.length === 1 ? 'request matches' : 'requests match'}`;
  const dropped = complete ? '' : ' Older requests were dropped from the log.';
  return {
    verified: wrong.length === 0,
    count: found.length,
    complete,
    message: `${[saw, ...wrong].join('; ')}.${dropped}`,
    requests: found.slice(-MOST_SHOWN).map(showRequest),
  };
}

/** A body is compared as it was sent, byte by byte. */
function comparedText(received: ReceivedRequest, field: Compared): string {
  if (field === 'body') return received.body.toString('latin1');
  return JSON.stringify((field === 'key' ? received.key : clientReferenceOf(received)) ?? null);
}

function listOf(found: readonly ReceivedRequest[], field: Compared): string {
  const texts = [...new Set(found.map((each) => comparedText(each, field)))];
  return field === 'body' ? `${texts.length} different ones` : texts.slice(0, 5).join(', ');
}
