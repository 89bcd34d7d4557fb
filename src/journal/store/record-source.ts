/** The records at one moment, looked up by what they have: those of a database, and more that are in none. */
import { once } from '../../domain/once.ts';
import { similarForm } from '../../domain/similar-ids.ts';
import { isOfAction, type JournalRecord } from '../records.ts';
import { type Tracked, trackRecords } from '../replay.ts';
import { type NumberedRecord, Summary } from '../summary.ts';
import {
  agreed,
  type Lookup,
  type LookupSql,
  lookupIn,
  readSummary,
  SIMILAR,
  similarFormIn,
} from './derived-tables.ts';
import { type JournalDatabase, numberOf, type SqlRow, type SqlValue, textOf } from './journal-database.ts';
import { hashAt, headOf, type JournalHead, NO_HEAD, numberedAt, recordsBetween } from './record-rows.ts';

/** An action as its records tell it, whatever the processes and the time. */
export interface ReplayedAction {
  tracked: Readonly<Tracked>;
  /** Number of its intent. */
  seq: number;
  /** How many records it has. */
  records: number;
}

/** Numbers of records that are in no database yet: after those of all that are. */
const AFTER_ALL = 2 ** 48;

export const numberedAfterAll = (records: readonly JournalRecord[]): readonly NumberedRecord[] =>
  records.map((record, at) => ({ seq: AFTER_ALL + at, record }));

/** Each question may throw JournalDamage where something is not as it was written. */
export class RecordSource {
  readonly #db: JournalDatabase | undefined;
  readonly #kept = once(() => (this.#db === undefined ? nothingKept() : keptNow(this.#db)));
  readonly #more: ReadonlyMap<number, NumberedRecord>;

  /** `db`: in the caller's transaction. `more`: later ones, in the order of their numbers. */
  constructor(db: JournalDatabase | undefined, more: readonly NumberedRecord[] = []) {
    this.#db = db;
    this.#more = new Map(more.map((each) => [each.seq, each]));
  }

