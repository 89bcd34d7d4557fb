/**
 * The wire as `-v` shows it: a few lines an attempt. It stands above the bearer handler, so it never sees the
 * key; bodies are not shown.
 */
import { forScreen } from '../../domain/service-text.ts';
import { withoutKeys } from '../../domain/without-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from './failure.ts';
import type { Send, WireRequest } from './wire.ts';

export type Trace = (line: string) => void;

/** `masked` is the key's mask, shown in the place of the bearer. */
export function withTrace(parts: { trace: Trace; clock: Clock; masked: string }, send: Send): Send {
  const { clock, masked } = parts;
  const say = (line: string): void => parts.trace(withoutKeys(forScreen(line)));
  return async (request, attempt) => {
    say(`> ${request.method} ${request.path} attempt ${attempt.number}`);
    for (const line of headerLines(request, masked)) say(`> ${line}`);
    const startedAt = clock.monotonic();
    const took = (): string => `${Math.round(clock.monotonic() - startedAt)} ms`;
    try {
      const answer = await send(request, attempt);
      say(`< ${answer.status} in ${took()}`);
      for (const [name, value] of Object.entries(answer.headers)) say(`< ${name}: ${value}`);
      return answer;
    } catch (error) {
      const says = error instanceof Failure ? error.parts.says : 'an error';
      const status = error instanceof Failure ? error.parts.status : undefined;
      say(`< ${status ?? 'nothing'} in ${took()}: ${says}`);
      throw error;
    }
  };
}

const headerLines = (request: WireRequest, masked: string): string[] => [
  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  `authorization: Bearer ${masked}`,
];
