/**
 * The four actions on the book. Each checks everything first, then writes: a refusal has changed nothing.
 * When an order fills, and whether it lands, is drawn and stored here; what it does then is the book's affair.
 */
import { exposure } from '../book/exposure.ts';
import { addHedge, type HeldHedge, heldHedges } from '../book/hedges.ts';
import { accountsOf, post } from '../book/ledger.ts';
import { addOrder, type StoredOrder } from '../book/orders.ts';
import type { Sitting } from '../book/sitting.ts';
import { iso } from '../book/time.ts';
import { DAY_MS } from '../book/words.ts';
import type { OrderKind, Side } from '../door.ts';
import { hash, hedgeId } from '../ids.ts';
import { greatest, type Micro, share } from '../money/decimals.ts';
import type { Reply } from '../wire/envelope.ts';
import { type Json, money } from '../wire/json.ts';
import { Refusal } from '../wire/refusal.ts';
import { dealableMarket, knownMarket, overCapacity } from './markets.ts';

export interface SideOf {
  market: string;
  side: Side;
}

export interface SizedOn extends SideOf {
  notional: Micro;
}

export interface OpenRequest extends SizedOn {
  tenorDays: number;
  clientReference: string | null;
}

export function openHedge(sitting: Sitting, asked: OpenRequest): Reply {
  const upfront = upfrontFor(sitting, asked);
  const id = hedgeId(sitting.now, sitting.random);
  const order = draw(sitting, { kind: 'open', ...asked, ...upfront, hedgeId: id });
  const maturityAt = sitting.now + asked.tenorDays * DAY_MS;
  addHedge(sitting.db, {
    id,
    environment: sitting.environment,
    clientReference: asked.clientReference,
    market: asked.market,
    side: asked.side,
    tenorDays: asked.tenorDays,
    notional: asked.notional,
    orderTxHash: order.orderTxHash,
    orderKey: hash(sitting.random),
    openedAt: sitting.now,
    maturityAt,
  });
  submit(sitting, order);
  const data: { [name: string]: Json } = {
    hedge_id: id,
    id,
    status: 'submitted',
    order_tx_hash: order.orderTxHash,
    market: asked.market,
    side: asked.side,
    notional_usd: money(asked.notional),
    tenor_days: asked.tenorDays,
    opened_at: iso(sitting.now),
    maturity_at: iso(maturityAt),
  };
  if (asked.clientReference !== null) data['client_reference'] = asked.clientReference;
  return { status: 201, data };
}

/** Grows the newest filled hedge of the side; which one is decided now, and only that one. */
export function addToHedge(sitting: Sitting, asked: SizedOn): Reply {
  dealableMarket(sitting, asked.market);
  const newest = openHedges(sitting, asked).at(-1);
  const upfront = upfrontFor(sitting, asked);
  const order = draw(sitting, { kind: 'add', ...asked, ...upfront, hedgeId: newest?.id ?? null });
  submit(sitting, order);
  return submitted(order);
}

export function reduceHedges(sitting: Sitting, asked: SizedOn): Reply {
  knownMarket(sitting, asked.market);
  const position = openHedges(sitting, asked).reduce((sum, hedge) => sum + hedge.notional, 0n);
  if (asked.notional > position) {
    throw new Refusal('invalid_request', 'notional_usd: is more than the position on this side.', {
      details: { field: 'notional_usd', requested_usd: money(asked.notional), position_usd: money(position) },
    });
  }
  const order = draw(sitting, { kind: 'reduce', ...asked, margin: 0n, fee: 0n, hedgeId: null });
  submit(sitting, order);
  return submitted(order);
}

export function closeHedges(sitting: Sitting, asked: SideOf): Reply {
  knownMarket(sitting, asked.market);
  openHedges(sitting, asked);
  const order = draw(sitting, { kind: 'close', ...asked, notional: 0n, margin: 0n, fee: 0n, hedgeId: null });
  submit(sitting, order);
  return submitted(order);
}

/** The filled hedges of a side, oldest first; a 404 when there is none (an open in flight is none yet). */
function openHedges(sitting: Sitting, on: SideOf): HeldHedge[] {
  const hedges = heldHedges(sitting.db, sitting.environment, on);
  if (hedges.length > 0) return hedges;
  throw new Refusal('no_open_hedge', `There is no open hedge on ${on.market} ${on.side}.`, {
    details: { market: on.market, side: on.side },
  });
}

/** Margin and fee of new notional, once it is within cap, headroom and balance. */
function upfrontFor(sitting: Sitting, asked: SizedOn): { margin: Micro; fee: Micro } {
  const market = dealableMarket(sitting, asked.market);
  const { db, environment, terms } = sitting;
  const open = exposure(db, environment);
  if (open + asked.notional > terms.cap) {
    throw new Refusal('exposure_exceeded', 'This would exceed the aggregate exposure cap.', {
      details: {
        field: 'notional_usd',
        requested_usd: money(asked.notional),
        available_exposure_usd: money(greatest(0n, terms.cap - open)),
      },
    });
  }
  const onSide = exposure(db, environment, asked);
  if (onSide + asked.notional > market.headroom) {
    throw overCapacity(asked.notional, greatest(0n, market.headroom - onSide));
  }
  const margin = share(asked.notional, terms.margin);
  const fee = share(asked.notional, terms.platformFee);
  const { balance } = accountsOf(db, environment);
  if (margin + fee > balance) {
    throw new Refusal('insufficient_balance', 'The free balance does not cover margin and platform fee.', {
      details: { required_usdc: money(margin + fee), balance_usdc: money(balance) },
    });
  }
  return { margin, fee };
}

type Drawn = Omit<StoredOrder, 'seq'>;

interface Draft extends SizedOn {
  kind: OrderKind;
  hedgeId: string | null;
  margin: Micro;
  fee: Micro;
}

function draw(sitting: Sitting, draft: Draft): Drawn {
  const { min, max } = sitting.terms.fillMs;
  const usual = min + Math.floor(sitting.random.fraction() * (max - min + 1));
  return {
    environment: sitting.environment,
    kind: draft.kind,
    market: draft.market,
    side: draft.side,
    hedgeId: draft.hedgeId,
    notional: draft.notional,
    margin: draft.margin,
    fee: draft.fee,
    dueAt: sitting.now + usual + sitting.weather.slowFillsMs,
    lands: drawLanding(sitting, draft.kind),
    orderTxHash: hash(sitting.random),
    fillTxHash: hash(sitting.random),
  };
}

/** Of those that land, a share of the opens does so in part: one draw decides on both. */
function drawLanding({ random, weather }: Sitting, kind: OrderKind): Drawn['lands'] {
  const drawn = random.fraction();
  if (drawn < weather.shareFailing) return 'none';
  const ofLanding = (drawn - weather.shareFailing) / (1 - weather.shareFailing);
  return kind === 'open' && ofLanding < weather.sharePartial ? 'part' : 'all';
}

function submit(sitting: Sitting, order: Drawn): void {
  const reserved = order.margin + order.fee;
  if (reserved !== 0n) {
    post(
      sitting.db,
      { environment: sitting.environment, at: sitting.now, what: 'submission', hedgeId: order.hedgeId },
      { balance: -reserved, reserved },
    );
  }
  addOrder(sitting.db, order);
}

function submitted(order: Drawn): Reply {
  const data: { [name: string]: Json } = {
    status: 'submitted',
    order_tx_hash: order.orderTxHash,
    market: order.market,
    side: order.side,
  };
  if (order.kind !== 'close') data['notional_usd'] = money(order.notional);
  return { status: 200, data };
}
