/**
 * Reads the side that an action is decided on, and reads it again until what it lacks can be believed: a replica that
 * is behind must not make a side look flat. Sends nothing that acts.
 */

import type { Hedge } from '../../client/schemas.ts';
import { quotedName } from '../../domain/quoted.ts';
import { OutcomeUnknownError } from '../../errors.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import { commandLines } from '../command-lines.ts';
import { type EarlierReading, lacksSide } from '../evidence/absence.ts';
import { type AbsenceCheck, absenceCheck, type Doubt } from '../evidence/confirm-absence.ts';
import { readActions } from '../evidence/look.ts';
import { READINGS_LAG_MS } from '../late-arrival.ts';
import type { Looking } from '../looking.ts';
import type { PlanFacts } from '../plan/plan.ts';
import { type BookFacts, COMING, disagree, hasMatured, readSide, type SideBook } from '../plan/plan-side.ts';
import { poll } from '../poll.ts';
import { type Reading, readBook } from '../read/read-book.ts';

export interface ReadSide {
  bookFacts: BookFacts;
  side: SideBook;
}

export type SideReading = Reading & Pick<Looking, 'journal' | 'identity' | 'watch'>;

/** What the operator was shown before: the side is held against it. */
export type ShownBefore = Pick<PlanFacts, 'book' | 'readAtMs'> | undefined;

/**
 * Positions and hedges are two requests: what filled or closed between them makes them disagree. Then both are read
 * once more; what disagrees still is the side's `unclear`.
 * Where the side is there and the list stays behind, it is acted on as it is when the time limit has passed.
 * @throws OutcomeUnknownError when the time limit passes before it can be believed that the side is not open.
 */
export async function readSideToActOn(
  intent: ActionIntent,
  reading: SideReading,
  shown: ShownBefore,
): Promise<ReadSide> {
  const place = { identity: reading.identity, market: intent.market, side: intent.side };
  const absence = absenceCheck(place, { hadBefore: shown?.book.inPositions === true });
  const read = () => readAndDoubt(intent, reading, { absence, earlier: earlierOf(shown) });
  const startedMs = reading.clock.monotonic();
  let latest = await read();
  if (latest.doubt?.again === true || mayHaveMoved(latest.side)) latest = await read();
  return latest.doubt === undefined ? latest : untilBelieved(latest, { intent, reading, read, startedMs });
}

interface Doubted extends ReadSide {
  doubt: Doubt | undefined;
}

const earlierOf = (shown: ShownBefore): EarlierReading | undefined =>
  shown && { hedgeIds: shown.book.open.map(({ id }) => id), readAtMs: shown.readAtMs };

/** A hedge that its id shows as it is now joins the list, which is behind; where the side is lacking, only one still to fill. */
async function readAndDoubt(
  intent: ActionIntent,
  reading: SideReading,
  by: { absence: AbsenceCheck; earlier: EarlierReading | undefined },
): Promise<Doubted> {
  const atMs = reading.clock.now();
  let bookFacts = await readBook(reading);
  const actions = readActions(reading.journal);
  /** What this machine has seen filled is not still to fill, whatever a reading that is behind says. */
  const isComing = ({ id, status }: Pick<Hedge, 'id' | 'status'>): boolean =>
    COMING.includes(status) && !actions.some((it) => it.state === 'done' && it.hedgeId === id);
  const joined = new Set<string>();
  for (;;) {
    const side = readSide(intent, bookFacts);
    const read = { bookFacts, side, doubt: undefined };
    // Nothing that an open is decided on rests on it; what is coming stops the others, and is not called flat.
    if (intent.action === 'open' || (lacksSide(side) && side.coming.some(isComing))) return read;
    const doubt = await by.absence.doubtOf(side, { ...reading, actions, earlier: by.earlier, atMs });
    const { hedge } = doubt ?? {};
    const joins =
      hedge !== undefined &&
      !joined.has(hedge.id) &&
      (isComing(hedge) || !(lacksSide(side) || COMING.includes(hedge.status)));
    if (!joins) return { ...read, doubt };
    joined.add(hedge.id);
    bookFacts = { ...bookFacts, hedges: [hedge, ...bookFacts.hedges.filter(({ id }) => id !== hedge.id)] };
  }
}

function mayHaveMoved(side: SideBook): boolean {
  if (side.inPositions !== false) return disagree(side);
  return side.listed.some((hedge) => hedge.status === 'filled' && !hasMatured(hedge, side.servedAt));
}

/** No reading is believed to be older than the lag: what is lacking still after that time is gone. */
async function untilBelieved(
  first: Doubted,
  how: { intent: ActionIntent; reading: SideReading; read: () => Promise<Doubted>; startedMs: number },
): Promise<ReadSide> {
  const { intent, reading, read, startedMs } = how;
  const { clock, signal, watch } = reading;
  const { timeoutMs } = intent.options;
  let latest = first;
  let isFirst = true;
  watch.start(`reading again: ${first.doubt?.says ?? ''}`);
  const found = await poll({
    clock,
    signal,
    withinMs: startedMs + Math.min(timeoutMs, READINGS_LAG_MS) - clock.monotonic(),
    async read() {
      if (!isFirst) latest = await read();
      isFirst = false;
      return latest.doubt === undefined ? latest : undefined;
    },
  });
  if (found !== undefined) return found;
  if (timeoutMs >= READINGS_LAG_MS || !lacksSide(latest.side)) return latest;
  throw readingsDisagree(intent, latest.doubt, timeoutMs);
}

const readingsDisagree = (
  { market, side }: ActionIntent,
  doubt: Doubt | undefined,
  timeoutMs: number,
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `Readings disagree for ${(timeoutMs / 1000).toString()} s: ${doubt?.says ?? `whether ${quotedName(market)} ${side} is open`}.`,
    book: 'Nothing was sent.',
    hint: commandLines([
      ['the same line again, with --timeout 60', 'reads on until they agree'],
      ['hedge positions', 'shows what is open'],
    ]),
    effect: 'none',
    retry: 'later',
    details: { market, side, hedge_id: doubt?.hedge?.id ?? null },
  });
