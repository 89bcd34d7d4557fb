/**
 * The API with this machine's caches: prices seen, and names for completion. Responses pass unchanged.
 */
import type { Big } from 'big.js';
import { aboutHedge, type NameMemory, namesIn } from '../cache/names.ts';
import { type PriceMemory, pricesIn } from '../cache/seen-prices.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { AcceptedChange, AcceptedOpen, Hedge } from '../client/schemas.ts';
import { decimalFrom, midOf } from '../client/unspecified-fields.ts';
import { exactDigits } from '../domain/exact-json.ts';
import { ownField } from '../domain/fields.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import type { Clock } from '../platform/clock.ts';
import type { CommandRuntime } from './runtime-context.ts';
/** `keep` writes the names; prices are written as they come. */
export function withCaches(
  { api, owner, whose }: { api: HedgeApi; owner: AccountIdentity; whose: { profile: string } },
  { places, machine }: Pick<CommandRuntime, 'places' | 'machine'>,
): { api: HedgeApi; prices: PriceMemory; keep: () => Promise<void> } {
  const { environment, base_url: baseUrl } = owner;
  const prices = pricesIn(places(), machine, `${environment} ${baseUrl}`);
  const identity = keyText(owner);
  const names = namesIn(places(), machine, { profile: whose.profile, identity, baseUrl });
  return {
    api: withNameCache(withPriceCache(api, prices, machine.clock), names),
    prices,
    keep: async () => names.keep(),
  };
}

/** Records the mid of every answer. */
function withPriceCache(api: HedgeApi, memory: PriceMemory, clock: Pick<Clock, 'now'>): HedgeApi {
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

/** Learns the names for completion from every answer; writes nothing before `keep`. */
function withNameCache(api: HedgeApi, memory: NameMemory): HedgeApi {
  const hedges = (list: readonly Hedge[]): void => {
    memory.learn(
      'hedges',
      list.map((hedge) => ({ name: hedge.id, about: aboutOf(hedge) })),
    );
    memory.learn('markets', named(list, 'market'));
    references(list);
  };
  const references = (list: readonly Readonly<Record<string, unknown>>[]): void =>
    memory.learn(
      'deals',
      named(list, 'client_reference').filter(({ name }) => !isDerivedReference(name)),
    );
  const accepted = ({ data }: ApiResponse<AcceptedOpen | AcceptedChange>): void =>
    memory.learn('hedges', named([data], 'hedge_id'));

  return {
    ...api,
    markets: async (options) => {
      const answer = await api.markets(options);
      memory.learnAll('markets', named(answer.data, 'market'));
      return answer;
    },
    price: async (market, options) => {
      const answer = await api.price(market, options);
      memory.learn('markets', [{ name: market }]);
      return answer;
    },
    quote: async (request, options) => {
      const answer = await api.quote(request, options);
      memory.learn('markets', [{ name: request.market }]);
      return answer;
    },
    open: async (request, key, options) => {
      const answer = await api.open(request, key, options);
      accepted(answer);
      references([{ client_reference: request.client_reference }]);
      return answer;
    },
    hedges: async (query, options) => {
      const answer = await api.hedges(query, options);
      hedges(answer.data);
      return answer;
    },
    hedge: async (id, options) => {
      const answer = await api.hedge(id, options);
      hedges([answer.data]);
      return answer;
    },
    history: async (options) => {
      const answer = await api.history(options);
      memory.learn('hedges', named(answer.data, 'id'));
      references(answer.data);
      return answer;
    },
    positions: async (options) => {
      const answer = await api.positions(options);
      memory.learn('markets', named(answer.data, 'market'));
      return answer;
    },
    act: async (action, key, options) => {
      const answer = await api.act(action, key, options);
      accepted(answer);
      return answer;
    },
  };
}

const named = (records: readonly Readonly<Record<string, unknown>>[], field: string) =>
  records.map((record) => ({ name: ownField(record, field) }));

const aboutOf = ({ side, market, notional_usd: notional, status }: Hedge): string => {
  const size = decimalFrom(notional);
  return aboutHedge({ side, market, status, notional: size === undefined ? undefined : exactDigits(size) });
};
