/** Looks up the records of the journal in a database or in memory. Pure. */
import type { JournalRecord } from './records.ts';
import { type Tracked, trackRecords } from './replay.ts';
import { type EarlierSteps, type NumberedRecord, Summary } from './summary.ts';

/** The fields by which the journal finds its records again. */
export const LOOKUPS = [
  'action_id',
  'idempotency_key',
  'deal_id',
  'chain_id',
  'hedge_id',
  'at',
  'kind',
] as const;

export type Lookup = (typeof LOOKUPS)[number];

/** Undefined for a record without the field. */
export function lookupIn(record: JournalRecord, name: Lookup): string | undefined {
  const fields: Partial<Record<Lookup, unknown>> = record;
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** An action as its records tell it, whatever the processes and the time. */
export interface ReplayedAction {
  tracked: Readonly<Tracked>;
  /** Number of its intent. */
  seq: number;
  /** How many records it has. */
  records: number;
}

/** The records at one moment. Each may throw JournalDamage where something is not as it was written. */
export interface RecordSource {
  /** Those of the database come first. */
  records(seqs: readonly number[]): readonly NumberedRecord[];
  /** Numbers of the records with a value from `from` to `to`, in order. */
  found(name: Lookup, from: string, to?: string): readonly number[];
  /** Numbers of the records of a kind before a number, and not before `first`, newest first: a page. */
  newestOf(
    kind: JournalRecord['kind'],
    page: { before: number; first: number; most: number },
  ): readonly number[];
  /** The first and the last number of a record with a time from `from` on, and before `until`. */
  boundsOf(span: { from: string; until: string }): { first: number; last: number } | undefined;
  /** The latest time of a record from `seq` on that is not before `from`; undefined without one. */
  latestAt(from: string, seq: number): string | undefined;
  /** In the chain, in hexadecimal digits; undefined for a record that is in none. */
  hashAt(seq: number): string | undefined;
  /** Undefined without an intent. */
  replayed(actionId: string): ReplayedAction | undefined;
  summary(): Summary;
}

type Finder = Pick<RecordSource, 'found' | 'records'>;

export const earlierIn =
  ({ found, records }: Finder): EarlierSteps =>
  (actionId, before) =>
    records(found('action_id', actionId).filter((seq) => seq < before));

export function replayedIn({ found, records }: Finder, actionId: string): ReplayedAction | undefined {
  const seqs = found('action_id', actionId);
  const [[tracked], [seq]] = [trackRecords(records(seqs)), seqs];
  return tracked && seq !== undefined ? { tracked, seq, records: seqs.length } : undefined;
}

/** In order of their numbers. */
export function recordsInMemory(records: readonly NumberedRecord[]): RecordSource {
  const bySeq = new Map(records.map((each) => [each.seq, each]));
  const having = (name: Lookup, isMeant: (value: string) => boolean): readonly number[] =>
    records.flatMap(({ seq, record }) => {
      const value = lookupIn(record, name);
      return value !== undefined && isMeant(value) ? [seq] : [];
    });
  const source: Omit<RecordSource, 'summary' | 'replayed'> = {
    records: (seqs) =>
      seqs.map((seq) => {
        const found = bySeq.get(seq);
        if (found === undefined) throw new Error(`record ${seq.toString()} is not in memory`);
        return found;
      }),
    found: (name, from, to = from) => having(name, (value) => value >= from && value <= to),
    newestOf: (kind, { before, first, most }) =>
      having('kind', (value) => value === kind)
        .filter((seq) => seq < before && seq >= first)
        .toReversed()
        .slice(0, most),
    boundsOf({ from, until }) {
      const seqs = having('at', (value) => value >= from && value < until);
      const [first, last] = [seqs[0], seqs.at(-1)];
      return first === undefined || last === undefined ? undefined : { first, last };
    },
    latestAt: (from, first) =>
      records
        .flatMap(({ seq, record: { at } }) => (seq >= first && at >= from ? [at] : []))
        .toSorted()
        .at(-1),
    hashAt: () => undefined,
  };
  return {
    ...source,
    replayed: (actionId) => replayedIn(source, actionId),
    summary() {
      const summary = new Summary();
      for (const each of records) summary.add(each, earlierIn(source));
      return summary;
    },
  };
}

/** Numbers of records that are in no database yet: after those of all that are. */
const AFTER_ALL = 2 ** 48;

/** `base`, and more records that came later. */
export function followedBy(base: RecordSource, more: readonly JournalRecord[]): RecordSource {
  if (more.length === 0) return base;
  const numbered = more.map((record, at) => ({ seq: AFTER_ALL + at, record }));
  const later = recordsInMemory(numbered);
  const source: RecordSource = {
    records: (seqs) => [
      ...base.records(seqs.filter((seq) => seq < AFTER_ALL)),
      ...later.records(seqs.filter((seq) => seq >= AFTER_ALL)),
    ],
    found: (...by) => [...base.found(...by), ...later.found(...by)],
    newestOf: (kind, page) =>
      [...later.newestOf(kind, page), ...base.newestOf(kind, page)].slice(0, page.most),
    boundsOf(span) {
      const [one, other] = [base.boundsOf(span), later.boundsOf(span)];
      return one && other ? { first: one.first, last: other.last } : (one ?? other);
    },
    latestAt: (...since) =>
      [base.latestAt(...since), later.latestAt(...since)]
        .filter((at) => at !== undefined)
        .toSorted()
        .at(-1),
    hashAt: (seq) => (seq < AFTER_ALL ? base.hashAt(seq) : undefined),
    replayed: (actionId) =>
      later.found('action_id', actionId).length === 0
        ? base.replayed(actionId)
        : replayedIn(source, actionId),
    summary() {
      const summary = base.summary();
      for (const each of numbered) summary.add(each, earlierIn(source));
      return summary;
    },
  };
  return source;
}
