/**
 * Reads what an action is decided on: the book, the market, the account and a quote for exactly what is meant.
 * Sends nothing that acts, and judges nothing: that is for the plan and the guards.
 */
import type { Hedge, Market, Quote } from '../../client/schemas.ts';
import { RefusedError } from '../../errors.ts';
import type { ActionIntent, AddIntent, OpenIntent } from '../../intent/action-intent.ts';
import type { PlanFacts } from '../plan/plan.ts';
import { type BookFacts, tenorOfSide } from '../plan/plan-side.ts';
import { type Reading, readUnderReference } from '../read/read-book.ts';
import { type ReadSide, readSideToActOn, type ShownBefore, type SideReading } from './read-side.ts';

export interface ActionFacts extends PlanFacts {
  bookFacts: BookFacts;
  underDealId: readonly Hedge[];
  /** More may carry it than could be read. */
  underDealIdCut: boolean;
}

/** @throws HedgeError of the first reading that fails; the signal's reason when that aborted. */
export async function readFacts(
  intent: ActionIntent,
  reading: SideReading,
  shown?: ShownBefore,
): Promise<ActionFacts> {
  const { api, signal } = reading;
  const readAtMs = reading.clock.now();
  const book = readSideToActOn(intent, reading, shown);
  const markets = api.markets({ signal }).then(({ data }) => data);
  const market = markets.then((all) => all.find((each) => each.market === intent.market));
  const [{ bookFacts, side }, line, all, account, quote, underDealId] = await Promise.all([
    book,
    market,
    markets,
    api.account({ signal }),
    readQuote(intent, reading, { book, market }),
    readUnderDealId(intent, reading),
  ]);
  const marketNames = all.map((each) => each.market);
  return {
    book: side,
    bookFacts,
    market: line,
    marketNames,
    account: account.data,
    quote,
    readAtMs,
    clocks: bookFacts.clocks,
    ...underDealId,
  };
}

async function readQuote(
  intent: ActionIntent,
  reading: Reading,
  read: { book: Promise<ReadSide>; market: Promise<Market | undefined> },
): Promise<Quote | undefined> {
  switch (intent.action) {
    case 'open':
      return quoteFor(intent, intent.tenor, reading, read.market);
    case 'add': {
      const tenor = tenorOfSide((await read.book).side);
      return tenor === undefined ? undefined : quoteFor(intent, tenor, reading, read.market);
    }
    case 'reduce':
    case 'close':
      return undefined;
    default:
      return intent satisfies never;
  }
}

/** A refusal that the market's own line explains is the guards' to word, with what can be done about it. */
async function quoteFor(
  { market, side, notional }: OpenIntent | AddIntent,
  tenor: number,
  { api, signal }: Reading,
  line: Promise<Market | undefined>,
): Promise<Quote | undefined> {
  try {
    return (await api.quote({ market, side, notional_usd: notional, tenor_days: tenor }, { signal })).data;
  } catch (error) {
    if (error instanceof RefusedError && (await isShut(line))) return undefined;
    throw error;
  }
}

const isShut = async (line: Promise<Market | undefined>): Promise<boolean> => (await line)?.status !== 'open';

async function readUnderDealId(
  intent: ActionIntent,
  reading: Reading,
): Promise<Pick<ActionFacts, 'underDealId' | 'underDealIdCut'>> {
  if (intent.action !== 'open' || intent.dealId === undefined)
    return { underDealId: [], underDealIdCut: false };
  const { hedges, mayBeCut } = await readUnderReference(reading, intent.dealId);
  return { underDealId: hedges, underDealIdCut: mayBeCut };
}
