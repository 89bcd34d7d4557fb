import { assert, constantFrom, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FailureParts } from '../../../src/client/transport/request-failure.ts';
import { type RetryState, retryDelay, shouldRetry } from '../../../src/client/transport/retry-policy.ts';
import { ERROR_CODES } from '../../spec/rules.ts';

const neverSent: FailureParts = { phase: 'never_sent', kind: 'unreachable', reason: '' };
const lost: FailureParts = { phase: 'no_answer', kind: 'lost', reason: '' };
const late: FailureParts = { phase: 'no_answer', kind: 'timeout', reason: '' };
const unread: FailureParts = { phase: 'answered', kind: 'unreadable', reason: '', status: 200 };
const answered = (status: number, code?: string): FailureParts => ({
  phase: 'answered',
  kind: 'status',
  reason: '',
  status,
  code,
});

const tried = (
  effect: RetryState['effect'],
  last: FailureParts,
  attempts: number,
  unclear = 0,
): RetryState => ({
  effect,
  last,
  attempts,
  unclear,
});

describe('another attempt', () => {
  it.each<[string, RetryState, boolean]>([
    ['a reading, nobody listened', tried('reading', neverSent, 1), true],
    ['a reading, for the fourth time', tried('reading', neverSent, 4), false],
    ['a reading, the connection was lost', tried('reading', lost, 3), true],
    ['a reading, the answer could not be read', tried('reading', unread, 1), false],
    ['a reading, rate limited', tried('reading', answered(429, 'rate_limited'), 3), true],
    ['a reading, a 503', tried('reading', answered(503), 1), true],
    ['a reading, a 408', tried('reading', answered(408, 'request_timeout'), 1), true],
    ['an action, a 408', tried('action', answered(408, 'request_timeout'), 1, 1), true],
    ['a reading, a 404', tried('reading', answered(404, 'hedge_not_found'), 1), false],
    ['an action, nobody listened', tried('action', neverSent, 2), true],
    ['an action, nobody listened three times', tried('action', neverSent, 3), false],
    ['an action, lost twice', tried('action', lost, 2, 2), true],
    ['an action, lost three times', tried('action', lost, 3, 3), false],
    ['an action, late once among rate limits', tried('action', late, 5, 1), true],
    ['an action, an answer that cannot be read', tried('action', unread, 1, 1), true],
    ['an action, the same as a 404 page', tried('action', { ...unread, status: 404 }, 1, 1), false],
    ['an action, a redirect', tried('action', { ...unread, status: 307 }, 1, 1), false],
    [
      'an action, in flight after three sends',
      tried('action', answered(409, 'idempotency_in_flight'), 4, 4),
      true,
    ],
    ['an action, in flight to the end', tried('action', answered(409, 'idempotency_in_flight'), 8, 8), false],
    ['an action, rate limited by a bare 429', tried('action', answered(429), 7, 0), true],
    ['an untrusted host', tried('reading', { ...neverSent, kind: 'tls' }, 1), false],
    ['an unwilling proxy', tried('reading', { ...neverSent, kind: 'proxy' }, 1), false],
    ['a caller who stopped', tried('reading', { ...lost, kind: 'stopped' }, 1), false],
  ])('is made only where it is safe and can help: %s', (_, facts, again) => {
    expect(shouldRetry(facts)).toBe(again);
  });

  it.each(ERROR_CODES)('of an action is made after $status $code: $again', ({ status, code, again }) => {
    expect(shouldRetry(tried('action', answered(status, code), 1))).toBe(again !== 'never');
  });

  it('is decided by the code, never by the message', () => {
    const told = { ...answered(409, 'idempotency_key_reuse'), message: 'rate_limited, please retry' };
    expect(shouldRetry(tried('action', told, 1))).toBe(false);
  });
});

describe('the wait before it', () => {
  it.each([
    [lost, 1, 0.5, 250],
    [lost, 2, 0.5, 500],
    [lost, 3, 0.5, 1000],
    [lost, 5, 1, 8000],
    [lost, 9, 1, 8000],
    [answered(429), 1, 0.5, 500],
    [answered(429), 2, 1, 2000],
    [answered(503), 1, 1, 500],
    [{ ...answered(429), retryAfterMs: 3000 }, 1, 0, 3000],
    [{ ...answered(503), retryAfterMs: 3000 }, 4, 0.5, 3250],
    [{ ...answered(503), retryAfterMs: 0 }, 1, 0, 0],
  ] as const)('%# is drawn from its window', (last, attempts, fraction, ms) => {
    expect(retryDelay({ last, attempts }, fraction)).toBe(ms);
  });

  it('never passes eight seconds of its own, and never undercuts what was asked', () => {
    const fraction = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    assert(
      property(
        constantFrom(lost, answered(429), answered(503)),
        integer({ min: 1, max: 40 }),
        fraction,
        integer({ min: 0, max: 60_000 }),
        (last, attempts, jitter, retryAfterMs) => {
          const own = retryDelay({ last, attempts }, jitter);
          expect(own >= 0 && own <= 8000).toBe(true);
          expect(retryDelay({ last: { ...last, retryAfterMs }, attempts }, jitter)).toBeGreaterThanOrEqual(
            retryAfterMs,
          );
        },
      ),
    );
  });
});
