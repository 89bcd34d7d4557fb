/** One hedge per deal ID, on every machine: finds the hedge that is already open under it, and compares its terms. */

import { Big } from 'big.js';
import { keepingNote, openCommandLine } from '../args/action-options.ts';
import type { Hedge, Quote } from '../client/schemas.ts';
import type { OpenIntent, TypedIntent, TypedIntentOf } from '../domain/action-intent.ts';
import { sizingInWords } from '../domain/action-intent.ts';
import { grouped, isSameSize, usdInWords } from '../domain/exposure.ts';
import { isFields } from '../domain/fields.ts';
import { commandOnId, say, shell, step, TO_RETRY } from '../domain/hint.ts';
import { DAY_MS, exactInstant } from '../domain/instants.ts';
import { quoted, quotedName, unquoted } from '../domain/quoted.ts';
import { isSameSide, type Side } from '../domain/vocabulary.ts';
import {
  type ErrorParts,
  nothingSent,
  OrderFailedError,
  OutcomeUnknownError,
  type RefusedError,
  StoppedError,
} from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { askedInWords } from '../journal/describe.ts';
import { findByDealId, usedDealId, wasNotExecuted } from '../journal/queries.ts';
import { type Action, isUnresolved } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import { PENDING_STATUSES } from '../readings/side-position.ts';
import { isKeyValid } from './idempotency-window.ts';
import { hedgesUnderDealId } from './outcome/change-evidence.ts';
import type { ActionReport } from './report.ts';
import type { Finding, TradingContext } from './trading-context.ts';

/** `journaled`: an action of this machine. `elsewhere`: a hedge that only the service knows. */
export type DealStatus =
  | { status: 'unused' }
  | { status: 'journaled'; entry: Action }
  | { status: 'elsewhere'; hedge: Hedge }
  /** Every attempt failed or was rejected; the last one failed. */
  | { status: 'failed'; entry: Action | undefined; hedge: Hedge | undefined };

interface Known {
  state: JournalState;
  identity: TradingContext['identity'];
  /** Hedges with the deal ID at the service, newest first. */
  underDealId: readonly Hedge[];
  /** The service may have more of them. */
  underDealIdCut?: boolean | undefined;
  /** An action that is to be sent again: a hedge that it is not known to have opened is another's. */
  except?: string | undefined;
}

export function dealStatus(dealId: string, { state, identity, underDealId, except }: Known): DealStatus {
  const actions = state
    .find({ dealIds: [dealId] })
    .filter(({ id, hedgeId }) => id !== except || hedgeId !== undefined);
  const entry = usedDealId(actions, identity, dealId);
  // The order of an entry may have failed while nobody waited for it.
  const served = underDealId.find(({ status }) => status !== 'failed');
  const failed = underDealId.find(({ status }) => status === 'failed');
  if (entry !== undefined && !(served === undefined && failed !== undefined && failed.id === entry.hedgeId))
    return { status: 'journaled', entry };
  if (served !== undefined) return { status: 'elsewhere', hedge: served };
  const last = findByDealId(actions, identity, dealId).findLast(
    (it) => it.state === 'failed' && !wasNotExecuted(it),
  );
  if (last === undefined && failed === undefined && entry === undefined) return { status: 'unused' };
  return { status: 'failed', entry: last ?? entry, hedge: failed };
}

/** The effect of `--ensure` on a deal ID that is used, by the state of its deal. */
export const SAME_DEAL = {
  known: 'Same deal: nothing to send; --ensure reports it. Else: a new deal ID.',
  in_flight: 'Same deal: --ensure waits for it. Else: a new deal ID.',
  unresolved: 'Same deal: --ensure looks it up, and sends it again with the same key if it is not there.',
} as const;

