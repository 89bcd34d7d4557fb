import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { errorOf, withShutdownDeadline } from '../../src/cli/shutdown.ts';
import { InterruptedError } from '../../src/errors.ts';
import { steadyClock } from '../support/steady-clock.ts';

/** What is said of a run that hangs when it is told to stop. */
async function hanging(actionPreviewed: boolean) {
  const controller = new AbortController();
  const { signal } = controller;
  controller.abort(new InterruptedError('SIGTERM', { what: 'Stopped by the system (TERM).' }));
  const clock = steadyClock();
  const never = new Promise<never>(() => undefined);
  const ending = withShutdownDeadline(never, { signal, clock, actionPreviewed: () => actionPreviewed });
  const waiting = clock.running();
  clock.fire(2_000);
  const thrown = await ending.catch((error: unknown) => error);
  return { error: errorOf(thrown, signal, actionPreviewed), waiting };
}

describe('a run that hangs after a signal', () => {
  it('is left behind after two seconds, the signal named', async () => {
    const { error, waiting } = await hanging(false);
    expect(waiting).toEqual([2_000]);
    expect(error).toMatchObject({ signal: 'SIGTERM', effect: 'none' });
    expect(error.meaning).toBe('This command sent no action.');
  });

  it('is not called without effect where something may have been sent', async () => {
    const { error } = await hanging(true);
    expect(error).toMatchObject({ signal: 'SIGTERM', effect: 'unknown', retry: 'after_check' });
    expect(error.meaning).toContain('The journal has it');
  });
});

describe('a program that was copied without its packages', () => {
  const thrown = (() => {
    try {
      return createRequire(import.meta.url)('@hedge/not-installed') as unknown;
    } catch (error) {
      return error;
    }
  })();
  const { signal } = new AbortController();

  it('says which one is missing, and that nothing was sent', () => {
    expect(errorOf(thrown, signal, false)).toMatchObject({
      what: 'hedge is not completely installed: its package @hedge/not-installed is missing.',
      meaning: 'This command sent no action.',
    });
  });

  it('does not say so where something may have been sent', () => {
    expect(errorOf(thrown, signal, true)).toMatchObject({ effect: 'unknown', code: 'internal' });
  });
});
