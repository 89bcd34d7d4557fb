/** The four actions as values, whether typed or asked for by the wizard. */
import type { Big } from 'big.js';
import type { ActionName } from './action-table.ts';
import type { PriceBounds } from './price-bounds.ts';
import type { Binding } from './sizes.ts';
import type { Side, Tenor } from './vocabulary.ts';

/** Options of every action. */
export interface ActionOptions {
  /** Skips the confirmation. */
  yes: boolean;
  /** Everything but the sending. */
  dryRun: boolean;
  /** Waits for the outcome, not only for the acceptance. */
  wait: boolean;
  /** How long to wait for the outcome; never cancels a request. */
  timeoutMs: number;
  /** From `--idempotency-key`; otherwise it is generated, or derived from the deal ID. */
  idempotencyKey: string | undefined;
  /** IDs of unresolved actions to ignore, or their beginnings. */
  despite: readonly string[];
  /** For the journal. Not a term of the action: another note with the same key is the same action. */
  note: string | undefined;
}

interface OnSide {
  /** In capitals; not checked against the service. */
  market: string;
  side: Side;
  options: ActionOptions;
}

/** Price limits. With neither a limit nor `anyPrice`, a person confirms the price. */
export interface PriceLimits {
  bounds: PriceBounds;
  anyPrice: boolean;
}

/**
 * How a size is given when not as a notional: naira to be covered, the largest size that fits, or, for an add, the size
 * of the side afterwards in USD.
 */
export type Sizing =
  | { by: 'ngn'; amount: Big }
  /** `limit`: what limited it, once computed. */
  | { by: 'max'; limit?: { binding: Binding; room: Big } | undefined }
  | { by: 'target'; target: Big };

interface Sized {
  /** USD, above zero; two decimals at most, or more where an exact target needs them. */
  notional: Big;
  /** How the notional was computed; undefined when it was typed. */
  sizing?: Sizing | undefined;
}

export interface OpenIntent extends OnSide, PriceLimits, Sized {
  action: 'open';
  tenor: Tenor;
  dealId: string | undefined;
  /** Opens once per deal ID. */
  ensure: boolean;
  /** Opens again under `ensure` if the order failed. */
  retryFailed: boolean;
  allowDuplicate: boolean;
}

export interface AddIntent extends OnSide, PriceLimits, Sized {
  action: 'add';
  allowDuplicate: boolean;
}

/** The size of a reduction: a notional, a percentage of the position, naira that are no longer covered, or down to a target. */
export type Reduction =
  | { by: 'notional'; notional: Big }
  | { by: 'percent'; percent: Big }
  | { by: 'ngn'; amount: Big }
  | { by: 'target'; target: Big };

export interface ReduceIntent extends OnSide {
  action: 'reduce';
  reduction: Reduction;
  allowDuplicate: boolean;
}

export interface CloseIntent extends OnSide {
  action: 'close';
  /** Succeeds on a flat side. */
  ifOpen: boolean;
}

export type ActionIntent = OpenIntent | AddIntent | ReduceIntent | CloseIntent;

export type WithoutSize<Intent> = Omit<Intent, 'notional' | 'sizing'> & {
  notional?: undefined;
  sizing: Sizing;
};

/** An open or add whose notional is still to be computed from what the service shows. */
export type UnsizedIntent = WithoutSize<OpenIntent> | WithoutSize<AddIntent>;

/** An action as it is typed. */
export type TypedIntent = ActionIntent | UnsizedIntent;
export type TypedIntentOf<Name extends ActionName> = Extract<TypedIntent, { action: Name }>;

export const isUnsized = (intent: TypedIntent): intent is UnsizedIntent =>
  'sizing' in intent && intent.sizing !== undefined && intent.notional === undefined;

/** Undefined if the action has none. */
export const dealIdOf = (intent: TypedIntent): string | undefined =>
  'dealId' in intent ? intent.dealId : undefined;

/** The arguments of an open that the wizard can ask for. */
export type OpenPart = 'market' | 'side' | 'notional' | 'tenor';

/** An open with missing arguments. */
export type OpenDraft = Omit<OpenIntent, OpenPart> & { [Part in OpenPart]: OpenIntent[Part] | undefined };

/** The option without its dashes, as the journal stores it: `ngn 800000000`, `max`, `to 50000`. */
export function sizingInWords(sizing: Sizing): string {
  switch (sizing.by) {
    case 'ngn':
      return `ngn ${sizing.amount.toFixed()}`;
    case 'target':
      return `to ${sizing.target.toFixed()}`;
    case 'max':
      return 'max';
    default:
      return sizing satisfies never;
  }
}

/** An open or add whose size was not typed as a notional. */
export type Computed = Extract<TypedIntent, { sizing?: unknown }> & { sizing: Sizing };

export const isComputed = (intent: TypedIntent): intent is Computed =>
  'sizing' in intent && intent.sizing !== undefined;

/** A size given with --by, --to, --ngn or --max, as typed; the same key must repeat it. */
export function askedOf(intent: TypedIntent): string | undefined {
  if (isComputed(intent)) return sizingInWords(intent.sizing);
  if (!('reduction' in intent)) return undefined;
  const { reduction } = intent;
  if (reduction.by === 'percent') return `by ${reduction.percent.toFixed()}%`;
  if (reduction.by === 'ngn') return sizingInWords(reduction);
  return reduction.by === 'target' ? `to ${reduction.target.toFixed()}` : undefined;
}

/** The same of a size that changes the position each time: a target is reached once. */
export function changeAsked(intent: TypedIntent): string | undefined {
  const size = 'reduction' in intent ? intent.reduction : 'sizing' in intent ? intent.sizing : undefined;
  return size?.by === 'target' ? undefined : askedOf(intent);
}
