/** Facts as the client hands them over, built from the specification's sample bodies. */
import { Big } from 'big.js';
import type * as z from 'zod/mini';
import type { RawInput } from '../../src/args/option.ts';
import {
  completeOpen,
  readAddIntent,
  readCloseIntent,
  readOpenDraft,
  readReduceIntent,
} from '../../src/args/read-action.ts';
import { readJson } from '../../src/client/json.ts';
import {
  accountSchema,
  type Hedge,
  hedgeSchema,
  marketSchema,
  positionSchema,
  type Quote,
  quoteSchema,
} from '../../src/client/schemas.ts';
import { type ActionIntent, isUnsized, type TypedIntent } from '../../src/domain/action-intent.ts';
import type { Side } from '../../src/domain/vocabulary.ts';
import { type PositionFacts, type SidePosition, sidePositionOf } from '../../src/readings/side-position.ts';
import { planAction } from '../../src/trading/action-parts.ts';
import type { PlanFacts } from '../../src/trading/plan.ts';
import type { TradingLimits } from '../../src/trading/trading-context.ts';
import { aHedge, aMarket, anAccount, aPosition, aQuote, aSellQuote, type Body } from '../spec/bodies.ts';
export const NOON = new Date('2026-11-20T12:00:00Z');
export const NO_LIMITS: TradingLimits = {
  maxNotional: undefined,
  maxDailyNotional: undefined,
  readOnly: false,
  markets: undefined,
};
export const big = (text: string): Big => new Big(text);

const parsed = <T>(schema: z.ZodMiniType<T>, body: Body): T => schema.parse(readJson(JSON.stringify(body)));

export const hedge = (id: string, notional: number, changes: Body = {}): Hedge =>
  parsed(hedgeSchema(), aHedge({ id, notional_usd: notional, ...changes }));

export const position = (changes: Body = {}) =>
  parsed(positionSchema(), aPosition({ market: 'USDTNGN', side: 'buy', ...changes }));

export const market = (changes: Body = {}) => parsed(marketSchema(), aMarket(changes));
export const account = (changes: Body = {}) => parsed(accountSchema(), anAccount(changes));

/** A quote for this notional at the terms of the samples: impact 6 bps, margin 10 %, fee 0.10 %. */
export function quote(side: Side, notional: string, changes: Body = {}): Quote {
  const sample = side === 'buy' ? aQuote() : aSellQuote();
  const part = new Big(notional).div(10_000);
  const size = (figure: number): number => part.times(figure).toNumber();
  return parsed(quoteSchema(), {
    ...sample,
    notional_usd: Number(notional),
    carry: {
      daily_usdc: size(side === 'buy' ? 5 : -2),
      daily_rate_pct: 0.05,
      total_usdc: size(side === 'buy' ? 15 : -6),
      total_rate_pct: 0.15,
    },
    upfront: {
      required_margin_usdc: size(1000),
      platform_fee_usdc: size(10),
      total_upfront_usdc: size(1010),
    },
    ...changes,
  });
}

export function sideBook(facts: Partial<PositionFacts> = {}, side: Side = 'buy'): SidePosition {
  const hedges = facts.hedges ?? [];
  const stands = hedges.some((each) => each.status === 'filled' && each.side === side);
  return sidePositionOf(
    { market: 'USDTNGN', side },
    { positions: stands ? [position({ side })] : [], hedges, mayBeCut: false, servedAt: NOON, ...facts },
  );
}

export const planFacts = (changes: Partial<PlanFacts> = {}): PlanFacts => ({
  sidePosition: sideBook(),
  market: market(),
  marketNames: [],
  account: account(),
  quote: undefined,
  readAtMs: NOON.getTime(),
  ...changes,
});

const READERS: Readonly<Record<string, (raw: RawInput) => TypedIntent>> = {
  open: (raw) => completeOpen(readOpenDraft(raw)),
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
};

/** An intent from the words that would be typed; options by their camelCase names. */
export function intent(line: string, options: RawInput['options'] = {}): ActionIntent {
  const [action, ...operands] = line.split(' ');
  const raw: RawInput = { operands, options: { wait: true, tenor: '3', ...options } };
  const read = READERS[action ?? ''];
  if (read === undefined) throw new Error(`no action: ${line}`);
  const typed = read(raw);
  if (isUnsized(typed)) throw new Error(`no notional: ${line}`);
  return typed;
}

/** The plan of a line on a book of 30,000 and 10,000 bought, with the quote it needs. */
export function planOf(
  line: string,
  { options = {}, facts = {} }: { options?: RawInput['options']; facts?: Partial<PlanFacts> } = {},
) {
  const meant = intent(line, options);
  const needsQuote = meant.action === 'open' || meant.action === 'add';
  return planAction(
    meant,
    planFacts({
      sidePosition: sideBook({ hedges: [hedge('hdg_B', 30_000), hedge('hdg_A', 10_000)] }, meant.side),
      quote: needsQuote ? quote(meant.side, meant.notional.toFixed()) : undefined,
      ...facts,
    }),
  );
}
