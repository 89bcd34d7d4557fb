/**
 * Rolls as chains of two legs. What a chain has done is derived from the actions of its legs, so that a process that dies
 * leaves nothing to repair. Pure.
 */
import { Big } from 'big.js';
import { createsHedge, takesWholeSide } from '../domain/action-table.ts';
import { readDecimal } from '../domain/amounts.ts';
import { usdInWords } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { commandOnId, commandText, optionWords, say, shell, step } from '../domain/hint.ts';
import { DAY_MS, exactInstant } from '../domain/instants.ts';
import { hasLiveRules } from '../domain/vocabulary.ts';
import type { CommandWords, NextStep, Sentence } from '../errors.ts';
import { type AccountIdentity, sameIdentity } from './account-identity.ts';
import { actionAndMachine, underProfile } from './describe.ts';
import { holdsSide, usedDealId } from './queries.ts';
import type { IntentRecord, RollEnd, RollPlan } from './records.ts';
import { type Action, isUnfinished, isUnresolved, maybeExecuted } from './replay.ts';
import { changesKept, partialFillOf } from './results.ts';
import type { JournalSpan, JournalState } from './state.ts';

/**
 * `planned`: nothing was sent, or the hedge has not matured yet. `closing`: the close of leg 1 was sent, its outcome is not
 * known. `flat_open_due`: leg 1 is closed, leg 2 is not open. `due`: leg 1 has matured, leg 2 is not open. `missed`: one of
 * both for more than 24 hours. `closed_early`: this journal has a close of leg 1 before its maturity, so that leg 2 is not
 * opened. `opening`: the open of leg 2 was sent, its outcome is not known.
 */
export type ChainState =
  | 'planned'
  | 'closing'
  | 'flat_open_due'
  | 'due'
  | 'missed'
  | 'closed_early'
  | 'opening'
  | 'done'
  | 'dropped';

export interface RollChain {
  plan: RollPlan;
  end: RollEnd | undefined;
  state: ChainState;
  /** The close of leg 1 that was sent for this roll; the last one that was or may have been executed, else the last one. */
  close: Action | undefined;
  /** The open of leg 2; the one that was or may have been executed, else the last one. */
  open: Action | undefined;
  /** Leg 1 at its maturity, as this journal has it. */
  legOne: LegOneHere;
  /** The profile that reaches its account, where that was looked up; null: none does. */
  reachedBy?: string | null;
  /** Since when leg 2 is due, in milliseconds since the epoch; undefined before, and when it is not known. */
  dueMs: number | undefined;
}

/** Later than this, leg 2 is opened only with `--late`. */
export const LATE_MS = 24 * 3_600_000;

type Actions = Pick<JournalState, 'find' | 'newest'>;

/** The time by both clocks, in milliseconds since the epoch. */
export interface ChainClock {
  /** The clock of this machine, which dates the close of leg 1. */
  nowMs: number;
  /** The clock of the service, which settles; undefined: not read. */
  servedMs?: number | undefined;
}

export function rollChain(
  plan: RollPlan,
  { state, end, ...clock }: ChainClock & { state: Actions; end?: RollEnd | undefined },
): RollChain {
  const nowMs = plan.when === 'now' ? clock.nowMs : (clock.servedMs ?? clock.nowMs);
  const legs = state
    .find({ dealIds: [plan.deal_id], chainIds: [plan.chain_id] })
    .filter(({ intent }) => sameIdentity(intent.identity, plan.identity));
  const closes = legs.filter(({ intent }) => intent.action === 'close' && intent.chain_id === plan.chain_id);
  // An open by hand under the deal ID of a roll is its leg 2, unless the roll was dropped: the deal ID was free again.
  const chainIds = end?.as === 'dropped' ? [plan.chain_id] : [plan.chain_id, undefined];
  const opens = legs.filter(
    ({ intent }) =>
      intent.action === 'open' && intent.deal_id === plan.deal_id && chainIds.includes(intent.chain_id),
  );
  const close = closes.findLast(maybeExecuted) ?? closes.at(-1);
  const open = usedDealId(opens, plan.identity, plan.deal_id) ?? opens.at(-1);
  const isWaiting = plan.when === 'maturity' && end === undefined && !(open && maybeExecuted(open));
  const legOne = isWaiting ? legOneHere(plan, state.newest(lifeOf(plan), mayChange(plan))) : {};
  const dueMs = dueFrom(plan, close, nowMs);
  const chain = { plan, end, close, open, legOne, dueMs };
  return { ...chain, state: stateOf(chain, nowMs) };
}

