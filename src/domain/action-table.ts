/**
 * The actions of the trade, one row each: what an action sends, what it needs, what it does to a position, and its
 * words. Every list, union and branch that names actions derives from it; action-parts.ts binds the code of each.
 */

export type BodyField = 'market' | 'side' | 'notional_usd' | 'tenor_days' | 'client_reference';

/** The expected effect of an action once it is executed. Readings are compared with it, and nothing else decides its outcome. */
export type ActionEffect =
  /** One hedge more, which carries its reference. */
  | { kind: 'new_hedge' }
  /** The open hedges of its side together are larger or smaller by its notional, and none is new. */
  | { kind: 'notional'; sign: 1 | -1 }
  /** No hedge of its side is left, whatever their size is when it is executed. */
  | { kind: 'side_gone' };

/** The journal's record of an action has these fields under the same names. */
export type RecordedField = Exclude<BodyField, 'market' | 'side' | 'client_reference'>;

export type ActionRow = ActionFacts & (EndsOtherwise | EndsChanged);

/** The outcome that is recorded where nothing else was seen. */
interface EndsOtherwise {
  outcome: 'filled' | 'closed';
}

interface EndsChanged {
  outcome: 'changed';
  /** That outcome in a list, and in the headline of the result. */
  changed: { listed: string; headline: string };
}

interface ActionFacts {
  /** Below the base URL. */
  path: '/hedges' | `/hedges/${string}`;
  /** The fields that its body must have (specification §4), in the order in which they are sent. */
  body: readonly BodyField[];
  /** The fields that its body may have, after those. */
  optional: readonly BodyField[];
  /** The readings that it is decided on: a quote for exactly it, the open hedges of its side. */
  needs: { quote: boolean; side: boolean };
  /** It makes the position larger: price bounds, size limits and a halt hold for it. */
  enlarges: boolean;
  effect: ActionEffect;
  words: {
    /** Without an article: `reduction`. */
    noun: string;
    /** The question that is confirmed before it is sent. */
    question: string;
    /** Why it takes no hedge ID: market and side decide (specification §4). */
    takesNoId: string;
    /** The consequence if another action on its side is in flight. */
    otherInFlight: string;
    /** The change to wait for; `on` is `USDTNGN buy`. */
    waitsFor(it: { on: string; size: string; hedge: string | undefined }): string;
  };
}

const SIDE = ['market', 'side'] as const;
const SIZE = [...SIDE, 'notional_usd'] as const;

export const ACTION_TABLE = {
  open: {
    path: '/hedges',
    body: [...SIZE, 'tenor_days'],
    optional: ['client_reference'],
    needs: { quote: true, side: false },
    enlarges: true,
    effect: { kind: 'new_hedge' },
    outcome: 'filled',
    words: {
      noun: 'open',
      question: 'Open this hedge?',
      takesNoId: 'An open takes a market and side, not a hedge ID.',
      otherInFlight: 'This open comes on top of it.',
      waitsFor: ({ on, size, hedge }) => `waiting for the fill of ${hedge ?? `${on} ${size}`}`,
    },
  },
  add: {
    path: '/hedges/add',
    // ASSUMED: add and reduce take exactly this body.
    body: SIZE,
    optional: [],
    needs: { quote: true, side: true },
    enlarges: true,
    effect: { kind: 'notional', sign: 1 },
    outcome: 'changed',
    changed: { listed: 'added', headline: 'INCREASED' },
    words: {
      noun: 'add',
      question: 'Increase this position?',
      takesNoId: 'An add takes a market and side, not a hedge ID.',
      otherInFlight: 'The add applies to the position at execution.',
      waitsFor: ({ on, size }) => `waiting until ${on} is increased by ${size}`,
    },
  },
  reduce: {
    path: '/hedges/reduce',
    body: SIZE,
    optional: [],
    needs: { quote: false, side: true },
    enlarges: false,
    effect: { kind: 'notional', sign: -1 },
    outcome: 'changed',
    changed: { listed: 'reduced', headline: 'REDUCED' },
    words: {
      noun: 'reduction',
      question: 'Reduce this position?',
      takesNoId: 'A reduce applies to a whole market and side, not to one hedge.',
      otherInFlight: 'The reduction applies to the position at execution.',
      waitsFor: ({ on, size }) => `waiting until ${on} is reduced by ${size}`,
    },
  },
  close: {
    path: '/hedges/close',
    body: SIDE,
    optional: [],
    needs: { quote: false, side: true },
    enlarges: false,
    effect: { kind: 'side_gone' },
    outcome: 'closed',
    words: {
      noun: 'close',
      question: 'Close the whole side?',
      takesNoId: 'A close applies to a whole market and side; the service cannot close one hedge.',
      otherInFlight: 'Nothing may be left to close.',
      waitsFor: ({ on }) => `waiting until ${on} is closed`,
    },
  },
} as const satisfies Readonly<Record<string, ActionRow>>;

type Rows = typeof ACTION_TABLE;
/** The names of the rows of which these facts hold. */
type NamesWhere<Facts> = { [Name in keyof Rows]: Rows[Name] extends Facts ? Name : never }[keyof Rows];
/** A row without all of its facts is no action: it is an error above, and nowhere else. */
export type ActionName = NamesWhere<ActionRow>;
/** The fields that the body of an action must have, or may have. */
export type RequiredField<Name extends ActionName> = Rows[Name]['body'][number];
export type OptionalField<Name extends ActionName> = Rows[Name]['optional'][number];

export const isActionName = (word: unknown): word is ActionName =>
  typeof word === 'string' && Object.hasOwn(ACTION_TABLE, word);

export const ACTION_NAMES: readonly ActionName[] = Object.keys(ACTION_TABLE).filter(isActionName);

export const rowOf = (action: ActionName): ActionRow => ACTION_TABLE[action];

/** Whether its body must have the field. */
export const requires = ({ action }: OfAction, field: BodyField): boolean =>
  rowOf(action).body.includes(field);

/** Anything that is of an action: an intent, a plan, a record. */
interface OfAction {
  action: ActionName;
}

export const needsQuote = <Of extends OfAction>(
  of: Of,
): of is Of & { action: NamesWhere<{ needs: { quote: true } }> } => ACTION_TABLE[of.action].needs.quote;

export const enlarges = <Of extends OfAction>(
  of: Of,
): of is Of & { action: NamesWhere<{ enlarges: true }> } => ACTION_TABLE[of.action].enlarges;

/** It makes the position smaller: not the same as one that does not make it larger. */
export function shrinks({ action }: OfAction): boolean {
  const { effect } = rowOf(action);
  switch (effect.kind) {
    case 'new_hedge':
      return false;
    case 'notional':
      return effect.sign === -1;
    case 'side_gone':
      return true;
    default:
      return effect satisfies never;
  }
}

/** The words of outcome `changed`; undefined for an action that ends otherwise. */
export function changedWords({ action }: OfAction): EndsChanged['changed'] | undefined {
  const row = rowOf(action);
  return row.outcome === 'changed' ? row.changed : undefined;
}

export const createsHedge = <Of extends OfAction>(
  of: Of,
): of is Of & { action: NamesWhere<{ effect: { kind: 'new_hedge' } }> } =>
  ACTION_TABLE[of.action].effect.kind === 'new_hedge';

export const takesWholeSide = <Of extends OfAction>(
  of: Of,
): of is Of & { action: NamesWhere<{ effect: { kind: 'side_gone' } }> } =>
  ACTION_TABLE[of.action].effect.kind === 'side_gone';
