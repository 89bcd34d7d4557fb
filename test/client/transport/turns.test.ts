import { describe, expect, it } from 'vitest';
import { makeTurns, PATIENCE_MS } from '../../../src/client/transport/turns.ts';
import type { Clock } from '../../../src/platform/clock.ts';

/** A clock on which a sleep lasts until it is told that its time has come. */
function patientClock() {
  const waiting: { ms: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        waiting.push({ ms, wake: resolve });
        signal?.addEventListener('abort', () => resolve());
      }),
    deadline: () => ({ signal: new AbortController().signal, cancel: () => undefined }),
  };
  return {
    clock,
    waits: () => waiting.map(({ ms }) => ms),
    async passes() {
      for (const { wake } of waiting.splice(0)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function aLine() {
  const { clock, ...time } = patientClock();
  const turns = makeTurns(clock);
  const started: string[] = [];
  const take = (name: string) => turns.take(() => started.push(name));
  return { ...time, started, take };
}

describe('turns on a connection', () => {
  it('are taken in order, one at a time', () => {
    const { take, started, waits } = aLine();
    const over = ['a', 'b', 'c'].map(take);
    expect(started).toEqual(['a']);
    expect(waits()).toEqual([PATIENCE_MS, PATIENCE_MS]);
    over[0]?.();
    expect(started).toEqual(['a', 'b']);
    over[1]?.();
    over[2]?.();
    take('d');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not waited for longer than patience lasts, and from then on there are more', async () => {
    const { take, started, passes } = aLine();
    const over = ['a', 'b', 'c'].map(take);
    await passes();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const end of over) end();
    for (const name of ['d', 'e', 'f', 'g']) take(name);
    expect(started.slice(3)).toEqual(['d', 'e', 'f']);
  });

  it('are given up by whoever leaves, once, and nobody grows impatient for one who left', async () => {
    const { take, started, passes } = aLine();
    const a = take('a');
    const b = take('b');
    b();
    b();
    await passes();
    take('c');
    expect(started).toEqual(['a']);
    a();
    a();
    expect(started).toEqual(['a', 'c']);
    take('d');
    expect(started).toEqual(['a', 'c']);
  });
});
