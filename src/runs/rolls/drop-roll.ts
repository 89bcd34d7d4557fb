/** Gives up a roll, unless the outcome of one of its legs is unknown. Sends no action. */
import type { HedgeApi } from '../../client/hedge-api.ts';
import type { ProfileSettings } from '../../config/profiles.ts';
import { checkExpectation } from '../../config/resolve.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { PendingError, StoppedError, UsageError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { nextSteps } from '../../journal/describe.ts';
import type { RollPlan } from '../../journal/records.ts';
import { isFinished, type RollChain, rollChain, unresolvedAction } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import type { Clock } from '../../platform/clock.ts';
import { profileReaching } from '../../readings/known-keys.ts';
import { readAccountNow } from '../../readings/read-account-now.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { sidePositionOf } from '../../readings/side-position.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
import { rollEndOf } from './plan-roll.ts';
import { findChain } from './run-due.ts';

type DropContext = ReadContext &
  Pick<TradingContext, 'profile' | 'expected'> & {
    storedProfiles: () => Promise<ProfileSettings['profiles']>;
    /** Asks where a person is at a terminal. False: declined. */
    confirm: (chain: RollChain) => Promise<boolean>;
  };

/** `elsewhere`: of an account that no profile reaches. `finding`: its desk has not received it. */
export interface DroppedRoll {
  chain: RollChain;
  elsewhere: boolean;
  finding: PendingError | undefined;
}

/** @throws UsageError for one that is finished or of another profile; StoppedError while the outcome of a leg is unknown. */
export async function dropRoll(
  word: string,
  note: string | undefined,
  context: DropContext,
): Promise<DroppedRoll> {
  // By its whole ID also of another account: practice that was reset has no other way.
  const named = context.journal.read().rolls.find(({ chain_id: id }) => id === word);
  const plan = named ?? findChain(word, context).plan;
  const elsewhere = !sameIdentity(plan.identity, context.identity);
  if (elsewhere) await checkUnreachable(plan, context);
  const chainIn = (state: JournalState): RollChain => rollChain(plan, { state, nowMs: context.clock.now() });
  const check = (state: JournalState): RollChain => {
    const chain = chainIn(state);
    if (isFinished(chain) || !state.rolls.some(({ chain_id: id }) => id === plan.chain_id))
      throw new UsageError(
        `Roll ${plan.chain_id} is finished already.`,
        say`To see it: ${shell`hedge roll show ${plan.chain_id}`}`,
      );
    checkNothingUnresolved(chain);
    return chain;
  };
  if (!(await context.confirm(check(context.journal.read()))))
    throw new StoppedError({ code: 'declined', what: 'Canceled.', meaning: 'The roll is unchanged.' });
  const end = rollEndOf(plan, 'dropped', context, note);
  const state = await context.journal.append([end], (current) => void check(current));
  return {
    chain: { ...chainIn(state), end, state: 'dropped' },
    elsewhere,
    finding: undelivered(plan, state),
  };
}

/** Leg 1 after the drop; undefined where it cannot be known, as something is open on its side. */
export async function readLegOne(
  { chain: { plan }, elsewhere }: DroppedRoll,
  { api, clock }: { api: () => Promise<HedgeApi>; clock: Clock },
): Promise<'settled' | 'gone' | undefined> {
  if (elsewhere) return undefined;
  const now = await readAccountNow(api, clock);
  const { market, side, maturity_at: maturity = '' } = plan;
  if ('notRead' in now) return undefined;
  const { positions, servedAt = new Date(0) } = now;
  const { inPositions } = sidePositionOf(
    { market, side },
    { positions, hedges: [], mayBeCut: true, servedAt },
  );
  if (inPositions !== false) return undefined;
  return servedAt.getTime() >= Date.parse(maturity) ? 'settled' : 'gone';
}

/** In force here, and not on the other machines. */
function undelivered(
  { chain_id: id, leftDesk }: RollPlan,
  { desk, trouble }: JournalState,
): PendingError | undefined {
  const isDelivered = desk === undefined || desk.pending === 0;
  if (leftDesk === undefined && isDelivered) return undefined;
  const why =
    leftDesk === undefined
      ? `desk ${desk?.name ?? ''} has not received it.`
      : `it has left desk ${leftDesk}.`;
  const until =
    leftDesk === undefined
      ? say`The next command here that reaches the log delivers it: ${shell`hedge desk status`}`
      : say`On a machine of the desk: ${shell`hedge roll drop ${id} --note TEXT`}`;
  return new PendingError({
    what: `DROPPED ON THIS MACHINE ONLY: ${why} ${trouble?.what ?? ''}`.trim(),
    meaning: 'Leg 2 is not opened from here. Other machines of the desk may open it.',
    hint: say`Tell your colleagues. ${until}`,
    details: { chain_id: id, desk: leftDesk ?? desk?.name ?? null, code: trouble?.code ?? null },
  });
}

/**
 * A roll of another account is dropped under its own profile, while there is one.
 * @throws UsageError naming it; StoppedError `env_mismatch` for the environment of the roll.
 */
async function checkUnreachable(
  plan: RollPlan,
  { identity: own, profile: selected, expected, storedProfiles }: DropContext,
): Promise<void> {
  const { chain_id: id, identity } = plan;
  const reaching = profileReaching(plan, { profiles: await storedProfiles(), own, selected });
  if (reaching !== undefined)
    throw new UsageError(
      `Roll ${id} is of another account: ${identity.environment}, profile ${quotedName(reaching)}. It is unchanged.`,
      step(shell`hedge --profile ${reaching} roll drop ${id} --note TEXT`),
    );
  checkExpectation(identity.environment, expected);
}

function checkNothingUnresolved(chain: RollChain): void {
  const unresolved = unresolvedAction(chain);
  if (unresolved === undefined) return;
  const leg = unresolved.intent.action === 'close' ? 'the close of leg 1' : 'the open of leg 2';
  throw new StoppedError({
    code: chain.state === 'planned' ? 'in_flight' : 'unresolved',
    what: `Roll ${chain.plan.chain_id}: the outcome of ${leg} (action ${unresolved.shortId}) is not known.`,
    meaning: 'The roll is not given up.',
    hint: nextSteps(unresolved, undefined),
    details: { chain_id: chain.plan.chain_id, action_id: unresolved.id },
  });
}
