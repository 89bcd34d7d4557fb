/** The journal's questions, each asked of the files as they are; where they are damaged, of what can still be read. */
import { Big } from 'big.js';
import { exactInstant } from '../../domain/instants.ts';
import { once } from '../../domain/once.ts';
import { type AccountIdentity, sameIdentity } from '../account-identity.ts';
import { type Halt, haltFrom } from '../halt.ts';
import { enlarged, LAST_DEALS, openedOn } from '../queries.ts';
import {
  type ActionRecord,
  isOfAction,
  isOfHalt,
  isOfRoll,
  type JournalRecord,
  type Operator,
  type RollPlan,
  type RollRecord,
} from '../records.ts';
import { type Action, actionNow, type IsRunning, isEnded, SHORTEST_ID } from '../replay.ts';
import { mayRelax } from '../stamp.ts';
import {
  type DeskView,
  type FindBy,
  FOUND_BY,
  foundBy,
  type JournalSpan,
  type JournalState,
  prefixesOf,
  type RecordedHalt,
} from '../state.ts';
import type { NumberedRecord, Summary } from '../summary.ts';
import type { JournalTrouble } from '../trouble.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { notIn, type Pending } from './pending-records.ts';
import { headOf } from './record-rows.ts';
import { numberedAfterAll, RecordSource, type ReplayedAction } from './record-source.ts';

export interface ReaderParts {
  path: string;
  /** Undefined: there is none, or it cannot be opened. */
  db: JournalDatabase | undefined;
  waiting: Pending;
  /** Known before any question. */
  trouble: JournalTrouble | undefined;
  /** Set with a desk only. */
  desk?: DeskView | undefined;
  /** Set with a desk only: this user of this machine. */
  own?: (Operator & { login?: string | undefined }) | undefined;
  /** Set for the copy of a desk that was left. */
  leftDesk?: string | undefined;
  isRunning: IsRunning;
  nowMs: number;
  /** The records that can still be read of a damaged database; called only if needed. */
  readable: () => readonly NumberedRecord[];
}

/** The number of actions on a screen. */
const PAGE = 20;

export function journalReader({ path, db, waiting, desk, readable, ...parts }: ReaderParts): JournalState {
  let { trouble } = parts;
  let asked = db;
  let known: { moment: JournalMoment; head: number; pending: number } | undefined;

  const others = once((): JournalMoment => {
    const proven = trouble?.kind === 'damaged' ? readable() : [];
    return new JournalMoment(new RecordSource(undefined, [...proven, ...laterOf(waiting)]), parts);
  });

  /** The journal as it is now, in the caller's transaction. */
  function momentOf(of: JournalDatabase): JournalMoment {
    const head = headOf(of).seq;
    const more = laterOf(notIn(of, waiting));
    if (known?.head !== head || known.pending !== more.length)
      known = {
        moment: new JournalMoment(new RecordSource(of, more), parts),
        head,
        pending: more.length,
      };
    return known.moment;
  }

  function ask<T>(question: (moment: JournalMoment) => T): T {
    const of = asked;
    if (of === undefined) return question(others());
    try {
      return of.reading(() => question(momentOf(of)));
    } catch (error) {
      if (!(error instanceof JournalDamage)) throw error;
      ({ trouble } = error);
      asked = undefined;
      return question(others());
    }
  }

  /** Newest first, page by page as they are taken; `of`: undefined for a record that is not meant. */
  function* pages<T>(
    kinds: readonly JournalRecord['kind'][],
    span: JournalSpan = {},
    of: (numbered: NumberedRecord, moment: JournalMoment) => T | undefined,
  ): Generator<T> {
    const { from = '', until = END, after } = span;
    // Asked once for a list: a long one takes long.
    const bounds =
      from === '' && until === END
        ? { first: 0, last: Number.MAX_SAFE_INTEGER - 1 }
        : ask(({ source }) => source.boundsOf({ from, until }));
    if (bounds === undefined) return;
    const first = after === undefined ? bounds.first : ask(({ source }) => source.firstAfter(after));
    for (let before = bounds.last + 1; ; ) {
      const page = ask((moment) =>
        moment.page(kinds, { first, before, most: PAGE }).map((each) => ({
          seq: each.seq,
          item: each.record.at >= from && each.record.at < until ? of(each, moment) : undefined,
        })),
      );
      for (const { item } of page) if (item !== undefined) yield item;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      before = last.seq;
    }
  }

  return {
    path,
    get trouble() {
      return trouble;
    },
    desk,
    get limits() {
      return ask((moment) => moment.summary.limits);
    },
    get halt() {
      return ask((moment) => moment.halt);
    },
    get count() {
      return ask((moment) => moment.summary.count);
    },
    get current() {
      return ask((moment) => moment.since());
    },
    get rolls() {
      return ask((moment) => moment.rolls);
    },
    find: (by) => ask((moment) => moment.find(by)),
    since: (at) => ask((moment) => moment.since(at)),
    openedOn: (...of) => ask((moment) => moment.openedOn(...of)),
    lastNotionals: (...of) => ask((moment) => moment.lastNotionals(...of)),
    recordsOf: (id) => ask((moment) => moment.recordsOf(id)),
    // The database's clock was asked: a record of another machine's wrong clock tells nothing about this one's.
    latestSince: (id) => (desk?.isReached === true ? undefined : ask((moment) => moment.latestSince(id))),
    newest: (span, isMeant = () => true) =>
      pages(['intent'], span, ({ record }, moment) =>
        record.kind === 'intent' && isMeant(record) ? moment.withId(record.action_id) : undefined,
      ),
    halts: (span) => pages(['halt', 'unhalt'], span, haltOf),
    rollRecords: (span) =>
      pages(['roll', 'roll_end'], span, (each) =>
        isOfRoll(each.record) ? withDesk(each.record, each, parts.leftDesk) : undefined,
      ),
    snapshots: (span) =>
      pages(['snapshot'], span, ({ record, seq }, moment) =>
        record.kind === 'snapshot' ? { record, hash: moment.source.hashAt(seq) } : undefined,
      ),
    hashOf: (id) => ask((moment) => moment.hashOf(id)),
  };
}

