/**
 * Each action killed at every system call between the first change in the state folder and the exit, with and without the
 * power, then looked at and settled. `npm test` tries a few, at the sends above all, `npm run test:full` all at the sends and a
 * twentieth of the others, the soak a tenth of every life; `HEDGE_SWEEP=all` all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isExecutable } from '../support/built.ts';
import { EACH_ACTION, type EachAction } from '../support/each-action.ts';
import { aQuarterOf, expectHeld, SOAKING } from '../support/goal.ts';
import {
  chosenKills,
  type Kill,
  killed,
  killsAtSends,
  killsOf,
  killText,
  type Life,
  traced,
  unsyncedAtSends,
} from '../support/kill-case.ts';
import { inLanes } from '../support/lanes.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

const WHOLE = process.env['HEDGE_SWEEP'] === 'all';
const LANES = 4;
/** An aim is missed where a thread of V8 is woken once more or less than in the run that was counted. */
const AIMS = 10;
const MOST_MISSED = 0.2;
const LIVES: readonly Life[] =
  WHOLE || SOAKING ? ['undisturbed', 'its first answer lost', 'resumed'] : ['undisturbed'];

let lanes: readonly ServedBook[] = [];
beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: LANES }, () => servedBook()));
});
afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
});

const lane0 = (): ServedBook => lanes[0] ?? expect.fail('no service');

function chosen(all: readonly Kill[]): readonly Kill[] {
  const some = new Set([...aQuarterOf(killsAtSends(all)), ...chosenKills(all)]);
  return all.filter((kill) => some.has(kill));
}

/** Those that were missed are tried again. `missed`: what was never hit; what was hit instead was judged. */
async function sweep(
  action: EachAction,
  { kills, life }: { kills: readonly Kill[]; life: Life },
): Promise<{ runs: number; missed: readonly Kill[]; wrong: readonly string[] }> {
  let left = kills;
  let runs = 0;
  const wrong: string[] = [];
  for (let aim = 0; aim < AIMS && left.length > 0; aim += 1) {
    const missed: Kill[] = [];
    await inLanes(lanes, left, async (lane, kill) => {
      const verdict = await killed(lane, action, { kill, life });
      runs += 1;
      wrong.push(...verdict.wrong);
      const { killedAt } = verdict;
      // Random IDs change how many pages a commit writes: the next page is as good.
      if (killedAt?.call !== kill.at.call || killedAt.on !== kill.at.on) missed.push(kill);
    });
    left = missed;
  }
  return { runs, missed: left, wrong };
}

describe.each(EACH_ACTION)('$name, killed', needs('strace'), (action) => {
  it('is on the disk, synced, before its first byte leaves, and all of it is seen by strace', async () => {
    const run = await traced(lane0(), action);
    expect(run.run).toMatchObject({ code: 0, signal: null });
    expect(unsyncedAtSends(run)).toEqual([]);
    expect(run.calls.filter(({ isMainThread }) => !isMainThread)).toEqual([]);
    expect(run.others).toEqual([]);
    const order = run.calls.filter(({ on }) => /^state\/journal\.sqlite-wal$|^POST \/hedges/.test(on));
    const send = order.findIndex(({ on }) => on.startsWith('POST'));
    expect(order.slice(send - 2, send + 1).map(({ call, on }) => `${call} ${on}`)).toEqual([
      'pwrite64 state/journal.sqlite-wal',
      'fsync state/journal.sqlite-wal',
      `write POST ${action.path}`,
    ]);
  });

  it.each(LIVES)(
    'at any system call, %s, is done once or not at all, is known to the journal, and is never sent unasked',
    async (life) => {
      const run = await traced(lane0(), action, { life });
      expect(unsyncedAtSends(run)).toEqual([]);
      const all = killsOf(run);
      const kills = chosen(all);
      const { runs, missed, wrong } = await sweep(action, { kills, life });
      process.stderr.write(
        `${action.name}, ${life}: killed in ${(kills.length - missed.length).toString()} of ${all.length.toString()} ways, ${wrong.length.toString()} wrong\n`,
      );
      expectHeld('R1 killed at every system call', { runs, wrong });
      expect(missed.length > Math.max(1, kills.length * MOST_MISSED) ? missed.map(killText) : []).toEqual([]);
    },
  );
});

/** The faults are put in before the program starts, which an executable does not allow. */
describe.skipIf(isExecutable)('the sweep', needs('strace'), () => {
  const open = EACH_ACTION[0] ?? expect.fail('no action');

  it.each([
    ['sends before it journals', 'late journal', 'nothing'],
    ['does not sync its journal', 'no sync', 'what was not synced'],
  ] as const)('finds a client that %s', async (_what, fault, loses) => {
    const wrong: string[] = [];
    // A run that was counted may itself be the one that differs from all others.
    for (let aim = 0; aim < 3 * AIMS && wrong.length === 0; aim += 1) {
      const run = await traced(lane0(), open, { fault });
      expect(unsyncedAtSends(run)).not.toEqual([]);
      const { at } = killsAtSends(killsOf(run)).at(-1) ?? expect.fail('nothing was sent');
      wrong.push(...(await killed(lane0(), open, { kill: { at, loses }, fault })).wrong);
    }
    expect(wrong.join('\n')).toContain('the service did what the journal does not know');
  });
});
