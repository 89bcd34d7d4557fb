/**
 * Orders under guards: what each is held against, worked out from what the service answered and the operator has set,
 * and judged where it would leave. Knows nothing of the guards' own code.
 */
import { Big } from 'big.js';
import type { Rewriting } from '../faults/fault-proxy.ts';
import { type Day, NO_TROUBLE, type Request } from './day.ts';
import { bodySchema } from './words.ts';

export interface Guards {
  most: number | undefined;
  mostDaily: number | undefined;
  readOnly: boolean;
  halted: boolean;
}

/** What is wrong with a figure that an order is held against. */
export const BROKEN = [
  ['quote', 'execution_price', undefined],
  ['quote', 'execution_price', 'null'],
  ['quote', 'execution_price', '"NaN"'],
  ['quote', 'execution_price', '1e999'],
  ['quote', 'execution_price', '0'],
  ['quote', 'execution_price', '-1530'],
  ['quote', 'market_price', undefined],
  ['quote', 'market_price', '0'],
  ['quote', 'total_usdc', undefined],
  ['quote', 'total_upfront_usdc', '"Infinity"'],
  ['account', 'available_exposure_usd', undefined],
  ['account', 'available_exposure_usd', 'null'],
  ['account', 'available_exposure_usd', '"NaN"'],
  ['account', 'balance_usdc', undefined],
  ['markets', 'available_capacity_usd', undefined],
  ['markets', 'available_capacity_usd', '{"buy":null,"sell":null}'],
] as const;
export type Broken = (typeof BROKEN)[number];

/** What a quote says in the place of the terms that were asked for. */
export const ELSE = [
  ['side', '"none"'],
  ['notional_usd', '1'],
  ['tenor_days', '30'],
  ['market', '"USDTKES"'],
] as const;

export interface Order {
  action: 'open' | 'add';
  side: 'buy' | 'sell';
  size: number;
  /** Seconds after the one before. */
  after: number;
  /** In basis points from the mid against us: of the quote that is shown, and of every later one. */
  shownBps: number;
  laterBps: number;
  terms: { worstBps: number } | { maxCostBps: number } | 'any' | 'none';
  /** A person answers yes; otherwise a script with `--yes`. */
  person: boolean;
  twice: boolean;
  /** How long the account takes to be read. */
  slowSeconds: number;
  headroom: number;
  capacity: number;
  balance: number;
  disabled: boolean;
  broken: Broken | (typeof ELSE)[number] | undefined;
}

export const orderText = ({ action, side, size, ...rest }: Order): string =>
  `${action} ${side} ${String(size)} ${JSON.stringify(rest)}`;

interface Quoted {
  side: string;
  size: number;
  execution: number;
  /** USDC for the tenor that is quoted, of which the carry. */
  cost: number;
  carry: number;
  tenorMs: number;
  upfront: number;
  at: number;
}

export interface Sent {
  action: string;
  side: string;
  size: number;
  at: number;
  day: string;
}

export interface OrderDay {
  guards: Guards;
  sent: Sent[];
}

const DAY_MS = 86_400_000;
const STALE_MS = 30_000;
const TWIN_MS = 60_000;
const MOVED_BPS = 10;
/** Big and our own sums may differ in the last of many digits. */
const HAIR = 1e-6;

/** What was answered to one order. */
interface Seen {
  quotes: Quoted[];
  /** Until the last of the hedges matures that an addition may grow, by the service's clock; undefined before it was told. */
  heldMs: number | undefined;
}

/** An addition is held until the maturity of what it grows (specification §3). */
function costBps({ cost, carry, tenorMs, size }: Quoted, { action }: Order, heldMs = 0): number {
  const spared = action === 'add' ? carry - (carry * heldMs) / tenorMs : 0;
  return ((cost - spared) / size) * 10_000;
}

/** In basis points: an answer is dated to the second, and the carry of an addition is rounded to 6 places. */
const hairOf = ({ carry, tenorMs, size }: Quoted, { action }: Order): number =>
  action === 'add' ? HAIR + (((Math.abs(carry) * 2_000) / tenorMs + 1e-6) / size) * 10_000 : HAIR;

