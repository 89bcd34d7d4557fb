/** Found before a profile is changed or removed: all that no other profile reaches, rolls, and actions whose outcome is not known. */
import type { ProfileSettings } from '../../config/profiles.ts';
import type { AccountIdentity } from '../../journal/account-identity.ts';
import { stateInWords } from '../../journal/describe.ts';
import { rollInWords } from '../../journal/roll-chains.ts';
import { profileReaching } from '../../readings/known-keys.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';

type Profiles = ProfileSettings['profiles'];

const UNTIL = 'until a profile for its account is added (hedge profile add)';

/** A sentence for each one. */
export function leftBehind(
  { before, after }: { before: Profiles; after: Profiles },
  { rolls, unresolved, inFlight }: Pick<JournalSummary, 'rolls' | 'unresolved' | 'inFlight'>,
): readonly string[] {
  const isLost = (of: { identity: AccountIdentity; profile: string }): boolean =>
    profileReaching(of, { profiles: before }) !== undefined &&
    profileReaching(of, { profiles: after }) === undefined;
  return [
    ...rolls
      .filter(({ plan }) => isLost(plan))
      .map(
        (chain) =>
          `Roll ${chain.plan.chain_id} (${rollInWords(chain)}) has no other profile: no leg of it is sent ${UNTIL}. To give it up: hedge roll drop ${chain.plan.chain_id} --note TEXT`,
      ),
    ...[...unresolved, ...inFlight]
      .filter(({ intent }) => isLost(intent))
      .map(
        (action) =>
          `Action ${action.shortId} (${stateInWords(action)}) has no other profile: its outcome cannot be looked up ${UNTIL}.`,
      ),
  ];
}