const laterOf = (waiting: Pending): readonly NumberedRecord[] =>
  numberedAfterAll(waiting.map(({ read }) => read));

function haltOf({ record, stamp }: NumberedRecord): RecordedHalt | undefined {
  if (!isOfHalt(record)) return undefined;
  const isRefused = record.kind === 'unhalt' && !mayRelax(stamp);
  return {
    ...record,
    ...(stamp === undefined ? {} : { login: stamp.login }),
    ...(isRefused ? { refused: true } : {}),
  };
}

/** A record with a stamp is of the desk. */
const withDesk = <Roll extends RollRecord>(
  roll: Roll,
  { stamp }: NumberedRecord,
  leftDesk: string | undefined,
): Roll => (stamp === undefined || leftDesk === undefined ? roll : { ...roll, leftDesk });

/** How long an action that has ended stays among the current ones. */
const CURRENT_MS = 10 * 60_000;
/** After every time, and every ID. */
const END = '~';

type MomentParts = Pick<ReaderParts, 'isRunning' | 'nowMs' | 'own' | 'leftDesk'>;

/** The answers at one moment. */
class JournalMoment {
  readonly source: RecordSource;
  readonly #parts: MomentParts;
  readonly #recently: string;
  /** By ID, with the number of its intent. */
  readonly #known = new Map<string, { action: Action; seq: number } | undefined>();
  readonly #since = new Map<string, readonly Action[]>();
  readonly #summary = once(() => this.source.summary());
  readonly #open = once(() => this.#withIds(this.#summary().actions.keys()).filter((each) => !isEnded(each)));

  constructor(source: RecordSource, parts: MomentParts) {
    this.source = source;
    this.#parts = parts;
    this.#recently = exactInstant(parts.nowMs - CURRENT_MS);
  }

  get summary(): Pick<Summary, 'count' | 'limits'> {
    return this.#summary();
  }

  get halt(): Halt | undefined {
    return haltFrom(
      this.#openRecords('halts')
        .map(({ record }) => record)
        .filter(isOfHalt),
    );
  }

