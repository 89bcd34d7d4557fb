/** What one request was told of slowing down counts for every request with the same key, in time or not at all. */
import { describe, expect, it } from 'vitest';
import { type RateLimitStore, SPREAD_MS, waitForRateLimit } from '../../src/client/transport/retry.ts';
import { OutcomeUnknownError, UnavailableError } from '../../src/errors.ts';
import type { Random } from '../../src/platform/random.ts';
import { anAcceptedClose, anAccount } from '../spec/bodies.ts';
import { chiSquared } from '../support/crowd/crowd.ts';
import { rejection, TRANSPORTS } from '../support/scripted-client.ts';
import { html, no, ok, on } from '../support/scripted-service.ts';
import { type SteadyClock, seededRandom, steadyClock, steadyRandom } from '../support/steady-clock.ts';

const ACCOUNT = 'GET /account';
const CLOSING = 'POST /hedges/close';
const CLOSE = { market: 'USDTNGN', side: 'buy' } as const;
const fine = on(ACCOUNT, ok(anAccount()));
const slowDown = (seconds?: string) =>
  no(429, 'rate_limited', seconds === undefined ? {} : { headers: { 'retry-after': seconds } });

/** What is told stays told until it is over; `words` are told from elsewhere, each when the one before is over. */
function aWord(clock: SteadyClock, ...words: readonly number[]): RateLimitStore & { told: number[] } {
  const start = clock.now();
  const told: number[] = [];
  return {
    told,
    until() {
      const all = [...words.map((ms) => start + ms), ...told.map((ms) => start + ms)];
      return all.find((until) => until > clock.now());
    },
    record: (until) => told.push(until - start),
  };
}

describe.each(TRANSPORTS)('over the $road transport, a request', ({ scriptedClient }) => {
  it('wait out the limit that another received, and then a share of the spread', async () => {
    const clock = steadyClock();
    const waits: number[] = [];
    const { api, service } = await scriptedClient([fine], { clock, rateLimit: aWord(clock, 7_000) });
    await api.account({ onHeldBack: (ms) => waits.push(ms) });
    expect(clock.sleeps).toEqual([7_000 + SPREAD_MS / 2]);
    expect(waits).toEqual(clock.sleeps);
    expect(service.requests).toHaveLength(1);
  });

  it('waits again when it was set again meanwhile', async () => {
    const clock = steadyClock();
    const { api } = await scriptedClient([fine], { clock, rateLimit: aWord(clock, 2_000, 9_000) });
    await api.account();
    expect(clock.sleeps).toEqual([2_500, 7_000]);
  });

  it.each([
    ['reading', 'Nothing was changed.'],
    ['action', 'Nothing was executed.'],
  ])(
    'that is a %s and would wait longer than it may is not sent, and says until when',
    async (what, meaning) => {
      const clock = steadyClock();
      const { api } = await scriptedClient([], { clock, rateLimit: aWord(clock, 29_600) });
      const error = await rejection(what === 'reading' ? api.account() : api.close(CLOSE, 'k'));
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({
        code: 'rate_limited',
        effect: 'none',
        retry: 'later',
        meaning,
        what: expect.stringContaining('until 09:02:40 UTC'),
        details: { held_back_until: '2026-11-20T09:02:40.600Z' },
      });
      expect(clock.sleeps).toEqual([]);
    },
  );

  it('records the limit for the others: as long as was asked, or a second', async () => {
    const clock = steadyClock();
    const word = aWord(clock);
    const script = [on(ACCOUNT, slowDown('3')), on(ACCOUNT, slowDown()), on(ACCOUNT, html(503)), fine];
    const { api } = await scriptedClient(script, { clock, rateLimit: word });
    await api.account();
    // As was asked and half of 500 ms; half of two seconds, which is as long as the others wait; half of two for the 503.
    expect(word.told).toEqual([3_000, 4_250]);
    expect(clock.sleeps).toEqual([3_250, 1_000, 1_000]);
  });

  it('shares nothing but a rate limit with other processes', async () => {
    const clock = steadyClock();
    const word = aWord(clock);
    const script = [on(ACCOUNT, no(503, 'busy', { headers: { 'retry-after': '3' } })), fine];
    await (await scriptedClient(script, { clock, rateLimit: word })).api.account();
    expect(word.told).toEqual([]);
  });

  it('that is an action waits before each resend too', async () => {
    const clock = steadyClock();
    const script = [on(CLOSING, html(503)), on(CLOSING, ok(anAcceptedClose()))];
    const words: number[] = [];
    const slow: RateLimitStore = {
      until: () => words.find((until) => until > clock.now()),
      record: () => undefined,
    };
    const { api, service } = await scriptedClient(script, { clock, rateLimit: slow });
    await api.close(CLOSE, 'k', { onAttempt: () => words.push(clock.now() + 5_000) });
    expect(clock.sleeps).toEqual([250, 4_750 + SPREAD_MS / 2]);
    expect(new Set(service.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set(['k']),
    );
  });

  it('that is an action in doubt stays in doubt when the others may not ask for long', async () => {
    const clock = steadyClock();
    const words: number[] = [];
    const slow: RateLimitStore = { until: () => words[0], record: () => undefined };
    const { api } = await scriptedClient([on(CLOSING, html(503))], { clock, rateLimit: slow });
    const doing = api.close(CLOSE, 'k', { onAttempt: () => words.push(clock.now() + 50_000) });
    expect(await rejection(doing)).toBeInstanceOf(OutcomeUnknownError);
  });

  it('that is stopped while it waits is not sent', async () => {
    const clock = steadyClock();
    const stop = new AbortController();
    const { api } = await scriptedClient([], { clock, rateLimit: aWord(clock, 7_000) });
    const asked = api.account({ signal: stop.signal, onHeldBack: () => stop.abort(new Error('Ctrl-C')) });
    expect(await rejection(asked)).toMatchObject({ message: 'Ctrl-C' });
  });
});

describe('a hundred that waited for the same limit', () => {
  /** When each goes on, in milliseconds after the end of the word. */
  const goingOn = (random: Random): Promise<readonly number[]> =>
    Promise.all(
      Array.from({ length: 100 }, async () => {
        const clock = steadyClock();
        const ends = clock.now() + 7_000;
        const signal = new AbortController().signal;
        await waitForRateLimit(
          aWord(clock, 7_000),
          { clock, random },
          { leftMs: () => ends + 9_000 - clock.now(), signal },
        );
        return clock.now() - ends;
      }),
    );
  /** With three degrees of freedom, one value in a thousand is above 16.3: the chance is seeded. */
  const MOST_CHI_SQUARED = 16.3;

  it('go on spread over a second', async () => {
    const delays = await goingOn(seededRandom(7));
    expect(Math.max(...delays)).toBeLessThanOrEqual(SPREAD_MS);
    expect(chiSquared(delays, SPREAD_MS)).toBeLessThan(MOST_CHI_SQUARED);
  });

  it('would be found to go on in step, without jitter', async () => {
    expect(chiSquared(await goingOn(steadyRandom(0.5)), SPREAD_MS)).toBeGreaterThan(MOST_CHI_SQUARED);
  });
});
