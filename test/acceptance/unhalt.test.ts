import { describe, expect, it } from 'vitest';
import { openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

async function aHaltedDesk() {
  const env = { HEDGE_HOME: temporaryFolder() };
  const run = (...words: readonly string[]) => runHedge(words, { env });
  expect(await run('halt', 'venue', 'down')).toMatchObject({ code: 0 });
  const screen = openHedge(['unhalt'], { env, columns: 120 });
  const asked = await screen.until('(y/N)');
  return { run, screen, asked };
}

describe('unhalt at a terminal', () => {
  it('shows who halted and why, and lifts it at a yes', async () => {
    const { run, screen, asked } = await aHaltedDesk();
    expect(asked).toMatch(
      /This machine is halted by \S+@\S+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: "venue down"\. Lift it/,
    );
    screen.send('y\r');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect((await run('unhalt')).out).toBe('No halt is set.\n');
  });

  it('leaves it at Enter, and at a yes to a halt that is another by then', async () => {
    const declined = await aHaltedDesk();
    declined.screen.send('\r');
    expect(await declined.screen.exit).toMatchObject({ code: 10 });
    expect(await declined.screen.until('Still halted')).toBeTruthy();

    const { run, screen } = await aHaltedDesk();
    await run('halt', 'audit');
    screen.send('y\r');
    expect(await screen.exit).toMatchObject({ code: 10 });
    expect(screen.screen().join(' ')).toContain('Another halt was set in the meantime');
    expect((await run('unhalt')).err).toContain('"audit"');
  });
});
