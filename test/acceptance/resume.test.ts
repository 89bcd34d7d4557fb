import { describe, expect, it } from 'vitest';
import { openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

async function aLostReduction() {
  const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice', NO_COLOR: '1' };
  const run = (line: string) => runHedge(line.split(' '), { env });
  expect((await run('open USDTNGN buy 10k -t 3 --yes')).code).toBe(0);
  await run('practice faults --lost-before 100% --only actions');
  expect((await run('reduce USDTNGN buy 4000 --yes')).code).toBe(7);
  await run('practice faults clear');
  const screen = openHedge(['resume'], { env, columns: 110 });
  const asked = await screen.until('Send it again?');
  return { run, screen, asked };
}

describe('resume at a terminal', () => {
  it('shows what was seen and what would be sent, asks, and sends it once', async () => {
    const { run, screen, asked } = await aLostReduction();
    expect(asked).toContain('REDUCE buy USDTNGN by 4,000.00 USD of 10,000.00 USD');
    const words = asked.replaceAll(/\s+/g, ' ');
    expect(words).toContain('USDTNGN buy shows no change from it.');
    expect(words.match(/executes only once/g)).toHaveLength(1);
    screen.send('y\r');
    await screen.until('REDUCED');
    expect((await screen.exit).code).toBe(0);
    expect((await run('check')).out).toContain('No unknown outcomes');
  });

  it('at a no sends nothing, and the action is as unknown as it was', async () => {
    const { run, screen } = await aLostReduction();
    screen.send('n\r');
    const said = await screen.until('still unknown');
    expect(said).toMatch(/Canceled\.\n/);
    expect((await screen.exit).code).toBe(7);
    expect((await run('check')).code).toBe(7);
  });
});
