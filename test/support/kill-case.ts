/**
 * One action killed at one system call, with or without the power, looked at with `check`, settled with `resume`, and judged
 * from the service's own log and book and the journal. Says in words what must never be and was.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ActionState } from '../../src/journal/replay.ts';
import { openJournal } from '../../src/journal/store/journal.ts';
import { type BuiltRun, HEDGE } from './built.ts';
import type { Survival } from './disk-model.ts';
import { bookFor, type EachAction, wordsOf } from './each-action.ts';
import { oneOfEach, perRun } from './goal.ts';
import { runHedge } from './in-process.ts';
import { copiedJournal, journalAfter } from './journal-copy.ts';
import { runNumbered } from './kill-points.ts';
import { testMachine } from './own-folder.ts';
import type { ServedBook } from './served-book.ts';
import { seededRandom } from './steady-clock.ts';
import { type CallPlace, type PlacedCall, placeText, runTraced, type TracedRun } from './system-calls.ts';

/**
 * What is killed: the action without faults, the action whose first answer is lost, or the `resume` that sends
 * it again after it was killed just before its first send.
 */
export type Life = 'undisturbed' | 'its first answer lost' | 'resumed';

/** With the power everything that was not synced is gone, or some of it. */
export type Loss = 'nothing' | 'what was not synced' | 'some of what was not synced';

/** Faults that are put into the program, to see that they are found. */
export type ProgramFault = 'late journal' | 'no sync';

export interface Kill {
  at: PlacedCall;
  loses: Loss;
}

export const killText = ({ at, loses }: { at: CallPlace; loses: Loss }): string =>
  `killed at ${placeText(at)}, losing ${loses}`;

interface CaseOptions {
  life?: Life;
  fault?: ProgramFault | undefined;
}

/** The action run to its end on a fresh book. */
export async function traced(
  book: ServedBook,
  action: EachAction,
  { life = 'undisturbed', fault }: CaseOptions = {},
): Promise<TracedRun> {
  return inOwnHome(async (home) => {
    await prepared(life, { book, action, home });
    return tracedHedge(lineIn(life, action), { env: book.way(home), fault });
  });
}

/** `hedge` with these words, under strace. */
export const tracedHedge = (
  words: readonly string[],
  {
    env,
    kill,
    fault,
  }: {
    env: Readonly<Record<string, string>> & { HEDGE_HOME: string };
    kill?: Pick<PlacedCall, 'call' | 'nth'> | undefined;
    fault?: ProgramFault | undefined;
  },
): Promise<TracedRun> =>
  runTraced([...HEDGE, ...words], {
    // Compiled code may be lost at any point.
    env: { HEDGE_COMPILED_CODE: 'off', ...env },
    folder: env.HEDGE_HOME,
    log: `${env.HEDGE_HOME}.strace`,
    kill,
    noSync: fault === 'no sync',
    preload: fault === 'late journal' ? ['late-journal'] : [],
  });

/** The same, killed; what is lost with the power is lost when it returns. */
export async function runKilled(
  words: readonly string[],
  { env, kill, fault }: Omit<Parameters<typeof tracedHedge>[1], 'kill'> & { kill: Kill },
): Promise<TracedRun> {
  const run = await tracedHedge(words, { env, kill: kill.at, fault });
  if (run.killedAt !== undefined && kill.loses !== 'nothing')
    run.disk.write(env.HEDGE_HOME, survivalOf(kill));
  return run;
}

const isSend = ({ call, on }: Pick<PlacedCall, 'call' | 'on'>): boolean =>
  call !== 'connect' && on.startsWith('POST /hedges');

/**
 * Every way to die from the first call on a file in the state folder to the end. What is certain to survive a power cut is
 * the same between two syncs or sends, so that it is tried once; what may survive is tried at one of three calls.
 */