/** The clock of this machine may be behind that of the service. */
const lifeOf = ({ at, maturity_at: maturity = at }: RollPlan): JournalSpan => ({
  from: at,
  until: exactInstant(Date.parse(maturity) + DAY_MS),
});

/** An open changes no other hedge. */
const mayChange =
  ({ hedge_id: leg }: RollPlan) =>
  (intent: IntentRecord): boolean =>
    !createsHedge(intent) && intent.before.hedges.some(({ hedge_id: id }) => id === leg);

/** Done to leg 1 of a roll at maturity by actions of this journal. */
export interface LegOneHere {
  /** A close or reduction that closed it. */
  closedBy?: Action;
  /** A close that may have closed it: its outcome is not known, or lacks this hedge. */
  unresolved?: Action;
  /** USD, as last seen since the roll was planned. */
  size?: Big | undefined;
}

/** The chain with the size that leg 1 of a planned roll has in a reading. */
export function asRead(chain: RollChain, hedges: readonly { id: string; notional_usd: Big }[]): RollChain {
  const isOpen = chain.state === 'planned';
  const size = isOpen ? hedges.find(({ id }) => id === chain.plan.hedge_id)?.notional_usd : undefined;
  return size === undefined ? chain : { ...chain, legOne: { ...chain.legOne, size } };
}

/** A clock may have been set back since the plan: a close that is known to have executed counts whenever it was. */
export function legOneHere(plan: RollPlan, newestFirst: Iterable<Action>): LegOneHere {
  const known: LegOneHere = {};
  for (const action of newestFirst) {
    const { intent } = action;
    const { hedges, served_at: servedAt = '' } = intent.before;
    const held = hedges.find(({ hedge_id: id, status }) => id === plan.hedge_id && holdsSide(status));
    const isBefore = (servedAt === '' ? intent.at : servedAt) < (plan.maturity_at ?? '');
    if (held === undefined || !isBefore || !maybeExecuted(action)) continue;
    if (!sameIdentity(intent.identity, plan.identity)) continue;
    const after = changesKept(action)?.find(({ id }) => id === plan.hedge_id)?.after;
    const isClose = takesWholeSide(intent);
    const isByHand = action.recordedAs === 'done' && (isClose || after?.eq(0) === true);
    const own = readDecimal(ownField(action.outcome?.facts ?? {}, plan.hedge_id));
    if (isByHand || (action.state === 'done' && own?.eq(0) === true)) return { closedBy: action };
    if (intent.at < plan.at && servedAt < plan.at) continue;
    if (isClose) known.unresolved ??= action;
    known.size ??= after ?? readDecimal(held.notional_usd);
  }
  return known;
}

function stateOf(
  { plan, end, close, open, legOne, dueMs }: Omit<RollChain, 'state'>,
  nowMs: number,
): ChainState {
  if (end !== undefined) return end.as;
  if (open !== undefined && maybeExecuted(open)) {
    if (!isOver(open)) return 'opening';
    return wasClosedEarly(open) ? 'dropped' : 'done';
  }
  if (plan.when === 'now' && close !== undefined && maybeExecuted(close) && !isOver(close)) return 'closing';
  if (legOne.closedBy !== undefined) return 'closed_early';
  if (dueMs === undefined) return 'planned';
  if (nowMs - dueMs > LATE_MS) return 'missed';
  return plan.when === 'now' ? 'flat_open_due' : 'due';
}

function dueFrom(plan: RollPlan, close: Action | undefined, nowMs: number): number | undefined {
  if (plan.when === 'now')
    return close !== undefined && maybeExecuted(close) && isOver(close)
      ? Date.parse(close.outcome?.at ?? close.changedAt)
      : undefined;
  const matures = Date.parse(plan.maturity_at ?? '');
  return matures <= nowMs ? matures : undefined;
}

/** It was opened, and closed before it was seen open: it hedges nothing. */
const wasClosedEarly = ({ outcome }: Action): boolean =>
  outcome?.kind === 'closed' && Date.parse(outcome.facts['maturity_at'] ?? '') > Date.parse(outcome.at);

const isOver = ({ state }: Action): boolean => state === 'done' || state === 'settled';

/** Leg 2 is the next thing to do. */
export const isDue = ({ state }: RollChain): boolean =>
  state === 'flat_open_due' || state === 'due' || state === 'missed';

export const isFinished = ({ state }: RollChain): boolean => state === 'done' || state === 'dropped';

