/** Runs every roll that is due, one after the other. One that fails does not stop the others, unless they would fail too. */

import type { Big } from 'big.js';
import type { ActionOptions } from '../../domain/action-intent.ts';
import { say, shell } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  UnavailableError,
  UsageError,
} from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { RollPlan } from '../../journal/records.ts';
import {
  asRead,
  chainNotional,
  chainsOf,
  isDue,
  isFinished,
  type RollChain,
  unfinishedChains,
} from '../../journal/roll-chains.ts';
import { type JournalTrouble, troubleError } from '../../journal/trouble.ts';
import { incompleteError, mayBeLostError } from '../../readings/journal-trouble.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readPositionFacts } from '../../readings/read-position.ts';
import type { PositionFacts } from '../../readings/side-position.ts';
import { checkAccount } from '../../trading/account-keys.ts';
import { awaitHedge } from '../../trading/follow/await-end.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
import { endFinished, endRoll } from './end-roll.ts';
import { notOpen } from './look-again.ts';
import { rollMissed, withLimit } from './plan-roll.ts';
import { type ConfirmRoll, checkRunsAlone, closeAndOpen } from './roll-hedge.ts';
import { errorOfRolls, NOTHING_RUN, type RollResult, runsElsewhere } from './roll-result.ts';
import { chainNow, runNow, runOpen } from './run-legs.ts';
import {
  closedBeforeMaturity,
  legTwoClosed,
  legTwoElsewhere,
  RollEndedError,
  settledSize,
} from './settlement.ts';

/** `not_due`: nothing to do yet. `not_run`: an earlier one stopped the run. */
export interface RunEnd extends RollResult {
  skipped: 'not_due' | 'not_run' | undefined;
}

export interface RunReport {
  ends: readonly RunEnd[];
  /** Rolls of this account that are not due; empty where a chain was named. */
  waiting: readonly RollChain[];
  /** How many of other accounts are not finished; 0 where a chain was named. */
  elsewhere: number;
  finding: HedgeError | undefined;
  /** The journal's, where every roll was meant: some may be missing. */
  trouble: JournalTrouble | undefined;
  servedAt: Date | undefined;
}

const NO_READING = { waiting: [], servedAt: undefined } as const;

const CHAIN = /^[0-9a-f]{4,8}$/;

/** By chain ID or its beginning, or by a hedge or deal ID of a leg: an unfinished one, else the latest. @throws UsageError; DamagedFileError when its records may be lost. */
export function findChain(
  word: string,
  context: Pick<ReadContext, 'journal' | 'identity' | 'clock'>,
  servedMs?: number,
): RollChain {
  const { journal, clock, identity } = context;
  const state = journal.read();
  const times = { nowMs: clock.now(), servedMs, identity };
  const legs = state.find({ hedgeIds: [word] }).flatMap(({ intent }) => intent.chain_id ?? []);
  const isMeant = (plan: RollPlan): boolean =>
    (CHAIN.test(word) && plan.chain_id.startsWith(word)) ||
    [plan.hedge_id, plan.first_deal_id, plan.deal_id].includes(word) ||
    legs.includes(plan.chain_id);
  const unfinished = unfinishedChains(state, times).filter(({ plan }) => isMeant(plan));
  const found = unfinished.length > 0 ? unfinished.toReversed() : [...chainsOf(state, { ...times, isMeant })];
  const [latest] = found;
  if (latest === undefined) {
    if (state.trouble !== undefined) throw mayBeLostError(state.trouble, word);
    throw new UsageError(
      `No roll ${quotedName(word)} of this account in the journal.`,
      say`To list them: ${shell`hedge roll show`}`,
    );
  }
  const byId = found.filter(({ plan }) => CHAIN.test(word) && plan.chain_id.startsWith(word));
  if (byId.length > 1)
    throw new UsageError(`${quotedName(word)} is the beginning of several rolls.`, 'Give more of its ID.');
  return byId[0] ?? latest;
}

export interface RunOptions {
  /** Undefined: every one that is due. */
  chain: string | undefined;
  late: boolean;
  /** Leg 2 may come on top of other hedges of the side, and soon after another open. */
  allowDuplicate: boolean;
  /** Instead of the limit of the plan. */
  maxCostBps?: Big | undefined;
  options: ActionOptions;
}

