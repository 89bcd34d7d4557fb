/** `hedge roll` and its commands: the preview of both legs, what a run did, the list of rolls, and what one has cost. */
import { commandText, shell } from '../../domain/hint.ts';
import { DAY_MS, exactInstant } from '../../domain/instants.ts';
import { COST_PARTS, type CostParts, type CostSum, rollingCost } from '../../domain/roll-cost.ts';
import { isPartialFill, outcomeWord } from '../../journal/describe.ts';
import { recordedRollingCost } from '../../journal/recorded-costs.ts';
import { maybeExecuted } from '../../journal/replay.ts';
import {
  CHAIN_WORDS,
  chainNotional,
  isFinished,
  isOnCourse,
  nextOfChain,
  type RollChain,
} from '../../journal/roll-chains.ts';
import type { LegCost, RollCost } from '../../readings/read-rolls.ts';
import type { DroppedRoll } from '../../runs/rolls/drop-roll.ts';
import type { RollPreview, RollReport } from '../../runs/rolls/roll-hedge.ts';
import type { RollResult } from '../../runs/rolls/roll-result.ts';
import type { RunEnd, RunReport } from '../../runs/rolls/run-due.ts';
import type { OpenPlan } from '../../trading/plan.ts';
import type { ActionReport } from '../../trading/report.ts';
import {
  type Block,
  commandRows,
  dimLine,
  gap,
  hintBlocks,
  line,
  messageLine,
  type Pair,
  pair,
  pairs,
  tableOf,
  type View,
} from '../blocks.ts';
import { type Cell, hintCell, missing, nameText, type Parts, phrase, text, type Words } from '../cells.ts';
import { briefAction } from './action.ts';
import { viewPlan, viewWarnings } from './plan.ts';
import { bps, bpsFigure, days, known, maturityCell, signedIn, usd } from './record-columns.ts';
import {
  chainDocument,
  oneRollDocument,
  rollRows,
  runDocument,
  runRows,
  stateCell,
} from './roll-document.ts';
import { CHAIN_TONES, chainCells, rollCells, viewNext } from './unfinished-rolls.ts';

/** Before the confirmation. */
export function viewRollPreview({
  chain,
  legs: { close, open, openedElsewhere },
}: Omit<RollPreview, 'warnings'>): View {
  return close === undefined
    ? [headline(chain), viewLater(chain, open)]
    : [
        headline(chain),
        line(
          text('No hedge between the close and the open:', 'warn'),
          'the side is flat until leg 2 fills, and the rate may move.',
        ),
        gap,
        line(text('Leg 1', 'strong')),
        viewPlan(close, openedElsewhere),
        gap,
        line(text('Leg 2', 'strong'), 'as if leg 1 had filled'),
        viewPlan(open),
        boundLine(chain),
      ];
}

/** `ROLL buy USDTNGN 10,000.00 USD now: close and open again for 3 days.` */
function headline(chain: RollChain): Block {
  const { plan } = chain;
  const tenor = days(plan.tenor_days.toString());
  return line(
    nameText(`ROLL ${plan.side} ${plan.market}`, 'strong'),
    usd(chainNotional(chain), 'USD', 'strong'),
    plan.when === 'now'
      ? `now: close and open again for ${tenor}.`
      : `at maturity: open again for ${tenor} after it settles.`,
  );
}

function viewLater(chain: RollChain, open: OpenPlan): View {
  return [
    pairs(
      laterPairs(chain, open, 'at the size that settles'),
      pair('Opened', 'within 24 h of the maturity, by you or cron:', hintCell(shell`hedge roll run`)),
    ),
    viewNext(chain),
  ];
}

/** `open`: as it would be now. */
const laterPairs = ({ plan }: RollChain, open: OpenPlan | undefined, size: string): Parts<Pair> => [
  pair('Leg 1', legOneCells(plan)),
  pair('Leg 2', nameText(plan.deal_id), size, legTwoMaturity(plan)),
  open && costTodayPair(open),
  pair('Limit', limitCells(plan.max_cost_bps)),
];

