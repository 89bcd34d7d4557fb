/**
 * Whether an action may go ahead with nobody to ask: what has to be said instead, and how it is said where the
 * action comes from. Judged before anything is read. Knows no terminal, only whether somebody is at one.
 */

import { type ActionIntent, dealIdOf } from '../../args/action-intent.ts';
import type { ResumeIntent } from '../../args/follow-up-options.ts';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import type { Environment } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
/** What is missing: a yes, the promise to be live, what makes the deal one, a word on its price. */
export type MissingFlag = 'yes' | 'promise' | 'deal_id' | 'key' | 'price';

/** How each of these is said by whoever deals. */
export type FlagNames = Readonly<Record<MissingFlag, string>>;

export interface UnattendedContext {
  environment: Environment;
  /** The environment that was promised (`--expect-env`). */
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

const IN_WORDS: FlagNames = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: 'a deal id or an idempotency key',
  key: 'an idempotency key',
  price: '--worst-price, --max-cost-bps or --any-price',
};

export const missingInWords = (missing: readonly MissingFlag[]): string =>
  `missing ${missing.map((each) => IN_WORDS[each]).join(', ')}`;

export const flagsInWords = (missing: readonly MissingFlag[], ways: FlagNames): string =>
  missing.map((each) => ways[each]).join(' ');

export const notATerminal = ({ environment }: UnattendedContext): string =>
  `Nobody is at a terminal to be asked${environment === 'live' ? ', and this is real money' : ''}`;

/** @throws UsageError naming everything that is missing. */
export function checkUnattended(
  intent: ActionIntent,
  desk: UnattendedContext,
  ways: FlagNames = COMMAND_FLAGS,
): void {
  refuse(missingUnattended(intent, desk), desk, ways);
}

/** @throws UsageError for an action that is to be sent again. */
export function checkResending(how: ResendOptions, desk: UnattendedContext): void {
  refuse(missingToResend(how, desk), desk, COMMAND_FLAGS);
}

function refuse(missing: readonly MissingFlag[], desk: UnattendedContext, ways: FlagNames): void {
  if (missing.length === 0) return;
  throw new UsageError(
    `${notATerminal(desk)}: ${missingInWords(missing)}.`,
    `Add to the line: ${flagsInWords(missing, ways)}`,
  );
}

/**
 * At a terminal nothing has to be said: `--yes` is the operator's own word, live too. A dry run sends nothing
 * and needs none.
 */
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

/** The same for an action of the journal, which has its deal id, its key and what was said of its price. */
export function missingToResend(
  { yes, resend, dryRun }: ResendOptions,
  { environment, expected, attended }: UnattendedContext,
): readonly MissingFlag[] {
  if (attended || !resend || dryRun) return [];
  const missing: MissingFlag[] = yes ? [] : ['yes'];
  if (environment === 'live' && expected !== 'live') missing.push('promise');
  return missing;
}
