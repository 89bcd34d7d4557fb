/** The endpoints that read: markets, prices, quotes, hedges, history, positions, account. */
import { availableExposure, grossExposure, positionsAt, readAccounts } from '../book/accounts.ts';
import { executionPrice, priceImpact } from '../book/economics.ts';
import { hedgeById, hedgeFromRow, type StoredHedge } from '../book/stored-records.ts';
import { isoTime, midAt, type TransactionContext } from '../book/transaction-context.ts';
import { definedFields, type PracticeSide, TENOR_DAY_MS } from '../domain/practice-types.ts';
import { type Fraction, greater, lesser, type Micro, share, sumOf } from '../domain/scaled-decimals.ts';
import {
  ApiError,
  type EndpointReply,
  type Json,
  moneyNumber,
  percentNumber,
  rateNumber,
} from '../schemas/api-error.ts';
import {
  DEFAULT_HEDGES,
  type HedgeListQuery,
  MAX_PAGE_SIZE,
  type PageQuery,
  type TenorOrder,
} from '../schemas/request-schemas.ts';
import { serializeHedge, serializeHistory, serializePosition } from '../schemas/response-schemas.ts';
import type { MarketConditions } from '../settings.ts';
import type { Bind } from '../store/database.ts';

const SOURCE = 'onchain';

export function getMarkets(context: TransactionContext): EndpointReply {
  const open = enabledMarkets(context);
  return {
    data: open.map((market) => serializeMarket(context, market)),
    meta: { source: SOURCE, allowed_markets: open.map((market) => market.market) },
  };
}

function serializeMarket(context: TransactionContext, market: MarketConditions): Json {
  return {
    market: market.market,
    status: context.faults.disabled_markets.includes(market.market) ? 'disabled' : 'open',
    price: rateNumber(midAt(context, market.market, context.now)),
    available_capacity_usd: {
      buy: moneyNumber(capacityOf(context, market, 'buy')),
      sell: moneyNumber(capacityOf(context, market, 'sell')),
    },
    net_rate_daily_pct: {
      buy: percentNumber(market.carryDaily.buy),
      sell: percentNumber(market.carryDaily.sell),
    },
  };
}

/** The size that can be opened on the side now, if the free balance covers it: no more than headroom and exposure cap leave. */
function capacityOf(context: TransactionContext, of: MarketConditions, side: PracticeSide): Micro {
  return lesser(headroomLeft(context, of, side), availableExposure(context));
}

/** Never negative, even if the headroom was lowered below the open exposure. */
export function headroomLeft(
  { db, environment }: TransactionContext,
  { market, headroom }: MarketConditions,
  side: PracticeSide,
): Micro {
  return greater(0n, headroom - grossExposure(db, environment, { market, side }));
}

/** ASSUMED: a list of market and price; several symbols with commas, all markets of the account by default. */
export function getPrices(context: TransactionContext, symbols: string | undefined): EndpointReply {
  const names =
    symbols === undefined ? enabledMarkets(context).map((market) => market.market) : symbols.split(',');
  return {
    data: [...new Set(names)].map((name) => {
      requireMarket(context, name);
      return { market: name, price: rateNumber(midAt(context, name, context.now)) };
    }),
    meta: { source: SOURCE },
  };
}

export function getQuote(context: TransactionContext, asked: TenorOrder): EndpointReply {
  const market = requireOpenMarket(context, asked.market);
  if (asked.notional > market.headroom) throw capacityExceeded(asked.notional, market.headroom);
  const mid = midAt(context, market.market, context.now);
  const execution = executionPrice(mid, asked.side, asked.notional, context.terms.impact);
  const daily = market.carryDaily[asked.side];
  const days = BigInt(asked.tenor_days);
  const { margin, fee } = upfrontCosts(context.terms, asked.notional);
  return {
    data: {
      market: asked.market,
      side: asked.side,
      notional_usd: moneyNumber(asked.notional),
      tenor_days: asked.tenor_days,
      maturity: isoTime(context.now + asked.tenor_days * TENOR_DAY_MS),
      pricing: {
        market_price: rateNumber(mid),
        execution_price: rateNumber(execution),
        price_impact_usd: moneyNumber(priceImpact(asked.notional, execution, mid)),
      },
      carry: {
        daily_usdc: moneyNumber(share(asked.notional, daily)),
        daily_rate_pct: percentNumber(daily),
        total_usdc: moneyNumber(share(asked.notional, daily * days)),
        total_rate_pct: percentNumber(daily * days),
      },
      upfront: {
        required_margin_usdc: moneyNumber(margin),
        platform_fee_usdc: moneyNumber(fee),
        total_upfront_usdc: moneyNumber(margin + fee),
      },
    },
    meta: { source: SOURCE },
  };
}

function enabledMarkets(context: TransactionContext): MarketConditions[] {
  return [...context.terms.markets.values()].filter((market) => market.enabled);
}

