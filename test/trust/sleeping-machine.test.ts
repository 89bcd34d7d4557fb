/** R18: whatever the clocks of this machine do, nothing is done a second time by a service that has forgotten the key. */
import { describe, expect, it } from 'vitest';
import { expectHeld, howMany } from '../support/goal.ts';
import { sleptThrough } from '../support/sleeping-machine.ts';
import { seededRandom } from '../support/steady-clock.ts';

/** More than it ever takes, by far. */
const MOST_RUNS = 150;

describe('a machine that sleeps, and whose clock is set, at any moment of a deal and of what settles it', () => {
  it('does nothing twice, and calls nothing undone that was done', async () => {
    const found = [];
    // In fewer, none is sent again.
    const runs = Math.max(5, howMany(24, 240));
    for (let seed = 1; seed <= runs; seed += 1) found.push(await sleptThrough(seededRandom(seed)));
    expectHeld('R18 sleeping machine', { runs: found.length, wrong: found.flatMap(({ wrong }) => wrong) });
    // What is never sent again could not be done twice.
    expect(found.filter(({ again }) => again > 0)).not.toEqual([]);
  });

  it('would be found to do it, where no clock shows the time that passed', async () => {
    const wrong: string[] = [];
    for (let seed = 1; wrong.length === 0 && seed <= MOST_RUNS; seed += 1)
      wrong.push(...(await sleptThrough(seededRandom(seed), { blind: true })).wrong);
    expect(wrong.join('\n')).toMatch(/done 2 times/);
  });
});
