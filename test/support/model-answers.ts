/** The answers of an imagined service, with every field that the practice service sends of a figure. */
import { RefusedError } from '../../src/errors.ts';
import {
  big,
  type Fields,
  type ModelHedge,
  type ModelService,
  ratio,
  SIDES,
  total,
  ZERO,
} from './model-service.ts';

function sentHedge(service: ModelService, hedge: ModelHedge): Fields {
  const { id, reference, side, notional, tenor, status, struck, openedMs, maturesMs } = hedge;
  return {
    id,
    client_reference: reference,
    market: 'USDTNGN',
    side,
    notional_usd: notional,
    tenor_days: big(tenor),
    status,
    struck_rate: struck,
    opened_at: new Date(openedMs).toISOString(),
    filled_at: new Date(openedMs).toISOString(),
    maturity_at: new Date(maturesMs).toISOString(),
    ...service.changed.get(id),
  };
}

function sentClosed(service: ModelService, hedge: ModelHedge): Fields {
  const { id, reference, side, done, fees, openedMs, closedMs = 0, reason } = hedge;
  return {
    id,
    client_reference: reference,
    market: 'USDTNGN',
    side,
    notional_usd: done.notional,
    entry_price: ratio(done.entry, done.notional).round(8),
    exit_price: ratio(done.notional, done.exit).round(8),
    gross_pnl_usd: done.gross,
    carry_usdc: done.carry.times(-1),
    fees_usdc: done.fees.plus(fees),
    net_pnl_usd: service.net(hedge),
    opened_at: new Date(openedMs).toISOString(),
    closed_at: new Date(closedMs).toISOString(),
    reason,
  };
}

function sentPositions(service: ModelService): readonly Fields[] {
  return SIDES.filter((side) => service.open(side).length > 0).map((side) => {
    const figures = service.position(side);
    return {
      market: 'USDTNGN',
      side,
      notional_usd: figures.notional.plus(service.positionOff),
      mark_price: figures.mark,
      gross_pnl_usd: figures.gross,
      accrued_carry_usdc: figures.carry,
      net_pnl_usd: figures.net,
      close_fee_usdc: figures.closeFee,
      margin_usdc: figures.margin,
      net_margin_usd: figures.netMargin,
    };
  });
}

/** @throws RefusedError for a hedge that it does not have. */
export function answerOf(service: ModelService, path: string): unknown {
  const [resource = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  const newest = service.hedges.filter(({ id }) => !service.hidden.has(id)).toReversed();
  if (resource === '/account')
    return {
      balance_usdc: service.balance,
      available_exposure_usd: big(500_000),
      margin_in_use_usdc: total(service.hedges.map(({ margin }) => margin)),
      reserved_usdc: ZERO,
    };
  if (resource === '/positions') return sentPositions(service);
  if (resource === '/markets')
    return [
      {
        market: 'USDTNGN',
        status: 'open',
        price: service.mid(),
        net_rate_daily_pct: {},
        available_capacity_usd: {},
      },
    ];
  if (resource === '/hedges/history')
    return service.hedges
      .filter(
        ({ id, status }) => status === 'closed' && !service.hidden.has(id) && !service.unrecorded.has(id),
      )
      .toSorted((one, other) => (other.closedMs ?? 0) - (one.closedMs ?? 0))
      .map((each) => service.spelled(sentClosed(service, each)));
  if (resource === '/hedges')
    return newest
      .map((each) => sentHedge(service, each))
      .filter(
        (each) =>
          (asked.get('status') ?? each['status']) === each['status'] &&
          (asked.get('client_reference') ?? each['client_reference']) === each['client_reference'],
      )
      .slice(0, service.page < 500 ? service.page : Number(asked.get('limit') ?? 500));
  const one = newest.find(({ id }) => resource === `/hedges/${id}`);
  if (one !== undefined) return sentHedge(service, one);
  throw new RefusedError({ code: 'hedge_not_found', what: 'No such hedge.', httpStatus: 404 });
}
