/** The hedges that were opened from this machine, each with the events of its life: from the journal and the service's records. Pure. */
import type { Big } from 'big.js';
import { createsHedge, enlarges } from '../domain/action-table.ts';
import { divide, readDecimal, sum, USD_PLACES } from '../domain/amounts.ts';
import {
  type ClosedFacts,
  type DealEntry,
  type DealLife,
  type DealReduction,
  dealOf,
} from '../domain/deal-pnl.ts';
import { isSameSize, sizeTolerance } from '../domain/exposure.ts';
import { instantOf } from '../domain/instants.ts';
import { recordedReturn } from '../domain/returned-amounts.ts';
import { type HedgeShare, shareSide } from '../domain/side-shares.ts';
import { type AccountIdentity, isConfirmed } from '../journal/account-identity.ts';
import { operatorInWords } from '../journal/describe.ts';
import type { Action } from '../journal/replay.ts';
import { changesKept, fillOf, type KeptChange, quoteOfFill } from '../journal/results.ts';
import type { JournalState } from '../journal/state.ts';
import { closedHedgeId, closedInstant } from './closed-record.ts';
import type { SnapshotFigures } from './snapshot-figures.ts';
import type { AccountReading, RecordedFields } from './take-snapshot.ts';

/** The record of a closed hedge. */
export interface ClosedRecord {
  fields: RecordedFields;
  /** When a snapshot first had it, by this machine's clock; undefined: none has. */
  recordedAt: string | undefined;
}

export interface DealSources {
  state: Pick<JournalState, 'find' | 'since'>;
  identity: AccountIdentity;
  /** Hedge IDs that are asked for. */
  ids: ReadonlySet<string>;
  /** By hedge ID. */
  closed: ReadonlyMap<string, ClosedRecord>;
  /** The last listing of each, by ID. */
  hedges: ReadonlyMap<string, RecordedFields>;
}

/** In order of their opens. Hedges that nobody opened from this machine are left out. */
export function readDealLives(sources: DealSources): readonly DealLife[] {
  const { state, identity, ids } = sources;
  const isOurs = ({ intent }: Action): boolean => isConfirmed(intent.identity, identity);
  const opens = new Map(
    state
      .find({ hedgeIds: [...ids] })
      .filter((action) => createsHedge(action.intent) && isOurs(action) && isOpened(action))
      .map((action) => [action.hedgeId ?? '', action]),
  );
  const earliest = [...opens.values()].map(({ intent }) => intent.at).toSorted()[0];
  if (earliest === undefined) return [];
  const later = state
    .since(earliest)
    .filter((action) => isOurs(action) && !createsHedge(action.intent))
    // A machine of a desk that did not reach its log delivers a reduce after later actions of the others.
    .toSorted((one, other) => serviceMs(one) - serviceMs(other));
  const changes = changesById(later);
  return [...opens].map(([id, open]) =>
    lifeOf(id, open, { ...sources, later, changes: changes.get(id) ?? [] }),
  );
}

const OPENED: readonly unknown[] = ['filled', 'closed'];
const isOpened = ({ hedgeId, outcome, recordedAs }: Action): boolean =>
  hedgeId !== undefined && (OPENED.includes(outcome?.kind) || recordedAs === 'done');

type Change = DealEntry | DealReduction;

function lifeOf(
  id: string,
  open: Action,
  { closed, hedges, later, changes }: DealSources & { later: readonly Action[]; changes: readonly Change[] },
): DealLife {
  const { intent } = open;
  const record = closed.get(id);
  const openedMs = filledMs(open);
  const entry = openEntry(open, openedMs);
  return dealOf({
    hedgeId: id,
    dealId: intent.deal_id,
    market: intent.market,
    side: intent.side,
    operator: intent.operator && operatorInWords(intent.operator),
    openedMs,
    recordedAt: recordedAt(open),
    changes: [...(entry === undefined ? [] : [entry]), ...changes].filter(
      // The record of its close has all that became known later.
      (change) => record?.recordedAt === undefined || change.recordedAt <= record.recordedAt,
    ),
    closedMs: closedMs(id, { closed, hedges, later }),
    closed: record && closedFacts(record.fields),
    closedRecordedAt: record?.recordedAt,
  });
}

