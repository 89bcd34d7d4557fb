/**
 * Whether an action may go ahead with nobody to ask: what has to be on the command line instead. Judged before
 * anything is read. Knows no terminal, only whether somebody is at one.
 */
import type { Environment } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { ActionIntent } from '../intent/action-intent.ts';

interface Missing {
  /** What is missing, as part of a sentence. */
  says: string;
  /** What the line is to have. */
  add: string;
}

/**
 * At a terminal nothing has to be said: `--yes` is the operator's own word, live too. A dry run sends nothing
 * and needs none. @throws UsageError naming everything that is missing.
 */
export function checkAttendance(
  intent: ActionIntent,
  desk: { environment: Environment; expected: Environment | undefined; attended: boolean },
): void {
  if (desk.attended || intent.options.dryRun) return;
  const missing = missingFrom(intent, desk);
  if (missing.length === 0) return;
  const live = desk.environment === 'live';
  throw new UsageError(
    `Nobody is at a terminal to be asked${live ? ', and this is real money' : ''}: missing ${missing.map(({ says }) => says).join(', ')}.`,
    `Add to the line: ${missing.map(({ add }) => add).join(' ')}`,
  );
}

function missingFrom(
  intent: ActionIntent,
  { environment, expected }: { environment: Environment; expected: Environment | undefined },
): readonly Missing[] {
  const missing: Missing[] = [];
  if (!intent.options.yes) missing.push({ says: '--yes', add: '--yes' });
  if (environment !== 'live') return missing;
  if (expected !== 'live') missing.push({ says: '--expect-env live', add: '--expect-env live' });
  if (intent.action === 'reduce' || intent.action === 'close') return missing;
  const dealId = intent.action === 'open' ? intent.dealId : undefined;
  if (dealId === undefined && intent.options.idempotencyKey === undefined) {
    missing.push(
      intent.action === 'open'
        ? { says: 'a deal id or an idempotency key', add: '--deal-id ID' }
        : { says: 'an idempotency key', add: '--idempotency-key KEY' },
    );
  }
  const { bounds, anyPrice } = intent;
  if (!anyPrice && bounds.worstPrice === undefined && bounds.maxCostBps === undefined) {
    missing.push({
      says: '--worst-price, --max-cost-bps or --any-price',
      add: '--worst-price PRICE',
    });
  }
  return missing;
}
