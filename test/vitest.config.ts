import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { MissingTools } from './missing-tools.ts';
import { Progress } from './progress.ts';
import { SeenBranches } from './seen-branches.ts';

/** They start the built program, or modules of the build in processes of their own. */
const PROGRAM = ['test/acceptance/**/*.test.ts', 'test/**/*.program.test.ts'];
/** These attack the program, take away what it depends on, try what fails half-way in every combination, or take long. */
const TRUST = ['test/trust/**/*.test.ts', 'test/**/*.trust.test.ts'];
/** Killed processes: `npm run test:kills` tries more of them. */
const KILLS = [
  'test/acceptance/{kill-sweep,roll-kills,halt-kills,interrupted}.test.ts',
  'test/**/{killed,power-cut}.program.test.ts',
];
/** For these the everyday run is too short. */
const FULL_ONLY = 'test/**/*.full.test.ts';
/** So are these, and they take the whole machine. */
const ALONE = 'test/**/*.alone.test.ts';
/** These need a browser, which is too large for every machine that runs the others. */
const BROWSER = 'test/**/*.browser.test.ts';
/** These try a part every day, or in this process, and in `full` the whole: what they use says so. For the soak, all with a goal. */
const TRIES_A_PART = process.env['HEDGE_SOAK']
  ? /\/support\/goal\.ts'/
  : /\b(?:IN_FULL|perRun|howMany|spread|aQuarter|aQuarterOf|chosenKills|runHedge|openHedge|tradingDay)\b[^;]*\} from '[./]+\/support\//;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MORE_IN_FULL = readdirSync(fileURLToPath(new URL('.', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`)
  .filter((file) => TRIES_A_PART.test(readFileSync(`${ROOT}${file}`, 'utf8')));

const BUILT = 'test/needs-build.ts';
const LIMIT_MS = process.env['HEDGE_SOAK'] || process.env['HEDGE_SWEEP'] ? 3_600_000 : 900_000;

export default defineConfig({
  root: ROOT,
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    // What is loaded and what certificates are made serve all files of a worker. A soak opens so many journals in one
    // process that it runs out of descriptors, so there each file has its own.
    isolate: Boolean(process.env['HEDGE_SOAK']),
    reporters: ['default', new Progress(), new MissingTools(), new SeenBranches()],
    sequence: { sequencer: LongestFirst },
    globalSetup: 'test/run-folder.ts',
    // It ends what hangs. No test takes so long, however busy the machine is.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    // What another process does may take long on a busy machine.
    expect: { poll: { timeout: 300_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAM, ...TRUST, FULL_ONLY, ALONE, BROWSER],
          // Some of them wait for a database.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'program',
          globalSetup: BUILT,
          include: PROGRAM,
          exclude: [...KILLS, ...TRUST, FULL_ONLY, ALONE],
          // They wait for one another's processes more than they work.
          maxWorkers: availableParallelism() * 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'trust',
          globalSetup: BUILT,
          include: TRUST,
          exclude: [FULL_ONLY, ALONE],
          maxWorkers: availableParallelism() * 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'full',
          globalSetup: BUILT,
          include: [FULL_ONLY, ...MORE_IN_FULL],
          exclude: [ALONE],
          env: { HEDGE_FULL: 'all' },
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'full, alone',
          globalSetup: BUILT,
          include: [ALONE],
          env: { HEDGE_FULL: 'all' },
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      { extends: true, test: { name: 'browser', include: [BROWSER] } },
    ],
  },
});
