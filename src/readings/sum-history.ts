/** Exact sums of closed hedges by period, market or side, and cumulative P&L. Signs are the service's. */
import { Big } from 'big.js';
import type { SumBy } from '../args/list-filter.ts';
import { textFrom } from '../client/json.ts';
import type { ClosedHedge } from '../client/schemas.ts';
import { sum } from '../domain/amounts.ts';
import { ownField } from '../domain/fields.ts';
import { groupBy } from '../domain/group-by.ts';
import { instantOf, instantText } from '../domain/instants.ts';
import { byName } from './report-groups.ts';

/** The summed figures under the service's names. USD and USDC are never added to each other. */
export type SummedField = 'notional_usd' | 'gross_pnl_usd' | 'carry_usdc' | 'fees_usdc' | 'net_pnl_usd';

export interface Sums {
  count: number;
  /** Sums over the records that have the figure; null when none has. */
  sums: Readonly<Record<SummedField, Big | null>>;
  /** How many records lack the figure. */
  lacking: Readonly<Record<SummedField, number>>;
}

export interface SumGroup extends Sums {
  /** `2026-11-20`, `2026-W47`, `2026-11`, a market, a side; null for records without one. */
  name: string | null;
  /** Set for a period: its start, and the start of the next, ISO 8601 UTC. */
  from?: string;
  until?: string;
}

export interface HistorySums {
  by: SumBy;
  /** IANA zone of the periods; null for markets and sides. */
  zone: string | null;
  /** Newest first, or by name. */
  groups: readonly SumGroup[];
  total: Sums;
}

export async function sumHistory(
  records: readonly ClosedHedge[],
  { by, zone }: { by: SumBy; zone: string },
): Promise<HistorySums> {
  const placed = await placing(by, zone);
  const places = records.map((record) => ({ record, ...placed(record) }));
  const named = [...groupBy(places, ({ name }) => name)].map(([name, those]) => ({
    name,
    ...those[0]?.period,
    ...sumsOf(those.map(({ record }) => record)),
  }));
  const direction = by === 'market' || by === 'side' ? 1 : -1;
  return {
    by,
    zone: direction === 1 ? null : zone,
    groups: named.toSorted((one, other) => byName(one.name ?? undefined, other.name ?? undefined, direction)),
    total: sumsOf(records),
  };
}

async function placing(
  by: SumBy,
  zone: string,
): Promise<(record: ClosedHedge) => { name: string | null; period?: Pick<SumGroup, 'from' | 'until'> }> {
  if (by === 'market' || by === 'side') return (record) => ({ name: textFrom(ownField(record, by)) ?? null });
  const { periodOf } = await import('../domain/calendar.ts');
  return ({ closed_at: at }) => {
    const closed = instantOf(textFrom(at) ?? '');
    if (closed === undefined) return { name: null };
    const { name, fromMs, untilMs } = periodOf(closed, by, zone);
    return { name, period: { from: instantText(fromMs), until: instantText(untilMs) } };
  };
}

function sumsOf(records: readonly ClosedHedge[]): Sums {
  const sent = (name: SummedField): readonly Big[] =>
    records.map((record) => amountIn(ownField(record, name))).filter((amount) => amount !== undefined);
  return {
    count: records.length,
    sums: ofEach((name) => (sent(name).length === 0 ? null : sum(sent(name)))),
    lacking: ofEach((name) => records.length - sent(name).length),
  };
}

const ofEach = <T>(make: (name: SummedField) => T): Record<SummedField, T> => ({
  notional_usd: make('notional_usd'),
  gross_pnl_usd: make('gross_pnl_usd'),
  carry_usdc: make('carry_usdc'),
  fees_usdc: make('fees_usdc'),
  net_pnl_usd: make('net_pnl_usd'),
});

/** Some services send money as text to keep its digits. */
function amountIn(value: unknown): Big | undefined {
  if (value instanceof Big) return value;
  return typeof value === 'string' && /^-?\d{1,40}(?:\.\d{1,40})?$/.test(value) ? new Big(value) : undefined;
}

export interface CumulativeRow {
  record: ClosedHedge;
  /** Milliseconds since the epoch. */
  closedAt: number;
  /** USD: the net P&L of this record and all that were closed before it. Positive: the account gained. */
  total: Big;
}

export interface CumulativeHistory {
  /** Oldest first. */
  steps: readonly CumulativeRow[];
  /** Records without a close time. */
  undated: readonly ClosedHedge[];
}

export function cumulativePnl(records: readonly ClosedHedge[]): CumulativeHistory {
  const dated: Omit<CumulativeRow, 'total'>[] = [];
  const undated: ClosedHedge[] = [];
  for (const record of records) {
    const closedAt = instantOf(textFrom(record.closed_at) ?? '');
    if (closedAt === undefined) undated.push(record);
    else dated.push({ record, closedAt });
  }
  let total = new Big(0);
  const steps = dated
    .toSorted((one, other) => one.closedAt - other.closedAt)
    .map((step) => {
      total = total.plus(step.record.net_pnl_usd);
      return { ...step, total };
    });
  return { steps, undated };
}
