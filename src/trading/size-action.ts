/** Computes the notional of an open or add that was given as naira, as the largest size, or as the side's size afterwards. */
import { Big } from 'big.js';
import { checkNairaMarket } from '../args/sizing.ts';
import type { Account, Market, Quote } from '../client/schemas.ts';
import type { AddIntent, OpenIntent, Sizing, UnsizedIntent } from '../domain/action-intent.ts';
import { leastOf } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import type { OwnRoom } from '../domain/sizes.ts';
import { DamagedFileError, nothingSent, RefusedError, unless } from '../errors.ts';
import type { DeskLimits } from '../journal/desk-limits.ts';
import { findCover, findLargest, type QuoteFor } from '../readings/find-size.ts';
import { type SidePosition, tenorOfSide } from '../readings/side-position.ts';
import { type DeskLimitTerms, leftOpen } from './guards/desk-limit-guard.ts';
import { guardMarket, NO_LIMITS, sizeFindings } from './guards/guard-plan.ts';
import { leftToday } from './guards/journal-guard.ts';
import { checkNoStop, stopFrom } from './guards/stops.ts';
import { additionTo, nothingOpen } from './plan.ts';
import type { TradingContext } from './trading-context.ts';

export interface SizedAction {
  intent: OpenIntent | AddIntent;
  /** The quote for that size; undefined when none was needed to find it. */
  quote: Quote | undefined;
}

type SizeReading = Pick<TradingContext, 'api' | 'signal' | keyof Limited>;

interface SizeFacts {
  sidePosition: SidePosition;
  markets: readonly Market[];
  account: Account;
  /** For the desk's limit of the open notional. */
  open?: DeskLimitTerms['facts'];
}

/** The limits of the profile limit the largest size, and are checked on the plan of any. @throws StoppedError when no size fits, or what it is computed from is not known. */
export async function sizeAction(
  intent: UnsizedIntent,
  reading: SizeReading,
  { sidePosition, ...facts }: SizeFacts,
): Promise<SizedAction> {
  const { sizing } = intent;
  if (sizing.by === 'target')
    return { intent: withNotional(intent, additionTo(sizing.target, sidePosition)), quote: undefined };
  const tenor = 'tenor' in intent ? intent.tenor : () => tenorToAdd(sidePosition);
  return sizeAtTenor({ ...intent, sizing }, reading, { tenor, ...facts });
}

type WithoutTarget = UnsizedIntent & { sizing: Exclude<Sizing, { by: 'target' }> };

/** Like `sizeAction`, for a size that no position is needed for. `tenor`: days, read once the market is known. */
export async function sizeAtTenor(
  intent: WithoutTarget,
  reading: SizeReading,
  { tenor, markets, account, open }: Omit<SizeFacts, 'sidePosition'> & { tenor: number | (() => number) },
): Promise<SizedAction> {
  const { sizing } = intent;
  if (sizing.by === 'ngn')
    checkNairaMarket(intent.market, shell`hedge ${intent.action} ${intent.market} ${intent.side}`);
  const market = marketToSize(intent, markets);
  const quoteFor = quoteForSize(intent, reading, {
    tenor: typeof tenor === 'number' ? tenor : tenor(),
    market,
    account,
  });
  if (sizing.by === 'ngn') {
    const { notional, quote } = await findCover(sizing.amount, { market, quoteFor });
    return { intent: withNotional(intent, notional), quote };
  }
  const capacity = market.available_capacity_usd[intent.side];
  const { notional, quote, binding, room } = await findLargest(account, {
    capacity,
    quoteFor,
    own: roomOfLimits(reading, open),
  });
  const sized = withNotional(intent, notional);
  return { intent: { ...sized, sizing: { by: 'max', limit: { binding, room } } }, quote };
}

type Limited = Pick<TradingContext, 'limits' | 'identity' | 'journal' | 'clock' | 'simulation'>;

/** USD that the limits of the profile and of the desk allow now. @throws DamagedFileError for a limit without a journal to add up. */
export function roomOfLimits(
  { limits, identity, journal, clock, simulation }: Limited,
  facts?: DeskLimitTerms['facts'],
): OwnRoom {
  const { max_notional_usd: most, ...others } = limitsOfDesk(journal);
  const own = limits();
  const perTrade = leastOf([own.maxNotional, most === undefined ? undefined : new Big(most)]);
  if (own.maxDailyNotional === undefined && Object.keys(others).length === 0) return { perTrade };
  const read = journal.read();
  const state = simulation?.state(read) ?? read;
  const nowMs = clock.now();
  const today = leftToday({ identity }, state, { nowMs, limits: own });
  return { perTrade, today, open: leftOpen({ facts, identity, dealId: undefined }, state, nowMs) };
}

/** No limit if the journal cannot be read: every open stops later. */
const limitsOfDesk = (journal: TradingContext['journal']): DeskLimits =>
  unless(DamagedFileError, () => journal.read().limits) ?? {};

const withNotional = (intent: UnsizedIntent, notional: Big): OpenIntent | AddIntent => ({
  ...intent,
  notional,
});

/** @throws StoppedError when the account does not have the market, or it accepts no opens or adds. */
function marketToSize({ action, market: name }: UnsizedIntent, markets: readonly Market[]): Market {
  const market = markets.find((each) => each.market === name);
  const marketNames = markets.map((each) => each.market);
  checkNoStop(guardMarket({ action, market: name, facts: { market, marketNames } }, { limits: NO_LIMITS }));
  if (market === undefined) throw new Error(`no market ${name}, and no finding`);
  return market;
}

/** A refusal because of the size is the pre-trade check that says what fits. */
function quoteForSize(
  intent: UnsizedIntent,
  { api, signal }: Pick<TradingContext, 'api' | 'signal'>,
  { tenor, market, account }: { tenor: number; market: Market; account: Account },
): QuoteFor {
  const { side } = intent;
  return async (notional) => {
    try {
      const request = { market: market.market, side, notional_usd: notional, tenor_days: tenor };
      return (await api.quote(request, { signal })).data;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const facts = { account, market, quote: undefined };
      throw stopFrom(sizeFindings({ notional, market: market.market, side, facts }, NO_LIMITS)) ?? error;
    }
  };
}

/** An add is quoted for the tenor of the open hedge. @throws StoppedError when there is none, or it is not known. */
function tenorToAdd(sidePosition: SidePosition): number {
  if (sidePosition.inPositions === false) throw nothingOpen(sidePosition);
  const tenor = tenorOfSide(sidePosition);
  if (tenor !== undefined) return tenor;
  throw nothingSent({
    code: 'book_unclear',
    what: `The size needs a quote, and the tenor of the open hedge on ${sidePosition.market} ${sidePosition.side} is not known.`,
    hint: say`Give the notional: ${shell`hedge add ${sidePosition.market} ${sidePosition.side} NOTIONAL`}`,
  });
}