/** The service's time of an action, in milliseconds since the epoch. */
const serviceMs = ({ intent }: Action): number => Date.parse(intent.before.service_at ?? intent.at);

const filledMs = (open: Action): number =>
  instantOf(open.outcome?.facts['filled_at'] ?? '') ?? serviceMs(open);

const recordedAt = ({ outcome, changedAt }: Action): string => outcome?.at ?? changedAt;

function openEntry(open: Action, ms: number): DealEntry | undefined {
  const notional = fillOf(open)?.notional ?? open.notional;
  return notional && entryOf(open, { kind: 'open', ms, before: notional.minus(notional), after: notional });
}

function entryOf(action: Action, at: Pick<DealEntry, 'kind' | 'ms' | 'before' | 'after'>): DealEntry {
  const { quote } = action.intent;
  const notional = at.after.minus(at.before);
  /** The part of a partial fill. */
  const scaled = (name: string): Big | undefined => {
    const whole = readDecimal(quote?.[name]);
    return whole && action.notional && divide(whole.times(notional), action.notional, USD_PLACES);
  };
  return {
    ...at,
    notional,
    mid: readDecimal(quoteOfFill(action)?.['market_price']),
    quoted: readDecimal(quoteOfFill(action)?.['execution_price']),
    fee: scaled('platform_fee_usdc'),
    margin: scaled('required_margin_usdc'),
    actionId: action.id,
    recordedAt: recordedAt(action),
  };
}

/** Adds and reduces by hedge, in order; what closed a hedge is in its record. */
function changesById(later: readonly Action[]): ReadonlyMap<string, readonly Change[]> {
  const byId = new Map<string, Change[]>();
  for (const action of later) {
    const changed = ownChanges(action, (id) => byId.get(id)?.at(-1)?.after);
    const shares = sharesOf(action, changed);
    for (const { id, before, after } of changed) {
      if (after.eq(0) || before.eq(after)) continue;
      const at = { ms: serviceMs(action), before, after };
      const change: Change = after.gt(before)
        ? entryOf(action, { kind: 'add', ...at })
        : {
            ...at,
            kind: 'reduce',
            share: shares.get(id),
            actionId: action.id,
            recordedAt: recordedAt(action),
          };
      byId.set(id, [...(byId.get(id) ?? []), change]);
    }
  }
  return byId;
}

/**
 * The outcome of one of two that were under way at once may be that of both: then its own part, by its notional, after that of
 * the earlier ones. `lastSize`: of a hedge, after the changes so far.
 */
function ownChanges(action: Action, lastSize: (id: string) => Big | undefined): readonly KeptChange[] {
  const changed = changesKept(action) ?? [];
  const whole = sum(changed.map(({ before, after }) => after.minus(before)));
  const asked = enlarges(action.intent) ? action.notional : action.notional?.times(-1);
  if (asked === undefined || whole.eq(0) || changed.some(({ after }) => after.eq(0))) return changed;
  // One that was alone changed the side by exactly what was asked for.
  if (whole.minus(asked).abs().lte(sizeTolerance(changed.length))) return changed;
  return changed.map(({ id, before: seen, after: last }) => {
    const own = divide(last.minus(seen).times(asked), whole, USD_PLACES);
    const earlier = lastSize(id) ?? seen;
    const isNext =
      earlier.minus(seen).times(last.minus(earlier)).gt(0) || isSameSize(earlier.plus(own), last);
    const before = isNext ? earlier : seen;
    return { id, before, after: before.plus(own) };
  });
}

