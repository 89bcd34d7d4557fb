/**
 * The tables that are derived from the records, kept in the same transaction: open actions, rolls and halts, and the deals of a day. Each
 * has something to agree with, for a flipped bit must not hide an action or a halt.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Big } from 'big.js';
import { enlarges } from '../../domain/action-table.ts';
import { recordedIdentity } from '../account-identity.ts';
import { isSameHash } from '../chain.ts';
import { isOfAction, isOfHalt, isOfRoll, type JournalRecord } from '../records.ts';
import {
  type Action,
  actionNow,
  beginAction,
  followAction,
  isEnded,
  maybeExecuted,
  type Tracked,
} from '../replay.ts';
import {
  bytesOf,
  JournalDamage,
  type JournalDatabase,
  numberOf,
  type SqlRow,
  type SqlValue,
  textOf,
} from './journal-database.ts';
import { recordAt } from './record-rows.ts';
import type { IndexedColumn } from './schema.ts';

export type OpenKind = 'action' | 'roll' | 'halt';

export interface OpenItem {
  kind: OpenKind;
  /** Of the action, the chain or the halt. */
  id: string;
  /** Of its first record. */
  seq: number;
}

/** All of them, in the order of their first records. @throws JournalDamage when they do not fit their seal. */
export const openItems = (db: JournalDatabase): readonly OpenItem[] =>
  sealedItems(db).items.toSorted((one, other) => one.seq - other.seq);

/** How many actions it has. @throws JournalDamage */
export const countOf = (db: JournalDatabase): number => sealedItems(db).count;

/** Sorted by kind and ID, and how many intents there are: in one snapshot, with the seal of both. */
function sealedItems(db: JournalDatabase): { items: readonly OpenItem[]; count: number } {
  const { path } = db;
  const items = db.all('SELECT kind, id, seq FROM open_items ORDER BY kind, id').map((row) => ({
    kind: openKindOf(textOf(row, 'kind', path), path),
    id: textOf(row, 'id', path),
    seq: numberOf(row, 'seq', path),
  }));
  const [seal, intents] = ['open_items', 'intents'].map((name) => sealed(db, name));
  const count = Number(intents === undefined ? 0 : Buffer.from(intents).toString());
  const isWhole =
    seal === undefined
      ? items.length === 0 && count === 0 && db.get('SELECT seq FROM records WHERE seq = 1') === undefined
      : isSameHash(seal, sealOf(items, count));
  if (!isWhole)
    throw new JournalDamage(path, 'its list of open actions, rolls and halts is not as it was written');
  return { items, count };
}

function sealed(db: JournalDatabase, name: string): Uint8Array | undefined {
  const row = db.get('SELECT value FROM seals WHERE name = ?', name);
  return row && bytesOf(row, 'value', db.path);
}

const setSeal = (db: JournalDatabase, name: string, value: Uint8Array): number =>
  db.run('INSERT OR REPLACE INTO seals (name, value) VALUES (?, ?)', name, value);

const KINDS: readonly OpenKind[] = ['action', 'roll', 'halt'];

function openKindOf(text: string, path: string): OpenKind {
  const kind = KINDS.find((each) => each === text);
  if (kind === undefined)
    throw new JournalDamage(path, 'its list of open actions, rolls and halts has an unknown word');
  return kind;
}

/** Of items sorted by kind and ID, and a count. */
const sealOf = (items: readonly OpenItem[], count: number): Buffer =>
  hashOf(
    `${items.map(({ kind, id, seq }) => `${kind} ${id} ${seq.toString()}\n`).join('')}${count.toString()}`,
  );

const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

export interface IndexedRecord {
  seq: number;
  /** Undefined for a record of no action. */
  actionId: string | undefined;
}

/**
 * The records whose column satisfies a condition (`= ?`), in order.
 * @throws JournalDamage when the two places where they are looked up differ.
 */
export const indexed = (
  db: JournalDatabase,
  column: IndexedColumn,
  condition: string,
  ...binds: readonly SqlValue[]
): readonly IndexedRecord[] =>
  agreed(
    db,
    column,
    (from, it) => `SELECT seq, action_id FROM ${from} AND ${it} ${condition} ORDER BY seq`,
    binds,
  ).map((row) => indexedOf(row, db));

/** The intents before a record, newest first: a page of them. */
export const newestIntents = (
  db: JournalDatabase,
  { before, from: first, most }: { before: number; from: number; most: number },
): readonly IndexedRecord[] =>
  agreed(
    db,
    'kind',
    (from, it) =>
      `SELECT seq, action_id FROM ${from} AND ${it} = 'intent' AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`,
    [before, first, most],
  ).map((row) => indexedOf(row, db));

const indexedOf = (row: SqlRow, { path }: JournalDatabase): IndexedRecord => ({
  seq: numberOf(row, 'seq', path),
  actionId: row['action_id'] === null ? undefined : textOf(row, 'action_id', path),
});

/**
 * The rows of a query, asked in one snapshot of the index of a column and of `terms`. `sql` gets the table with its
 * `WHERE`, and the name of the column there. @throws JournalDamage when they differ.
 */
