/**
 * The terms by which records of a segment are found: 16 bytes for each ID, key, deal ID and hedge ID of a record halt and roll,
 * in the order of the records. A lookup has the same entries sorted.
 */
import { createHash } from 'node:crypto';
import { isOfAction, isOfRoll, type JournalRecord } from './records.ts';

/** Eight bytes of the term, six of the record's offset, one of the kind, one of the short ID's length. */
export const ENTRY_BYTES = 16;

/** `intent` and `step`: the action ID of a record that begins an action, and of a later one. */
export const KIND = { intent: 1, step: 2, key: 3, deal: 4, hedge: 5, halt: 6, roll: 7, chain: 8 } as const;
export type TermKind = (typeof KIND)[keyof typeof KIND];

export const ID_KINDS: readonly TermKind[] = [KIND.intent, KIND.step];

export interface TermEntry {
  /** Of the record in its segment. */
  offset: number;
  kind: number;
  /** Digits of the action's short ID; 0 unless the record is an intent. */
  short: number;
}

export interface WantedTerm {
  term: Buffer;
  kinds: readonly TermKind[];
}

/** Entries of one segment. */
export interface Terms {
  /** Of each, in the order of the records. Another text may have the same eight bytes: check the record. */
  find(wanted: readonly WantedTerm[]): readonly TermEntry[];
  /** Leading digits that another action, begun in the segment, has in common with this ID; fewer than four may be none. */
  shared(id: string): number;
  /** Of actions begun in the segment. */
  idsFrom(prefix: string): readonly string[];
}

export const termOfId = (id: string): Buffer => Buffer.from(id, 'hex');

export const termOfText = (kind: TermKind, text: string): Buffer =>
  createHash('sha256').update(`${kind.toString()}\0${text}`).digest().subarray(0, 8);

/** Every halt and every end of one. */
export const HALT = termOfText(KIND.halt, '');

/** Every plan of a roll and every end of one. */
export const ROLL = termOfText(KIND.roll, '');

/** `shortId`: of an intent. */
export function entriesOf(record: JournalRecord, offset: number, shortId = ''): Buffer {
  const entries: Buffer[] = [];
  const add = (term: Buffer, kind: TermKind, short = 0): void => {
    const entry = Buffer.alloc(ENTRY_BYTES);
    term.copy(entry);
    entry.writeUIntBE(offset, 8, 6);
    entry[14] = kind;
    entry[15] = short;
    entries.push(entry);
  };
  if (!isOfAction(record)) {
    if (isOfRoll(record)) add(ROLL, KIND.roll);
    else add(HALT, KIND.halt);
    return Buffer.concat(entries);
  }
  const id = termOfId(record.action_id);
  if (record.kind === 'intent') {
    add(id, KIND.intent, shortId.length);
    add(termOfText(KIND.key, record.idempotency_key), KIND.key);
    if (record.deal_id !== undefined) add(termOfText(KIND.deal, record.deal_id), KIND.deal);
    if (record.chain_id !== undefined) add(termOfText(KIND.chain, record.chain_id), KIND.chain);
  } else add(id, KIND.step);
  if ((record.kind === 'accepted' || record.kind === 'outcome') && record.hedge_id !== undefined)
    add(termOfText(KIND.hedge, record.hedge_id), KIND.hedge);
  return Buffer.concat(entries);
}

export const entryAt = (bytes: Buffer, at: number): TermEntry => ({
  offset: bytes.readUIntBE(at + 8, 6),
  kind: bytes[at + 14] ?? 0,
  short: bytes[at + 15] ?? 0,
});

