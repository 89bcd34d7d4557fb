/** The flags that an action needs where nobody can be asked: checked before anything is read. */

import type { ResumeIntent } from '../../args/action-options.ts';
import { dealIdOf, type TypedIntent } from '../../domain/action-intent.ts';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import { hasBound } from '../../domain/price-bounds.ts';
import { hasLiveRules, PRACTICE_LIVE } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { TradingContext } from '../trading-context.ts';

/** The missing part: the confirmation, the environment, a key or deal ID, a price limit. */
export type MissingFlag = 'yes' | 'promise' | 'deal_id' | 'key' | 'price';

/** The flag for each, as the calling command spells it. */
export type FlagNames = Readonly<Record<MissingFlag, string>>;

export type UnattendedContext = Pick<TradingContext, 'environment' | 'profile' | 'expected' | 'attended'>;

export type ResendOptions = Pick<ResumeIntent, 'yes' | 'resend' | 'dryRun'>;

export const COMMAND_FLAGS: FlagNames = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: '--deal-id ID',
  key: '--idempotency-key KEY',
  price: '--worst-price PRICE',
};

/** `names` with the environment that is required. */
export const flagNamesFor = (
  { environment }: UnattendedContext,
  names: FlagNames = COMMAND_FLAGS,
): FlagNames => ({
  ...names,
  promise: `--expect-env ${environment}`,
});

const DESCRIPTIONS: FlagNames = {
  ...COMMAND_FLAGS,
  deal_id: 'a deal ID or an idempotency key',
  key: 'an idempotency key',
  price: 'a price limit or --any-price',
};

export const missingInWords = (missing: readonly MissingFlag[], names = DESCRIPTIONS): string =>
  `missing ${missing.map((each) => names[each]).join('; ')}`;

export const flagsInWords = (missing: readonly MissingFlag[], names: FlagNames): string =>
  missing.map((each) => names[each]).join(' ');

export function notATerminal(where: UnattendedContext): string {
  if (!hasLiveRules(where)) return 'Not a terminal';
  const why = where.environment === 'live' ? 'this is real money' : `${PRACTICE_LIVE} has the rules of live`;
  return `Not a terminal, and ${why}`;
}

/** @throws UsageError naming everything that is missing. */
export function checkUnattended(
  intent: TypedIntent,
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
  const flags = flagsInWords(missing, flagNamesFor(context, names));
  if (missing.every((each) => each === 'yes'))
    throw new UsageError(`${notATerminal(context)}.`, `Pass ${flags} to confirm.`);
  throw new UsageError(
    `${notATerminal(context)}: ${missingInWords(missing, flagNamesFor(context, DESCRIPTIONS))}.`,
    `Pass: ${flags}`,
  );
}

/** Empty at a terminal, where the operator confirms or passes `--yes`, and for a dry run. */
export function missingUnattended(intent: TypedIntent, context: UnattendedContext): readonly MissingFlag[] {
  if (context.attended || intent.options.dryRun) return [];
  const missing = missingOfAny(intent.options, context);
  if (!hasLiveRules(context) || !enlarges(intent)) return missing;
  if (dealIdOf(intent) === undefined && intent.options.idempotencyKey === undefined)
    missing.push(createsHedge(intent) ? 'deal_id' : 'key');
  if (!intent.anyPrice && !hasBound(intent.bounds)) missing.push('price');
  return missing;
}

/** A journaled action already has its key, its deal ID and its price limits. */
export function missingToResend(
  { yes, resend, dryRun }: ResendOptions,
  context: UnattendedContext,
): readonly MissingFlag[] {
  return context.attended || !resend || dryRun ? [] : missingOfAny({ yes }, context);
}

/** Needed for a first sending and for a resend. */
function missingOfAny({ yes }: { yes: boolean }, context: UnattendedContext): MissingFlag[] {
  const missing: MissingFlag[] = yes ? [] : ['yes'];
  if (hasLiveRules(context) && context.expected !== context.environment) missing.push('promise');
  return missing;
}
