/**
 * One action dealt through one plan of faults, looked at and settled without faults, and judged: what the program
 * said against what the service did and what the client could know. Says in words what must never be and was.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { MAX_RATE_LIMIT_WAIT_MS } from '../../../src/cache/rate-limit-state.ts';
import { bookFor, type EachAction, wordsOf } from '../each-action.ts';
import { againstJournal } from '../kill-case.ts';
import { type MovingClock, movingClock } from '../moving-clock.ts';
import { type ServedBook, servedBook } from '../served-book.ts';
import { seededRandom } from '../steady-clock.ts';
import { type Ran, testCli } from '../test-cli.ts';
import { journalText } from '../written-journal.ts';
import { type FaultProxy, faultProxy, type Road, type Sent } from './fault-proxy.ts';
import { CALM, type Plan, planText, type Tells } from './faults.ts';
export interface FaultSetup {
  served: ServedBook;
  proxy: FaultProxy;
  clock: MovingClock;
  close(): Promise<void>;
}

export interface Case {
  action: EachAction;
  road: Road;
  plan: Plan;
  seed: number;
  /** An open is filled for a part of what was asked. */
  partial?: boolean;
}

/** What the practice service fills of an open that it fills in part. */
const PART = 0.6;

/** `run`: a command of the desk of this case, for whoever puts another program in its place. */
export type Runner = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
) => Promise<Ran>;

export async function faultSetup(): Promise<FaultSetup> {
  const clock = movingClock();
  const served = await servedBook({ fill_seconds: { min: 1.5, max: 4 } }, clock);
  const proxy = await faultProxy(served, clock);
  return {
    served,
    proxy,
    clock,
    async close() {
      await proxy.close();
      await served.close();
    },
  };
}

export const caseText = ({ action, road, plan, seed, partial = false }: Case): string =>
  `${action.name}${partial ? ' filled in part' : ''}, ${road}, seed ${seed.toString()}, ${planText(plan)}`;

/** Empty when all is as it must be. */
export async function judged(
  desk: FaultSetup,
  it: Case,
  runner: Runner = (words, run) => run(words),
): Promise<readonly string[]> {
  const { served, proxy, clock } = desk;
  const { action, plan } = it;
  const home = mkdtempSync(join(tmpdir(), 'hedge-faults-'));
  try {
    await bookFor(served, action);
    const partial = it.partial === true && action.name === 'open';
    if (partial) await served.desk.service.admin.setFaults({ partial_fills: 1 });
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, proxy.ca, { mode: 0o600 });
    const program = testCli({
      home,
      clock,
      random: seededRandom(it.seed),
      env: { ...proxy.way(home, it.road), HEDGE_CA_FILE: caFile },
    });
    const run = (words: readonly string[]) => runner(words, (given) => program.run(given));
    const wrong: string[] = [];
    const must = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(what);
    };

    proxy.begin(plan, () => hasSending(home));
    const dealt = await run(wordsOf(action));
    const sent = [...proxy.sent];
    const acted = served.acted(action.path);
    wrong.push(...againstTruth(dealt, { plan, sent, acted, polls: { ...proxy.polls }, partial }));
    must(acted <= 1, `the service did it ${acted.toString()} times`);

    // Told to slow down for days, nobody asks again for so long.
    clock.pass(MAX_RATE_LIMIT_WAIT_MS);
    proxy.begin(CALM, () => false);
    const looked = await run(['check', '--json']);
    must(isDocument(looked), `check printed no document: ${told(looked)}`);
    must([0, 3, 7, 8, 9, 10].includes(looked.code), `check ended so: ${told(looked)}`);
    must(proxy.sent.length === 0, 'check sent something');

    const resumed = await run(['resume', '--yes', '--resend', '--json']);
    must(isDocument(resumed), `resume printed no document: ${told(resumed)}`);
    const resumedTo = codeAsWhole(resumed, partial);
    must([0, 8, 10].includes(resumedTo), `resume ended so: ${told(resumed)}`);
    const done = served.acted(action.path);
    const dealtTo = codeAsWhole(dealt, partial);
    const inDoubt = dealtTo === 7 || dealtTo === 8;
    must(
      !inDoubt || (resumedTo === 0 && done === 1),
      `not settled (done ${done.toString()}): ${told(resumed)}`,
    );
    must(done <= 1, `resumed, the service did it ${done.toString()} times`);
    const all = [...sent, ...proxy.sent];
    for (const part of ['key', 'body'] as const) {
      const values = new Set(all.map((each) => each[part]));
      must(values.size <= 1, `it was sent with ${values.size.toString()} ${part}s`);
    }
    const open = await served.openOn('buy');
    const after = partial ? action.after * PART : action.after;
    must(open === (done === 0 ? action.before : after), `the book is another: ${open.toString()} open`);
    if (inDoubt || dealtTo === 0) wrong.push(...againstJournal(home, done));
    return wrong;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const documentSchema = z.object({
  data: z.nullable(z.object({ effect: z.optional(z.string()) })),
  error: z.nullable(z.object({ effect: z.string() })),
});

