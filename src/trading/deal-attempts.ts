/**
 * Idempotency keys, and the attempts under a deal ID. Every machine makes the same attempts in the same order, whatever
 * its journal knows: two machines that open one deal send one key, which executes once.
 */
import { createHash } from 'node:crypto';
import { dealIdOf, type TypedIntent } from '../domain/action-intent.ts';
import { say, shell } from '../domain/hint.ts';
import { unquoted } from '../domain/quoted.ts';
import { REFERENCE_DIGITS, REFERENCE_MARK } from '../domain/vocabulary.ts';
import { nothingSent } from '../errors.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import { actionInWords } from '../journal/describe.ts';
import { definiteRejection, findByDealId, findByKey, isKeyRejected, isKeyTaken } from '../journal/queries.ts';
import { type Action, wasNeverSent } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import type { Random } from '../platform/random.ts';
import { isOfAnotherKey } from './account-keys.ts';
import { isSameRequest } from './action-parts.ts';
import { isKeyValid, keepsItsKey } from './idempotency-window.ts';
import type { ActionReport } from './report.ts';
import type { TradingContext } from './trading-context.ts';

const KEY_BYTES = 16;
const DERIVED_DIGITS = 32;

export const createKey = (random: Random): string =>
  `hedge-${Buffer.from(random.bytes(KEY_BYTES)).toString('hex')}`;

/** The same on every machine, whatever its API key and host name. `attempt` counts from 1. */
export const dealKey = (identity: AccountIdentity, deal: { id: string; attempt: number }): string => {
  const { environment, account, base_url: address } = identity;
  const owner = environment === 'practice' ? [environment, address] : [environment, account ?? ''];
  return `hedge-deal-${digits([...owner, deal.id, deal.attempt.toString()], DERIVED_DIGITS)}`;
};

/** `client_reference` of an open without a deal ID: derived from the key, so that the body never changes. */
export const referenceOf = (key: string): string => `${REFERENCE_MARK}${digits([key], REFERENCE_DIGITS)}`;

const digits = (parts: readonly string[], count: number): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, count);

/** A service that keeps no rejections may reject every attempt: more of them in one command prove no more. */
export const MOST_ATTEMPTS = 10;

/** Attempts that the journal had before the command made its first. */
export interface EarlierAttempts {
  /** By idempotency key: the code of its last definite rejection. */
  rejections: ReadonlyMap<string, string>;
  /** Hedges whose order failed. */
  failed: ReadonlySet<string>;
  /** Keys of these orders that the service still remembers: no other request has been sent under them. */
  failedKeys: ReadonlySet<string>;
}

export function earlierAttempts(
  intent: TypedIntent,
  { journal, identity, clock }: TradingContext,
): EarlierAttempts {
  const dealId = dealIdOf(intent);
  const actions =
    dealId === undefined ? [] : findByDealId(journal.read().find({ dealIds: [dealId] }), identity, dealId);
  const failed = actions.filter(({ state, hedgeId }) => state === 'failed' && hedgeId !== undefined);
  return {
    rejections: new Map(
      actions.flatMap((action) => {
        const code = definiteRejection(action);
        return code === undefined ? [] : [[action.intent.idempotency_key, code] as const];
      }),
    ),
    failed: new Set(failed.flatMap(({ hedgeId }) => hedgeId ?? [])),
    failedKeys: new Set(
      failed
        .filter((each) => isKeyValid(each, clock.now()))
        .map(({ intent: { idempotency_key: key } }) => key),
    ),
  };
}

/** The action recorded under the key of an attempt for the same request: its bytes are sent again. */
export function recordedAttempt(
  intent: TypedIntent,
  key: string,
  { state, identity }: { state: Pick<JournalState, 'find'>; identity: AccountIdentity },
): Action | undefined {
  const dealId = dealIdOf(intent);
  if (dealId === undefined) return undefined;
  return findByDealId(state.find({ dealIds: [dealId] }), identity, dealId).findLast(
    (action) =>
      action.intent.idempotency_key === key &&
      !isKeyTaken(action) &&
      !wasNeverSent(action) &&
      isSameRequest(intent, action),
  );
}

/**
 * Why the next attempt is due, as a clause; undefined if this one ends the command. The service repeats a rejection of an
 * earlier command, or shows a hedge whose order failed before: nothing is open under the key, and nothing can be.
 */
export function nextAttemptDue(
  { entry, outcome, plan }: ActionReport,
  { earlier, retries }: { earlier: EarlierAttempts; retries: boolean },
): string | undefined {
  if (entry?.intent.key_origin !== 'deal_id') return undefined;
  const code = outcome === 'refused' ? definiteRejection(entry) : undefined;
  if (code !== undefined && earlier.rejections.get(entry.intent.idempotency_key) === code)
    return `rejected as before (${unquoted(code)})`;
  // Its size in naira is another one at the rate of now, and the service remembers the one that failed.
  if (
    retries &&
    outcome === 'refused' &&
    isKeyTaken(entry) &&
    earlier.failedKeys.has(entry.intent.idempotency_key)
  )
    return 'its order failed before, with another size';
  const { hedgeId } = entry;
  const failed = outcome === 'failed' && hedgeId !== undefined && retries;
  return failed && hadFailed(hedgeId, { earlier, plan })
    ? `hedge ${unquoted(hedgeId)} failed before, and nothing of it is open`
    : undefined;
}

/** Known before it was sent: an order that fails now is not sent again by the same command. */
export const hadFailed = (
  hedgeId: string,
  { earlier, plan }: { earlier: EarlierAttempts; plan: ActionReport['plan'] },
): boolean =>
  earlier.failed.has(hedgeId) ||
  plan?.facts.underDealId?.some(({ id, status }) => id === hedgeId && status === 'failed') === true;

/**
 * The earlier action with the operator's key; undefined also if it was not executed and its key can be reused. One that never
 * reached the service is decided again: its size and the side before it are those of then.
 * @throws StoppedError when it was another request.
 */
export function earlierUnderKey(
  intent: TypedIntent,
  { journal, identity, clock }: TradingContext,
): Action | undefined {
  const key = intent.options.idempotencyKey;
  if (key === undefined) return undefined;
  const earlier = findByKey(journal.read().find({ keys: [key] }), identity, key);
  if (earlier === undefined || isFree(earlier, identity)) return undefined;
  if (isSameRequest(intent, earlier))
    return wasNeverSent(earlier) || keepsItsKey(earlier, clock.now()) ? undefined : earlier;
  throw nothingSent({
    code: 'idempotency_key_reuse',
    what: `This idempotency key belongs to another request: ${actionInWords(earlier)}, action ${earlier.shortId}.`,
    hint: say`To see it: ${shell`hedge journal ${earlier.shortId}`}. A new request needs a new key.`,
    details: { action_id: earlier.id },
  });
}

/** The service keeps no record of it: it rejected the API key, or nothing was done under a key of a possibly other account. */
const isFree = (earlier: Action, identity: TradingContext['identity']): boolean =>
  isKeyRejected(earlier) ||
  (isOfAnotherKey(earlier, { identity }) && (wasNeverSent(earlier) || earlier.state === 'refused'));