/** Hexadecimal digits that both have in common from the left. */
export function sharedDigits(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

/** By term, then by offset. */
export function sortedEntries(entries: Buffer): Buffer {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
  const order = Uint32Array.from({ length: entries.length / ENTRY_BYTES }, (_, index) => index * ENTRY_BYTES);
  order.sort(
    (one, other) =>
      view.getUint32(one) - view.getUint32(other) ||
      view.getUint32(one + 4) - view.getUint32(other + 4) ||
      view.getUint32(one + 8) - view.getUint32(other + 8) ||
      view.getUint32(one + 12) - view.getUint32(other + 12),
  );
  const sorted = Buffer.alloc(entries.length);
  order.forEach((from, index) => entries.copy(sorted, index * ENTRY_BYTES, from, from + ENTRY_BYTES));
  return sorted;
}

/** Kept free for further entries. */
const ROOM_BYTES = 65_536;
/** More than these are sorted before they are written: a search goes through the others one by one. */
const MOST_UNSORTED = 4_096;

/** Entries in memory; those that were added last are not sorted. It only grows. */
export class TermList implements Terms {
  #bytes: Buffer;
  #length: number;
  #sorted: number;

  /** The first `length` of the bytes, of which the first `sorted` are sorted; the others are free. */
  constructor(bytes: Buffer = Buffer.alloc(0), length = bytes.length, sorted = 0) {
    this.#bytes = bytes;
    this.#length = length;
    this.#sorted = sorted;
  }

  /** With room for further entries; undefined when they cannot be read. */
  static read(
    file: { readInto(buffer: Buffer, offset: number): number } | undefined,
    length: number,
    sorted = 0,
  ) {
    const bytes = Buffer.allocUnsafeSlow(length + ROOM_BYTES);
    const isRead = (file?.readInto(bytes.subarray(0, length), 0) ?? 0) === length;
    return isRead ? new TermList(bytes, length, sorted) : undefined;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The first bytes, which are sorted. */
  get sorted(): number {
    return this.#sorted;
  }

  copy(): TermList {
    return new TermList(Buffer.from(this.bytes), this.#length, this.#sorted);
  }

  add(entries: Buffer): void {
    if (this.#length + entries.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(ROOM_BYTES + 2 * (this.#length + entries.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    entries.copy(this.#bytes, this.#length);
    this.#length += entries.length;
  }

  /** Keeps only so many bytes, of those that are not sorted. */
  cut(length: number): void {
    if (length < this.#sorted) throw new Error('sorted entries cannot be cut');
    this.#length = Math.min(length, this.#length);
  }

  /** Sorts all, if many are not sorted. False when the order is as before. */
  settle(): boolean {
    if (this.#length - this.#sorted <= MOST_UNSORTED) return false;
    const added = sortedEntries(this.#bytes.subarray(this.#sorted, this.#length));
    const all = Buffer.allocUnsafeSlow(this.#length + ROOM_BYTES);
    let [from, to] = [0, 0];
    for (let at = 0; at < added.length; at += ENTRY_BYTES) {
      // Of one term the earlier records are sorted already.
      const before = this.#firstFrom(added.subarray(at, at + ENTRY_BYTES), from);
      to += this.#bytes.copy(all, to, from, before);
      to += added.copy(all, to, at, at + ENTRY_BYTES);
      from = before;
    }
    this.#bytes.copy(all, to, from, this.#sorted);
    this.#bytes = all;
    this.#sorted = this.#length;
    return true;
  }

  find(wanted: readonly WantedTerm[]): readonly TermEntry[] {
    return wanted.flatMap(({ term, kinds }) =>
      [...this.#placesOf(term)]
        .map((at) => entryAt(this.#bytes, at))
        .filter((entry) => kinds.some((kind) => kind === entry.kind)),
    );
  }

  /** Fewer than four count as none. */
  shared(id: string): number {
    const others = this.idsFrom(id.slice(0, FEWEST_DIGITS)).filter((other) => other !== id);
    return Math.max(0, ...others.map((other) => sharedDigits(other, id)));
  }

  idsFrom(prefix: string): readonly string[] {
    const start = Buffer.from(prefix.slice(0, FEWEST_DIGITS), 'hex');
    return [...this.#placesOf(start)]
      .filter((at) => this.#bytes[at + 14] === KIND.intent)
      .map((at) => this.#bytes.toString('hex', at, at + 8))
      .filter((id) => id.startsWith(prefix));
  }

  /** Of the entries that start with these bytes. The search of Buffer is much quicker than a loop. */
  *#placesOf(start: Buffer): Generator<number> {
    for (let at = this.#firstFrom(start, 0); at < this.#sorted; at += ENTRY_BYTES) {
      if (start.compare(this.#bytes, at, at + start.length) !== 0) break;
      yield at;
    }
    const { bytes } = this;
    for (let at = bytes.indexOf(start, this.#sorted); at !== -1; ) {
      if (at % ENTRY_BYTES === 0) yield at;
      at = bytes.indexOf(start, at + 1);
    }
  }

  /** Where the first sorted entry is that does not come before these bytes. */
  #firstFrom(start: Buffer, from: number): number {
    let [low, high] = [from / ENTRY_BYTES, this.#sorted / ENTRY_BYTES];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = middle * ENTRY_BYTES;
      if (start.compare(this.#bytes, at, at + start.length) > 0) low = middle + 1;
      else high = middle;
    }
    return low * ENTRY_BYTES;
  }
}

/** No action is found by less. */
const FEWEST_DIGITS = 4;
