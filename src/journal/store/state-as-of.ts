/**
 * The journal as of one record: each question is asked of the database when it is needed, and later records do not change
 * its answer.
 */
import { Big } from 'big.js';
import { enlarges } from '../../domain/action-table.ts';
import { exactInstant } from '../../domain/instants.ts';
import { once } from '../../domain/once.ts';
import { type AccountIdentity, sameIdentity } from '../account-identity.ts';
import { haltFrom } from '../halt.ts';
import { LAST_DEALS } from '../queries.ts';
import { type ActionRecord, isOfAction, isOfHalt, isOfRoll, type JournalRecord } from '../records.ts';
import { type Action, type IsRunning, isEnded, maybeExecuted, replayRecords } from '../replay.ts';
import {
  type ActionTerms,
  CURRENT_MS,
  type JournalSpan,
  type JournalState,
  openRolls,
  withTerms,
} from '../state.ts';
import {
  agreed,
  countedDeals,
  countOf,
  type IndexedRecord,
  identitiesOf,
  indexed,
  lastDealsOf,
  newestIntents,
  type OpenKind,
  openItems,
} from './derived-tables.ts';
import { headOf } from './insert-records.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { recordAt, storedRecords } from './record-rows.ts';
import type { IndexedColumn } from './schema.ts';

/** An action and the number of its intent. */
interface Placed {
  action: Action;
  seq: number;
}

const PREFIX = /^[0-9a-f]{4,16}$/;
const PAGE = 50;

