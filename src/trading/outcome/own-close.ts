/**
 * Whose close took a side, as far as the service shows it. A hedge that is gone was not necessarily taken by our order:
 * where another one may have been first, ours may still land, so an open or add on the side waits for it.
 */
import { textFrom } from '../../client/json.ts';
import type { ClosedHedge } from '../../client/schemas.ts';
import { shrinks, takesWholeSide } from '../../domain/action-table.ts';
import { isFields } from '../../domain/fields.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import {
  type AccountSide,
  CLOSE_MAY_LAND,
  closeMayLandUntil,
  heldBefore,
  isOn,
} from '../../journal/queries.ts';
import { type Action, maybeExecuted } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import { closedHedgeId, closedInstant } from '../../readings/closed-record.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import { CLOSE_LANDS_MS } from '../idempotency-window.ts';
import type { OutcomeFacts } from './append-record.ts';
import { readAt } from './concurrent-actions.ts';
import { actionsSince, readActions } from './observe.ts';

/** Undefined: the service shows neither. */
export type CloseOrigin = 'own' | 'other' | undefined;

export interface CloseReadings {
  /** The side before it was sent; undefined where an earlier command sent it. */
  before?: SidePosition | undefined;
  after: SidePosition | undefined;
  /** Closed hedges, newest first. */
  records: readonly ClosedHedge[];
}

/**
 * By the orders and times that the records name. `other` also where two closes were under way, or somebody has opened on
 * the side since.
 */
export function closeOrigin(
  close: Action,
  readings: CloseReadings,
  journal: ReadContext['journal'],
): CloseOrigin {
  const { before, after, records } = readings;
  const { intent, orderTxHash: own } = close;
  const isSame = (hash: string): boolean => hash.toLowerCase() === own?.toLowerCase();
  const ids = intent.before.hedges.map(({ hedge_id: id }) => id);
  const here = records.filter((record) => ids.some((each) => each === closedHedgeId(record)));
  const sent = (after?.listed ?? []).flatMap((hedge) => (ids.includes(hedge.id) ? (hedge.sent ?? []) : []));
  const named = [...here, ...sent].flatMap((each) => textsOf(each));
  if (named.some(([, text]) => isSame(text))) return 'own';
  const known = openingHashes(ids, before, journal);
  // Without an earlier reading a hedge names the order that opened it (specification §2).
  if (known.length === 0) known.push(...sent.flatMap(({ order_tx_hash: hash }) => hash ?? []));
  const namesAnother = named.some(
    ([name, text]) => ORDER.test(name) && isAlike(text, own) && !known.some((hash) => hash === text),
  );
  const sentFrom = before?.servedAt.getTime() ?? Date.parse(intent.before.served_at ?? '');
  const isEarlier = [...here, ...sent].some((each) => (closedInstant(each) ?? Infinity) < sentFrom);
  const hasSettled = here.some(({ reason }) => SETTLED.test(textFrom(reason) ?? ''));
  const isOneOfTwo = readActions(journal, (state) => state.since(intent.at)).some(
    (other) => other.id !== close.id && isUnderwayWith(other, close),
  );
  const isReopened = (after?.open.length ?? 0) > 0;
  return namesAnother || isEarlier || hasSettled || isOneOfTwo || isReopened ? 'other' : undefined;
}

/** Names of fields with the hash of an order; not of a fill, and not of the open. */
const ORDER = /^(?!.*(fill|open|entry|key)).*(tx|hash|order)/i;
const SETTLED = /matur|settle|expir|liquidat/i;

const isAlike = (text: string, own: string | undefined): boolean =>
  text.length === own?.length && /^(0x)?[0-9a-f]+$/i.test(text);

/** Every text in it, with the name of its field. */
const textsOf = (value: unknown, name = ''): readonly (readonly [name: string, text: string])[] =>
  typeof value === 'string'
    ? [[name, value]]
    : Array.isArray(value)
      ? value.flatMap((each) => textsOf(each, name))
      : isFields(value)
        ? Object.entries(value).flatMap(([key, each]) => textsOf(each, key))
        : [];

