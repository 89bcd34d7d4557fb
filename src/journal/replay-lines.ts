/**
 * Replays lines of one segment into a snapshot, in constant memory: what has ended some minutes ago is only counted, and read
 * again when a later record is about it.
 */
import { enlarges } from '../domain/action-table.ts';
import { exactInstant } from '../domain/instants.ts';
import { hashOfLine } from './chain.ts';
import { isWhole, readLine } from './lines.ts';
import type { FileLine } from './own-files.ts';
import { type ActionRecord, type IntentRecord, isOfAction, isOfRoll, type RollRecord } from './records.ts';
import {
  type Action,
  actionNow,
  beginAction,
  followAction,
  isEnded,
  maybeExecuted,
  type Tracked,
  takeShortId,
} from './replay.ts';
import {
  isBefore,
  type OpenAction,
  type Place,
  type Snapshot,
  withExecuted,
  withoutExecuted,
} from './snapshot.ts';
import { CURRENT_MS } from './state.ts';
import { entriesOf, type TermList } from './terms.ts';

/** Records that were written earlier. */
export interface Earlier {
  /** Of an action that is not open; undefined when there is none. */
  find(id: string): { shortId: string; places: readonly Place[] } | undefined;
  /** In this order, all of one action. @throws DamagedFileError */
  records(places: readonly Place[]): readonly ActionRecord[];
}

/** A time mark for each part of so many bytes. */
const MARK_BYTES = 131_072;
const SWEEP_LINES = 2_048;

export interface ReplayOptions {
  snapshot: Snapshot;
  /** Gets the terms of each record. */
  terms: TermList;
  earlier: Earlier;
  path: string;
  nowMs: number;
  /** From the beginning of the segment. */
  whole: boolean;
}

