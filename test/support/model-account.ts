/**
 * An account of an imagined service, its market, and the journal of the one machine that deals on it: arithmetic of its own,
 * written from the definitions, which the reports, reconciliations and exports are held to. Time moves when told.
 */
import { Big } from 'big.js';
import { makeHttpApi } from '../../src/client/hedge-api.ts';
import type { Hedge } from '../../src/client/schemas.ts';
import { RefusedError } from '../../src/errors.ts';
import { type AccountIdentity, practiceIdentity } from '../../src/journal/account-identity.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import type { Journal } from '../../src/journal/store/journal.ts';
import type { Random } from '../../src/platform/random.ts';
import type { ReadContext } from '../../src/readings/read-context.ts';
import { anIntent, recordFrom, type StepParts, stateFrom, WRITER } from '../journal/records.ts';
import { seededRandom } from './steady-clock.ts';

export type ModelSide = 'buy' | 'sell';
const SIDES = ['buy', 'sell'] as const;

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const big = (value: Big | string | number): Big => new Big(value);
const ZERO = big(0);
/** Half-even, as the service rounds. */
export const micro = (amount: Big): Big => amount.round(6, Big.roundHalfEven);
const total = (all: readonly Big[]): Big => all.reduce((sum, each) => sum.plus(each), ZERO);
/** To more digits than any figure needs. */
const ratio = (one: Big, other: Big): Big => {
  const before = Big.DP;
  Big.DP = 40;
  try {
    return one.div(other);
  } finally {
    Big.DP = before;
  }
};

const TERMS = {
  carryDaily: { buy: big('0.0005'), sell: big('-0.0002') },
  margin: big('0.1'),
  platformFee: big('0.001'),
  closeFee: big('0.0005'),
};

export interface ModelHedge {
  id: string;
  reference: string;
  /** Opened from this machine, and recorded so. */
  isOwn: boolean;
  side: ModelSide;
  tenor: 1 | 3 | 7;
  status: Hedge['status'];
  notional: Big;
  struck: Big;
  margin: Big;
  openedMs: number;
  maturesMs: number;
  /** Carry owed until `fromMs`; positive is paid. */
  owed: Big;
  fromMs: number;
  fees: Big;
  done: { notional: Big; entry: Big; exit: Big; gross: Big; carry: Big; fees: Big };
  closedMs: number | undefined;
  reason: 'maturity' | 'close' | undefined;
  /** What this machine's reports have of it while it is open: fees that it paid, and reduces as they were recorded. */
  recorded: Big;
}

/** The value of each own hedge as a report has it, and of all. */
export interface ModelCut {
  netAssetValue: Big;
  own: ReadonlyMap<string, Big>;
}

export interface ModelOptions {
  seed: number;
  /** How far the rate swings, as a part of it. */
  swing?: number;
  /** The service's time is so far ahead of this machine's. */
  aheadMs?: number;
  /** What the service sends of each resource; all unless given. */
  sends?: (resource: 'account' | 'position' | 'hedge' | 'closed', fields: Fields) => Fields;
  startMs?: number;
}
type Fields = Record<string, unknown>;

export const START = Date.parse('2026-11-02T08:00:00.000Z');

