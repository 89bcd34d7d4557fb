/**
 * Ctrl-C, TERM and HUP at chosen points of an action, in a loop of a shell: the loop stops, the terminal is as it
 * was, and what is said about the book is what the service says of it.
 */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { actionsIn } from '../journal/records.ts';
import { bareEnvironment, HEDGE, toStart } from '../support/built.ts';
import { bookFor, EACH_ACTION, type EachAction, wordsOf } from '../support/each-action.ts';
import { everyDay, expectHeld, IN_FULL, perRun } from '../support/goal.ts';
import { journalAt } from '../support/kill-case.ts';
import {
  type Interruption,
  isAt,
  numbering,
  type Point,
  placeOf,
  pointsIn,
  pointText,
  runNumbered,
} from '../support/kill-points.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { openScreen } from '../support/pty.ts';
import { isToldTruly, type ServedBook, servedBook } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

const loopOf = (out: string, turn: string): string =>
  `for n in 1 2 3; do echo $n > '${turn}'; "$@" > '${out}'; echo "after $n"; done`;

interface Told {
  data: { action_id: string | null; effect: string; receipt: { hedge_id: string | null } } | null;
  error: { code: string; effect: string; message: string; hint?: string } | null;
}

async function aService(): Promise<ServedBook> {
  const served = await servedBook({ fill_seconds: { min: 0.2, max: 0.2 } });
  onTestFinished(() => served.close());
  return served;
}

const WHOLE = process.env['HEDGE_SWEEP'] === 'all';
/** Of the points that are neither a send nor a word nor the journal's, one in so many; every day, of all but the action's send. */
const SPREAD = perRun({ soak: 6, full: 18, everyDay: 60 });
/** Of those of the journal. */
const OF_JOURNAL = perRun({ soak: 1, full: 4, everyDay: SPREAD });

const spread = (points: readonly Point[]): readonly Point[] =>
  points.filter(
    ({ call, on, number }) =>
      WHOLE ||
      number % SPREAD === 0 ||
      (call === 'send' && on.startsWith('POST /hedges')) ||
      (IN_FULL && (call === 'send' || call === 'say')) ||
      (on.startsWith('state/journal.sqlite') && number % OF_JOURNAL === 0),
  );

describe.each(EACH_ACTION)('$name in a loop on a terminal, interrupted', (action) => {
  it('at any point stops the loop, gives the cursor back, and reports the truth', needs('bash'), async () => {
    const lanes = await Promise.all([aService(), aService(), aService()]);
    const [first] = lanes;
    await bookFor(first, action);
    const { points } = await runNumbered(wordsOf(action), { env: first.way(temporaryFolder()) });
    const chosen = spread(points);
    await inLanes(lanes, chosen, async (served, point) => {
      const home = temporaryFolder();
      await bookFor(served, action);
      const [trace, out, turn] = [join(home, 'trace'), join(home, 'out'), join(home, 'turn')];
      const kill: Interruption = { at: placeOf(point), signal: 'SIGINT', group: true };
      const screen = openScreen(
        'bash',
        ['--norc', '-c', loopOf(out, turn), 'sh', ...HEDGE, ...wordsOf(action)],
        {
          env: { ...served.way(home), ...numbering(trace, home, { kill }) },
          columns: 200,
        },
      );
      const { signal } = await screen.exit;
      // Connections and the pieces of answers are not the same in every run.
      if (!pointsIn(trace).some((each) => isAt(each, kill.at))) return;
      const [at, shown] = [pointText(point), screen.screen().join('\n')];
      const hidden = screen.cursorHidden();
      expect({ at, signal, hidden, shown }).toMatchObject({ signal: 'SIGINT', hidden: false });
      const last = readFileSync(turn, 'utf8').trim();
      expect({ at, shown }).not.toMatchObject({ shown: expect.stringContaining(`after ${last}`) });
      // The first command did not come to the point, and the second one did.
      if (last !== '1') return;
      await expectTruth({ served, action, at, out: readFileSync(out, 'utf8') });
    });
    expectHeld('R10 interrupted at every point', { runs: chosen.length, wrong: [] });
  });
});

async function expectTruth(of: {
  served: ServedBook;
  action: EachAction;
  at: string;
  out: string;
}): Promise<void> {
  const { served, action, at, out } = of;
  expect({ at, out }).toEqual({ at, out: expect.stringMatching(/^\{.*\}\n$/) });
  const { data, error }: Told = JSON.parse(out);
  const acted = served.acted(action.path);
  expect({ at, acted, said: error?.effect ?? data?.effect }).toSatisfy(({ said }: { said: string }) =>
    isToldTruly(said, acted),
  );
  if (error === null || acted === 0) return;
  const id = data?.action_id ?? 'no action';
  const names = [data?.receipt.hedge_id ?? id, id.slice(0, 4)];
  expect({ at, said: `${error.message} ${error.hint ?? ''}` }).toSatisfy(({ said }: { said: string }) =>
    names.some((name) => said.includes(name)),
  );
}

describe.each(['SIGTERM', 'SIGHUP'] as const)('%s while the end is awaited', everyDay, (signal) => {
  it.each(EACH_ACTION)('ends $name by the signal, with one document that is true', async (action) => {
    const served = await aService();
    await bookFor(served, action);
    await served.desk.service.admin.setFaults({ slow_fills_seconds: 3_600 });
    const home = temporaryFolder();
    const child = spawn(...toStart(...wordsOf(action)), {
      env: bareEnvironment(served.way(home)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => {
      child.on('close', (_, by) => resolve(by));
    });
    const [out, err] = [text(child.stdout), text(child.stderr)];
    await served.arrived(1);
    child.kill(signal);
    expect({ signal: await ended, err: await err }).toMatchObject({ signal });
    await expectTruth({ served, action, at: signal, out: await out });
  });
});

describe('Ctrl-C while the end is awaited, on a terminal', everyDay, () => {
  it.each(EACH_ACTION)(
    'says of $name that it was accepted, and the line that goes on waiting',
    async (action) => {
      const served = await aService();
      await bookFor(served, action);
      await served.desk.service.admin.setFaults({ slow_fills_seconds: 3_600 });
      const home = temporaryFolder();
      const screen = openScreen(...toStart(...wordsOf(action, '--yes')), {
        env: served.way(home),
        columns: 120,
      });
      await screen.until(/waiting/);
      screen.send('\u0003');
      expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
      const [entry] = actionsIn(journalAt(home).read());
      const shown = screen.screen().join('\n');
      expect([entry?.state, served.acted(action.path)]).toEqual(['accepted', 1]);
      expect(shown).toContain(entry?.hedgeId ?? entry?.shortId);
      expect(shown).toMatch(/hedge wait \w+/);
      expect(shown).not.toMatch(/nothing was (sent|done|opened)/i);
      expect(screen.cursorHidden()).toBe(false);
    },
  );
});

describe('a second Ctrl-C', everyDay, () => {
  it('ends it at once, whatever it was doing', async () => {
    const served = await aService();
    const open = EACH_ACTION[0] ?? expect.fail('no action');
    await bookFor(served, open);
    await served.desk.service.admin.setFaults({ delay_before_ms: 60_000, only: 'actions' });
    const screen = openScreen(...toStart(...wordsOf(open, '--yes')), {
      env: served.way(temporaryFolder()),
    });
    await screen.until(/sending/i);
    const began = Date.now();
    screen.send('\u0003\u0003');
    expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(screen.cursorHidden()).toBe(false);
  });
});