  get rolls(): readonly RollPlan[] {
    return this.#openRecords('rolls').flatMap((each) =>
      each.record.kind === 'roll' ? [withDesk(each.record, each, this.#parts.leftDesk)] : [],
    );
  }

  #openRecords(kind: 'halts' | 'rolls'): readonly NumberedRecord[] {
    return this.source.records([...this.#summary()[kind].values()].toSorted((one, other) => one - other));
  }

  since(at = this.#recently): readonly Action[] {
    const from = at < this.#recently ? at : this.#recently;
    const known = this.#since.get(from) ?? this.#readSince(from);
    this.#since.set(from, known);
    return known;
  }

  #readSince(from: string): readonly Action[] {
    const changed = this.#idsOf(this.source.found('at', from, END));
    return this.#withIds([...this.#open().map(({ id }) => id), ...changed]);
  }

  find(by: FindBy): readonly Action[] {
    const found = (...values: Parameters<RecordSource['found']>) => this.source.found(...values);
    const seqs = [
      ...FOUND_BY.flatMap(({ terms, field }) => (by[terms] ?? []).flatMap((text) => found(field, text))),
      ...(by.similarTo ?? []).flatMap((dealId) => this.source.similarTo(dealId)),
      ...prefixesOf(by).flatMap((each) => found('action_id', each, `${each}${END}`)),
    ];
    return foundBy(this.#withIds(this.#idsOf(seqs)), by);
  }

  recordsOf(id: string): readonly ActionRecord[] {
    return this.#recordsAt(this.source.found('action_id', id)).filter(isOfAction);
  }

  latestSince(id: string): string | undefined {
    const [first] = this.source.found('action_id', id);
    if (first === undefined) return undefined;
    const [record] = this.#recordsAt([first]);
    return record && (this.source.latestAt(record.at, first) ?? record.at);
  }

  openedOn(identity: AccountIdentity, day: string, except?: string, login?: string): Big {
    const isMeant = (recorded: AccountIdentity, by: string | undefined): boolean =>
      sameIdentity(recorded, identity) && (login === undefined || by === login);
    const ended = this.#summary().usdOn(day, isMeant);
    const excepted = except === undefined ? [] : this.#withIds([except]);
    const [open, endedToo] = [this.#open(), ended === undefined ? this.#endedOn(day) : []];
    const sumOf = (actions: readonly Action[]): Big =>
      openedOn(
        actions.filter((action) => login === undefined || action.login === login),
        identity,
        day,
      );
    const counted = sumOf([...open, ...endedToo].filter(({ id }) => id !== except)).plus(ended ?? 0);
    return ended === undefined ? counted : counted.minus(sumOf(excepted.filter(isEnded)));
  }

  /** The actions of a day whose sum is not kept. */
  #endedOn(day: string): readonly Action[] {
    return this.#withIds(this.#idsOf(this.source.found('at', day, `${day}${END}`))).filter(isEnded);
  }

  lastNotionals(identity: AccountIdentity, except?: string): readonly Big[] {
    const isMeant = (recorded: AccountIdentity): boolean => sameIdentity(recorded, identity);
    const open = this.#open().flatMap((action) => {
      const usd = isMeant(action.intent.identity) ? enlarged(action) : undefined;
      return usd === undefined ? [] : [[this.#byId(action.id)?.seq ?? 0, action.id, usd] as const];
    });
    return [...this.#summary().lastDeals(isMeant), ...open]
      .filter(([, actionId]) => actionId !== except)
      .toSorted(([one], [other]) => other - one)
      .slice(0, LAST_DEALS)
      .map(([, , usd]) => new Big(usd));
  }

  /** The records of these kinds before a number, newest first: a page, which is empty at the end. */
  page(
    kinds: readonly JournalRecord['kind'][],
    within: { first: number; before: number; most: number },
  ): readonly NumberedRecord[] {
    const seqs = kinds
      .flatMap((kind) => this.source.newestOf(kind, within))
      .toSorted((one, other) => one - other)
      .slice(-within.most);
    return this.source.records(seqs).toReversed();
  }

  #recordsAt(seqs: readonly number[]): readonly JournalRecord[] {
    return this.source.records(seqs).map(({ record }) => record);
  }

  withId(id: string): Action | undefined {
    return this.#byId(id)?.action;
  }

  /** Hash of the first record of an action. */
  hashOf(id: string): string | undefined {
    const [first] = this.source.found('action_id', id);
    return first === undefined ? undefined : this.source.hashAt(first);
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
    const replayed = this.source.replayed(id);
    const found = replayed && { action: this.#actionOf(replayed), seq: replayed.seq };
    this.#known.set(id, found);
    return found;
  }

  #actionOf({ tracked, records }: ReplayedAction): Action {
    const { isRunning, nowMs, own } = this.#parts;
    const action = actionNow(tracked, isRunning, nowMs);
    if (action.login === undefined && own === undefined) return action;
    // Machines that joined a desk have given short IDs apart from each other.
    action.shortId = this.#shortest(action.id, records);
    const { operator } = action.intent;
    if (operator === undefined || own === undefined) return action;
    const isOther = isSamePlace(operator, own)
      ? own.login !== undefined && action.login !== undefined && action.login !== own.login
      : undefined;
    // One user of one computer may have several logins: then the login tells them apart.
    if (isOther === true) action.colleague = { name: action.login, ...operator };
    if (isOther === undefined) action.colleague = operator;
    return action;
  }

  /** The shortest beginning of an ID that finds its own records only. */
  #shortest(id: string, records: number): string {
    for (let digits = SHORTEST_ID; digits < id.length; digits += 1) {
      const prefix = id.slice(0, digits);
      if (this.source.found('action_id', prefix, `${prefix}${END}`).length === records) return prefix;
    }
    return id;
  }
}

const isSamePlace = (one: Operator, other: Operator): boolean =>
  one.user === other.user && one.host === other.host;
