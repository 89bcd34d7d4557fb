/**
 * The terms by which records of a segment are found: 16 bytes for each ID, key, deal ID and hedge ID of a record, in the order
 * of the records. A lookup has the same entries sorted.
 */
import { createHash } from 'node:crypto';
import type { JournalRecord } from './records.ts';

/** Eight bytes of the term, six of the record's offset, one of the kind, one of the short ID's length. */
export const ENTRY_BYTES = 16;

/** `intent` and `step`: the action ID of a record that begins an action, and of a later one. */
export const KIND = { intent: 1, step: 2, key: 3, deal: 4, hedge: 5 } as const;
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
  /** Leading digits that another action, begun in the segment, has in common with this ID. */
  shared(id: string): number;
  /** Of actions begun in the segment. */
  idsFrom(prefix: string): readonly string[];
}

export const termOfId = (id: string): Buffer => Buffer.from(id, 'hex');

export const termOfText = (kind: TermKind, text: string): Buffer =>
  createHash('sha256').update(`${kind.toString()}\0${text}`).digest().subarray(0, 8);

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
  const id = termOfId(record.action_id);
  if (record.kind === 'intent') {
    add(id, KIND.intent, shortId.length);
    add(termOfText(KIND.key, record.idempotency_key), KIND.key);
    if (record.deal_id !== undefined) add(termOfText(KIND.deal, record.deal_id), KIND.deal);
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

/** Entries in memory, unsorted. It only grows. */
export class TermList implements Terms {
  #bytes: Buffer;
  #length: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#length = bytes.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(entries: Buffer): void {
    if (this.#length + entries.length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(4_096, 2 * (this.#length + entries.length)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    entries.copy(this.#bytes, this.#length);
    this.#length += entries.length;
  }

  /** Keeps only so many bytes. */
  cut(length: number): void {
    this.#length = Math.min(length, this.#length);
  }

  find(wanted: readonly WantedTerm[]): readonly TermEntry[] {
    return wanted.flatMap((each) => this.#find(each));
  }

  #find({ term, kinds }: WantedTerm): readonly TermEntry[] {
    const found: TermEntry[] = [];
    const bytes = this.#bytes;
    const [high, low] = [term.readInt32BE(0), term.readInt32BE(4)];
    const view = new DataView(bytes.buffer, bytes.byteOffset, this.#length);
    for (let at = 0; at < this.#length; at += ENTRY_BYTES) {
      if (view.getInt32(at) !== high || view.getInt32(at + 4) !== low) continue;
      const entry = entryAt(bytes, at);
      if (kinds.some((kind) => kind === entry.kind)) found.push(entry);
    }
    return found;
  }

  shared(id: string): number {
    let most = 0;
    const term = termOfId(id);
    const high = term.readInt32BE(0);
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
    for (let at = 0; at < this.#length; at += ENTRY_BYTES) {
      if (Math.clz32(view.getInt32(at) ^ high) >> 2 < most || view.getUint8(at + 14) !== KIND.intent)
        continue;
      const other = this.#idAt(at);
      if (other !== id) most = Math.max(most, sharedDigits(other, id));
    }
    return most;
  }

  idsFrom(prefix: string): readonly string[] {
    const found: string[] = [];
    const start = Number.parseInt(prefix.slice(0, 4), 16);
    for (let at = 0; at < this.#length; at += ENTRY_BYTES) {
      if (this.#bytes[at + 14] !== KIND.intent || this.#bytes.readUInt16BE(at) !== start) continue;
      const id = this.#idAt(at);
      if (id.startsWith(prefix)) found.push(id);
    }
    return found;
  }

  #idAt(at: number): string {
    return this.#bytes.toString('hex', at, at + 8);
  }
}
