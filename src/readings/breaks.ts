/** A break: a difference between the journal, the service's lists and finance's list, with both sides. Pure. */
import type { Hedge } from '../client/schemas.ts';
import { isDerivedReference, type Side } from '../domain/vocabulary.ts';

export type BreakClass =
  | 'not_ours'
  | 'not_at_finance'
  | 'not_at_venue'
  | 'notional'
  | 'rate'
  | 'status'
  | 'timing'
  | 'position_sum'
  | 'unsettled_past_maturity'
  | 'page_may_be_cut';

export interface Break {
  class: BreakClass;
  /** The list that the service's hedges are compared with. */
  against: 'journal' | 'history' | 'positions' | 'finance' | 'hedges';
  dealId?: string | undefined;
  hedgeId?: string | undefined;
  /** Short ID of the action. */
  actionId?: string | undefined;
  market?: string | undefined;
  side?: Side | undefined;
  /** Each in digits or in words, `none` for a book that lacks it; undefined: that book was not compared. */
  journal?: string | undefined;
  service?: string | undefined;
  finance?: string | undefined;
  /** A deal ID that the other side has, and that looks like this one. */
  similarId?: string | undefined;
  /** The figure of finance is the size that it was opened with; this machine added to it or reduced it since. */
  isSizeAtOpen?: boolean;
  /** An outcome is unknown. */
  isUnresolved?: true;
  /** Set for `timing`: from then on it is a break. Milliseconds since the epoch. */
  breakAfterMs?: number;
}

/** The figure of a book that lacks what another one has. */
export const LACKING = 'none';

/** Statuses of a hedge that was filled. */
export const FILLED_STATUSES: readonly string[] = ['filled', 'closed'];

export const subjectOf = ({ id, client_reference: reference, market, side }: Hedge) => ({
  hedgeId: id,
  dealId: dealIdIn(reference),
  market,
  side,
});

const dealIdIn = (reference: string | null | undefined): string | undefined =>
  typeof reference === 'string' && !isDerivedReference(reference) ? reference : undefined;

/** The same difference again: a person who explained it need not do so twice. */
export const breakKey = ({ class: kind, against, journal, service, finance, ...of }: Break): string =>
  [
    kind,
    against,
    of.hedgeId ?? of.dealId ?? of.actionId ?? `${of.market ?? ''} ${of.side ?? ''}`,
    journal,
    service,
    finance,
  ]
    .map((part) => part ?? '-')
    .join(' ');

/** Keys under which it may have been explained: a hedge that a book lacks was open before it settled. */
export const explainedAs = (found: Break): readonly string[] =>
  (found.class === 'not_ours' || found.class === 'not_at_finance') && found.service === 'closed'
    ? [breakKey(found), breakKey({ ...found, service: 'filled' })]
    : [breakKey(found)];
