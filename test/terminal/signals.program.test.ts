import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { type DeathSignal, watchSignals } from '../../src/terminal/signals.ts';
import { bareEnvironment, moduleArgs } from '../support/built.ts';
import { openScreen } from '../support/pty.ts';
import { needs } from '../support/tools.ts';

/** A process that records what was done to it. */
function recordingSource(isTTY: boolean) {
  const listeners = new Map<DeathSignal, () => void>();
  const done: string[] = [];
  return {
    done,
    arrive: (signal: DeathSignal) => listeners.get(signal)?.(),
    source: {
      pid: 42,
      on: (signal: DeathSignal, listener: () => void) => listeners.set(signal, listener),
      removeAllListeners: (signal: DeathSignal) => done.push(`no listeners for ${signal}`),
      kill: (pid: number, signal: DeathSignal) => done.push(`kill ${pid} ${signal}`),
      stderr: { isTTY, write: (text: string) => done.push(JSON.stringify(text)) },
    },
  };
}

describe('Ctrl-C, TERM and HUP', () => {
  it('may be listened for by many things at once, without a warning of Node', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    const { signal } = watchSignals(recordingSource(true).source);
    for (let listener = 0; listener < 20; listener += 1) signal.addEventListener('abort', () => undefined);
    await nextTurn();
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'the first %s asks for an end and says which it was',
    (name) => {
      const { source, arrive, done } = recordingSource(true);
      const watch = watchSignals(source);
      expect([watch.caught(), watch.signal.aborted]).toEqual([undefined, false]);
      arrive(name);
      expect([watch.caught(), watch.signal.aborted]).toEqual([name, true]);
      expect(watch.signal.reason).toBeInstanceOf(InterruptedError);
      expect(watch.signal.reason).toMatchObject({ signal: name, code: 'interrupted' });
      expect(done).toEqual([]);
    },
  );

  it('the second one ends the process at once, by itself, with the cursor shown', () => {
    const { source, arrive, done } = recordingSource(true);
    watchSignals(source);
    arrive('SIGINT');
    arrive('SIGTERM');
    expect(done).toEqual([String.raw`"\u001b[?25h"`, 'no listeners for SIGTERM', 'kill 42 SIGTERM']);
  });

  it('writes no escape byte when standard error is no terminal', () => {
    const { source, done } = recordingSource(false);
    watchSignals(source).dieBy('SIGHUP');
    expect(done).toEqual(['no listeners for SIGHUP', 'kill 42 SIGHUP']);
  });

  it.each([
    [
      'dies by it, also when the command was done already',
      false,
      0,
      ['no listeners for SIGINT', 'kill 42 SIGINT'],
    ],
    [
      'dies by it where it was waited for, and did not end well',
      true,
      7,
      ['no listeners for SIGINT', 'kill 42 SIGINT'],
    ],
    ['ends well where it was waited for', true, 0, []],
  ])('at the end a process that took one %s', async (_, awaited, code, died) => {
    const { source, arrive, done } = recordingSource(false);
    const watch = watchSignals(source);
    if (awaited) void watch.untilStopped();
    arrive('SIGINT');
    await watch.conclude(code);
    const freed = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => `no listeners for ${name}`);
    expect(done).toEqual([...died, ...freed]);
  });

  const waiting = `
    import { watchSignals } from 'dist/terminal/signals.js';
    const watch = watchSignals(process);
    const alive = setInterval(() => {}, 1000);
    watch.signal.addEventListener('abort', () => {
      console.log('said ' + watch.caught());
      clearInterval(alive);
      watch.dieBy(watch.caught());
    });
    console.log('ready');
  `;

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'a real process says what it has to and dies by %s',
    async (name) => {
      const child = spawn(process.execPath, moduleArgs(waiting), {
        env: bareEnvironment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (part) => {
        out += part;
        if (out === 'ready\n') child.kill(name);
      });
      const [code, signal] = await once(child, 'close');
      expect({ code, signal, out }).toEqual({ code: null, signal: name, out: `ready\nsaid ${name}\n` });
    },
  );

  it('stops a shell loop around it', needs('bash'), async () => {
    const script = 'for round in 1 2 3; do "$@"; done; echo after the loop';
    const args = ['--norc', '-c', script, 'bash', process.execPath, ...moduleArgs(waiting)];
    const screen = openScreen('bash', args);
    await screen.until('ready');
    screen.send('\u0003');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(screen.screen().join('\n')).not.toMatch(/ready[^]*ready|after the loop/);
  });
});
