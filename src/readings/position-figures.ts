/** Figures of a position that the specification describes and does not name: taken only where they agree with each other. Pure. */
import { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { Position } from '../client/schemas.ts';

const CENT = new Big('0.01');

const isAbout = (one: Big, other: Big): boolean => one.minus(other).abs().lte(CENT);

/**
 * Net less gross P&L: the specification has "net P&L (price plus carry)". A carry under its assumed name must agree, so
 * that its sign is known.
 */
export function positionCarry(position: Position | undefined): Big | undefined {
  const gross = decimalFrom(position?.gross_pnl_usd);
  const net = decimalFrom(position?.net_pnl_usd);
  const sent = decimalFrom(position?.accrued_carry_usdc);
  if (gross === undefined || net === undefined) return undefined;
  const carry = net.minus(gross);
  return sent === undefined || isAbout(sent, carry) ? (sent ?? carry) : undefined;
}

/** A fee below zero has another sign than is assumed. */
export function positionFee(position: Position | undefined): Big | undefined {
  const fee = decimalFrom(position?.close_fee_usdc);
  return fee?.gte(0) === true ? fee : undefined;
}

/** `net_margin_usd` is what closing returns: margin + net P&L − fee to close. A margin that is sent must agree with it. */
export function positionMargin(position: Position | undefined): Big | undefined {
  const sent = decimalFrom(position?.['margin_usdc']);
  const net = decimalFrom(position?.net_pnl_usd);
  const fee = positionFee(position);
  const back = position?.net_margin_usd ?? undefined;
  if (back === undefined || net === undefined || fee === undefined) return sent;
  const margin = back.minus(net).plus(fee);
  return sent === undefined || isAbout(sent, margin) ? (sent ?? margin) : undefined;
}
