/** Reads the P&L of a period: each hedge of this machine, and the bridge between two readings of the net asset value. */
import type { Big } from 'big.js';
import type { AskedPeriod, ReportIntent } from '../args/report-options.ts';
import { createsHedge } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import type { NamedPeriod } from '../domain/calendar.ts';
import {
  type Cut,
  type DealLife,
  type DealPnl,
  eventsBefore,
  pnlBetween,
  unrealizedAt,
} from '../domain/deal-pnl.ts';
import { DAY_MS, HOUR_MS, instantText } from '../domain/instants.ts';
import { type Bridge, bridgeOf } from '../domain/net-asset-value.ts';
import { addPnl, lessPnl, netPnl, type PnlParts } from '../domain/pnl-parts.ts';
import { type DamagedFileError, UsageError } from '../errors.ts';
import { isConfirmed } from '../journal/account-identity.ts';
import { bookInWords, timeInWords } from '../journal/describe.ts';
import { isEnded, isUnresolved } from '../journal/replay.ts';
import { type JournalState, snapshotsOf } from '../journal/state.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import { closedHedgeId, closedInstant } from './closed-record.ts';
import { type ClosedRecord, type DealSources, hedgesIn, readDealLives } from './deal-lives.ts';
import { spanOf } from './filter-records.ts';
import type { ReadContext } from './read-context.ts';
import { dealGroup, groupDeals, type PnlGroup, pnlGroup } from './report-groups.ts';
import { type SnapshotFigures, snapshotFigures } from './snapshot-figures.ts';
import { type AccountReading, type RecordedFields, readWholeAccount, saveSnapshot } from './take-snapshot.ts';

/** One end of the period: a reading near the time that was asked for, or only that time. */
export interface PeriodEnd extends Cut {
  snapshot: SnapshotFigures | undefined;
  askedMs: number;
  /** The nearest reading of all, where it is not used: a hedge changed before it, or an order was filled during it. */
  passedOver?: { ms: number; why: 'changed' | 'unsteady' } | undefined;
}

/** Named `2026-11-20`. Ends with its reading, else at midnight. The change in unrealized P&L is since the reading before. */
export interface ReportDay extends PnlGroup {
  name: string;
  /** Its last midnight, in milliseconds since the epoch. */
  untilMs: number;
  /** The reading near its end; undefined without one: then its unrealized P&L is in a later day. */
  snapshot: SnapshotFigures | undefined;
}

export interface ReportReading {
  intent: ReportIntent;
  /** Whose hedges they are: `this machine`, `desk lagos`. */
  book: string;
  /** IANA zone of the days. */
  zone: string;
  from: PeriodEnd;
  to: PeriodEnd;
  /** Whether the period ends with the reading of now. */
  endsNow: boolean;
  deals: readonly DealPnl[];
  groups: readonly PnlGroup[];
  total: PnlGroup;
  /** Undefined where an end has no reading. */
  bridge: Bridge | undefined;
  days: readonly ReportDay[];
  /** The readings of the period, oldest first. */
  snapshots: readonly SnapshotFigures[];
  /** Hedges that were open or closed in the period, and not opened from this machine. */
  others: readonly string[];
  /** Hedges of opens from this machine whose outcome is not recorded yet. */
  unconfirmed: readonly string[];
  /** Short IDs of actions sent before its end whose outcome is not known: what they did is in no figure of their own. */
  unresolved: readonly string[];
  /** The first reading of the period, where none is near its beginning. */
  firstAfter: SnapshotFigures | undefined;
  /** Realized after the reading of an end and before the time that was asked for: in the figures at the beginning, not at the end. */
  realizedEarly: { from: Big; to: Big };
  /** Whether a list by day from that reading on splits at the beginning that was asked for. */
  isSplitByDay: boolean;
  /** Whether the last of the days ends far from its midnight, at the reading at the end. */
  endsFar: boolean;
  /** The end as a value of --until: `2026-11-30` or an instant; undefined: until now. */
  until: string | undefined;
  account: AccountReading;
  /** Records of closed hedges that name no hedge. */
  unnamedClosed: number;
  servedAt: Date;
  /** The reading could not be recorded. */
  notSaved: DamagedFileError | undefined;
  trouble: JournalTrouble | undefined;
}

