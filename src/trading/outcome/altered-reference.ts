/**
 * A service may keep the reference of an open cut, in another form, or not at all: the specification shows no constraints on it
 * (§4). Then no hedge carries the reference that was sent, and its absence proves nothing.
 */
import type { Hedge } from '../../client/schemas.ts';
import { DAY_MS } from '../../domain/instants.ts';
import { quotedName, unquoted } from '../../domain/quoted.ts';
import { similarForm } from '../../domain/similar-ids.ts';
import { isSameSide } from '../../domain/vocabulary.ts';
import type { Action } from '../../journal/replay.ts';
import { READINGS_LAG_MS } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readNewestHedges } from '../../readings/read-position.ts';
import { mayArriveUntil } from '../idempotency-window.ts';

/** A shorter one would be the beginning of too many. */
const SHORTEST_CUT = 8;

/** Whether it may be the reference that was sent, as the service kept it. */
export function isAltered(shown: string, sent: string): boolean {
  const [kept, whole] = [similarForm(shown), similarForm(sent)];
  return kept.endsWith(whole) || (kept.length >= SHORTEST_CUT && whole.startsWith(kept));
}

/**
 * A hedge of this market, side and tenor, opened while the request may have arrived, whose reference is altered or missing; `openedHere`: by
 * another action of this journal. Its size proves nothing: it may have filled in part, or have been added to or reduced since.
 */
export async function hedgeLike(
  action: Action,
  reading: Pick<ReadContext, 'api' | 'signal' | 'clock'>,
  openedHere: (id: string) => boolean,
): Promise<Hedge | undefined> {
  const { hedges } = await readNewestHedges(reading);
  return hedges.find((hedge) => isLike(hedge, action) && !openedHere(hedge.id));
}

function isLike(hedge: Hedge, action: Action): boolean {
  const { intent } = action;
  const { id, status, tenor_days: tenor, client_reference: shown } = hedge;
  const { before, client_reference: sent } = intent;
  if (sent === undefined || status === 'failed' || !isSameSide(intent, hedge)) return false;
  if (!tenor.eq(intent.tenor_days ?? 0)) return false;
  if (before.hedges.some((each) => each.hedge_id === id)) return false;
  const from = Date.parse(before.service_at ?? before.served_at ?? intent.at) - READINGS_LAG_MS;
  const until = (mayArriveUntil(action) ?? Infinity) + READINGS_LAG_MS;
  const openedAt = openedMs(hedge);
  const isKept = typeof shown === 'string' && shown !== '';
  return !(openedAt < from) && !(openedAt > until) && (!isKept || isAltered(shown, sent));
}

/** NaN where the service does not say. */
const openedMs = ({ opened_at: opened, filled_at: filled, maturity_at: matures, tenor_days: tenor }: Hedge) =>
  Date.parse(opened ?? filled ?? '') || Date.parse(matures ?? '') - tenor.toNumber() * DAY_MS;

/** A clause without a full stop. */
export const likeInWords = ({ id, client_reference: shown }: Hedge): string =>
  `${unquoted(id)} has its market, side and tenor, was opened then, and has ${shown ? `the reference ${quotedName(shown)}` : 'no reference'}: it may be this one`;
