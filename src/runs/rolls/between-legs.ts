/**
 * Between the legs: leg 2 is not opened on top of a hedge that replaces it, and that of a roll at once gets the size that was
 * closed.
 */
import type { Big } from 'big.js';
import { createsHedge, enlarges, shrinks } from '../../domain/action-table.ts';
import { sum } from '../../domain/amounts.ts';
import { isSameSize, usdInWords } from '../../domain/exposure.ts';
import { shell, step } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { HedgeError, StoppedError, without } from '../../errors.ts';
import { actionAndMachine } from '../../journal/describe.ts';
import { heldBefore, isOn } from '../../journal/queries.ts';
import type { RollPlan } from '../../journal/records.ts';
import { mayReplace, type PlacedInstead } from '../../journal/replaces-leg-two.ts';
import { type Action, isUnresolved, maybeExecuted } from '../../journal/replay.ts';
import { chainNotional, closedSize, type RollChain } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import { takenAlong } from '../../readings/closed-here.ts';
import { READINGS_LAG_MS } from '../../readings/poll.ts';
import { hedgeIfKnown, readPositionFacts } from '../../readings/read-position.ts';
import {
  hasMatured,
  OVER_STATUSES,
  type SideHedge,
  type SidePosition,
  sidePositionOf,
} from '../../readings/side-position.ts';
import { closesSide } from '../../trading/guards/conflicts.ts';
import type { Finding, TradingContext } from '../../trading/trading-context.ts';
import { dealIdFrom } from './plan-roll.ts';
import { dropStep, SideNotFlatError } from './roll-result.ts';

/** Taken by the close of leg 1, which another order may have changed before. */
interface Taken {
  /** USD of leg 2: what was closed, and no more than was confirmed. */
  size: Big;
  /** Leg 1, where another order had changed it before the close. */
  closed: { confirmed: Big; at: Big } | undefined;
  /** Opened on the side before the close landed, and closed with it. */
  along: readonly SideHedge[];
}

/** Read once leg 1 is closed. A failing reading must not leave the side flat. */
export async function readTaken(chain: RollChain, context: TradingContext): Promise<Taken> {
  const { plan, close } = chain;
  const confirmed = closedSize(chain) ?? chainNotional(chain);
  const [read, facts] = await Promise.all([
    hedgeIfKnown(plan.hedge_id, context).catch(without(HedgeError)),
    readPositionFacts(context, { isBare: true }).catch(without(HedgeError)),
  ]);
  // Whatever its status: after an early close that is not specified (§3).
  const at = read?.data.notional_usd;
  const along = close && facts ? takenAlong(close.intent.before, sidePositionOf(plan, facts)) : [];
  const taken = { along: along.filter(({ filledAt = '' }) => Date.parse(filledAt) <= overAt(close)) };
  // One that may be on its way is continued as it was sent.
  const sent = chain.state === 'opening' ? chainNotional(chain) : undefined;
  if (at?.gt(0) !== true || isSameSize(at, confirmed) || wasOpenedAt(at, plan, context))
    return { ...taken, size: sent ?? confirmed, closed: undefined };
  if (sent !== undefined) return { ...taken, size: sent, closed: { confirmed, at } };
  const size = at.lt(confirmed) ? at : confirmed;
  context.progress.news(
    `leg 1      closed at ${usdInWords(at)}, not ${usdInWords(confirmed)}: another order had changed it. Leg 2 has what was ${at.lt(confirmed) ? 'closed' : 'confirmed'}.`,
  );
  return { ...taken, size, closed: { confirmed, at } };
}

/** When it was seen to be over, by the service's clock. */
function overAt(close: Action | undefined): number {
  if (close === undefined) return Number.NaN;
  const { intent, outcome, changedAt } = close;
  const { service_at: servedAt = intent.at, read_at: readAt = intent.at } = intent.before;
  return Date.parse(servedAt) + Date.parse(outcome?.at ?? changedAt) - Date.parse(readAt);
}

/** A service may list a closed hedge at the size that it was opened with. */
const wasOpenedAt = (size: Big, { hedge_id: id }: RollPlan, { journal }: TradingContext): boolean =>
  journal
    .read()
    .find({ hedgeIds: [id] })
    .some(
      ({ intent, notional }) => createsHedge(intent) && notional !== undefined && isSameSize(notional, size),
    );

