import { describe, expect, it } from 'vitest';
import { RefusedError, UnavailableError } from '../../src/errors.ts';
import { watchReadings } from '../../src/readings/poll.ts';
import { steadyClock } from '../support/steady-clock.ts';

const START = Date.parse('2026-11-20T09:02:11Z');
const unwell = (): UnavailableError => new UnavailableError({ code: 'unavailable', what: 'Unwell.' });
const refused = (): RefusedError => new RefusedError({ code: 'market_not_found', what: 'No such market.' });

/** Readings that take so long, or fail; ends after the last. Gives when each began, in seconds from the start. */
async function watched(readings: readonly { takesMs?: number; fails?: Error }[], everyMs = 5_000) {
  const clock = steadyClock();
  const ended = new AbortController();
  const began: number[] = [];
  const seen: string[] = [];
  let atOnce = 0;
  let most = 0;
  const watching = watchReadings({
    clock,
    signal: ended.signal,
    everyMs,
    async read() {
      const { takesMs = 0, fails } = readings[began.length] ?? {};
      began.push((clock.now() - START) / 1_000);
      atOnce += 1;
      most = Math.max(most, atOnce);
      clock.advance(takesMs);
      await Promise.resolve();
      atOnce -= 1;
      if (began.length > readings.length) ended.abort(new Error('over'));
      if (fails !== undefined) throw fails;
      return began.length;
    },
    onReading: (value) => void seen.push(`reading ${value.toString()}`),
    onFailure: (error) => void seen.push(error.what),
  });
  const end = await watching.catch((error: unknown) => error);
  return { began: began.slice(0, readings.length), seen, most, end };
}

describe('watch', () => {
  it('is read at a steady pace, whatever a reading takes, and never twice at once', async () => {
    const { began, most } = await watched([{ takesMs: 200 }, { takesMs: 4_900 }, { takesMs: 30 }, {}]);
    expect(began).toEqual([0, 5, 10, 15]);
    expect(most).toBe(1);
  });

  it('does not make up for readings that took longer than the pace', async () => {
    const { began, most } = await watched([{ takesMs: 17_000 }, {}, {}]);
    expect(began).toEqual([0, 17, 22]);
    expect(most).toBe(1);
  });

  it('is never read more often than once a second', async () => {
    expect((await watched([{}, {}, {}], 10)).began).toEqual([0, 1, 2]);
  });

  it('is read on when a reading fails, the first one too', async () => {
    const { seen } = await watched([{ fails: unwell() }, {}, { fails: refused() }, {}]);
    expect(seen).toEqual(['Unwell.', 'reading 2', 'No such market.', 'reading 4']);
  });

  it('ends when the service turns the very first reading down', async () => {
    const first = refused();
    expect(await watched([{ fails: first }, {}])).toMatchObject({ end: first, seen: [] });
  });
});
