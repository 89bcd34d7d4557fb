/**
 * R10: a script of a desk on a real terminal, interrupted at moments that nobody chose. The script stops, at once and
 * by the signal; the terminal is as it was; what was said is true by the service's log; run again, nothing is done twice.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { IN_SHELL } from '../support/built.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { inLanes } from '../support/lanes.ts';
import {
  type Interrupted,
  interrupted,
  type Moment,
  momentText,
  type Phase,
  SCRIPTS,
  type ScriptName,
  SIGNALS,
} from '../support/random-moment.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { needs } from '../support/tools.ts';

const LANES = 3;
/** How fast it must be gone, where a bare Node takes BARE_MS to start and end. */
const GONE_MS = 2_000;
const BARE_MS = 50;
/** How long a phase lasts here at most, from what begins it to what ends it. */
const LASTS_MS: Readonly<Record<Phase, number>> = { reading: 450, sending: 80, waiting: 500 };

const names = Object.keys(SCRIPTS).filter((name): name is ScriptName => name in SCRIPTS);

function momentsOf(phase: Phase): readonly Moment[] {
  const random = seededRandom(phase.length);
  const one = <T>(of: readonly [T, ...T[]] | readonly T[], index: number): T =>
    of[index % of.length] ?? expect.fail('none');
  const offset = Math.floor(random.fraction() * 20);
  return Array.from({ length: howMany(4, 20) }, (_, index) => ({
    phase,
    script: one(names, index + offset),
    signal: one(SIGNALS, index),
    afterMs: random.fraction() * LASTS_MS[phase],
  }));
}

async function withServices<T>(body: (lanes: readonly ServedBook[]) => Promise<T>): Promise<T> {
  const settings = { fill_seconds: { min: 0.4, max: 0.4 } };
  const lanes = await Promise.all(Array.from({ length: LANES }, () => servedBook(settings)));
  try {
    return await body(lanes);
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

const late = (moment: Moment, { tookMs, missed }: Interrupted, most: number): readonly string[] =>
  missed || tookMs <= most
    ? []
    : [`${momentText(moment)}: gone after ${String(Math.round(tookMs))} of ${String(Math.round(most))} ms`];

/** As long as GONE_MS on this machine, as busy as it is now. */
function mostMs(): number {
  const began = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return GONE_MS * Math.max(1, (performance.now() - began) / BARE_MS);
}

/** What the machine was busy with else does not come five times: a program that is slow to go does. */
const TRIES = 5;

async function tried(served: ServedBook, moment: Moment): Promise<Interrupted> {
  const wrong: string[] = [];
  for (let left = TRIES; ; left -= 1) {
    const result = await interrupted(served, moment);
    wrong.push(...result.wrong);
    const tooLate = late(moment, result, mostMs());
    if (tooLate.length > 0 && left > 1) continue;
    return { ...result, wrong: [...wrong, ...tooLate] };
  }
}

describe('a script that is interrupted while it is', () => {
  it.each<Phase>(['reading', 'sending', 'waiting'])(
    '%s stops, reports the truth, and is done once when it is run again',
    needs('bash', '/proc'),
    async (phase) => {
      const moments = momentsOf(phase);
      const found = await withServices((lanes) => inLanes(lanes, moments, tried));
      const hit = found.filter(({ missed }) => !missed);
      expectHeld(`R10 random moments, ${phase}`, {
        runs: hit.length,
        wrong: found.flatMap(({ wrong }) => wrong),
      });
      expect(hit.length).toBeGreaterThan(moments.length / 2);
    },
  );
});

describe('the judge of such a script', needs('bash', '/proc', 'sed'), () => {
  const around = (script: string): string =>
    `bash --norc -c '${script}' hedge ${IN_SHELL.replaceAll("'", '"')}`;
  const moment: Moment = { script: 'open', signal: 'SIGINT', phase: 'waiting', afterMs: 100 };

  it.each<[string, RegExp, string]>([
    ['ends with a code in the place of the signal', /it ended as/, around('trap : INT; "$@"; exit 130')],
    ['goes on to the next', /it ended as|went on/, around('trap : INT; "$@"; exit 0')],
    ['says nothing', /nothing was said of it/, around('"$@" > /dev/null')],
    [
      'says that nothing was done',
      /said none/,
      around('trap : INT; said=$("$@"); echo "$said" | sed s/pending/none/g; trap - INT; kill -INT $$'),
    ],
    [
      'hides the cursor',
      /the cursor is hidden/,
      around('trap : INT; "$@"; printf "\\033[?25l" >&2; trap - INT; kill -INT $$'),
    ],
  ])('finds a program that %s', async (_, says, broken) => {
    const found = await withServices(async ([served]) => {
      if (served === undefined) throw new Error('no service');
      const wrong: string[] = [];
      // On a busy machine the signal may come between two programs, where nothing of this is to be seen.
      for (let left = TRIES; left > 0 && !says.test(wrong.join('\n')); left -= 1)
        wrong.push(...(await interrupted(served, moment, broken)).wrong);
      return wrong;
    });
    expect(found.join('\n')).toMatch(says);
  });

  it('finds a program that takes its time', async () => {
    const slow = around('trap : INT; "$@"; sleep 5; trap - INT; kill -INT $$');
    const found = await withServices(async ([served]) => {
      if (served === undefined) throw new Error('no service');
      return interrupted(served, moment, slow);
    });
    expect(found.tookMs).toBeGreaterThan(5_000);
    expect(late(moment, found, GONE_MS)).toHaveLength(1);
  });
});