const legOneCells = ({ hedge_id: id, first_deal_id: dealId, maturity_at: at }: RollChain['plan']): Words => [
  nameText(dealId === undefined ? id : `${id} (${dealId})`),
  at === undefined ? 'settles at its maturity' : ['settles', maturityCell(at, 'minute')],
];

/** It is opened when leg 1 has settled, or some time after. */
const legTwoMaturity = ({ maturity_at: at, tenor_days: tenor }: RollChain['plan']): Words =>
  at !== undefined && [
    ', matures',
    maturityCell(exactInstant(Date.parse(at) + tenor * DAY_MS), 'minute'),
    'or later',
  ];

const limitCells = (limit: string | undefined): Words =>
  limit === undefined
    ? text('no price limit', 'warn')
    : [{ kind: 'number', amount: limit, unit: 'bps' }, 'total cost, checked before leg 2 is sent'];

const boundLine = ({ plan }: RollChain): View =>
  plan.max_cost_bps !== undefined &&
  line(
    text('Beyond', 'dim'),
    { kind: 'number', amount: plan.max_cost_bps, unit: 'bps' },
    text('leg 2 is not sent, and the side stays flat.', 'dim'),
  );

const costTodayPair = ({ figures }: OpenPlan): Pair =>
  pair(
    'Cost today',
    figures === undefined ? missing : [bps(figures.cost_bps), '(indicative; the price is set at maturity)'],
  );

export function viewRoll(report: RollReport): View {
  const { chain, close, open, dryRun, existing, shown } = report;
  if (dryRun)
    return [
      line(text('DRY RUN', 'warn'), ': nothing was sent or kept.'),
      shown.open === undefined
        ? viewRan({ chain, close, open })
        : viewRollPreview({ chain, legs: { ...shown, open: shown.open } }),
      viewWarnings(shown.warnings ?? []),
    ];
  if (chain.plan.when === 'maturity') return viewPlanned(chain, { existing, open: shown.open });
  return viewRan(report);
}

function viewPlanned(
  chain: RollChain,
  { existing, open }: Pick<RollReport, 'existing'> & { open: OpenPlan | undefined },
): View {
  return [
    line(
      text(existing ? 'ALREADY PLANNED' : 'PLANNED', 'good'),
      rollCells(chain),
      'at maturity; nothing was sent.',
    ),
    pairs(laterPairs(chain, open, `, ${days(chain.plan.tenor_days.toString())}`)),
    viewNext(chain),
  ];
}

/** Legs that were sent now, or found of earlier runs. An error has its own next commands. */
function viewRan({
  chain,
  close,
  open,
  finding,
  existing = false,
}: Omit<RollResult, 'finding'> & Partial<RollReport>): View {
  const { plan, state } = chain;
  const isInPart = chain.open !== undefined && isPartialFill(chain.open);
  const maturity = state === 'done' ? (open?.hedge?.maturity_at ?? undefined) : undefined;
  return [
    line(
      state === 'done' && (isInPart || finding?.code === 'pending')
        ? text(isInPart ? 'ROLLED IN PART' : 'PENDING', 'warn')
        : text(
            state === 'done' ? (existing ? 'ALREADY ROLLED' : 'ROLLED') : 'NOT ROLLED',
            CHAIN_TONES[state],
          ),
      nameText(`${plan.side} ${plan.market}`),
      usd(chainNotional(chain), 'USD'),
      isInPart && ['of', usd(chain.open?.notional, 'USD')],
      nameText(`, roll ${plan.chain_id}${state === 'done' ? '' : `: ${CHAIN_WORDS[state]}`}`),
    ),
    pairs(
      plan.when === 'now' && pair('Leg 1', legCells(close, chain.close, plan.hedge_id)),
      pair('Leg 2', legCells(open, chain.open, plan.deal_id)),
      maturity !== undefined && pair('Matures', maturityCell(maturity, 'minute')),
      costPairs(chain),
    ),
    finding?.hint === undefined && viewNext(chain),
  ];
}

