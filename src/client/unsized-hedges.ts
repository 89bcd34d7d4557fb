/** The hedges of a list that cannot be used as a whole, each on its own. Loaded only then. */
import * as z from 'zod/mini';
import { once } from '../domain/once.ts';
import { type Hedge, hedgeSchema } from './schemas.ts';

/** A hedge without a size or a tenor. */
export type UnsizedHedge = Pick<Hedge, 'id' | 'market' | 'side' | 'status' | 'client_reference'>;

/** The fields that a reduce or close needs: it rests on no date, and on the size only of a hedge that may hold a position. */
const bareHedge = once(() => {
  const { notional_usd, tenor_days, ...fields } = hedgeSchema().shape;
  return z.looseObject({
    ...fields,
    notional_usd: z.nullish(notional_usd),
    tenor_days: z.nullish(tenor_days),
  });
});

export interface BareHedges {
  sized: readonly Hedge[];
  unsized: readonly UnsizedHedge[];
}

/** Undefined where one of them cannot be used at all. */
export function readBareHedges(data: unknown): BareHedges | undefined {
  if (!Array.isArray(data)) return undefined;
  const sized: Hedge[] = [];
  const unsized: UnsizedHedge[] = [];
  for (const each of data) {
    const read = bareHedge().safeParse(each);
    if (!read.success) return undefined;
    const { notional_usd: size, tenor_days: tenor, ...hedge } = read.data;
    if (size && tenor) sized.push({ ...hedge, notional_usd: size, tenor_days: tenor });
    else unsized.push(hedge);
  }
  return { sized, unsized };
}