/** @throws errors of the first reading; UsageError for an unknown chain. */
export async function runDue(
  runOptions: RunOptions,
  context: TradingContext,
  confirm: ConfirmRoll,
): Promise<RunReport> {
  checkAccount(context);
  checkRunsAlone(runOptions, context);
  const named = runOptions.chain === undefined ? undefined : findChain(runOptions.chain, context);
  if (named?.plan.when === 'now' && named.state === 'planned' && named.plan.leftDesk === undefined) {
    const earlier = withLimit(named.plan, runOptions.maxCostBps);
    const end = await closeAndOpen({ earlier, options: runOptions.options }, context, confirm);
    const ends = [{ ...end, skipped: undefined }];
    return { ...NO_READING, ends, elsewhere: 0, finding: end.finding, trouble: undefined };
  }
  const unseen = await endFinished(context);
  const state = context.journal.read();
  const all = unfinishedChains(state, { nowMs: context.clock.now() });
  const here = all.filter(({ plan }) => sameIdentity(plan.identity, context.identity));
  const open = named === undefined ? [...unseen, ...here] : [named];
  const trouble = named === undefined ? state.trouble : undefined;
  const lacking = trouble && rollsMissing(trouble);
  const elsewhere = named === undefined ? all.length - here.length : 0;
  const isOver = (chain: RollChain): boolean =>
    isFinished(chain) && !unseen.some(({ plan }) => plan.chain_id === chain.plan.chain_id);
  if (open.every(isOver))
    return { ...NO_READING, ends: open.map(skip), elsewhere, finding: lacking, trouble };
  // Maturity is judged by the service's time.
  const positionFacts = await readPositionFacts(context);
  const servedMs = positionFacts.servedAt.getTime();
  const chains = open.map(({ plan }) => asRead(chainNow(plan, context, { servedMs }), positionFacts.hedges));
  const meant = chains.filter(
    // One of which nothing was sent is the operator's to go on with.
    (chain) => named !== undefined || !isWaiting(chain) || isOverEarly(chain, positionFacts) !== undefined,
  );
  const ends: RunEnd[] = [];
  let stopped = false;
  for (const chain of meant.toSorted((one, other) => (one.dueMs ?? 0) - (other.dueMs ?? 0))) {
    const end: RunEnd = stopped
      ? { chain, ...NOTHING_RUN, skipped: 'not_run' }
      : await runOne(chain, runOptions, context, positionFacts);
    ends.push(end);
    stopped ||= stopsRun(end.finding);
  }
  return {
    ends,
    waiting: chains.filter((chain) => !meant.includes(chain)),
    elsewhere,
    finding: errorOfRolls(ends) ?? lacking,
    trouble,
    servedAt: positionFacts.servedAt,
  };
}

/** Nobody else opens a second leg that a run without the log of a desk has not seen. */
const rollsMissing = (trouble: JournalTrouble): HedgeError =>
  trouble.kind === 'desk'
    ? troubleError(trouble, 'Rolls of colleagues may be missing here: those were not run.')
    : incompleteError(trouble);

/** Nothing is due: leg 1 has not matured, or was not closed yet. */
const isWaiting = ({ state, dueMs }: RollChain): boolean =>
  state === 'planned' || (state === 'closed_early' && dueMs === undefined);

const isOverEarly = (chain: RollChain, positionFacts: PositionFacts): RollEndedError | undefined =>
  chain.plan.when === 'maturity' && isWaiting(chain) ? closedBeforeMaturity(chain, positionFacts) : undefined;

const skip = (chain: RollChain): RunEnd => ({ chain, ...NOTHING_RUN, skipped: 'not_due' });

