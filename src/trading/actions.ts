/** Short names and IDs of an action. Pure. */
import { unquoted } from '../domain/quoted.ts';
import type { Action } from '../journal/replay.ts';
/** `action 7c1e`, or `action 7c1e, hedge hdg_01JD8K`. */
export const actionByName = ({ shortId, hedgeId }: Action): string =>
  hedgeId === undefined ? `action ${shortId}` : `action ${shortId}, hedge ${unquoted(hedgeId)}`;

/** The IDs of an action in `error.details`. */
export const actionIds = ({ id, hedgeId, intent }: Action): Readonly<Record<string, unknown>> => ({
  action_id: id,
  idempotency_key: intent.idempotency_key,
  hedge_id: hedgeId ?? null,
});

/** A transaction hash, shortened for the screen. */
export const hashInWords = (hash: string): string =>
  hash.length > LONGEST_HASH
    ? `${unquoted(hash.slice(0, HEAD))}...${unquoted(hash.slice(-TAIL))}`
    : unquoted(hash);

const LONGEST_HASH = 16;
const HEAD = 6;
const TAIL = 4;
