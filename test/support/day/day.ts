/**
 * One day of a desk on one home and one journal: commands of the program in this process, through trouble chosen for
 * each request, the program dying at any numbered point, a clock that is set ahead and back. Judges nothing.
 */
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostOf } from '../../../src/platform/host.ts';
import type { Random } from '../../../src/platform/random.ts';
import { type FaultProxy, faultProxy, type RequestHook, type Sent } from '../faults/fault-proxy.ts';
import { CALM, type Plan } from '../faults/faults.ts';
import { type MovingClock, movingClock } from '../moving-clock.ts';
import { type ServedBook, servedBook } from '../served-book.ts';
import { seededRandom } from '../steady-clock.ts';
import { type Ran, testCli } from '../test-cli.ts';
import { watchFiles } from './file-points.ts';
import { journalFiles } from './journal-files.ts';
import type { Harm } from './journal-harm.ts';

/** Both lead to the same book with the same key: one identity, whichever is used. */
export const PROFILES = ['desk', 'other-desk'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Trouble {
  plan: Plan;
  /** The program dies at this of its points, from 1: changes of files, requests that come, requests that were done. */
  dies: { at: number; half: boolean } | undefined;
  /** Its changes of files fail from this one on, from 1, or that one alone. */
  disk?: Disk | undefined;
}

export interface Disk {
  at: number;
  code: 'EIO' | 'ENOSPC' | 'EACCES' | 'EROFS';
  /** Half of what is to be written is. */
  half: boolean;
  forEver: boolean;
}

export const NO_TROUBLE: Trouble = { plan: CALM, dies: undefined };

/** What one command came to. */
export interface Ended {
  words: readonly string[];
  /** Undefined: it died. */
  ran: Ran | undefined;
  /** Its requests for a change, as they came to the wire. */
  sent: readonly Sent[];
  /** Its changes of files, in order: `rename state/journal.head.*.tmp`. */
  changes: readonly string[];
}

export interface JournalFiles {
  /** Every record that can be read, one a line. */
  read(): string;
  /** As the program itself would have written it. */
  rewrite(change: (text: string) => string): void;
  /** Whoever reads it here finds nothing in it. */
  hide(hidden: boolean): void;
  /** All of them are deleted. */
  forget(): void;
  keepCopy(): void;
  harm(it: Harm): void;
  /** Away, if its database is gone: so the program tells a person to. */
  moveLog(): void;
}

export type Request = Parameters<RequestHook>[1];

export interface Day {
  served: ServedBook;
  proxy: FaultProxy;
  /** The program's clock, and the service's. */
  now(): number;
  /** Moves it: below zero it is set back. */
  pass(ms: number): void;
  /** Time that has passed in truth, whatever the clock was set to: milliseconds since the morning. */
  elapsed(): number;
  /** A clock that was set back is right again. */
  rightClock(): void;
  /** The one that stood in the morning. */
  firstHedge: string;
  home: string;
  journal: JournalFiles;
  /** `onSend`: told of each request for a change as it arrives, before the service has it. */
  run(
    words: readonly string[],
    trouble?: Trouble,
    options?: { answer?: string | readonly string[] | undefined; onSend?: (request: Request) => void },
  ): Promise<Ended>;
  close(): Promise<void>;
}

/** Puts another program in the place of ours, to see that it is found out. */
export type Program = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
  day: Pick<Day, 'journal' | 'pass'>,
) => Promise<Ran>;

/** What many days are played on, one after the other. */
export interface DayHouse {
  served: ServedBook;
  proxy: FaultProxy;
  clock: MovingClock;
  chance: { again(seed: number): void };
  folder: string;
  close(): Promise<void>;
}

/** Numbers that no process of ours has. */
const FIRST_PID = 5_000_000;
const NOTHING: Ran = { code: -1, out: '', err: '', document: () => undefined };
const DAY_MS = 86_400_000;
const NINE_MS = 9 * 3_600_000;

