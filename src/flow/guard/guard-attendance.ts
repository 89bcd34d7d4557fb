/**
 * Whether an action may go ahead with nobody to ask: what has to be said instead, and how it is said where the
 * action comes from. Judged before anything is read. Knows no terminal, only whether somebody is at one.
 */
import type { Environment } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import type { ResumeIntent } from '../../intent/after-intents.ts';

/** What is missing: a yes, the promise to be live, what makes the deal one, a word on its price. */
export type Missing = 'yes' | 'promise' | 'deal_id' | 'key' | 'price';

/** How each of these is said by whoever deals. */
export type Ways = Readonly<Record<Missing, string>>;

export interface Attendance {
  environment: Environment;
  /** The environment that was promised (`--expect-env`). */
  expected: Environment | undefined;
  attended: boolean;
}

export type HowToResend = Pick<ResumeIntent, 'yes' | 'resend' | 'dryRun'>;

export const ON_THE_LINE: Ways = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: '--deal-id ID',
  key: '--idempotency-key KEY',
  price: '--worst-price PRICE',
};

const IN_WORDS: Ways = {
  yes: '--yes',
  promise: '--expect-env live',
  deal_id: 'a deal id or an idempotency key',
  key: 'an idempotency key',
  price: '--worst-price, --max-cost-bps or --any-price',
};

export const inWords = (missing: readonly Missing[]): string =>
  `missing ${missing.map((each) => IN_WORDS[each]).join(', ')}`;

export const inWays = (missing: readonly Missing[], ways: Ways): string =>
  missing.map((each) => ways[each]).join(' ');

export const nobodyToAsk = ({ environment }: Attendance): string =>
  `Nobody is at a terminal to be asked${environment === 'live' ? ', and this is real money' : ''}`;

/** @throws UsageError naming everything that is missing. */
export function checkAttendance(intent: ActionIntent, desk: Attendance, ways: Ways = ON_THE_LINE): void {
  refuse(missingUnattended(intent, desk), desk, ways);
}

/** @throws UsageError for an action that is to be sent again. */
export function checkResending(how: HowToResend, desk: Attendance): void {
  refuse(missingToResend(how, desk), desk, ON_THE_LINE);
}

function refuse(missing: readonly Missing[], desk: Attendance, ways: Ways): void {
  if (missing.length === 0) return;
  throw new UsageError(
    `${nobodyToAsk(desk)}: ${inWords(missing)}.`,
    `Add to the line: ${inWays(missing, ways)}`,
  );
}

/**
 * At a terminal nothing has to be said: `--yes` is the operator's own word, live too. A dry run sends nothing
 * and needs none.
 */
export function missingUnattended(
  intent: ActionIntent,
  { environment, expected, attended }: Attendance,
): readonly Missing[] {
  if (attended || intent.options.dryRun) return [];
  const missing: Missing[] = intent.options.yes ? [] : ['yes'];
  if (environment !== 'live') return missing;
  if (expected !== 'live') missing.push('promise');
  if (intent.action === 'reduce' || intent.action === 'close') return missing;
  const dealId = intent.action === 'open' ? intent.dealId : undefined;
  if (dealId === undefined && intent.options.idempotencyKey === undefined)
    missing.push(intent.action === 'open' ? 'deal_id' : 'key');
  const { bounds, anyPrice } = intent;
  if (!anyPrice && bounds.worstPrice === undefined && bounds.maxCostBps === undefined) missing.push('price');
  return missing;
}

/** The same for an action of the journal, which has its deal id, its key and what was said of its price. */
export function missingToResend(
  { yes, resend, dryRun }: HowToResend,
  { environment, expected, attended }: Attendance,
): readonly Missing[] {
  if (attended || !resend || dryRun) return [];
  const missing: Missing[] = yes ? [] : ['yes'];
  if (environment === 'live' && expected !== 'live') missing.push('promise');
  return missing;
}
