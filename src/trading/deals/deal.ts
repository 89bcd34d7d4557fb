/** One row of a deals file on its way: its open, how it ended, and what that means for the rows after it. Pure. */
import type { Big } from 'big.js';
import type { OpenIntent, TypedIntentOf } from '../../args/action-intent.ts';
import { isBounded } from '../../args/deals-file.ts';
import { grouped } from '../../domain/exposure.ts';
import { worseByBps } from '../../domain/price-bounds.ts';
import { quotedName } from '../../domain/quoted.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  PendingError,
  RefusedError,
  type Retry,
  StoppedError,
  UnavailableError,
} from '../../errors.ts';
import { priceOf, TOLERATED_BPS } from '../evaluate.ts';
import type { OpenPlan, Plan } from '../plan.ts';
import type { ActionReport, ReportOutcome } from '../trading-context.ts';
import { bySeverity } from '../worst-error.ts';

export interface Deal {
  /** Of the file. */
  line: number;
  /** A size in naira has its notional once that is computed. */
  intent: TypedIntentOf<'open'>;
}

export interface DealEnd extends Deal {
  /** Undefined: it was stopped before there was one. */
  report: ActionReport | undefined;
  /** Of the check or of the run; undefined for an earlier run's. */
  plan: OpenPlan | undefined;
  /** Undefined for a row that fits, was accepted or is filled. */
  error: HedgeError | undefined;
}

/** `skipped`: beyond its price limit. `stopped`: by a pre-trade check. `not_run`: after a stop. */
export type DealOutcome = ReportOutcome | 'skipped' | 'stopped' | 'not_run';

/** A row with its outcome, for a view. */
export interface EndedDeal extends DealEnd {
  outcome: DealOutcome;
}

export const withOutcome = (end: DealEnd): EndedDeal => ({ ...end, outcome: outcomeOfDeal(end) });

function outcomeOfDeal({ report, error, intent }: DealEnd): DealOutcome {
  if (error?.code === NOT_RUN) return NOT_RUN;
  if (error !== undefined && isBeyondBound(error, intent)) return 'skipped';
  if (report !== undefined) return report.outcome;
  return error instanceof RefusedError ? 'refused' : 'stopped';
}

export const NOT_RUN = 'not_run';

export const openPlanOf = (plan: Plan | undefined): OpenPlan | undefined =>
  plan?.action === 'open' ? plan : undefined;

const OF_A_BOUND: readonly string[] = ['worse_price', 'cost_too_high'];

/** The price is beyond the limit of the row: the others go on. */
export const isBeyondBound = (error: HedgeError, intent: Pick<OpenIntent, 'bounds'>): boolean =>
  error instanceof StoppedError && OF_A_BOUND.includes(error.code) && isBounded(intent);

/** Whether no further row is opened. A rejection or a failed order concerns its row alone. */
export function endsRun({ report, error, intent }: DealEnd): boolean {
  if (error === undefined || isBeyondBound(error, intent)) return false;
  if (report?.outcome === 'unknown' || error.effect === 'unknown') return true;
  return !ROW_ALONE.some((kind) => error instanceof kind);
}

const ROW_ALONE = [RefusedError, OrderFailedError, PartialFillError, PendingError] as const;

/** A row without a price limit was confirmed at a price. @throws StoppedError */
export function checkNotWorse(plan: Plan, shown: Big | undefined): void {
  const now = priceOf(plan);
  if (plan.action !== 'open' || isBounded(plan.intent) || shown === undefined || now === undefined) return;
  const bps = worseByBps(plan.side, { shown, now });
  if (bps.lte(TOLERATED_BPS)) return;
  throw new StoppedError({
    code: 'worse_price',
    what: `The price of ${quotedName(plan.intent.dealId ?? '')} is now ${grouped(now)}, ${bps.round(1).toFixed()} bps worse than the ${grouped(shown)} that was confirmed, and it has no price limit.`,
    book: 'It was not sent.',
    retry: 'later',
    details: { execution_price: now, confirmed_price: shown, worse_by_bps: bps },
  });
}

export const notRun = (deal: Deal, cause: HedgeError, at: number | undefined): DealEnd => ({
  ...deal,
  report: undefined,
  plan: undefined,
  error: new StoppedError({
    code: NOT_RUN,
    what: `Not run: ${at === undefined ? 'the run was stopped' : `the run stopped at line ${at.toString()}`} (${cause.code}).`,
    book: 'Nothing was sent for this row.',
    retry: 'later',
    details: { stopped_by: cause.code, stopped_at_line: at ?? null },
    cause,
  }),
});

