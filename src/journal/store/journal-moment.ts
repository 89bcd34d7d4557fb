/** The journal at one moment: answers every question of a state. */
import { Big } from 'big.js';
import { exactInstant } from '../../domain/instants.ts';
import { once } from '../../domain/once.ts';
import { type AccountIdentity, sameIdentity } from '../account-identity.ts';
import type { DeskLimits } from '../desk-limits.ts';
import { type Halt, haltFrom } from '../halt.ts';
import { LAST_DEALS } from '../queries.ts';
import {
  type ActionRecord,
  isOfAction,
  isOfHalt,
  type JournalRecord,
  type Operator,
  type RollPlan,
} from '../records.ts';
import { type Action, actionNow, type IsRunning, isEnded, SHORTEST_ID } from '../replay.ts';
import { type FindBy, foundBy, type JournalSpan, prefixesOf } from '../state.ts';
import { enlarged, type NumberedRecord } from '../summary.ts';
import type { Lookup } from './derived-tables.ts';
import type { RecordSource, ReplayedAction } from './record-source.ts';

/** How long an action that has ended stays among the current ones. */
const CURRENT_MS = 10 * 60_000;
/** After every time, and every ID. */
const END = '~';

export class JournalMoment {
  readonly #source: RecordSource;
  readonly #isRunning: IsRunning;
  readonly #nowMs: number;
  readonly #own: Operator | undefined;
  readonly #recently: string;
  /** By ID, with the number of its intent. */
  readonly #known = new Map<string, { action: Action; seq: number } | undefined>();
  readonly #since = new Map<string, readonly Action[]>();
  readonly #summary = once(() => this.#source.summary());
  readonly #open = once(() => this.#withIds(this.#summary().actions.keys()).filter((each) => !isEnded(each)));

  /** `own`: with a desk, this user of this machine. */
  constructor(
    source: RecordSource,
    { isRunning, nowMs, own }: { isRunning: IsRunning; nowMs: number; own?: Operator | undefined },
  ) {
    this.#source = source;
    this.#isRunning = isRunning;
    this.#nowMs = nowMs;
    this.#own = own;
    this.#recently = exactInstant(nowMs - CURRENT_MS);
  }

  get count(): number {
    return this.#summary().count;
  }

  get limits(): DeskLimits {
    return this.#summary().limits;
  }

  get halt(): Halt | undefined {
    return haltFrom(this.#openRecords('halts').filter(isOfHalt));
  }

  get rolls(): readonly RollPlan[] {
    return this.#openRecords('rolls').flatMap((each) => (each.kind === 'roll' ? [each] : []));
  }

  #openRecords(kind: 'halts' | 'rolls'): readonly JournalRecord[] {
    return this.#recordsAt([...this.#summary()[kind].values()].toSorted((one, other) => one - other));
  }

  since(at = this.#recently): readonly Action[] {
    const from = at < this.#recently ? at : this.#recently;
    const known = this.#since.get(from) ?? this.#readSince(from);
    this.#since.set(from, known);
    return known;
  }

