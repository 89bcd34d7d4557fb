/**
 * A mid for programs: one object a market, whatever shape the service's answer has, with the mid we found in it
 * under `derived`. Knows the shapes apart, and judges none of them.
 */
import { Big } from 'big.js';
import { instantText } from '../domain/instants.ts';
import type { MarketPrice } from '../flow/read/read-prices.ts';
import type { SeenMarket } from '../flow/read/read-seen-prices.ts';

/** The columns of `--csv`, in order; the last is filled only where the answer is no price of one market. */
export const PRICE_COLUMNS = ['market', 'price', 'derived.market', 'derived.mid', 'sent'] as const;
export const SEEN_PRICE_COLUMNS = [...PRICE_COLUMNS, 'derived.seen'] as const;

export const priceDocument = (price: MarketPrice): unknown => ({
  ...sentOf(price),
  derived: derivedOf(price),
});

/** With every mid that was seen, oldest first, under `derived.seen`. */
export const seenPriceDocument = (price: SeenMarket): unknown => ({
  ...sentOf(price),
  derived: { ...derivedOf(price), seen: price.seen.map(({ at, mid }) => ({ at: instantText(at), mid })) },
});

const derivedOf = ({ market, mid }: MarketPrice) => ({ market, mid: mid ?? null });

/**
 * The price as it was sent, where it is an object that names its market, alone or as the only one of a list. A
 * map of markets, a bare number or a shape that we don't know stands whole under `sent`: its names are no fields.
 */
function sentOf({ sent }: MarketPrice): Readonly<Record<string, unknown>> {
  const [only, another]: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  return isPrice(only) && another === undefined ? only : { sent };
}

const isPrice = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  typeof sent === 'object' &&
  sent !== null &&
  !Array.isArray(sent) &&
  !(sent instanceof Big) &&
  Object.hasOwn(sent, 'market');
