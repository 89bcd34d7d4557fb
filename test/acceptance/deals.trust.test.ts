/**
 * R1 for a deals file: the built program killed at moments that nobody chose, and run again until it is done. Each deal is
 * open once, whatever was on its way when the process died. HEDGE_SOAK=all kills it 200 times.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passes } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment, runBuilt, toStart } from '../support/built.ts';
import { everyDay, expectHeld, howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';

const KILLS = howMany(60, 200);
/** Of each file, before it is run to its end. */
const KILLS_OF_A_FILE = 4;
const DEALS = 6;

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook({ ...WITHOUT_LIMIT, fill_seconds: { min: 0.2, max: 0.2 } });
});
afterAll(() => served.close());

const ids = Array.from({ length: DEALS }, (_, at) => `PAY-${String(at + 1)}`);

/** Every other row has its size in naira. */
function aFile(): { env: Record<string, string>; path: string } {
  const home = temporaryFolder();
  const path = join(home, 'deals.csv');
  const rows = ids.map(
    (id, at) =>
      `${id},USDTNGN,${at % 3 === 0 ? 'sell' : 'buy'},${at % 2 === 0 ? `${String(1_000 + at)},` : `,${String(2 + at)}m`},3,300`,
  );
  writeFileSync(
    path,
    ['deal_id,market,side,notional_usd,ngn,tenor_days,max_cost_bps', ...rows, ''].join('\n'),
  );
  return { env: served.way(home), path };
}

/** Undefined: it had ended before. */
async function killedAfter(
  ms: number,
  { env, path }: ReturnType<typeof aFile>,
): Promise<'killed' | undefined> {
  const child = spawn(...toStart('deals', 'run', path, '--yes', '--json'), {
    env: bareEnvironment(env),
    stdio: 'ignore',
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('close', (_code, signal) => resolve(signal));
  });
  const timer = new AbortController();
  void passes(ms, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  const signal = await ended;
  timer.abort();
  return signal === 'SIGKILL' ? 'killed' : undefined;
}

async function openUnder(): Promise<readonly string[]> {
  const { body } = await served.desk.get('/hedges?limit=500', { as: 'test' });
  const hedges: readonly { client_reference: string }[] = body.data;
  return hedges.map((each) => each.client_reference).toSorted();
}

describe('a deals file', () => {
  it('killed at random moments and run again opens each deal once', async () => {
    const random = seededRandom(20);
    const wrong: string[] = [];
    let kills = 0;
    let tries = 0;
    /** How long a run takes here, from its start to its end. */
    let lastsMs = 2_000;
    while (kills < KILLS && tries < 4 * KILLS) {
      await served.reset();
      const file = aFile();
      const moments: number[] = [];
      for (let of = 0; of < KILLS_OF_A_FILE && kills < KILLS; of += 1) {
        tries += 1;
        const after = random.fraction() * lastsMs;
        moments.push(Math.round(after));
        if ((await killedAfter(after, file)) === undefined) break;
        kills += 1;
      }
      const startedAt = performance.now();
      const end = await runBuilt(['deals', 'run', file.path, '--yes', '--json'], { env: file.env });
      lastsMs = Math.max(1_000, performance.now() - startedAt);
      const open = await openUnder();
      if (end.code !== 0 || JSON.stringify(open) !== JSON.stringify(ids))
        wrong.push(
          `after ${moments.join(', ')} ms: exit ${String(end.code)}, open ${open.join(' ')}\n${end.err}`,
        );
    }
    expectHeld('R1 deals file', { runs: kills, wrong });
    expect(kills).toBe(KILLS);
  });

  it('run by two processes at once opens each deal once', everyDay, async () => {
    await served.reset();
    const file = aFile();
    const run = () => runBuilt(['deals', 'run', file.path, '--yes', '--json'], { env: file.env });
    const both = await Promise.all([run(), run()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await openUnder()).toEqual(ids);
  });
});
