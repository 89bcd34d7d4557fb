import { describe, expect, it } from 'vitest';
import { DeadlineExceeded, withDeadline } from '../../../src/client/transport/transport.ts';
import { steadyClock } from '../../support/steady-clock.ts';

describe('a limit', () => {
  it('ends when its time is up, and says that it was time', () => {
    const clock = steadyClock();
    const { signal } = withDeadline(clock, 500);
    expect(signal.aborted).toBe(false);
    clock.fire(500);
    expect(signal.reason).toBeInstanceOf(DeadlineExceeded);
  });

  it('ends with an outer signal, and passes its reason on', () => {
    const outer = new AbortController();
    const { signal } = withDeadline(steadyClock(), 500, new AbortController().signal, outer.signal);
    const reason = new Error('Ctrl-C');
    outer.abort(reason);
    expect(signal.reason).toBe(reason);
  });

  it('has ended already under a signal that has', () => {
    expect(withDeadline(steadyClock(), 500, AbortSignal.abort('early')).signal.reason).toBe('early');
  });

  it('leaves no timer and no listener behind once released', () => {
    const clock = steadyClock();
    const outer = new AbortController();
    const limit = withDeadline(clock, 500, outer.signal);
    limit.release();
    expect(clock.running()).toEqual([]);
    outer.abort();
    expect(limit.signal.aborted).toBe(false);
  });
});
