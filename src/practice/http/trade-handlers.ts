/** The four actions. Each checks everything before it writes: a rejected request changes nothing. */
import { availableExposure, postEntry, readAccounts } from '../book/accounts.ts';
import { sumsOfSide } from '../book/side-sums.ts';
import {
  insertHedge,
  insertOrder,
  newestFilled,
  type StoredOrder,
  termsToStamp,
} from '../book/stored-records.ts';
import { isoTime, type TransactionContext } from '../book/transaction-context.ts';
import { type MarketSide, type OrderKind, TENOR_DAY_MS } from '../domain/practice-types.ts';
import { newHash, newHedgeId } from '../domain/random-ids.ts';
import type { Micro } from '../domain/scaled-decimals.ts';
import { ApiError, type EndpointReply, type Json, moneyNumber } from '../schemas/api-error.ts';
import type { OpenOrder, OrderSize } from '../schemas/request-schemas.ts';
import {
  capacityExceeded,
  headroomLeft,
  requireMarket,
  requireOpenMarket,
  type UpfrontRates,
  upfrontCosts,
} from './read-handlers.ts';

export function openHedge(context: TransactionContext, request: OpenOrder): EndpointReply {
  const upfront = checkUpfront(context, request, context.terms);
  const { market, side, notional, tenor_days, client_reference: reference } = request;
  const id = newHedgeId(context.now, context.random);
  const order = draftOrder(context, { kind: 'open', market, side, notional, ...upfront, hedge_id: id });
  const maturityAt = context.now + tenor_days * TENOR_DAY_MS;
  insertHedge(context.db, {
    ...request,
    id,
    environment: context.environment,
    order_tx_hash: order.order_tx_hash,
    order_key: newHash(context.random),
    opened_at: context.now,
    maturity_at: maturityAt,
    ...termsToStamp(context.terms, request),
  });
  submitOrder(context, order);
  const data = {
    hedge_id: id,
    id,
    status: 'submitted',
    order_tx_hash: order.order_tx_hash,
    market,
    side,
    notional_usd: moneyNumber(notional),
    tenor_days,
    opened_at: isoTime(context.now),
    maturity_at: isoTime(maturityAt),
  };
  return { data: reference === null ? data : { ...data, client_reference: reference } };
}

/** Adds to the newest filled hedge of the side, chosen now, under the terms of that hedge. */
export function addToHedge(context: TransactionContext, request: OrderSize): EndpointReply {
  requireOpenMarket(context, request.market);
  const newest = newestFilled(context.db, context.environment, request);
  if (newest === undefined) throw noOpenHedge(request);
  const upfront = checkUpfront(context, request, {
    margin: newest.margin_rate,
    platformFee: newest.platform_fee,
  });
  return submitted(context, { kind: 'add', ...request, ...upfront, hedge_id: newest.id });
}

export function reduceHedges(context: TransactionContext, request: OrderSize): EndpointReply {
  const position = requirePosition(context, request);
  if (request.notional > position) {
    throw new ApiError('invalid_request', 'notional_usd: is more than the position on this side.', {
      details: {
        field: 'notional_usd',
        requested_usd: moneyNumber(request.notional),
        position_usd: moneyNumber(position),
      },
    });
  }
  return submitted(context, { kind: 'reduce', ...request, ...NOTHING_RESERVED });
}

export function closeHedges(context: TransactionContext, request: MarketSide): EndpointReply {
  requirePosition(context, request);
  return submitted(context, { kind: 'close', ...request, notional: 0n, ...NOTHING_RESERVED });
}

/**
 * Notional of the filled hedges of a side, also on a market that the account no longer has. Throws a 404 if there is none;
 * an open in flight does not count.
 */
function requirePosition(context: TransactionContext, on: MarketSide): Micro {
  const { notional } = sumsOfSide(context.db, context.environment, on);
  if (notional > 0n) return notional;
  requireMarket(context, on.market);
  throw noOpenHedge(on);
}

function noOpenHedge({ market, side }: MarketSide): ApiError {
  return new ApiError('no_open_hedge', `There is no open hedge on ${market} ${side}.`, {
    details: { market, side },
  });
}

/** Throws if new notional exceeds cap, headroom or balance. */
function checkUpfront(
  context: TransactionContext,
  request: OrderSize,
  rates: UpfrontRates,
): { margin: Micro; fee: Micro } {
  const market = requireOpenMarket(context, request.market);
  const available = availableExposure(context);
  if (request.notional > available) {
    throw new ApiError('exposure_exceeded', 'This would exceed the aggregate exposure cap.', {
      details: {
        field: 'notional_usd',
        requested_usd: moneyNumber(request.notional),
        available_exposure_usd: moneyNumber(available),
      },
    });
  }
  const headroom = headroomLeft(context, market, request.side);
  if (request.notional > headroom) throw capacityExceeded(request.notional, headroom);
  const { margin, fee } = upfrontCosts(rates, request.notional);
  const { balance } = readAccounts(context.db, context.environment);
  if (margin + fee > balance) {
    throw new ApiError('insufficient_balance', 'The free balance does not cover margin and platform fee.', {
      details: { required_usdc: moneyNumber(margin + fee), balance_usdc: moneyNumber(balance) },
    });
  }
  return { margin, fee };
}

type NewOrder = Omit<StoredOrder, 'seq'>;

interface OrderDraft extends OrderSize {
  kind: OrderKind;
  hedge_id: string | null;
  margin: Micro;
  fee: Micro;
}

function draftOrder(context: TransactionContext, draft: OrderDraft): NewOrder {
  const { min, max } = context.terms.fillMs;
  const usual = min + Math.floor(context.random.fraction() * (max - min + 1));
  return {
    ...draft,
    environment: context.environment,
    due_at: context.now + usual + Math.round(context.faults.slow_fills_seconds * 1000),
    lands: drawFilledPart(context, draft.kind),
    order_tx_hash: newHash(context.random),
    fill_tx_hash: newHash(context.random),
  };
}

/** One draw decides both whether an order fails and whether an open fills in part. */
function drawFilledPart({ random, faults }: TransactionContext, kind: OrderKind): NewOrder['lands'] {
  const drawn = random.fraction();
  if (drawn < faults.failing_orders) return 'none';
  const ofFilled = (drawn - faults.failing_orders) / (1 - faults.failing_orders);
  return kind === 'open' && ofFilled < faults.partial_fills ? 'part' : 'all';
}

function submitOrder(context: TransactionContext, order: NewOrder): void {
  const reserved = order.margin + order.fee;
  if (reserved !== 0n) {
    postEntry(
      context.db,
      { environment: context.environment, at: context.now, what: 'submission', hedge_id: order.hedge_id },
      { balance: -reserved, reserved },
    );
  }
  insertOrder(context.db, order);
}

/** For a whole side. */
const NOTHING_RESERVED = { margin: 0n, fee: 0n, hedge_id: null };

function submitted(context: TransactionContext, draft: OrderDraft): EndpointReply {
  const order = draftOrder(context, draft);
  submitOrder(context, order);
  const data: { [name: string]: Json } = {
    status: 'submitted',
    order_tx_hash: order.order_tx_hash,
    market: order.market,
    side: order.side,
  };
  if (order.kind !== 'close') data['notional_usd'] = moneyNumber(order.notional);
  return { data };
}