export function agreed(
  db: JournalDatabase,
  column: IndexedColumn,
  sql: (from: string, it: string) => string,
  binds: readonly SqlValue[],
): readonly SqlRow[] {
  return db.reading(() => {
    const inIndex = `records INDEXED BY records_${column} WHERE ${column} IS NOT NULL`;
    const one = db.all(sql(inIndex, column), ...binds);
    const other = db.all(sql(`terms WHERE name = '${column}'`, 'value'), ...binds);
    if (isDeepStrictEqual(one, other)) return one;
    throw new JournalDamage(db.path, `what it has by ${column} is not what was written`);
  });
}

/** Changes of the derived tables by appended records; written by `flush`. */
export class DerivedTables {
  readonly #db: JournalDatabase;
  readonly #actions = new Map<string, { tracked: Tracked; seq: number }>();
  readonly #items = new Map<string, OpenItem & { isOpen: boolean }>();
  /** Intents. */
  #begun = 0;

  constructor(db: JournalDatabase) {
    this.#db = db;
  }

  /** After it was inserted. */
  add(record: JournalRecord, seq: number): void {
    if (isOfAction(record)) {
      if (record.kind === 'intent') this.#begun += 1;
      const known = this.#actions.get(record.action_id);
      if (known !== undefined) followAction(known.tracked, record);
      else if (record.kind === 'intent')
        this.#actions.set(record.action_id, { tracked: beginAction(record), seq });
      else this.#load(record.action_id);
    } else if (isOfRoll(record))
      this.#item({ kind: 'roll', id: record.chain_id, seq }, record.kind === 'roll');
    else if (isOfHalt(record)) {
      if (record.kind === 'halt') this.#item({ kind: 'halt', id: record.halt_id, seq }, true);
      else for (const id of record.halt_ids) this.#item({ kind: 'halt', id, seq }, false);
    }
  }

  flush(): void {
    for (const [id, { tracked, seq }] of this.#actions) {
      const action = actionNow(tracked, () => false);
      this.#item({ kind: 'action', id, seq }, !isEnded(action));
      this.#count(action, seq);
    }
    this.#actions.clear();
    this.#writeItems();
  }

  /** From its records, of which the last was just inserted. */
  #load(id: string): void {
    const db = this.#db;
    const [first, ...more] = indexed(db, 'action_id', '= ?', id);
    const intent = first && recordAt(db, first.seq);
    // Its beginning is not in this database: pending steps have none.
    if (first === undefined || intent?.kind !== 'intent') return;
    const tracked = beginAction(intent);
    for (const { seq } of more) {
      const record = recordAt(db, seq);
      if (isOfAction(record)) followAction(tracked, record);
    }
    this.#actions.set(id, { tracked, seq: first.seq });
  }

  #item(item: OpenItem, isOpen: boolean): void {
    this.#items.set(`${item.kind} ${item.id}`, { ...item, isOpen });
  }

  #writeItems(): void {
    const db = this.#db;
    const isSealed = sealed(db, 'open_items') !== undefined;
    if (this.#items.size === 0 && isSealed) return;
    // In the middle of the first append the records are ahead of the list.
    const { items, count } = isSealed ? sealedItems(db) : { items: [], count: 0 };
    const before = new Map(items.map((each) => [`${each.kind} ${each.id}`, each]));
    for (const [key, { isOpen, ...item }] of this.#items) {
      const known = before.get(key);
      if (isOpen && known?.seq !== item.seq) {
        db.run(
          'INSERT OR REPLACE INTO open_items (kind, id, seq) VALUES (?, ?, ?)',
          item.kind,
          item.id,
          item.seq,
        );
        before.set(key, item);
      } else if (!isOpen && known !== undefined) {
        db.run('DELETE FROM open_items WHERE kind = ? AND id = ?', item.kind, item.id);
        before.delete(key);
      }
    }
    const sorted = [...before.values()].toSorted((one, other) =>
      one.kind === other.kind ? (one.id < other.id ? -1 : 1) : one.kind < other.kind ? -1 : 1,
    );
    const now = count + this.#begun;
    this.#items.clear();
    this.#begun = 0;
    setSeal(db, 'intents', Buffer.from(now.toString()));
    setSeal(db, 'open_items', sealOf(sorted, now));
  }

  /** An open or add counts for the limits once it has ended; until then it is an open item. */
  #count(action: Action, seq: number): void {
    const { intent, notional } = action;
    if (!enlarges(intent) || notional === undefined) return;
    const db = this.#db;
    const isCounted = isEnded(action) && maybeExecuted(action);
    const wasCounted = db.get('SELECT seq FROM deals WHERE seq = ?', seq) !== undefined;
    if (isCounted === wasCounted) return;
    const identity = JSON.stringify(recordedIdentity(intent.identity));
    const day = intent.at.slice(0, DAY.length);
    const usd = notional.toFixed();
    if (isCounted)
      db.run(
        'INSERT INTO deals (seq, action_id, identity, day, usd) VALUES (?, ?, ?, ?, ?)',
        seq,
        action.id,
        this.#numberOf(identity),
        day,
        usd,
      );
    else db.run('DELETE FROM deals WHERE seq = ?', seq);
    const total = db.get('SELECT digest FROM totals WHERE day = ? AND identity = ?', day, identity);
    const before = total === undefined ? NO_DEAL : bytesOf(total, 'digest', db.path);
    const digest = either(before, dealHash({ seq, actionId: action.id, usd }));
    db.run('INSERT OR REPLACE INTO totals (day, identity, digest) VALUES (?, ?, ?)', day, identity, digest);
  }

  /** Of an identity, which gets one. */
  #numberOf(identity: string): number {
    const db = this.#db;
    const known = identitiesOf(db);
    const found = known.find((each) => each.identity === identity);
    if (found !== undefined) return found.number;
    const number = known.length + 1;
    db.run('INSERT INTO identities (number, identity) VALUES (?, ?)', number, identity);
    setSeal(db, 'identities', identitiesSeal([...known, { number, identity }]));
    return number;
  }
}

