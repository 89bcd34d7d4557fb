/** The snapshots of an account. */
import { type AccountIdentity, isConfirmed } from './account-identity.ts';
import type { ChainedSnapshot, JournalState } from './state.ts';

/**
 * Newest first, back to the first one before a time of the service (milliseconds since the epoch), which is the last;
 * undefined: all. Read as far as they are taken.
 */
export function* snapshotsOf(
  state: Pick<JournalState, 'snapshots'>,
  identity: AccountIdentity,
  fromMs?: number,
): Generator<ChainedSnapshot> {
  for (const snapshot of state.snapshots()) {
    if (!isConfirmed(snapshot.record.identity, identity)) continue;
    yield snapshot;
    if (fromMs !== undefined && Date.parse(snapshot.record.service_at) < fromMs) return;
  }
}
