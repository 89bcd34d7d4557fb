/** The service's hedges against finance's list of deals. Pure. */
import type { Big } from 'big.js';
import type { FinanceDeal, ReconcileIntent } from '../args/reconcile-options.ts';
import type { Hedge } from '../client/schemas.ts';
import { sum, sumIfAll } from '../domain/amounts.ts';
import { similarForm } from '../domain/similar-ids.ts';
import { type Break, FILLED_STATUSES, LACKING, subjectOf } from './breaks.ts';

export interface FinanceSources {
  /** Undefined: not compared. */
  finance: readonly FinanceDeal[] | undefined;
  tolerance: ReconcileIntent['tolerance'];
  /** By deal ID; undefined: the service does not know it. */
  lookedUp: ReadonlyMap<string, readonly Hedge[] | undefined>;
}

/**
 * `ofPeriod`: those that finance should have; `all`: a deal may be older than the period, or have failed. `openedWith`: the
 * size of a hedge at its fill, where this machine opened it.
 */
export function financeBreaks(
  { ofPeriod, all }: { ofPeriod: readonly Hedge[]; all: readonly Hedge[] },
  { finance, tolerance, lookedUp }: FinanceSources,
  openedWith: (hedge: Hedge) => Big | undefined,
): readonly Break[] {
  if (finance === undefined) return [];
  const inFile = new Set(finance.map(({ dealId }) => dealId));
  const similarInFile = bySimilarForm([...inFile]);
  const similarAtVenue = bySimilarForm(all.flatMap((hedge) => subjectOf(hedge).dealId ?? []));
  return [
    ...finance.flatMap((deal) => {
      const hedges = all.filter((hedge) => hedge.client_reference === deal.dealId);
      const filled = hedges.filter(isFilled);
      if (filled.length > 0) return dealBreaks(deal, filled, { tolerance, openedWith });
      const similarId = hedges.length > 0 ? undefined : similarAtVenue(deal.dealId);
      return unfilledDeal(deal, hedges, lookedUp).map((each) => ({ ...each, similarId }));
    }),
    ...ofPeriod.filter(isFilled).flatMap((hedge): Break[] =>
      inFile.has(hedge.client_reference ?? '')
        ? []
        : [
            {
              ...subjectOf(hedge),
              against: 'finance',
              class: 'not_at_finance',
              service: hedge.status,
              finance: LACKING,
              similarId: similarInFile(hedge.client_reference ?? ''),
            },
          ],
    ),
  ];
}

function bySimilarForm(dealIds: readonly string[]) {
  const byForm = new Map(dealIds.map((each) => [similarForm(each), each]));
  return (dealId: string): string | undefined => byForm.get(similarForm(dealId));
}

const isFilled = ({ status }: Hedge): boolean => FILLED_STATUSES.includes(status);

/** `hedges`: those with its deal ID, of which none is filled. */
function unfilledDeal(
  { dealId, notional }: FinanceDeal,
  hedges: readonly Hedge[],
  lookedUp: FinanceSources['lookedUp'],
): readonly Break[] {
  const [first] = hedges;
  const base = {
    ...(first && subjectOf(first)),
    against: 'finance',
    dealId,
    finance: notional.toFixed(),
  } as const;
  if (first === undefined)
    return [
      lookedUp.has(dealId)
        ? { ...base, class: 'not_at_venue', service: LACKING }
        : { ...base, class: 'page_may_be_cut' },
    ];
  const statuses = new Set(hedges.map(({ status }) => status));
  return [{ ...base, class: 'status', service: [...statuses].join(', ') }];
}

const isOff = (one: Big, other: Big, most: Big): boolean => one.minus(other).abs().gt(most);

/** Hedges with one deal ID are one deal: their sizes are summed, their rates compared one by one. */
function dealBreaks(
  deal: FinanceDeal,
  hedges: readonly Hedge[],
  {
    tolerance,
    openedWith,
  }: Pick<FinanceSources, 'tolerance'> & { openedWith: (hedge: Hedge) => Big | undefined },
): readonly Break[] {
  const [first] = hedges;
  const base = { ...(first && subjectOf(first)), dealId: deal.dealId, against: 'finance' } as const;
  const notional = sum(hedges.map(({ notional_usd: size }) => size));
  const opened = sumIfAll(hedges.map(openedWith));
  const other = hedges
    .flatMap(({ struck_rate: struck }) => struck ?? [])
    .find((struck) => isOff(struck, deal.rate, tolerance.rate));
  return [
    ...(isOff(notional, deal.notional, tolerance.usd)
      ? [
          {
            ...base,
            class: 'notional' as const,
            service: notional.toFixed(),
            finance: deal.notional.toFixed(),
            isSizeAtOpen: opened !== undefined && !isOff(opened, deal.notional, tolerance.usd),
          },
        ]
      : []),
    ...(other === undefined
      ? []
      : [{ ...base, class: 'rate' as const, service: other.toFixed(), finance: deal.rate.toFixed() }]),
  ];
}
