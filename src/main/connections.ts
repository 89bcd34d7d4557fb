/**
 * Connects to a service with this machine's CA certificates, TLS sessions, rate-limit state, and caches of prices,
 * names and early closes.
 */
import { existsSync } from 'node:fs';
import type { Big } from 'big.js';
import { type EarlyCloses, openEarlyCloses } from '../cache/early-closes.ts';
import { describeHedge, NAME_KINDS, type NameCache, openNameCache } from '../cache/names.ts';
import { openRateLimitState } from '../cache/rate-limit-state.ts';
import { openPriceCache, type PriceCache } from '../cache/seen-prices.ts';
import { type ConnectionOptions, connect } from '../client/connect.ts';
import type { EndpointNames } from '../client/endpoints.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import { decimalFrom, midOf } from '../client/json.ts';
import type { Hedge } from '../client/schemas.ts';
import type { AgentAccess } from '../client/transport/transport.ts';
import { addedCertificates } from '../config/ca-file.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { exactDigits } from '../domain/exact-json.ts';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { MAX_CLOCK_SKEW_MS } from '../domain/instants.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
import { nothingSent } from '../errors.ts';
import { type AccountIdentity, keyText } from '../journal/account-identity.ts';
import type { Clock } from '../platform/clock.ts';
import { agentFolderOf } from '../platform/paths.ts';
import { tlsSessionStore } from '../startup/tls-session-store.ts';
import type { Progress } from '../terminal/progress.ts';
import type { CommandRuntime } from './runtime-context.ts';

type Trusting = Pick<ConnectionOptions, 'ca' | 'roots' | 'sessions' | 'agent'>;

