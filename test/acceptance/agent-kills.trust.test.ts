/**
 * The agent killed before, during and after each piece of data of each action: `npm test` tries a sample, `npm run test:full`
 * four hundred. What was promised without an agent holds: nothing is done twice, the journal knows of all that was done,
 * and no report is false.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentLane, agentKilled, agentLane } from '../support/agent-kill.ts';
import { EACH_ACTION } from '../support/each-action.ts';
import { expectHeld, IN_FULL } from '../support/goal.ts';
import type { Aim } from '../support/kill-link.ts';
import { inLanes } from '../support/lanes.ts';

const LANES = 3;
const IN_ALL = 400;
const DAILY = 3;
const MOMENTS = ['before', 'part', 'after'] as const;
/** A command does not wait for an agent that is not scheduled, and connects by itself; nor is data always in as many pieces. */
const TRIES = 8;
const FEWEST_PIECES = 5;

let lanes: readonly AgentLane[] = [];
beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: LANES }, () => agentLane()));
});
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
});

/** Every piece and moment in turn, and again until there are so many; or a few, spread over them. */
function aimsOver(pieces: number): readonly Aim[] {
  const all = Array.from({ length: pieces }, (_, at) => at + 1).flatMap((piece) =>
    MOMENTS.map((moment): Aim => ({ piece, moment })),
  );
  const wanted = IN_FULL ? IN_ALL / EACH_ACTION.length : DAILY;
  const step = IN_FULL ? 1 : all.length / wanted;
  return Array.from({ length: wanted }, (_, at) => all[Math.floor(at * step + step / 2) % all.length]).filter(
    (aim) => aim !== undefined,
  );
}

describe.each(EACH_ACTION)('$name over an agent that is killed', (action) => {
  it('is done once or not at all, is known to the journal, and is reported as it is', async () => {
    const lane = lanes[0] ?? expect.fail('there is no lane');
    const wrong: string[] = [];
    let pieces = 0;
    for (let tried = 0; pieces < FEWEST_PIECES && tried < TRIES; tried += 1) {
      const counted = await agentKilled(lane, action, undefined);
      wrong.push(...counted.wrong);
      ({ pieces } = counted);
    }
    expect(pieces).toBeGreaterThanOrEqual(FEWEST_PIECES);
    let runs = 0;
    let hits = 0;
    const aims = aimsOver(pieces);
    await inLanes(lanes, aims, async (own, aim) => {
      for (let hit = false, tried = 0; !hit && tried < TRIES; tried += 1) {
        const verdict = await agentKilled(own, action, aim);
        hit = verdict.isHit;
        wrong.push(...verdict.wrong);
        runs += 1;
        if (hit) hits += 1;
      }
    });
    process.stderr.write(
      `${action.name}: ${hits.toString()} of ${aims.length.toString()} agents killed at ${pieces.toString()} pieces, ${wrong.length.toString()} wrong\n`,
    );
    expectHeld('R1 agent killed', { runs, wrong });
    expect(hits).toBeGreaterThan(aims.length / 2);
  });
});
