/** The API with the caches of this machine around it: recorded prices, and names for completion. */
import type { Big } from 'big.js';
import { describeHedge, NAME_KINDS, type NameCache, openNameCache } from '../cache/names.ts';
import { openPriceCache, type PriceCache } from '../cache/seen-prices.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import { observeNames } from '../client/http-api.ts';
import { decimalFrom, midOf } from '../client/unspecified-fields.ts';
import { exactDigits } from '../domain/exact-json.ts';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import type { Clock } from '../platform/clock.ts';
import type { CommandRuntime } from './runtime-context.ts';
/** `keep` writes the names; prices are written as they come. */
export function withCaches(
  { api, owner, whose }: { api: HedgeApi; owner: AccountIdentity; whose: { profile: string } },
  { places, machine }: Pick<CommandRuntime, 'places' | 'machine'>,
): { api: HedgeApi; prices: PriceCache; keep: () => Promise<void> } {
  const { environment, base_url: baseUrl } = owner;
  const prices = openPriceCache(places(), machine, `${environment} ${baseUrl}`);
  const identity = keyText(owner);
  const names = openNameCache(places(), machine, { profile: whose.profile, identity, baseUrl });
  return {
    api: withNameCache(withPriceCache(api, prices, machine.clock), names),
    prices,
    keep: async () => names.keep(),
  };
}

/** Records the mid of every answer. */
function withPriceCache(api: HedgeApi, memory: PriceCache, clock: Pick<Clock, 'now'>): HedgeApi {
  const see = (market: string, mid: Big | undefined, { servedAt }: ApiResponse<unknown>): void => {
    if (mid !== undefined) memory.see(market, { at: servedAt?.getTime() ?? clock.now(), mid });
  };
  return {
    ...api,
    async markets(options) {
      const answer = await api.markets(options);
      for (const { market, price } of answer.data) see(market, price, answer);
      return answer;
    },
    async price(market, options) {
      const answer = await api.price(market, options);
      see(market, midOf(answer.data, market), answer);
      return answer;
    },
    async quote(request, options) {
      const answer = await api.quote(request, options);
      see(answer.data.market, answer.data.pricing.market_price, answer);
      return answer;
    },
  };
}

/** Remembers the names that the endpoints declare, without the references that this program derived. `keep` writes them. */
const withNameCache = (api: HedgeApi, memory: NameCache): HedgeApi =>
  observeNames(api, ({ complete, request: asked, ...fields }, data, request) => {
    const records = (Array.isArray(data) ? data : [data]).filter(isFields);
    for (const kind of NAME_KINDS) {
      const { [kind]: field } = fields;
      if (kind === asked) memory.learn(kind, [{ name: request }]);
      if (field === undefined) continue;
      const found = records
        .map((record) => ({
          name: ownField(record, field),
          about: kind === 'hedges' ? aboutOf(record) : undefined,
        }))
        .filter(({ name }) => !isDerivedReference(name));
      if (complete === true) memory.learnAll(kind, found);
      else memory.learn(kind, found);
    }
  });

/** Only a whole hedge is described. */
function aboutOf(record: Fields): string {
  const [side, market, status] = ['side', 'market', 'status'].map((name) => ownField(record, name));
  const size = decimalFrom(ownField(record, 'notional_usd'));
  if (side === undefined || market === undefined || status === undefined || size === undefined) return '';
  return describeHedge({ side, market, status, notional: exactDigits(size) });
}
