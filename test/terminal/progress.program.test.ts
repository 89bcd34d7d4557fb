import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { chooseProgress, SHOWN_AFTER_MS } from '../../src/terminal/progress.ts';
import { moduleArgs } from '../support/built.ts';
import { eventually } from '../support/eventually.ts';
import { openScreen } from '../support/pty.ts';
import { coloursIn, recordingTerminal } from '../support/recording-terminal.ts';

/** A clock whose sleeps end when the test says so. */
function handClock() {
  const sleeping: { ms: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        sleeping.push({ ms, wake });
        signal?.addEventListener('abort', () => wake());
      }),
    after: () => () => undefined,
  };
  return { clock, sleeping };
}

/** What was due at once has run. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((next) => setImmediate(next));
}

describe('waiting, without a terminal', () => {
  it('says nothing while something is read', () => {
    const { terminal, err } = recordingTerminal();
    const progress = chooseProgress(terminal, handClock().clock);
    progress.start('asking');
    progress.update('still asking');
    progress.stop();
    expect(err()).toBe('');
  });

  it.each([
    ['on a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }],
    ['in CI', { isTTY: true, env: { CI: 'true' } }],
    ['with --quiet', { isTTY: true, flags: { quiet: true } }],
  ])('%s nothing moves', (_, options) => {
    const { terminal, err } = recordingTerminal(options);
    const progress = chooseProgress(terminal, handClock().clock);
    progress.start('sent');
    progress.stop();
    expect(err()).toBe('');
  });
});

/** Waits until it is stopped, as `hedge wait` does. */
const WAITING = `
    import { systemClock } from 'dist/platform/clock.js';
    import { chooseProgress } from 'dist/terminal/progress.js';
    import { watchSignals } from 'dist/terminal/signals.js';
    import { openTerminal } from 'dist/terminal/streams.js';
    const watch = watchSignals(process);
    const terminal = openTerminal({ process, env: process.env });
    const progress = chooseProgress(terminal, systemClock);
    progress.start('waiting for the fill');
    setTimeout(() => progress.note('accepted hdg_1'), 400);
    watch.signal.addEventListener('abort', () => {
      progress.stop();
      terminal.writeNote('stopped: the hedge is still open');
      watch.dieBy(watch.caught());
    });
    setInterval(() => {}, 1000);
  `;

describe('waiting, at a terminal', () => {
  it('shows nothing at all when the answer comes soon', async () => {
    const { terminal, err } = recordingTerminal({ isTTY: true });
    const { clock, sleeping } = handClock();
    const progress = chooseProgress(terminal, clock);
    progress.start('asking');
    expect(sleeping.map(({ ms }) => ms)).toEqual([SHOWN_AFTER_MS]);
    progress.stop();
    await turns(50);
    expect(err()).toBe('');
  });

  it('turns on standard error alone, the text harmless and cut to one line', async () => {
    const { terminal, err, out } = recordingTerminal({ isTTY: true, width: 30 });
    const { clock, sleeping } = handClock();
    const progress = chooseProgress(terminal, clock);
    progress.start('asking \u001b]0;owned\u0007 for a quote that takes long');
    sleeping[0]?.wake();
    await eventually(() => err().includes('asking'));
    expect(err()).toContain(' asking \ufffd for a quote that…');
    expect(err()).not.toContain('owned');
    progress.stop();
    const afterwards = err();
    expect(afterwards.endsWith('\u001b[?25h')).toBe(true);
    await turns(50);
    expect(err()).toBe(afterwards);
    expect(out()).toBe('');
  });

  it('has no colour where colour is off', async () => {
    const { terminal, err } = recordingTerminal({ isTTY: true, flags: { color: 'never' } });
    const { clock, sleeping } = handClock();
    const progress = chooseProgress(terminal, clock);
    progress.start('asking');
    sleeping[0]?.wake();
    await eventually(() => err().includes('asking'));
    progress.stop();
    expect(err()).toContain('asking');
    expect(coloursIn(err())).toEqual([]);
  });

  it('ends by SIGINT at one Ctrl-C, the line gone, notes kept and the cursor shown', async () => {
    const screen = openScreen(process.execPath, moduleArgs(WAITING), { columns: 60 });
    await screen.until('waiting for the fill');
    expect(screen.cursorHidden()).toBe(true);
    await screen.until('accepted hdg_1');
    await screen.until(/accepted hdg_1\n.*waiting for the fill/);
    screen.send('\u0003');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
    // The terminal may have echoed the key before the line was cleared.
    expect(screen.screen().map((shown) => shown.replace('^C', ''))).toEqual([
      'accepted hdg_1',
      'stopped: the hedge is still open',
    ]);
    expect(screen.cursorHidden()).toBe(false);
  });
});
