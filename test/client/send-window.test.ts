/** An action is not sent again, nor for the first time, once the time since cannot be told or is over. */
import { describe, expect, it } from 'vitest';
import { TOTAL_MS } from '../../src/client/transport/retry-policy.ts';
import type { AttemptRecord } from '../../src/client/transport/transport.ts';
import { OutcomeUnknownError, StoppedError, UnavailableError } from '../../src/errors.ts';
import { anAcceptedClose, anAccount } from '../spec/bodies.ts';
import { rejection, TRANSPORTS } from '../support/scripted-client.ts';
import { type Answer, html, no, ok, on, reset } from '../support/scripted-service.ts';
import { type SteadyClock, steadyClock } from '../support/steady-clock.ts';

const HOUR = 3_600_000;
const CLOSING = 'POST /hedges/close';
const CLOSE = { market: 'USDTNGN', side: 'buy' } as const;
const closed = ok(anAcceptedClose());
const START = steadyClock().now();

/** A clock on which something happens in the wait after so many. */
function clockOn(happens: (clock: SteadyClock) => void, afterWaits = 0): SteadyClock {
  const clock = steadyClock();
  return {
    ...clock,
    async sleep(ms) {
      const isTime = clock.sleeps.length === afterWaits;
      await clock.sleep(ms);
      if (isTime) happens(clock);
    },
  };
}

/** A 504 of a service whose clock says so many milliseconds after the start. */
const gone = (ms: number, headers: Record<string, string> = {}): Answer =>
  no(504, 'upstream_timeout', { headers: { date: new Date(START + ms).toUTCString(), ...headers } });

describe.each(TRANSPORTS)('over the $road transport, an action', ({ scriptedClient }) => {
  it.each([
    ['forward, as a machine that slept finds it', 2 * HOUR, '2 h'],
    ['back', -2 * HOUR, '2 h'],
    ['by six seconds', 6_000, '6 s'],
  ])('is not sent again when the wall clock went %s in the wait', async (_, ms, words) => {
    const clock = clockOn((its) => its.jump(ms));
    const { api, service } = await scriptedClient([on(CLOSING, html(504))], { clock });
    const error = await rejection(api.close(CLOSE, 'one-key'));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({
      effect: 'unknown',
      what: expect.stringMatching(
        /1 attempt: the service returned 504\. It was not resent: the clocks differ by /,
      ),
    });
    expect(String(error)).toContain(`differ by ${words} since the first attempt`);
    expect(service.requests).toHaveLength(1);
  });

  it('is sent again when the wall clock was corrected by four seconds in the wait', async () => {
    const clock = clockOn((its) => its.jump(4_000));
    const { api, service } = await scriptedClient([on(CLOSING, html(504)), on(CLOSING, closed)], { clock });
    await api.close(CLOSE, 'one-key');
    expect(service.requests).toHaveLength(2);
  });

  it('is not sent again when the process was stopped in the wait, longer than it may be sent', async () => {
    const clock = clockOn((its) => its.advance(TOTAL_MS));
    const { api, service } = await scriptedClient([on(CLOSING, reset)], { clock });
    const error = await rejection(api.close(CLOSE, 'one-key'));
    expect(String(error)).toMatch(/It was not resent: 30 s passed since the first attempt\./);
    expect(service.requests).toHaveLength(1);
  });

  it("is not sent a third time when the service's own clock went on by two hours between its answers", async () => {
    const { api, service } = await scriptedClient([on(CLOSING, gone(0)), on(CLOSING, gone(2 * HOUR))]);
    const error = await rejection(api.close(CLOSE, 'one-key'));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(String(error)).toContain('2 attempts');
    expect(service.requests).toHaveLength(2);
  });

  it('is sent again when the clock of the service is two days off all the time', async () => {
    const answers = [on(CLOSING, gone(-48 * HOUR)), on(CLOSING, gone(-48 * HOUR + 250)), on(CLOSING, closed)];
    const { api, service } = await scriptedClient(answers);
    await api.close(CLOSE, 'one-key');
    expect(service.requests).toHaveLength(3);
  });

  it("is sent again whatever the Date of practice says, which is the book's", async () => {
    const book = { 'x-practice-clock': 'book' };
    const answers = [on(CLOSING, gone(0, book)), on(CLOSING, gone(72 * HOUR, book)), on(CLOSING, closed)];
    const { api, service } = await scriptedClient(answers);
    await api.close(CLOSE, 'one-key');
    expect(service.requests).toHaveLength(3);
  });

  it('that was only turned away is not sent after the machine slept, and nothing was done', async () => {
    const clock = clockOn((its) => its.jump(2 * HOUR));
    const { api, service } = await scriptedClient([on(CLOSING, no(429, 'rate_limited'))], { clock });
    const error = await rejection(api.close(CLOSE, 'one-key'));
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ code: 'rate_limited', effect: 'none' });
    expect(String(error)).toContain('It was not resent: the clocks differ');
    expect(service.requests).toHaveLength(1);
  });

  const decided = (changes: { service?: number; withinMs?: number } = {}) => {
    const { withinMs = 60_000, ...clocks } = changes;
    return { at: { wall: START, monotonic: START, ...clocks }, withinMs };
  };

  it.each<[string, (clock: SteadyClock) => void, RegExp]>([
    ['the machine slept', (clock) => clock.jump(HOUR), /was not sent: the clocks differ by 1 h/],
    [
      'the process was stopped',
      (clock) => clock.advance(HOUR),
      /was not sent: 1 h passed since the position was read\./,
    ],
  ])('does not leave at all when %s since the book was read', async (_, happens, says) => {
    const clock = steadyClock();
    happens(clock);
    const { api, service } = await scriptedClient([], { clock });
    const told: AttemptRecord[] = [];
    const error = await rejection(
      api.close(CLOSE, 'one-key', { decided: decided(), onAttempt: (attempt) => told.push(attempt) }),
    );
    expect(error).toBeInstanceOf(StoppedError);
    expect(error).toMatchObject({ code: 'too_late', effect: 'none', meaning: 'Nothing was executed.' });
    expect(String(error)).toMatch(says);
    expect([service.requests, told]).toEqual([[], []]);
  });

  it('does not leave when the machine sleeps while the connection for it is made', async () => {
    const clock = steadyClock();
    const { api, service } = await scriptedClient(
      [on('GET /account', ok(anAccount())), on(CLOSING, html(504))],
      {
        clock: {
          ...clock,
          // The connection's own time limit is set as it begins to be made.
          after(ms, then) {
            if (service.requests.length === 2 && clock.sleeps.length > 0) clock.jump(2 * HOUR);
            return clock.after(ms, then);
          },
        },
      },
    );
    await api.account();
    const error = await rejection(api.close(CLOSE, 'one-key'));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(2);
  });

  it('is not sent again when the clock of the service says so since the reading before it', async () => {
    const { api, service } = await scriptedClient([on(CLOSING, gone(HOUR))]);
    const error = await rejection(api.close(CLOSE, 'one-key', { decided: decided({ service: START }) }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(String(error)).toContain('since the position was read');
    expect(service.requests).toHaveLength(1);
  });

  it('that is a reading is made again whatever the clocks say', async () => {
    const clock = clockOn((its) => its.jump(2 * HOUR));
    const answers = [
      on('GET /account', gone(0)),
      on('GET /account', gone(HOUR)),
      on('GET /account', ok(anAccount())),
    ];
    const { api, service } = await scriptedClient(answers, { clock });
    await api.account();
    expect(service.requests).toHaveLength(3);
  });
});
