/**
 * The machine that deals with an imagined service, and its journal: each action is sent, filled and recorded. A colleague's
 * actions are those of the service alone.
 */
import type { Big } from 'big.js';
import { makeHttpApi } from '../../src/client/hedge-api.ts';
import { type AccountIdentity, practiceIdentity } from '../../src/journal/account-identity.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import type { Journal } from '../../src/journal/store/journal.ts';
import type { ReadContext } from '../../src/readings/read-context.ts';
import { anIntent, recordFrom, type StepParts, stateFrom, WRITER } from '../journal/records.ts';
import { answerOf } from './model-answers.ts';
import {
  big,
  type ModelHedge,
  ModelService,
  type ModelSide,
  micro,
  ratio,
  type ServiceOptions,
  TERMS,
  total,
  ZERO,
} from './model-service.ts';

export interface ModelOptions extends ServiceOptions {
  /** The service's time is so far ahead of this machine's. */
  aheadMs?: number;
}

export class ModelAccount extends ModelService {
  readonly identity: AccountIdentity = practiceIdentity('model');
  records: JournalRecord[] = [];
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    super(options);
    this.#options = options;
  }

  /** Its state of now, to be read later. */
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

  /** Milliseconds since the epoch, by this machine's clock. */
  get machineMs(): number {
    return this.nowMs - (this.#options.aheadMs ?? 0);
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
      execution_price: this.quoted(side, notional).toFixed(),
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
    const hedge = this.fill(side, size, { reference: dealId, tenor, isOwn: !isLost });
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

  /** Answers of adds, reduces and closes are lost, and a person records that they were executed. */
  isTold = false;

  #recordChange(id: string, sizes: ReadonlyMap<string, Big>, isClosed: boolean): void {
    if (this.isTold) {
      this.#step(id, { kind: 'unknown', why: 'reset' });
      this.pass(3_600_000);
      return this.#step(id, { kind: 'settled', as: 'done', because: 'the venue says so' });
    }
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
    this.grow(side, size, true);
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
    const parts = this.shrink(side, wanted);
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
        .plus(this.payoff(each, taken, whole.mark))
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
    for (const hedge of this.open(side)) this.take(hedge, hedge.notional, 'close');
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

  /** The context of a command. */
  context(): ReadContext {
    const journal: Journal = {
      path: '/model/journal.sqlite',
      read: () => this.state(),
      latest: () => Promise.resolve(this.state()),
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
        const data = answerOf(this, path) as never;
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