/** Why the order may not leave now, each as half a sentence; empty: it may. `orNearly`: what is a hair from it too. */
function whyNot(
  day: Day,
  its: OrderDay,
  order: Order,
  { quotes, heldMs }: Seen,
  orNearly = false,
): readonly string[] {
  const { guards, sent } = its;
  const { size, side, action, terms, broken } = order;
  const [shown] = quotes;
  const last = quotes.at(-1);
  const now = day.now();
  const today = new Date(now).toISOString().slice(0, 10);
  const spent = sent.filter((each) => each.day === today).reduce((sum, each) => sum + each.size, 0);
  const twin = sent.some(
    (each) => each.action === action && each.side === side && each.size === size && now - each.at < TWIN_MS,
  );
  const found: (string | false)[] = [
    guards.readOnly && 'the profile is read-only',
    guards.halted && 'opens and adds are halted',
    guards.most !== undefined && size > guards.most && 'above the limit of a deal',
    guards.mostDaily !== undefined && spent + size > guards.mostDaily && 'above the limit of a day',
    size > order.headroom && 'above the headroom',
    size > order.capacity && 'above the capacity',
    order.disabled && 'the market is disabled',
    broken !== undefined && `what it is held against is broken: ${broken.join(' ')}`,
    twin && !order.twice && 'a twin within the minute',
  ];
  if (last === undefined || shown === undefined) found.push(broken === undefined && 'nothing was quoted');
  else if (broken === undefined) {
    const against = (one: number, other: number): number => (side === 'buy' ? one - other : other - one);
    const worst = worstOf(order);
    found.push(
      last.size !== size && 'the quote is for another size',
      last.upfront > order.balance + HAIR && 'more upfront than is free',
      now - last.at > STALE_MS && `the quote is ${String((now - last.at) / 1_000)} s old`,
      worst !== undefined && against(last.execution, worst) > HAIR && 'a worse price than the worst',
      typeof terms === 'object' &&
        'maxCostBps' in terms &&
        costBps(last, order, heldMs) > terms.maxCostBps + hairOf(last, order) * (orNearly ? -1 : 1) &&
        'dearer than the most',
      order.person &&
        (against(last.execution, shown.execution) / shown.execution) * 10_000 > MOVED_BPS + HAIR &&
        'the price has moved since it was agreed to',
    );
  }
  return found.filter((each) => each !== false);
}

const MID = 1_530;

/** The worst price on the line, which is worked out from a round mid. */
function worstOf({ terms, side }: Order): number | undefined {
  if (typeof terms !== 'object' || !('worstBps' in terms)) return undefined;
  const sign = side === 'buy' ? 1 : -1;
  return Number((MID * (1 + (sign * terms.worstBps) / 10_000)).toFixed(2));
}

/** Deals one order and says what must never be and was; adds it to the day's when it left. */
export async function ordered(day: Day, its: OrderDay, order: Order): Promise<readonly string[]> {
  const wrong: string[] = [];
  const seen: Seen = { quotes: [], heldMs: undefined };
  let left = 0;
  day.pass(order.after * 1_000);
  day.proxy.rewrite(answers(day, order, seen));
  const worst = worstOf(order);
  const { terms } = order;
  const words = [
    order.action,
    'USDTNGN',
    order.side,
    String(order.size),
    ...(order.action === 'open' ? ['--tenor', '3'] : []),
    ...(worst === undefined ? [] : ['--worst-price', String(worst)]),
    ...(typeof terms === 'object' && 'maxCostBps' in terms
      ? ['--max-cost-bps', String(terms.maxCostBps)]
      : []),
    ...(terms === 'any' ? ['--any-price'] : []),
    ...(order.twice ? ['--allow-duplicate'] : []),
    ...(order.person ? [] : ['--yes']),
    '--profile',
    'desk',
    '--json',
  ];
  const onSend = (request: Request): void => {
    left += 1;
    if (left > 1) return;
    wrong.push(...whyNot(day, its, order, seen).map((why) => `sent although ${why}`));
    const read = bodySchema.parse(JSON.parse(request.body));
    if (read.notional_usd !== order.size || read.side !== order.side) wrong.push(`sent as ${request.body}`);
    const at = day.now();
    its.sent.push({
      action: order.action,
      side: order.side,
      size: order.size,
      at,
      day: new Date(at).toISOString().slice(0, 10),
    });
  };
  try {
    const { ran } = await day.run(words, NO_TROUBLE, {
      answer: order.person ? ['y\r', 'n\r'] : undefined,
      onSend,
    });
    if (ran === undefined) return ['it died'];
    const says = `exit ${String(ran.code)} ${ran.out} ${ran.err}`.slice(0, 1_200);
    if (left === 0) {
      // Nothing kept it from leaving: then the guards stop what they need not.
      if (
        order.slowSeconds === 0 &&
        seen.quotes.length > 0 &&
        whyNot(day, its, order, seen, true).length === 0
      )
        wrong.push(`not sent, and nothing kept it from that: ${says}`);
      if (![2, 3, 5, 6, 10].includes(ran.code)) wrong.push(`not sent, and it ended so: ${says}`);
    } else if (ran.code !== 0) wrong.push(`sent, and it ended so: ${says}`);
    return wrong;
  } finally {
    day.proxy.rewrite(undefined);
  }
}

