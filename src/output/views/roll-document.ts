/** The documents of rolls, and the columns of their lists. */
import { Big } from 'big.js';
import { hintText } from '../../domain/hint.ts';
import type { CostSum } from '../../domain/roll-cost.ts';
import type { HedgeError } from '../../errors.ts';
import { outcomeWord } from '../../journal/describe.ts';
import { chainNotional, nextInDocument, type RollChain, sentLimit } from '../../journal/roll-chains.ts';
import type { RollCost } from '../../readings/read-rolls.ts';
import type {
  ActionDocument,
  ChainDocument,
  OneRollDocument,
  RollDocument,
  RollRunDocument,
} from '../../schema/action-document.ts';
import type { ActionReport } from '../../trading/report.ts';
import type { RollReport } from '../../trading/rolls/roll-hedge.ts';
import type { RunEnd, RunReport } from '../../trading/rolls/run-due.ts';
import type { RecordTable } from '../record-table.ts';
import { actionDocument } from './action-document.ts';
import { operatorDocument } from './journal.ts';

/** The columns of `--csv`, in order. */
export const ROLL_COLUMNS = [
  'chain_id',
  'state',
  'when',
  'market',
  'side',
  'notional_usd',
  'tenor_days',
  'max_cost_bps',
  'sent_max_cost_bps',
  'maturity_at',
  'due_at',
  'from_hedge_id',
  'from_deal_id',
  'close_action_id',
  'close_outcome',
  'to_deal_id',
  'to_hedge_id',
  'open_action_id',
  'open_outcome',
  'root',
  'profile',
  'environment',
  'planned_at',
  'ended_at',
  'operator.name',
  'operator.user',
  'operator.host',
  'version',
  'note',
  'next',
] as const;

export function chainDocument(chain: RollChain): ChainDocument {
  const { plan, end, close, open, dueMs } = chain;
  return {
    chain_id: plan.chain_id,
    state: chain.state,
    when: plan.when,
    market: plan.market,
    side: plan.side,
    notional_usd: chainNotional(chain),
    tenor_days: plan.tenor_days,
    max_cost_bps: bpsOrNull(plan.max_cost_bps),
    sent_max_cost_bps: bpsOrNull(sentLimit(chain)),
    maturity_at: plan.maturity_at ?? null,
    due_at: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    from_hedge_id: plan.hedge_id,
    from_deal_id: plan.first_deal_id ?? null,
    close_action_id: close?.id ?? null,
    close_outcome: close === undefined ? null : outcomeWord(close),
    to_deal_id: plan.deal_id,
    to_hedge_id: open?.hedgeId ?? null,
    open_action_id: open?.id ?? null,
    open_outcome: open === undefined ? null : outcomeWord(open),
    root: plan.root,
    profile: plan.profile,
    environment: plan.identity.environment,
    planned_at: plan.at,
    ended_at: end?.at ?? null,
    operator: operatorDocument(plan.operator),
    version: plan.version ?? null,
    note: end?.note ?? plan.note ?? null,
    next: nextInDocument(chain),
  };
}

const bpsOrNull = (digits: string | undefined): Big | null => (digits === undefined ? null : new Big(digits));

export const rollDocument = ({ chain, close, open, dryRun, existing, shown }: RollReport): RollDocument => ({
  ...chainDocument(chain),
  dry_run: dryRun,
  existing,
  legs: { close: legDocument(close), open: legDocument(open) },
  quote: shown.open?.facts.quote ?? null,
  quoted: shown.open?.figures ?? null,
  returned: shown.close?.comesBack ?? null,
});

const legDocument = (report: ActionReport | undefined): ActionDocument | null =>
  report === undefined ? null : actionDocument(report);

export const runDocument = ({ ends }: RunReport): readonly RollRunDocument[] => ends.map(runRecord);

const runRecord = ({ chain, close, open, finding, skipped }: RunEnd): RollRunDocument => ({
  ...chainDocument(chain),
  outcome: skipped ?? finding?.code ?? (chain.state === 'done' ? 'rolled' : chain.state),
  error: errorDocument(finding),
  legs: { close: legDocument(close), open: legDocument(open) },
});

const errorDocument = (finding: HedgeError | undefined): RollRunDocument['error'] =>
  finding === undefined
    ? null
    : {
        code: finding.code,
        message: finding.message,
        effect: finding.effect,
        hint: hintText(finding.hint) || null,
      };

export const RUN_COLUMNS = [...ROLL_COLUMNS, 'outcome', 'error.code', 'error.message'] as const;
export const rollsTable = (chains: readonly RollChain[]): RecordTable => ({
  columns: ROLL_COLUMNS,
  records: chains.map(chainDocument),
});

/** One roll in full. */
export const oneRollDocument = (chain: RollChain, cost: RollCost): OneRollDocument => ({
  ...chainDocument(chain),
  derived: {
    ...sumDocument(cost.total),
    legs: cost.legs.map(({ leg, hedgeId, notional, parts, cost: sum, netPnl, grossPnl }) => ({
      leg,
      hedge_id: hedgeId ?? null,
      notional_usd: notional,
      impact_cost_usd: parts.impact_cost_usd ?? null,
      slippage_usd: parts.slippage_usd ?? null,
      carry_usdc: parts.carry_usdc ?? null,
      platform_fee_usdc: parts.platform_fee_usdc ?? null,
      close_fee_usdc: parts.close_fee_usdc ?? null,
      ...sumDocument(sum),
      net_pnl_usd: netPnl ?? null,
      gross_pnl_usd: grossPnl ?? null,
    })),
  },
});

const sumDocument = ({ cost_usdc, cost_bps, missing: absent }: CostSum) => ({
  cost_usdc,
  cost_bps,
  missing: absent,
});

export const runTable = ({ ends }: RunReport): RecordTable => ({
  columns: RUN_COLUMNS,
  records: ends.map((end) => {
    const { legs: _legs, ...record } = runRecord(end);
    return record;
  }),
});
