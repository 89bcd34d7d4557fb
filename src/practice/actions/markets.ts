/** Markets, prices and quotes: what can be dealt and at what price. Opens and stores nothing. */
import { executionPrice, priceImpact } from '../book/economics.ts';
import { midAt, type Sitting } from '../book/sitting.ts';
import { iso } from '../book/time.ts';
import { DAY_MS } from '../book/words.ts';
import type { Side } from '../door.ts';
import { least, type Micro, share } from '../money/decimals.ts';
import type { MarketTerms } from '../settings/terms.ts';
import type { Reply } from '../wire/envelope.ts';
import { type Json, money, percent, rate } from '../wire/json.ts';
import { Refusal } from '../wire/refusal.ts';

const SOURCE = 'onchain';

export function listMarkets(sitting: Sitting): Reply {
  const open = [...sitting.terms.markets.values()].filter((market) => market.enabled);
  return {
    status: 200,
    data: open.map((market) => marketShape(sitting, market)),
    meta: { source: SOURCE, allowed_markets: open.map((market) => market.market) },
  };
}

function marketShape(sitting: Sitting, market: MarketTerms): Json {
  const capacity = money(least(market.headroom, sitting.terms.cap));
  return {
    market: market.market,
    status: sitting.weather.disabled.has(market.market) ? 'disabled' : 'open',
    price: rate(midAt(sitting, market.market, sitting.now)),
    available_capacity_usd: { buy: capacity, sell: capacity },
    net_rate_daily_pct: { buy: percent(market.carryDaily.buy), sell: percent(market.carryDaily.sell) },
  };
}

/** ASSUMED: a list of market and price; several symbols with commas, all of the account's when none is named. */
export function listPrices(sitting: Sitting, symbols: string | undefined): Reply {
  const enabled = [...sitting.terms.markets.values()].filter((market) => market.enabled);
  const names = symbols === undefined ? enabled.map((market) => market.market) : symbols.split(',');
  return {
    status: 200,
    data: [...new Set(names)].map((name) => {
      knownMarket(sitting, name);
      return { market: name, price: rate(midAt(sitting, name, sitting.now)) };
    }),
    meta: { source: SOURCE },
  };
}

export interface QuoteRequest {
  market: string;
  side: Side;
  notional: Micro;
  tenorDays: number;
}

export function quote(sitting: Sitting, asked: QuoteRequest): Reply {
  const market = dealableMarket(sitting, asked.market);
  if (asked.notional > market.headroom) throw overCapacity(asked.notional, market.headroom);
  const mid = midAt(sitting, market.market, sitting.now);
  const execution = executionPrice(mid, asked.side, asked.notional, sitting.terms.impact);
  const daily = market.carryDaily[asked.side];
  const days = BigInt(asked.tenorDays);
  const margin = share(asked.notional, sitting.terms.margin);
  const fee = share(asked.notional, sitting.terms.platformFee);
  return {
    status: 200,
    data: {
      market: asked.market,
      side: asked.side,
      notional_usd: money(asked.notional),
      tenor_days: asked.tenorDays,
      maturity: iso(sitting.now + asked.tenorDays * DAY_MS),
      pricing: {
        market_price: rate(mid),
        execution_price: rate(execution),
        price_impact_usd: money(priceImpact(asked.notional, execution, mid)),
      },
      carry: {
        daily_usdc: money(share(asked.notional, daily)),
        daily_rate_pct: percent(daily),
        total_usdc: money(share(asked.notional, daily * days)),
        total_rate_pct: percent(daily * days),
      },
      upfront: {
        required_margin_usdc: money(margin),
        platform_fee_usdc: money(fee),
        total_upfront_usdc: money(margin + fee),
      },
    },
    meta: { source: SOURCE },
  };
}

/** A market that the account has, disabled or not. */
export function knownMarket(sitting: Sitting, name: string): MarketTerms {
  const market = sitting.terms.markets.get(name);
  if (market?.enabled === true) return market;
  const allowed = [...sitting.terms.markets.values()]
    .filter((each) => each.enabled)
    .map((each) => each.market);
  throw new Refusal('market_not_found', 'The account has no such market.', {
    details: { field: 'market', allowed_markets: allowed },
  });
}

/** A market on which new notional can be dealt now. */
export function dealableMarket(sitting: Sitting, name: string): MarketTerms {
  const market = knownMarket(sitting, name);
  if (!sitting.weather.disabled.has(name)) return market;
  throw new Refusal('market_disabled', `${name} is disabled: nothing can be opened or added on it now.`, {
    details: { market: name },
  });
}

export function overCapacity(asked: Micro, headroom: Micro): Refusal {
  return new Refusal('capacity_exceeded', 'The market does not take that much on this side.', {
    details: { field: 'notional_usd', requested_usd: money(asked), headroom_usd: money(headroom) },
  });
}
