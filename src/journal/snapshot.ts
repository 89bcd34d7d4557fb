/**
 * The state of the journal at one place of one segment: open actions, plans of unfinished rolls, sums for the limits, and damage. It
 * is kept in the index of the active segment and in each lookup, and can always be made again from the segments.
 */
import { Big } from 'big.js';
import { NO_LINE } from './chain.ts';
import type { FileMark } from './own-files.ts';
import type { RollPlan } from './records.ts';
import type { Tracked } from './replay.ts';

/** Of a record. */
export interface Place {
  /** Number of the segment. */
  segment: number;
  offset: number;
}

export const isBefore = (one: Place, other: Place): boolean =>
  one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset);

/** Not ended, or with a record of the last minutes. */
export interface OpenAction {
  readonly id: string;
  readonly shortId: string;
  readonly places: readonly Place[];
  /** The latest time in its records. ISO 8601 UTC. */
  readonly latest: string;
  /** Replayed; read when first needed. */
  tracked?: Tracked;
}

/** An open or add that has ended and was or may have been executed. */
export interface ExecutedOpen {
  id: string;
  /** USD. */
  usd: string;
  /** Of its intent. */
  place: Place;
}

/** By identity as recorded, in JSON: which of them are one account depends on the profiles. */
export type ByIdentity<T> = Map<string, T>;

export interface SegmentDamage {
  segment: number;
  /** From 1. */
  line: number;
  /** End of a sentence: `is not JSON`. */
  how: string;
}

export interface Snapshot {
  /** Number of the journal's first segment. */
  first: number;
  segment: number;
  /** Of the segment, up to here: whole lines only. */
  bytes: number;
  lines: number;
  /** Hash of the last line, to which the next one refers. */
  head: string;
  /** In the whole journal. */
  actions: number;
  /** Actions begun in this segment. */
  begun: number;
  /** The latest time in a record of this segment, in milliseconds since the epoch; 0 without a record. */
  latestMs: number;
  /** In the whole journal. */
  damage: readonly SegmentDamage[];
  /** Of the last damaged line, or of the last record without a beginning: it may be about earlier actions. */
  hidden: Place | undefined;
  /** Actions whose intent cannot be read. */
  orphans: readonly { id: string; segment: number }[];
  /** Sealed segments with damage, as they were then: once repaired, they are read again. */
  suspects: ReadonlyMap<number, FileMark>;
  open: ReadonlyMap<string, OpenAction>;
  /**
   * Plans of rolls that no record ends, by chain ID: whole, for they are named by every start, run months later, and must
   * be found without reading a segment, which may be archived.
   */
  rolls: ReadonlyMap<string, RollPlan>;
  /** The latest record of the ended actions that are not in `open` any more: a clock set back before it makes them current. */
  sweptTo: string;
  /** USD of the ended opens and adds by UTC day, of the last two months. */
  sums: ByIdentity<ReadonlyMap<string, string>>;
  /** The last sixty ended ones, oldest first. */
  last: ByIdentity<readonly ExecutedOpen[]>;
  /** Parts of the segment: where each starts, and the latest time in it. */
  marks: readonly { offset: number; latestMs: number }[];
}

export const emptySnapshot = (segment: number): Snapshot => ({
  first: segment,
  segment,
  bytes: 0,
  lines: 0,
  head: NO_LINE,
  actions: 0,
  begun: 0,
  latestMs: 0,
  damage: [],
  hidden: undefined,
  orphans: [],
  suspects: new Map(),
  open: new Map(),
  rolls: new Map(),
  sweptTo: '',
  sums: new Map(),
  last: new Map(),
  marks: [],
});

/** At the beginning of the next segment. `mark`: of the ended one. */
export function carriedOver(
  before: Snapshot,
  { segment, mark }: { segment: number; mark: FileMark },
): Snapshot {
  const isSuspect =
    before.damage.some((each) => each.segment === before.segment) ||
    before.orphans.some((each) => each.segment === before.segment);
  return {
    ...before,
    segment,
    bytes: 0,
    lines: 0,
    begun: 0,
    latestMs: 0,
    marks: [],
    suspects: isSuspect ? new Map([...before.suspects, [before.segment, mark]]) : before.suspects,
  };
}

export const DAYS_KEPT = 62;
const LAST_KEPT = 60;

