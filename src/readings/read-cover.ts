/** Reads how far open hedges cover a list of exposures, and whether that is certain. */
import { Big } from 'big.js';
import type { CoverIntent } from '../args/cover-options.ts';
import type { EarlyCloses } from '../cache/early-closes.ts';
import type { Market } from '../client/schemas.ts';
import { daysAfter, daysBetween, type HolidayTable } from '../domain/business-days.ts';
import { instantAtHour, localHourOf } from '../domain/calendar.ts';
import {
  allot,
  type Coverage,
  type CoverPolicy,
  type Exposure,
  type HedgeCover,
  netByBucket,
} from '../domain/cover.ts';
import { type BucketPlan, type CoverRoom, planDeals } from '../domain/cover-plan.ts';
import { type CoverReduction, leastReduction } from '../domain/cover-reduction.ts';
import { commandText, say, shell, step } from '../domain/hint.ts';
import { unquoted } from '../domain/quoted.ts';
import { shortestChain } from '../domain/tenor-chain.ts';
import { coveredDate, isNairaMarket, isSameName, SIDES } from '../domain/vocabulary.ts';
import { ConditionError, UsageError } from '../errors.ts';
import type { RollChain } from '../journal/roll-chains.ts';
import type { CoverDocument } from '../schema/cover-document.ts';
import {
  type CountedHedge,
  countHedges,
  earliestMaturity,
  notRolled,
  readSettlements,
  stoppedRolls,
  type Uncertainty,
  unfinishedHere,
} from './cover-hedges.ts';
import type { ReadContext } from './read-context.ts';
import { rollsOf } from './read-journal.ts';
import { readClosedHedges, readPositionFacts } from './read-position.ts';
import { marketNotFound } from './read-prices.ts';
import { hasMatured, isInconsistent, type SidePosition, sidePositionOf } from './side-position.ts';
import { notShownOn } from './unconfirmed-hedges.ts';

export interface CoverInput {
  intent: CoverIntent;
  exposures: readonly Exposure[];
  policy: CoverPolicy;
  /** IANA zone that cuts the days. */
  zone: string;
  /** Marks due and roll dates; they are not moved. */
  holidays: HolidayTable;
  /** USD of one open, from the profile; undefined: no limit. */
  maxNotional: Big | undefined;
  earlyCloses: Pick<EarlyCloses, 'seen'>;
}

/** An open that hedge proposes; its quote is of the first leg, for a size within 1 bp of a row's. Costs: positive is paid. */
export type CoverDeal = CoverDocument['derived']['deals'][number] & {
  /** Cost of the leg of the first roll at the quote of now; undefined: there is none. */
  firstRollBps: Big | undefined;
};

/** A hedge that counts, and the due dates that it covers at its struck rate. */
export type CoverHedge = CoverDocument['hedges'][number];

export interface CoverReading {
  input: CoverInput;
  market: Market;
  /** Date of today in the zone. */
  today: string;
  coverage: Coverage;
  plans: readonly BucketPlan[];
  /** One for each side that covers too much; none while the coverage is uncertain. */
  reductions: readonly CoverReduction[];
  deals: readonly CoverDeal[];
  hedges: readonly CoverHedge[];
  /** Every listed hedge that was opened for a due date, closed ones too. */
  openedFor: readonly { id: string; date: string }[];
  outside: readonly Exposure[];
  /** Open hedges that are not counted: `why` is half a sentence. */
  leftOut: readonly { id: string; why: string }[];
  /** Unfinished rolls that do not open their leg 2. */
  stopped: readonly RollChain[];
  /** Why the coverage is uncertain: then no deals are proposed. */
  uncertain: readonly Uncertainty[];
  /** Whether the positions tell which sides are open: if not, a hedge closed early may be counted. */
  sidesKnown: boolean;
  /** The service's words for a rejected quote, by due date. */
  rejected: ReadonlyMap<string, string>;
  room: CoverRoom;
  servedAt: Date;
}

const REREAD_MS = 1_500;