export function killsOf({ calls }: Pick<TracedRun, 'calls'>): readonly Kill[] {
  const first = calls.findIndex(({ on }) => on.startsWith('state'));
  if (first < 0) throw new Error('nothing was done to the state folder');
  return calls.slice(first).flatMap((at, index) => {
    const before = calls[first + index - 1];
    const isOther =
      before !== undefined && (before.call.endsWith('sync') || !/^(cache|config|state)/.test(before.on));
    const losses: Loss[] = ['nothing'];
    if (isOther) losses.push('what was not synced');
    if (isOther || index % 3 === 0) losses.push('some of what was not synced');
    return losses.map((loses) => ({ at, loses }));
  });
}

const SWEEPS = process.env['HEDGE_SWEEP'] === 'all';
/** One in so many. */
const SPREAD = perRun({ soak: 10, full: 30, everyDay: 200 });

/** All of them for `npm run sweep`, a tenth for the soak, a twentieth for `npm run test:full`, a few every day. */
export const chosenKills = (all: readonly Kill[]): readonly Kill[] => (SWEEPS ? all : oneOfEach(all, SPREAD));

/** Those at the sends of the action, and at the calls right after them. */
export const killsAtSends = (kills: readonly Kill[]): readonly Kill[] => {
  const sends = kills.flatMap(({ at }, index) => (isSend(at) ? index : []));
  const next = new Set(sends.map((index) => kills.slice(index).find(({ at }) => !isSend(at))?.at));
  return kills.filter(({ at }) => isSend(at) || next.has(at));
};

/** What is not on the disk, or could be lost with the power, when a request for a change leaves. */
export function unsyncedAtSends(run: TracedRun): readonly string[] {
  const found: string[] = [];
  for (const { call, disk } of run.moments()) {
    if (!isSend(call)) continue;
    const dirty = disk.unsynced('state').filter((path) => /\/journal\.sqlite(-wal)?$/.test(path));
    found.push(...dirty.map((path) => `${placeText(call)}: ${path} is not synced`));
    const { actions, stored } = journalAfter(disk, 'synced');
    const last = stored.at(-1)?.record ?? 'nothing';
    if (actions.length !== 1 || !last.includes('"kind":"sending"'))
      found.push(`${placeText(call)}: the last record is ${last}`);
  }
  return found;
}

export interface Verdict {
  /** Where it was killed: not the call that was meant where that has another number in this run. */
  killedAt: CallPlace | undefined;
  /** Empty when all is as it must be. */
  wrong: readonly string[];
}

export async function killed(
  book: ServedBook,
  action: EachAction,
  { kill, fault, life = 'undisturbed' }: { kill: Kill } & CaseOptions,
): Promise<Verdict> {
  return inOwnHome(async (home) => {
    await prepared(life, { book, action, home });
    const env = book.way(home);
    const wrong: string[] = [];
    const { run, calls, killedAt, others } = await runKilled(lineIn(life, action), { env, kill, fault });
    const at = killText({ at: killedAt ?? kill.at, loses: kill.loses });
    const must = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(`${at}: ${what}`);
    };
    must((killedAt === undefined ? null : 'SIGKILL') === run.signal, `it ended so: ${told(run)}`);
    await book.arrived(calls.filter((call) => isSend(call) && call.result !== undefined).length);
    must(others.length === 0, `strace did not see how these were changed: ${others.join()}`);

    const atDeath = book.acted(action.path);
    must(atDeath <= 1, `the service did it ${atDeath.toString()} times before the end`);
    const known = copiedJournal(home).actions.filter(({ state }) => !NOTHING_LEFT.includes(state));
    must(atDeath === 0 || known.length === 1, 'the service did what the journal does not know');
    for (const words of [
      ['check', '--json'],
      ['resume', '--yes', '--json'],
    ]) {
      const count = book.changes().length;
      const looked = await runHedge(words, { env });
      must(isDocument(looked.out), `${words[0] ?? ''} printed no document: ${told(looked)}`);
      must([0, 3, 7, 8, 9, 10].includes(looked.code ?? -1), `${words[0] ?? ''} ended so: ${told(looked)}`);
      must(book.changes().length === count, `${words.join(' ')} sent something: ${told(looked)}`);
    }

    const resumed = await runHedge(RESUME, { env });
    must([0, 8].includes(resumed.code ?? -1), `resume --resend ended so: ${told(resumed)}`);
    const done = book.acted(action.path);
    const keys = new Set(book.changes().map(({ idempotencyKey }) => idempotencyKey));
    must(
      done <= 1 && keys.size <= 1,
      `the service did it ${done.toString()} times, under ${keys.size.toString()} keys`,
    );
    must(
      (await book.openOn('buy')) === (done === 0 ? action.before : action.after),
      'the position is another',
    );
    for (const what of againstJournal(home, done)) must(false, what);

    if (action.name === 'open') {
      const again = await runHedge([...lineOf(action), '--ensure'], { env });
      must(again.code === 0, `ensuring it then ended so: ${told(again)}`);
      must(
        book.acted(action.path) === 1,
        `ensured, the service did it ${book.acted(action.path).toString()} times`,
      );
    }
    return { killedAt, wrong };
  });
}