/** The roll is done, and its close took what leg 2 does not have, or another order had changed leg 1. */
export function notWhole({ plan }: RollChain, { size, closed, along }: Taken): StoppedError | undefined {
  if (closed === undefined && along.length === 0) return undefined;
  const { chain_id: id, market, side } = plan;
  const left = sum([closed?.at ?? size, ...along.map(({ notional }) => notional)]).minus(size);
  const names = along.map(hedgeInWords).join(', ');
  const what = [
    closed &&
      `Leg 1 of roll ${id} was closed at ${usdInWords(closed.at)}, not ${usdInWords(closed.confirmed)}: another order had changed it.`,
    along.length > 0 &&
      `${names} ${along.length === 1 ? 'was' : 'were'} opened on the side meanwhile, and closed with ${closed === undefined ? `leg 1 of roll ${id}` : 'it'}.`,
  ];
  const open = `Leg 2 is open at ${usdInWords(size)}.`;
  return new StoppedError({
    code: 'book_changed',
    what: what.filter((each) => typeof each === 'string').join(' '),
    meaning: left.gt(0) ? `${open} ${usdInWords(left)} that were closed are not hedged.` : open,
    hint: left.gt(0)
      ? step(shell`hedge add ${market} ${side} ${left.toFixed()}`, 'hedge that again')
      : step(shell`hedge roll show ${id}`, 'both legs'),
    effect: 'done',
    details: {
      chain_id: id,
      closed_notional_usd: closed?.at ?? size,
      hedge_ids: along.map((each) => each.id),
    },
  });
}

/** @throws StoppedError where a person recorded the close as executed, and its hedge is open. */
export function checkLegOneClosed({ plan, close }: RollChain, { open }: SidePosition): void {
  const isOpen = open.some(({ id }) => id === plan.hedge_id);
  if (plan.when !== 'now' || close?.recordedAs !== 'done' || !isOpen) return;
  throw new SideNotFlatError(plan, {
    what: `Hedge ${quotedName(plan.hedge_id)} is open, although action ${close.shortId}, its close, was recorded manually as executed.`,
    meaning: `Leg 2 of roll ${plan.chain_id} was not sent: both would be open.`,
    hint: step(
      shell`hedge journal resolve ${close.shortId} --as not-executed --reason TEXT`,
      'if it did not execute; then run the roll again',
    ),
    details: { hedge_id: plan.hedge_id, action_id: close.id },
  });
}

/**
 * A close by hand from here on the side since leg 1 was over, or since a leg 2 that may have been lost: a person may want the side flat,
 * and the close of the roll may still land. @throws SideNotFlatError
 */
export function checkNotClosedSince(chain: RollChain, state: JournalState): void {
  const { plan, open, close } = chain;
  const isAgain = chain.state === 'opening';
  const isAtOnce = plan.when === 'now';
  const sent = isAgain ? open : isAtOnce ? close : undefined;
  if (sent === undefined && (isAgain || isAtOnce)) return;
  const fromMs = sent === undefined ? Date.parse(plan.maturity_at ?? '') : Number.NEGATIVE_INFINITY;
  const isOther = (intent: Action['intent']): boolean =>
    shrinks(intent) && isOn({ intent }, plan) && intent.chain_id === undefined && servedMs(intent) >= fromMs;
  const by = [...state.newest({ after: sent?.id ?? plan.chain_id }, isOther)].find(
    (action) => maybeExecuted(action) && (closesSide(action) || action.outcome?.kind === 'closed'),
  );
  if (by === undefined) return;
  const when = isAgain
    ? `roll ${plan.chain_id} had sent its leg 2`
    : `${isAtOnce ? 'the close of' : 'the maturity of leg 1 of'} roll ${plan.chain_id}`;
  throw new SideNotFlatError(plan, {
    what: `Action ${actionAndMachine(by)} closed ${plan.market} ${plan.side} after ${when}.`,
    meaning: `Leg 2 was not sent${isAgain ? ' again' : ''}: the side may be meant to stay flat.`,
    hint: [
      dropStep(plan, 'if the side stays flat'),
      step(shell`hedge roll run ${plan.chain_id} --allow-duplicate`, 'open leg 2 all the same'),
    ],
    details: { action_id: by.id },
  });
}

/** `side`: as it was read. `told`: names that a person has seen and agreed to. */
export interface BeforeLegTwo {
  size: Big;
  side: SidePosition;
  asks: boolean;
  told?: readonly string[];
}

/**
 * An open or add on the side since leg 1 may be there in place of leg 2; the journal has it before a list shows it. At once the
 * hedge was alone: any other one counts.
 * @throws SideNotFlatError unless a person is asked.
 */