/** Margin and platform fee of new notional. */
export function upfrontCosts(rates: UpfrontRates, notional: Micro): { margin: Micro; fee: Micro } {
  return { margin: share(notional, rates.margin), fee: share(notional, rates.platformFee) };
}

export interface UpfrontRates {
  margin: Fraction;
  platformFee: Fraction;
}

/** A market of the account, disabled or not. */
export function requireMarket(context: TransactionContext, name: string): MarketConditions {
  const market = context.terms.markets.get(name);
  if (market?.enabled === true) return market;
  const allowed = enabledMarkets(context).map((each) => each.market);
  throw new ApiError('market_not_found', 'The account has no such market.', {
    details: { field: 'market', allowed_markets: allowed },
  });
}

/** A market that takes new notional now. */
export function requireOpenMarket(context: TransactionContext, name: string): MarketConditions {
  const market = requireMarket(context, name);
  if (!context.faults.disabled_markets.includes(name)) return market;
  throw new ApiError('market_disabled', `${name} is disabled: no opens and adds now.`, {
    details: { market: name },
  });
}

export function capacityExceeded(asked: Micro, headroom: Micro): ApiError {
  return new ApiError('capacity_exceeded', 'This exceeds the capacity of the market on this side.', {
    details: {
      field: 'notional_usd',
      requested_usd: moneyNumber(asked),
      headroom_usd: moneyNumber(headroom),
    },
  });
}

export function getHedge(context: TransactionContext, id: string): EndpointReply {
  return { data: serializeHedge(requireHedge(context, id)) };
}

/** Newest first. */
export function getHedges(context: TransactionContext, filter: HedgeListQuery): EndpointReply {
  const conditions = ['environment = ?'];
  const binds: Bind[] = [context.environment];
  const where = (condition: string, bind: Bind) => {
    conditions.push(condition);
    binds.push(bind);
  };
  if (filter.status !== undefined) where('status = ?', filter.status);
  if (filter.client_reference !== undefined) where('client_reference = ?', filter.client_reference);
  if (filter.before !== undefined) where('seq < ?', requireHedge(context, filter.before).seq);
  const sql = `SELECT * FROM hedge_records WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
  return hedgePage(context, sql, binds, {
    limit: DEFAULT_HEDGES,
    ...definedFields(filter),
    shape: serializeHedge,
  });
}

/** Newest close first. ASSUMED: the newest 500 if no `limit` is given. */
export function getHistory(context: TransactionContext, asked: PageQuery): EndpointReply {
  const after = asked.before === undefined ? undefined : requireHedge(context, asked.before);
  const sql = `SELECT * FROM hedge_records WHERE environment = ? AND status = 'closed'
    ${after === undefined ? '' : 'AND (closed_at, seq) < (?, ?)'} ORDER BY closed_at DESC, seq DESC LIMIT ?`;
  const binds: Bind[] = [context.environment];
  if (after !== undefined) binds.push(after.closed_at ?? context.now, after.seq);
  return hedgePage(context, sql, binds, {
    limit: MAX_PAGE_SIZE,
    ...definedFields(asked),
    shape: serializeHistory,
  });
}

export function getPositions(context: TransactionContext): EndpointReply {
  return { data: positionsAt(context, context.environment, context.now).map(serializePosition) };
}

export function getAccount(context: TransactionContext): EndpointReply {
  const accounts = readAccounts(context.db, context.environment);
  const positions = positionsAt(context, context.environment, context.now);
  return {
    data: {
      balance_usdc: moneyNumber(accounts.balance),
      available_exposure_usd: moneyNumber(availableExposure(context)),
      margin_in_use_usdc: moneyNumber(accounts.margin),
      reserved_usdc: moneyNumber(accounts.reserved),
      open_exposure_usd: moneyNumber(grossExposure(context.db, context.environment)),
      unrealized_pnl_usd: moneyNumber(sumOf(positions.map((position) => position.net))),
      open_positions: positions.length,
    },
  };
}

/** Reads one row more than the limit, to know whether there is another page. */
function hedgePage(
  context: TransactionContext,
  sql: string,
  binds: Bind[],
  { limit, shape }: { limit: number; shape: (hedge: StoredHedge) => EndpointReply['data'] },
): EndpointReply {
  const hedges = context.db.all(sql, ...binds, limit + 1).map(hedgeFromRow);
  const shown = hedges.slice(0, limit);
  return {
    data: shown.map(shape),
    meta: { count: shown.length, limit, has_more: hedges.length > limit },
  };
}

function requireHedge(context: TransactionContext, id: string): StoredHedge {
  const hedge = hedgeById(context.db, context.environment, id);
  if (hedge !== undefined) return hedge;
  throw new ApiError('hedge_not_found', 'No hedge has this ID.');
}
