/** The expected effect of an action once it is executed, with its own size. Readings are compared with it. Pure. */
import { Big } from 'big.js';
import { type ActionEffect, type ActionName, rowOf } from './action-table.ts';

export type ExpectedEffect =
  | { kind: 'new_hedge' }
  /** USD, signed: the change of the open hedges of its side together. */
  | { kind: 'notional'; change: Big }
  | { kind: 'side_gone' };

/** Effects that the hedges of a side show. */
export type SideEffect = Extract<ExpectedEffect, { kind: 'notional' | 'side_gone' }>;

/** An action as it is recorded; its size is in digits. */
interface Sized {
  action: ActionName;
  notional_usd?: string | undefined;
}

export function expectedEffect({ action, notional_usd: size }: Sized): ExpectedEffect {
  const effect: ActionEffect = rowOf(action).effect;
  return effect.kind === 'notional'
    ? { kind: 'notional', change: new Big(size ?? 0).times(effect.sign) }
    : effect;
}

/** Undefined when another reading than that of the side's hedges shows it. */
export function sideEffect(intent: Sized): SideEffect | undefined {
  const effect = expectedEffect(intent);
  return effect.kind === 'new_hedge' ? undefined : effect;
}
