/** Names of what an action is known by, short enough for a line of progress. Pure. */
import { unquoted } from '../domain/quoted.ts';
import type { Action } from '../journal/replay.ts';
/** `action 7c1e`, and the hedge where it is known: `action 7c1e, hedge hdg_01JD8K`. */
export const actionByName = ({ shortId, hedgeId }: Action): string =>
  hedgeId === undefined ? `action ${shortId}` : `action ${shortId}, hedge ${unquoted(hedgeId)}`;

/** What scripts know it by: among the details of an error. */
export const actionIds = ({ id, hedgeId, intent }: Action): Readonly<Record<string, unknown>> => ({
  action_id: id,
  idempotency_key: intent.idempotency_key,
  hedge_id: hedgeId ?? null,
});

/** A transaction hash, short enough to be compared by eye; whole in the document. */
export const hashInWords = (hash: string): string =>
  hash.length > LONGEST_HASH
    ? `${unquoted(hash.slice(0, HEAD))}...${unquoted(hash.slice(-TAIL))}`
    : unquoted(hash);

const LONGEST_HASH = 16;
const HEAD = 6;
const TAIL = 4;
