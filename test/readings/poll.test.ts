import { describe, expect, it } from 'vitest';
import {
  CredentialError,
  type HedgeError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../../src/errors.ts';
import { LAST_READING_MS, type Polling, poll } from '../../src/readings/poll.ts';
import { movingClock } from '../support/moving-clock.ts';
import { steppingClock } from '../support/own-folder.ts';
import { rejection } from '../support/scripted-client.ts';
import { steadyClock } from '../support/steady-clock.ts';

const trouble = new UnavailableError({ code: 'unavailable', what: 'The host cannot be reached.' });
const limited = new UnavailableError({ code: 'rate_limited', what: 'No more for now.' });
const garbled = new UnreadableAnswerError({ code: 'unreadable_answer', what: 'Not JSON.' });
const missing = new RefusedError({ code: 'hedge_not_found', what: 'No such hedge.' });
const turnedDown = new CredentialError({ code: 'unauthorized', what: 'The key was turned down.' });

/** Polls through `answers`, each a value, nothing, or what the reading throws; a reading takes `takesMs`. */
function polled(
  answers: readonly (string | Error | undefined)[],
  more: Partial<Polling<string>> & { takesMs?: number } = {},
) {
  const clock = steppingClock();
  const startedAt: number[] = [];
  const failures: HedgeError[] = [];
  const controller = new AbortController();
  const { takesMs = 0, ...rest } = more;
  const end = poll<string>({
    clock,
    signal: controller.signal,
    async read() {
      const answer = answers[startedAt.length];
      startedAt.push(clock.now());
      if (takesMs > 0) await clock.sleep(takesMs);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onFailure: (error) => failures.push(error),
    ...rest,
  });
  return { end, clock, controller, startedAt, failures };
}

describe('polling', () => {
  it('reads at once, then every second and a half, until the reading says something', async () => {
    const { end, startedAt } = polled([undefined, undefined, 'filled', 'never read']);
    expect(await end).toBe('filled');
    expect(startedAt).toEqual([0, 1500, 3000]);
  });

  it.each<[string, string | Error | undefined, string | undefined]>([
    ['failed shows nothing: its result is another', trouble, 'nothing was read'],
    ['was answered, after one that failed, shows that there is none', undefined, undefined],
  ])('whose last reading %s', async (_, last, found) => {
    const unread = (failure: HedgeError | undefined): string => {
      expect(failure).toBe(trouble);
      return 'nothing was read';
    };
    expect(await polled([undefined, trouble, last], { withinMs: 3000, unread }).end).toBe(found);
  });

  it.each([
    ['as said', 4000, [0, 4000]],
    ['never faster than once a second', 10, [0, 1000]],
  ])('keeps the pace %s', async (_, everyMs, paces) => {
    const { end, startedAt } = polled([undefined, 'filled'], { everyMs });
    await end;
    expect(startedAt).toEqual(paces);
  });

  it.each([
    ['is part of the pace', 700, [0, 1500, 3000]],
    ['longer than the pace is followed at once by the next', 2000, [0, 2000, 4000]],
  ])('a reading that takes its time %s', async (_, takesMs, paces) => {
    const { end, startedAt } = polled([undefined, undefined, 'filled'], { takesMs });
    await end;
    expect(startedAt).toEqual(paces);
  });

  it.each([
    [4000, [0, 1500, 3000, 4000]],
    [3000, [0, 1500, 3000]],
    [3200, [0, 1500, 3000, 4000]],
    [0, [0]],
    [-1, [0]],
  ])('at a limit of %d ms reads a last time and gives up', async (withinMs, paces) => {
    const { end, startedAt } = polled([], { withinMs });
    expect(await end).toBeUndefined();
    expect(startedAt).toEqual(paces);
  });

  it.each([
    ['longer by a clock that is set back', -3_600_000],
    ['shorter by a machine that slept', 7_200_000],
  ])('is not made %s', async (_, jumps) => {
    const clock = steppingClock();
    let ahead = 0;
    let readings = 0;
    let slept = 0;
    const jumping = {
      ...clock,
      now: () => clock.now() + ahead,
      async sleep(ms: number) {
        slept += ms;
        await clock.sleep(ms);
      },
    };
    const end = await poll<string>({
      clock: jumping,
      signal: new AbortController().signal,
      withinMs: 4_000,
      async read() {
        readings += 1;
        if (readings === 2) ahead = jumps;
        return undefined;
      },
    });
    expect(end).toBeUndefined();
    expect([readings, slept]).toEqual([4, 4_000]);
  });

  it('takes what the last reading says', async () => {
    const { end } = polled([undefined, undefined, 'filled'], { withinMs: 2500 });
    expect(await end).toBe('filled');
  });

  it('begins no reading once the limit has passed during one', async () => {
    const { end, startedAt, clock } = polled([], { withinMs: 2000, takesMs: 30_000 });
    expect(await end).toBeUndefined();
    expect([startedAt, clock.now()]).toEqual([[0], 30_000]);
  });

  it('leaves a reading behind that is not answered soon after the limit, and stops it', async () => {
    const clock = movingClock(0);
    let stopped: AbortSignal | undefined;
    const end = poll<string>({
      clock,
      signal: new AbortController().signal,
      withinMs: 2_000,
      read(signal) {
        stopped = signal;
        return new Promise<undefined>(() => undefined);
      },
      unread: (failure) => failure?.what ?? 'nothing was read',
    });
    clock.pass(2_000 + LAST_READING_MS - 1);
    expect(stopped?.aborted).toBe(false);
    clock.pass(1);
    expect(await end).toBe('nothing was read');
    expect(stopped?.aborted).toBe(true);
  });

  it('does not take the end of the time for trouble, and keeps no timer', async () => {
    const clock = steadyClock();
    const failures: unknown[] = [];
    const polling = poll<string>({
      clock,
      signal: new AbortController().signal,
      withinMs: 2_000,
      read: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
      onFailure: (error) => failures.push(error),
    });
    clock.fire(2_000 + LAST_READING_MS);
    expect(await polling).toBeUndefined();
    expect([failures, clock.running()]).toEqual([[], []]);
  });

  it('says which readings failed, and goes on', async () => {
    const { end, failures, startedAt } = polled([trouble, limited, garbled, missing, 'filled']);
    expect(await end).toBe('filled');
    expect(failures).toEqual([trouble, limited, garbled, missing]);
    expect(startedAt).toHaveLength(5);
  });

  it.each([
    ['a key that is turned down', turnedDown],
    ['a mistake of ours', new TypeError('not a function')],
  ])('ends with %s', async (_, error) => {
    const { end, failures } = polled([undefined, error, 'filled']);
    expect(await rejection(end)).toBe(error);
    expect(failures).toEqual([]);
  });
});

describe('a polling that is stopped', () => {
  const reason = new Error('Ctrl-C');

  it('reads nothing when it was stopped before', async () => {
    const controller = new AbortController();
    controller.abort(reason);
    const { end, startedAt } = polled(['filled'], { signal: controller.signal });
    expect(await rejection(end)).toBe(reason);
    expect(startedAt).toEqual([]);
  });

  it('leaves a reading behind that does not end', async () => {
    const { end, controller } = polled([], { read: () => new Promise<undefined>(() => undefined) });
    controller.abort(reason);
    expect(await rejection(end)).toBe(reason);
  });

  it('does not take the failure of a reading that was stopped for trouble', async () => {
    const controller = new AbortController();
    const { end, failures } = polled([], {
      signal: controller.signal,
      async read() {
        controller.abort(reason);
        throw reason;
      },
    });
    expect(await rejection(end)).toBe(reason);
    expect(failures).toEqual([]);
  });

  it('does not wait for the next reading', async () => {
    const controller = new AbortController();
    const clock = { ...steppingClock(), sleep: async () => controller.abort(reason) };
    const { end, startedAt } = polled([undefined, 'filled'], { clock, signal: controller.signal });
    expect(await rejection(end)).toBe(reason);
    expect(startedAt).toHaveLength(1);
  });
});
