/**
 * One action killed at one point, looked at with `check`, settled with `resume`, and judged from the service's
 * own log and book and the journal. Says in words what must never be and was.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionState } from '../../src/journal/replay.ts';
import { openJournal } from '../../src/journal/store.ts';
import { actionsIn } from '../journal/records.ts';
import { type BuiltRun, runBuilt } from './built.ts';
import { bookFor, type EachAction, wordsOf } from './each-action.ts';
import {
  type Fault,
  isAt,
  type Kill,
  type Numbered,
  type Point,
  pointText,
  runNumbered,
} from './kill-points.ts';
import { testMachine } from './own-folder.ts';
import type { ServedBook } from './served-book.ts';
/**
 * What is killed: the action without faults, the action whose first answer is lost, or the `resume` that sends
 * it again after it was killed half-way through its first send.
 */
export type Life = 'undisturbed' | 'its first answer lost' | 'resumed';

/** The action run to its end on a fresh book, its points numbered. */
export async function counted(
  book: ServedBook,
  action: EachAction,
  { fault, life = 'undisturbed' }: { fault?: Fault; life?: Life } = {},
): Promise<Numbered> {
  return inOwnHome(async (home) => {
    await prepared(life, { book, action, home });
    return runNumbered(lineIn(life, action), { env: book.way(home), fault, folder: home });
  });
}

export interface Verdict {
  killedAt: string;
  /** Connections and the pieces of answers are not the same in every run: it may never have come to this one. */
  reached: boolean;
  /** Empty when all is as it must be. */
  wrong: readonly string[];
}

export async function killed(
  book: ServedBook,
  action: EachAction,
  { kill, fault, life = 'undisturbed' }: { kill: Kill; fault?: Fault | undefined; life?: Life },
): Promise<Verdict> {
  return inOwnHome(async (home) => {
    await prepared(life, { book, action, home });
    const env = book.way(home);
    const wrong: string[] = [];
    const must = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(what);
    };

    const { points, run } = await runNumbered(lineIn(life, action), { env, kill, fault, folder: home });
    await book.arrived(sendsOf(points, kill));
    const killedAt = `${kill.how} ${pointText(kill.at)}, losing ${kill.loses}`;
    const reached = points.some((point) => isAt(point, kill.at));
    must(run.signal === (reached ? 'SIGKILL' : null), `it ended so: ${told(run)}`);
    const atDeath = book.acted(action.path);
    must(atDeath <= 1, `the service did it ${atDeath} times before the end`);
    const known = actionsIn(journalAt(home).read()).filter(({ state }) => !NOTHING_LEFT.includes(state));
    must(atDeath === 0 || known.length === 1, 'the service did what the journal does not know');

    for (const words of [
      ['check', '--json'],
      ['resume', '--yes', '--json'],
    ]) {
      const count = book.changes().length;
      const looked = await runBuilt(words, { env });
      must(isDocument(looked.out), `${words[0]} printed no document: ${told(looked)}`);
      must([0, 3, 7, 8, 9, 10].includes(looked.code ?? -1), `${words[0]} ended so: ${told(looked)}`);
      must(book.changes().length === count, `${words.join(' ')} sent something: ${told(looked)}`);
    }

    const resumed = await runBuilt(RESUME, { env });
    must([0, 8].includes(resumed.code ?? -1), `resume --resend ended so: ${told(resumed)}`);
    const done = book.acted(action.path);
    const keys = new Set(book.changes().map(({ idempotencyKey }) => idempotencyKey));
    must(done <= 1 && keys.size <= 1, `the service did it ${done} times, under ${keys.size} keys`);
    must((await book.openOn('buy')) === (done === 0 ? action.before : action.after), 'the book is another');
    wrong.push(...againstJournal(home, done));

    if (action.name === 'open') {
      const again = await runBuilt([...lineOf(action), '--ensure'], { env });
      must(again.code === 0, `ensuring it then ended so: ${told(again)}`);
      must(book.acted(action.path) === 1, `ensured, the service did it ${book.acted(action.path)} times`);
    }
    return { killedAt, reached, wrong };
  });
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
    await book.desk.service.admin.setFaults({ share_lost_after: 1, only: action.name, once: 1 });
  if (life !== 'resumed') return;
  const at = { call: 'send', on: `POST ${action.path}`, times: 1 };
  const kill: Kill = { at, how: 'part', loses: 'nothing' };
  const { run } = await runNumbered(lineOf(action), { env: book.way(home), kill, folder: home });
  if (run.signal !== 'SIGKILL') throw new Error(`it was not killed half-way: ${told(run)}`);
}

/** States in which no request for the action has left. */
const NOTHING_LEFT: readonly ActionState[] = ['prepared', 'not_sent'];

/** What the journal says at last, held against what the service did. */
export function againstJournal(home: string, done: number): readonly string[] {
  const state = journalAt(home).read();
  const [entry, ...more] = actionsIn(state);
  const wrong: string[] = [];
  if (more.length > 0) wrong.push('one intent became several entries');
  if (state.damage.length > 0) wrong.push('the journal is damaged');
  const isDone = entry?.state === 'done' || entry?.state === 'accepted';
  const isNot = entry === undefined || NOTHING_LEFT.includes(entry.state);
  if (done === 1 && !isDone) wrong.push(`done, and the journal says ${entry?.state ?? 'nothing'}`);
  if (done === 0 && !isNot) wrong.push(`not done, and the journal says ${entry?.state ?? 'nothing'}`);
  return wrong;
}

/** Requests of this action that the service must have seen whole by the time of the kill. */
function sendsOf(points: readonly Point[], kill: Kill): number {
  const isOut = (it: Point): boolean => kill.how === 'after' || !isAt(it, kill.at);
  return points.filter((it) => it.call === 'send' && it.on.startsWith('POST /hedges') && isOut(it)).length;
}

async function inOwnHome<T>(body: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'hedge-killed-'));
  try {
    return await body(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
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
  `${code ?? signal ?? ''}\n${out}\n${err}`.slice(0, 2_000);
