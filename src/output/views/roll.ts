/** `hedge roll` and its commands: the preview of both legs, what a run did, the list of rolls, and what one has cost. */
import { Big } from 'big.js';
import { commandText, hintText } from '../../domain/hint.ts';
import { COST_PARTS, type CostSum } from '../../domain/roll-cost.ts';
import type { HedgeError } from '../../errors.ts';
import { outcomeWord } from '../../journal/describe.ts';
import { maybeExecuted } from '../../journal/replay.ts';
import {
  CHAIN_WORDS,
  chainNotional,
  isFinished,
  nextInDocument,
  nextOfChain,
  type RollChain,
  sentLimit,
} from '../../journal/roll-chains.ts';
import type { RollCost } from '../../readings/read-rolls.ts';
import type { OpenPlan } from '../../trading/plan.ts';
import type { ActionReport } from '../../trading/report.ts';
import type { DroppedRoll } from '../../trading/rolls/drop-roll.ts';
import type { RollPreview, RollReport } from '../../trading/rolls/roll-hedge.ts';
import type { RollResult } from '../../trading/rolls/roll-result.ts';
import type { RunEnd, RunReport } from '../../trading/rolls/run-due.ts';
import { type Block, type Cell, line, message, missing, nameText, text } from '../blocks.ts';
import { type Listing, list } from '../list.ts';
import { briefAction } from './action.ts';
import { actionDocument } from './action-document.ts';
import { OPERATOR_PARTS, operatorDocument } from './journal.ts';
import { viewPlan, viewWarnings } from './plan.ts';
import { bps, days, maturityCell, usd } from './record-columns.ts';
import { costPairs, viewOneRoll } from './roll-cost.ts';
import { CHAIN_TONES, chainCells, viewNext } from './unfinished-rolls.ts';

const bpsOrNull = (digits: string | undefined): Big | null => (digits === undefined ? null : new Big(digits));

const gap: Block = { kind: 'gap' };

/** Rolls, in the order of their records. */
const rollRows = list<RollChain>()(
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
      show: ({ plan }) => text(`${plan.tenor_days.toString()}d`),
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
    screen: [
      'chain_id',
      'state',
      'side',
      'notional_usd',
      'to_deal_id',
      'tenor_days',
      'max_cost_bps',
      'maturity_at',
      'from_hedge_id',
      'note',
    ],
  },
);

function limitCell(chain: RollChain): Cell {
  const limit = sentLimit(chain) ?? chain.plan.max_cost_bps;
  return limit === undefined ? missing : { kind: 'number', amount: limit };
}

function settlesCell({ plan }: RollChain): Cell {
  if (plan.when === 'now') return text('now');
  return plan.maturity_at === undefined ? missing : { kind: 'time', at: plan.maturity_at, style: 'short' };
}

export const chainDocument = rollRows.record;

export const rollDocument = ({ chain, close, open, dryRun, existing, shown }: RollReport): unknown => ({
  ...chainDocument(chain),
  dry_run: dryRun,
  existing,
  legs: { close: legDocument(close), open: legDocument(open) },
  quote: shown.open?.facts.quote ?? null,
  quoted: shown.open?.figures ?? null,
  returned: shown.close?.comesBack ?? null,
});

const legDocument = (report: ActionReport | undefined): unknown =>
  report === undefined ? null : actionDocument(report);

/** Before the confirmation. */
export function viewRollPreview({
  chain,
  legs: { close, open, openedElsewhere },
}: Omit<RollPreview, 'warnings'>): readonly Block[] {
  return close === undefined
    ? [headline(chain), ...viewLater(chain, open)]
    : [
        headline(chain),
        line(
          text('No hedge between the close and the open:', 'warn'),
          text('the side is flat until leg 2 fills, and the rate may move.'),
        ),
        gap,
        line(text('Leg 1', 'strong')),
        ...viewPlan(close, openedElsewhere),
        gap,
        line(text('Leg 2', 'strong'), text('as if leg 1 had filled')),
        ...viewPlan(open),
        ...boundLine(chain),
      ];
}

/** `ROLL buy USDTNGN 10,000.00 USD now: close and open again for 3 days.` */
function headline(chain: RollChain): Block {
  const { plan } = chain;
  const tenor = days(plan.tenor_days.toString());
  return line(
    nameText(`ROLL ${plan.side} ${plan.market}`, 'strong'),
    { kind: 'money', amount: chainNotional(chain), unit: 'USD', tone: 'strong' },
    text(
      plan.when === 'now'
        ? `now: close and open again for ${tenor}.`
        : `at maturity: open again for ${tenor} after it settles.`,
    ),
  );
}