/** The action of a leg whose outcome is not known; undefined when there is none. */
export const unresolvedAction = ({ close, open }: RollChain): Action | undefined =>
  [open, close].find((each) => each !== undefined && isUnfinished(each));

/** `servedMs` is the time of this account's service; rolls of other accounts follow the clock of this machine. */
export type AccountClock = ChainClock & { servedTo?: AccountIdentity | undefined };

/**
 * Chains that are not finished, oldest first, of an account or of every one on this machine. Each is found by the index,
 * however long ago it was planned.
 */
export const unfinishedChains = (
  state: Pick<JournalState, 'find' | 'newest' | 'rolls'>,
  {
    identity,
    servedTo = identity,
    nowMs,
    servedMs,
  }: AccountClock & { identity?: AccountIdentity | undefined },
): readonly RollChain[] =>
  state.rolls
    .filter((plan) => identity === undefined || sameIdentity(plan.identity, identity))
    .map((plan) => {
      const isServed = servedTo !== undefined && sameIdentity(plan.identity, servedTo);
      return rollChain(plan, { state, nowMs, servedMs: isServed ? servedMs : undefined });
    })
    .filter((chain) => !isFinished(chain));

/**
 * Chains of an account, newest first, read as far as they are taken. `isMeant`: of these plans only. `from`: planned since
 * (ISO 8601 UTC).
 */
export function* chainsOf(
  state: Pick<JournalState, 'find' | 'newest' | 'rollRecords'>,
  {
    identity,
    isMeant = () => true,
    from,
    ...clock
  }: ChainClock & {
    identity: AccountIdentity;
    isMeant?: (plan: RollPlan) => boolean;
    from?: string | undefined;
  },
): Generator<RollChain> {
  const ends = new Map<string, RollEnd>();
  for (const record of state.rollRecords({ from }))
    if (record.kind === 'roll_end') ends.set(record.chain_id, record);
    else if (sameIdentity(record.identity, identity) && isMeant(record))
      yield rollChain(record, { state, ...clock, end: ends.get(record.chain_id) });
}

/** In bps: the limit that leg 2 was sent with; undefined when it was not sent, or sent without one. */
export const sentLimit = ({ open }: RollChain): string | undefined =>
  open !== undefined && maybeExecuted(open) ? open.intent.bounds?.max_cost_bps : undefined;

/** For a cell. */
export const CHAIN_WORDS: Readonly<Record<ChainState, string>> = {
  planned: 'planned',
  closing: 'leg 1: close sent, not confirmed',
  flat_open_due: 'leg 1 closed, leg 2 not open',
  due: 'leg 1 matured, leg 2 due',
  missed: 'leg 2 more than 24 h late',
  closed_early: 'leg 1 closed early',
  opening: 'leg 2: open sent, not confirmed',
  done: 'done',
  dropped: 'dropped',
};

/** Why leg 2 is not opened by itself, which may still open: half a sentence; undefined where it is. */
export function whyNoLegTwo({ plan, legOne: { closedBy, size } }: RollChain): string | undefined {
  if (plan.when === 'now') return undefined;
  if (closedBy !== undefined) return closedEarlyInWords(closedBy);
  // Its size is then for a person to decide.
  return size?.gt(plan.notional_usd) === true
    ? `leg 1 was enlarged to ${usdInWords(size)}: leg 2 is not opened by itself`
    : undefined;
}

/** Undefined for a roll that this machine runs. */
export const ofLeftDesk = ({ leftDesk }: RollPlan): string | undefined =>
  leftDesk && `of desk ${leftDesk}, which this machine has left: the machines of the desk run it`;

/** For a sentence. */
export const rollInWords = (chain: RollChain): string =>
  [whyNoLegTwo(chain) ?? CHAIN_WORDS[chain.state], (!isFinished(chain) && ofLeftDesk(chain.plan)) || []]
    .flat()
    .join('; ');

/** It waits for its time, and nothing is to be done until then. */
export const isOnCourse = (chain: RollChain): boolean =>
  chain.state === 'planned' && whyNoLegTwo(chain) === undefined && chain.plan.leftDesk === undefined;

export const closedEarlyInWords = (by: Action): string =>
  `leg 1 was closed before its maturity (action ${by.colleague === undefined ? by.shortId : actionAndMachine(by)}): leg 2 is not opened`;

/**
 * The next command of a chain, and its effect; undefined when it is finished. `selected`: the profile that
 * commands use without an option; that of the chain unless given, for a screen adds the profile that its line named. A
 * document gives '': its command runs anywhere.
 */