function legCells(report: ActionReport | undefined, action: RollChain['close'], name: string): Words {
  if (report !== undefined) return briefAction(report);
  if (action === undefined) return [text('not sent', 'dim'), nameText(`(${name})`)];
  return [outcomeWord(action), nameText(`, action ${action.shortId}`)];
}

export const runList = runRows.within(({ ends }: RunReport) => ends, {
  document: runDocument,
  view: viewRollRun,
});

function viewRollRun({ ends, waiting, elsewhere, finding }: RunReport): View {
  const several = ends.length > 1;
  return [
    ends.length === 0 && finding === undefined && line('No roll is due.'),
    ends.map((end, index) => [index > 0 && gap, viewEnd(end, several)]),
    waiting.length > 0 && [
      ends.length > 0 && gap,
      waiting.map((chain) => [
        line(text('Waiting', 'dim'), chainCells(chain)),
        !isOnCourse(chain) && viewNext(chain),
      ]),
    ],
    elsewhere !== 0 && dimLine(`${elsewhere} unfinished under other profiles: hedge status`),
  ];
}

function viewEnd(end: RunEnd, several: boolean): View {
  const { chain, finding, skipped } = end;
  if (skipped === 'not_run')
    return line(text('NOT RUN', 'warn'), chainCells(chain), '(an earlier one stopped the run)');
  if (skipped === 'not_due')
    return [
      line(text(isFinished(chain) ? 'FINISHED' : 'NOT DUE', 'strong'), chainCells(chain)),
      !isOnCourse(chain) && viewNext(chain),
    ];
  // The error of a single one is shown below the screen.
  return [
    viewRan(end),
    several && finding !== undefined && [messageLine(finding.what, 'bad'), hintBlocks(finding.hint)],
  ];
}

function viewRolls(chains: readonly RollChain[]): View {
  const rows = chains.map(chainDocument);
  const left = chains.filter((chain) => !isFinished(chain)).length;
  const next = chains.flatMap((chain) => nextOfChain(chain) ?? []);
  return [
    chains.length > 1 && line(text(`${left} of ${chains.length} rolls unfinished.`, 'strong')),
    rollRows.block(rows, { only: ({ name }) => name !== 'note' || rows.some(({ note }) => note !== null) }),
    [...new Map(next.map((each) => [commandText(each.command), each])).values()]
      .slice(0, MOST_NEXT)
      .map((each) => commandRows(each)),
  ];
}

const MOST_NEXT = 5;

/** Every roll, or one with its legs and its cost so far. */
export type ShownRolls = { chains: readonly RollChain[] } | { chain: RollChain; cost: RollCost };

export const rollList = rollRows.within(
  (shown: ShownRolls) => ('chains' in shown ? shown.chains : [shown.chain]).map(chainDocument),
  {
    document: (shown) =>
      'chains' in shown ? shown.chains.map(chainDocument) : oneRollDocument(shown.chain, shown.cost),
    view: (shown) => ('chains' in shown ? viewRolls(shown.chains) : viewOneRoll(shown.chain, shown.cost)),
  },
);

const PART_NAMES: Readonly<Record<keyof CostParts, string>> = {
  impact_cost_usd: 'Impact',
  slippage_usd: 'Slippage',
  carry_usdc: 'Carry',
  platform_fee_usdc: 'Fees',
  close_fee_usdc: 'Fee to close',
};