/** `head`: the last record that counts. @throws JournalDamage from each question that finds damage. */
export function stateAsOf(
  db: JournalDatabase,
  head: number,
  { isRunning, nowMs }: { isRunning: IsRunning; nowMs: number },
): JournalState {
  const known = new Map<string, Placed | undefined>();
  const recentFrom = exactInstant(nowMs - CURRENT_MS);
  const upToHead = (all: readonly IndexedRecord[]): readonly IndexedRecord[] =>
    all.filter(({ seq }) => seq <= head);
  const where = (column: IndexedColumn, condition: string, ...binds: readonly (string | number)[]) =>
    upToHead(indexed(db, column, condition, ...binds));

  const recordsAt = (id: string, places: readonly IndexedRecord[]): readonly ActionRecord[] =>
    places.map(({ seq }) => {
      const record = recordAt(db, seq);
      if (!isOfAction(record) || record.action_id !== id)
        throw new JournalDamage(db.path, `its index names another record for action ${id}`);
      return record;
    });
  const recordsOf = (id: string): readonly ActionRecord[] => recordsAt(id, where('action_id', '= ?', id));

  function byId(id: string): Placed | undefined {
    if (known.has(id)) return known.get(id);
    const places = where('action_id', '= ?', id);
    const [first] = places;
    const [action] = replayRecords(recordsAt(id, places), isRunning);
    const found = first && action && { action, seq: first.seq };
    known.set(id, found);
    return found;
  }

  const placed = (ids: Iterable<string>): readonly Placed[] =>
    [...new Set(ids)].flatMap((id) => byId(id) ?? []).toSorted((one, other) => one.seq - other.seq);

  let since: { seq: number; records: readonly JournalRecord[] } = { seq: head, records: [] };
  /** Records that were appended since, in the snapshot of the caller. */
  function later(): readonly JournalRecord[] {
    const { seq } = headOf(db);
    if (seq !== since.seq)
      since = {
        seq,
        records: [...storedRecords(db, { from: head + 1 })].map((each) => recordAt(db, each.seq)),
      };
    return since.records;
  }

  /** Open items now, and the records that changed them since. */
  const items = once(() => db.reading(() => ({ now: openItems(db), since: later() })));
  const openNow = (kind: OpenKind): readonly { id: string; seq: number }[] =>
    items().now.filter((each) => each.kind === kind && each.seq <= head);
  const openActions = once(() =>
    placed([...openNow('action').map(({ id }) => id), ...actionsOf(items().since)]).filter(
      ({ action }) => !isEnded(action),
    ),
  );
  const recordsSince = (at: string): readonly string[] => actionIds(where('at', '>= ?', at));
  const current = once(() =>
    placed([...openActions().map(({ action }) => action.id), ...recordsSince(recentFrom)]),
  );

  function idsWith({
    ids = [],
    keys = [],
    dealIds = [],
    chainIds = [],
    hedgeIds = [],
  }: ActionTerms): Iterable<string> {
    const prefixes = ids.map((each) => each.toLowerCase()).filter((each) => PREFIX.test(each));
    const terms: readonly (readonly [IndexedColumn, readonly string[]])[] = [
      ['idempotency_key', keys],
      ['deal_id', dealIds],
      ['chain_id', chainIds],
      ['hedge_id', hedgeIds],
    ];
    return [
      ...prefixes.flatMap((each) => actionIds(where('action_id', 'BETWEEN ? AND ?', each, `${each}g`))),
      ...terms.flatMap(([column, texts]) => texts.flatMap((text) => actionIds(where(column, '= ?', text)))),
    ];
  }

  /** The records of these kinds, newest first, read as far as they are taken. */
  function* ofKinds(
    kinds: readonly JournalRecord['kind'][],
    { from = '', until }: JournalSpan = {},
  ): Generator<JournalRecord> {
    const places = kinds
      .flatMap((kind) => where('kind', '= ?', kind))
      .toSorted((one, other) => other.seq - one.seq);
    for (const { seq } of places) {
      const record = recordAt(db, seq);
      if (record.at >= from && (until === undefined || record.at < until)) yield record;
    }
  }

  function* newest(span: JournalSpan = {}): Generator<Action> {
    for (const id of intentsOf(span)) {
      const found = byId(id);
      if (found !== undefined) yield found.action;
    }
  }

  /** The IDs of the actions of a span, newest first. */
  function* intentsOf({ from = '', until = '~' }: JournalSpan): Generator<string> {
    const isWhole = from === '' && until === '~';
    const start = isWhole ? 0 : firstSince(from);
    for (let before = head + 1; ; ) {
      const page = newestIntents(db, { before, from: start, most: PAGE });
      for (const { seq, actionId } of page) {
        before = seq;
        if (actionId === undefined) continue;
        const at = isWhole ? from : (byId(actionId)?.action.intent.at ?? '');
        if (at >= from && at < until) yield actionId;
      }
      if (page.length < PAGE) return;
    }
  }

  /** The number of the first record at or after an instant. */
  function firstSince(at: string): number {
    const [row] = agreed(db, 'at', (from, it) => `SELECT min(seq) AS first FROM ${from} AND ${it} >= ?`, [
      at,
    ]);
    return typeof row?.['first'] === 'number' ? row['first'] : head + 1;
  }

  const counted = ({ action }: Placed, identity: AccountIdentity): boolean =>
    enlarges(action.intent) &&
    action.notional !== undefined &&
    maybeExecuted(action) &&
    sameIdentity(action.intent.identity, identity);

  const openedOn = (identity: AccountIdentity, day: string, except?: string): Big =>
    db.reading(() => {
      const changed = actionsOf(later());
      const others = placed([...openActions().map(({ action }) => action.id), ...changed]);
      const apart = new Set(others.map(({ action }) => action.id));
      let sum = new Big(0);
      for (const each of countedDeals(db, day))
        if (
          each.seq <= head &&
          each.actionId !== except &&
          !apart.has(each.actionId) &&
          isSame(each.identity, identity)
        )
          sum = sum.plus(each.usd);
      for (const each of others)
        if (each.action.id !== except && each.action.intent.at.startsWith(day) && counted(each, identity))
          sum = sum.plus(each.action.notional ?? 0);
      return sum;
    });

  const lastNotionals = (identity: AccountIdentity, except?: string): readonly Big[] =>
    db.reading(() => {
      const changed = actionsOf(later());
      const most = LAST_DEALS + 1 + changed.size;
      const ended = identitiesOf(db)
        .filter((each) => isSame(each.identity, identity))
        .flatMap(({ number }) => lastDealsOf(db, number, most))
        .filter((seq) => seq <= head)
        .flatMap((seq) => {
          const intent = recordAt(db, seq);
          return intent.kind === 'intent' && intent.notional_usd !== undefined
            ? [{ id: intent.action_id, seq, usd: new Big(intent.notional_usd) }]
            : [];
        });
      const others = placed([...openActions().map(({ action }) => action.id), ...changed]);
      const apart = new Set(others.map(({ action }) => action.id));
      return [
        ...ended.filter(({ id }) => !apart.has(id)),
        ...others
          .filter((each) => counted(each, identity))
          .map(({ action, seq }) => ({ id: action.id, seq, usd: action.notional ?? new Big(0) })),
      ]
        .filter(({ id }) => id !== except)
        .toSorted((one, other) => other.seq - one.seq)
        .slice(0, LAST_DEALS)
        .map(({ usd }) => usd);
    });

  /** The records of the open items of a kind, in order; of items that changed since, all of them up to the head. */
  function openRecords(
    kind: 'roll' | 'halt',
    column: IndexedColumn,
    changed: (record: JournalRecord) => readonly string[],
  ): readonly JournalRecord[] {
    const changedSince = new Set(items().since.flatMap(changed));
    const places = [
      ...openNow(kind).map(({ seq }) => seq),
      ...[...changedSince].flatMap((id) => where(column, '= ?', id).map(({ seq }) => seq)),
      ...(kind === 'halt' && changedSince.size > 0 ? where('kind', "= 'unhalt'").map(({ seq }) => seq) : []),
    ];
    return [...new Set(places)].toSorted((one, other) => one - other).map((seq) => recordAt(db, seq));
  }

  const rolls = once(() =>
    openRolls(
      openRecords('roll', 'chain_id', (each) => (isOfRoll(each) ? [each.chain_id] : [])).filter(isOfRoll),
    ),
  );
  const halt = once(() =>
    haltFrom(
      openRecords('halt', 'halt_id', (each) =>
        each.kind === 'halt' ? [each.halt_id] : each.kind === 'unhalt' ? each.halt_ids : [],
      ).filter(isOfHalt),
    ),
  );

  return {
    path: db.path,
    trouble: undefined,
    get halt() {
      return halt();
    },
    get count() {
      return db.reading(() => countOf(db) - later().filter((each) => each.kind === 'intent').length);
    },
    get current() {
      return current().map(({ action }) => action);
    },
    find: (terms) =>
      withTerms(
        placed(idsWith(terms)).map(({ action }) => action),
        terms,
      ),
    since: (at) =>
      placed([...current().map(({ action }) => action.id), ...recordsSince(at)]).map(({ action }) => action),
    openedOn,
    lastNotionals,
    recordsOf,
    latestSince(id) {
      const [first] = where('action_id', '= ?', id);
      if (first === undefined) return undefined;
      const begun = recordAt(db, first.seq).at;
      const [row] = agreed(
        db,
        'at',
        (from, it) =>
          `SELECT ${it} AS at FROM ${from} AND ${it} >= ? AND seq BETWEEN ? AND ? ORDER BY ${it} DESC LIMIT 1`,
        [begun, first.seq, head],
      );
      return typeof row?.['at'] === 'string' ? row['at'] : begun;
    },
    newest,
    *halts(span) {
      for (const record of ofKinds(['halt', 'unhalt'], span)) if (isOfHalt(record)) yield record;
    },
    get rolls() {
      return rolls();
    },
    *rollRecords(span) {
      for (const record of ofKinds(['roll', 'roll_end'], span)) if (isOfRoll(record)) yield record;
    },
  };
}

const actionsOf = (records: readonly JournalRecord[]): ReadonlySet<string> =>
  new Set(records.flatMap((each) => (isOfAction(each) ? each.action_id : [])));

/** `recorded`: in JSON. */
function isSame(recorded: string, identity: AccountIdentity): boolean {
  const one: AccountIdentity = JSON.parse(recorded);
  return sameIdentity(one, identity);
}

const actionIds = (all: readonly IndexedRecord[]): readonly string[] =>
  all.flatMap(({ actionId }) => actionId ?? []);