function viewLater(chain: RollChain, open: OpenPlan): readonly Block[] {
  const { plan } = chain;
  return [
    {
      kind: 'pairs',
      pairs: [
        { name: 'Leg 1', value: legOneCells(plan) },
        { name: 'Leg 2', value: [nameText(plan.deal_id), text('at the size that settles')] },
        costTodayPair(open),
        { name: 'Limit', value: limitCells(plan.max_cost_bps) },
        { name: 'Opened by', value: [text('cron, within 24 h of the maturity:')] },
      ],
    },
    ...viewNext(chain),
  ];
}

const legOneCells = ({ hedge_id: id, first_deal_id: dealId, maturity_at: at }: RollChain['plan']): Cell[] => [
  nameText(dealId === undefined ? id : `${id} (${dealId})`),
  ...(at === undefined ? [text('settles at its maturity')] : [text('settles'), maturityCell(at, 'minute')]),
];

const limitCells = (limit: string | undefined): Cell[] =>
  limit === undefined
    ? [text('no price limit', 'warn')]
    : [{ kind: 'number', amount: limit, unit: 'bps' }, text('total cost, checked before leg 2 is sent')];

const boundLine = ({ plan }: RollChain): readonly Block[] =>
  plan.max_cost_bps === undefined
    ? []
    : [
        line(
          text('Beyond', 'dim'),
          { kind: 'number', amount: plan.max_cost_bps, unit: 'bps' },
          text('leg 2 is not sent, and the side stays flat.', 'dim'),
        ),
      ];

const costTodayPair = ({ figures }: OpenPlan): { name: string; value: Cell[] } => ({
  name: 'Cost today',
  value:
    figures === undefined
      ? [missing]
      : [bps(figures.cost_bps), text('(indicative; the price is set at maturity)')],
});

export function viewRoll(report: RollReport): readonly Block[] {
  const { chain, close, open, dryRun, existing, shown } = report;
  if (dryRun)
    return [
      line(text('DRY RUN', 'strong'), text('Nothing was sent or kept.')),
      ...(shown.open === undefined
        ? viewRan({ chain, close, open })
        : viewRollPreview({ chain, legs: { ...shown, open: shown.open } })),
      ...viewWarnings(shown.warnings ?? []),
    ];
  if (chain.plan.when === 'maturity') return viewPlanned(chain, { existing, open: shown.open });
  return viewRan(report);
}

function viewPlanned(
  chain: RollChain,
  { existing, open }: Pick<RollReport, 'existing'> & { open: OpenPlan | undefined },
): readonly Block[] {
  const { plan } = chain;
  return [
    line(
      text(existing ? 'ALREADY PLANNED' : 'PLANNED', 'good'),
      nameText(`roll ${plan.chain_id}: ${plan.side} ${plan.market}`),
      usd(chainNotional(chain), 'USD'),
      text('at maturity; nothing was sent.'),
    ),
    {
      kind: 'pairs',
      pairs: [
        { name: 'Leg 1', value: legOneCells(plan) },
        { name: 'Leg 2', value: [nameText(plan.deal_id), text(`, ${days(plan.tenor_days.toString())}`)] },
        ...(open === undefined ? [] : [costTodayPair(open)]),
        { name: 'Limit', value: limitCells(plan.max_cost_bps) },
      ],
    },
    ...viewNext(chain),
  ];
}

/** Legs that were sent now, or found of earlier runs. The error has the next command, unless it is that of several rolls. */
function viewRan(
  { chain, close, open, finding, existing = false }: Omit<RollResult, 'finding'> & Partial<RollReport>,
  { several = false } = {},
): readonly Block[] {
  const { plan, state } = chain;
  const maturity = state === 'done' ? (open?.hedge?.maturity_at ?? undefined) : undefined;
  return [
    line(
      text(state === 'done' ? (existing ? 'ALREADY ROLLED' : 'ROLLED') : 'NOT ROLLED', CHAIN_TONES[state]),
      nameText(`${plan.side} ${plan.market}`),
      usd(chainNotional(chain), 'USD'),
      nameText(`, roll ${plan.chain_id}${state === 'done' ? '' : `: ${CHAIN_WORDS[state]}`}`),
    ),
    {
      kind: 'pairs',
      pairs: [
        ...(plan.when === 'now'
          ? [{ name: 'Leg 1', value: legCells(close, chain.close, plan.hedge_id) }]
          : []),
        { name: 'Leg 2', value: legCells(open, chain.open, plan.deal_id) },
        ...(maturity === undefined ? [] : [{ name: 'Matures', value: [maturityCell(maturity, 'minute')] }]),
        ...costPairs(chain),
      ],
    },
    ...(finding?.hint === undefined || several ? viewNext(chain) : []),
  ];
}