/** @throws UsageError for an empty period, or one that has not begun. */
export async function readReport(
  context: ReadContext,
  intent: ReportIntent,
  { zone, profile }: { zone: string; profile: string },
): Promise<ReportReading> {
  const account = await readWholeAccount(context, { profile, note: intent.note });
  const now = snapshotFigures(account.record);
  const span = await periodOfReport(intent.asked, { zone, nowMs: now.ms });
  const state = context.journal.read();
  const slackMs = slackOf(span);
  const { identity } = context;
  const newestFirst = [...snapshotsOf(state, identity, span.fromMs - slackMs)];
  const recorded = newestFirst.map(({ record }) => snapshotFigures(record)).toReversed();
  const endsNow = span.untilMs >= now.ms;
  const known = { state, identity, ...hedgesSince(span.fromMs - slackMs, account, recorded) };
  const lives = readDealLives(known);
  const taken = [...recorded, now];
  const { from, to } = endsOf(span, { taken, endsNow, slackMs, lives });
  const snapshots = taken.filter(({ ms }) => ms >= from.ms && ms <= to.ms);
  const deals = lives.flatMap((deal) => pnlBetween(deal, from, to) ?? []);
  const others = othersBetween(from, to, { ...known, lives });
  const isUnconfirmed = unconfirmedIn(known);
  const days =
    intent.by === 'day' || intent.html !== undefined
      ? await daysOf({ from, to, zone, snapshots, deals })
      : [];
  return {
    intent,
    book: bookInWords(state),
    zone,
    from,
    to,
    endsNow,
    deals,
    bridge: from.snapshot && to.snapshot && bridgeOf(from.snapshot.value, to.snapshot.value, deals),
    days,
    groups: intent.by === 'day' ? days : groupDeals(deals, intent.by),
    total: dealGroup(deals),
    snapshots,
    others: others.filter((id) => !isUnconfirmed(id)),
    unconfirmed: others.filter(isUnconfirmed),
    unresolved: unresolvedBefore(to, known),
    firstAfter:
      from.snapshot === undefined ? recorded.find(({ ms }) => ms >= span.fromMs && ms < to.ms) : undefined,
    realizedEarly: { from: realizedEarly(from, lives), to: realizedEarly(to, lives) },
    isSplitByDay:
      from.passedOver?.why !== 'unsteady' &&
      from.askedMs - from.ms > NIGHT_MS &&
      (await dayBefore(from.askedMs, zone)) !== undefined,
    endsFar: !endsNow && distanceOf(to) > NIGHT_MS,
    until: endsNow ? undefined : ((await dayBefore(span.untilMs, zone)) ?? instantText(span.untilMs)),
    account,
    unnamedClosed: account.closed.filter((each) => closedHedgeId(each) === undefined).length,
    servedAt: account.positionFacts.servedAt,
    notSaved: intent.saves ? await saveSnapshot(context, account.record) : undefined,
    trouble: state.trouble,
  };
}

type ReportSpan = Pick<NamedPeriod, 'fromMs' | 'untilMs'>;

/** @throws UsageError */
async function periodOfReport(
  asked: AskedPeriod,
  here: { zone: string; nowMs: number },
): Promise<ReportSpan> {
  const span = asked.kind === 'span' ? await spanOf(asked, here) : await calendarSpan(asked, here);
  const { fromMs = here.nowMs, untilMs = here.nowMs } = span;
  if (fromMs < here.nowMs) return { fromMs, untilMs };
  throw new UsageError(
    `The period has not begun: it starts at ${timeInWords(instantText(fromMs))}, and now is ${timeInWords(instantText(here.nowMs))}.`,
    'Give an earlier day. Days are those of the time zone of the profile.',
  );
}

async function calendarSpan(
  { of, period, isBefore }: Extract<AskedPeriod, { kind: 'calendar' }>,
  here: { zone: string; nowMs: number },
): Promise<ReportSpan> {
  const { periodOf, startOfMoment } = await import('../domain/calendar.ts');
  const named = periodOf(startOfMoment(of, here), period, here.zone);
  return isBefore ? periodOf(named.fromMs - 1, period, here.zone) : named;
}

/** Zero where the reading is not the earlier one. */
const realizedEarly = (end: PeriodEnd, lives: readonly DealLife[]): Big =>
  sum(
    end.ms < end.askedMs
      ? lives.flatMap((deal) => {
          const pnl = pnlBetween(deal, end, { ms: end.askedMs, snapshot: undefined });
          return pnl === undefined ? [] : netPnl(pnl.realized);
        })
      : [],
  );

/** `2026-11-30`, of the midnight after it; undefined: another time. */
async function dayBefore(ms: number, zone: string): Promise<string | undefined> {
  const { periodOf } = await import('../domain/calendar.ts');
  const day = periodOf(ms - 1, 'day', zone);
  return day.untilMs === ms ? day.name : undefined;
}

/** How far a reading may be from an end of the period: a day and a half, or an eighth of a longer period. */
const slackOf = ({ fromMs, untilMs }: ReportSpan): number => Math.max(36 * HOUR_MS, (untilMs - fromMs) / 8);