/** With an ended open or add that counts from now on. `day`: `2026-11-20` */
export function withExecuted(
  { sums, last }: Pick<Snapshot, 'sums' | 'last'>,
  { identity, day, ...executed }: ExecutedOpen & { identity: string; day: string },
): Pick<Snapshot, 'sums' | 'last'> {
  const days = new Map(sums.get(identity));
  days.set(day, new Big(days.get(day) ?? '0').plus(executed.usd).toFixed());
  const kept = [...days].toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(-DAYS_KEPT);
  const all = [...(last.get(identity) ?? []), executed];
  const sorted = all.toSorted((one, other) => (isBefore(one.place, other.place) ? -1 : 1));
  return {
    sums: new Map([...sums, [identity, new Map(kept)]]),
    last: new Map([...last, [identity, sorted.slice(-LAST_KEPT)]]),
  };
}

/** Without one that counted. */
export function withoutExecuted(
  { sums, last }: Pick<Snapshot, 'sums' | 'last'>,
  { identity, day, id, usd }: { identity: string; day: string; id: string; usd: string },
): Pick<Snapshot, 'sums' | 'last'> {
  const days = new Map(sums.get(identity));
  const sum = days.get(day);
  if (sum !== undefined) days.set(day, new Big(sum).minus(usd).toFixed());
  const others = (last.get(identity) ?? []).filter((each) => each.id !== id);
  return { sums: new Map([...sums, [identity, days]]), last: new Map([...last, [identity, others]]) };
}

/** A snapshot as JSON. */
interface Written {
  version: number;
  at: Pick<
    Snapshot,
    | 'first'
    | 'segment'
    | 'bytes'
    | 'lines'
    | 'head'
    | 'actions'
    | 'begun'
    | 'latestMs'
    | 'damage'
    | 'orphans'
    | 'sweptTo'
  >;
  hidden: [segment: number, offset: number] | null;
  suspects: [segment: number, mark: FileMark][];
  open: [id: string, shortId: string, latest: string, places: [segment: number, offset: number][]][];
  /** Absent before there were rolls. */
  rolls?: readonly RollPlan[];
  sums: [identity: string, days: [day: string, usd: string][]][];
  last: [identity: string, all: [id: string, usd: string, segment: number, offset: number][]][];
  marks: [offset: number, latestMs: number][];
}

const VERSION = 1;

export function snapshotText(snapshot: Snapshot): string {
  const { hidden, suspects, open, rolls, sums, last, marks, ...at } = snapshot;
  const written: Written = {
    version: VERSION,
    at,
    hidden: hidden === undefined ? null : [hidden.segment, hidden.offset],
    suspects: [...suspects],
    open: [...open.values()].map(({ id, shortId, latest, places }) => [
      ...([id, shortId, latest] as const),
      places.map(({ segment, offset }) => [segment, offset]),
    ]),
    ...(rolls.size === 0 ? {} : { rolls: [...rolls.values()] }),
    sums: [...sums].map(([identity, days]) => [identity, [...days]]),
    last: [...last].map(([identity, all]) => [
      identity,
      all.map(({ id, usd, place }) => [id, usd, place.segment, place.offset]),
    ]),
    marks: marks.map(({ offset, latestMs }) => [offset, latestMs]),
  };
  return JSON.stringify(written);
}

/** Of a text that its checksum confirms. Undefined for one of another version. */
export function readSnapshot(text: string): Snapshot | undefined {
  const { version, at, hidden, suspects, open, rolls, sums, last, marks }: Written = JSON.parse(text);
  if (version !== VERSION) return undefined;
  return {
    ...at,
    hidden: hidden === null ? undefined : { segment: hidden[0], offset: hidden[1] },
    suspects: new Map(suspects),
    open: new Map(
      open.map(([id, shortId, latest, places]) => [
        id,
        { id, shortId, latest, places: places.map(([segment, offset]) => ({ segment, offset })) },
      ]),
    ),
    rolls: new Map((rolls ?? []).map((plan) => [plan.chain_id, plan])),
    sums: new Map(sums.map(([identity, days]) => [identity, new Map(days)])),
    last: new Map(
      last.map(([identity, all]) => [
        identity,
        all.map(([id, usd, segment, offset]) => ({ id, usd, place: { segment, offset } })),
      ]),
    ),
    marks: marks.map(([offset, latestMs]) => ({ offset, latestMs })),
  };
}
