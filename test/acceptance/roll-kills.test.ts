/**
 * A roll killed at random system calls of the built program, at either leg, with and without the power: run again, the service
 * has opened the second leg once, and the size on the side is that of the first.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BuiltRun } from '../support/built.ts';
import { expectHeld, perRun } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { copiedJournal } from '../support/journal-copy.ts';
import { type Kill, killsOf, killText, runKilled, tracedHedge } from '../support/kill-case.ts';
import { inLanes } from '../support/lanes.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { needs } from '../support/tools.ts';

/** Kills of each way to roll: 2 every day, 12 in `npm run test:full`, 60 in the soak, or as many as HEDGE_ROLL_KILLS says. */
const KILLS = Number(process.env['HEDGE_ROLL_KILLS'] ?? perRun({ soak: 120, full: 24, everyDay: 4 })) / 2;
const LANES = 2;
const SIZE = 10_000;

const NOW = ['roll', 'USDTNGN', 'buy', '--tenor', '3', '--at', 'now', '--yes', '--json'];
const RUN = ['roll', 'run', '--due', '--yes', '--json'];

type Way = 'now' | 'maturity';

/** A book with one hedge; for the maturity also the plan, and the hedge has settled. */
async function prepared(way: Way, served: ServedBook, home: string): Promise<void> {
  await served.reset();
  const id = await served.opened('buy', SIZE);
  if (way === 'now') return;
  const env = served.way(home);
  const plan = await runHedge(['roll', id, '--tenor', '3', '--at', 'maturity', '--yes'], { env });
  if (plan.code !== 0) throw new Error(told(plan));
  await served.desk.service.admin.advance(73 * 3_600_000);
}

const lineOf = (way: Way): readonly string[] => (way === 'now' ? NOW : RUN);

async function inHome<T>(body: (home: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'hedge-roll-'));
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  try {
    return await body(home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Verdict {
  reached: boolean;
  /** Leg 2 was not open at the kill. */
  early: boolean;
  wrong: readonly string[];
}

async function killed(way: Way, served: ServedBook, kill: Kill): Promise<Verdict> {
  return inHome(async (home) => {
    await prepared(way, served, home);
    const env = served.way(home);
    const wrong: string[] = [];
    const { killedAt, run } = await runKilled(lineOf(way), { env, kill });
    const at = `${way}, ${killText({ at: killedAt ?? kill.at, loses: kill.loses })}`;
    const must = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(`${at}: ${what}`);
    };
    must((killedAt === undefined ? null : 'SIGKILL') === run.signal, `it ended so: ${told(run)}`);
    const early = served.acted('/hedges') === 0;

    // What cron does, then what a person does who was told nothing.
    const cron = await runHedge(RUN, { env });
    must([0, 8].includes(cron.code ?? -1), `roll run ended so: ${told(cron)}`);
    const again = await runHedge(lineOf(way), { env });
    must([0, 10].includes(again.code ?? -1), `run again it ended so: ${told(again)}`);
    if (again.code === 10) must(again.out.includes('"duplicate"'), `it was stopped: ${told(again)}`);
    const last = await runHedge(RUN, { env });
    must(last.code === 0 && last.out.includes('"data":[]'), `something is left: ${told(last)}`);

    must(served.acted('/hedges') === 1, `leg 2 was opened ${served.acted('/hedges').toString()} times`);
    const closes = served.acted('/hedges/close');
    must(closes === (way === 'now' ? 1 : 0), `it was closed ${closes.toString()} times`);
    must((await served.openOn('buy')) === SIZE, `${(await served.openOn('buy')).toString()} USD are open`);
    const { rewound, wrong: contradictions, rolls } = copiedJournal(home);
    for (const what of [...contradictions, ...(rewound === undefined ? [] : [rewound])]) must(false, what);
    must(rolls.length === 0, 'the journal has an unfinished roll');
    return { reached: killedAt !== undefined, early, wrong };
  });
}

const told = ({ code, signal, out, err }: BuiltRun): string =>
  `${String(code ?? signal)} ${out.slice(0, 1_500)} ${err.slice(0, 1_500)}`;

describe('a roll that is killed', needs('strace'), () => {
  it.each<Way>(['now', 'maturity'])(
    'at random system calls (%s) has two legs after it is run again',
    async (way) => {
      const lanes = await Promise.all(Array.from({ length: LANES }, () => servedBook()));
      try {
        const [first] = lanes;
        const undisturbed = await inHome(async (home) => {
          if (first === undefined) throw new Error('no service');
          await prepared(way, first, home);
          const traced = await tracedHedge(lineOf(way), { env: first.way(home) });
          expect([traced.run.code, told(traced.run)]).toEqual([0, expect.anything()]);
          return traced;
        });
        const kills = killsOf(undisturbed);
        const { fraction } = seededRandom(Number(process.env['HEDGE_ROLL_SEED'] ?? 20));
        const chosen = Array.from({ length: KILLS }, () => kills[Math.floor(fraction() * kills.length)]);
        const found = await inLanes(
          lanes,
          chosen.flatMap((each) => each ?? []),
          (served, kill) => killed(way, served, kill),
        );
        expectHeld(`R1 roll, ${way}`, {
          runs: found.filter(({ reached }) => reached).length,
          wrong: found.flatMap(({ wrong }) => wrong),
        });
        expect(found.some(({ early }) => early)).toBe(true);
      } finally {
        await Promise.all(lanes.map((lane) => lane.close()));
      }
    },
  );
});