/** `taken`: oldest first, the reading of now last. */
interface PeriodReadings {
  taken: readonly SnapshotFigures[];
  endsNow: boolean;
  slackMs: number;
  lives: readonly DealLife[];
}

/** One reading cannot be both ends: it is the one that it is nearer to. Two of the same second can. */
function endsOf(
  { fromMs, untilMs }: ReportSpan,
  { taken, endsNow, slackMs, lives }: PeriodReadings,
): { from: PeriodEnd; to: PeriodEnd } {
  const [recorded, now] = [taken.slice(0, -1), taken.at(-1)];
  const eventsMs = lives.flatMap(({ events }) => events.map(({ ms }) => ms));
  const from = endOf(fromMs, recorded, { slackMs, eventsMs });
  const to =
    endsNow && now !== undefined
      ? { ms: now.ms, askedMs: now.ms, snapshot: now }
      : endOf(untilMs, taken, { slackMs, eventsMs });
  const isOne = from.snapshot === undefined || to.snapshot === undefined || from.snapshot === to.snapshot;
  if (from.ms < to.ms || (from.ms === to.ms && !isOne)) return { from, to };
  return distanceOf(from) < distanceOf(to)
    ? { from, to: withoutReading(untilMs) }
    : { from: withoutReading(fromMs), to };
}

const withoutReading = (askedMs: number): PeriodEnd => ({ ms: askedMs, askedMs, snapshot: undefined });

const distanceOf = ({ ms, askedMs }: PeriodEnd): number => Math.abs(ms - askedMs);

interface NearEnd {
  slackMs: number;
  eventsMs: readonly number[];
}

/** An unsteady reading only where no other is near. */
function endOf(askedMs: number, snapshots: readonly SnapshotFigures[], near: NearEnd): PeriodEnd {
  const steady = snapshots.filter(({ record }) => record.unsteady !== true);
  const ofSteady = nearestTo(askedMs, steady, near);
  const end = ofSteady.snapshot === undefined ? nearestTo(askedMs, snapshots, near) : ofSteady;
  const nearest = nearestTo(askedMs, snapshots, { ...near, eventsMs: [] }).snapshot;
  if (nearest === undefined || nearest === end.snapshot) return end;
  const isUnsteady = nearest.record.unsteady === true && end.snapshot?.record.unsteady !== true;
  return { ...end, passedOver: { ms: nearest.ms, why: isUnsteady ? 'unsteady' : 'changed' } };
}

/**
 * The reading that is nearest to a time. One that was taken later is used only if none of this machine's hedges changed
 * in between: what such a change realized would be in the period before, and a second report of today would lack it.
 */
function nearestTo(
  askedMs: number,
  snapshots: readonly SnapshotFigures[],
  { slackMs, eventsMs }: NearEnd,
): PeriodEnd {
  const firstMs = eventsMs.reduce((first, ms) => (ms >= askedMs && ms < first ? ms : first), Infinity);
  let nearest = withoutReading(askedMs);
  for (const snapshot of snapshots) {
    if (snapshot.ms > firstMs) continue;
    const end = { ms: snapshot.ms, askedMs, snapshot };
    const limit = nearest.snapshot === undefined ? slackMs : distanceOf(nearest);
    if (distanceOf(end) <= limit) nearest = end;
  }
  return nearest;
}

/** How far a reading may be from its midnight. */
const NIGHT_MS = DAY_MS / 2;

/** Sources that can also ask the whole journal. */
type KnownHedges = DealSources & { state: JournalState };

/** The hedges of the account that were there since a time, as far as this machine has read them. */
function hedgesSince(
  sinceMs: number,
  account: AccountReading,
  recorded: readonly SnapshotFigures[],
): Pick<DealSources, 'ids' | 'closed' | 'hedges'> {
  const { closed, hedges, held } = hedgesIn(recorded, account);
  /** Or somewhat before: which it was is judged by its life. */
  const endedSince = (fields: RecordedFields): boolean =>
    !((closedInstant(fields) ?? Date.parse(fields['maturity_at'] ?? '')) < sinceMs - DAY_MS);
  const ids = new Set([
    ...held,
    ...account.record.hedges.map((each) => each['id'] ?? ''),
    ...[...closed].flatMap(([id, { fields }]) => (endedSince(fields) ? [id] : [])),
    ...[...hedges].flatMap(([id, each]) => (each['status'] === 'closed' && endedSince(each) ? [id] : [])),
  ]);
  return { ids, closed, hedges };
}

