/** The P&L of a report by hedge, deal ID prefix, side, operator, market or day. Pure. */
import type { Big } from 'big.js';
import type { ReportBy } from '../args/report-options.ts';
import type { DealLife, DealPnl } from '../domain/deal-pnl.ts';
import { groupBy } from '../domain/group-by.ts';
import { addPnl, netPnl, type PnlParts } from '../domain/pnl-parts.ts';

export interface PnlGroup {
  /** Undefined: without a deal ID, or without an operator. */
  name: string | undefined;
  /** Set where the group is one hedge. */
  deal: DealLife | undefined;
  hedges: number;
  realized: PnlParts;
  /** The change of the hedges for which it is known; undefined: of none. */
  unrealized: PnlParts | undefined;
  /** Both. */
  parts: PnlParts;
  net: Big;
  /** A part of the P&L of a hedge is not known. */
  isPartial: boolean;
  /** The change of some of its hedges is not known, so that the sum of the others says nothing. */
  lacksChange: boolean;
}

export const dealGroup = (deals: readonly DealPnl[], name?: string, deal?: DealLife): PnlGroup => {
  const known = deals.flatMap(({ unrealized }) => unrealized ?? []);
  return pnlGroup({
    name,
    deal,
    hedges: deals.length,
    realized: addPnl(deals.map(({ realized }) => realized)),
    unrealized: known.length === 0 && deals.length > 0 ? undefined : addPnl(known),
    isPartial: deals.some(({ isPartial }) => isPartial),
    lacksChange: known.length < deals.length,
  });
};

export function pnlGroup(of: Omit<PnlGroup, 'parts' | 'net'>): PnlGroup {
  const parts = of.unrealized === undefined ? of.realized : addPnl([of.realized, of.unrealized]);
  return { ...of, parts, net: netPnl(parts) };
}

/** Hedges in order of their opens; other groups by name. */
export function groupDeals(deals: readonly DealPnl[], by: Exclude<ReportBy, 'day'>): readonly PnlGroup[] {
  if (by === 'deal') return deals.map((each) => dealGroup([each], each.deal.dealId, each.deal));
  return [...groupBy(deals, ({ deal }) => nameIn(deal, by))]
    .map(([name, members]) => dealGroup(members, name))
    .toSorted((one, other) => byName(one.name, other.name));
}

/** Rolls keep the beginning of a deal ID: `COVER-20261224-BUY-1a2b3c.r2` is of COVER. */
const PREFIX = /^[^-_./:\s]+/;

const nameIn = (deal: DealLife, by: Exclude<ReportBy, 'day' | 'deal'>): string | undefined =>
  by === 'prefix' ? PREFIX.exec(deal.dealId ?? '')?.[0] : deal[by];

/** Those without a name come last, in both directions. */
export function byName(one: string | undefined, other: string | undefined, direction: 1 | -1 = 1): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1;
  return one === other ? 0 : one < other ? -direction : direction;
}