  /** In the order of the numbers that are given. */
  records(seqs: readonly number[]): readonly NumberedRecord[] {
    const { records } = this.#kept();
    const missing = seqs.filter((seq) => !this.#more.has(seq) && !records.has(seq));
    const [first, end] = [Math.min(...missing), Math.max(...missing)];
    if (missing.length > 0 && end - first < NEARBY * missing.length) this.#read(first, end);
    return seqs.map((seq) => {
      const known = this.#more.get(seq) ?? records.get(seq);
      if (known !== undefined) return known;
      if (this.#db === undefined) throw new Error(`record ${seq.toString()} is not in memory`);
      this.#read(seq, seq);
      return records.get(seq) ?? numberedAt(this.#db, seq);
    });
  }

  #read(from: number, to: number): void {
    if (this.#db === undefined) return;
    const { last, records, actions } = this.#kept();
    if (records.size > MOST_KEPT) for (const each of [records, actions]) each.clear();
    // The caller's own new records may be rolled back.
    for (const each of recordsBetween(this.#db, from, to))
      if (each.seq <= last.seq) records.set(each.seq, each);
  }

  /** Numbers of the records with a value from `from` to `to`, in order. */
  found(name: Lookup, from: string, to: string = from): readonly number[] {
    const [condition, binds] = from === to ? ['= ?', [from]] : ['BETWEEN ? AND ?', [from, to]];
    const rows = this.#rows(
      name,
      (table, it) => `SELECT seq FROM ${table} AND ${it} ${condition} ORDER BY seq`,
      binds,
    );
    return [...this.#seqsIn(rows), ...this.#laterWith(name, (value) => value >= from && value <= to)];
  }

  /** Numbers of the intents whose deal ID looks like this one, in order. */
  similarTo(dealId: string): readonly number[] {
    const form = similarForm(dealId);
    const rows = this.#db?.all(
      'SELECT seq FROM lookup WHERE name = ? AND value = ? ORDER BY seq',
      SIMILAR,
      form,
    );
    const later = [...this.#more.values()].filter(({ record }) => similarFormIn(record) === form);
    return [...this.#seqsIn(rows ?? []), ...later.map(({ seq }) => seq)];
  }

  /** Numbers of the records of a kind before a number, and not before `first`, newest first: a page. */
  newestOf(
    kind: JournalRecord['kind'],
    { before, first, most }: { before: number; first: number; most: number },
  ): readonly number[] {
    const rows = this.#rows(
      'kind',
      (table, it) =>
        `SELECT seq FROM ${table} AND ${it} = ? AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`,
      [kind, before, first, most],
    );
    const later = this.#laterWith('kind', (value) => value === kind);
    const newest = later.filter((seq) => seq < before && seq >= first).toReversed();
    return [...newest, ...this.#seqsIn(rows)].slice(0, most);
  }

  /** The first and the last number of a record with a time from `from` on, and before `until`. */
  boundsOf({ from, until }: { from: string; until: string }): { first: number; last: number } | undefined {
    const rows = this.#rows(
      'at',
      (table, it) => `SELECT min(seq) AS first, max(seq) AS last FROM ${table} AND ${it} >= ? AND ${it} < ?`,
      [from, until],
    ).filter((row) => row['first'] !== null);
    const later = this.#laterWith('at', (value) => value >= from && value < until);
    const [first, last] = [
      [...this.#seqsIn(rows, 'first'), ...later][0],
      [...this.#seqsIn(rows, 'last'), ...later].at(-1),
    ];
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  /** The number after the first record of an action or of a roll; after all where there is none. */
  firstAfter(id: string): number {
    const seqs = [...this.found('action_id', id), ...this.found('chain_id', id)];
    return seqs.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...seqs) + 1;
  }

  /** The latest time of a record from `first` on that is not before `from`; undefined without one. */
  latestAt(from: string, first: number): string | undefined {
    const rows = this.#rows(
      'at',
      (table, it) =>
        `SELECT ${it} AS at FROM ${table} AND ${it} >= ? AND seq >= ? ORDER BY ${it} DESC LIMIT 1`,
      [from, first],
    );
    const later = [...this.#more.values()].filter(({ seq, record: { at } }) => seq >= first && at >= from);
    const times = [
      ...rows.map((row) => textOf(row, 'at', this.#db?.path ?? '')),
      ...later.map((each) => each.record.at),
    ];
    return times.toSorted().at(-1);
  }

  /** None without a database. */
  #rows(column: Lookup, sql: LookupSql, binds: readonly SqlValue[]): readonly SqlRow[] {
    return this.#db === undefined ? [] : agreed(this.#db, column, sql, binds);
  }

  #seqsIn(rows: readonly SqlRow[], column = 'seq'): readonly number[] {
    return rows.map((row) => numberOf(row, column, this.#db?.path ?? ''));
  }

  /** Numbers of those that are in no database. */
  #laterWith(name: Lookup, isMeant: (value: string) => boolean): readonly number[] {
    return [...this.#more.values()].flatMap(({ seq, record }) => {
      const value = lookupIn(record, name);
      return value !== undefined && isMeant(value) ? [seq] : [];
    });
  }

  /** In the chain, in hexadecimal digits; undefined for a record that is in none. */
  hashAt(seq: number): string | undefined {
    if (this.#db === undefined || this.#more.has(seq)) return undefined;
    // It is checked with its record.
    numberedAt(this.#db, seq);
    return hashAt(this.#db, seq);
  }

  /** Undefined without an intent. */
  replayed(actionId: string): ReplayedAction | undefined {
    const { actions } = this.#kept();
    const isWhole = this.#laterWith('action_id', (id) => id === actionId).length === 0;
    const known = isWhole ? actions.get(actionId) : undefined;
    if (known !== undefined) return known;
    const seqs = this.found('action_id', actionId);
    const [[tracked], [seq]] = [trackRecords(this.records(seqs)), seqs];
    const replayed =
      tracked === undefined || seq === undefined ? undefined : { tracked, seq, records: seqs.length };
    if (isWhole && replayed !== undefined) actions.set(actionId, replayed);
    return replayed;
  }

  summary(): Summary {
    const { last } = this.#kept();
    const summary = this.#db === undefined ? new Summary() : readSummary(this.#db, last);
    for (const each of this.#more.values()) summary.add(each, this);
    return summary;
  }
}

/** Parts of a database that were read. Records never change: they hold while the last one is still in the chain. */
interface Kept {
  last: JournalHead;
  records: Map<number, NumberedRecord>;
  actions: Map<string, ReplayedAction>;
}

const nothingKept = (last = NO_HEAD): Kept => ({ last, records: new Map(), actions: new Map() });

const keptOf = new WeakMap<JournalDatabase, Kept>();
const MOST_KEPT = 4_096;
/** Records between those that are asked for are read with them: most likely they are of the same actions. */
const NEARBY = 8;

function keptNow(db: JournalDatabase): Kept {
  const [last, known] = [headOf(db), keptOf.get(db)];
  const kept = known !== undefined && isContinued(db, known.last, last) ? known : nothingKept(last);
  const from = kept.last.seq + 1;
  for (const each of from > last.seq ? [] : recordsBetween(db, from, last.seq)) {
    kept.records.set(each.seq, each);
    if (isOfAction(each.record)) kept.actions.delete(each.record.action_id);
  }
  kept.last = last;
  keptOf.set(db, kept);
  return kept;
}

/** Not where an earlier state of the file was put back, or another process wrote very much. */
function isContinued(db: JournalDatabase, { seq, hash }: JournalHead, { seq: last }: JournalHead): boolean {
  return last - seq < MOST_KEPT && hashAt(db, seq) === hash;
}
