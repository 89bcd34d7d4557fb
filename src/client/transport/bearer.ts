/**
 * Puts the key on a request, as the last handler before the wire, and takes it out of whatever comes back: an
 * answer that repeats the key must not carry it into a screen, a log or a file. Nothing above sees the key.
 */
import type { ApiKey } from '../../domain/api-key.ts';
import type { Send, WireAnswer } from './wire.ts';

export function withBearer(key: ApiKey, send: Send): Send {
  const masked = (text: string): string => text.replaceAll(key.reveal(), key.masked);
  return async (request, attempt) => {
    const answer = await send(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${key.reveal()}` } },
      attempt,
    );
    const headers: WireAnswer['headers'] = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, masked(value)]),
    );
    return { ...answer, headers, body: masked(answer.body) };
  };
}