export class ModelAccount {
  readonly random: Random;
  readonly identity: AccountIdentity = practiceIdentity('model');
  records: JournalRecord[] = [];
  hedges: ModelHedge[] = [];
  nowMs: number;
  balance = big(100_000);
  /** Left out of every list. */
  readonly hidden = new Set<string>();
  /** Changes what is sent of a hedge. */
  readonly changed = new Map<string, Fields>();
  /** The longest list that is sent; a shorter one whatever is asked for. */
  page = 500;
  /** Left out of the history alone. */
  readonly unrecorded = new Set<string>();
  /** Added to the size of each position. */
  positionOff = 0;
  /** Of maturities. */
  settles = true;
  readonly #swing: number;
  readonly #aheadMs: number;
  readonly #sends: NonNullable<ModelOptions['sends']>;
  #count = 0;

  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    const { seed, swing = 0.02, aheadMs = 0, sends = (_, fields) => fields, startMs = START } = options;
    this.#options = options;
    this.random = seededRandom(seed);
    this.#swing = swing;
    this.#aheadMs = aheadMs;
    this.#sends = sends;
    this.nowMs = startMs;
  }

  /** As it is now, to be read later. */
  copy(): ModelAccount {
    const copy = new ModelAccount(this.#options);
    Object.assign(copy, {
      nowMs: this.nowMs,
      balance: this.balance,
      records: [...this.records],
      hedges: this.hedges.map((each) => ({ ...each })),
    });
    return copy;
  }

  /** Between two numbers. */
  draw(from: number, to: number): number {
    return from + this.random.fraction() * (to - from);
  }

  pick<T>(all: readonly T[]): T {
    const found = all[Math.floor(this.random.fraction() * all.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }

  mid(ms = this.nowMs): Big {
    const hours = ms / HOUR;
    const wave = Math.sin(hours / 17) * 0.7 + Math.sin(hours / 3.1) * 0.2 + Math.sin(ms / 7_919) * 0.01;
    return big((1_530 * (1 + this.#swing * wave)).toFixed(8));
  }

  /** Above the mid for a buy. */
  #quoted(side: ModelSide, notional: Big, ms = this.nowMs): Big {
    const away = big('0.0004').plus(notional.times('0.00000002'));
    const factor = side === 'buy' ? away.plus(1) : big(1).minus(away);
    return this.mid(ms).times(factor).round(8);
  }

  open(side: ModelSide): readonly ModelHedge[] {
    return this.hedges.filter((each) => each.side === side && each.status === 'filled');
  }

  #accrued(hedge: ModelHedge, ms: number): Big {
    return ratio(hedge.notional.times(TERMS.carryDaily[hedge.side]).times(ms - hedge.fromMs), big(DAY));
  }

  #payoff({ side, struck }: ModelHedge, notional: Big, rate: Big): Big {
    const moved = ratio(notional.times(rate.minus(struck)), rate);
    return side === 'buy' ? moved : moved.times(-1);
  }

  /** The figures of a side. */
  position(side: ModelSide, ms = this.nowMs) {
    const open = this.open(side);
    const mark = this.mid(ms);
    const gross = micro(total(open.map((each) => this.#payoff(each, each.notional, mark))));
    const carry = total(open.map(({ owed }) => owed))
      .plus(micro(total(open.map((each) => this.#accrued(each, ms)))))
      .times(-1);
    const notional = total(open.map((each) => each.notional));
    const margin = total(open.map((each) => each.margin));
    const closeFee = micro(notional.times(TERMS.closeFee));
    const net = gross.plus(carry);
    return {
      notional,
      mark,
      gross,
      carry,
      net,
      closeFee,
      margin,
      netMargin: margin.plus(net).minus(closeFee),
    };
  }

  netAssetValue(): Big {
    const open = SIDES.filter((side) => this.open(side).length > 0);
    return this.balance.plus(total(open.map((side) => this.position(side).netMargin)));
  }

  /** By the definitions: price by each hedge's payoff, carry by notional and time held, the fee by notional. */
  cut(): ModelCut {
    const own = new Map<string, Big>();
    for (const hedge of this.hedges.filter(({ isOwn }) => isOwn)) {
      if (hedge.status === 'closed') own.set(hedge.id, this.net(hedge));
      else own.set(hedge.id, hedge.recorded.plus(this.#shareOf(hedge)));
    }
    return { netAssetValue: this.netAssetValue(), own };
  }

  #shareOf(hedge: ModelHedge): Big {
    const { mark, carry } = this.position(hedge.side);
    const held = (each: ModelHedge): Big => each.notional.times(this.nowMs - each.openedMs);
    const whole = total(this.open(hedge.side).map(held));
    const carryShare = whole.eq(0) ? ZERO : ratio(carry.times(held(hedge)), whole);
    return this.#payoff(hedge, hedge.notional, mark)
      .plus(carryShare)
      .minus(hedge.notional.times(TERMS.closeFee));
  }

  /** Realized over the whole life. */
  net({ done, fees }: ModelHedge): Big {
    return done.gross.minus(done.carry).minus(done.fees).minus(fees);
  }

  /** Time passes; hedges settle at their maturity. */
  pass(ms: number): void {
    const until = this.nowMs + Math.round(ms);
    const due = this.hedges
      .filter((each) => this.settles && each.status === 'filled' && each.maturesMs <= until)
      .toSorted((one, other) => one.maturesMs - other.maturesMs);
    for (const hedge of due) {
      this.nowMs = hedge.maturesMs;
      this.#take(hedge, hedge.notional, 'maturity');
    }
    this.nowMs = until;
  }

  deposit(amount: number): void {
    this.balance = this.balance.plus(amount);
  }

  /** Closes a part of a hedge now. */
  #take(hedge: ModelHedge, part: Big, reason: 'maturity' | 'close'): Big {
    const reference = this.mid();
    const rest = hedge.notional.minus(part);
    const gross = micro(this.#payoff(hedge, part, reference));
    const owed = hedge.owed.plus(micro(this.#accrued(hedge, this.nowMs)));
    const left = (amount: Big): Big => (rest.eq(0) ? ZERO : micro(ratio(amount.times(rest), hedge.notional)));
    const carry = owed.minus(left(owed));
    const fee = reason === 'maturity' ? ZERO : micro(part.times(TERMS.closeFee));
    const margin = hedge.margin.minus(left(hedge.margin));
    const { done } = hedge;
    hedge.done = {
      notional: done.notional.plus(part),
      entry: done.entry.plus(part.times(hedge.struck)),
      exit: done.exit.plus(ratio(part, reference)),
      gross: done.gross.plus(gross),
      carry: done.carry.plus(carry),
      fees: done.fees.plus(fee),
    };
    this.balance = this.balance.plus(margin).plus(gross).minus(carry).minus(fee);
    Object.assign(hedge, { margin: hedge.margin.minus(margin), owed: left(owed), fromMs: this.nowMs });
    if (rest.eq(0)) Object.assign(hedge, { status: 'closed', closedMs: this.nowMs, reason });
    else hedge.notional = rest;
    return gross.minus(carry).minus(fee);
  }

  #fill(
    side: ModelSide,
    notional: Big,
    { reference, tenor, isOwn }: { reference: string; tenor: 1 | 3 | 7; isOwn: boolean },
  ): ModelHedge {
    this.#count += 1;
    const fee = micro(notional.times(TERMS.platformFee));
    const margin = micro(notional.times(TERMS.margin));
    this.balance = this.balance.minus(margin).minus(fee);
    const hedge: ModelHedge = {
      id: `hdg_${this.#count.toString().padStart(4, '0')}`,
      reference,
      isOwn,
      side,
      tenor,
      status: 'filled',
      notional,
      struck: this.#quoted(side, notional),
      margin,
      openedMs: this.nowMs,
      maturesMs: this.nowMs + tenor * DAY,
      owed: ZERO,
      fromMs: this.nowMs,
      fees: fee,
      done: { notional: ZERO, entry: ZERO, exit: ZERO, gross: ZERO, carry: ZERO, fees: ZERO },
      closedMs: undefined,
      reason: undefined,
      recorded: isOwn ? fee.times(-1) : ZERO,
    };
    this.hedges.push(hedge);
    return hedge;
  }

  /** To the newest hedge of the side. */
  #grow(side: ModelSide, notional: Big, isOwn: boolean): void {
    const hedge = this.open(side).at(-1);
    if (hedge === undefined) return;
    const fee = micro(notional.times(TERMS.platformFee));
    const margin = micro(notional.times(TERMS.margin));
    this.balance = this.balance.minus(margin).minus(fee);
    const value = hedge.notional.times(hedge.struck).plus(notional.times(this.#quoted(side, notional)));
    Object.assign(hedge, {
      struck: ratio(value, hedge.notional.plus(notional)).round(8),
      owed: hedge.owed.plus(micro(this.#accrued(hedge, this.nowMs))),
      fromMs: this.nowMs,
      notional: hedge.notional.plus(notional),
      margin: hedge.margin.plus(margin),
      fees: hedge.fees.plus(fee),
      recorded: isOwn && hedge.isOwn ? hedge.recorded.minus(fee) : hedge.recorded,
    });
  }

  /** All hedges of the side in proportion; the parts. */
  #shrink(side: ModelSide, wanted: Big): ReadonlyMap<string, Big> {
    const open = this.open(side);
    const whole = total(open.map(({ notional }) => notional));
    const isFull = wanted.gte(whole.times('0.99'));
    const parts = new Map(
      open.map((each) => [
        each.id,
        isFull ? each.notional : micro(ratio(wanted.times(each.notional), whole)),
      ]),
    );
    for (const hedge of open) this.#take(hedge, parts.get(hedge.id) ?? ZERO, 'close');
    return parts;
  }

  // A colleague: nothing is recorded here.
  othersOpen(side: ModelSide, notional: number, reference = `theirs-${this.#count.toString()}`): ModelHedge {
    return this.#fill(side, big(notional), { reference, tenor: 3, isOwn: false });
  }
  othersAdd(side: ModelSide, notional: number): void {
    this.#grow(side, big(notional), false);
  }
  othersReduce(side: ModelSide, notional: number): void {
    if (this.open(side).length > 0) this.#shrink(side, big(notional));
  }

  /** Milliseconds since the epoch, by this machine's clock. */
  get machineMs(): number {
    return this.nowMs - this.#aheadMs;
  }

  #step(id: string, parts: StepParts, by = 'Ada'): void {
    const at = new Date(this.machineMs).toISOString();
    this.records.push({
      ...recordFrom(parts, { action_id: id, at, writer: WRITER }),
      operator: operatorOf(by),
    });
  }

  #intend(parts: Partial<IntentRecord>, by: string): string {
    this.#actions += 1;
    const id = this.#actions.toString(16).padStart(4, '0').padEnd(16, '0');
    const serviceMs = Math.floor(this.nowMs / 1_000) * 1_000;
    this.records.push(
      anIntent({
        action_id: id,
        short_id: id.slice(0, 4),
        at: new Date(this.machineMs).toISOString(),
        identity: this.identity,
        idempotency_key: `key-${id}`,
        operator: operatorOf(by),
        ...parts,
        before: {
          hedges: this.open(parts.side ?? 'buy').map((each) => ({
            hedge_id: each.id,
            notional_usd: each.notional.toFixed(),
            status: 'filled',
            struck_rate: each.struck.toFixed(),
            filled_at: new Date(each.openedMs).toISOString(),
          })),
          in_positions: this.open(parts.side ?? 'buy').length > 0,
          service_at: new Date(serviceMs).toISOString(),
        },
      }),
    );
    this.#step(id, { kind: 'sending', attempt: 1 }, by);
    return id;
  }
  #actions = 0;

  #quoteRecord(side: ModelSide, notional: Big): IntentRecord['quote'] {
    return {
      market_price: this.mid().toFixed(),
      execution_price: this.#quoted(side, notional).toFixed(),
      carry_usdc: micro(notional.times(TERMS.carryDaily[side])).toFixed(),
      platform_fee_usdc: micro(notional.times(TERMS.platformFee)).toFixed(),
      required_margin_usdc: micro(notional.times(TERMS.margin)).toFixed(),
    };
  }

  /** From this machine; `meanwhile` runs between the fill and its record. `isLost`: no answer, and no outcome is recorded. */
  ownOpen(
    side: ModelSide,
    notional: number,
    {
      dealId = `PAY-${(this.#actions + 1).toString()}`,
      tenor = 3,
      by = 'Ada',
      isLost = false,
      hasQuote = true,
      meanwhile = () => undefined,
    }: {
      dealId?: string;
      tenor?: 1 | 3 | 7;
      by?: string;
      isLost?: boolean;
      hasQuote?: boolean;
      meanwhile?: () => void;
    } = {},
  ): ModelHedge {
    const size = big(notional);
    const id = this.#intend(
      {
        action: 'open',
        side,
        notional_usd: size.toFixed(),
        tenor_days: tenor,
        client_reference: dealId,
        deal_id: dealId,
        ...(hasQuote ? { quote: this.#quoteRecord(side, size) } : { quote: undefined }),
      },
      by,
    );
    this.pass(2_700);
    const hedge = this.#fill(side, size, { reference: dealId, tenor, isOwn: !isLost });
    if (!hasQuote) hedge.recorded = ZERO;
    this.pass(400);
    meanwhile();
    if (isLost) {
      this.#step(id, { kind: 'unknown', why: 'reset' }, by);
      this.#lost.push({ id, hedge });
    } else this.#recordFill(id, hedge, by);
    return hedge;
  }

  /** A check finds the hedges of all lost answers. */
  findLost(): void {
    for (const { id, hedge } of this.#lost.splice(0)) this.#recordFill(id, hedge, 'Ada');
  }
  readonly #lost: { id: string; hedge: ModelHedge }[] = [];

  #recordFill(id: string, hedge: ModelHedge, by: string): void {
    this.#step(id, { kind: 'accepted', hedge_id: hedge.id, by: 'answer' }, by);
    this.pass(400);
    this.#step(
      id,
      {
        kind: 'outcome',
        outcome: 'filled',
        hedge_id: hedge.id,
        facts: {
          status: 'filled',
          notional_usd: hedge.notional.toFixed(),
          struck_rate: hedge.struck.toFixed(),
          filled_at: new Date(hedge.openedMs).toISOString(),
          maturity_at: new Date(hedge.maturesMs).toISOString(),
        },
      },
      by,
    );
  }

  /** The side settled before the order landed. */
  #recordNothing(id: string): void {
    this.#step(id, { kind: 'accepted', by: 'answer' });
    this.#step(id, { kind: 'outcome', outcome: 'not_seen', facts: {} });
    this.#step(id, { kind: 'settled', as: 'nothing', because: 'it had settled' });
  }

  #recordChange(id: string, sizes: ReadonlyMap<string, Big>, isClosed: boolean): void {
    this.#step(id, { kind: 'accepted', by: 'answer' });
    this.pass(400);
    const facts = Object.fromEntries([...sizes].map(([hedge, size]) => [hedge, size.toFixed()]));
    this.#step(id, { kind: 'outcome', outcome: isClosed ? 'closed' : 'changed', facts });
  }

  ownAdd(side: ModelSide, notional: number): void {
    const target = this.open(side).at(-1);
    if (target === undefined) return;
    const size = big(notional);
    const quote = this.#quoteRecord(side, size);
    const id = this.#intend(
      { action: 'add', side, notional_usd: size.toFixed(), path: '/hedges/add', quote },
      'Ada',
    );
    this.pass(2_700);
    if (target.status !== 'filled')
      return this.#step(id, { kind: 'outcome', outcome: 'not_seen', facts: {} });
    this.#grow(side, size, true);
    this.#recordChange(id, new Map([[target.id, target.notional]]), false);
  }

  ownReduce(side: ModelSide, part: number, meanwhile: () => void = () => undefined): void {
    const open = this.open(side);
    if (open.length === 0) return;
    const whole = this.position(side);
    const wanted = whole.notional.times(part).round(2);
    const scaled = (amount: Big): Big => micro(ratio(amount.times(wanted), whole.notional));
    const figures = {
      net_margin_usd: scaled(whole.netMargin),
      close_fee_usdc: scaled(whole.closeFee),
      net_pnl_usd: scaled(whole.net),
      gross_pnl_usd: scaled(whole.gross),
    };
    const quote = {
      ...Object.fromEntries(Object.entries(figures).map(([name, amount]) => [name, amount.toFixed()])),
      mark_price: whole.mark.toFixed(),
    };
    const id = this.#intend(
      { action: 'reduce', side, notional_usd: wanted.toFixed(), path: '/hedges/reduce', quote },
      'Ada',
    );
    const held = open.map((each) => ({ each, ms: Math.floor(this.nowMs / 1_000) * 1_000 - each.openedMs }));
    this.pass(2_700);
    if (open.some(({ status }) => status !== 'filled')) return this.#recordNothing(id);
    const parts = this.#shrink(side, wanted);
    // As it is recorded, split by the definitions.
    const carry = figures.net_pnl_usd.minus(figures.gross_pnl_usd);
    const weight = ({ each, ms }: (typeof held)[number]): Big =>
      (parts.get(each.id) ?? ZERO).times(Math.max(0, ms));
    const weights = total(held.map(weight));
    for (const one of held) {
      const { each } = one;
      if (each.status === 'closed') continue;
      const taken = parts.get(each.id) ?? ZERO;
      const carryShare = weights.eq(0) ? ZERO : ratio(carry.times(weight(one)), weights);
      each.recorded = each.recorded
        .plus(this.#payoff(each, taken, whole.mark))
        .plus(carryShare)
        .minus(taken.times(TERMS.closeFee));
    }
    this.pass(400);
    meanwhile();
    const isClosed = open.every(({ status }) => status === 'closed');
    this.#recordChange(id, new Map(open.map((each) => [each.id, isClosed ? ZERO : each.notional])), isClosed);
  }

  ownClose(side: ModelSide): void {
    const open = this.open(side);
    if (open.length === 0) return;
    const id = this.#intend({ action: 'close', side, path: '/hedges/close', quote: undefined }, 'Ada');
    this.pass(2_700);
    for (const hedge of this.open(side)) this.#take(hedge, hedge.notional, 'close');
    this.#recordChange(id, new Map(open.map((each) => [each.id, ZERO])), true);
  }

  /** An action that is under way. */
  ownPending(side: ModelSide, notional: number): string {
    const id = this.#intend(
      {
        action: 'open',
        side,
        notional_usd: notional.toString(),
        tenor_days: 3,
        client_reference: 'PENDING-1',
      },
      'Ada',
    );
    this.#step(id, { kind: 'accepted', hedge_id: 'hdg_pending', by: 'answer' });
    return id;
  }

  state(): JournalState {
    const state = stateFrom(this.records, { nowMs: this.machineMs });
    const hashOf = (record: JournalRecord | undefined): string | undefined =>
      record && (this.records.indexOf(record) + 1).toString(16).padStart(64, '0');
    return {
      ...state,
      snapshots: (span) => [...state.snapshots(span)].map(({ record }) => ({ record, hash: hashOf(record) })),
      hashOf: (id) => hashOf(this.records.find((each) => 'action_id' in each && each.action_id === id)),
    };
  }

  #sentHedge(hedge: ModelHedge): Fields {
    const { id, reference, side, notional, tenor, status, struck, openedMs, maturesMs } = hedge;
    return {
      ...this.#sends('hedge', {
        id,
        client_reference: reference,
        market: 'USDTNGN',
        side,
        notional_usd: notional,
        tenor_days: big(tenor),
        status,
        struck_rate: struck,
        opened_at: new Date(openedMs).toISOString(),
        filled_at: new Date(openedMs).toISOString(),
        maturity_at: new Date(maturesMs).toISOString(),
      }),
      ...this.changed.get(id),
    };
  }

  #sentClosed(hedge: ModelHedge): Fields {
    const { id, reference, side, done, fees, openedMs, closedMs = 0, reason } = hedge;
    return this.#sends('closed', {
      id,
      client_reference: reference,
      market: 'USDTNGN',
      side,
      notional_usd: done.notional,
      entry_price: ratio(done.entry, done.notional).round(8),
      exit_price: ratio(done.notional, done.exit).round(8),
      gross_pnl_usd: done.gross,
      carry_usdc: done.carry.times(-1),
      fees_usdc: done.fees.plus(fees),
      net_pnl_usd: this.net(hedge),
      opened_at: new Date(openedMs).toISOString(),
      closed_at: new Date(closedMs).toISOString(),
      reason,
    });
  }

  #sentPositions(): readonly Fields[] {
    return SIDES.filter((side) => this.open(side).length > 0).map((side) => {
      const figures = this.position(side);
      return this.#sends('position', {
        market: 'USDTNGN',
        side,
        notional_usd: figures.notional.plus(this.positionOff),
        mark_price: figures.mark,
        gross_pnl_usd: figures.gross,
        accrued_carry_usdc: figures.carry,
        net_pnl_usd: figures.net,
        close_fee_usdc: figures.closeFee,
        margin_usdc: figures.margin,
        net_margin_usd: figures.netMargin,
      });
    });
  }

  #answer(path: string): unknown {
    const [resource = '', query = ''] = path.split('?');
    const asked = new URLSearchParams(query);
    const newest = this.hedges.filter(({ id }) => !this.hidden.has(id)).toReversed();
    if (resource === '/account')
      return this.#sends('account', {
        balance_usdc: this.balance,
        available_exposure_usd: big(500_000),
        margin_in_use_usdc: total(this.hedges.map(({ margin }) => margin)),
        reserved_usdc: ZERO,
      });
    if (resource === '/positions') return this.#sentPositions();
    if (resource === '/markets')
      return [
        {
          market: 'USDTNGN',
          status: 'open',
          price: this.mid(),
          net_rate_daily_pct: {},
          available_capacity_usd: {},
        },
      ];
    if (resource === '/hedges/history')
      return this.hedges
        .filter(({ id, status }) => status === 'closed' && !this.hidden.has(id) && !this.unrecorded.has(id))
        .toSorted((one, other) => (other.closedMs ?? 0) - (one.closedMs ?? 0))
        .map((each) => this.#sentClosed(each));
    if (resource === '/hedges')
      return newest
        .map((each) => this.#sentHedge(each))
        .filter(
          (each) =>
            (asked.get('status') ?? each['status']) === each['status'] &&
            (asked.get('client_reference') ?? each['client_reference']) === each['client_reference'],
        )
        .slice(0, this.page < 500 ? this.page : Number(asked.get('limit') ?? 500));
    const one = newest.find(({ id }) => resource === `/hedges/${id}`);
    if (one !== undefined) return this.#sentHedge(one);
    throw new RefusedError({ code: 'hedge_not_found', what: 'No such hedge.', httpStatus: 404 });
  }

  /** As a command has it. */
  context(): ReadContext {
    const journal: Journal = {
      path: '/model/journal.sqlite',
      read: () => this.state(),
      append: async (records) => {
        this.records.push(...records);
        return this.state();
      },
      close: () => undefined,
    };
    // Its clock has whole seconds.
    const servedAt = (): Date => new Date(Math.floor(this.nowMs / 1_000) * 1_000);
    return {
      api: makeHttpApi(async ({ path }) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const data = this.#answer(path) as never;
        return { data, meta: {}, servedAt: servedAt(), clocks: { wall: this.nowMs } };
      }),
      journal,
      clock: {
        now: () => this.machineMs,
        monotonic: () => this.machineMs,
        sleep: async (ms) => this.pass(ms),
        after: () => () => undefined,
      },
      identity: this.identity,
      signal: new AbortController().signal,
      progress: {
        start: () => undefined,
        update: () => undefined,
        note: () => undefined,
        news: () => undefined,
        stop: () => undefined,
      },
      timeOfDay: (ms) => new Date(ms).toISOString(),
    };
  }
}

const operatorOf = (name: string) => ({ name, user: name.toLowerCase(), host: 'desk' });
