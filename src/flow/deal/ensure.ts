/**
 * What a deal id has come to already, here and at the service: whether an open under it would be a second
 * deal, and what `--ensure` answers instead. One deal id, one deal, on every machine of the desk.
 */
import { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { quoted, quotedName } from '../../domain/quoted.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { Side } from '../../domain/vocabulary.ts';
import { OrderFailedError, StoppedError } from '../../errors.ts';
import type { OpenIntent } from '../../intent/action-intent.ts';
import type { Action } from '../../journal/fold.ts';
import { type Identity, sameIdentity } from '../../journal/identity.ts';
import { dealAttempt, findByDealId, isDefiniteNo, usedDealId, wasNotExecuted } from '../../journal/ledger.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Dealing, Finding } from '../dealing.ts';
import { severalUnder } from '../evidence/several-hedges.ts';
import { keepsItsKey } from '../late-arrival.ts';
import { COMING } from '../plan/plan-side.ts';
import { dealKey } from './keys.ts';

/** `here`: an action of this machine. `there`: a hedge that only the service knows of. */
export type DealSoFar =
  | { dealt: 'never' }
  | { dealt: 'here'; entry: Action }
  | { dealt: 'there'; hedge: Hedge }
  /** Every attempt is known to have come to nothing; the last of them failed. */
  | { dealt: 'failed'; entry: Action | undefined; hedge: Hedge | undefined };

interface Known {
  state: JournalState;
  identity: Dealing['identity'];
  /** Hedges that the service has under the deal id, newest first. */
  underDealId: readonly Hedge[];
  /** The service may have more of them. */
  underDealIdCut?: boolean | undefined;
  nowMs: number;
}

const FAILED = 'failed';

export function dealSoFar(dealId: string, { state, identity, underDealId }: Omit<Known, 'nowMs'>): DealSoFar {
  const entry = usedDealId(state.actions, identity, dealId);
  // What an entry knows less of than the service does: one that failed while nobody waited.
  const served = underDealId.find(({ status }) => status !== FAILED);
  const failed = underDealId.find(({ status }) => status === FAILED);
  if (entry !== undefined && !(served === undefined && failed !== undefined && failed.id === entry.hedgeId))
    return { dealt: 'here', entry };
  if (served !== undefined) return { dealt: 'there', hedge: served };
  const last = findByDealId(state.actions, identity, dealId).findLast(
    (it) => it.state === FAILED && !wasNotExecuted(it),
  );
  if (last === undefined && failed === undefined && entry === undefined) return { dealt: 'never' };
  return { dealt: 'failed', entry: last ?? entry, hedge: failed };
}

/**
 * The attempt that the next open under a deal id is: it grows by definite refusals and failures, wherever seen,
 * and past every key that has had such an answer here, which the service would only repeat. What was not executed,
 * as far as can be told, keeps its key for as long as that lives.
 */
export function nextAttempt(dealId: string, { state, identity, underDealId, nowMs }: Known): number {
  const failures = underDealId.filter(({ status }) => status === FAILED).length;
  const over = state.actions.filter((it) => !keepsItsKey(it, nowMs));
  const answered = new Set(
    findByDealId(over, identity, dealId)
      .filter(isDefiniteNo)
      .map(({ intent }) => intent.idempotency_key),
  );
  let attempt = Math.max(dealAttempt(over, identity, dealId), 1 + failures);
  while (answered.has(dealKey(identity, { id: dealId, attempt }))) attempt += 1;
  return attempt;
}

/** A deal id that the service knows and this machine doesn't. The journal's own are for the journal's guard. */
export function guardDealId(dealId: string, known: Known): readonly Finding[] {
  const so = dealSoFar(dealId, known);
  if (so.dealt === 'here') return [];
  if (so.dealt !== 'there') return known.underDealIdCut === true ? [cannotBeTold(dealId)] : [];
  const { id, status } = so.hedge;
  const several = severalUnder(dealId, known.underDealId);
  return [
    {
      level: 'stop',
      code: 'deal_id_used',
      says: `Deal id ${quotedName(dealId)} is used: hedge ${quotedName(id)} (${quoted(status)}) stands under it, dealt elsewhere.${several === undefined ? '' : ` ${several.what}`}`,
      hint: 'If it is this deal, --ensure takes it for done. Another deal needs an id of its own.',
      details: { deal_id: dealId, hedge_id: id, status },
    },
  ];
}

const cannotBeTold = (dealId: string): Finding => ({
  level: 'stop',
  code: 'book_unclear',
  says: `Whether deal id ${quotedName(dealId)} is used cannot be told: the service lists other hedges too, and perhaps not all.`,
  hint: 'See what is on the book (hedge hedges); without a deal id it can be dealt.',
  details: { deal_id: dealId },
});

interface DealtTerms {
  market: string;
  side: Side;
  notional: Big | undefined;
  tenorDays: number | undefined;
}

/** @throws StoppedError `deal_id_used` when what is dealt under the id is something else. */
export function checkSameTerms(intent: OpenIntent, dealt: DealtTerms): void {
  const same =
    dealt.market === intent.market &&
    dealt.side === intent.side &&
    dealt.notional?.eq(intent.notional) === true &&
    dealt.tenorDays === intent.tenor;
  if (same) return;
  const size = dealt.notional === undefined ? '' : ` ${usdInWords(dealt.notional)}`;
  throw new StoppedError({
    code: 'deal_id_used',
    what: `Deal id ${quotedName(intent.dealId ?? '')} was dealt on other terms: ${dealt.side} ${quotedName(dealt.market)}${size}, ${(dealt.tenorDays ?? 0).toString()} days.`,
    book: 'Nothing was sent.',
    hint: `See it: hedge hedges ${shellWord(intent.dealId ?? '')}. A new deal needs a new deal id.`,
    details: { deal_id: intent.dealId ?? null },
  });
}

/** Sizes, in USD, at which the journal has seen a hedge before an action of ours. */
export const sizesSeen = (hedgeId: string, actions: readonly Action[], identity: Identity): readonly Big[] =>
  actions
    .filter(({ intent }) => sameIdentity(intent.identity, identity))
    .flatMap(({ intent }) => intent.before.hedges)
    .flatMap(({ hedge_id: id, notional_usd: size }) =>
      id === hedgeId && size !== null ? [new Big(size)] : [],
    );

/**
 * The same for a hedge that only the service knows of. A filled one may have been added to or reduced since it
 * was dealt, and the service tells its size of now: another size is another deal only where it has not filled.
 * `seen`: sizes that it is known to have had.
 * @throws StoppedError `deal_id_used` when it is another deal, or may be.
 */
export function checkSameDeal(intent: OpenIntent, hedge: Hedge, seen: readonly Big[]): void {
  const { id, market, side, status, notional_usd: now } = hedge;
  const tenorDays = hedge.tenor_days.toNumber();
  const apartFromSize = market === intent.market && side === intent.side && tenorDays === intent.tenor;
  if (apartFromSize && seen.some((size) => size.eq(intent.notional))) return;
  if (now.eq(intent.notional) || !apartFromSize || COMING.includes(status))
    return checkSameTerms(intent, { market, side, notional: now, tenorDays });
  const dealId = intent.dealId ?? '';
  throw new StoppedError({
    code: 'deal_id_used',
    what: `Under deal id ${quotedName(dealId)} stands ${side} ${quotedName(market)} at ${usdInWords(now)} now (hedge ${quotedName(id)}, ${quoted(status)}); whether it was dealt at ${usdInWords(intent.notional)}, and filled in part or changed since, cannot be seen here.`,
    book: 'Nothing was sent.',
    hint: `See it: hedge hedges ${shellWord(dealId)}. If it is this deal, it is dealt: nothing is left to do.`,
    details: {
      deal_id: dealId,
      hedge_id: id,
      status,
      notional_usd: now,
      asked_notional_usd: intent.notional,
    },
  });
}

/** The deal failed before, and `--retry-failed` was not said. */
export const failedBefore = (intent: OpenIntent, hedge: Hedge | undefined): OrderFailedError =>
  new OrderFailedError({
    what: `FAILED: the deal ${quotedName(intent.dealId ?? '')} did not land${hedge === undefined ? '' : ` (hedge ${quotedName(hedge.id)})`}.`,
    book: 'Nothing was opened, and nothing was sent now.',
    hint: 'To deal it anew: the same line with --retry-failed.',
    details: { deal_id: intent.dealId ?? null, hedge_id: hedge?.id ?? null },
  });