export async function dayHouse(): Promise<DayHouse> {
  const clock = movingClock();
  let chance = seededRandom();
  const random: Random = { fraction: () => chance.fraction(), bytes: (count) => chance.bytes(count) };
  const served = await servedBook({ fill_seconds: { min: 1.5, max: 4 } }, clock, random);
  const proxy = await faultProxy(served, clock);
  const folder = mkdtempSync(join(tmpdir(), 'hedge-days-'));
  const template = join(folder, 'template');
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, proxy.ca, { mode: 0o600 });
  const { HEDGE_API_KEY: stdin = '', HEDGE_BASE_URL: url = '' } = proxy.way(template, 'direct');
  for (const profile of PROFILES) {
    const words = [
      'profile',
      'add',
      profile,
      '--base-url',
      url,
      '--key-stdin',
      '--no-check',
      '--ca-file',
      caFile,
    ];
    const { code, err } = await testCli({ home: template, clock }).run(words, { stdin });
    if (code !== 0) throw new Error(`${words.join(' ')}: ${err}`);
  }
  return {
    served,
    proxy,
    clock,
    folder,
    chance: { again: (seed) => (chance = seededRandom(seed)) },
    async close() {
      await proxy.close();
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How a command is run on a day; undefined: it was killed. */
export type Start = (
  words: readonly string[],
  how: { answer: string | readonly string[] | undefined; signal: AbortSignal; dies: Trouble['dies'] },
) => Promise<Ran | undefined>;

/** Where a day takes place, for whoever starts the program there. */
export interface Place {
  folder: string;
  home: string;
  clock: MovingClock;
}

/**
 * A fresh book at nine in the morning with 10,000 USD open on `buy`, and a journal that knows of nothing. `begin`:
 * another way to run the program than in this process, which then really dies.
 */
export async function newDay(
  house: DayHouse,
  program: Program = (words, run) => run(words),
  begin?: (place: Place) => Start,
): Promise<Day> {
  const { served, proxy, clock, chance, folder } = house;
  // The same every time: what a day comes to hangs on nothing but its commands.
  chance.again(1);
  clock.pass(Math.floor(Date.now() / DAY_MS) * DAY_MS + NINE_MS - clock.now());
  await served.reset();
  const firstHedge = await served.opened('buy', 10_000);
  const place = mkdtempSync(join(folder, 'day-'));
  const home = join(place, 'home');
  cpSync(join(folder, 'template'), home, { recursive: true });
  const random = seededRandom(2);
  const morning = clock.now();
  let setBack = 0;
  let pid = FIRST_PID;

  const journal = journalFiles(home, join(place, 'copy'));
  const pass = (ms: number): void => {
    if (ms < 0) setBack -= ms;
    clock.pass(ms);
  };
  const sendings = (): number => journal.read().split('"sending"').length;

  const runHere: Start = (words, { answer, signal }) => {
    const own = (pid += 1);
    const kill = (other: number): void => {
      if (other !== own) throw Object.assign(new Error('gone'), { code: 'ESRCH' });
    };
    const geteuid = (): number => process.geteuid?.() ?? 0;
    const host = hostOf({ pid: own, platform: process.platform, geteuid, kill }, join(place, 'no-proc'));
    const asked = answer === undefined ? {} : { answer, terminal: { isTTY: { stdin: true, stderr: true } } };
    return testCli({ home, clock, random, host }).run(words, { signal, ...asked });
  };
  const start = begin?.({ folder: place, home, clock }) ?? runHere;

  return {
    served,
    proxy,
    firstHedge,
    home,
    now: () => clock.now(),
    pass,
    rightClock() {
      clock.pass(setBack);
      setBack = 0;
    },
    elapsed: () => clock.now() - morning + setBack,
    journal,
    async run(words, { plan, dies, disk } = NO_TROUBLE, { answer, onSend } = {}) {
      const before = sendings();
      const stop = new AbortController();
      const asItDied = join(place, 'as-it-died');
      let points = 0;
      let died = false;
      const reach = (half?: () => void): boolean => {
        points += 1;
        if (died || begin !== undefined || points !== dies?.at) return died;
        died = true;
        if (dies.half) half?.();
        cpSync(home, asItDied, { recursive: true });
        proxy.cutOff();
        // What it still does is done on a home that is thrown away.
        stop.abort(new Error('dead'));
        return true;
      };
      proxy.begin(plan, () => sendings() > before);
      proxy.onRequest((moment, request) => {
        if (moment === 'before' && request.line.startsWith('POST /hedges')) onSend?.(request);
        return reach();
      });
      const changes: string[] = [];
      watchFiles(home, ({ call, on, half }) => {
        changes.push(`${call} ${on.replaceAll(/[0-9a-f]{8,}/g, '*')}`);
        reach(half);
        const fails =
          disk !== undefined && (changes.length === disk.at || (disk.forEver && changes.length > disk.at));
        if (!fails) return;
        if (disk.half) half?.();
        throw Object.assign(new Error(`${disk.code}: injected, ${call} '${on}'`), {
          code: disk.code,
          syscall: call,
        });
      });
      try {
        let wasKilled = false;
        const once = async (given: readonly string[]): Promise<Ran> => {
          // What the journal shows needs no process of its own.
          const way = given[0] === 'journal' && dies === undefined ? runHere : start;
          const ran = await way(given, { answer, signal: stop.signal, dies });
          wasKilled = ran === undefined;
          return ran ?? NOTHING;
        };
        const ran = await program(words, once, { journal, pass });
        await proxy.quiet();
        return { words, ran: died || wasKilled ? undefined : ran, sent: [...proxy.sent], changes };
      } finally {
        watchFiles(undefined);
        proxy.onRequest(undefined);
        if (died) {
          rmSync(home, { recursive: true });
          renameSync(asItDied, home);
        }
      }
    },
    async close() {
      proxy.onRequest(undefined);
      rmSync(place, { recursive: true, force: true });
    },
  };
}
