/**
 * An imagined service with one account: its market, hedges and money, by arithmetic of its own, written from the definitions.
 * Reports, reconciliations and exports are held to it. Time moves when told.
 */
import { Big } from 'big.js';
import type { Hedge } from '../../src/client/schemas.ts';
import type { Random } from '../../src/platform/random.ts';
import { seededRandom } from './steady-clock.ts';

export type ModelSide = 'buy' | 'sell';
export const SIDES = ['buy', 'sell'] as const;

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const big = (value: Big | string | number): Big => new Big(value);
export const ZERO = big(0);
/** Half-even, as the service rounds. */
export const micro = (amount: Big): Big => amount.round(6, Big.roundHalfEven);
export const total = (all: readonly Big[]): Big => all.reduce((sum, each) => sum.plus(each), ZERO);
/** To more digits than any figure needs. */
export const ratio = (one: Big, other: Big): Big => {
  const before = Big.DP;
  Big.DP = 40;
  try {
    return one.div(other);
  } finally {
    Big.DP = before;
  }
};

export const TERMS = {
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
  /** Realized in this machine's reports while it is open: fees that it paid, and reduces as they were recorded. */
  recorded: Big;
}

/** The value of each own hedge as a report has it, and of all. */
export interface ModelCut {
  netAssetValue: Big;
  own: ReadonlyMap<string, Big>;
}

export interface ServiceOptions {
  seed: number;
  /** How far the rate swings, as a part of it. */
  swing?: number;
}
export type Fields = Record<string, unknown>;

const START = Date.parse('2026-11-02T08:00:00.000Z');

export class ModelService {
  readonly random: Random;
  hedges: ModelHedge[] = [];
  nowMs = START;
  balance = big(100_000);
  /** Left out of every list. */
  readonly hidden = new Set<string>();
  /** Changes what is sent of a hedge. */
  readonly changed = new Map<string, Fields>();
  /** The longest list that is sent; a shorter one whatever is asked for. */
  page = 500;
  /** Left out of the history alone. */
  readonly unrecorded = new Set<string>();
  /** How a record of the history is spelled. */
  spelled = (record: Fields): Fields => record;
  /** Added to the size of each position. */
  positionOff = 0;
  /** Whether hedges settle at their maturity. */
  settles = true;
  readonly #swing: number;
  #count = 0;

  constructor({ seed, swing = 0.02 }: ServiceOptions) {
    this.random = seededRandom(seed);
    this.#swing = swing;
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
  protected quoted(side: ModelSide, notional: Big, ms = this.nowMs): Big {
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

  protected payoff({ side, struck }: ModelHedge, notional: Big, rate: Big): Big {
    const moved = ratio(notional.times(rate.minus(struck)), rate);
    return side === 'buy' ? moved : moved.times(-1);
  }

  /** The figures of a side. */
  position(side: ModelSide, ms = this.nowMs) {
    const open = this.open(side);
    const mark = this.mid(ms);
    const gross = micro(total(open.map((each) => this.payoff(each, each.notional, mark))));
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
    return this.payoff(hedge, hedge.notional, mark)
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
      this.take(hedge, hedge.notional, 'maturity');
    }
    this.nowMs = until;
  }

  deposit(amount: number): void {
    this.balance = this.balance.plus(amount);
  }

  /** Closes a part of a hedge now. */
  protected take(hedge: ModelHedge, part: Big, reason: 'maturity' | 'close'): Big {
    const reference = this.mid();
    const rest = hedge.notional.minus(part);
    const gross = micro(this.payoff(hedge, part, reference));
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

  protected fill(
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
      struck: this.quoted(side, notional),
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
  protected grow(side: ModelSide, notional: Big, isOwn: boolean): void {
    const hedge = this.open(side).at(-1);
    if (hedge === undefined) return;
    const fee = micro(notional.times(TERMS.platformFee));
    const margin = micro(notional.times(TERMS.margin));
    this.balance = this.balance.minus(margin).minus(fee);
    const value = hedge.notional.times(hedge.struck).plus(notional.times(this.quoted(side, notional)));
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
  protected shrink(side: ModelSide, wanted: Big): ReadonlyMap<string, Big> {
    const open = this.open(side);
    const whole = total(open.map(({ notional }) => notional));
    const isFull = wanted.gte(whole.times('0.99'));
    const parts = new Map(
      open.map((each) => [
        each.id,
        isFull ? each.notional : micro(ratio(wanted.times(each.notional), whole)),
      ]),
    );
    for (const hedge of open) this.take(hedge, parts.get(hedge.id) ?? ZERO, 'close');
    return parts;
  }

  // A colleague: nothing is recorded here.
  othersOpen(side: ModelSide, notional: number, reference = `theirs-${this.#count.toString()}`): ModelHedge {
    return this.fill(side, big(notional), { reference, tenor: 3, isOwn: false });
  }
  othersAdd(side: ModelSide, notional: number): void {
    this.grow(side, big(notional), false);
  }
  othersReduce(side: ModelSide, notional: number): void {
    if (this.open(side).length > 0) this.shrink(side, big(notional));
  }
}
