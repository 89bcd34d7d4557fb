/** P&L, exit and roll of one hedge: from the position of its side while it is open, from its record once it has ended. */
import type { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { ClosedHedge, Hedge, Position } from '../client/schemas.ts';
import { payoffAt } from '../domain/payoff.ts';
import { DamagedFileError, HedgeError, InterruptedError, unless } from '../errors.ts';
import { chainsOf, type RollChain } from '../journal/roll-chains.ts';
import { closedHedgeId } from './closed-record.ts';
import type { ReadContext } from './read-context.ts';
import { isOfMarket, sideNamed } from './side-position.ts';

export interface OneHedge {
  /** The position of its side, where the hedge alone makes it. */
  position: Position | undefined;
  /** Price P&L in USD, positive is a gain, at the mark of a position that several hedges make. */
  atMark: { pnl: Big; mark: Big } | undefined;
  record: ClosedHedge | undefined;
  /** The newest that closes or opened the hedge. */
  roll: RollChain | undefined;
}

/** `sends`: requests the position or the record; without it, and where that fails, they are undefined. @throws InterruptedError */
export async function readOneHedge(
  hedge: Hedge,
  { api, signal, ...reading }: Pick<ReadContext, 'api' | 'signal' | 'journal' | 'identity' | 'clock'>,
  { sends, servedAt }: { sends: boolean; servedAt: Date },
): Promise<OneHedge> {
  const roll = rollOf(hedge, reading, servedAt);
  const none = { position: undefined, atMark: undefined, record: undefined, roll };
  if (!sends) return none;
  try {
    if (hedge.status === 'filled')
      return { ...none, ...placeIn((await api.positions({ signal })).data, hedge) };
    if (hedge.status !== 'closed') return none;
    const { data } = await api.history({ signal });
    return { ...none, record: data.find((record) => closedHedgeId(record) === hedge.id) };
  } catch (error) {
    if (error instanceof InterruptedError || !(error instanceof HedgeError)) throw error;
    return none;
  }
}

function placeIn(
  positions: readonly Position[],
  { market, side, notional_usd: notional, struck_rate: struck }: Hedge,
): Pick<OneHedge, 'position' | 'atMark'> {
  const position = positions.find((each) => isOfMarket(each, market) && sideNamed(each) === side);
  if (decimalFrom(position?.notional_usd)?.eq(notional) === true) return { position, atMark: undefined };
  const mark = decimalFrom(position?.mark_price);
  const isKnown = mark?.gt(0) === true && struck?.gt(0) === true;
  return {
    position: undefined,
    atMark: isKnown ? { mark, pnl: payoffAt({ side, notional, struck }, mark) } : undefined,
  };
}

function rollOf(
  { id, client_reference: reference }: Hedge,
  { journal, identity, clock }: Pick<ReadContext, 'journal' | 'identity' | 'clock'>,
  servedAt: Date,
): RollChain | undefined {
  return unless(DamagedFileError, () => {
    const [newest] = chainsOf(journal.read(), {
      nowMs: clock.now(),
      servedMs: servedAt.getTime(),
      identity,
      isMeant: (plan) => plan.hedge_id === id || plan.deal_id === reference,
    });
    return newest;
  });
}