export function checkNotReplaced(
  chain: RollChain,
  { size, side, asks, told = [] }: BeforeLegTwo,
  { state, nowMs }: { state: JournalState; nowMs: number },
): { names: readonly string[]; findings: readonly Finding[] } {
  const { plan } = chain;
  const isAtOnce = plan.when === 'now';
  const listed = isAtOnce ? [...side.open, ...side.coming].filter(({ id }) => id !== plan.hedge_id) : [];
  const found = [
    ...state.newest(
      { after: (isAtOnce ? chain.close?.id : undefined) ?? plan.chain_id },
      (intent) => enlarges(intent) && isOn({ intent }, plan),
    ),
  ].filter(
    (action) =>
      maybeExecuted(action) &&
      !isUnresolved(action) &&
      mayReplace(chain, placeOf(action), size) &&
      !listed.some(({ id }) => id === action.hedgeId) &&
      !isOver(action, side, nowMs),
  );
  // An add to one of them is in its size.
  const placed = found.filter(
    ({ intent }) =>
      createsHedge(intent) ||
      !heldBefore(intent).some(({ hedge_id: id }) => found.some(({ hedgeId }) => hedgeId === id)),
  );
  const names = [
    ...listed.map(hedgeInWords),
    ...placed.toReversed().map((action) => actionNamed(action, side)),
  ];
  if (names.every((name) => told.includes(name))) return { names, findings: [] };
  const wasAfter = placed.every((action) => placeOf(action).servedMs >= Date.parse(plan.maturity_at ?? ''));
  const when = wasAfter
    ? `after leg 1 of roll ${plan.chain_id} had settled`
    : `in the day before leg 1 of roll ${plan.chain_id} settled, or since`;
  const were = names.length === 1 ? 'was' : 'were';
  const what = isAtOnce
    ? `${plan.market} ${plan.side} is not flat between the legs of roll ${plan.chain_id}: ${names.join(', ')} ${were} opened there.`
    : `${names.join(', ')} ${were} opened on ${plan.market} ${plan.side} ${when}.`;
  if (isAtOnce || !asks)
    throw new SideNotFlatError(plan, {
      what,
      meaning: 'Leg 2 was not sent: it would come on top.',
      hint: [
        dropStep(plan, 'if that replaces leg 2'),
        step(shell`hedge roll run ${plan.chain_id} --allow-duplicate`, 'open leg 2 as well'),
      ],
      details: {
        hedge_ids: [...listed.map(({ id }) => id), ...placed.map(({ hedgeId, id }) => hedgeId ?? id)],
      },
    });
  const message = `${what} Leg 2 would come on top.`;
  const hint = dropStep(plan, 'if that replaces leg 2');
  return { names, findings: [{ level: 'warn', code: 'book_changed', message, hint }] };
}

/** When it was decided, by the service's clock. */
const servedMs = ({ before, at }: Action['intent']): number => Date.parse(before.service_at ?? at);

const placeOf = ({ intent, notional }: Action): PlacedInstead => ({
  servedMs: servedMs(intent),
  notional,
  dealId: intent.deal_id,
  chainId: intent.chain_id,
});

/** A list may be behind by a minute: until then an accepted open counts that it does not show. */
function isOver(
  { hedgeId, outcome, changedAt }: Action,
  { listed, coming, inPositions, servedAt }: SidePosition,
  nowMs: number,
): boolean {
  const hedge = listed.find(({ id }) => id === hedgeId);
  if (outcome?.kind === 'closed') return true;
  if (hedge !== undefined && (OVER_STATUSES.includes(hedge.status) || hasMatured(hedge, servedAt)))
    return true;
  const isShown = nowMs - Date.parse(changedAt) >= READINGS_LAG_MS;
  return isShown && inPositions === false && !coming.some(({ id }) => id === hedgeId);
}

type NamedHedge = Pick<SidePosition['coming'][number], 'id' | 'notional' | 'reference'>;

const hedgeInWords = ({ id, notional, reference }: NamedHedge): string =>
  `${notional === undefined ? '' : `${usdInWords(notional)} `}(${quotedName(dealIdFrom(reference) ?? id)})`;

function actionNamed({ intent, hedgeId, notional, shortId }: Action, { open }: SidePosition): string {
  const id = intent.deal_id ?? hedgeId;
  const size = open.find((hedge) => hedge.id === hedgeId)?.notional ?? notional;
  return id === undefined && size !== undefined
    ? `${usdInWords(size)} (action ${shortId})`
    : hedgeInWords({ id: id ?? shortId, notional: size, reference: undefined });
}
