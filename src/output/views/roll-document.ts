/** Rolls as lists and as documents. */

import { Big } from 'big.js';
import { hintText } from '../../domain/hint.ts';
import { COST_PARTS } from '../../domain/roll-cost.ts';
import type { HedgeError } from '../../errors.ts';
import { outcomeWord } from '../../journal/describe.ts';
import { chainNotional, nextInDocument, type RollChain, sentLimit } from '../../journal/roll-chains.ts';
import type { RollCost } from '../../readings/read-rolls.ts';
import type { RollReport } from '../../runs/rolls/roll-hedge.ts';
import type { RunEnd, RunReport } from '../../runs/rolls/run-due.ts';
import type {
  ActionDocument,
  ChainDocument,
  OneRollDocument,
  RollDocument,
  RollRunDocument,
} from '../../schema/action-document.ts';
import type { ActionReport } from '../../trading/report.ts';
import { type Cell, message, missing, nameText, text } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull } from '../record-table.ts';
import { actionDocument } from './action-document.ts';
import { OPERATOR_PARTS, operatorDocument } from './journal.ts';
import { shortTime } from './record-columns.ts';
import { CHAIN_TONES } from './unfinished-rolls.ts';

/** Rolls, in the order of their records. */
export const rollRows = listOf<RollChain, ChainDocument>()(
  [
    { name: 'chain_id', header: 'Roll', isId: true, of: ({ plan }) => plan.chain_id },
    {
      name: 'state',
      header: 'State',
      of: ({ state }) => state,
      show: ({ state }) => text(state, CHAIN_TONES[state]),
    },
    { name: 'when', of: ({ plan }) => plan.when },
    { name: 'market', of: ({ plan }) => plan.market },
    {
      name: 'side',
      header: 'Side',
      of: ({ plan }) => plan.side,
      show: ({ plan }) => nameText(`${plan.side} ${plan.market}`),
    },
    { name: 'notional_usd', header: 'Notional USD', of: chainNotional },
    {
      name: 'tenor_days',
      header: 'Tenor',
      of: ({ plan }) => plan.tenor_days,
      show: ({ plan }) => text(`${plan.tenor_days}d`),
    },
    {
      name: 'max_cost_bps',
      header: 'Limit bps',
      align: 'right',
      optional: true,
      of: ({ plan }) => bpsOrNull(plan.max_cost_bps),
      show: limitCell,
    },
    { name: 'sent_max_cost_bps', of: (chain) => bpsOrNull(sentLimit(chain)) },
    {
      name: 'maturity_at',
      header: 'Leg 1 settles',
      optional: true,
      of: ({ plan }) => plan.maturity_at,
      show: settlesCell,
    },
    { name: 'due_at', of: ({ dueMs }) => (dueMs === undefined ? null : new Date(dueMs).toISOString()) },
    {
      name: 'from_hedge_id',
      header: 'From',
      optional: true,
      of: ({ plan }) => plan.hedge_id,
      show: ({ plan }) => nameText(plan.first_deal_id ?? plan.hedge_id),
    },
    { name: 'from_deal_id', of: ({ plan }) => plan.first_deal_id },
    { name: 'close_action_id', of: ({ close }) => close?.id },
    { name: 'close_outcome', of: ({ close }) => close && outcomeWord(close) },
    { name: 'to_deal_id', header: 'To deal ID', of: ({ plan }) => plan.deal_id },
    { name: 'to_hedge_id', of: ({ open }) => open?.hedgeId },
    { name: 'open_action_id', of: ({ open }) => open?.id },
    { name: 'open_outcome', of: ({ open }) => open && outcomeWord(open) },
    { name: 'root', of: ({ plan }) => plan.root },
    { name: 'profile', of: ({ plan }) => plan.profile },
    { name: 'environment', of: ({ plan }) => plan.identity.environment },
    { name: 'planned_at', of: ({ plan }) => plan.at },
    { name: 'ended_at', of: ({ end }) => end?.at },
    { name: 'operator', parts: OPERATOR_PARTS, of: ({ plan }) => operatorDocument(plan.operator) },
    { name: 'version', of: ({ plan }) => plan.version },
    {
      name: 'note',
      header: 'Note',
      optional: 'first',
      of: ({ plan, end }) => end?.note ?? plan.note,
      cell: (note) => message(String(note)),
    },
    { name: 'next', of: nextInDocument },
  ],
  {
    empty: 'No rolls',
    screen:
      'chain_id state side notional_usd to_deal_id tenor_days max_cost_bps maturity_at from_hedge_id note',
  },
);

function limitCell(chain: RollChain): Cell {
  const limit = sentLimit(chain) ?? chain.plan.max_cost_bps;
  return limit === undefined ? missing : { kind: 'number', amount: limit };
}

function settlesCell({ plan }: RollChain): Cell {
  if (plan.when === 'now') return text('now');
  return shortTime(plan.maturity_at);
}

export const chainDocument = rollRows.record;

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

const runRecord = (end: RunEnd): RollRunDocument => ({
  ...runRows.record(end),
  legs: { close: legDocument(end.close), open: legDocument(end.open) },
});

/** Without the legs, which are a list's. */
export const runRows = listOf<RunEnd, Omit<RollRunDocument, 'legs'>>()(
  [rollRows.columns.join(' '), 'outcome error.code error.message'],
  {
    record: ({ chain, finding, skipped }) => ({
      ...chainDocument(chain),
      outcome: skipped ?? finding?.code ?? (chain.state === 'done' ? 'rolled' : chain.state),
      error: errorDocument(finding),
    }),
  },
);

const errorDocument = (finding: HedgeError | undefined): RollRunDocument['error'] =>
  finding === undefined
    ? null
    : {
        code: finding.code,
        message: finding.message,
        effect: finding.effect,
        hint: hintText(finding.hint) || null,
      };

/** One roll in full. */
export const oneRollDocument = (chain: RollChain, cost: RollCost): OneRollDocument => ({
  ...chainDocument(chain),
  derived: {
    ...cost.total,
    legs: cost.legs.map(({ leg, hedgeId, notional, parts, cost: sum, netPnl, grossPnl }) => ({
      leg,
      hedge_id: hedgeId ?? null,
      notional_usd: notional,
      ...pickOrNull(parts, COST_PARTS),
      ...sum,
      net_pnl_usd: netPnl ?? null,
      gross_pnl_usd: grossPnl ?? null,
    })),
  },
});