function legCells(
  report: ActionReport | undefined,
  action: RollChain['close'],
  name: string,
): readonly Cell[] {
  if (report !== undefined) return briefAction(report);
  if (action === undefined) return [text('not sent', 'dim'), nameText(`(${name})`)];
  return [text(outcomeWord(action)), nameText(`, action ${action.shortId}`)];
}

const runRows = list<RunEnd>()([rollRows.columns.join(' '), 'outcome error.code error.message'], {
  record: ({ chain, finding, skipped }) => ({
    ...chainDocument(chain),
    outcome: skipped ?? finding?.code ?? (chain.state === 'done' ? 'rolled' : chain.state),
    error: errorDocument(finding),
  }),
});

export const runList: Listing<RunReport> = {
  ...runRows.within(({ ends }: RunReport) => ends),
  document: ({ ends }) =>
    ends.map((end) => ({
      ...runRows.record(end),
      legs: { close: legDocument(end.close), open: legDocument(end.open) },
    })),
  view: viewRollRun,
};

const errorDocument = (finding: HedgeError | undefined): unknown =>
  finding === undefined
    ? null
    : {
        code: finding.code,
        message: finding.message,
        effect: finding.effect,
        hint: hintText(finding.hint) || null,
      };

function viewRollRun({ ends, waiting, elsewhere }: RunReport): readonly Block[] {
  const several = ends.length > 1;
  return [
    ...(ends.length === 0 ? [line(text('No roll is due.'))] : []),
    ...ends.flatMap((end, index) => [...(index === 0 ? [] : [gap]), ...viewEnd(end, several)]),
    ...(waiting.length === 0
      ? []
      : [
          ...(ends.length === 0 ? [] : [gap]),
          ...waiting.map((chain) => line(text('Waiting', 'dim'), ...chainCells(chain))),
        ]),
    ...(elsewhere === 0
      ? []
      : [line(text(`${elsewhere.toString()} unfinished under other profiles: hedge status`, 'dim'))]),
  ];
}

function viewEnd(end: RunEnd, several: boolean): readonly Block[] {
  const { chain, finding, skipped } = end;
  if (skipped === 'not_run')
    return [line(text('NOT RUN', 'warn'), ...chainCells(chain), text('(an earlier one stopped the run)'))];
  if (skipped === 'not_due')
    return [line(text(isFinished(chain) ? 'FINISHED' : 'NOT DUE', 'strong'), ...chainCells(chain))];
  return [
    ...viewRan(end, { several }),
    ...(several && finding !== undefined ? [line(message(finding.what, 'bad'))] : []),
  ];
}

const viewRolls = (chains: readonly RollChain[]): readonly Block[] => [
  rollRows.block(chains),
  ...[
    ...new Map(
      chains.flatMap((chain) => nextOfChain(chain) ?? []).map((each) => [commandText(each.command), each]),
    ),
  ]
    .slice(0, MOST_NEXT)
    .map(([, each]) => ({ kind: 'commands', rows: [each] }) as const),
];

const MOST_NEXT = 5;

/** Every roll, or one with its legs and its cost so far. */
export type ShownRolls = { chains: readonly RollChain[] } | { chain: RollChain; cost: RollCost };

export const rollList: Listing<ShownRolls> = {
  ...rollRows.within((shown: ShownRolls) => ('chains' in shown ? shown.chains : [shown.chain])),
  document: (shown) =>
    'chains' in shown ? shown.chains.map(chainDocument) : oneRollDocument(shown.chain, shown.cost),
  view: (shown) => ('chains' in shown ? viewRolls(shown.chains) : viewOneRoll(shown.chain, shown.cost)),
};

/** One roll in full. */
const oneRollDocument = (chain: RollChain, cost: RollCost): unknown => ({
  ...chainDocument(chain),
  derived: {
    ...sumDocument(cost.total),
    legs: cost.legs.map(({ leg, hedgeId, notional, parts, cost: sum, netPnl, grossPnl }) => ({
      leg,
      hedge_id: hedgeId ?? null,
      notional_usd: notional,
      ...Object.fromEntries(COST_PARTS.map((part) => [part, parts[part] ?? null])),
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

export const viewDropped = ({ chain, elsewhere }: DroppedRoll): readonly Block[] => [
  line(
    text('DROPPED', 'strong'),
    nameText(`roll ${chain.plan.chain_id}: ${chain.plan.side} ${chain.plan.market}`),
    usd(chainNotional(chain), 'USD'),
  ),
  ...(elsewhere
    ? [
        line(
          nameText(
            `Of ${chain.plan.identity.environment}, profile ${chain.plan.profile}: no profile reaches its account.`,
          ),
        ),
      ]
    : []),
  line(
    text(
      chain.close !== undefined && maybeExecuted(chain.close)
        ? 'Leg 1 stays closed. Leg 2 is not opened.'
        : 'Leg 1 is unchanged. Leg 2 is not opened.',
    ),
  ),
];
