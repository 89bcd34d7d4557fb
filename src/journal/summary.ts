/**
 * Summary of the journal, known without reading every record: which actions, rolls and halts are open, and what counts for the
 * limits. It follows the records one by one. Pure.
 */
import { Big } from 'big.js';
import { recordedIdentity } from './account-identity.ts';
import { type DeskLimits, limitsAfter } from './desk-limits.ts';
import { enlarged, LAST_DEALS } from './queries.ts';
import { type ActionRecord, isOfAction, isOfHalt, isOfRoll, type RecordedIdentity } from './records.ts';
import {
  type Action,
  beginAction,
  followAction,
  isEnded,
  type StampedRecord,
  type Tracked,
  trackRecords,
} from './replay.ts';
import { mayRelax } from './stamp.ts';

/** The opens and adds of an account that have ended and were executed, or may have been. Amounts are digits of USD. */
interface AccountSums {
  /** In JSON. */
  identity: string;
  /** Set with a desk only. */
  login?: string | undefined;
  /** Sums by UTC day, oldest first; the latest days only. */
  days: [day: string, usd: string][];
  /** The latest of them, newest first, by the numbers of their intents. */
  last: [seq: number, actionId: string, usd: string][];
}

/** Looks up the records of an action. */
export interface RecordFinder {
  found(name: 'action_id', actionId: string): readonly number[];
  records(seqs: readonly number[]): readonly NumberedRecord[];
}

export interface NumberedRecord extends StampedRecord {
  seq: number;
}

/** A clock that was set back by less than this many days with deals still finds the sum of its day. */
const DAYS = 3;
/** More than are asked for: a late answer may take some of them away. */
const KEPT_DEALS = 2 * LAST_DEALS;
const DAY = 'YYYY-MM-DD';

export class Summary {
  /** Actions in all. */
  count = 0;
  /** Number of the first record, by ID: actions that have not ended, plans of rolls that no record ends, halts in force. */
  readonly actions = new Map<string, number>();
  readonly rolls = new Map<string, number>();
  readonly halts = new Map<string, number>();
  /** Limits of the desk. */
  limits: DeskLimits = {};
  /** By identity, as recorded, and login. */
  readonly #accounts = new Map<string, AccountSums>();
  /** Open actions that had a record here. */
  readonly #tracked = new Map<string, { tracked: Tracked; seq: number }>();

  /** The next record, after it was inserted. */
  add(numbered: NumberedRecord, finder: RecordFinder): void {
    const { record, seq, stamp } = numbered;
    if (isOfAction(record)) this.#follow({ ...numbered, record }, finder);
    else if (isOfRoll(record)) replace(this.rolls, record.chain_id, record.kind === 'roll' ? seq : undefined);
    else if (record.kind === 'desk_limit') this.limits = limitsAfter(this.limits, record, stamp);
    else if (!isOfHalt(record)) return;
    else if (record.kind === 'halt') replace(this.halts, record.halt_id, seq);
    else if (mayRelax(stamp)) for (const id of record.halt_ids) this.halts.delete(id);
  }