export interface ConnectionTarget {
  baseUrl: string;
  key: ApiKey;
  /** The account. */
  owner: AccountIdentity;
  trust: Trusting;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(parts: CommandRuntime, progress: Pick<Progress, 'start'>) {
  const { terminal, signals, machine, settings, globals } = parts;
  const { clock, random } = machine;
  const closers: (() => Promise<void>)[] = [];
  const open = (
    { owner, trust, ...target }: ConnectionTarget,
    onNames?: ConnectionOptions['onNames'],
  ): HedgeApi => {
    progress.start('Contacting the service');
    const connection = connect({
      ...target,
      clock,
      random,
      signal: signals.signal,
      userAgent: `hedge/${parts.version}`,
      proxy: settings.proxy,
      pooled: parts.pooled,
      rateLimit: openRateLimitState(parts.places(), machine, keyText(owner)),
      onNames,
      ...trust,
      ...(globals.verbose ? { trace: (line: string) => terminal.writeNote(line) } : {}),
    });
    closers.push(() => connection.close());
    return parts.sendsNoAction === true ? withoutActions(connection.api) : connection.api;
  };
  return {
    /** Connects with the first request. */
    connectTo: (target: ConnectionTarget) => open(target),
    /** The same, with the caches of `profile`. */
    connectCached: (target: ConnectionTarget, profile: string) => {
      const { environment, base_url: baseUrl } = target.owner;
      const prices = openPriceCache(parts.places(), machine, `${environment} ${baseUrl}`);
      const identity = keyText(target.owner);
      const names = openNameCache(parts.places(), machine, { profile, identity, baseUrl });
      const api = open(target, (declared, data, request) => learnNames(names, declared, { data, request }));
      closers.push(async () => names.keep());
      const earlyCloses = openEarlyCloses(parts.places(), machine, identity);
      return {
        api: withEarlyCloses(withPriceCache(api, prices, clock), earlyCloses),
        prices,
        earlyCloses,
      };
    },
    /** Node's CA certificates, those of the operator, and the TLS sessions verified by them. */
    trusting: (profileFile: string | undefined): Trusting => ({
      ca: addedCertificates(
        {
          profile: profileFile,
          hedge: settings.caFile,
          node: settings.extraCaCerts,
          system: settings.systemCa,
        },
        machine.host,
      ),
      roots: true,
      sessions: settings.keepsTlsSessions
        ? tlsSessionStore(parts.places(), machine, `${parts.runtime.node} ${parts.runtime.openssl}`)
        : undefined,
      agent: settings.usesAgent ? agentAccess(parts) : undefined,
    }),
    /** Also writes the names; prices are written as they come. */
    closeAll: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

const refused = (): Promise<never> =>
  Promise.reject(nothingSent({ code: 'read_only', what: 'A tool sends no action.' }));

/** A last gate, behind those of the tools. */
function withoutActions(api: HedgeApi): HedgeApi {
  return {
    ...api,
    open: refused,
    add: refused,
    reduce: refused,
    close: refused,
    act: refused,
    raw: async (request, options) => (request.method === 'GET' ? api.raw(request, options) : refused()),
  };
}

/** Undefined where no agent was ever started, or another user could replace the folder. */
function agentAccess({
  places,
  machine: { host },
  version,
  runtime,
}: Pick<CommandRuntime, 'places' | 'machine' | 'version' | 'runtime'>): AgentAccess | undefined {
  try {
    const folder = agentFolderOf(places(), host);
    return existsSync(folder) ? { folder, build: agentBuild({ version, runtime }), host } : undefined;
  } catch {
    return undefined;
  }
}

/** An agent of another build is not used. */
export const agentBuild = ({ version, runtime }: Pick<CommandRuntime, 'version' | 'runtime'>): string =>
  `${version} ${runtime.commit ?? ''} ${runtime.node} ${runtime.openssl}`;

/** Records each hedge that a response shows closed before its maturity, by the service's time alone. */
function withEarlyCloses(api: HedgeApi, early: EarlyCloses): HedgeApi {
  const see = (hedges: readonly Hedge[], { servedAt }: ApiResponse<unknown>): void => {
    if (servedAt === undefined) return;
    const now = servedAt.getTime() + MAX_CLOCK_SKEW_MS;
    for (const { id, status, maturity_at: matures } of hedges)
      if (status === 'closed' && Date.parse(matures ?? '') > now) early.see(id);
  };
  return {
    ...api,
    async hedges(query, options) {
      const response = await api.hedges(query, options);
      see(response.data, response);
      return response;
    },
    async hedge(id, options) {
      const response = await api.hedge(id, options);
      see([response.data], response);
      return response;
    },
  };
}

/** Records the mid of every response. */
function withPriceCache(api: HedgeApi, prices: PriceCache, clock: Pick<Clock, 'now'>): HedgeApi {
  const see = (market: string, mid: Big | undefined, { servedAt }: ApiResponse<unknown>): void => {
    if (mid !== undefined) prices.see(market, { at: servedAt?.getTime() ?? clock.now(), mid });
  };
  return {
    ...api,
    async markets(options) {
      const response = await api.markets(options);
      for (const { market, price } of response.data) see(market, price, response);
      return response;
    },
    async price(market, options) {
      const response = await api.price(market, options);
      see(market, midOf(response.data, market), response);
      return response;
    },
    async quote(request, options) {
      const response = await api.quote(request, options);
      see(response.data.market, response.data.pricing.market_price, response);
      return response;
    },
  };
}

/** Remembers the names that the endpoint declares, without the references that this program derived. */
function learnNames(
  names: NameCache,
  { complete, request: requested, ...fields }: EndpointNames,
  { data, request }: { data: unknown; request: unknown },
): void {
  const records = (Array.isArray(data) ? data : [data]).filter(isFields);
  for (const kind of NAME_KINDS) {
    const { [kind]: field } = fields;
    if (kind === requested) names.learn(kind, [{ name: request }]);
    if (field === undefined) continue;
    const found = records
      .map((record) => ({
        name: ownField(record, field),
        about: kind === 'hedges' ? aboutOf(record) : undefined,
      }))
      .filter(({ name }) => !isDerivedReference(name));
    if (complete === true) names.learnAll(kind, found);
    else names.learn(kind, found);
  }
}

/** Only a whole hedge is described. */
function aboutOf(record: Fields): string {
  const [side, market, status] = ['side', 'market', 'status'].map((name) => ownField(record, name));
  const size = decimalFrom(ownField(record, 'notional_usd'));
  if (side === undefined || market === undefined || status === undefined || size === undefined) return '';
  return describeHedge({ side, market, status, notional: exactDigits(size) });
}
