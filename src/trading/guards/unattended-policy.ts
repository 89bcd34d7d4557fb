/** The flags that an action needs where nobody can be asked: checked before anything is read. */

import { type ActionIntent, dealIdOf } from '../../args/action-intent.ts';
import type { ResumeIntent } from '../../args/action-options.ts';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import type { Environment } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
/** The missing part: the confirmation, the environment, a key or deal ID, a price limit. */
export type MissingFlag = 'yes' | 'promise' | 'deal_id' | 'key' | 'price';

/** The flag for each, as the calling command spells it. */
export type FlagNames = Readonly<Record<MissingFlag, string>>;

export interface UnattendedContext {
  environment: Environment;
  /** From `--expect-env`. */
  expected: Environment | undefined;
  attended: boolean;
}

export type ResendOptions = Pick<ResumeIntent, 'yes' | 'resend' | 'dryRun'>;

export const COMMAND_FLAGS: FlagNames = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: '--deal-id ID',
  key: '--idempotency-key KEY',
  price: '--worst-price PRICE',
};

const DESCRIPTIONS: FlagNames = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: 'a deal ID or an idempotency key',
  key: 'an idempotency key',
  price: '--worst-price, --max-cost-bps or --any-price',
};

export const missingInWords = (missing: readonly MissingFlag[]): string =>
  `missing ${missing.map((each) => DESCRIPTIONS[each]).join(', ')}`;

export const flagsInWords = (missing: readonly MissingFlag[], names: FlagNames): string =>
  missing.map((each) => names[each]).join(' ');

export const notATerminal = ({ environment }: UnattendedContext): string =>
  environment === 'live' ? 'Not a terminal, and this is real money' : 'Not a terminal';

/** @throws UsageError naming everything that is missing. */
export function checkUnattended(
  intent: ActionIntent,
  context: UnattendedContext,
  names: FlagNames = COMMAND_FLAGS,
): void {
  refuse(missingUnattended(intent, context), context, names);
}

/** @throws UsageError naming what a resend is missing. */
export function checkResending(options: ResendOptions, context: UnattendedContext): void {
  refuse(missingToResend(options, context), context, COMMAND_FLAGS);
}

function refuse(missing: readonly MissingFlag[], context: UnattendedContext, names: FlagNames): void {
  if (missing.length === 0) return;
  const flags = flagsInWords(missing, names);
  if (missing.every((each) => each === 'yes'))
    throw new UsageError(`${notATerminal(context)}.`, `Pass ${flags} to confirm.`);
  throw new UsageError(`${notATerminal(context)}: ${missingInWords(missing)}.`, `Pass: ${flags}`);
}

/** Empty at a terminal, where the operator confirms or passes `--yes`, and for a dry run. */
export function missingUnattended(
  intent: ActionIntent,
  { environment, expected, attended }: UnattendedContext,
): readonly MissingFlag[] {
  if (attended || intent.options.dryRun) return [];
  const missing: MissingFlag[] = intent.options.yes ? [] : ['yes'];
  if (environment !== 'live') return missing;
  if (expected !== 'live') missing.push('promise');
  if (!enlarges(intent)) return missing;
  if (dealIdOf(intent) === undefined && intent.options.idempotencyKey === undefined)
    missing.push(createsHedge(intent) ? 'deal_id' : 'key');
  const { bounds, anyPrice } = intent;
  if (!anyPrice && bounds.worstPrice === undefined && bounds.maxCostBps === undefined) missing.push('price');
  return missing;
}

/** A journaled action already has its key, its deal ID and its price limits. */
export function missingToResend(
  { yes, resend, dryRun }: ResendOptions,
  { environment, expected, attended }: UnattendedContext,
): readonly MissingFlag[] {
  if (attended || !resend || dryRun) return [];
  const missing: MissingFlag[] = yes ? [] : ['yes'];
  if (environment === 'live' && expected !== 'live') missing.push('promise');
  return missing;
}
