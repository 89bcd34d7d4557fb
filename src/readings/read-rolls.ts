/** The cost of a roll so far, from the journal and the closed hedges. */
import { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { ClosedHedge } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { type CostParts, type CostSum, chainCost, legCost } from '../domain/roll-cost.ts';
import { UnavailableError, UnreadableAnswerError, without } from '../errors.ts';
import { additionsSince } from '../journal/queries.ts';
import { addsTo, closeFeeOf, enteredNotional, recordedParts, sumOfParts } from '../journal/recorded-costs.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { chainNotional, closedSize, type RollChain } from '../journal/roll-chains.ts';
import type { JournalState } from '../journal/state.ts';
import { closedHedgeId, settlementIn } from './closed-record.ts';
import type { ReadContext } from './read-context.ts';

/** Under the names of the document. */
export interface LegCost extends CostParts, CostSum {
  leg: 1 | 2;
  hedge_id: string | undefined;
  notional_usd: Big;
  /** Realized, positive is a gain; undefined while it is open and where the service does not say. */
  net_pnl_usd: Big | undefined;
  gross_pnl_usd: Big | undefined;
}

export interface RollCost {
  legs: readonly LegCost[];
  total: CostSum;
  servedAt: Date | undefined;
}

export async function readRollCost(
  chain: RollChain,
  { api, journal, signal }: ReadContext,
): Promise<RollCost> {
  const { data, servedAt } = await api.history({ signal });
  const state = journal.read();
  const { plan, open, close } = chain;
  const recordOf = (id: string | undefined): ClosedHedge | undefined =>
    data.find((record) => id !== undefined && closedHedgeId(record) === id);
  const first = state
    .find({ hedgeIds: [plan.hedge_id] })
    .find(({ intent, hedgeId }) => createsHedge(intent) && hedgeId === plan.hedge_id);
  const closed = closedSize(chain);
  const legs = [
    legOf(
      {
        leg: 1,
        hedgeId: plan.hedge_id,
        action: first,
        size: closed ?? new Big(plan.notional_usd),
        sizeAt: (closed && close?.intent.at) ?? plan.at,
        maturity: plan.maturity_at,
      },
      state,
      recordOf(plan.hedge_id),
      plan.when === 'now' && close !== undefined && maybeExecuted(close) ? chain : undefined,
    ),
  ];
  if (open !== undefined && maybeExecuted(open))
    legs.push(
      legOf(
        {
          leg: 2,
          hedgeId: open.hedgeId,
          action: open,
          size: enteredNotional(open) ?? chainNotional(chain),
          sizeAt: open.intent.at,
          maturity: open.outcome?.facts['maturity_at'] ?? undefined,
        },
        state,
        recordOf(open.hedgeId),
      ),
    );
  return {
    legs,
    total: chainCost(legs, legs.at(-1)?.notional_usd ?? chainNotional(chain)),
    servedAt,
  };
}

interface Leg {
  leg: LegCost['leg'];
  hedgeId: string | undefined;
  /** That opened it, if it was opened from this machine. */
  action: Action | undefined;
  /** USD, at this time. */
  size: Big;
  sizeAt: string;
  maturity: string | undefined;
}

/** `closedBy`: the roll closed it. */
function legOf(
  { leg, hedgeId, action, size, sizeAt, maturity }: Leg,
  state: JournalState,
  record: ClosedHedge | undefined,
  closedBy?: RollChain,
): LegCost {
  const adds =
    action === undefined || hedgeId === undefined
      ? []
      : addsTo(hedgeId, additionsSince(state.since(action.intent.at), action));
  const later = adds.filter((add) => (add?.intent.at ?? '') > sizeAt);
  const held = sum([size, ...later.flatMap((add) => add?.notional ?? [])]);
  const entries = [action, ...adds];
  const entered = sum(entries.flatMap((each) => (each && enteredNotional(each)) ?? []));
  // Somebody else has added the rest.
  const recorded = sumOfParts((held.gt(entered) ? [...entries, undefined] : entries).map(recordedParts));
  // Its fees and carry are those of all that was opened, also of what was reduced since.
  const notional = held.gt(entered) ? held : entered;
  const closeFee = closedBy === undefined ? restOfFees(record, maturity, recorded) : closeFeeOf(closedBy);
  const parts: CostParts = {
    ...recorded,
    carry_usdc: carryOf(record) ?? recorded.carry_usdc,
    platform_fee_usdc: feesBeforeClose(record, closeFee) ?? recorded.platform_fee_usdc,
    close_fee_usdc: closeFee,
  };
  return {
    leg,
    hedge_id: hedgeId,
    notional_usd: notional,
    ...parts,
    ...legCost(parts, notional),
    net_pnl_usd: record?.net_pnl_usd,
    gross_pnl_usd: decimalFrom(record?.gross_pnl_usd),
  };
}

/**
 * The fee to close a leg that the roll did not close: the rest of its fees where it was closed early, none at maturity and
 * while it is open.
 */
function restOfFees(
  record: ClosedHedge | undefined,
  maturity: string | undefined,
  { platform_fee_usdc: before }: Pick<CostParts, 'platform_fee_usdc'>,
): Big | undefined {
  const settlement = record && settlementIn(record, { maturity_at: maturity });
  if (record === undefined || settlement === 'settled') return new Big(0);
  return settlement && before && decimalFrom(record.fees_usdc)?.minus(before);
}

/** Carry of a closed hedge. ASSUMED: negative is paid. An open hedge has that of its quote, over the whole tenor. */
function carryOf(record: ClosedHedge | undefined): Big | undefined {
  return decimalFrom(record?.carry_usdc)?.times(-1);
}

/** A closed hedge has paid those of its adds and reduces too. ASSUMED: its record has all of them. */
function feesBeforeClose(record: ClosedHedge | undefined, closeFee: Big | undefined): Big | undefined {
  return closeFee && decimalFrom(record?.fees_usdc)?.minus(closeFee);
}

/** By which maturity is judged; undefined without a response: then this machine's clock counts. */
export const serviceTime = async ({ api, signal }: ReadContext): Promise<Date | undefined> =>
  (await api.account({ signal }).catch(without(UnavailableError, UnreadableAnswerError)))?.servedAt;