  #follow({ record, seq, stamp }: NumberedRecord & { record: ActionRecord }, finder: RecordFinder): void {
    const { action_id: id } = record;
    const known = this.#tracked.get(id) ?? (record.kind === 'intent' ? undefined : replayed(id, seq, finder));
    if (known === undefined) {
      // Without its intent: pending steps are in a file of their own.
      if (record.kind !== 'intent') return;
      this.count += 1;
      this.actions.set(id, seq);
      this.#tracked.set(id, { tracked: beginAction(record, stamp), seq });
      return;
    }
    const { action } = known.tracked;
    const before = countedUsd(action);
    followAction(known.tracked, record, stamp);
    const usd = countedUsd(action);
    if ((before === undefined) !== (usd === undefined)) this.#count(action, known.seq, usd);
    replace(this.actions, id, isEnded(action) ? undefined : known.seq);
    if (isEnded(action)) this.#tracked.delete(id);
    else this.#tracked.set(id, known);
  }

  /** `usd`: undefined for a deal that counts no more. */
  #count({ id: actionId, intent, notional, login }: Action, seq: number, usd: Big | undefined): void {
    const identity = JSON.stringify(recordedIdentity(intent.identity));
    const account = accountKey(identity, login);
    const { days, last } = this.#accounts.get(account) ?? { days: [], last: [] };
    const day = intent.at.slice(0, DAY.length);
    const change = usd ?? ZERO.minus(notional ?? ZERO);
    const sums = new Map(days);
    if (isKept(days, day)) sums.set(day, change.plus(sums.get(day) ?? ZERO).toFixed());
    const deals = last.filter(([each]) => each !== seq);
    if (usd !== undefined) deals.push([seq, actionId, usd.toFixed()]);
    this.#accounts.set(account, {
      identity,
      login,
      days: sorted(sums).slice(-DAYS),
      last: deals.toSorted(([one], [other]) => other - one).slice(0, KEPT_DEALS),
    });
  }

  /**
   * USD of the counted deals of a UTC day in the accounts that are meant; undefined for a day so long ago that its sum was
   * not kept.
   */
  usdOn(day: string, isMeant: IsMeant): Big | undefined {
    const sums = this.#sumsOf(isMeant);
    if (!sums.every(({ days }) => isKept(days, day))) return undefined;
    return sums.reduce((sum, { days }) => sum.plus(new Map(days).get(day) ?? ZERO), ZERO);
  }

  /** The last counted deals of the accounts that are meant. */
  lastDeals(isMeant: IsMeant): AccountSums['last'] {
    return this.#sumsOf(isMeant).flatMap(({ last }) => last);
  }

  #sumsOf(isMeant: IsMeant): readonly AccountSums[] {
    return [...this.#accounts.values()].filter(({ identity, login }) => isMeant(JSON.parse(identity), login));
  }

  /** The same text for the same content. */
  get text(): string {
    return JSON.stringify({
      count: this.count,
      actions: sorted(this.actions),
      rolls: sorted(this.rolls),
      halts: sorted(this.halts),
      accounts: sorted(this.#accounts).map(([, sums]) => sums),
      ...(Object.keys(this.limits).length === 0 ? {} : { limits: this.limits }),
    } satisfies Content);
  }

  /** Reads a text that `text` wrote. */
  static from(text: string): Summary {
    const content: Content = JSON.parse(text);
    const summary = new Summary();
    summary.count = content.count;
    for (const name of ['actions', 'rolls', 'halts'] as const)
      for (const [id, seq] of content[name]) summary[name].set(id, seq);
    summary.limits = content.limits ?? {};
    for (const sums of content.accounts) summary.#accounts.set(accountKey(sums.identity, sums.login), sums);
    return summary;
  }
}

interface Content extends Record<'actions' | 'rolls' | 'halts', [id: string, seq: number][]> {
  count: number;
  limits?: DeskLimits;
  accounts: AccountSums[];
}

const ZERO = new Big(0);

/** `login`: with a desk. */
type IsMeant = (identity: RecordedIdentity, login: string | undefined) => boolean;

const accountKey = (identity: string, login: string | undefined): string =>
  login === undefined ? identity : `${identity} ${login}`;

/** Undefined when the first of its records before a number is no intent. */
function replayed(
  actionId: string,
  before: number,
  finder: RecordFinder,
): { tracked: Tracked; seq: number } | undefined {
  const earlier = finder.records(finder.found('action_id', actionId).filter((seq) => seq < before));
  const [[first], [tracked]] = [earlier, trackRecords(earlier)];
  return first?.record.kind === 'intent' && tracked !== undefined ? { tracked, seq: first.seq } : undefined;
}

/** Until it has ended it is among the open actions. */
const countedUsd = (action: Action): Big | undefined => (isEnded(action) ? enlarged(action) : undefined);

const isKept = (days: AccountSums['days'], day: string): boolean =>
  days.length < DAYS || days.some(([kept]) => kept <= day);

/** At the end, so that the order is that of the records. */
function replace(items: Map<string, number>, id: string, seq: number | undefined): void {
  if (seq === undefined) items.delete(id);
  else items.set(id, seq);
}

const sorted = <T>(items: ReadonlyMap<string, T>): [string, T][] =>
  [...items].toSorted(([one], [other]) => (one < other ? -1 : 1));