const DAY = 'YYYY-MM-DD';
const NO_DEAL: Uint8Array = Buffer.alloc(32);

/** Of a row of `deals`. */
const dealHash = ({ seq, actionId, usd }: { seq: number; actionId: string; usd: string }): Buffer =>
  hashOf(`${seq.toString()} ${actionId} ${usd}`);

/** The exclusive or of two hashes. */
function either(one: Uint8Array, other: Uint8Array): Buffer {
  const bytes = Buffer.from(one);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (other[at] ?? 0);
  return bytes;
}

export interface CountedDeal {
  /** Of the intent. */
  seq: number;
  actionId: string;
  /** As recorded, in JSON. */
  identity: string;
  usd: Big;
}

/**
 * The opens and adds of a UTC day (`2026-11-20`) that have ended and count for the limits.
 * @throws JournalDamage when they do not agree with the totals of the day.
 */
export function countedDeals(db: JournalDatabase, day: string): readonly CountedDeal[] {
  const { path } = db;
  const identities = new Map(identitiesOf(db).map(({ number, identity }) => [number, identity]));
  const found = db.all('SELECT seq, action_id, identity, usd FROM deals WHERE day = ?', day).map((row) => ({
    seq: numberOf(row, 'seq', path),
    actionId: textOf(row, 'action_id', path),
    identity: identities.get(numberOf(row, 'identity', path)) ?? '',
    usd: textOf(row, 'usd', path),
  }));
  const digests = new Map<string, Uint8Array>();
  for (const deal of found)
    digests.set(deal.identity, either(digests.get(deal.identity) ?? NO_DEAL, dealHash(deal)));
  for (const row of db.all('SELECT identity, digest FROM totals WHERE day = ?', day)) {
    const identity = textOf(row, 'identity', path);
    if (!isSameHash(digests.get(identity) ?? NO_DEAL, bytesOf(row, 'digest', path)))
      throw notTheTotal(path, day);
    digests.delete(identity);
  }
  if (digests.size > 0) throw notTheTotal(path, day);
  return found.map(({ usd, ...deal }) => ({ ...deal, usd: decimalOf(usd, path) }));
}

const notTheTotal = (path: string, day: string): JournalDamage =>
  new JournalDamage(path, `its deals of ${day} are not those of its total`);

function decimalOf(text: string, path: string): Big {
  if (/^\d+(\.\d+)?$/.test(text)) return new Big(text);
  throw new JournalDamage(path, 'an amount is not a number');
}

/**
 * The numbers of the intents of the last counted deals of an identity, newest first.
 * @throws JournalDamage when its two indexes differ.
 */
export function lastDealsOf(db: JournalDatabase, identity: number, most: number): readonly number[] {
  const [one, other] = ['deals_identity', 'deals_identity_again'].map((index) =>
    db.all(
      `SELECT seq FROM deals INDEXED BY ${index} WHERE identity = ? ORDER BY seq DESC LIMIT ?`,
      identity,
      most,
    ),
  );
  if (one === undefined || !isDeepStrictEqual(one, other))
    throw new JournalDamage(db.path, 'its two indexes of deals differ');
  return one.map((row) => numberOf(row, 'seq', db.path));
}

interface NumberedIdentity {
  number: number;
  /** As recorded, in JSON. */
  identity: string;
}

/** All of them. @throws JournalDamage when they do not fit their seal. */
export function identitiesOf(db: JournalDatabase): readonly NumberedIdentity[] {
  const { path } = db;
  const all = db.all('SELECT number, identity FROM identities ORDER BY number').map((row) => ({
    number: numberOf(row, 'number', path),
    identity: textOf(row, 'identity', path),
  }));
  const seal = sealed(db, 'identities');
  if (seal === undefined ? all.length === 0 : isSameHash(seal, identitiesSeal(all))) return all;
  throw new JournalDamage(path, 'its list of accounts is not what was written');
}

const identitiesSeal = (all: readonly NumberedIdentity[]): Buffer =>
  hashOf(all.map(({ number, identity }) => `${number.toString()} ${identity}\n`).join(''));
