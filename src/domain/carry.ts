/**
 * Carry in words. The service's sign is the account's: positive pays, negative earns (specification §2), and
 * that is said only of specified fields. Spelling the amount is the view's work.
 */
import type { Big } from 'big.js';

export interface CarryInWords {
  words: 'you pay' | 'you earn' | 'no carry';
  /** Without its sign, which is in the words; the unit is that of what came in (USDC, or percent). */
  amount: Big;
}

/** A signed rate or amount of carry: `17.5` → you pay 17.5, `-0.02` → you earn 0.02. */
export function carryInWords(signed: Big): CarryInWords {
  if (signed.eq(0)) return { words: 'no carry', amount: signed.abs() };
  return { words: signed.gt(0) ? 'you pay' : 'you earn', amount: signed.abs() };
}