function answers(day: Day, order: Order, seen: Seen): Rewriting {
  const { broken } = order;
  const spoiled = (where: string, text: string): string => {
    if (broken === undefined) return text;
    if (broken.length === 2) return where === 'quote' ? replaced(text, broken[0], broken[1]) : text;
    return broken[0] === where ? replaced(text, broken[1], broken[2]) : text;
  };
  return (reply, line) => {
    if (reply.status >= 300) return undefined;
    const document = JSON.parse(reply.body.toString());
    if (line === 'POST /quotes') {
      const quote = document.data;
      const bps = seen.quotes.length === 0 ? order.shownBps : order.laterBps;
      const sign = quote.side === 'buy' ? 1 : -1;
      quote.pricing.market_price = MID;
      quote.pricing.execution_price = new Big(MID)
        .times(1 + (sign * bps) / 10_000)
        .round(6)
        .toNumber();
      const { carry, upfront, notional_usd: size } = quote;
      const impact = (size * sign * (quote.pricing.execution_price - MID)) / MID;
      const cost = impact + carry.total_usdc + upfront.platform_fee_usdc;
      seen.quotes.push({
        side: quote.side,
        size,
        execution: quote.pricing.execution_price,
        cost,
        carry: carry.total_usdc,
        tenorMs: quote.tenor_days * DAY_MS,
        upfront: upfront.total_upfront_usdc,
        at: day.now(),
      });
      return answerOf(spoiled('quote', JSON.stringify(document)));
    }
    if (/^GET \/hedges(\?|$)/.test(line)) {
      const listed: { side: string; status: string; maturity_at?: string }[] = document.data;
      const held = listed.filter(({ side, status }) => side === order.side && status === 'filled');
      const maturities = held.map(({ maturity_at: at = '' }) => Date.parse(at));
      if (maturities.length > 0) seen.heldMs = Math.max(...maturities) - Date.parse(reply.headers.date ?? '');
    }
    if (line.startsWith('GET /account')) {
      day.pass(order.slowSeconds * 1_000);
      document.data.available_exposure_usd = order.headroom;
      document.data.balance_usdc = order.balance;
      return answerOf(spoiled('account', JSON.stringify(document)));
    }
    if (line.startsWith('GET /markets')) {
      for (const market of document.data) {
        if (market.market !== 'USDTNGN') continue;
        market.price = MID;
        market.status = order.disabled ? 'disabled' : 'open';
        market.available_capacity_usd = { buy: order.capacity, sell: order.capacity };
      }
      return answerOf(spoiled('markets', JSON.stringify(document)));
    }
    return undefined;
  };
}

/** A field with other text in its place, or without it. */
const replaced = (text: string, name: string, value: string | undefined): string =>
  text
    .replaceAll(
      new RegExp(`"${name}":(\\{[^}]*\\}|"[^"]*"|[^,}]*)(,?)`, 'g'),
      (_, _value: string, comma: string) => (value === undefined ? '' : `"${name}":${value}${comma}`),
    )
    .replaceAll(/,\}/g, '}');

function answerOf(body: string): Uint8Array {
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    `content-length: ${String(Buffer.byteLength(body))}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
}