export class LineReplay {
  readonly #options: ReplayOptions;
  #now: Snapshot;
  readonly #open: Map<string, OpenAction>;
  readonly #marks: { offset: number; latestMs: number }[];
  readonly #shortIds = new Set<string>();
  /** Actions begun here: a copied line begins none. */
  readonly #begun = new Set<string>();
  /** Ended ones that damage further on makes unclear. */
  readonly #notSent = new Map<string, OpenAction>();
  #damagedHere = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#now = options.snapshot;
    this.#open = new Map(options.snapshot.open);
    this.#marks = [...options.snapshot.marks];
  }

  /** A line that was read is damaged or has no beginning: only a replay of the whole segment knows what that hides. */
  get needsWhole(): boolean {
    return this.#damagedHere && !this.#options.whole;
  }

  /** The last line of a file may have no newline: `cut` by a crash, or complete. */
  add({ offset, bytes, ended }: FileLine): 'read' | 'cut' {
    const { path, terms } = this.#options;
    const { segment, lines } = this.#now;
    const at = { path, line: lines + 1, chained: segment > 0 };
    const record = readLine(bytes, at);
    if (!ended && typeof record === 'string' && !isWhole(bytes, at)) return 'cut';
    this.#now = {
      ...this.#now,
      bytes: offset + bytes.length + (ended ? 1 : 0),
      lines: lines + 1,
      head: hashOfLine(bytes),
    };
    if (typeof record === 'string') {
      this.#now.damage = [...this.#now.damage, { segment, line: lines + 1, how: record }];
      this.#hide({ segment, offset });
    } else if (record !== undefined) {
      const shortId = isOfAction(record) ? this.#follow(record, { segment, offset }) : undefined;
      if (isOfRoll(record)) this.#now.rolls = withRoll(this.#now.rolls, record);
      terms.add(entriesOf(record, offset, shortId));
      this.#mark(offset, Date.parse(record.at));
    }
    if (this.#now.lines % SWEEP_LINES === 0) this.#sweep();
    return 'read';
  }

  end(): Snapshot {
    this.#sweep();
    const { hidden } = this.#now;
    if (this.#damagedHere && hidden !== undefined)
      for (const [id, open] of this.#notSent) if (isBefore(lastPlace(open), hidden)) this.#open.set(id, open);
    return { ...this.#now, open: new Map(this.#open), marks: this.#marks };
  }

  #hide(place: Place): void {
    this.#damagedHere = true;
    this.#now.hidden = place;
  }

  #mark(offset: number, atMs: number): void {
    const last = this.#marks.at(-1);
    if (last === undefined || offset - last.offset >= MARK_BYTES)
      this.#marks.push({ offset, latestMs: atMs });
    else if (atMs > last.latestMs) this.#marks[this.#marks.length - 1] = { ...last, latestMs: atMs };
    if (atMs > this.#now.latestMs) this.#now.latestMs = atMs;
  }

  /** The short ID of an action that begins. */
  #follow(record: ActionRecord, place: Place): string | undefined {
    const id = record.action_id;
    const open = this.#open.get(id) ?? this.#again(record);
    if (open === undefined) {
      if (record.kind === 'intent') return this.#begin(record, place);
      this.#hide(place);
      const { orphans } = this.#now;
      if (!orphans.some((each) => each.id === id))
        this.#now.orphans = [...orphans, { id, segment: place.segment }];
      return undefined;
    }
    const before = this.#trackedOf(open);
    const tracked: Tracked = { ...before, action: { ...before.action } };
    followAction(tracked, record);
    const latest = record.at > open.latest ? record.at : open.latest;
    this.#open.set(id, { ...open, places: [...open.places, place], latest, tracked });
    return record.kind === 'intent' ? open.shortId : undefined;
  }

  #begin(record: IntentRecord, place: Place): string {
    const { action_id: id, at: latest } = record;
    const shortId = takeShortId(record, this.#shortIds);
    this.#begun.add(id);
    this.#open.set(id, { id, shortId, places: [place], latest, tracked: beginAction(record, shortId) });
    const { actions, begun, orphans } = this.#now;
    this.#now.actions = actions + 1;
    this.#now.begun = begun + 1;
    if (orphans.some((each) => each.id === id)) this.#now.orphans = orphans.filter((each) => each.id !== id);
    return shortId;
  }

  /** An ended action of which a later record tells. */
  #again(record: ActionRecord): OpenAction | undefined {
    const id = record.action_id;
    // A new action has a new ID.
    if (record.kind === 'intent' && !this.#begun.has(id)) return undefined;
    return this.#reopened(id);
  }

  /** Ended actions that a clock set back has made current again: all of them. Before any line. */
  reopen(ids: readonly string[]): void {
    for (const id of ids) {
      const open = this.#open.has(id) ? undefined : this.#reopened(id);
      if (open !== undefined) this.#open.set(id, open);
    }
    // The others have only earlier records.
    this.#now = { ...this.#now, sweptTo: exactInstant(this.#options.nowMs - CURRENT_MS - 1) };
  }

  #reopened(id: string): OpenAction | undefined {
    const { earlier } = this.#options;
    const known = earlier.find(id);
    if (known === undefined) return undefined;
    const records = earlier.records(known.places);
    const latest = records.reduce((last, { at }) => (at > last ? at : last), '');
    const open = { id, ...known, latest, tracked: trackedFrom(records, known.shortId) };
    const { action } = open.tracked;
    this.#notSent.delete(id);
    if (counts(action)) this.#now = { ...this.#now, ...withoutExecuted(this.#now, countedOf(action, open)) };
    return open;
  }

  #trackedOf(open: OpenAction): Tracked {
    return (open.tracked ??= trackedFrom(this.#options.earlier.records(open.places), open.shortId));
  }

  /** What has ended some minutes ago is only counted. */
  #sweep(): void {
    const from = exactInstant(this.#options.nowMs - CURRENT_MS);
    for (const [id, open] of this.#open) {
      if (open.latest >= from) continue;
      const hidden = this.#now.hidden !== undefined && isBefore(lastPlace(open), this.#now.hidden);
      const action = actionNow(this.#trackedOf(open), () => false, { hidden });
      if (!isEnded(action)) continue;
      this.#open.delete(id);
      if (open.latest > this.#now.sweptTo) this.#now = { ...this.#now, sweptTo: open.latest };
      if (action.state === 'not_sent') this.#notSent.set(id, open);
      if (counts(action)) this.#now = { ...this.#now, ...withExecuted(this.#now, countedOf(action, open)) };
    }
  }
}

/** Without the plan that the record ends. */
function withRoll(rolls: Snapshot['rolls'], record: RollRecord): Snapshot['rolls'] {
  const next = new Map(rolls);
  if (record.kind === 'roll') next.set(record.chain_id, record);
  else next.delete(record.chain_id);
  return next;
}

export const lastPlace = ({ places }: OpenAction): Place => places.at(-1) ?? { segment: 0, offset: 0 };

/** @throws Error unless the first record is an intent. */
export function trackedFrom(records: readonly ActionRecord[], shortId: string): Tracked {
  const [first, ...others] = records;
  if (first?.kind !== 'intent') throw new Error('the records of an action do not begin with its intent');
  const tracked = beginAction(first, shortId);
  for (const record of others) followAction(tracked, record);
  return tracked;
}

const counts = (action: Action): boolean =>
  enlarges(action.intent) && action.notional !== undefined && maybeExecuted(action);

const countedOf = ({ intent, notional }: Action, { id, places }: OpenAction) => ({
  id,
  identity: JSON.stringify(intent.identity),
  day: intent.at.slice(0, 'YYYY-MM-DD'.length),
  usd: notional?.toFixed() ?? '0',
  place: places[0] ?? { segment: 0, offset: 0 },
});