/** The part of each hedge in a reduce, from the figures of the side that it was sent with. */
function sharesOf(action: Action, changed: readonly KeptChange[]): ReadonlyMap<string, HedgeShare> {
  const { side, quote, before: seen } = action.intent;
  const returned = recordedReturn(quote);
  if (returned?.net_pnl_usd === undefined || returned.close_fee_usdc === undefined) return new Map();
  const { net_pnl_usd: net, close_fee_usdc: closeFee, gross_pnl_usd: gross, mark_price: mark } = returned;
  const legs = changed
    .filter(({ before, after }) => after.lt(before))
    .map(({ id, before, after }) => {
      const hedge = seen.hedges.find(({ hedge_id: each }) => each === id);
      return {
        id,
        notional: before.minus(after),
        struck: readDecimal(hedge?.struck_rate),
        heldMs: serviceMs(action) - (instantOf(hedge?.filled_at ?? '') ?? serviceMs(action)),
      };
    });
  const figures =
    gross === undefined
      ? // Without the price P&L alone, nothing is split.
        { side, mark: undefined, gross: net, carry: sum([]), closeFee }
      : { side, mark, gross, carry: net.minus(gross), closeFee };
  return new Map(shareSide(figures, legs).map((share) => [share.leg.id, share]));
}

/** Undefined while it is open, or where nothing tells. */
function closedMs(
  id: string,
  { closed, hedges, later }: Pick<DealSources, 'closed' | 'hedges'> & { later: readonly Action[] },
): number | undefined {
  const [record, listed] = [closed.get(id), hedges.get(id)];
  const stated = record && closedInstant(record.fields);
  if (stated !== undefined) return stated;
  const close = later.find((action) =>
    (changesKept(action) ?? []).some((each) => each.id === id && each.after.eq(0)),
  );
  if (close !== undefined) return serviceMs(close);
  const isClosed = record !== undefined || listed?.['status'] === 'closed';
  const known = [listed?.['maturity_at'], record?.recordedAt].flatMap((at) => instantOf(at ?? '') ?? []);
  return isClosed && known.length > 0 ? Math.min(...known) : undefined;
}

/** Their sum may differ from the net P&L by what the service rounded. */
const LARGEST_ROUNDING = '0.01';

function closedFacts(fields: RecordedFields): ClosedFacts | undefined {
  const [net, gross, carry, fees, notional, entry, exit] = [
    'net_pnl_usd',
    'gross_pnl_usd',
    'carry_usdc',
    'fees_usdc',
    'notional_usd',
    'entry_price',
    'exit_price',
  ].map((name) => readDecimal(fields[name]));
  if (net === undefined) return undefined;
  const isKnown = gross !== undefined && carry !== undefined && fees !== undefined;
  const addsUp = isKnown && gross.plus(carry).minus(fees).minus(net).abs().lte(LARGEST_ROUNDING);
  return { net, parts: addsUp ? { gross, carry, fees } : undefined, notional, entry, exit };
}

/**
 * The hedges of snapshots, oldest first, and of a reading of now. The first record of a closed one stays, and the last listing of
 * each. Records without an ID belong to no hedge.
 */
export function hedgesIn(
  snapshots: readonly SnapshotFigures[],
  now?: Pick<AccountReading, 'closed' | 'hedges'>,
): Pick<DealSources, 'closed' | 'hedges'> & { held: readonly string[] } {
  const closed = new Map<string, ClosedRecord>();
  const add = (records: readonly RecordedFields[], at?: string): void => {
    for (const fields of records) {
      const id = closedHedgeId(fields);
      if (id !== undefined && !closed.has(id)) closed.set(id, { fields, recordedAt: at });
    }
  };
  for (const { record } of snapshots) add(record.closed, record.at);
  add(now?.closed ?? []);
  const listed = [...snapshots.flatMap(({ record }) => record.hedges), ...(now?.hedges ?? [])];
  return {
    closed,
    hedges: new Map(listed.map((hedge) => [hedge['id'] ?? '', hedge])),
    held: snapshots.flatMap(({ held }) => [...held.keys()]),
  };
}
