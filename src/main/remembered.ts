/** What this machine remembers of a book while it is asked: the mids that go by, and names for completion. */

import { namesIn } from '../cache/names.ts';
import { type PriceMemory, pricesIn } from '../cache/seen-prices.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import { learning } from './learning.ts';
import type { DeskParts } from './parts.ts';
import { remembering } from './remember-prices.ts';
export function remembered(
  { api, owner, whose }: { api: HedgeApi; owner: AccountIdentity; whose: { profile: string } },
  { places, machine }: Pick<DeskParts, 'places' | 'machine'>,
): { api: HedgeApi; prices: PriceMemory; keep: () => Promise<void> } {
  const { environment, base_url: baseUrl } = owner;
  const prices = pricesIn(places(), machine, `${environment} ${baseUrl}`);
  const identity = keyText(owner);
  const names = namesIn(places(), machine, { profile: whose.profile, identity, baseUrl });
  return {
    api: learning(remembering(api, prices, machine.clock), names),
    prices,
    keep: async () => names.keep(),
  };
}
