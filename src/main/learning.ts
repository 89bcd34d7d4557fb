/**
 * The API with a memory for names beside it: whatever a command reads, completion knows afterwards. The one
 * place where names are learned; no answer is changed, and nothing is written before the memory's `keep`.
 */

import { aboutHedge, type NameMemory } from '../cache/names.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { AcceptedChange, AcceptedOpen, Hedge } from '../client/schemas.ts';
import { decimalFrom } from '../client/unspecified-fields.ts';
import { exactDigits } from '../domain/exact-json.ts';
import { ownField } from '../domain/fields.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
export function learning(api: HedgeApi, memory: NameMemory): HedgeApi {
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