function viewOneRoll(chain: RollChain, { legs, total }: RollCost): View {
  const { plan } = chain;
  const [first, second] = legs;
  const isRunning = legs.some(({ net_pnl_usd: ended }) => ended === undefined);
  const alone = first && second && rollingCost(first, second, second.notional_usd);
  return [
    line(
      nameText(`ROLL ${plan.chain_id}`, 'strong'),
      stateCell(chainDocument(chain)),
      nameText(`${plan.side} ${plan.market}`),
      usd(chainNotional(chain), 'USD'),
      `, ${plan.when === 'now' ? 'closed and opened again' : 'at maturity'}, ${days(plan.tenor_days.toString())}`,
    ),
    gap,
    tableOf(LEG_ROWS, [
      { header: 'USDC', show: ({ name }) => text(name) },
      ...legs.map((leg) => ({
        header: `LEG ${leg.leg}`,
        align: 'right' as const,
        show: ({ cell }: LegRow) => cell(leg),
      })),
    ]),
    line(
      text(
        `Cost of both hedges${isRunning ? ', an open one to its maturity' : ''}${total.missing.length > 0 ? ', as far as known' : ''}:`,
        'strong',
      ),
      usd(total.cost_usdc, 'USDC', 'strong'),
      alone === undefined
        ? phrase`, ${bps(total.cost_bps)} of that of leg 1; leg 2 is not open.`
        : phrase`, ${bps(total.cost_bps)} of that of leg 2; of rolling alone: ${usd(alone.cost_usdc, 'USDC')}, ${bps(alone.cost_bps)}.`,
    ),
    dimLine(
      'Costs: positive is paid. USDC counts as USD. Realized P&L: negative is a loss, net of carry and fees.',
    ),
    isRunning &&
      dimLine(
        'Of a hedge that is open: carry as it was quoted, to maturity; fees of its open and adds, not of its reduces.',
      ),
    total.missing.length > 0 && line(text('Not known, and not in the sum:', 'warn'), missingInWords(total)),
    !isFinished(chain) && [gap, viewNext(chain)],
  ];
}

interface LegRow {
  name: string;
  cell: (leg: LegCost) => Cell;
}

const LEG_ROWS: readonly LegRow[] = [
  { name: 'Hedge', cell: ({ hedge_id: id }) => known(id, nameText) },
  { name: 'Opened and added USD', cell: ({ notional_usd: notional }) => usd(notional) },
  ...COST_PARTS.map((part) => ({ name: PART_NAMES[part], cell: (leg: LegCost) => usd(leg[part]) })),
  { name: 'Cost', cell: ({ cost_usdc: cost }) => usd(cost) },
  { name: 'Cost in bps', cell: ({ cost_bps: cost }) => bpsFigure(cost) },
  { name: 'Realized P&L', cell: ({ net_pnl_usd: pnl }) => signedIn('USD', pnl) },
];

/** The cost of rolling, without that of leg 1 since its open. */
function costPairs(chain: RollChain): Parts<Pair> {
  const cost = recordedRollingCost(chain);
  if (cost === undefined) return [];
  const parts = `${chain.plan.when === 'now' ? 'fee to close leg 1, and ' : ''}leg 2 with carry over ${days(chain.plan.tenor_days.toString())}`;
  const without = cost.missing.length > 0 && text(`; without ${missingInWords(cost)}`, 'warn');
  return pair('Cost', phrase`${usd(cost.cost_usdc, 'USDC')}, ${bps(cost.cost_bps)}: ${parts} ${without}`);
}

const missingInWords = ({ missing: absent }: CostSum): string =>
  absent.map((part) => PART_NAMES[part].toLowerCase()).join(', ');

/** `legOne`: known where its side is flat. */
export const viewDropped = ({
  chain,
  elsewhere,
  finding,
  legOne,
}: DroppedRoll & { legOne: 'settled' | 'gone' | undefined }): View => [
  line(
    finding === undefined ? text('DROPPED', 'strong') : text('DROPPED ON THIS MACHINE ONLY', 'warn'),
    rollCells(chain),
  ),
  elsewhere &&
    line(
      nameText(
        `Of ${chain.plan.identity.environment}, profile ${chain.plan.profile}: no profile reaches its account.`,
      ),
    ),
  line(
    chain.close !== undefined && maybeExecuted(chain.close)
      ? 'Leg 1 stays closed.'
      : legOne === undefined
        ? 'Leg 1 is unchanged.'
        : `Leg 1 ${legOne === 'settled' ? 'has settled' : 'is no longer open'}, and the side is flat.`,
    finding === undefined
      ? 'Leg 2 is not opened.'
      : 'Leg 2 is not opened from here; another machine may open it.',
  ),
];
