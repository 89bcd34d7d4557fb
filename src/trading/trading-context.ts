/** The ports that trading needs, and the findings of checks. */
import type { Big } from 'big.js';
import type { Account, Market, Position } from '../client/schemas.ts';
import type { Environment, Side } from '../domain/vocabulary.ts';
import type { CommandWords, Hint, OwnCode } from '../errors.ts';
import type { Writer } from '../journal/records.ts';
import type { JournalState } from '../journal/state.ts';
import type { Random } from '../platform/random.ts';
import type { KnownKeys } from '../readings/known-keys.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { HedgeList } from '../readings/read-position.ts';
import type { SidePosition } from '../readings/side-position.ts';
import type { Plan } from './plan.ts';

export interface TradingLimits {
  /** The per-trade limit: USD of one open or add. */
  maxNotional: Big | undefined;
  /** USD of all opens and adds per UTC day. */
  maxDailyNotional: Big | undefined;
  /** Blocks every action. */
  readOnly: boolean;
  /** The only markets in which opens and adds are allowed; undefined: all. */
  markets: readonly string[] | undefined;
}

export interface TradingContext extends ReadContext {
  random: Random;
  writer: Writer;
  environment: Environment;
  profile: string;
  accountUnclearWith: KnownKeys['unclearWith'];
  /**
   * Those of the profile as they are now: another command may change them. @throws StoppedError where the profile was removed, or has
   * another account.
   */
  limits: () => TradingLimits;
  /** The command line, for the journal. */
  argv: readonly string[];
  /** From `--expect-env`; it matches. */
  expected: Environment | undefined;
  /** Standard input and standard error are terminals. */
  attended: boolean;
  /** Set for the leg of a roll. */
  chainId?: string | undefined;
  /** In the dry run of a batch, and for the rows of a deals file. */
  simulation?: Simulation | undefined;
  /** For the rows of a deals file. */
  shared?: SharedFacts | undefined;
  /** Shows the preview, and asks unless `yes`. False: declined. */
  confirm(preview: Preview, options: { yes: boolean }): Promise<boolean>;
}

/** Read once for many opens; the simulation carries them forward. */
export interface SharedFacts {
  markets: readonly Market[];
  account: Account;
  positions: readonly Position[];
  /** The newest hedges of any status. */
  list: HedgeList;
  /** By deal ID of a row: one in use that looks like it. */
  similar: ReadonlyMap<string, string>;
  /** The service's time of the reading. */
  servedAt: Date;
  /** When it began, by this machine's clock. */
  readAtMs: number;
}

/** Readings as they would be after the lines of a batch so far. */
export interface Simulation {
  side(read: SidePosition, positions: readonly Position[]): SidePosition;
  account(read: Account): Account;
  state(read: JournalState): JournalState;
  /** The market with the capacity that those lines leave on the side. `account`: as it was read with the market. */
  market(read: Market, side: Side, account: Account): Market;
  /** Counts a planned line as executed. */
  execute(planned: { plan: Plan }, context: TradingContext): void;
}

/** A finding of a pre-trade check. `stop` ends the action before anything is sent (exit 10). */
export interface Finding {
  level: 'stop' | 'warn';
  code: OwnCode;
  /** One or two sentences. */
  message: string;
  /** Advice, with a command if there is one. */
  hint?: Hint | undefined;
  /** The option that ignores it, and what that risks, as a clause: `both may execute`. */
  override?: { option: CommandWords; risk: string } | undefined;
  /** For a size that is too large: the largest that fits, USD in whole cents; zero if none. */
  fits?: Big | undefined;
  /** Figures for scripts, under the service's names. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** A plan that passed the pre-trade checks. */
export interface Evaluation {
  plan: Plan;
  warnings: readonly Finding[];
  /** IDs of open hedges on the side that are not in the journal. */
  openedElsewhere: readonly string[];
}

/** The preview that the operator confirms. */
export interface Preview extends Evaluation {
  /** The change since the last confirmation, as a clause; undefined the first time. */
  changed: string | undefined;
  /** For a journaled action: sent before without a usable response, or never sent. */
  again?: 'sent' | 'never_sent' | undefined;
}
