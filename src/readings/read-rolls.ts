/** The cost of a roll so far, from the journal and the closed hedges. */
import { Big } from 'big.js';
import { decimalFrom, textFrom } from '../client/json.ts';
import type { ClosedHedge } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { type CostParts, type CostSum, chainCost, legCost } from '../domain/roll-cost.ts';
import { UnavailableError, UnreadableAnswerError } from '../errors.ts';
import { closeFeeOf, recordedParts } from '../journal/recorded-costs.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { chainNotional, closedSize, type RollChain } from '../journal/roll-chains.ts';
import type { ReadContext } from './read-context.ts';

export interface LegCost {
  leg: 1 | 2;
  hedgeId: string | undefined;
  /** USD. */
  notional: Big;
  parts: CostParts;
  cost: CostSum;
  /** Realized, USD, positive is a gain; undefined while it is open and where the service does not say. */
  netPnl: Big | undefined;
  grossPnl: Big | undefined;
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
  const { plan, open } = chain;
  const recordOf = (id: string | undefined): ClosedHedge | undefined =>
    data.find((record) => id !== undefined && textFrom(record.id) === id);
  const first = journal
    .read()
    .find({ hedgeIds: [plan.hedge_id] })
    .find(({ intent, hedgeId }) => createsHedge(intent) && hedgeId === plan.hedge_id);
  const legs = [
    legOf(
      1,
      { hedgeId: plan.hedge_id, notional: firstSize(chain), action: first },
      {
        record: recordOf(plan.hedge_id),
        closeFee: closeFeeOf(chain),
      },
    ),
  ];
  if (open !== undefined && maybeExecuted(open))
    legs.push(
      legOf(
        2,
        { hedgeId: open.hedgeId, notional: chainNotional(chain), action: open },
        {
          record: recordOf(open.hedgeId),
          closeFee: new Big(0),
        },
      ),
    );
  return {
    legs,
    total: chainCost(
      legs.map(({ cost }) => cost),
      chainNotional(chain),
    ),
    servedAt,
  };
}

const firstSize = (chain: RollChain): Big => closedSize(chain) ?? new Big(chain.plan.notional_usd);

interface Leg {
  hedgeId: string | undefined;
  notional: Big;
  /** That opened it, if it was opened from this machine. */
  action: Action | undefined;
}

function legOf(
  leg: LegCost['leg'],
  { hedgeId, notional, action }: Leg,
  { record, closeFee }: { record: ClosedHedge | undefined; closeFee: Big | undefined },
): LegCost {
  const recorded = recordedParts(action);
  const parts: CostParts = {
    ...recorded,
    carry_usdc: carryOf(record) ?? recorded.carry_usdc,
    platform_fee_usdc: feesBeforeClose(record, closeFee) ?? recorded.platform_fee_usdc,
    close_fee_usdc: closeFee,
  };
  return {
    leg,
    hedgeId,
    notional,
    parts,
    cost: legCost(parts, notional),
    netPnl: record?.net_pnl_usd,
    grossPnl: decimalFrom(record?.gross_pnl_usd),
  };
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
export async function serviceTime({ api, signal }: ReadContext): Promise<Date | undefined> {
  try {
    return (await api.account({ signal })).servedAt;
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof UnreadableAnswerError) return undefined;
    throw error;
  }
}