const AGAIN = 'Run the same file again: it opens only the missing rows, and nothing twice.';
const CHANGE_BOUND = 'Try again at a better price, or change worst_price or max_cost_bps of the row.';

/**
 * One error for all rows, of the kind of the worst; undefined if every row is open or planned as asked. `isCheck`: none
 * was to be sent.
 */
export function findingOf(
  ends: readonly DealEnd[],
  { isCheck }: { isCheck: boolean },
): HedgeError | undefined {
  const failed = ends.flatMap((end) =>
    end.error === undefined || end.error.code === NOT_RUN
      ? []
      : [{ ...end, error: end.error, skipped: isBeyondBound(end.error, end.intent) }],
  );
  const [first] = failed.toSorted(
    (one, other) => bySeverity(one.error, other.error) || Number(one.skipped) - Number(other.skipped),
  );
  if (first === undefined) return interruptionOf(ends);
  const { error: worst, skipped } = first;
  const others = failed.length - 1;
  const more =
    others === 0 ? '' : ` ${others === 1 ? '1 more row is' : `${others.toString()} more rows are`}`;
  const hints = [
    ...(skipped ? [CHANGE_BOUND] : worst.hint === undefined ? [] : [worst.hint]),
    ...(isCheck ? [] : [AGAIN]),
  ];
  const open = ends.filter(({ report }) => report?.effect === 'done').length;
  const pending = ends.filter(({ report }) => report?.effect === 'pending').length;
  const effect =
    worst.effect !== 'none' || isCheck
      ? worst.effect
      : pending > 0
        ? 'pending'
        : ends.some(({ plan, report }) => plan !== undefined && report?.effect === 'done')
          ? 'done'
          : 'none';
  return sameKind(worst, {
    what: `Line ${first.line.toString()}, ${quotedName(first.intent.dealId ?? '')}: ${worst.what}${more === '' ? '' : `${more} not as asked.`}`,
    book:
      effect === 'none'
        ? (worst.book ?? 'Nothing was sent.')
        : `${open.toString()} of ${ends.length.toString()} are open${pending === 0 ? '' : `, ${pending.toString()} accepted and not filled yet`}.${worst.effect === 'none' || worst.book === undefined ? '' : ` ${worst.book}`}`,
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
    details: {
      line: first.line,
      deal_id: first.intent.dealId ?? null,
      rows: failed.length,
      ...(worst.details === undefined ? {} : { cause: worst.details }),
    },
    cause: worst,
    effect,
    retry: worst.retry,
  });
}

/** The run was stopped between two rows: no row has an error of its own. */
function interruptionOf(ends: readonly DealEnd[]): HedgeError | undefined {
  const cause = ends.find(({ error }) => error?.code === NOT_RUN)?.error?.cause;
  if (!(cause instanceof HedgeError)) return undefined;
  const effects = ends.map(({ plan, report }) => (plan === undefined ? undefined : report?.effect));
  return sameKind(cause, {
    what: cause.what,
    book: `${effects.filter((effect) => effect !== undefined).length.toString()} of ${ends.length.toString()} rows were sent in this run.`,
    hint: AGAIN,
    details: {},
    cause,
    effect: effects.includes('pending') ? 'pending' : effects.includes('done') ? 'done' : 'none',
    retry: 'later',
  });
}

interface FindingParts {
  what: string;
  book: string;
  hint?: string;
  details: Readonly<Record<string, unknown>>;
  effect: HedgeError['effect'];
  retry: Retry;
  cause: HedgeError;
}

function sameKind(worst: HedgeError, parts: FindingParts): HedgeError {
  const coded = { ...parts, code: worst.code, httpStatus: worst.httpStatus };
  if (worst instanceof OutcomeUnknownError) return new OutcomeUnknownError(parts, worst.refusal);
  if (worst instanceof PartialFillError) return new PartialFillError(parts);
  if (worst instanceof OrderFailedError) return new OrderFailedError(parts);
  if (worst instanceof PendingError) return new PendingError(parts);
  if (worst instanceof InterruptedError) return new InterruptedError(worst.signal, parts);
  if (worst instanceof DamagedFileError) return new DamagedFileError(worst.path, parts);
  if (worst instanceof CredentialError) return new CredentialError(coded);
  if (worst instanceof UnavailableError) return new UnavailableError(coded);
  if (worst instanceof RefusedError) return new RefusedError(coded);
  if (worst instanceof StoppedError) return new StoppedError(coded);
  return new HedgeError(coded);
}
