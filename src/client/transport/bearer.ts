/**
 * Puts the key on a request, as the last handler before the wire, and takes it out of the headers that come back: an
 * answer that repeats the key must not carry it into a screen, a log or a file. Its body is masked once it is read
 * (envelope.ts).
 */
import type { ApiKey } from '../../domain/api-key.ts';
import type { KeyMask } from '../../domain/key-mask.ts';
import type { Send, WireAnswer } from './wire.ts';

export function withBearer(key: ApiKey, mask: KeyMask, send: Send): Send {
  return async (request, attempt) => {
    const answer = await send(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${key.reveal()}` } },
      attempt,
    );
    const headers: WireAnswer['headers'] = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [mask.text(name), mask.text(value)]),
    );
    return { ...answer, headers };
  };
}