  #readSince(from: string): readonly Action[] {
    const changed = this.#idsOf(this.#source.found('at', from, END));
    return this.#withIds([...this.#open().map(({ id }) => id), ...changed]);
  }

  find(by: FindBy): readonly Action[] {
    const found = (...values: Parameters<RecordSource['found']>) => this.#source.found(...values);
    const names: readonly (readonly [Lookup, readonly string[] | undefined])[] = [
      ['idempotency_key', by.keys],
      ['deal_id', by.dealIds],
      ['chain_id', by.chainIds],
      ['hedge_id', by.hedgeIds],
    ];
    const seqs = [
      ...names.flatMap(([name, texts = []]) => texts.flatMap((text) => found(name, text))),
      ...prefixesOf(by).flatMap((each) => found('action_id', each, `${each}${END}`)),
    ];
    return foundBy(this.#withIds(this.#idsOf(seqs)), by);
  }

  recordsOf(id: string): readonly ActionRecord[] {
    return this.#recordsAt(this.#source.found('action_id', id)).filter(isOfAction);
  }

  latestSince(id: string): string | undefined {
    const [first] = this.#source.found('action_id', id);
    if (first === undefined) return undefined;
    const [record] = this.#recordsAt([first]);
    return record && (this.#source.latestAt(record.at, first) ?? record.at);
  }

  openedOn(identity: AccountIdentity, day: string, except?: string, login?: string): Big {
    const isMeant = (recorded: AccountIdentity, by: string | undefined): boolean =>
      sameIdentity(recorded, identity) && (login === undefined || by === login);
    const ended = this.#summary().usdOn(day, isMeant);
    const excepted = except === undefined ? [] : this.#withIds([except]);
    const [open, endedToo] = [this.#open(), ended === undefined ? this.#endedOn(day) : []];
    const sumOf = (actions: readonly Action[]): Big =>
      actions
        .filter(({ intent, login: by }) => intent.at.startsWith(day) && isMeant(intent.identity, by))
        .reduce((sum, action) => sum.plus(enlarged(action) ?? 0), new Big(0));
    const counted = sumOf([...open, ...endedToo].filter(({ id }) => id !== except)).plus(ended ?? 0);
    return ended === undefined ? counted : counted.minus(sumOf(excepted.filter(isEnded)));
  }

  /** The actions of a day whose sum is not kept. */
  #endedOn(day: string): readonly Action[] {
    return this.#withIds(this.#idsOf(this.#source.found('at', day, `${day}${END}`))).filter(isEnded);
  }

  lastNotionals(identity: AccountIdentity, except?: string): readonly Big[] {
    const isMeant = (recorded: AccountIdentity): boolean => sameIdentity(recorded, identity);
    const open = this.#open().flatMap((action) => {
      const usd = isMeant(action.intent.identity) ? enlarged(action) : undefined;
      return usd === undefined ? [] : [{ seq: this.#byId(action.id)?.seq ?? 0, actionId: action.id, usd }];
    });
    return [...this.#summary().lastDeals(isMeant), ...open]
      .filter(({ actionId }) => actionId !== except)
      .toSorted((one, other) => other.seq - one.seq)
      .slice(0, LAST_DEALS)
      .map(({ usd }) => usd);
  }

  /** The records of these kinds before a number, newest first: a page, which is empty at the end. */
  page(
    kinds: readonly JournalRecord['kind'][],
    { before, most, from = '', until = END }: { before: number; most: number } & JournalSpan,
  ): readonly NumberedRecord[] {
    const isWhole = from === '' && until === END;
    const bounds = isWhole ? { first: 0, last: before } : this.#source.boundsOf({ from, until });
    if (bounds === undefined) return [];
    const within = { first: bounds.first, before: Math.min(before, bounds.last + 1), most };
    const seqs = kinds
      .flatMap((kind) => this.#source.newestOf(kind, within))
      .toSorted((one, other) => one - other)
      .slice(-most);
    return this.#source.records(seqs).toReversed();
  }

  #recordsAt(seqs: readonly number[]): readonly JournalRecord[] {
    return this.#source.records(seqs).map(({ record }) => record);
  }

  withId(id: string): Action | undefined {
    return this.#byId(id)?.action;
  }

  /** Hash of the first record of an action. */
  hashOf(id: string): string | undefined {
    const [first] = this.#source.found('action_id', id);
    return first === undefined ? undefined : this.hashAt(first);
  }

  /** In hexadecimal digits; undefined for a record that is in no chain yet. */
  hashAt(seq: number): string | undefined {
    return this.#source.hashAt(seq);
  }

  #idsOf(seqs: readonly number[]): ReadonlySet<string> {
    const records = this.#recordsAt([...new Set(seqs)].toSorted((one, other) => one - other));
    return new Set(records.flatMap((record) => (isOfAction(record) ? [record.action_id] : [])));
  }

  /** In the order of their intents. */
  #withIds(ids: Iterable<string>): readonly Action[] {
    return [...new Set(ids)]
      .flatMap((id) => this.#byId(id) ?? [])
      .toSorted((one, other) => one.seq - other.seq)
      .map(({ action }) => action);
  }

  #byId(id: string): { action: Action; seq: number } | undefined {
    if (this.#known.has(id)) return this.#known.get(id);
    const replayed = this.#source.replayed(id);
    const found = replayed && { action: this.#actionOf(replayed), seq: replayed.seq };
    this.#known.set(id, found);
    return found;
  }

  #actionOf({ tracked, records }: ReplayedAction): Action {
    const action = actionNow(tracked, this.#isRunning, this.#nowMs);
    if (action.login === undefined && this.#own === undefined) return action;
    // Machines that joined a desk have given short IDs apart from each other.
    action.shortId = this.#shortest(action.id, records);
    const { operator } = action.intent;
    if (operator !== undefined && this.#own !== undefined && !isSamePlace(operator, this.#own))
      action.colleague = operator;
    return action;
  }

  /** The shortest beginning of an ID that finds its own records only. */
  #shortest(id: string, records: number): string {
    for (let digits = SHORTEST_ID; digits < id.length; digits += 1) {
      const prefix = id.slice(0, digits);
      if (this.#source.found('action_id', prefix, `${prefix}${END}`).length === records) return prefix;
    }
    return id;
  }
}

const isSamePlace = (one: Operator, other: Operator): boolean =>
  one.user === other.user && one.host === other.host;
