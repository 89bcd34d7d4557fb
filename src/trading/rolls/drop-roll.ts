/** Gives up a roll, unless the outcome of one of its legs is unknown. Sends no action. */
import { commandLines } from '../../domain/hint-lines.ts';
import { exactInstant } from '../../domain/instants.ts';
import { StoppedError, UsageError } from '../../errors.ts';
import { nextSteps } from '../../journal/describe.ts';
import { type RollPlan, SCHEMA } from '../../journal/records.ts';
import { actionInDoubt, isFinished, type RollChain, rollChain } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { findChain } from './run-due.ts';

/** @throws UsageError for one that is finished; StoppedError while a leg is in doubt. */
export async function dropRoll(
  word: string,
  note: string | undefined,
  context: ReadContext,
): Promise<RollChain> {
  const plan = anyPlan(word, context) ?? findChain(word, context).plan;
  const chainIn = (state: JournalState): RollChain => rollChain(plan, { state, nowMs: context.clock.now() });
  const at = exactInstant(context.clock.now());
  const noted = note === undefined ? {} : { note };
  const end = {
    schema: SCHEMA,
    kind: 'roll_end',
    at,
    chain_id: plan.chain_id,
    as: 'dropped',
    ...noted,
  } as const;
  const state = await context.journal.append([end], (current) => {
    const chain = chainIn(current);
    if (isFinished(chain) || !current.rolls.some(({ chain_id: id }) => id === plan.chain_id))
      throw new UsageError(
        `Roll ${plan.chain_id} is finished already.`,
        `To see it: hedge roll show ${plan.chain_id}`,
      );
    checkNoDoubt(chain);
  });
  return { ...chainIn(state), end, state: 'dropped' };
}

/** By its whole ID also of another account: practice that was reset has no other way. */
const anyPlan = (word: string, { journal }: ReadContext): RollPlan | undefined =>
  journal.read().rolls.find(({ chain_id: id }) => id === word);

function checkNoDoubt(chain: RollChain): void {
  const doubtful = actionInDoubt(chain);
  if (doubtful === undefined) return;
  const leg = doubtful.intent.action === 'close' ? 'the close of leg 1' : 'the open of leg 2';
  throw new StoppedError({
    code: chain.state === 'planned' ? 'in_flight' : 'unresolved',
    what: `Roll ${chain.plan.chain_id}: the outcome of ${leg} (action ${doubtful.shortId}) is not known.`,
    book: 'The roll is not given up.',
    hint: commandLines(nextSteps(doubtful, undefined).map(({ command, does }) => [command, does])),
    details: { chain_id: chain.plan.chain_id, action_id: doubtful.id },
  });
}