/** IDs of hedges of the period that the journal has no confirmed open of. */
function othersBetween(
  from: PeriodEnd,
  to: PeriodEnd,
  { ids, closed, lives }: DealSources & { lives: readonly DealLife[] },
): readonly string[] {
  const ours = new Set(lives.map(({ hedgeId }) => hedgeId));
  return [...ids].filter((id) => !ours.has(id) && wasThere(id, { from, to, closed }));
}

/** Whether a hedge has the ID or the reference of an open from this machine that has not ended. */
function unconfirmedIn({ state, identity, hedges }: KnownHedges) {
  const opens = state.current.filter(
    (action) =>
      createsHedge(action.intent) && !isEnded(action) && isConfirmed(action.intent.identity, identity),
  );
  return (id: string): boolean => {
    const reference = hedges.get(id)?.['client_reference'] ?? undefined;
    return opens.some(
      ({ hedgeId, intent }) =>
        hedgeId === id || (reference !== undefined && intent.client_reference === reference),
    );
  };
}

/** Short IDs. */
const unresolvedBefore = ({ ms: untilMs }: PeriodEnd, { state, identity }: KnownHedges): readonly string[] =>
  state.current
    .filter((action) => isUnresolved(action) && isConfirmed(action.intent.identity, identity))
    .filter(({ intent }) => Date.parse(intent.before.service_at ?? intent.at) < untilMs)
    .map(({ shortId }) => shortId);

function wasThere(
  id: string,
  { from, to, closed }: { from: PeriodEnd; to: PeriodEnd; closed: ReadonlyMap<string, ClosedRecord> },
): boolean {
  if ([from, to].some(({ snapshot }) => snapshot?.held.has(id) === true)) return true;
  const closedMs = closedInstant(closed.get(id)?.fields ?? {}) ?? Number.NaN;
  return closedMs >= from.ms && closedMs < to.ms;
}

async function daysOf({
  from,
  to,
  zone,
  snapshots,
  deals,
}: Pick<ReportReading, 'from' | 'to' | 'zone' | 'snapshots' | 'deals'>): Promise<readonly ReportDay[]> {
  const { periodOf } = await import('../domain/calendar.ts');
  const days: ReportDay[] = [];
  let beganMs = from.ms;
  const left = new Set(deals.flatMap((each) => each.events));
  const eventsMs = [...left].map(({ ms }) => ms);
  const known = new Map(deals.map(({ deal }) => [deal, unrealizedAt(deal, from)]));
  const [firstMs, lastMs] = [Math.max(from.ms, midnightOf(from)), Math.min(to.ms, midnightOf(to))];
  for (let day = periodOf(firstMs, 'day', zone); ; day = periodOf(day.untilMs, 'day', zone)) {
    const isLast = day.untilMs >= lastMs;
    const end = isLast ? to : endOf(day.untilMs, snapshots, { slackMs: NIGHT_MS, eventsMs });
    const { snapshot } = end;
    // Events after the reading are in the next day: the reading has their P&L as unrealized.
    const past = isLast ? left : new Set(deals.flatMap(({ deal }) => eventsBefore(deal, end)));
    const ofDay = [...left].filter((event) => past.has(event));
    for (const event of ofDay) left.delete(event);
    const changes = snapshot === undefined ? [] : changesTo(end, known);
    const figures = {
      deal: undefined,
      hedges: deals.filter(({ deal }) => deal.openedMs < end.ms && (deal.closedMs ?? end.ms) >= beganMs)
        .length,
      realized: addPnl(ofDay.flatMap(({ pnl }) => pnl ?? [])),
      unrealized: snapshot && addPnl(changes.flatMap((change) => change ?? [])),
      isPartial:
        snapshot === undefined || changes.includes(undefined) || ofDay.some(({ pnl }) => pnl === undefined),
      lacksChange: snapshot === undefined || changes.includes(undefined),
    };
    beganMs = end.ms;
    const { name, untilMs } = day;
    days.push({ ...pnlGroup({ name, ...figures }), name, untilMs, snapshot });
    if (isLast) return days;
  }
}

/** A reading shortly before or after midnight is that of the night. */
const midnightOf = ({ ms, askedMs }: PeriodEnd): number =>
  Math.abs(ms - askedMs) <= NIGHT_MS ? askedMs : ms;

/** The change of each hedge since its figures were known last: none where a reading lacks some, and the next one has all. */
function changesTo(end: Cut, known: Map<DealLife, PnlParts | undefined>): readonly (PnlParts | undefined)[] {
  const figures = [...known].map(([deal, opening]) => ({ deal, opening, closing: unrealizedAt(deal, end) }));
  if (figures.some(({ opening, closing }) => opening !== undefined && closing === undefined))
    return [undefined];
  return figures.map(({ deal, opening, closing }) => {
    known.set(deal, closing);
    return opening && closing && lessPnl(closing, opening);
  });
}
