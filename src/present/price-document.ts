/** A mid for programs: what was sent, with the mid we found in it where it is one object that can hold it. */
import { Big } from 'big.js';
import { instantText } from '../domain/instants.ts';
import type { MarketPrice } from '../flow/read/read-prices.ts';
import type { SeenMarket } from '../flow/read/read-seen-prices.ts';

/** The columns of `--csv`, in order; `sent` stands only where the answer was no object and no list of one. */
export const PRICE_COLUMNS = ['derived.market', 'derived.mid', 'market', 'price'] as const;

export function priceDocument(price: MarketPrice): unknown {
  return isObject(price.sent) ? { ...price.sent, derived: derivedOf(price) } : price.sent;
}

/** The same as a record, whatever the shape of the answer: a list of one is that one. */
export function priceRecord(price: MarketPrice): unknown {
  const { sent } = price;
  const [only, another]: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  return isObject(only) && another === undefined
    ? { ...only, derived: derivedOf(price) }
    : { derived: derivedOf(price), sent };
}

/** With every mid that was seen, oldest first, under `derived.seen`. */
export function seenPriceDocument(price: SeenMarket): unknown {
  const seen = price.seen.map(({ at, mid }) => ({ at: instantText(at), mid }));
  const derived = { ...derivedOf(price), seen };
  return isObject(price.sent) ? { ...price.sent, derived } : { derived, sent: price.sent };
}

const derivedOf = ({ market, mid }: MarketPrice) => ({ market, mid: mid ?? null });

const isObject = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent) && !(sent instanceof Big);
