/** Records that a roll is over. */
import { HedgeError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { RollPlan } from '../../journal/records.ts';
import { isFinished, type RollChain, rollChain } from '../../journal/roll-chains.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
import { rollEndOf } from './plan-roll.ts';

/**
 * Records the end of rolls that are over, and whose process died before it did: the index need not keep them. Returns
 * those of which leg 2 has to be looked at again first.
 */
export async function endFinished(context: TradingContext): Promise<readonly RollChain[]> {
  const state = context.journal.read();
  const nowMs = context.clock.now();
  const unseen: RollChain[] = [];
  for (const plan of state.rolls) {
    const chain = rollChain(plan, { state, nowMs });
    if (plan.leftDesk !== undefined) continue;
    if (!isFinished(chain) || !sameIdentity(plan.identity, context.identity)) continue;
    if (plan.when === 'now') unseen.push(chain);
    else if (chain.state === 'done') await endRoll(plan, 'done', context);
    else await endRoll(plan, 'dropped', context, 'leg 2 was closed before its maturity');
  }
  return unseen;
}

/** Written once; a failing journal only causes a warning, for the chain is derived from its legs. */
export async function endRoll(
  plan: RollPlan,
  as: 'done' | 'dropped',
  context: TradingContext,
  note?: string,
): Promise<void> {
  const { chain_id: id } = plan;
  try {
    await context.journal.append([rollEndOf(plan, as, context, note)], (state) => {
      if (!state.rolls.some((each) => each.chain_id === id)) throw new EndedAlready();
    });
  } catch (error) {
    if (error instanceof EndedAlready) return;
    if (!(error instanceof HedgeError)) throw error;
    context.progress.news(`The end of roll ${id} is not in the journal: ${error.what}`);
  }
}

class EndedAlready extends Error {}
