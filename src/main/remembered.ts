/** What this machine remembers of a book while it is asked: the mids that go by, and names for completion. */
import type { HedgeApi } from '../client/hedge-api.ts';
import { type Identity, keyText } from '../journal/identity.ts';
import { namesIn } from '../memory/names.ts';
import { type PriceMemory, pricesIn } from '../memory/prices.ts';
import { learning } from './learning.ts';
import type { DeskParts } from './parts.ts';
import { remembering } from './remember-prices.ts';

export function remembered(
  { api, owner, whose }: { api: HedgeApi; owner: Identity; whose: { profile: string } },
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
