/**
 * The model of a day: what was asked, what came to the wire and what the client could know of it, key by key, what
 * the operator was told and has set. Written from the specification and the help; knows nothing of our journal's
 * own code, and judges nothing.
 */
import type { Sent } from '../faults/fault-proxy.ts';
import type { Profile } from './day.ts';
import { recordsIn, type Trouble } from './words.ts';

export type Deal = 'open' | 'add' | 'reduce' | 'close';
export type Side = 'buy' | 'sell';

export const PATHS = {
  open: '/hedges',
  add: '/hedges/add',
  reduce: '/hedges/reduce',
  close: '/hedges/close',
} as const satisfies Record<Deal, string>;

/** What a command is meant to do, so that what it does can be held against it. */
export type Asked =
  | { kind: 'reading' }
  | {
      kind: 'deal';
      profile: Profile;
      action: Deal;
      side: Side;
      /** USD; of a reduction by a part or to a size, what that comes to; undefined where it cannot be told. */
      size: number | undefined;
      tenor: number | undefined;
      dealId: string | undefined;
      /** Keys of actions that it is dealt in spite of. */
      despite: readonly string[];
      waits: boolean;
    }
  /** Of one action: nothing but that may be sent. */
  | { kind: 'resume'; profile: Profile; key: string; waits: boolean };

/** A request for a change as it came to the wire. */
export interface Heard extends Sent {
  command: number;
  /** The program died in that command: nobody heard the answer. */
  died: boolean;
}

/** One intent: everything under one idempotency key. */
export interface Known {
  key: string;
  action: Deal;
  side: Side;
  body: string;
  notional: number;
  dealId: string | undefined;
  /** First time on the wire, in truth and by the clock of the desk. */
  firstMs: number;
  firstClock: number;
  day: string;
  heard: Heard[];
  /** It may stand or not, as far as the desk can know: since no answer could be used, and until it was told. */
  doubted: boolean;
  /** A person recorded it as not executed: its key may be used again on other terms. */
  isSettled: boolean;
  /** Of an open: its order failed. */
  failed: boolean;
  /** What stood on the side, as it was written down when it was first sent: USD by hedge. */
  wasFor: ReadonlyMap<string, number>;
}

/** A hedge that stands, or may yet. */
export interface Standing {
  id: string;
  side: Side;
  notional_usd: number;
}

export interface Limits {
  most: number | undefined;
  mostDaily: number | undefined;
  readOnly: boolean;
}

export interface Model {
  command: number;
  keys: Map<string, Known>;
  /** Actions, and their keys, of which a record was written in a command that died: nobody knows what was on its way. */
  touchedByDeath: Set<string>;
  /** Every action that the journal has ever shown. */
  shown: Map<string, { key: string; unresolved: boolean; side: Side; sinceMs: number }>;
  /** By the service's own book when the command began; undefined while anything was still to land on it. */
  standing: readonly Standing[] | undefined;
  halted: boolean;
  limits: Record<Profile, Limits>;
  /** What `hedge journal` last said of its files. */
  trouble: Trouble['kind'] | undefined;
  /** Its files were harmed, and not mended since; ever on this day; so that it may lack its end. */
  isHarmed: boolean;
  wasHarmed: boolean;
  mayLack: boolean;
  /** A person repairs it, or accepts what it lacks. */
  isMending: boolean;
  /** Keys of which it has lost records: nobody can know any more what is true of them. */
  lost: Set<string>;
  clockWasWrong: boolean;
  colleague: { side: Side; dealId: string | undefined }[];
  /** Hedges that colleagues opened. */
  colleagueIds: Set<string>;
  /** Every record that the journal has ever held after a command. */
  seen: Set<string>;
  wrong: string[];
}

/** Keys of which a record is not in the journal any more, where its end may be cut off. */
export function goneFrom({ seen, mayLack }: Model, journal: string): ReadonlySet<string> {
  const lines = new Set(mayLack ? journal.split('\n') : seen);
  const gone = recordsIn([...seen].filter((line) => !lines.has(line)).join('\n'));
  if (gone.length === 0) return new Set();
  const before = recordsIn([...seen].join('\n'));
  const keys = new Map(before.flatMap(({ action_id: id, idempotency_key: key }) => (key ? [[id, key]] : [])));
  return new Set(gone.flatMap(({ action_id: id }) => keys.get(id) ?? []));
}

const NO_LIMITS: Limits = { most: undefined, mostDaily: undefined, readOnly: false };

export const newModel = (): Model => ({
  command: 0,
  keys: new Map(),
  touchedByDeath: new Set(),
  shown: new Map(),
  standing: undefined,
  halted: false,
  limits: { desk: NO_LIMITS, 'other-desk': NO_LIMITS },
  trouble: undefined,
  isHarmed: false,
  wasHarmed: false,
  mayLack: false,
  isMending: false,
  lost: new Set(),
  clockWasWrong: false,
  colleague: [],
  colleagueIds: new Set(),
  seen: new Set(),
  wrong: [],
});

export const isAccepted = ({ tells, status = 0, died }: Heard): boolean =>
  tells === 'answer' && status < 300 && !died;

const isUnclear = ({ tells, died }: Heard): boolean => tells === 'unclear' || died;

/** Requests of a command are added to what is known of their keys. */
export function hear(model: Model, sent: readonly Sent[], died: boolean): void {
  for (const each of sent) {
    const known = model.keys.get(each.key ?? '');
    if (known === undefined) continue;
    const heard = { ...each, command: model.command, died };
    known.heard.push(heard);
    // A clear no that nobody may have heard is in nobody's way.
    if (isUnclear(heard) && (each.tells === 'unclear' || each.tells === 'answer')) known.doubted = true;
    if (isAccepted(heard)) known.doubted = false;
  }
}

/** What stands on the side of a close and is not, or is more than, what it was sent for at first. */
export const strangersTo = ({ side, wasFor }: Known, { standing = [] }: Model): readonly Standing[] =>
  standing.filter((it) => it.side === side && it.notional_usd > (wasFor.get(it.id) ?? 0) + 0.01);

export const wasUnclear = ({ heard }: Known): boolean => heard.some(isUnclear);

/** Something else has changed the side today: what of it is ours need not be tellable. */
const hasOthers = (model: Model, { key, side }: Known): boolean =>
  model.colleague.some((each) => each.side === side) ||
  [...model.keys.values()].some((each) => each.side === side && each.key !== key && each.heard.length > 0);

/** A colleague dealt under its deal id: where two hedges stand under it, which is which cannot be told. */
export const isShared = ({ colleague }: Model, { dealId }: Known): boolean =>
  dealId !== undefined && colleague.some((each) => each.dealId === dealId);

/** Whether anybody may call the action unknown. `longAgo`: a hedge of the side may have matured since. */
export function mayBeUnknown(
  model: Model,
  of: { actionId: string | null; known: Known | undefined; longAgo: boolean },
): boolean {
  const { actionId, known, longAgo } = of;
  if (model.wasHarmed || model.touchedByDeath.has(actionId ?? '')) return true;
  if (known === undefined) return false;
  return (
    isShared(model, known) ||
    wasUnclear(known) ||
    (known.action !== 'open' && (longAgo || hasOthers(model, known)))
  );
}