export function nextOfChain(
  chain: RollChain,
  selected: string | undefined = chain.plan.profile,
): NextStep | undefined {
  const { plan, reachedBy: owner = plan.profile } = chain;
  const { chain_id: id } = plan;
  if (owner === null && !isFinished(chain))
    return step(
      shell`hedge ${selected === '' ? ['--profile', 'practice'] : []} roll drop ${id} --note TEXT`,
      say`no profile reaches its account: give it up, or add one (${shell`hedge profile add`})`,
    );
  const profile = underProfile(owner ?? '', selected);
  const why = whyNoLegTwo(chain) ?? '';
  const drop = (because: Sentence): NextStep =>
    step(shell`hedge ${profile} roll drop ${id} --note TEXT`, because);
  const elsewhere = ofLeftDesk(plan);
  if (elsewhere !== undefined && !isFinished(chain) && unresolvedAction(chain) === undefined)
    return drop(`${elsewhere}. To give it up here alone`);
  switch (chain.state) {
    case 'done':
    case 'dropped':
      return undefined;
    case 'closed_early':
      return drop(why);
    case 'planned': {
      if (why !== '') return drop(say`${why}. Then plan it again: ${planAgain(plan, profile)}`);
      const { environment } = plan.identity;
      const isLive = hasLiveRules({ environment, profile: owner ?? '' });
      return plan.when === 'now'
        ? step(shell`hedge ${profile} roll run ${id}`, 'nothing was closed yet: close and open again')
        : step(
            shell`hedge ${profile} roll run --due --yes ${isLive ? ['--expect-env', environment] : []}`,
            'open leg 2 once leg 1 has settled',
          );
    }
    case 'closing':
    case 'opening': {
      const leg = chain.state === 'closing' ? '1' : '2';
      const unresolved = unresolvedAction(chain);
      // One that was accepted and never showed is recorded by a person.
      return unresolved === undefined || !isUnresolved(unresolved)
        ? step(shell`hedge ${profile} roll run ${id}`, `wait for leg ${leg}, and go on`)
        : step(
            shell`hedge ${profile} check ${unresolved.shortId}`,
            `look up leg ${leg}; then run the roll again`,
          );
    }
    case 'flat_open_due':
    case 'due':
    case 'missed': {
      const isMissed = chain.state === 'missed';
      const does = why === '' ? 'open leg 2' : `${why}; this names the hedge open for each size`;
      return step(
        shell`hedge ${profile} roll run ${id} ${isMissed ? ['--late'] : []}`,
        isMissed && why === '' ? `${does}, more than 24 h late` : does,
      );
    }
    default:
      return chain.state satisfies never;
  }
}

const planAgain = (
  { hedge_id: id, first_deal_id: dealId, tenor_days: tenor, max_cost_bps: bps }: RollPlan,
  profile: readonly string[],
): CommandWords =>
  commandOnId(
    shell`hedge ${profile} roll`,
    dealId ?? id,
    shell`--tenor ${tenor.toString()} --at maturity ${optionWords('--max-cost-bps', bps)}`,
  );

/** For a document: a command that runs anywhere; null when it is finished. */
export function nextInDocument(chain: RollChain): string | null {
  const next = nextOfChain(chain, '');
  return next === undefined ? null : commandText(next.command);
}

/** USD that the close of leg 1 took; undefined when that was not recorded. */
export function closedSize({ plan, close }: RollChain): Big | undefined {
  const hedge = close?.intent.before.hedges.find(({ hedge_id: id }) => id === plan.hedge_id);
  return readDecimal(hedge?.notional_usd ?? undefined);
}

/** USD of leg 2 when it was sent, or that was filled of it, else of leg 1 as last known. */
export const chainNotional = (chain: RollChain): Big =>
  (chain.open !== undefined && maybeExecuted(chain.open)
    ? (partialFillOf(chain.open) ?? chain.open.notional)
    : undefined) ??
  closedSize(chain) ??
  new Big(chain.plan.notional_usd);

const ROLLED = /^(.+)\.r([1-9]\d*)$/;

/** The root of a row of rolls, and how many legs the row has with this one: `PAY-1.r3` is `PAY-1`, 3. */
export function rootOf(reference: string): { root: string; leg: number } {
  const [, root, leg] = ROLLED.exec(reference) ?? [];
  return root === undefined || Number(leg) < 2 ? { root: reference, leg: 1 } : { root, leg: Number(leg) };
}

export const legReference = (root: string, leg: number): string => `${root}.r${leg.toString()}`;
