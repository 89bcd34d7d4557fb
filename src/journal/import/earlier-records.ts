/** Lines of earlier versions as records of this one: each keeps its exact line, also where it is no record. */
import { hash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { type Fields, fieldsIn, isFields } from '../../domain/fields.ts';
import { DamagedFileError } from '../../errors.ts';
import { type FileLine, LONGEST_LINE } from '../../platform/file-lines.ts';
import { haltFrom } from '../halt.ts';
import {
  type HaltRecord,
  type HaltSet,
  isOfAction,
  isOfHalt,
  type JournalRecord,
  SCHEMA,
} from '../records.ts';
import { SHORTEST_ID } from '../replay.ts';
import { HALT_FILE } from '../store/earlier-files.ts';
import type { NewRecord } from '../store/new-records.ts';
import { checkedRecord } from '../store/record-rows.ts';
import { CUT, EarlierChain, linkOf } from './earlier-chain.ts';
import type { LinedFile } from './earlier-lines.ts';

/** Format 1 had no account label, formats 1 and 2 no chain, operator, version and short IDs. */
const FORMATS: readonly unknown[] = [1, 2, SCHEMA];

export interface DamagedLine {
  file: string;
  /** From 1. */
  line: number;
  /** The end of a sentence: `is not valid JSON`. */
  how: string;
}

/** Damaged lines that are named; the others are counted. */
const MOST_NAMED = 20;

type NotARecord = { how: string; isDamage: boolean };

/** Converts the lines of all files, in order. */
export class EarlierRecords {
  /** The first of the damaged lines, and how many there are. */
  readonly found: { damage: DamagedLine[]; damageCount: number } = { damage: [], damageCount: 0 };
  /** How many lines there are up to the last damaged one: one record each. */
  damagedAt = 0;
  actions = 0;
  readonly #hasIntent: (actionId: string) => boolean;
  readonly #now: string;
  readonly #chain = new EarlierChain();
  readonly #shortIds = new Set<string>();
  readonly #halts: HaltRecord[] = [];
  #lines = 0;
  /** Time of the last record. */
  #at: string;

  /** `hasIntent`: whether the intent of an action was imported. `now`: ISO 8601 UTC. */
  constructor(hasIntent: (actionId: string) => boolean, now: string) {
    this.#hasIntent = hasIntent;
    this.#now = now;
    this.#at = now;
  }

  /** @throws DamagedFileError for a line of a newer version. */
  add({ name, path }: LinedFile, { bytes, ended }: FileLine): NewRecord {
    const chain = this.#chain;
    const finding = chain.add(name, bytes, ended);
    const { line, isChained } = chain;
    this.#lines += 1;
    const read = this.#withIntent(this.#readLine(bytes, { path, line, isChained }, ended));
    const how = 'isDamage' in read && read.isDamage ? read.how : finding;
    if (how !== undefined) {
      this.found.damageCount += 1;
      this.damagedAt = this.#lines;
      if (this.found.damage.length < MOST_NAMED) this.found.damage.push({ file: name, line, how });
    }
    if ('kind' in read) this.#at = read.at;
    if ('kind' in read && isOfHalt(read)) this.#halts.push(read);
    const record =
      'kind' in read ? read : { schema: SCHEMA, kind: 'imported_line', at: this.#at, how: read.how };
    return {
      // The one file became segment 0.
      id: shortHash(
        Buffer.concat([Buffer.from(`${name.replace(/^0+\./, 'journal.')}\n${line.toString()}\n`), bytes]),
      ),
      record: JSON.stringify({
        ...record,
        imported: { file: name, ...lineOf(bytes), ...(ended ? {} : { ended }) },
      }),
    };
  }

  /** After the last line: the halt that `halt.json` tells of, empty if it cannot be read; and one for damaged lines. */
  *end(halt: Buffer | undefined): Generator<NewRecord> {
    const now = halt && haltIn(halt);
    if (halt !== undefined && now === undefined)
      yield this.#halted('the file halt.json could not be read', halt);
    if (now !== undefined && !this.#isHeld(now)) yield haltRecord(now, halt);
    const count = this.found.damageCount;
    const lines = `${count.toString()} damaged ${count === 1 ? 'line' : 'lines'}`;
    if (count > 0) yield this.#halted(`hedge journal import found ${lines}`);
  }

  /** A record that an action was sent may be on a damaged line. */
  unclear(actionId: string): NewRecord {
    const why = 'A damaged line of the journal may record that it was sent.';
    const record = { schema: SCHEMA, kind: 'unknown', action_id: actionId, at: this.#now, why };
    return { id: shortHash(`unclear\n${actionId}`), record: JSON.stringify(record) };
  }

  #readLine(
    bytes: Buffer,
    at: { path: string; line: number; isChained: boolean },
    ended: boolean,
  ): JournalRecord | NotARecord {
    if (bytes.length === 0) return { how: 'is empty', isDamage: false };
    if (bytes.at(-1) === CUT) return WAS_CUT;
    const read = this.#parse(bytes, at);
    if (typeof read !== 'string') return read;
    // A whole record plus one other byte in place of the newline: no crash leaves that.
    const isWhole = typeof this.#parse(bytes.subarray(0, -1), at) !== 'string';
    const isCut = !ended && !isWhole && bytes.length < LONGEST_LINE;
    return isCut ? WAS_CUT : { how: read, isDamage: true };
  }

  #parse(bytes: Buffer, at: { path: string; line: number; isChained: boolean }): JournalRecord | string {
    let read: unknown;
    try {
      read = JSON.parse(decoder.decode(bytes));
    } catch {
      return 'is not valid JSON';
    }
    if (!isFields(read) || !('schema' in read)) return 'is not a record';
    const link = at.isChained ? linkOf(bytes) : undefined;
    if (link?.intact === false) return 'was changed after it was written';
    const { schema } = read;
    if (typeof schema === 'number' && !FORMATS.includes(schema)) throw newer(at, schema);
    const record = checkedRecord({ ...read, ...this.#asNow(read, bytes) });
    if (typeof record === 'string') return record;
    if (!FORMATS.includes(schema)) return 'is not a record';
    return at.isChained && link === undefined ? 'has no checksum' : record;
  }

  /** The fields that this format has otherwise. */
  #asNow({ kind, quote }: Fields, bytes: Buffer): Fields {
    return {
      schema: SCHEMA,
      ...(isFields(quote) ? { quote: namedAsNow(quote) } : {}),
      ...(kind === 'halt' ? { halt_id: shortHash(bytes) } : {}),
      ...(kind === 'unhalt' ? { halt_ids: haltFrom(this.#halts)?.ids ?? [] } : {}),
    };
  }

  /** A record whose intent is lost tells nothing. */
  #withIntent(read: JournalRecord | NotARecord): JournalRecord | NotARecord {
    if (!('kind' in read) || !isOfAction(read)) return read;
    const id = read.action_id;
    if (this.#hasIntent(id)) return read;
    if (read.kind !== 'intent')
      return { how: `is about action ${id}, whose beginning is not there`, isDamage: true };
    this.actions += 1;
    if (this.#chain.isChained && read.short_id !== undefined) return read;
    return { ...read, short_id: this.#takeShortId(id, read.short_id) };
  }

  /** The shortest beginning that is not taken: as earlier versions showed it. */
  #takeShortId(id: string, recorded: string | undefined): string {
    let length = SHORTEST_ID;
    while (length < id.length && this.#shortIds.has(id.slice(0, length))) length += 1;
    const shortId = recorded ?? id.slice(0, length);
    this.#shortIds.add(shortId);
    return shortId;
  }

  /** The record of a halt was written after its file. */
  #isHeld({ who, why, note, at }: HaltSet): boolean {
    const last = haltFrom(this.#halts);
    return last !== undefined && last.who === who && last.why === why && last.note === note && last.at >= at;
  }

  #halted(why: string, content?: Buffer): NewRecord {
    const id = shortHash(`${HALT_FILE}\n${content === undefined ? 'damage' : 'unreadable'}`);
    const who = 'hedge journal import';
    return haltRecord({ schema: SCHEMA, kind: 'halt', halt_id: id, at: this.#now, who, why }, content);
  }
}

const WAS_CUT: NotARecord = { how: 'was cut by a crash', isDamage: false };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const shortHash = (content: string | Uint8Array): string => hash('sha256', content).slice(0, 16);

/** A line as text, or in base64 if it is not UTF-8. */
function lineOf(bytes: Buffer): { line: string } | { bytes: string } {
  try {
    return { line: decoder.decode(bytes) };
  } catch {
    return { bytes: bytes.toString('base64') };
  }
}

/** Earlier records have the carry and the maturity under other names. */
function namedAsNow({ maturity, carry_total_usdc: carry, ...others }: Fields): Fields {
  return {
    ...(maturity === undefined ? {} : { maturity_at: maturity }),
    ...(carry === undefined ? {} : { carry_usdc: carry }),
    ...others,
  };
}

/** Undefined for a content that is no halt. */
function haltIn(content: Buffer): HaltSet | undefined {
  const { schema, who, at, why, note } = fieldsIn(content);
  const noted = typeof note === 'string' && note !== '' ? { note } : {};
  const halt = { schema: SCHEMA, kind: 'halt', halt_id: shortHash(content), at, who, why, ...noted };
  const record = checkedRecord(halt);
  return schema === 1 && typeof record !== 'string' && record.kind === 'halt' ? record : undefined;
}

const haltRecord = (halt: HaltSet, line: Buffer | undefined): NewRecord => ({
  id: shortHash(`record\n${halt.halt_id}`),
  record: JSON.stringify({ ...halt, ...(line && { imported: { file: HALT_FILE, ...lineOf(line) } }) }),
});

const newer = ({ path, line }: { path: string; line: number }, schema: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Line ${line.toString()} of ${path} was written by another version of hedge (format ${schema.toString()}; this one imports up to ${SCHEMA.toString()}).`,
    hint: 'Use that version of hedge, or set HEDGE_HOME to another folder.',
  });
