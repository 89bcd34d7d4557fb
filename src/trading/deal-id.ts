/**
 * What a deal id has come to already, here and at the service: whether an open under it would be a second
 * deal, and what `--ensure` answers instead. One deal id, one deal, on every machine of the desk.
 *
 * The idempotency keys of actions, and the references that follow from them: one key an intent, the same on
 * every send, so that the service acts once (specification §7). Pure but for the randomness handed in.
 */

import { createHash } from 'node:crypto';
import { Big } from 'big.js';
import type { OpenIntent } from '../args/action-intent.ts';
import type { Hedge } from '../client/schemas.ts';
import { usdInWords } from '../domain/exposure.ts';
import { quoted, quotedName, shellWord } from '../domain/quoted.ts';
import { REFERENCE_DIGITS, REFERENCE_MARK, type Side } from '../domain/vocabulary.ts';
import { OrderFailedError, StoppedError } from '../errors.ts';
import { type AccountIdentity, sameIdentity } from '../journal/account-identity.ts';
import { dealIdAttempt, findByDealId, isRejected, usedDealId, wasNotExecuted } from '../journal/queries.ts';
import type { Action } from '../journal/replay.ts';
import type { JournalState } from '../journal/store.ts';
import type { Random } from '../platform/random.ts';
import { PENDING_STATUSES } from '../readings/side-book.ts';
import { keepsItsKey } from './idempotency-window.ts';
import { hedgesUnderDealId } from './outcome/change-evidence.ts';
import type { Finding, TradingContext } from './trading-context.ts';
/** `here`: an action of this machine. `there`: a hedge that only the service knows of. */
export type DealStatus =
  | { dealt: 'never' }
  | { dealt: 'here'; entry: Action }
  | { dealt: 'there'; hedge: Hedge }
  /** Every attempt is known to have come to nothing; the last of them failed. */
  | { dealt: 'failed'; entry: Action | undefined; hedge: Hedge | undefined };

interface Known {
  state: JournalState;
  identity: TradingContext['identity'];
  /** Hedges that the service has under the deal id, newest first. */
  underDealId: readonly Hedge[];
  /** The service may have more of them. */
  underDealIdCut?: boolean | undefined;
  nowMs: number;
}

const FAILED = 'failed';

export function dealStatus(
  dealId: string,
  { state, identity, underDealId }: Omit<Known, 'nowMs'>,
): DealStatus {
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
      .filter(isRejected)
      .map(({ intent }) => intent.idempotency_key),
  );
  let attempt = Math.max(dealIdAttempt(over, identity, dealId), 1 + failures);
  while (answered.has(dealKey(identity, { id: dealId, attempt }))) attempt += 1;
  return attempt;
}

/** A deal id that the service knows and this machine doesn't. The journal's own are for the journal's guard. */
export function guardDealId(dealId: string, known: Known): readonly Finding[] {
  const so = dealStatus(dealId, known);
  if (so.dealt === 'here') return [];
  if (so.dealt !== 'there') return known.underDealIdCut === true ? [cannotBeTold(dealId)] : [];
  const { id, status } = so.hedge;
  const several = hedgesUnderDealId(dealId, known.underDealId);
  return [
    {
      level: 'stop',
      code: 'deal_id_used',
      message: `Deal id ${quotedName(dealId)} is used: hedge ${quotedName(id)} (${quoted(status)}) stands under it, dealt elsewhere.${several === undefined ? '' : ` ${several.what}`}`,
      hint: 'If it is this deal, --ensure takes it for done. Another deal needs an id of its own.',
      details: { deal_id: dealId, hedge_id: id, status },
    },
  ];
}

const cannotBeTold = (dealId: string): Finding => ({
  level: 'stop',
  code: 'book_unclear',
  message: `Whether deal id ${quotedName(dealId)} is used cannot be told: the service lists other hedges too, and perhaps not all.`,
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
export const recordedSizes = (
  hedgeId: string,
  actions: readonly Action[],
  identity: AccountIdentity,
): readonly Big[] =>
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
  if (now.eq(intent.notional) || !apartFromSize || PENDING_STATUSES.includes(status))
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
export const failedBeforeError = (intent: OpenIntent, hedge: Hedge | undefined): OrderFailedError =>
  new OrderFailedError({
    what: `FAILED: the deal ${quotedName(intent.dealId ?? '')} did not land${hedge === undefined ? '' : ` (hedge ${quotedName(hedge.id)})`}.`,
    book: 'Nothing was opened, and nothing was sent now.',
    hint: 'To deal it anew: the same line with --retry-failed.',
    details: { deal_id: intent.dealId ?? null, hedge_id: hedge?.id ?? null },
  });

const KEY_BYTES = 16;
const DERIVED_DIGITS = 32;

export const createKey = (random: Random): string =>
  `hedge-${Buffer.from(random.bytes(KEY_BYTES)).toString('hex')}`;

/**
 * The same on every machine of the desk, whatever API key and host name it uses: scripts that deal the same deal ID
 * collide at the service on purpose. `attempt` counts from 1 and grows only after a definite no.
 */
export const dealKey = (identity: AccountIdentity, deal: { id: string; attempt: number }): string => {
  const { environment, account, base_url: book } = identity;
  const whose = environment === 'practice' ? [environment, book] : [environment, account ?? ''];
  return `hedge-deal-${digits([...whose, deal.id, deal.attempt.toString()], DERIVED_DIGITS)}`;
};

/** `client_reference` of an open without a deal id: follows from the key, so that the body never changes. */
export const referenceOf = (key: string): string => `${REFERENCE_MARK}${digits([key], REFERENCE_DIGITS)}`;

const digits = (parts: readonly string[], count: number): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, count);
