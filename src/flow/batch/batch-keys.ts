/**
 * Idempotency keys for the actions of a batch: each follows from what it asks of the service and how often the
 * batch has asked the same before, so that running the batch again deals what is missing and nothing twice,
 * whatever other lines were mended, moved, added or left out in between. Pure.
 */
import { createHash } from 'node:crypto';
import type { ActionIntent } from '../../intent/action-intent.ts';
import { askedOf } from '../deal/entry.ts';

const DIGITS = 32;

/**
 * One key an action, in order. How an action is dealt (price bounds, waiting, `--yes`, a key of its own) takes
 * no part: changing that must not deal anything a second time. `name` does.
 */
export function batchKeys(actions: readonly ActionIntent[], name: string | undefined): readonly string[] {
  const asked = new Map<string, number>();
  return actions.map((intent) => {
    const request = requestText(intent);
    const place = (asked.get(request) ?? 0) + 1;
    asked.set(request, place);
    const content = JSON.stringify(['batch', name ?? null, request, place]);
    return `hedge-batch-${createHash('sha256').update(content).digest('hex').slice(0, DIGITS)}`;
  });
}

/** Equal for actions that ask the service for the same. */
export const requestText = (intent: ActionIntent): string => JSON.stringify(requestOf(intent));

/** What the service is asked to do, however it was written: `10k` is `10,000`. */
function requestOf(intent: ActionIntent): readonly (string | number | null)[] {
  const { action, market, side } = intent;
  const common = [action, market, side];
  switch (intent.action) {
    case 'open':
      return [...common, intent.notional.toFixed(), intent.tenor, intent.dealId ?? null];
    case 'add':
      return [...common, intent.notional.toFixed()];
    case 'reduce':
      return [...common, sizeOf(intent)];
    case 'close':
      return common;
    default:
      return intent satisfies never;
  }
}

const sizeOf = (intent: Extract<ActionIntent, { action: 'reduce' }>): string =>
  intent.reduction.by === 'notional' ? intent.reduction.notional.toFixed() : (askedOf(intent) ?? '');
