import { describe, expect, it } from 'vitest';
import { connectionLimiter, QUEUE_TIMEOUT_MS } from '../../../src/client/transport/node-transport.ts';
import { steadyClock } from '../../support/steady-clock.ts';

function aLine() {
  const clock = steadyClock();
  const turns = connectionLimiter(clock);
  const started: string[] = [];
  const take = (name: string) => turns.take(() => started.push(name));
  return { clock, started, take };
}

describe('turns on a connection', () => {
  it('are taken in order, one at a time', () => {
    const { take, started, clock } = aLine();
    const over = ['a', 'b', 'c'].map(take);
    expect(started).toEqual(['a']);
    expect(clock.running()).toEqual([QUEUE_TIMEOUT_MS]);
    over[0]?.();
    expect(started).toEqual(['a', 'b']);
    over[1]?.();
    over[2]?.();
    take('d');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    expect(clock.running()).toEqual([]);
  });

  it('are not waited for longer than patience lasts, and from then on there are more', () => {
    const { take, started, clock } = aLine();
    const over = ['a', 'b', 'c'].map(take);
    clock.fire(QUEUE_TIMEOUT_MS);
    expect(started).toEqual(['a', 'b', 'c']);
    for (const end of over) end();
    for (const name of ['d', 'e', 'f', 'g']) take(name);
    expect(started.slice(3)).toEqual(['d', 'e', 'f']);
  });

  it('are not waited for at all by as many as may run at once', () => {
    const started: string[] = [];
    const turns = connectionLimiter(steadyClock(), 2);
    const [end] = ['a', 'b', 'c'].map((name) => turns.take(() => started.push(name)));
    expect(started).toEqual(['a', 'b']);
    end?.();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('that are short, and many, are waited for no longer in all', () => {
    const { take, started, clock } = aLine();
    for (let each = 0; each < 5; each += 1) {
      const [first, second] = [take('first'), take('second')];
      expect(clock.running()).toEqual([QUEUE_TIMEOUT_MS - 5 * each]);
      clock.advance(5);
      first();
      second();
    }
    expect(clock.running()).toEqual([]);
    take('a');
    take('b');
    clock.fire(0);
    expect(started.slice(-2)).toEqual(['a', 'b']);
  });

  it('are given up by a request that ends, once, and no connection is opened for it', () => {
    const { take, started, clock } = aLine();
    const a = take('a');
    const b = take('b');
    b();
    b();
    clock.fire(QUEUE_TIMEOUT_MS);
    take('c');
    expect(started).toEqual(['a']);
    a();
    a();
    expect(started).toEqual(['a', 'c']);
    take('d');
    expect(started).toEqual(['a', 'c']);
  });
});
