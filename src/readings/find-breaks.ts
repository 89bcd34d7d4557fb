/** Finds the breaks between the journal, the service's lists and finance's list. Nothing is corrected: both sides are shown. Pure. */
import type { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { Hedge } from '../client/schemas.ts';
import { createsHedge, enlarges } from '../domain/action-table.ts';
import { readDecimal, sum } from '../domain/amounts.ts';
import { isSameSize } from '../domain/exposure.ts';
import { instantOf, MINUTE_MS } from '../domain/instants.ts';
import { isSameSide } from '../domain/vocabulary.ts';
import { outcomeWord } from '../journal/describe.ts';
import { type Action, isAwaitingOutcome, isUnfinished, isUnresolved } from '../journal/replay.ts';
import { changesKept, fillOf } from '../journal/results.ts';
import { type Break, FILLED_STATUSES, LACKING, subjectOf } from './breaks.ts';
import { closedHedgeId, closedInstant, SETTLES_WITHIN_MS } from './closed-record.ts';
import { type FinanceSources, financeBreaks } from './finance-breaks.ts';
import { everySide, type PositionFacts, sideNamed, sidePositionOf } from './side-position.ts';
import type { RecordedFields } from './take-snapshot.ts';

export interface ReconcileSources extends FinanceSources {
  positionFacts: PositionFacts;
  closed: readonly RecordedFields[];
  /** Hedges that were asked for by ID or deal ID since they were not listed; undefined: the service does not know it. */
  lookedUp: ReadonlyMap<string, readonly Hedge[] | undefined>;
  cut: { hedges: boolean; closed: boolean };
  /** The actions of the account, oldest first. */
  actions: readonly Action[];
  /** The service's time. */
  fromMs: number;
  /** This machine's time. */
  nowMs: number;
}

/** A record or a fill may come this late. */
const LANDS_WITHIN_MS = 5 * 60_000;

export function findBreaks(sources: ReconcileSources): readonly Break[] {
  const known = knownHere(sources.actions);
  const all = everyHedge(sources);
  const listed = all.filter((hedge) => isOfPeriod(hedge, sources));
  return [
    ...listed.flatMap((hedge) => hedgeBreaks(hedge, known, sources)),
    ...missingHedges(known, listed, sources),
    ...openActions(listed, sources),
    ...historyBreaks(listed, known, sources),
    ...positionBreaks(sources),
    ...financeBreaks(
      { ofPeriod: listed.filter((hedge) => isDealOfPeriod(hedge, sources)), all },
      sources,
      ({ id }) => known.get(id)?.opened,
    ),
    ...cutLists(sources),
  ];
}

/**
 * How many of each are compared: hedges of the period and of finance's list, the records and actions that are of these, and
 * the actions of the period.
 */
export function countCompared(sources: ReconcileSources) {
  const { positionFacts, closed, actions, finance, fromMs, nowMs } = sources;
  // A failed order is compared, and is no hedge.
  const all = everyHedge(sources).filter(({ status }) => status !== 'failed');
  const inFile = new Set(finance?.map(({ dealId }) => dealId));
  const hedges = all.filter(
    (hedge) => isOfPeriod(hedge, sources) || inFile.has(hedge.client_reference ?? ''),
  );
  const ids = new Set(hedges.map(({ id }) => id));
  const fromHereMs = nowMs - (positionFacts.servedAt.getTime() - fromMs);
  const isCompared = (action: Action): boolean =>
    Date.parse(action.intent.at) >= fromHereMs ||
    isUnfinished(action) ||
    ids.has(action.hedgeId ?? '') ||
    changesKept(action)?.some(({ id }) => ids.has(id)) === true;
  return {
    compared: {
      hedges: hedges.length,
      actions: actions.filter(isCompared).length,
      closed: closed.filter((record) => ids.has(closedHedgeId(record) ?? '')).length,
      positions: positionFacts.positions.length,
      finance: finance?.length,
    },
    listed: { hedges: all.length, closed: closed.length },
  };
}

/** Lists that cannot be compared, because the service does not send enough. */
export const notCompared = ({
  positionFacts,
  closed,
}: ReconcileSources): readonly ('positions' | 'history')[] => [
  ...(positionFacts.positions.every(
    (line) => decimalFrom(line.notional_usd) !== undefined && sideNamed(line) !== undefined,
  )
    ? []
    : ['positions' as const]),
  ...(namesNoHedge(closed) ? ['history' as const] : []),
];

const namesNoHedge = (closed: readonly RecordedFields[]): boolean =>
  closed.length > 0 && closed.every((record) => closedHedgeId(record) === undefined);

/** A hedge in the journal, after the last action on it. */
interface KnownHedge {
  open: Action;
  /** Its size at the fill. */
  opened: Big | undefined;
  notional: Big | undefined;
  /** Undefined after an add: the service has the average. */
  struck: Big | undefined;
  isClosed: boolean;
}

function knownHere(actions: readonly Action[]): ReadonlyMap<string, KnownHedge> {
  const known = new Map<string, KnownHedge>();
  for (const action of actions) {
    const { hedgeId: id, outcome } = action;
    if (createsHedge(action.intent) && id !== undefined && !known.has(id))
      known.set(id, {
        open: action,
        opened: fillOf(action)?.notional,
        notional: fillOf(action)?.notional,
        struck: readDecimal(outcome?.facts['struck_rate']),
        isClosed: false,
      });
  }
  // Actions that were in flight at once end in another order than they began.
  const ended = actions.toSorted((one, other) => endOf(one) - endOf(other));
  for (const action of ended)
    for (const { id: changed, before, after } of changesKept(action) ?? []) {
      const hedge = known.get(changed);
      if (hedge === undefined || before.eq(after)) continue;
      const struck = enlarges(action.intent) || after.gt(before) ? undefined : hedge.struck;
      known.set(changed, { ...hedge, notional: after, struck, isClosed: after.eq(0) });
    }
  return known;
}

/** When its end was read. One that a person recorded has the sizes of its own time. */
const endOf = ({ outcome, intent }: Action): number => Date.parse(outcome?.at ?? intent.at);

/** Listed or looked up, each once. */
const everyHedge = ({ positionFacts, lookedUp }: ReconcileSources): readonly Hedge[] => {
  const found = [...lookedUp.values()].flatMap((hedges) => hedges ?? []);
  return [...new Map([...found, ...positionFacts.hedges].map((hedge) => [hedge.id, hedge])).values()];
};

/** Opened in it, open since before, closed or settled in it, or looked up for it. */
const isOfPeriod = (hedge: Hedge, sources: ReconcileSources): boolean =>
  isDealOfPeriod(hedge, sources) ||
  (hedge.status === 'closed' && !(endedMs(hedge, sources.closed) < sources.fromMs));

/** Finance may list a deal in the period of its opening alone. */
const isDealOfPeriod = (hedge: Hedge, { positionFacts, fromMs }: ReconcileSources): boolean =>
  hedge.status === 'filled' ||
  !((instantOf(hedge.opened_at ?? '') ?? Infinity) < fromMs) ||
  !positionFacts.hedges.includes(hedge);

/** Without a record of it: at its maturity at the latest. */
const endedMs = (hedge: Hedge, closed: readonly RecordedFields[]): number =>
  closedInstant(recordOf(hedge, closed) ?? {}) ?? instantOf(hedge.maturity_at ?? '') ?? Infinity;

/** A hedge of the service against the journal. */
function hedgeBreaks(
  hedge: Hedge,
  known: ReadonlyMap<string, KnownHedge>,
  sources: ReconcileSources,
): readonly Break[] {
  const { actions } = sources;
  const own = known.get(hedge.id);
  const base = { ...subjectOf(hedge), against: 'journal' } as const;
  const late = lateSettlement(hedge, own, sources);
  if (own === undefined) {
    // It is that of an open whose outcome is unknown: named with its action.
    if (!FILLED_STATUSES.includes(hedge.status) || unresolvedUnder(hedge, actions) !== undefined) return late;
    return [...late, { ...base, class: 'not_ours', journal: LACKING, service: hedge.status }];
  }
  const awaited = actions.some((action) => isUnfinished(action) && isSameSide(action.intent, hedge));
  if (awaited) return late;
  const status = statusBreak(hedge, own, sources);
  if (status !== undefined) return [...late, { ...base, class: 'status', ...status }];
  const breaks: Break[] = [...late];
  const { notional, struck } = own;
  if (!own.isClosed && notional !== undefined && !isSameSize(notional, hedge.notional_usd))
    breaks.push({
      ...base,
      class: 'notional',
      journal: notional.toFixed(),
      service: hedge.notional_usd.toFixed(),
    });
  const rate = hedge.struck_rate ?? undefined;
  if (struck !== undefined && rate !== undefined && !struck.eq(rate))
    breaks.push({ ...base, class: 'rate', journal: struck.toFixed(), service: rate.toFixed() });
  return breaks;
}

const isUnder = ({ intent }: Action, reference: string | null | undefined): boolean =>
  typeof reference === 'string' && intent.client_reference === reference;

/** An unresolved open that sent this reference. */
const unresolvedUnder = (
  { client_reference: reference }: Hedge,
  actions: readonly Action[],
): Action | undefined => actions.find((action) => isUnresolved(action) && isUnder(action, reference));

function statusBreak(
  hedge: Hedge,
  { open, isClosed }: KnownHedge,
  { positionFacts, closed }: ReconcileSources,
): Pick<Break, 'journal' | 'service'> | undefined {
  const word = outcomeWord(open);
  if (!FILLED_STATUSES.includes(hedge.status))
    return FILLED_STATUSES.includes(word) ? { journal: word, service: hedge.status } : undefined;
  if (!FILLED_STATUSES.includes(word) && open.recordedAs !== 'done')
    return { journal: word, service: hedge.status };
  const isOpen = hedge.status === 'filled';
  if (isClosed) {
    // ASSUMED: a hedge that was closed early may still be listed as filled.
    const side = sidePositionOf(hedge, positionFacts);
    return isOpen && side.inPositions === true && side.open.some(({ id }) => id === hedge.id)
      ? { journal: 'closed', service: 'filled' }
      : undefined;
  }
  const matures = instantOf(hedge.maturity_at ?? '') ?? -Infinity;
  const record = recordOf(hedge, closed) ?? {};
  const closedMs = closedInstant(record);
  const isEarly =
    record['reason'] !== 'maturity' &&
    (closedMs === undefined ? positionFacts.servedAt.getTime() < matures : closedMs < matures - MINUTE_MS);
  return !isOpen && isEarly ? { journal: 'filled', service: 'closed before its maturity' } : undefined;
}

const recordOf = ({ id }: Hedge, closed: readonly RecordedFields[]): RecordedFields | undefined =>
  closed.find((each) => closedHedgeId(each) === id);

function lateSettlement(
  hedge: Hedge,
  own: KnownHedge | undefined,
  { positionFacts, closed }: ReconcileSources,
): readonly Break[] {
  const matures = instantOf(hedge.maturity_at ?? '');
  const servedMs = positionFacts.servedAt.getTime();
  if (hedge.status !== 'filled' || own?.isClosed === true || matures === undefined || matures > servedMs)
    return [];
  // ASSUMED: a hedge that was closed early may still be listed as filled.
  const { inPositions, position, open } = sidePositionOf(hedge, positionFacts);
  const isWithoutIt = decimalFrom(position?.notional_usd)?.eq(sum(open.map(({ notional }) => notional)));
  if (inPositions === false || isWithoutIt === true || recordOf(hedge, closed) !== undefined) return [];
  const base = { ...subjectOf(hedge), against: 'hedges', service: 'filled' } as const;
  const breakAfterMs = matures + SETTLES_WITHIN_MS;
  return [
    breakAfterMs > servedMs
      ? { ...base, class: 'timing', breakAfterMs }
      : { ...base, class: 'unsettled_past_maturity' },
  ];
}

const isFilledHere = ({ open }: KnownHedge): boolean => FILLED_STATUSES.includes(outcomeWord(open));

/** Hedges of the journal that the service does not know. */
const missingHedges = (
  known: ReadonlyMap<string, KnownHedge>,
  listed: readonly Hedge[],
  { lookedUp }: ReconcileSources,
): readonly Break[] =>
  [...known].flatMap(([id, hedge]): Break[] => {
    const isGone = lookedUp.has(id) && lookedUp.get(id) === undefined;
    if (!isGone || !isFilledHere(hedge) || listed.some((each) => each.id === id)) return [];
    const { market, side, deal_id: dealId } = hedge.open.intent;
    const base = { hedgeId: id, dealId, market, side, against: 'journal' } as const;
    return [{ ...base, class: 'not_at_venue', journal: outcomeWord(hedge.open), service: LACKING }];
  });

/** Actions without an outcome: unresolved, or young and under way. */
function openActions(listed: readonly Hedge[], { actions, nowMs }: ReconcileSources): readonly Break[] {
  return actions.flatMap((action): Break[] => {
    const { intent, shortId, hedgeId } = action;
    const found = listed.find(
      (hedge) => hedge.id === hedgeId || (createsHedge(intent) && isUnder(action, hedge.client_reference)),
    );
    const base = {
      against: 'journal',
      hedgeId: found?.id ?? hedgeId,
      dealId: intent.deal_id,
      actionId: shortId,
      market: intent.market,
      side: intent.side,
      journal: outcomeWord(action),
      service: createsHedge(intent) ? (found?.status ?? LACKING) : undefined,
    } as const;
    if (isUnresolved(action)) return [{ ...base, class: 'status', isUnresolved: true }];
    // A person recorded that it executed.
    if (action.recordedAs === 'done' && found?.status === 'failed')
      return [{ ...base, class: 'status', journal: 'executed' }];
    if (!isAwaitingOutcome(action)) return [];
    const breakAfterMs = Date.parse(action.sentAt ?? intent.at) + LANDS_WITHIN_MS;
    return [nowMs < breakAfterMs ? { ...base, class: 'timing', breakAfterMs } : { ...base, class: 'status' }];
  });
}

/** Closed hedges without a record in the history, where its records name their hedges. */
function historyBreaks(
  listed: readonly Hedge[],
  known: ReadonlyMap<string, KnownHedge>,
  { closed, cut, positionFacts, fromMs }: ReconcileSources,
): readonly Break[] {
  const ids = new Set(closed.flatMap((record) => closedHedgeId(record) ?? []));
  if (namesNoHedge(closed) || cut.closed) return [];
  return listed.flatMap((hedge): Break[] => {
    const matures = instantOf(hedge.maturity_at ?? '') ?? -Infinity;
    if (hedge.status !== 'closed' || ids.has(hedge.id) || !known.has(hedge.id) || matures < fromMs) return [];
    const base = { ...subjectOf(hedge), against: 'history', service: 'closed, no record of it' } as const;
    const breakAfterMs = matures + SETTLES_WITHIN_MS;
    const servedMs = positionFacts.servedAt.getTime();
    return [
      matures <= servedMs && servedMs < breakAfterMs
        ? { ...base, class: 'timing', breakAfterMs }
        : { ...base, class: 'not_at_venue' },
    ];
  });
}

/** The hedges of a side against the position that the service shows. */
const positionBreaks = ({ positionFacts }: ReconcileSources): readonly Break[] =>
  everySide(positionFacts).flatMap((of): Break[] => {
    const { market, side, position } = of;
    const listed = sum(of.open.map(({ notional }) => notional));
    // A hedge that settles late is a break of its own.
    const filled = sum(of.listed.flatMap(({ status, notional }) => (status === 'filled' ? notional : [])));
    const stated = decimalFrom(position?.notional_usd);
    const isOff =
      stated === undefined
        ? of.inPositions === true && filled.eq(0)
        : !stated.eq(listed) && !stated.eq(filled);
    if (!isOff || of.mayBeCut) return [];
    const service = `hedges ${listed.toFixed()}, position ${stated?.toFixed() ?? LACKING}`;
    return [{ market, side, against: 'positions', class: 'position_sum', service }];
  });

const cutLists = ({ cut, positionFacts, closed }: ReconcileSources): readonly Break[] =>
  (
    [
      ['hedges', cut.hedges, positionFacts.hedges.length],
      ['history', cut.closed, closed.length],
    ] as const
  ).flatMap(([against, isCut, count]): Break[] =>
    isCut ? [{ class: 'page_may_be_cut', against, service: `${count.toString()} listed` }] : [],
  );