/** The coverage, without deals. @throws UsageError for the market; RefusedError `market_not_found`. */
export async function readCoverage(context: ReadContext, input: CoverInput): Promise<CoverReading> {
  const facts = await readFacts(context, input);
  return assemble(facts, await countFrom(facts, { context, input }), input);
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts(context: ReadContext, { intent }: CoverInput) {
  const { api, signal } = context;
  const [first, closed, markets, account] = await Promise.all([
    readPositionFacts(context),
    readClosedHedges(context),
    api.markets({ signal }),
    api.account({ signal }),
  ]);
  const market = marketOf(intent, markets.data);
  const names = markets.data.map((each) => each.market);
  const inconsistent = SIDES.map((side) =>
    sidePositionOf({ market: market.market, side }, { ...first, markets: names }),
  ).some((sidePosition) => isInconsistent(sidePosition) || unheldOf(sidePosition).length > 0);
  // A fill may come between the two readings.
  if (inconsistent) await context.clock.sleep(REREAD_MS, signal);
  const positionFacts = inconsistent ? await readPositionFacts(context) : first;
  return { positionFacts: { ...positionFacts, markets: names }, closed, market, account: account.data };
}

/** Listed as filled, on a side that is not in the positions: closed early, or filled since the positions were read. */
const unheldOf = ({ inPositions, listed, servedAt }: SidePosition): SidePosition['listed'] =>
  inPositions === false
    ? listed.filter((hedge) => hedge.status === 'filled' && !hasMatured(hedge, servedAt))
    : [];

function marketOf({ market: named }: CoverIntent, markets: readonly Market[]): Market {
  const naira = markets.filter(({ market }) => isNairaMarket(market));
  if (named !== undefined) {
    const found = markets.find(({ market }) => market === named);
    if (found === undefined) throw marketNotFound(named, markets);
    if (naira.includes(found)) return found;
    throw new UsageError(
      `${unquoted(named)} is not a naira market: the exposures are in naira.`,
      say`To list your markets: ${shell`hedge markets`}`,
    );
  }
  const [only, ...more] = naira;
  if (only !== undefined && more.length === 0) return only;
  throw new UsageError(
    only === undefined
      ? 'This account has no naira market.'
      : `This account has ${naira.length.toString()} naira markets: ${naira.map(({ market }) => unquoted(market)).join(', ')}.`,
    only === undefined
      ? say`To list your markets: ${shell`hedge markets`}`
      : `Name one: --market ${unquoted(only.market)}`,
  );
}

const ZERO = new Big(0);

/** The hedges that count as cover, and what makes that uncertain. `listed`: every hedge of the market, closed ones too. */
async function countFrom(
  { positionFacts, closed, market: { market } }: Facts,
  { context, input: { zone, policy, exposures, earlyCloses } }: { context: ReadContext; input: CoverInput },
) {
  const { servedAt } = positionFacts;
  const today = localHourOf(servedAt.getTime(), zone).date;
  const sides = SIDES.map((side) => sidePositionOf({ market, side }, positionFacts));
  const openIds = new Set(sides.flatMap(({ open }) => open.map(({ id }) => id)));
  // A hedge in both lists counts as it was read with the positions.
  const byId = new Map([...closed.hedges, ...positionFacts.hedges].map((hedge) => [hedge.id, hedge]));
  const listed = [...byId.values()].filter((hedge) => isSameName(hedge.market, market));
  const earliest = daysAfter(
    today,
    earliestMaturity(
      exposures.map(({ due }) => daysBetween(today, due)),
      policy,
    ),
  );
  const fromMs = instantAtHour(earliest, 0, zone);
  const legs = notRolled(listed);
  const matured = legs.filter(
    ({ id, maturity_at: maturityAt }) =>
      !openIds.has(id) &&
      hasMatured({ maturityAt: maturityAt ?? undefined }, servedAt) &&
      Date.parse(maturityAt ?? '') >= fromMs,
  );
  const settlementOf = await readSettlements(matured, { ...context, earlyCloses });
  const unrated = matured.filter(
    (hedge) => settlementOf(hedge) !== 'early' && hedge.struck_rate?.gt(0) !== true,
  );
  const times = { nowMs: context.clock.now(), servedMs: servedAt.getTime() };
  const rolls = rollsOf(context, times, listed)?.chains ?? [];
  return {
    today,
    sides,
    listed,
    hedges: countHedges([...legs.filter(({ id }) => openIds.has(id)), ...matured], {
      zone,
      today,
      openIds,
      settlementOf,
    }),
    toBeRolled: new Set(rolls.map(({ plan }) => plan.hedge_id)),
    stopped: stoppedRolls(rolls, market),
    uncertain: [
      ...unfinishedHere({ market, hedges: listed, rolls }, context),
      ...notShownOn(positionFacts, market).map(({ id, why }) => ({ why: `hedge ${unquoted(id)} ${why}` })),
      ...unrated.map(({ id }) => ({ why: `hedge ${unquoted(id)} settled without a struck rate` })),
      ...(closed.reaches(fromMs)
        ? []
        : [{ why: `the list of closed hedges may be incomplete; it must reach back to ${earliest}` }]),
    ],
  };
}

function assemble(
  { positionFacts, market, account }: Facts,
  { today, sides, listed, hedges, toBeRolled, stopped, uncertain }: Awaited<ReturnType<typeof countFrom>>,
  input: CoverInput,
): CoverReading {
  const { policy, exposures } = input;
  const days = new Map(exposures.map(({ due }) => [due, daysBetween(today, due)]));
  const netted = netByBucket(exposures, policy, (date) => days.get(date) ?? Number.NaN);
  const covers = hedges.map(({ cover }) => cover);
  const coverageOf = (each: readonly HedgeCover[]): Coverage => allot(netted, each, policy);
  const coverage = coverageOf(covers);
  const leftOut = leftOutOf(sides);
  const everyUncertainty = [
    ...sides.flatMap(({ side, unclear }) => (unclear === undefined ? [] : [{ why: `${side}: ${unclear}` }])),
    ...leftOut.map(({ id, why }) => ({ why: `hedge ${unquoted(id)} is ${why}` })),
    ...uncertain,
  ];
  return {
    input,
    market,
    today,
    coverage,
    plans: planDeals(coverage.buckets, () => 'unclear', { room: NO_ROOM, policy }),
    reductions:
      everyUncertainty.length > 0
        ? []
        : sides.flatMap((each) => leastReduction(each, covers, coverageOf) ?? []),
    deals: [],
    hedges: hedges
      .map((each) => ({
        ...each.sent,
        derived: {
          ...shareOf(each, coverage),
          must_roll: toBeRolled.has(each.sent.id)
            ? null
            : mustRollOf(each.cover, { today, policy, days, coverage }),
        },
      }))
      .filter(({ derived: { settlement, allotted } }) => settlement === null || allotted.length > 0),
    openedFor: listed.flatMap(({ id, client_reference: reference }) => {
      const date = coveredDate(reference ?? undefined);
      return date === undefined ? [] : [{ id, date }];
    }),
    stopped,
    outside: netted.outside,
    leftOut,
    uncertain: everyUncertainty,
    sidesKnown: sides.every(({ inPositions }) => inPositions !== undefined),
    rejected: new Map(),
    room: {
      headroom: account.available_exposure_usd,
      capacity: market.available_capacity_usd,
      balance: account.balance_usdc,
    },
    servedAt: positionFacts.servedAt,
  };
}

const NO_ROOM: CoverRoom = { headroom: ZERO, capacity: { buy: ZERO, sell: ZERO }, balance: ZERO };

/** It covers the date that it was opened for, and matures too early for it; null: it does not. */
function mustRollOf(
  { id, openedFor: due, maturesIn, settled }: HedgeCover,
  {
    today,
    policy,
    days,
    coverage,
  }: { today: string; policy: CoverPolicy; days: ReadonlyMap<string, number>; coverage: Coverage },
): CoverHedge['derived']['must_roll'] {
  const dueIn = due === undefined ? undefined : days.get(due);
  if (due === undefined || dueIn === undefined || settled || maturesIn >= dueIn - policy.beforeDays)
    return null;
  if (!coverage.allotments.some(({ hedge, date }) => hedge === id && date === due)) return null;
  const tenors = shortestChain({ ...policy, due: dueIn - maturesIn });
  return tenors ? { due, matures_on: daysAfter(today, maturesIn), tenors_days: tenors } : null;
}

const shareOf = (
  { cover, settlement }: CountedHedge,
  { allotments, unused }: Coverage,
): Omit<CoverHedge['derived'], 'must_roll'> => ({
  covered_ngn: cover.naira,
  opened_for: cover.openedFor ?? null,
  allotted: allotments
    .filter(({ hedge }) => hedge === cover.id)
    .map(({ date, naira }) => ({ due: date, ngn: naira })),
  unused_ngn: unused.find(({ hedge }) => hedge === cover.id)?.naira ?? ZERO,
  settlement: settlement ?? null,
});

const leftOutOf = (sides: readonly SidePosition[]): CoverReading['leftOut'] =>
  sides.flatMap(({ open, coming, unread }) => [
    ...open
      .filter(({ struckRate }) => struckRate === undefined || struckRate.lte(0))
      .map(({ id }) => ({ id, why: 'filled without a struck rate' })),
    ...coming.map(({ id, status }) => ({ id, why: `${status} and may still fill` })),
    ...unread.map(({ id, status }) => ({ id, why: `in an unknown status, ${unquoted(status)}` })),
  ]);

const MOST_REASONS = 3;

/** A bucket that stays outside its band, or a coverage that is uncertain. */
export function coverFinding({
  input: { intent },
  plans,
  uncertain,
  coverage,
}: CoverReading): ConditionError | undefined {
  const reasons = uncertain.map(({ why }) => why);
  const commands = new Map(uncertain.flatMap(({ look }) => (look ? [[commandText(look), look]] : [])));
  if (uncertain.length > 0)
    return new ConditionError({
      code: 'book_unclear',
      what: `The coverage is uncertain: ${reasons.slice(0, MOST_REASONS).join('; ')}.`,
      meaning: `No deals are proposed.${intent.deals === undefined ? '' : ' A deals file of an earlier run was left as it is.'} Nothing was sent.`,
      hint:
        commands.size === 0
          ? say`Try again in a minute. To list the hedges: ${shell`hedge hedges`}`
          : [...commands.values()].slice(0, MOST_REASONS).map((look) => step(look)),
      retry: 'later',
      details: reasons,
    });
  const outside = plans.flatMap(({ status, constraint }, index) => {
    const bucket = coverage.buckets[index]?.bucket;
    return (status === 'below' || status === 'above') && bucket !== undefined
      ? [{ from_days: bucket.fromDays, to_days: bucket.toDays, status, constraint: constraint ?? null }]
      : [];
  });
  if (outside.length === 0) return undefined;
  return new ConditionError({
    code: 'cover_incomplete',
    what: `${outside.length.toString()} of ${plans.length.toString()} buckets ${outside.length === 1 ? 'stays' : 'stay'} outside the band: ${[...new Set(outside.map(({ constraint }) => (constraint ?? '').replaceAll('_', ' ')))].join(', ')}.`,
    meaning: 'Nothing was sent.',
    retry: 'later',
    details: outside,
  });
}