async function runOne(
  chain: RollChain,
  { late, options, maxCostBps, allowDuplicate }: RunOptions,
  context: TradingContext,
  positionFacts: PositionFacts,
): Promise<RunEnd> {
  const isPlanned = isWaiting(chain) && isOverEarly(chain, positionFacts) === undefined;
  if (chain.plan.when === 'maturity' && (isFinished(chain) || isPlanned)) return skip(chain);
  const elsewhere = runsElsewhere(chain);
  if (elsewhere !== undefined && !isFinished(chain))
    return { chain, ...NOTHING_RUN, finding: elsewhere, skipped: undefined };
  const plan = withLimit(chain.plan, maxCostBps);
  const isTooLate = chain.state === 'missed' && !late;
  const atMaturity = (): Promise<RollResult> =>
    runAtMaturity({ ...chain, plan }, { options, isTooLate, allowDuplicate }, context, positionFacts);
  if (plan.when === 'maturity') return { ...(await atMaturity()), skipped: undefined };
  if (isTooLate) return { chain, ...NOTHING_RUN, finding: rollMissed(chain), skipped: undefined };
  return { ...(await runNow(plan, options, context, { allowDuplicate })), skipped: undefined };
}

type LegTwoTerms = Pick<RunOptions, 'options' | 'allowDuplicate'> & { isTooLate: boolean };

/** A leg that was closed ends the roll, and a leg 2 that somebody opened, however late it is. */
async function runAtMaturity(
  chain: RollChain,
  terms: LegTwoTerms,
  context: TradingContext,
  positionFacts: PositionFacts,
): Promise<RollResult> {
  const { plan } = chain;
  try {
    const result = await runLegTwo(chain, terms, context, positionFacts);
    const { hedge, outcome, servedAt = positionFacts.servedAt, plan: sentNow } = result.open ?? {};
    const over = hedge && legTwoClosed(plan, hedge, servedAt);
    if (hedge !== undefined && over !== undefined) {
      if (sentNow === undefined) throw over;
      await endRoll(plan, 'dropped', context, over.note);
      const finding = notOpen(chain, hedge.id, 'taken');
      return { ...result, chain: { ...result.chain, state: 'dropped' }, finding };
    }
    if (outcome !== 'closed' || result.finding !== undefined) return result;
    // It has run to its maturity.
    await endRoll(plan, 'done', context);
    return { ...result, chain: { ...result.chain, state: 'done' } };
  } catch (error) {
    if (error instanceof RollEndedError) {
      await endRoll(plan, 'dropped', context, error.note);
      return { chain: { ...chain, state: 'dropped' }, ...NOTHING_RUN, finding: error };
    }
    if (!(error instanceof HedgeError)) throw error;
    return {
      chain,
      ...NOTHING_RUN,
      finding: terms.isTooLate && !stopsRun(error) ? rollMissed(chain) : error,
    };
  }
}

/** @throws HedgeError before it is sent. */
async function runLegTwo(
  chain: RollChain,
  { options, isTooLate, allowDuplicate }: LegTwoTerms,
  context: TradingContext,
  positionFacts: PositionFacts,
): Promise<RollResult> {
  const { plan } = chain;
  const servedMs = positionFacts.servedAt.getTime();
  const over = isOverEarly(chain, positionFacts);
  if (over !== undefined) throw over;
  if (!isDue(chain) && chain.state !== 'closed_early')
    return runOpen(plan, options, context, { servedMs, size: chainNotional(chain), allowDuplicate });
  const opened = await legTwoElsewhere(plan, context);
  if (opened !== undefined) {
    const closed = legTwoClosed(plan, opened, positionFacts.servedAt);
    if (closed !== undefined) throw closed;
    await endRoll(plan, 'done', context, `leg 2 is hedge ${quotedName(opened.id)}, opened elsewhere`);
    const open = await awaitHedge(opened, options, context);
    return { chain: { ...chain, state: 'done' }, ...NOTHING_RUN, open };
  }
  const size = await settledSize(plan, servedMs, context);
  if (isTooLate) throw rollMissed(chain);
  return runOpen(plan, options, context, { servedMs, size, allowDuplicate });
}

/** The others would fail in the same way, or must not start before a person has looked. */
function stopsRun(finding: HedgeError | undefined): boolean {
  if (finding === undefined) return false;
  return (
    finding.effect === 'unknown' ||
    [OutcomeUnknownError, CredentialError, DamagedFileError, UnavailableError, InterruptedError].some(
      (kind) => finding instanceof kind,
    ) ||
    STOPPING.includes(finding.code)
  );
}

const STOPPING: readonly string[] = ['halted', 'read_only', 'limit_exceeded', 'account_unclear'];
