/**
 * The four actions as values: what the operator wants done, the same whether it was typed or asked for. No
 * text, no service, and nothing of what the book looks like: that is the plan's to know.
 */
import type { Big } from 'big.js';
import type { ActionName } from '../domain/action-table.ts';
import type { PriceBounds } from '../domain/price-bounds.ts';
import type { Side, Tenor } from '../domain/vocabulary.ts';
/** What every action takes. */
export interface ActionOptions {
  /** No question is asked. */
  yes: boolean;
  /** Everything but the sending. */
  dryRun: boolean;
  /** Waits for the end, and not only for the service's acceptance. */
  wait: boolean;
  /** How long it waits for the end; never limits the sending. */
  timeoutMs: number;
  /** Chosen by the operator; otherwise one is minted, or derived from the deal id. */
  idempotencyKey: string | undefined;
  /** Ids, or beginnings of ids, of the actions that are not to stop this one. */
  despite: readonly string[];
}

interface OnSide {
  /** In capitals; whether there is such a market is the service's to say. */
  market: string;
  side: Side;
  options: ActionOptions;
}

/** The prices at which the operator deals. Neither a bound nor `anyPrice`: shown, and confirmed by a person. */
export interface PriceTerms {
  bounds: PriceBounds;
  anyPrice: boolean;
}

export interface OpenIntent extends OnSide, PriceTerms {
  action: 'open';
  /** USD, above zero, two decimals at most. */
  notional: Big;
  tenor: Tenor;
  dealId: string | undefined;
  /** The deal id makes it idempotent: what is there already is not dealt again. */
  ensure: boolean;
  /** With `ensure`: one that failed is dealt anew. */
  retryFailed: boolean;
  allowDuplicate: boolean;
}

export interface AddIntent extends OnSide, PriceTerms {
  action: 'add';
  notional: Big;
  allowDuplicate: boolean;
}

/** How much comes off: a notional, a part of what is open, or all that is above a target. */
export type Reduction =
  | { by: 'notional'; notional: Big }
  | { by: 'percent'; percent: Big }
  | { by: 'target'; target: Big };

export interface ReduceIntent extends OnSide {
  action: 'reduce';
  reduction: Reduction;
  allowDuplicate: boolean;
}

export interface CloseIntent extends OnSide {
  action: 'close';
  /** A side that is flat already is as good as closed. */
  ifOpen: boolean;
}

export type ActionIntent = OpenIntent | AddIntent | ReduceIntent | CloseIntent;
export type IntentOf<Name extends ActionName> = Extract<ActionIntent, { action: Name }>;

/** Of an action that has none, undefined. */
export const dealIdOf = (intent: ActionIntent): string | undefined =>
  'dealId' in intent ? intent.dealId : undefined;

/** The parts of an open that can be asked for when they were not said. */
export type OpenPart = 'market' | 'side' | 'notional' | 'tenor';

/** An open of which parts are missing. */
export type OpenDraft = Omit<OpenIntent, OpenPart> & { [Part in OpenPart]: OpenIntent[Part] | undefined };
