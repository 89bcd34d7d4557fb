/**
 * Each action killed at every point between the first change of the journal's files and the exit, then looked
 * at and settled. `npm test` sweeps the sending and a few other points, `npm run test:full` all points up to the answer
 * and a spread of the others, the soak a spread of every life; `HEDGE_SWEEP=all` sweeps all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookFor, EACH_ACTION, wordsOf } from '../support/each-action.ts';
import { expectHeld, IN_FULL, SOAKING, spread } from '../support/goal.ts';
import { counted, killed, type Life } from '../support/kill-case.ts';
import { type Kill, killsOf, type Point, placeOf, pointText } from '../support/kill-points.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { beyondThePoints } from '../support/system-calls.ts';
import { needs } from '../support/tools.ts';

const WHOLE = process.env['HEDGE_SWEEP'] === 'all';
/** Of the ways to die after the answer, one in so many. */
const SPREAD = 6;
const LANES = 4;
/** Of all ways, one in so many for the soak: the whole has a command of its own. */
const SOAKED = 10;
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

const isSegment = (on: string): boolean => /^state\/journal\/\d{4}-\d{4}-\d\d\.jsonl$/.test(on);

const isSend = ({ call, on }: Pick<Point, 'call' | 'on'>): boolean =>
  call === 'send' && on.startsWith('POST /hedges');

function chosen(points: readonly Point[]): readonly Kill[] {
  const all = killsOf(points);
  if (WHOLE) return all;
  const some = new Set(spread(all, SPREAD, SOAKED));
  if (SOAKING) return all.filter((kill) => isSend(kill.at) || some.has(kill));
  const sent = all.findIndex(({ at }) => isSend(at));
  return all.filter((kill, index) => {
    const { at, how, loses } = kill;
    return (IN_FULL && index < sent) || isSend(at) ? loses === 'power' || how === 'after' : some.has(kill);
  });
}

describe.each(EACH_ACTION)('$name, killed', (action) => {
  it('is on disk, synced, before its first byte leaves', async () => {
    const { run, points } = await counted(lane0(), action);
    expect(run).toMatchObject({ code: 0, signal: null });
    expect(unsyncedAtSend(points)).toEqual([]);
    const order = points.filter(({ on }) => isSegment(on)).map(({ call }) => call);
    expect(order.slice(0, 4)).toEqual(['write', 'fsync', 'write', 'fsync']);
  });

  it('does nothing that is not numbered, as the system sees it', needs('strace'), async () => {
    await bookFor(lane0(), action);
    const home = temporaryFolder();
    const seen = await beyondThePoints(wordsOf(action), lane0().way(home), temporaryFolder());
    expect(seen.calls).toBeGreaterThan(10);
    expect(seen.beyond).toEqual([]);
  });

  it.each(LIVES)(
    'at any point, %s, is done once or not at all, is known to the journal, and is never sent unasked',
    async (life) => {
      const { points } = await counted(lane0(), action, { life });
      const kills = chosen(points);
      const verdicts = await inLanes(lanes, kills, (lane, kill) => killed(lane, action, { kill, life }));
      const of = killsOf(points).length;
      const missed = verdicts.filter(({ reached }) => !reached).map(({ killedAt }) => killedAt);
      process.stderr.write(
        `${action.name}, ${life}: killed in ${kills.length - missed.length} of ${of} ways\n`,
      );
      const wrong = verdicts.flatMap(({ killedAt, wrong: found }) =>
        found.map((what) => `${killedAt}: ${what}`),
      );
      expectHeld('R1 killed at every system call', { runs: verdicts.length, wrong });
      expect(verdicts).toHaveLength(kills.length);
      expect(missed.filter((each) => !/connect|answer/.test(each))).toEqual([]);
    },
  );
});

/** Files below the home that were written and not synced when a request for a change left. */
function unsyncedAtSend(points: readonly Point[]): readonly string[] {
  const dirty = new Set<string>();
  const found: string[] = [];
  let written = false;
  for (const point of points) {
    const { call, on } = point;
    const isJournal = isSegment(on);
    if (isJournal && call === 'open') dirty.add('state');
    if (isJournal && call === 'write') dirty.add(on);
    if (isJournal && call === 'write') written = true;
    if (call === 'fsync') dirty.delete(on);
    if (!isSend(point)) continue;
    if (!written) found.push(`${pointText(point)}: nothing was written`);
    found.push(...[...dirty].map((file) => `${pointText(point)}: ${file}`));
  }
  return found;
}

describe('the sweep', () => {
  const open = EACH_ACTION[0] ?? expect.fail('no action');

  it('finds a client that sends before it journals', async () => {
    const { points } = await counted(lane0(), open, { fault: 'late-journal' });
    const at = placeOf(points.find(isSend) ?? expect.fail('nothing was sent'));
    const kill: Kill = { at, how: 'after', loses: 'nothing' };
    const { wrong } = await killed(lane0(), open, { kill, fault: 'late-journal' });
    expect(wrong).toContain('the service did what the journal does not know');
  });

  it('finds a client that does not sync its journal', async () => {
    const { points } = await counted(lane0(), open, { fault: 'no-sync' });
    expect(unsyncedAtSend(points)).not.toEqual([]);
    const at = placeOf(points.find(isSend) ?? expect.fail('nothing was sent'));
    const kill: Kill = { at, how: 'after', loses: 'power' };
    const { wrong } = await killed(lane0(), open, { kill, fault: 'no-sync' });
    expect(wrong).toContain('the service did what the journal does not know');
  });
});
