/** Double entry from the journal alone: from its snapshots and actions. A new snapshot is taken only for a period that is not over. */

import type { ExportIntent } from '../args/export-options.ts';
import { createsHedge } from '../domain/action-table.ts';
import { roundHalfUp, sum, USD_PLACES } from '../domain/amounts.ts';
import type { LocalClock } from '../domain/calendar.ts';
import type { DealEvent, DealLife } from '../domain/deal-pnl.ts';
import { say, shell } from '../domain/hint.ts';
import { DAY_MS, exactInstant, instantOf, instantText } from '../domain/instants.ts';
import { type AccountingEntry, type BalanceCut, entriesBetween } from '../domain/postings.ts';
import { ConditionError, type DamagedFileError, type HedgeError } from '../errors.ts';
import { type AccountIdentity, isConfirmed } from '../journal/account-identity.ts';
import { outcomeWord, timeInWords } from '../journal/describe.ts';
import type { IntentRecord } from '../journal/records.ts';
import { type ChainedSnapshot, type JournalState, snapshotsOf } from '../journal/state.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import { hedgesIn, readDealLives } from './deal-lives.ts';
import { goesByNow, localClockAt, spanOf } from './filter-records.ts';
import { incompleteError } from './journal-trouble.ts';
import type { ReadContext } from './read-context.ts';
import { type SnapshotFigures, snapshotFigures } from './snapshot-figures.ts';
import { readWholeAccount, saveSnapshot } from './take-snapshot.ts';

export interface ExportReading {
  intent: ExportIntent;
  /** IANA zone of the dates. */
  zone: string;
  identity: AccountIdentity;
  entries: readonly AccountingEntry[];
  /** Milliseconds since the epoch, by the service's clock; `untilMs`: undefined for all until now. */
  fromMs: number;
  untilMs: number | undefined;
  /** The last snapshot that the entries rest on. */
  last: SnapshotFigures;
  /** The snapshot whose balances the entries end with; undefined: they end before the balances of `next`. */
  balanced: SnapshotFigures | undefined;
  /** The first snapshot after the period. */
  next: SnapshotFigures | undefined;
  /** Hedges of the journal from before the first snapshot, which have no line but that of the opening balances. */
  unbooked: number;
  notSaved: DamagedFileError | undefined;
  trouble: JournalTrouble | undefined;
}

interface ChainedFigures {
  snapshot: SnapshotFigures;
  hash: string | undefined;
}

/** @throws ConditionError `no_snapshot` */
export async function readExport(
  context: ReadContext,
  intent: ExportIntent,
  { zone, profile }: { zone: string; profile: string },
): Promise<ExportReading> {
  const { identity, journal } = context;
  const { fromMs = -Infinity, untilMs } = await spanOf(intent, await clockFor(intent, context, zone));
  const [newest] = snapshotsOf(journal.read(), identity);
  const isOver = newest !== undefined && (untilMs ?? Infinity) <= timeOf(newest);
  const notSaved = intent.saves && !isOver ? await takeNow(context, profile) : undefined;
  const state = journal.read();
  const [latest] = snapshotsOf(state, identity);
  if (latest === undefined) throw noSnapshot('of this account');
  const chained = [...snapshotsOf(state, identity, fromMs)]
    .toReversed()
    .map(({ record, hash }): ChainedFigures => ({ snapshot: snapshotFigures(record), hash }));
  const snapshots = chained.map(({ snapshot }) => snapshot);
  const [first = snapshotFigures(latest.record)] = snapshots;
  const lastMs = timeOf(latest);
  if (fromMs > lastMs)
    throw noSnapshot(
      `since ${timeInWords(instantText(fromMs))}, where the period begins; the last is of ${timeInWords(instantText(lastMs))}`,
    );
  if (untilMs !== undefined && untilMs <= first.ms)
    throw noSnapshot(
      `before ${endInWords(intent, untilMs)}, where the period ends; the first is of ${timeInWords(instantText(first.ms))}`,
    );
  const deals = dealsIn(snapshots, state, identity);
  const entries = entriesBetween(
    { fromMs, untilMs: untilMs ?? Infinity },
    { cuts: chained.map(balanceCut), deals, hashOf: (id) => state.hashOf(id) },
  );
  const inPeriod = ({ ms }: SnapshotFigures): boolean => ms >= fromMs && ms < (untilMs ?? Infinity);
  return {
    intent,
    zone,
    identity,
    entries,
    balanced: entries.at(-1)?.deal === undefined ? snapshots.findLast(inPeriod) : undefined,
    next: snapshots.find(({ ms }) => ms >= (untilMs ?? Infinity)),
    fromMs: Math.max(fromMs, first.ms),
    untilMs,
    last: snapshots.at(-1) ?? first,
    unbooked: first.ms < fromMs ? 0 : openedBefore(first.ms, { fromMs, state, identity }),
    notSaved,
    trouble: state.trouble,
  };
}

