/** What the weather does to one request: whether it is reached, and what strikes it. Pure. */
import type { OrderWeather } from '../book/sitting.ts';
import type { OrderKind, Weather, WeatherStrike } from '../door.ts';
import { calm, sumOfShares } from './weather.ts';

/** The weather over a request: its action, or undefined when it only reads. A market disabled is so for all. */
export function skyOver(weather: Weather, action: OrderKind | undefined): Weather {
  return reaches(weather, action) ? weather : { ...calm, disabled_markets: weather.disabled_markets };
}

function reaches(weather: Weather, action: OrderKind | undefined): boolean {
  switch (weather.only) {
    case 'all':
      return true;
    case 'readings':
      return action === undefined;
    case 'actions':
      return action !== undefined;
    case 'open':
    case 'add':
    case 'reduce':
    case 'close':
      return action === weather.only;
    default:
      return weather.only satisfies never;
  }
}

/** Trouble that can fall on any request, whatever the book says to it. */
export function fallsOnAny(sky: Weather): boolean {
  return sky.latency_ms > 0 || sky.share_429 > 0 || sky.share_5xx_before > 0 || sky.share_lost_before > 0;
}

/** Trouble that needs an action that the book accepts. */
export function fallsOnAccepted(sky: Weather, keyed: boolean): boolean {
  const onOrders = sky.slow_fills_seconds > 0 || sky.share_failing_orders > 0 || sky.share_partial_fills > 0;
  return onOrders || fallsOnReplay(sky) || (keyed && sky.in_flight_seconds > 0);
}

/** Trouble of answers that a kept answer, given again, can meet too. */
export function fallsOnReplay(sky: Weather): boolean {
  return sky.share_5xx_after > 0 || sky.share_lost_after > 0;
}

/** At most one strike a request; `fraction` is drawn in [0, 1). */
export function strikeOf(sky: Weather, fraction: () => number): WeatherStrike | undefined {
  if (sumOfShares(sky) === 0) return undefined;
  let left = fraction();
  const shares: [WeatherStrike, number][] = [
    ['429', sky.share_429],
    ['5xx_before', sky.share_5xx_before],
    ['lost_before', sky.share_lost_before],
    ['5xx_after', sky.share_5xx_after],
    ['lost_after', sky.share_lost_after],
  ];
  for (const [strike, share] of shares) {
    if (left < share) return strike;
    left -= share;
  }
  return undefined;
}

export function orderWeather(sky: Weather): OrderWeather {
  return {
    slowFillsMs: Math.round(sky.slow_fills_seconds * 1000),
    shareFailing: sky.share_failing_orders,
    sharePartial: sky.share_partial_fills,
    disabled: new Set(sky.disabled_markets),
  };
}