/** For a deal ID that only the service knows; journal-guard.ts checks those of the journal. */
export function guardDealId(dealId: string, known: Known): readonly Finding[] {
  const deal = dealStatus(dealId, known);
  if (deal.status === 'journaled') return [];
  if (deal.status !== 'elsewhere') return known.underDealIdCut === true ? [mayBeUsed(dealId)] : [];
  const { id, status } = deal.hedge;
  const several = hedgesUnderDealId(dealId, known.underDealId);
  return [
    {
      level: 'stop',
      code: 'deal_id_used',
      message: `Deal ID ${quotedName(dealId)} is used by hedge ${quotedName(id)} (${quoted(status)}), opened elsewhere.${several === undefined ? '' : ` ${several.what}`}`,
      hint: SAME_DEAL[PENDING_STATUSES.includes(status) ? 'in_flight' : 'known'],
      details: { deal_id: dealId, hedge_id: id, status },
    },
  ];
}

/** A warning; a stop for a row of a deals file, which nobody confirms alone. */
export function similarFinding(dealId: string, used: string, level: Finding['level']): Finding {
  const message = `Deal ID ${quotedName(dealId)} is new, but looks like ${quotedName(used)}, which is used.`;
  const toSee = say`To see that one: ${commandOnId(shell`hedge hedges`, used)}`;
  return {
    level,
    code: 'similar_deal_id',
    details: { deal_id: dealId, similar_to: used },
    ...(level === 'warn'
      ? { message: `${message} If it is the same deal, do not open it again.`, hint: toSee }
      : {
          message,
          hint: say`${toSee}. The same deal: write its deal ID. Another deal: give it a deal ID that differs more.`,
        }),
  };
}

const mayBeUsed = (dealId: string): Finding => ({
  level: 'stop',
  code: 'book_unclear',
  message: `Deal ID ${quotedName(dealId)} may be used: the service's list of hedges may be incomplete.`,
  hint: say`Check your hedges (${shell`hedge hedges`}), or open without a deal ID.`,
  details: { deal_id: dealId },
});

const seeDeal = (dealId: string) => commandOnId(shell`hedge hedges`, dealId);

/** `is`: how the deal ID is used. `next`: after a look at that deal. */
const usedError = (
  dealId: string,
  is: string,
  { details, next = 'A new deal needs a new deal ID.', ...more }: UsedParts = {},
): StoppedError =>
  nothingSent({
    code: 'deal_id_used',
    what: `Deal ID ${quotedName(dealId)} is ${is}`,
    hint: say`To see it: ${seeDeal(dealId)}. ${next}`,
    details: { deal_id: dealId, ...details },
    ...more,
  });

interface UsedParts extends Pick<ErrorParts, 'hint' | 'retry'> {
  details?: Readonly<Record<string, unknown>>;
  next?: string;
}

interface KnownTerms {
  market: string;
  side: Side;
  notional: Big | undefined;
  tenorDays: number | undefined;
  /** How its size was given when not as a notional, as the journal has it. */
  asked?: string | undefined;
}

/** `buy USDTNGN 10,000.00 USD, 3 days`, `buy USDTNGN 52,761.74 USD (80,000,000.00 NGN), 3 days` */
function termsInWords({ market, side, notional, tenorDays, asked }: KnownTerms): string {
  const words = asked && askedInWords(asked);
  const size = words === asked ? asked && `--${asked}` : words;
  const sizes = [notional && usdInWords(notional), notional && size ? `(${size})` : size];
  const days =
    tenorDays === undefined ? 'unknown tenor' : tenorDays === 1 ? '1 day' : `${tenorDays.toString()} days`;
  return `${[side, unquoted(market), ...sizes].filter((part) => part !== undefined).join(' ')}, ${days}`;
}

/** @throws StoppedError `deal_id_used` when the deal under the ID has other terms. */
export function checkSameTerms(intent: TypedIntentOf<'open'>, known: KnownTerms): void {
  const { sizing, notional } = intent;
  const same =
    isSameSide(intent, known) &&
    known.tenorDays === intent.tenor &&
    (sizing === undefined
      ? notional !== undefined && known.notional !== undefined && isSameSize(known.notional, notional)
      : known.asked === sizingInWords(sizing));
  if (same) return;
  const { market, side, tenor: tenorDays } = intent;
  const asked: KnownTerms =
    sizing === undefined
      ? { market, side, notional, tenorDays }
      : { market, side, notional: undefined, tenorDays, asked: sizingInWords(sizing) };
  throw usedError(intent.dealId ?? '', `${termsInWords(known)}. You asked for ${termsInWords(asked)}.`);
}