/** Hashes of the orders and fills that made the hedges. */
function openingHashes(
  ids: readonly string[],
  before: SidePosition | undefined,
  journal: ReadContext['journal'],
): string[] {
  const read = (before?.listed ?? []).flatMap(({ id, sent }) => (ids.includes(id) ? (sent ?? []) : []));
  return [
    ...read.flatMap(({ order_tx_hash: order, fill_tx_hash: fill }) => [order, fill]),
    ...readActions(journal, (state) => state.find({ hedgeIds: ids }))
      .filter(({ intent }) => !takesWholeSide(intent))
      .map(({ orderTxHash }) => orderTxHash),
  ].filter((hash) => typeof hash === 'string');
}

/** Another close of this machine, or a reduction that closed the side, whose outcome was not known when `close` was decided. */
const isUnderwayWith = (other: Action, { intent }: Action): boolean =>
  (takesWholeSide(other.intent) || (shrinks(other.intent) && other.outcome?.kind === 'closed')) &&
  maybeExecuted(other) &&
  isOn(other, intent) &&
  !(Date.parse(other.outcome?.at ?? '') <= readAt(intent)) &&
  Date.parse(other.changedAt) > readAt(intent) - CLOSE_LANDS_MS;

/** Until when a close may still land, in milliseconds since the epoch. */
export const landsUntil = ({ acceptedAt, changedAt }: Action): number =>
  Date.parse(acceptedAt ?? changedAt) + CLOSE_LANDS_MS;

export function mayStillLand(close: Action, { timeOfDay, clock }: ReadContext): string {
  const { action, market, side } = close.intent;
  const until = landsUntil(close);
  const lands = `; our ${action} may still land until ${timeOfDay(until)}: opens and adds wait until then`;
  return `note       another order may have closed ${unquoted(market)} ${side}${clock.now() < until ? lands : ''}`;
}

/**
 * Whether its side was still there after the time in which a close lands. Then it may be later still, and only its own order
 * shows that it took a side that is gone.
 */
export const hasOverstayed = (close: Action, journal: ReadContext['journal']): boolean =>
  close.outcome?.kind === 'not_seen' ||
  actionsSince(close, journal).some(
    ({ intent }) =>
      isOn(close, intent) &&
      readAt(intent) > landsUntil(close) &&
      heldBefore(intent).some(({ hedge_id: id }) =>
        heldBefore(close.intent).some((held) => held.hedge_id === id),
      ),
  );

/** For the record of the outcome: until when what follows on the side waits. */
export const factsOfOrigin = (close: Action, origin: CloseOrigin): OutcomeFacts =>
  origin === 'other' ? { [CLOSE_MAY_LAND]: exactInstant(landsUntil(close)) } : {};

/**
 * Before an open or add is decided. `known`: a close whose outcome the journal may lack. False: there was nothing to wait for.
 * @throws the signal's reason.
 */
export async function waitForOwnClose(
  side: Pick<AccountSide, 'market' | 'side'>,
  context: ReadContext,
  known?: Action,
): Promise<boolean> {
  const since = (at: string) => readActions(context.journal, (state) => state.since(at));
  const until = ownCloseLandsUntil(side, { since }, context, known);
  if (until !== undefined) await waitUntilLanded(side, until, context);
  return until !== undefined;
}

/** In milliseconds since the epoch; undefined: an open or add has nothing to wait for. Asked again under the journal's lock. */
export function ownCloseLandsUntil(
  { market, side }: Pick<AccountSide, 'market' | 'side'>,
  { since }: Pick<JournalState, 'since'>,
  { identity, clock }: Pick<ReadContext, 'identity' | 'clock'>,
  known?: Action,
): number | undefined {
  const nowMs = clock.now();
  const recent = since(exactInstant(nowMs - CLOSE_LANDS_MS));
  const actions = known === undefined ? recent : [...recent, known];
  return closeMayLandUntil(actions, { identity, market, side }, nowMs);
}

/** @throws the signal's reason. */
export async function waitUntilLanded(
  { market, side }: Pick<AccountSide, 'market' | 'side'>,
  until: number,
  { clock, signal, progress, timeOfDay }: ReadContext,
): Promise<void> {
  const place = `${unquoted(market)} ${side}`;
  progress.start(`Waiting until ${timeOfDay(until)}: an earlier close of ${place} may still land`);
  try {
    await clock.sleep(Math.min(until - clock.now(), CLOSE_LANDS_MS), signal);
    signal.throwIfAborted();
  } finally {
    progress.stop();
  }
}
