/** Actions and rolls that may still change the figures of the service. */
import { DamagedFileError, unless } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { type ChainClock, isDue, type RollChain } from '../journal/roll-chains.ts';
import type { ReadContext } from './read-context.ts';
import { rollsOf } from './read-journal.ts';

export interface PendingActions {
  /** The outcome is not known. */
  unresolved: number;
  inFlight: number;
  /** Leg 2 is the next thing to do. */
  rolls: readonly RollChain[];
}

/** Those of the account; none when nothing can be read. */
export function pendingOf(
  { journal, identity }: Pick<ReadContext, 'journal' | 'identity'>,
  clock: ChainClock,
): PendingActions {
  const current = unless(DamagedFileError, () => journal.read().current) ?? [];
  const own = current.filter(({ intent }) => sameIdentity(intent.identity, identity));
  return {
    unresolved: own.filter(isUnresolved).length,
    inFlight: own.filter(isAwaitingOutcome).length,
    rolls: rollsOf({ journal, identity }, clock)?.chains.filter(isDue) ?? [],
  };
}