/** By the service's time, where that is recorded. */
function openedBefore(
  ms: number,
  { fromMs, state, identity }: { fromMs: number; state: JournalState; identity: AccountIdentity },
): number {
  const until = exactInstant(ms + DAY_MS);
  const isMeant = (intent: IntentRecord): boolean => {
    const at = Date.parse(intent.before.service_at ?? intent.at);
    return createsHedge(intent) && at >= fromMs && at < ms && isConfirmed(intent.identity, identity);
  };
  const opens = [...state.newest({ until }, isMeant)];
  return opens.filter((open) => open.hedgeId !== undefined && outcomeWord(open) !== 'failed').length;
}

/** A day is included whole: its name, not that of the midnight after it. */
const endInWords = ({ until }: ExportIntent, untilMs: number): string =>
  until?.kind === 'day' ? `the end of ${until.date}` : timeInWords(instantText(untilMs));

/** Undefined when the export is whole. */
export const exportFinding = ({ notSaved, trouble }: ExportReading): HedgeError | undefined =>
  notSaved ?? (trouble && incompleteError(trouble));

const timeOf = ({ record }: ChainedSnapshot): number => Date.parse(record.service_at);

/** The service is asked for its time only where the period depends on that: its last snapshot may be of another day. */
async function clockFor(
  { since, until }: ExportIntent,
  { api, signal, clock }: ReadContext,
  zone: string,
): Promise<LocalClock> {
  const here = { zone, nowMs: clock.now() };
  return goesByNow(since) || goesByNow(until) ? localClockAt(await api.account({ signal }), here) : here;
}

const noSnapshot = (which: string): ConditionError =>
  new ConditionError({
    code: 'no_snapshot',
    what: `The journal has no snapshot ${which}.`,
    meaning: 'Nothing was written.',
    hint: say`Take one now, and one a day from now on: ${shell`hedge snapshot`}`,
  });

async function takeNow(context: ReadContext, profile: string): Promise<DamagedFileError | undefined> {
  const { record } = await readWholeAccount(context, { profile });
  return saveSnapshot(context, record);
}

function balanceCut({ snapshot, hash }: ChainedFigures): BalanceCut {
  const { balance_usdc: balance, reserved_usdc: reserved } = snapshot.value;
  return {
    ms: snapshot.ms,
    snapshot,
    hash,
    balances: {
      balance: roundHalfUp(balance, USD_PLACES),
      margin: snapshot.margin && roundHalfUp(snapshot.margin, USD_PLACES),
      reserved: reserved && roundHalfUp(reserved, USD_PLACES),
    },
  };
}

/** The hedges of the snapshots, each event as it was known when it was first seen. */
function dealsIn(
  snapshots: readonly SnapshotFigures[],
  state: JournalState,
  identity: AccountIdentity,
): readonly DealLife[] {
  const { closed, hedges, held } = hedgesIn(snapshots);
  const ids = new Set([...held, ...closed.keys()]);
  const deals = readDealLives({ state, identity, ids, closed, hedges });
  const ends = endsIn(snapshots);
  return deals.map((deal) => asFirstSeen(deal, ends.get(deal.hedgeId)));
}

/** The first snapshot that a hedge is gone from. */
interface HedgeEnd {
  recordedAt: string;
  ms: number;
}

function endsIn(snapshots: readonly SnapshotFigures[]): ReadonlyMap<string, HedgeEnd> {
  const ends = new Map<string, HedgeEnd>();
  for (const [at, { record, held }] of snapshots.entries()) {
    const next = snapshots[at + 1];
    for (const hedge of record.hedges) {
      const id = hedge['id'] ?? '';
      if (!held.has(id)) continue;
      ends.delete(id);
      const matures = instantOf(hedge['maturity_at'] ?? '') ?? Infinity;
      if (next !== undefined && !next.held.has(id))
        ends.set(id, { recordedAt: next.record.at, ms: Math.min(matures, next.ms) });
    }
  }
  return ends;
}

/** A hedge that ended before its record came: its margin is released then, and its result is booked with the record. */
function asFirstSeen(deal: DealLife, end: HedgeEnd | undefined): DealLife {
  const close = deal.events.find(({ kind }) => kind === 'close');
  if (end === undefined || (close?.recordedAt ?? '~') <= end.recordedAt) return deal;
  const earlier = deal.events.filter((each) => each !== close);
  const margin = sum(earlier.flatMap((each) => each.margin ?? [])).times(-1);
  const release: DealEvent = {
    ...end,
    kind: 'close',
    pnl: undefined,
    margin,
    sizes: undefined,
    actionId: undefined,
  };
  const result = close === undefined ? [] : [{ ...close, margin: undefined }];
  return { ...deal, closedMs: end.ms, events: [...earlier, release, ...result] };
}