/** The rate is struck at the fill, and the size was computed from the quote before. */
const SAME_COVER_BPS = 50;

export const isSameCover = (covered: Big, amount: Big): boolean =>
  covered.minus(amount).abs().times(10_000).lte(amount.times(SAME_COVER_BPS));

/** Whether a size that was computed from naira still covers them at this quote. */
export const coversAsAsked = (intent: TypedIntent, quote: Quote | undefined): boolean =>
  !('sizing' in intent) ||
  intent.sizing?.by !== 'ngn' ||
  intent.notional === undefined ||
  quote === undefined ||
  isSameCover(intent.notional.times(quote.pricing.execution_price), intent.sizing.amount);

/**
 * The same for a size that is computed. A hedge that only the service knows shows its size in USD: the naira that it
 * covers follow from its struck rate.
 * @throws StoppedError `deal_id_used` when it is, or may be, another deal.
 */
export function checkSameCover(intent: TypedIntentOf<'open'>, hedge: Hedge): void {
  const { sizing, dealId = '' } = intent;
  const { id, market, side, status, notional_usd: size, struck_rate: struck } = hedge;
  const tenorDays = hedge.tenor_days.toNumber();
  if (!isSameSide(intent, hedge) || tenorDays !== intent.tenor)
    return checkSameTerms(intent, { market, side, notional: size, tenorDays });
  const used = `used by hedge ${quotedName(id)} (${quoted(status)}, ${usdInWords(size)}), opened elsewhere`;
  const details = { hedge_id: id, status, notional_usd: size };
  if (sizing?.by === 'ngn' && PENDING_STATUSES.includes(status))
    throw usedError(dealId, `${used} and not filled yet: the naira that it covers are not known.`, {
      details,
      hint: say`Wait for the fill, then try again: ${commandOnId(shell`hedge wait`, id)}`,
      retry: 'later',
    });
  if (sizing?.by !== 'ngn' || !struck)
    throw usedError(dealId, `${used}. It does not show how that size was given.`, {
      details,
      next: 'To compare the size: give it in USD.',
    });
  const covered = size.times(struck);
  const { amount } = sizing;
  if (isSameCover(covered, amount)) return;
  const covers = `It covers ${grouped(covered)} NGN. You asked for ${grouped(amount)} NGN.`;
  throw usedError(dealId, `${used}. ${covers}`, { details });
}

/** Sizes of a hedge, in USD, that actions of this machine have recorded since it was opened. `servedAt`: of its reading. */
export const recordedSizes = (
  { id: hedgeId, opened_at: openedAt, tenor_days: tenorDays }: Hedge,
  { state, identity, servedAt, nowMs }: Pick<Known, 'state' | 'identity'> & { servedAt: Date; nowMs: number },
): readonly Big[] => {
  const ageMs = openedAt ? servedAt.getTime() - Date.parse(openedAt) : tenorDays.toNumber() * DAY_MS;
  return state
    .since(exactInstant(nowMs - Math.max(0, ageMs) - DAY_MS))
    .filter(({ intent }) => sameIdentity(intent.identity, identity))
    .flatMap(({ intent }) => intent.before.hedges)
    .flatMap(({ hedge_id: id, notional_usd: size }) =>
      id === hedgeId && size !== null ? [new Big(size)] : [],
    );
};

/**
 * The same for a hedge that only the service knows. The service shows its current size, and a filled hedge may have
 * been changed since: only an unfilled one of another size is surely another deal. `seen`: sizes it is known to have had.
 * @throws StoppedError `deal_id_used` when it is, or may be, another deal.
 */
