/**
 * The effect and the retry that an error of each code has. A document says both of its error: a code with several has one
 * per case. Any error of an action with an earlier attempt whose outcome is unknown has the effect `unknown`.
 */
import type { Effect, OwnCode, Retry } from '../errors.ts';

export interface CodeMeaning {
  effects: readonly Effect[];
  retries: readonly Retry[];
}

const means = (effects: readonly Effect[], retries: readonly Retry[]): CodeMeaning => ({ effects, retries });

/** Nothing was changed, and the same command has the same result. */
const NOTHING = means(['none'], ['never']);
/** Nothing was changed, and it may work later. */
const LATER = means(['none'], ['later']);
const NOW_OR_LATER = means(['none'], ['never', 'later']);
/** An action that several things stop has the code of the first and the strictest retry of all. */
const stops = (...effects: readonly Effect[]): CodeMeaning =>
  means(effects, ['never', 'later', 'after_check']);

export const CODE_MEANINGS: Readonly<Record<OwnCode, CodeMeaning>> = {
  usage: NOTHING,
  no_profile: NOTHING,
  unknown_profile: NOTHING,
  credential_conflict: NOTHING,
  credential_unusable: NOTHING,
  env_mismatch: NOTHING,
  /** `never`: its certificate is not to be trusted. */
  unavailable: means(['none', 'pending', 'done'], ['never', 'later']),
  rate_limited: means(['none', 'pending', 'done'], ['later']),
  unreadable_answer: NOTHING,
  outcome_unknown: means(['none', 'unknown'], ['later', 'after_check', 'same_key']),
  pending: means(['pending'], ['after_check']),
  order_failed: means(['none', 'done'], ['never', 'later']),
  partial_fill: means(['done'], ['never']),
  exposure_exceeded: stops('none', 'done'),
  capacity_exceeded: stops('none'),
  insufficient_balance: stops('none', 'done'),
  market_disabled: stops('none'),
  market_not_found: NOTHING,
  no_reference: stops('none'),
  no_open_hedge: NOTHING,
  more_than_open: NOTHING,
  nothing_to_reduce: NOTHING,
  nothing_to_add: NOTHING,
  size_not_found: LATER,
  book_unclear: means(['none'], ['never', 'later', 'after_check']),
  book_changed: means(['none', 'done'], ['never', 'after_check']),
  payoff_unconfirmed: NOW_OR_LATER,
  breaks_found: NOTHING,
  worse_price: stops('none', 'done'),
  implausible_price: NOTHING,
  cost_too_high: stops('none', 'done'),
  cover_incomplete: LATER,
  limit_exceeded: means(['none', 'done'], ['never', 'later']),
  read_only: means(['none', 'done'], ['never']),
  halted: stops('none', 'done', 'unknown'),
  deal_id_used: NOW_OR_LATER,
  similar_deal_id: NOTHING,
  not_alone: NOTHING,
  roll_unfinished: means(['none', 'done'], ['never']),
  roll_missed: NOTHING,
  account_unclear: means(['none', 'done'], ['never']),
  idempotency_key_reuse: NOTHING,
  settled: NOTHING,
  not_sent: NOTHING,
  duplicate: NOW_OR_LATER,
  unresolved: means(['none'], ['never', 'after_check']),
  in_flight: stops('none'),
  end_known: NOTHING,
  key_expired: means(['none', 'unknown'], ['never', 'after_check']),
  too_late: LATER,
  unusual_size: NOTHING,
  closes_side: NOTHING,
  declined: NOTHING,
  not_run: LATER,
  unhealthy: NOTHING,
  journal_changed: NOTHING,
  empty_journal: NOTHING,
  no_snapshot: NOTHING,
  interrupted: means(['none', 'pending', 'unknown', 'done'], ['never', 'after_check']),
  port_taken: NOTHING,
  damaged_file: means(['none', 'done', 'unknown'], ['never', 'later', 'after_check']),
  journal_rewound: NOTHING,
  journal_earlier: NOTHING,
  desk_unreachable: means(['none', 'done'], ['never', 'later']),
  desk_rewound: means(['none', 'done'], ['never']),
  desk_changed: means(['none', 'done'], ['never']),
  desk_newer: means(['none', 'done'], ['never']),
  desk_unfit: NOTHING,
  desk_joined: NOTHING,
  desk_left: NOTHING,
  no_desk: NOTHING,
  clock_changed: LATER,
  not_approver: NOTHING,
  output_failed: NOTHING,
  internal: means(['none', 'unknown'], ['never', 'after_check']),
};
