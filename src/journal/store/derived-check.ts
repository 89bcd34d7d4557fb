/** Compares the derived tables with a replay of the records, in the memory that the open actions need. */
import { Big } from 'big.js';
import { enlarges } from '../../domain/action-table.ts';
import { fieldsIn } from '../../domain/fields.ts';
import { isOfAction, isOfHalt, isOfRoll, type JournalRecord, type RecordedIdentity } from '../records.ts';
import { type Action, beginAction, followAction, isEnded, maybeExecuted, type Tracked } from '../replay.ts';
import { countedDeals, countOf, identitiesOf, indexed, type OpenKind, openItems } from './derived-tables.ts';
import { JournalDamage, type JournalDatabase, textOf } from './journal-database.ts';
import { recordAt } from './record-rows.ts';

export class DerivedCheck {
  readonly #db: JournalDatabase;
  /** Not ended, by ID; `seq`: of the intent. */
  readonly #open = new Map<string, { tracked: Tracked; seq: number }>();
  /** Rolls and halts in force, and their records. */
  readonly #items = new Map<string, number>();
  /** IDs of actions that had a record after their end. */
  readonly #again = new Set<string>();
  /** Of the actions that count for the limits, by day and identity. */
  readonly #sums = new Map<string, { deals: number; usd: Big }>();
  #intents = 0;

  constructor(db: JournalDatabase) {
    this.#db = db;
  }

  /** The next record. @throws Error for one whose fields are not those of its kind. */
  add(record: JournalRecord, seq: number): void {
    if (isOfAction(record)) {
      const id = record.action_id;
      if (record.kind === 'intent') this.#intents += 1;
      const known = this.#open.get(id);
      if (known !== undefined) {
        followAction(known.tracked, record);
        if (!isEnded(known.tracked.action)) return;
        this.#open.delete(id);
        this.#count(known.tracked.action, 1);
      } else if (record.kind === 'intent') this.#open.set(id, { tracked: beginAction(record), seq });
      else this.#again.add(id);
    } else if (isOfRoll(record))
      this.#item('roll', record.chain_id, record.kind === 'roll' ? seq : undefined);
    else if (isOfHalt(record)) {
      if (record.kind === 'halt') this.#item('halt', record.halt_id, seq);
      else for (const id of record.halt_ids) this.#item('halt', id, undefined);
    }
  }

  /** After the last record, in its snapshot. @throws JournalDamage naming the table that does not agree. */
  finish(): void {
    const db = this.#db;
    const { path } = db;
    for (const id of this.#again) this.#replayAgain(id);
    const keys = new Map(identitiesOf(db).map(({ identity }) => [identity, keyOf(fieldsIn(identity))]));
    for (const row of db.all('SELECT day FROM deals UNION SELECT day FROM totals')) {
      const day = textOf(row, 'day', path);
      for (const { identity, usd } of countedDeals(db, day))
        this.#sum(`${day} ${keys.get(identity) ?? ''}`, usd, -1);
    }
    const others = [...this.#sums].filter(([, { deals, usd }]) => deals !== 0 || !usd.eq(0));
    if (others.length > 0 || db.get(DEALS_OF_OTHERS) !== undefined)
      throw new JournalDamage(path, 'its table of deals is not what its records say');
    const open = [...this.#items, ...[...this.#open].map(([id, { seq }]) => [`action ${id}`, seq] as const)];
    const listed = new Map(openItems(db).map(({ kind, id, seq }) => [`${kind} ${id}`, seq]));
    if (
      countOf(db) !== this.#intents ||
      open.length !== listed.size ||
      open.some(([key, seq]) => listed.get(key) !== seq)
    )
      throw new JournalDamage(path, 'its list of open actions, rolls and halts is not what its records say');
  }

  #item(kind: OpenKind, id: string, seq: number | undefined): void {
    const key = `${kind} ${id}`;
    if (seq === undefined) this.#items.delete(key);
    else this.#items.set(key, seq);
  }

  /** Of an action that has ended. */
  #count(action: Action, by: 1 | -1): void {
    const { intent, notional } = action;
    if (!enlarges(intent) || notional === undefined || !maybeExecuted(action)) return;
    this.#sum(`${intent.at.slice(0, DAY.length)} ${keyOf(intent.identity)}`, notional, by);
  }

  #sum(key: string, amount: Big, by: 1 | -1): void {
    const { deals, usd } = this.#sums.get(key) ?? { deals: 0, usd: ZERO };
    this.#sums.set(key, { deals: deals + by, usd: by === 1 ? usd.plus(amount) : usd.minus(amount) });
  }

  /** As it is now, instead of as it was when it first ended. */
  #replayAgain(id: string): void {
    const [first, ...more] = indexed(this.#db, 'action_id', '= ?', id);
    const intent = first && recordAt(this.#db, first.seq);
    // Its beginning is in no record: it has no state.
    if (first === undefined || intent?.kind !== 'intent') return;
    const tracked = beginAction(intent);
    const { action } = tracked;
    let isFirstEnd = true;
    for (const { seq } of more) {
      const record = recordAt(this.#db, seq);
      if (isOfAction(record)) followAction(tracked, record);
      if (!isFirstEnd || !isEnded(action)) continue;
      isFirstEnd = false;
      this.#count(action, -1);
    }
    if (isEnded(action)) this.#count(action, 1);
    else this.#open.set(id, { tracked, seq: first.seq });
  }
}

const ZERO = new Big(0);
const DAY = 'YYYY-MM-DD';

const DEALS_OF_OTHERS = `SELECT seq FROM deals d WHERE
  NOT EXISTS (SELECT seq FROM records INDEXED BY records_kind WHERE kind = 'intent' AND seq = d.seq) OR
  NOT EXISTS (SELECT seq FROM records INDEXED BY records_action_id WHERE action_id = d.action_id AND seq = d.seq) LIMIT 1`;

const keyOf = (of: Partial<RecordedIdentity>): string =>
  [of.environment, of.base_url, of.account, of.key_fingerprint].join(' ');