export function checkSameDeal(intent: OpenIntent, hedge: Hedge, seen: readonly Big[]): void {
  const { id, market, side, status, notional_usd: now } = hedge;
  const tenorDays = hedge.tenor_days.toNumber();
  const sameButSize = isSameSide(intent, hedge) && tenorDays === intent.tenor;
  if (sameButSize && seen.some((size) => isSameSize(size, intent.notional))) return;
  if (isSameSize(now, intent.notional) || !sameButSize || PENDING_STATUSES.includes(status))
    return checkSameTerms(intent, { market, side, notional: now, tenorDays });
  const used = `used by ${side} ${quotedName(market)}, now ${usdInWords(now)} (hedge ${quotedName(id)}, ${quoted(status)})`;
  const maybe = `It may be this deal of ${usdInWords(intent.notional)}, partly filled or changed since.`;
  throw usedError(intent.dealId ?? '', `${used}. ${maybe}`, {
    next: 'If it is this deal, nothing is left to do.',
    details: { hedge_id: id, status, notional_usd: now, asked_notional_usd: intent.notional },
  });
}

/** The order failed before, and `--retry-failed` is missing. */
export const failedBeforeError = (
  intent: TypedIntentOf<'open'>,
  hedge: Hedge | undefined,
): OrderFailedError =>
  new OrderFailedError({
    what: `FAILED: deal ${quotedName(intent.dealId ?? '')}: order failed on-chain${hedge === undefined ? '' : ` (hedge ${quotedName(hedge.id)})`}.`,
    meaning: 'Nothing was opened, and nothing was sent now.',
    hint: step(
      openCommandLine({ ...intent, retryFailed: true, options: keepingNote(intent.options) }),
      '',
      TO_RETRY,
    ),
    details: { deal_id: intent.dealId ?? null, hedge_id: hedge?.id ?? null },
  });

/** Another machine, or an earlier command, sent the same deal ID, so the same key, with another body. */
export function dealSentElsewhere({ intent }: Action, refusal: RefusedError): StoppedError | undefined {
  const { key_origin: origin, deal_id: dealId, idempotency_key: key } = intent;
  if (refusal.code !== 'idempotency_key_reuse' || origin !== 'deal_id' || dealId === undefined)
    return undefined;
  return new StoppedError({
    code: 'deal_id_used',
    what: `Deal ID ${quotedName(dealId)} was sent before, here or elsewhere, with another size or other terms.`,
    meaning: 'This request opened nothing; the other one may have opened the deal.',
    hint: say`See it, then try again: ${seeDeal(dealId)}. A new deal needs a new deal ID.`,
    retry: 'later',
    httpStatus: refusal.httpStatus,
    details: { deal_id: dealId, idempotency_key: key, service_code: refusal.code },
    cause: refusal,
  });
}

/** Adds whether the same command helps: with `--ensure` or a key that was given it continues the same action. */
export function adviseRepeat(intent: TypedIntent, report: ActionReport, nowMs: number): ActionReport {
  const { entry, finding } = report;
  const ensure = 'ensure' in intent && intent.ensure;
  if (
    ensure &&
    !intent.retryFailed &&
    finding instanceof OrderFailedError &&
    !(entry && wasNotExecuted(entry))
  )
    return {
      ...report,
      finding: finding.with({ meaning: `${finding.meaning ?? ''} ${NEEDS_WORD}`, retry: 'never' }),
    };
  if ((!ensure && intent.options.idempotencyKey === undefined) || entry === undefined) return report;
  const isOpen = isUnresolved(entry) && entry.outcome?.kind !== 'not_told' && isKeyValid(entry, nowMs);
  if (!(finding instanceof OutcomeUnknownError) || !isOpen || isUndecided(finding.details)) return report;
  const key = ensure ? 'deal ID has the same key, which' : 'key';
  const meaning = `It may have executed. To settle it, run the same command again: the same ${key} executes once.`;
  return { ...report, finding: finding.with({ meaning, retry: 'same_key' }) };
}

const NEEDS_WORD = 'The same command opens nothing; with --retry-failed it does.';

/** Several hedges have its deal ID, or its account is not certain. */
const isUndecided = (details: unknown): boolean =>
  isFields(details) && (details['evidence'] === 'other' || details['evidence'] === 'unclear');