interface Truth {
  plan: Plan;
  sent: readonly Sent[];
  acted: number;
  polls: FaultProxy['polls'];
  partial?: boolean;
}

/** The exit code that the same would have had, filled as asked: of an open that was filled in part, told so. */
const codeAsWhole = ({ code, out }: Ran, partial: boolean): number =>
  partial && code === 7 && out.includes('"code":"partial_fill"') ? 0 : code;

/** The one exit code and effect that are true, or the few between which only the readings decide. */
function expectedOf({ plan, sent, polls }: Truth): Readonly<Record<number, string>> {
  const last = sent.at(-1);
  const isAccepted = last?.tells === 'answer' && (last.status ?? 0) < 300;
  if (isAccepted) {
    return {
      ...(polls.through > 0 ? { 0: 'done' } : {}),
      ...(polls.troubled > 0 ? { 8: 'pending' } : {}),
    };
  }
  if (sent.some(({ tells }) => tells === 'unclear')) return { 7: 'unknown' };
  if (last !== undefined) return { [EXIT_OF[last.tells]]: 'none' };
  if (plan.faults.before.length > 0) return { 3: 'none', 4: 'none', 5: 'none', 6: 'none', 10: 'none' };
  return plan.faults.send.includes('refused') ? { 5: 'none' } : {};
}

/** Of an action that was not done, by what its last request told. */
const EXIT_OF: Readonly<Record<Tells, number>> = {
  nothing: 5,
  rate: 5,
  refusal: 3,
  answer: 3,
  key: 4,
  unclear: 7,
};

export function againstTruth(ran: Ran, truth: Truth): readonly string[] {
  if (!isDocument(ran)) return [`no document: ${told(ran)}`];
  const expected = expectedOf(truth);
  const document = documentSchema.parse(ran.document());
  const wrong: string[] = [];
  const says = document.error?.effect ?? document.data?.effect ?? 'none';
  const told0 = `exit ${ran.code.toString()}, effect ${says}, done ${truth.acted.toString()} times`;
  const knows = truth.sent
    .map(({ tells, status }) => `${tells} ${status?.toString() ?? ''}`.trim())
    .join(', ');
  const partial = truth.partial === true;
  if (partial && says === 'done' && ran.code === 0)
    wrong.push(`filled in part, and told as asked: ${told(ran)}`);
  if (expected[codeAsWhole(ran, partial)] !== says)
    wrong.push(`${told0}; true is one of ${JSON.stringify(expected)} after ${knows}: ${told(ran)}`);
  if (document.data?.effect !== undefined && document.data.effect !== says)
    wrong.push(`data says ${document.data.effect}, the error ${says}`);
  if ((says === 'done' || says === 'pending') && truth.acted !== 1) wrong.push(`not true: ${told0}`);
  if (says === 'none' && truth.acted !== 0) wrong.push(`not true: ${told0}: ${told(ran)}`);
  return wrong;
}

/** Whether a send is on disk. */
const hasSending = (home: string): boolean => journalText(home).includes('"sending"');

export function isDocument({ out }: Ran): boolean {
  try {
    const read: unknown = JSON.parse(out);
    return typeof read === 'object' && read !== null && 'meta' in read && 'data' in read && 'error' in read;
  } catch {
    return false;
  }
}

export const told = ({ code, out, err }: Pick<Ran, 'code' | 'out' | 'err'>): string =>
  `exit ${code.toString()}\n${out}\n${err}`.slice(0, 1_500);
