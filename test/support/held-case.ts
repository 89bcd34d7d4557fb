/**
 * One action whose attempts are lost, rejected, or held on their way and arrive later, and what an operator types in
 * between: judged by what the service did. Says in words what must never be and was.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { bookFor, type EachAction } from './each-action.ts';
import { isDocument, told } from './faults/fault-case.ts';
import type { Front } from './front.ts';
import { type AttemptPlan, holdAttempts } from './held-attempts.ts';
import type { MovingClock } from './moving-clock.ts';
import type { ServedBook } from './served-book.ts';
import { seededRandom } from './steady-clock.ts';
import { type Ran, testCli } from './test-cli.ts';
import { journalText } from './written-journal.ts';

/** `line`: the same line again. `arrive`: the oldest attempt that is held, where it is not older than five minutes. */
export const STEPS = ['check', 'resume', 'line', 'wait', 'close', 'arrive', 'colleague'] as const;
export type Step = (typeof STEPS)[number];

export interface HeldCase {
  action: EachAction;
  /** Of an open: known by a deal id, with `--ensure`; any other by a key of the operator's. */
  byDealId: boolean;
  attempts: readonly AttemptPlan[];
  /** What is typed or arrives, each so many seconds after the one before. */
  steps: readonly (readonly [step: Step, seconds: number])[];
  seed: number;
}

export interface HeldSetup {
  served: ServedBook;
  front: Front;
  clock: MovingClock;
}

/** Puts another program in the place of the one that is judged. */
export type HeldRunner = (
  words: readonly string[],
  run: (words: readonly string[]) => Promise<Ran>,
) => Promise<Ran>;

export const heldText = ({ action, byDealId, attempts, steps }: HeldCase): string =>
  [
    byDealId ? `${action.name} under a deal id` : action.name,
    attempts.join(', '),
    steps.map(([step, seconds]) => `${seconds.toString()} s ${step}`).join(', '),
  ].join('; ');

const LONGEST_ON_ITS_WAY_MS = 5 * 60_000;
/** Nothing can arrive any more then, and everything shows. */
const OVER_MS = LONGEST_ON_ITS_WAY_MS + 2 * 60_000;

const dataSchema = z.object({
  action: z.nullable(z.string()),
  action_id: z.nullable(z.string()),
  effect: z.string(),
});
const documentSchema = z.object({ data: z.nullable(z.union([z.array(dataSchema), dataSchema])) });

/** Empty when all is as it must be. */
export async function judgedHeld(
  { served, front, clock }: HeldSetup,
  it: HeldCase,
  runner: HeldRunner = (words, run) => run(words),
): Promise<readonly string[]> {
  const { action } = it;
  const home = mkdtempSync(join(tmpdir(), 'hedge-held-'));
  const wrong: string[] = [];
  const attempts = holdAttempts(front, () => clock.now());
  let sends = 0;
  let colleagues = 0;
  /** How many sends there had been when it was last said that nothing was done. */
  let undoneAt: number | undefined;
  front.watch((line) => {
    sends += line === `POST ${action.path}` ? 1 : 0;
  });
  const acted = (): number => served.acted(action.path);
  const must = (holds: boolean, what: string, ran?: Ran): void => {
    if (!holds) wrong.push(`${what}${ran === undefined ? '' : `: ${told(ran)}`}`);
  };
  const program = testCli({ home, clock, random: seededRandom(it.seed), env: front.way(home) });
  const run = async (line: string): Promise<Ran> => {
    const ran = await runner(line.split(' '), (words) => program.run(words));
    must(isDocument(ran), 'no document', ran);
    must([0, 2, 3, 4, 7, 8, 9, 10].includes(ran.code), 'an exit code that cannot be', ran);
    for (const effect of effectsOn(ran, action)) {
      const done = acted();
      if (effect === 'none')
        must(done === 0, `nothing was done, it says, and it was done ${done.toString()} times`, ran);
      if (effect === 'none') undoneAt = sends;
      if (effect === 'done' || effect === 'pending')
        must(done + colleagues > 0, 'it was not done, and is said to be', ran);
    }
    return ran;
  };
  try {
    await bookFor(served, action);
    attempts.plan(...it.attempts);
    const line = lineOf(it);
    await run(line);
    for (const [step, seconds] of it.steps) {
      clock.pass(seconds * 1_000);
      attempts.drop(LONGEST_ON_ITS_WAY_MS);
      if (step === 'check') await run('check --json');
      else if (step === 'resume') await run('resume --yes --resend --json');
      else if (step === 'line') await run(line);
      else if (step === 'wait' && it.byDealId) await run(`wait ${DEAL_ID} --timeout 40 --json`);
      else if (step === 'close' && action.name !== 'close') await run('close USDTNGN buy --yes --json');
      else if (step === 'arrive') await attempts.arrive();
      else if (step === 'colleague' && it.byDealId) {
        const body = { side: 'buy', notional_usd: action.after, tenor_days: 3, client_reference: DEAL_ID };
        await served.colleague('/hedges', body);
        colleagues += 1;
      }
      must(acted() <= 1, `after ${step} the service did it ${acted().toString()} times`);
    }
    clock.pass(LONGEST_ON_ITS_WAY_MS - 5_000);
    attempts.drop(LONGEST_ON_ITS_WAY_MS);
    while (attempts.held() > 0) await attempts.arrive();
    clock.pass(OVER_MS);
    must(undoneAt !== sends || acted() === 0, 'nothing was done, it said, and then it was');
    const last = await run('check --json');
    const isClear = action.name === 'open' && acted() + colleagues < 2;
    must(!isClear || !effectsOn(last, action).includes('unknown'), 'it stays unsettled', last);
    const isTold = journalText(home).includes('"by":"answer"');
    const isOneOfSeveral = acted() + colleagues > 1 && !isTold;
    must(
      !isOneOfSeveral || !effectsOn(last, action).includes('done'),
      'it is final, and one of several',
      last,
    );
    if (it.byDealId) await judgeSeveral(program.run, { several: acted() + colleagues > 1, must });
    return wrong;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const DEAL_ID = 'PAY-1';

/** Several under its deal id are named, and exit 7; the line sends none besides. */
async function judgeSeveral(
  run: (words: string) => Promise<Ran>,
  { several, must }: { several: boolean; must: (holds: boolean, what: string, ran?: Ran) => void },
): Promise<void> {
  if (!several) return;
  const listed = await run(`hedges ${DEAL_ID} --json`);
  must(
    listed.code === 7 && /\d hedges carry/.test(listed.out),
    'two under one deal id are not named',
    listed,
  );
}

const lineOf = ({ action, byDealId }: HeldCase): string =>
  `${action.line} ${byDealId ? `--deal-id ${DEAL_ID} --ensure` : '--idempotency-key held-1'} --yes --json`;

/** What a document says of the actions that are judged: those that are in the journal. */
function effectsOn(ran: Ran, { name }: EachAction): readonly string[] {
  const { data } = documentSchema.parse(ran.document());
  const all = data === null ? [] : Array.isArray(data) ? data : [data];
  return all.flatMap(({ action, action_id: id, effect }) => (action === name && id !== null ? [effect] : []));
}