function survivalOf({ at, loses }: Kill): Survival {
  if (loses === 'what was not synced') return 'synced';
  const { fraction } = seededRandom(at.nth);
  return fraction;
}

const lineOf = (action: EachAction): readonly string[] =>
  wordsOf(action, action.name === 'open' ? '--deal-id PAY-1 --yes --json' : '--yes --json');

const lineIn = (life: Life, action: EachAction): readonly string[] =>
  life === 'resumed' ? RESUME : lineOf(action);

const RESUME = ['resume', '--yes', '--resend', '--json'];

async function prepared(
  life: Life,
  { book, action, home }: { book: ServedBook; action: EachAction; home: string },
): Promise<void> {
  await bookFor(book, action);
  if (life === 'its first answer lost')
    await book.desk.service.admin.setFaults({ lost_after: 1, only: action.name, once: 1 });
  if (life === 'resumed') await killedAtSend(action, book.way(home));
}

/** Leaves the journal of a process that died half-way through its first send. */
async function killedAtSend(action: EachAction, env: ReturnType<ServedBook['way']>): Promise<void> {
  const at = { call: 'send', on: `POST ${action.path}`, times: 1 };
  const { run } = await runNumbered(lineOf(action), {
    env,
    kill: { at, how: 'part' },
    folder: dirname(env.HEDGE_HOME),
  });
  if (run.signal !== 'SIGKILL') throw new Error(`it was not killed half-way: ${told(run)}`);
}

/** States in which no request for the action has left. */
const NOTHING_LEFT: readonly ActionState[] = ['prepared', 'not_sent'];

/** What the journal says at last, held against what the service did. */
export function againstJournal(home: string, done: number): readonly string[] {
  const { actions, pending, rewound, wrong } = copiedJournal(home);
  const [action, ...more] = actions;
  const isDone = action?.state === 'done' || action?.state === 'accepted';
  const isNot = action === undefined || NOTHING_LEFT.includes(action.state);
  const found = [...wrong, ...(rewound === undefined ? [] : [rewound])];
  if (more.length > 0) found.push('one intent became several actions');
  if (pending.length > 0) found.push(`${pending.length.toString()} records are pending`);
  if (done === 1 && !isDone) found.push(`done, and the journal says ${action?.state ?? 'nothing'}`);
  if (done === 0 && !isNot) found.push(`not done, and the journal says ${action?.state ?? 'nothing'}`);
  return found;
}

async function inOwnHome<T>(body: (home: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-killed-'));
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  try {
    return await body(home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const journalAt = (home: string) =>
  openJournal({
    places: { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') },
    machine: testMachine(),
  });

function isDocument(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && 'meta' in read;
  } catch {
    return false;
  }
}

const told = ({ code, signal, out, err }: BuiltRun): string =>
  `${(code ?? signal ?? '').toString()}\n${out}\n${err}`.slice(0, 2_000);
