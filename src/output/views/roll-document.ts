/** Rolls as lists and as documents. */

import { Big } from 'big.js';
import { hintText } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import type { HedgeError } from '../../errors.ts';
import { isPartialFill, outcomeWord } from '../../journal/describe.ts';
import {
  CHAIN_WORDS,
  chainNotional,
  nextInDocument,
  type RollChain,
  sentLimit,
} from '../../journal/roll-chains.ts';
import type { RollCost } from '../../readings/read-rolls.ts';
import type { RollReport } from '../../runs/rolls/roll-hedge.ts';
import type { RunEnd, RunReport } from '../../runs/rolls/run-due.ts';
import type {
  ChainDocument,
  OneRollDocument,
  RollDocument,
  RollRunDocument,
} from '../../schema/action-document.ts';
import { type Cell, message, nameText, text } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { listOf } from '../list.ts';
import { withNulls } from '../record-table.ts';
import { actionOrNull } from './action-document.ts';
import { OPERATOR_PARTS, operatorDocument } from './journal.ts';
import { shortTime } from './record-columns.ts';
import { CHAIN_TONES } from './unfinished-rolls.ts';

export const chainDocument = (chain: RollChain): ChainDocument => {
  const { plan, state, dueMs, close, open, end } = chain;
  return {
    chain_id: plan.chain_id,
    state,
    when: plan.when,
    market: plan.market,
    side: plan.side,
    notional_usd: chainNotional(chain),
    asked_notional_usd: (open && isPartialFill(open) && open.notional) || null,
    tenor_days: plan.tenor_days,
    max_cost_bps: bpsOrNull(plan.max_cost_bps),
    sent_max_cost_bps: bpsOrNull(sentLimit(chain)),
    maturity_at: plan.maturity_at ?? null,
    due_at: dueMs === undefined ? null : exactInstant(dueMs),
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
};

/** Leg 2 of one that is done may be filled in part. */
export const stateCell = ({ state, asked_notional_usd: asked }: ChainDocument): Cell =>
  state === 'done' && asked !== null
    ? text(`${CHAIN_WORDS.done} in part`, 'warn')
    : text(CHAIN_WORDS[state], CHAIN_TONES[state]);

const limitCell = ({ sent_max_cost_bps: sent, max_cost_bps: planned }: ChainDocument): Cell =>
  cellOf('max_cost_bps', sent ?? planned);

const settlesCell = ({ when, maturity_at: at }: ChainDocument): Cell =>
  when === 'now' ? text('at once') : shortTime(at);

export const rollRows = listOf<ChainDocument, ChainDocument>()(
  [
    { name: 'chain_id', header: 'Roll', isId: true },
    { name: 'state', header: 'State', show: stateCell },
    'when market',
    { name: 'side', header: 'Side', show: ({ side, market }) => nameText(`${side} ${market}`) },
    { name: 'notional_usd', header: 'Notional USD' },
    'asked_notional_usd',
    { name: 'tenor_days', header: 'Tenor', align: 'right', cell: (tenor) => text(`${String(tenor)}d`) },
    { name: 'max_cost_bps', header: 'Limit bps', align: 'right', optional: true, show: limitCell },
    'sent_max_cost_bps',
    { name: 'maturity_at', header: 'Leg 1 settles', optional: true, show: settlesCell },
    'due_at',
    {
      name: 'from_hedge_id',
      header: 'From',
      optional: 'first',
      show: ({ from_deal_id: dealId, from_hedge_id: hedgeId }) => nameText(dealId ?? hedgeId),
    },
    'from_deal_id close_action_id close_outcome',
    { name: 'to_deal_id', header: 'To deal ID' },
    'to_hedge_id open_action_id open_outcome root profile environment planned_at ended_at',
    { name: 'operator', parts: OPERATOR_PARTS },
    'version',
    { name: 'note', header: 'Note', optional: 'last', wrap: true, cell: (note) => message(String(note)) },
    'next',
  ],
  {
    empty: 'No rolls',
    record: (chain) => chain,
    screen:
      'chain_id state side notional_usd to_deal_id tenor_days max_cost_bps maturity_at from_hedge_id note',
  },
);

const bpsOrNull = (digits: string | undefined): Big | null => (digits === undefined ? null : new Big(digits));

export const rollDocument = ({ chain, close, open, dryRun, existing, shown }: RollReport): RollDocument => ({
  ...chainDocument(chain),
  dry_run: dryRun,
  existing,
  legs: { close: actionOrNull(close), open: actionOrNull(open) },
  quote: shown.open?.facts.quote ?? null,
  quoted: shown.open?.figures ?? null,
  returned: shown.close?.comesBack ?? null,
});

export const runDocument = ({ ends }: RunReport): readonly RollRunDocument[] =>
  ends.map((end) => ({
    ...runRows.record(end),
    legs: { close: actionOrNull(end.close), open: actionOrNull(end.open) },
  }));

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

export const oneRollDocument = (chain: RollChain, { legs, total }: RollCost): OneRollDocument => ({
  ...chainDocument(chain),
  derived: { ...total, legs: legs.map(withNulls) },
});
