/**
 * What an action's flow is lent, and the two shapes that travel through it: what guards find, and what became
 * of the action. Ports only: nothing here knows a terminal, a file or a socket.
 */
import type { Big } from 'big.js';
import type { Hedge, Position } from '../client/schemas.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { Effect, HedgeError, OwnCode } from '../errors.ts';
import type { Halt } from '../journal/halt.ts';
import type { EndKind, Writer } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import type { Random } from '../platform/random.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { HedgeChange, Plan } from './plan.ts';
/** What the operator's own profile allows. */
export interface TradingLimits {
  /** USD, the most of one open or add. */
  maxNotional: Big | undefined;
  /** USD that opens and adds may come to in one UTC day. */
  maxDailyNotional: Big | undefined;
  /** No action at all. */
  readOnly: boolean;
  /** The only markets in which opens and adds are allowed; undefined: all. */
  markets: readonly string[] | undefined;
}

/** What is lent to anything that sends one. */
export interface TradingContext extends ReadContext {
  random: Random;
  writer: Writer;
  environment: Environment;
  profile: string;
  /** Other profiles of this environment and base address, of which nothing says whether they are this account. */
  accountUnclearWith: readonly { name: string; account: string | undefined }[];
  limits: TradingLimits;
  /** The command line, for the journal. */
  argv: readonly string[];
  /** The environment that was promised (`--expect-env`), known to hold. */
  expected: Environment | undefined;
  /** Somebody can be asked: standard input and standard error are terminals. */
  attended: boolean;
  /** Undefined while nothing is halted; never throws. */
  halted(): Halt | undefined;
  /** Shows what is about to be sent, and asks unless `yes`. False: the operator's no. */
  confirm(preview: Preview, options: { yes: boolean }): Promise<boolean>;
}

/** One thing that guards found. `stop` ends the action before anything is sent (exit 10). */
export interface Finding {
  level: 'stop' | 'warn';
  code: OwnCode;
  /** What was found, as one or two whole sentences. */
  message: string;
  /** What to do about it: a line to type where there is one. */
  hint?: string | undefined;
  /** Of a size that is too large: the largest in whole cents, USD, that it would let pass; zero when none. */
  fits?: Big | undefined;
  /** Figures for scripts, in the service's own names where it has one. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** What the operator sees before an action is sent. */
export interface Preview {
  plan: Plan;
  /** Those of level `warn`. */
  warnings: readonly Finding[];
  /** Ids of open hedges on the side that were not dealt from this machine. */
  dealtElsewhere: readonly string[];
  /** Asked again: what changed since it was shown last, as half a sentence; undefined the first time. */
  changed: string | undefined;
  /** An action of the journal goes on: sent before without a usable answer, or never so far. */
  again?: 'sent' | 'never_sent' | undefined;
}

/**
 * `planned`: a dry run. `flat`: there was nothing to close. `not_sent`: nothing was done, for want of a
 * connection or of the operator's patience. The others as the journal means them.
 */
export type ReportOutcome =
  | EndKind
  | 'pending'
  | 'submitted'
  | 'unknown'
  | 'refused'
  | 'not_sent'
  | 'planned'
  | 'flat';

/** What became of an action, complete in success, failure and doubt. */
export interface ActionReport {
  /** The entry of the journal; undefined for a dry run, and where there was nothing to do. */
  entry: Action | undefined;
  /** Undefined where an earlier action was continued. */
  plan: Plan | undefined;
  outcome: ReportOutcome;
  effect: Effect;
  /** Findings of level `warn` that it was dealt in spite of, or would be. */
  warnings: readonly Finding[];
  /** Of an open: the hedge as last read. */
  hedge: Hedge | undefined;
  /** Of the others: the side's line once it was done; undefined when it is gone or was not read. */
  position: Position | undefined;
  /** Of add, reduce and close: what became of each hedge of the side, as far as it was seen. */
  hedges: readonly HedgeChange[] | undefined;
  derived: ActionFigures;
  /** What there is to say on standard error, and the exit code; undefined when it went as asked. */
  finding: HedgeError | undefined;
  servedAt: Date | undefined;
}

/** What we work out about an action. Bps and USD: positive is worse for us, or a cost. */
export interface ActionFigures {
  /** Of an open, USD that were filled: what was asked, or less. */
  filled_notional_usd?: Big;
  /** Of an open, as it was filled: an addition changes the hedge's own, and nothing of the slippage. */
  struck_rate?: Big;
  /** That rate against the quote's execution price. */
  slippage_bps?: Big;
  slippage_usd?: Big;
  /** Of a close: what its hedges made in their whole lives, carry and fees included, by their records; positive gains. */
  net_pnl_usd?: Big;
  /** Milliseconds from the first send to the end that was seen. */
  took_ms?: number;
}
