/** Reads open hedges, positions and the mid, confirms the payoff against the service's figures, and projects P&L at assumed rates. */
import type { Big } from 'big.js';
import type { WhatIfIntent } from '../args/what-if-options.ts';
import type { Hedge, Market, Position } from '../client/schemas.ts';
import type { PayoffCheck } from '../domain/payoff.ts';
import { unquoted } from '../domain/quoted.ts';
import { isSameName, SIDES } from '../domain/vocabulary.ts';
import { UnreadableAnswerError, UsageError } from '../errors.ts';
import { ratesOf, scenarioAt, type WhatIfScenario } from './project-pnl.ts';
import { isPriced, type ProjectedSide, positionOf, projectedSide, worstOf } from './projected-side.ts';
import type { ReadContext } from './read-context.ts';
import { readPositionFacts } from './read-position.ts';
import { marketNotFound } from './read-prices.ts';
import { everySide, type PositionFacts, sidePositionOf } from './side-position.ts';
import { notShownOn } from './unconfirmed-hedges.ts';

export interface WhatIfReading {
  intent: WhatIfIntent;
  market: string | undefined;
  mid: Big | undefined;
  hedges: readonly Hedge[];
  positions: readonly Position[];
  sides: readonly ProjectedSide[];
  /** The check of the whole reading: the worst of its sides. */
  payoff: PayoffCheck['status'];
  /** Empty if the payoff is not confirmed, and without open hedges. */
  scenarios: readonly WhatIfScenario[];
  /** Open hedges that are not projected: `why` is half a sentence. */
  leftOut: readonly { id: string; why: string }[];
  /** The service may have more hedges than were listed. */
  mayBeCut: boolean;
  servedAt: Date;
}

const REREAD_MS = 1_500;

/**
 * Reads everything at once, and again if hedges and positions differ: a fill may come between the two.
 * @throws UsageError when several markets are open and none is named; RefusedError `market_not_found`.
 */
export async function readWhatIf(reading: ReadContext, intent: WhatIfIntent): Promise<WhatIfReading> {
  const first = await readOnce(reading, intent);
  if (!first.sides.some(({ payoff_check: check }) => check.status === 'unclear')) return first;
  await reading.clock.sleep(REREAD_MS, reading.signal);
  return readOnce(reading, intent);
}

async function readOnce(reading: ReadContext, intent: WhatIfIntent): Promise<WhatIfReading> {
  const [read, markets] = await Promise.all([
    readPositionFacts(reading),
    reading.api.markets({ signal: reading.signal }),
  ]);
  const names = markets.data.map((each) => each.market);
  const positionFacts = { ...read, markets: names };
  const named = marketOf(intent, positionFacts);
  const market = markets.data.find((each) => named !== undefined && isSameName(each.market, named));
  if (intent.market !== undefined && market === undefined) throw marketNotFound(intent.market, markets.data);
  return project(positionFacts, { intent, named, market });
}

function marketOf(
  { market }: WhatIfIntent,
  { markets, ...facts }: PositionFacts & { markets: readonly string[] },
): string | undefined {
  if (market !== undefined) return market;
  const nameOf = (name: string): string | undefined => markets.find((each) => isSameName(each, name));
  const held = everySide({ ...facts, markets }).filter(
    ({ open, inPositions, market: name }) =>
      open.length > 0 || (inPositions === true && nameOf(name) !== undefined),
  );
  const all = [...held, ...(facts.notShown ?? [])].map((each) => nameOf(each.market) ?? each.market);
  const names = [...new Set(all)];
  if (names.length > 1)
    throw new UsageError(
      `Hedges are open in ${names.length.toString()} markets: ${names.map(unquoted).join(', ')}.`,
      `Name one: --market ${names[0] ?? ''}`,
    );
  return names[0];
}

/** The projection of what was read. Pure. @throws UnreadableAnswerError for a move without a mid. */
function project(
  positionFacts: PositionFacts,
  { intent, named, market }: { intent: WhatIfIntent; named: string | undefined; market: Market | undefined },
): WhatIfReading {
  const held =
    named === undefined ? [] : SIDES.map((side) => sidePositionOf({ market: named, side }, positionFacts));
  const open = held.filter((each) => each.open.length > 0 || each.inPositions === true);
  const notShown = named === undefined ? [] : notShownOn(positionFacts, named);
  const hedges = positionFacts.hedges
    .filter((hedge) => open.some((each) => each.open.some(({ id }) => id === hedge.id)))
    .filter(({ id }) => !notShown.some((each) => each.id === id));
  const mid = market?.price;
  const sides = open.map(({ side }) =>
    projectedSide(
      side,
      hedges.filter((hedge) => hedge.side === side),
      {
        position: positionOf({ market: named ?? '', side }, open.length, positionFacts.positions),
        mayBeCut: positionFacts.mayBeCut,
        mid,
      },
    ),
  );
  const payoff = worstOf(sides);
  const mayProject = payoff === 'confirmed' || payoff === 'assumed';
  const at = { exit: intent.exit, market, nowMs: positionFacts.servedAt.getTime() };
  const rates = sides.length > 0 && mayProject ? ratesOf(intent.assumption, mid) : [];
  return {
    intent,
    market: named,
    mid,
    hedges,
    positions: positionFacts.positions,
    sides,
    payoff,
    scenarios: rates.map((rate) => scenarioAt(rate, sides, at)),
    leftOut: [
      ...notShown.map(({ id, why }) => ({ id, why })),
      ...hedges.filter((hedge) => !isPriced(hedge)).map(({ id }) => ({ id, why: 'no struck rate yet' })),
      ...held.flatMap(({ coming, unread }) => [
        ...coming.map(({ id, status }) => ({ id, why: `${status}, may still fill` })),
        ...unread.map(({ id, status }) => ({ id, why: `unknown status: ${status}` })),
      ]),
    ],
    mayBeCut: positionFacts.mayBeCut && sides.some(({ payoff_check: check }) => check.status !== 'confirmed'),
    servedAt: positionFacts.servedAt,
  };
}

/** Undefined when the projection may be shown. */
export function payoffFinding({ payoff, sides }: WhatIfReading): UnreadableAnswerError | undefined {
  if (payoff === 'confirmed' || payoff === 'assumed') return undefined;
  const unclear = sides.flatMap(({ payoff_check: check }) => (check.status === 'unclear' ? [check.why] : []));
  return new UnreadableAnswerError({
    code: 'payoff_unconfirmed',
    what:
      payoff === 'unclear'
        ? unclear.join(' ')
        : "The service's gross P&L is not that of an NDF payoff at its mark price.",
    meaning: "Nothing is projected. The service's figures are shown.",
    hint: payoff === 'unclear' ? 'Try again in a minute.' : 'Ask the service how it computes P&L.',
    retry: payoff === 'unclear' ? 'later' : 'never',
    details: sides.map(({ side, payoff_check: check }) => ({ side, ...check })),
  });
}
