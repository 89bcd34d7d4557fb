/** The outcome of an action: headline, hedge or side before and after. The error on standard error shows failures. */
import { Big } from 'big.js';
import { changedWords, createsHedge, enlarges } from '../../domain/action-table.ts';
import { roundHalfUp, sum } from '../../domain/amounts.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { operatorInFull } from '../../journal/describe.ts';
import type { Action } from '../../journal/replay.ts';
import { closedEarlyInWords } from '../../journal/roll-chains.ts';
import type { ClosePlan, Plan } from '../../trading/plan.ts';
import type { ActionFigures, ActionReport, ReportOutcome } from '../../trading/report.ts';
import {
  commandRows,
  dimLine,
  figureRows,
  gap,
  line,
  type Pair,
  pair,
  pairs,
  type View,
  warnLine,
} from '../blocks.ts';
import { hintCell, message, nameText, type Parts, partsIn, phrase, text, type Words } from '../cells.ts';
import { actionDocument } from './action-document.ts';
import { addedAt, expectedBack, realizedRows, sideRows } from './changed-side.ts';
import { hedgeList } from './hedges.ts';
import { machineTime } from './journal.ts';
import { viewPreview } from './plan.ts';
import { changeRows, severalHedges } from './positions.ts';
import { bps, days, extraCells, hashCell, known, maturityCell, rate, time, usd } from './record-columns.ts';
import { coveredNaira, quotedPrice, quotedUpfront } from './sized.ts';

/** How a command shows the report of its action. */
export const ACTION_REPORT = { document: actionDocument, brief: briefAction, view: viewAction } as const;

export function viewAction(report: ActionReport): View {
  return VIEWS[report.outcome]?.(report) ?? [];
}

/** The error on standard error says the other outcomes. */
const VIEWS: Readonly<Partial<Record<ReportOutcome, (report: ActionReport) => View>>> = {
  filled: (report) => viewHedge(report, 'FILLED'),
  changed: viewChanged,
  // An open whose hedge has closed since.
  closed: (report) => (hasOwnHedge(report) ? viewHedge(report, NOT_OPEN) : viewChanged(report)),
  submitted: viewSubmitted,
  planned: viewPlanned,
  flat: (report) =>
    line(text('FLAT', 'good'), nameText(`${subject(report)}: no open position; nothing was sent.`)),
};

/** `FILLED buy USDTNGN 10,000.00 USD at 1,533.75, hedge hdg_01JD8K`; empty where the error says it. */
export function briefAction(report: ActionReport): Words {
  const { outcome, plan, entry, hedge, hedges, derived } = report;
  const word = alreadyWord(report, wordOf(report));
  const struck = derived.struck_rate ?? hedge?.struck_rate ?? undefined;
  const name = hasOwnHedge(report) ? (hedge?.id ?? entry?.hedgeId) : undefined;
  return [
    headlineCells(report, word),
    outcome === 'planned' && plan !== undefined ? plannedBriefly(plan) : severalHedges(hedges),
    outcome === 'filled' && struck !== undefined && ['at', rate(struck)],
    name !== undefined && nameText(`, hedge ${name}`),
    report.existing === true && '; nothing was sent',
  ];
}

/** The word for a repeated command that found its action finished: `ALREADY OPEN`. */
function alreadyWord({ existing, outcome, isOver }: ActionReport, word: string): string {
  if (existing !== true || !FINISHED.includes(outcome)) return word;
  if (word !== 'FILLED') return word === NOT_OPEN ? word : `ALREADY ${word}`;
  return isOver === true ? NOT_OPEN : isOver === 'maybe' ? 'MAY BE OPEN' : 'ALREADY OPEN';
}

/** The word for an open whose hedge has closed or matured since. */
const NOT_OPEN = 'NO LONGER OPEN';

const FINISHED: readonly ReportOutcome[] = ['filled', 'changed', 'closed'];

function wordOf(report: ActionReport): string {
  const { outcome } = report;
  const about = aboutOf(report);
  if (outcome === 'changed') return (about && changedWords(about)?.headline) ?? 'CHANGED';
  if (outcome === 'closed' && hasOwnHedge(report)) return NOT_OPEN;
  return outcome === 'refused' ? 'REJECTED' : outcome.toUpperCase().replace('_', ' ');
}

/** The word is not that of one action. */
const UNDONE: readonly ReportOutcome[] = ['planned', 'submitted'];

function plannedBriefly(plan: Plan): Words {
  if (!enlarges(plan)) {
    const back = plan.comesBack?.net_margin_usd;
    return [severalHedges(plan.after.hedges), back && phrase`, returns ${usd(back, 'USD')} (estimate)`];
  }
  const { figures, facts } = plan;
  return [
    facts.quote && phrase`at ${rate(facts.quote.pricing.execution_price)}`,
    figures && phrase`, cost ${bps(figures.cost_bps)}`,
  ];
}

function viewHedge(report: ActionReport, word: 'FILLED' | typeof NOT_OPEN): View {
  const { hedge, entry, derived } = report;
  const struck = derived.struck_rate ?? hedge?.struck_rate ?? undefined;
  const tenor = hedge?.tenor_days;
  const dealId = entry?.intent.deal_id;
  const naira = coveredNaira(report, { price: struck, named: 'struck rate' });
  const isOver = word === NOT_OPEN || report.isOver === true;
  const isPart = word === 'FILLED' && partialFillAmount(report) !== undefined;
  const paid = quotedUpfront(entry);
  const receipt: Parts<Pair> = [
    pair('Struck rate', known(struck, rate), against(derived)),
    naira && pair('Naira', naira),
    !isPart && paid && pair('Upfront', phrase`${paid.all}: ${paid.parts}`),
    grownSince(report),
    pair('Hedge', known(hedge?.id ?? entry?.hedgeId, nameText), nowIs(hedge, word)),
    foundByDealId(report),
    dealId !== undefined && pair('Deal ID', nameText(dealId)),
    pair(
      isOver ? 'Maturity' : 'Matures',
      known(hedge?.maturity_at, (at) => maturityCell(at, 'minute')),
      tenor && `, ${days(tenor.toFixed())}`,
    ),
    pair('Order tx', known(hedge?.order_tx_hash ?? entry?.orderTxHash, hashCell)),
    pair('Fill tx', known(hedge?.fill_tx_hash, hashCell)),
    actionPair(report),
    hedge && extraCells(hedge, KNOWN_OF_HEDGE).map(([label, cell]) => pair(label, cell)),
  ];
  return [
    actionHeadline(report, isPart ? 'PARTIAL FILL' : alreadyWord(report, word), nothingSent(report)),
    signed(report, (more) => pairs(receipt, more)),
    report.isOver === 'maybe' && warnLine('Past its maturity, and may be open: see hedge positions.'),
    isOver && dimLine('Its result: hedge history'),
  ];
}

/** `since Fri 20 Nov 10:02 UTC; nothing was sent.`: a repeated command that found its action finished. */
function nothingSent({ existing, isOver, hedge, outcome }: ActionReport): Words {
  if (existing !== true) return [];
  const at = outcome === 'filled' ? (hedge?.filled_at ?? undefined) : undefined;
  const since = isOver === true || isOver === 'maybe' ? ', filled' : 'since';
  return [at !== undefined && [since, time(at, 'minute')], '; nothing was sent.'];
}

/** Without a response, another program may have opened the hedge with this deal ID: a later command checks again. */
function foundByDealId({ entry, confirmed }: ActionReport): Parts<Pair> {
  if (confirmed === true)
    return pair('Confirmed', 'the only hedge with its deal ID; no attempt can still arrive');
  if (entry?.provisionalUntil === undefined) return [];
  return [
    pair('Found by', 'its deal ID, after a lost response'),
    pair('To confirm', text('after', 'warn'), whenConclusive(entry)),
  ];
}

/** When a hedge that was found by its deal ID can be looked up again. */
export const whenConclusive = (action: Action): Words => [
  machineTime(action.provisionalUntil ?? '', action),
  hintCell(
    say`: ${shell`hedge check ${action.shortId}`}. Until then your lost request may still arrive, as a second hedge.`,
  ),
];

/** The current size, if the hedge was increased or reduced since; its rate is then a weighted one. */
function grownSince(report: ActionReport): Parts<Pair> {
  const { entry, hedge } = report;
  const filled = partialFillAmount(report) ?? entry?.notional;
  if (hedge === undefined || filled === undefined || hedge.notional_usd.eq(filled)) return [];
  const { notional_usd: size, struck_rate: struck, status } = hedge;
  const name = status === 'closed' ? 'Size when it closed' : 'Size now';
  return pair(name, usd(size, 'USD'), struck ? phrase`at ${rate(struck)} on average` : []);
}

/** The hedge of an earlier run may have another status by now. */
const nowIs = (hedge: ActionReport['hedge'], word: string): Words =>
  hedge && hedge.status !== word.toLowerCase() && `, now ${hedge.status}`;

/** `0.98 bps (4.89 USD) worse than the last quote`: that was asked for again before sending. */
function against({ slippage_bps: points, slippage_usd: amount }: ActionFigures): Words {
  if (points === undefined) return [];
  if (points.eq(0)) return ', as last quoted';
  const direction = points.gt(0)
    ? text('worse than the last quote', 'warn')
    : text('better than the last quote', 'good');
  const shown = roundHalfUp(points.abs(), 2);
  if (shown.eq(0)) return [', less than 0.01 bps', direction];
  const inUsd = amount && phrase`(${usd(amount.abs(), 'USD')})`;
  return phrase`, ${{ kind: 'number', amount: shown, unit: 'bps' }} ${inUsd} ${direction}`;
}

const KNOWN_OF_HEDGE = hedgeList.fields.map(({ name }) => name);

const actionPair = ({ entry }: ActionReport): Parts<Pair> =>
  entry && [
    pair('Action', entry.shortId),
    entry.intent.note !== undefined && pair('Note', message(entry.intent.note)),
  ];

/** Adds who sent it, with -v. */
const signed = ({ entry }: ActionReport, blockOf: (more: Parts<Pair>) => View): View => {
  const by = entry?.intent.operator;
  if (by === undefined) return blockOf([]);
  const blocks = blockOf(pair('Operator', message(operatorInFull(by))));
  return { kind: 'details', blocks, instead: blockOf([]) };
};

function viewSubmitted(report: ActionReport): View {
  const { entry, hedge } = report;
  const hedgeId = hedge?.id ?? entry?.hedgeId;
  const naira = coveredNaira(report, quotedPrice(entry));
  const receipt: Parts<Pair> = [
    hedgeId !== undefined && pair('Hedge', nameText(hedgeId)),
    naira && pair('Naira', naira),
    actionPair(report),
    // By the action's own ID: one of the service has any length.
    entry && pair('To wait', hintCell(shell`hedge wait ${entry.shortId}`, 'strong')),
  ];
  return [
    actionHeadline(report, 'SUBMITTED', '; accepted, not waited for.'),
    signed(report, (more) => pairs(receipt, more)),
  ];
}

/** A dry run: all that is shown before the confirmation, and the body with every digit. */
function viewPlanned({ plan, warnings, openedElsewhere }: ActionReport): View {
  if (plan === undefined) return [];
  const body = Object.entries(plan.request).map(
    ([name, value]) =>
      value !== undefined && pair(name, nameText(value instanceof Big ? value.toFixed() : String(value))),
  );
  return [
    line(text('DRY RUN', 'warn'), ': nothing was sent.'),
    viewPreview({ plan, warnings, openedElsewhere, changed: undefined }),
    gap,
    dimLine('Would be sent:'),
    pairs(body),
  ];
}

function viewChanged(report: ActionReport): View {
  const { outcome, hedges, entry } = report;
  const closed = outcome === 'closed';
  const about = aboutOf(report);
  const isIncrease = about !== undefined && enlarges(about);
  const naira = coveredNaira(report, quotedPrice(entry));
  return [
    actionHeadline(
      report,
      alreadyWord(report, wordOf(report)),
      closed ? closedWords(report) : severalHedges(hedges),
      nothingSent(report),
    ),
    signed(report, (more) =>
      figureRows(
        ...sideRows(report),
        ...(closed && (hedges ?? []).length === 1 ? [] : changeRows(hedges)),
        naira && [text('Naira'), ...naira],
        ...(isIncrease ? addedAt(report) : realizedRows(report)),
        ...partsIn<Pair>([actionPair(report), more]).map(({ name, value }) => [text(name), ...value]),
      ),
    ),
    !isIncrease && expectedBack(report) !== undefined && estimateNote(report),
    rollsEnded(report),
  ];
}

/** Planned rolls of hedges that it closed, of which the preview warned. */
function rollsEnded({ entry, hedges = [], warnings }: ActionReport): View {
  return warnings.map(({ code, details = {} }) => {
    const { chain_id: roll, hedge_id: hedgeId, state } = details;
    const isClosed = hedges.some(({ id, after }) => id === hedgeId && after.eq(0));
    if (entry === undefined || code !== 'roll_unfinished' || state !== 'planned' || !isClosed) return [];
    const id = String(roll);
    return [
      line(message(`Roll ${id}: ${closedEarlyInWords(entry)}.`, 'warn')),
      commandRows(step(shell`hedge roll drop ${id} --note TEXT`, 'give it up')),
    ];
  });
}

/** Below the figures of a reduce or a close. */
const estimateNote = ({ derived }: ActionReport): View =>
  dimLine(
    `Estimates${derived.net_pnl_usd === undefined ? '' : ', except Net P&L'}; the balance: hedge account. USDC counts as USD.`,
  );

/** Hedges may have been opened on the side since. */
const closedWords = ({ position, existing }: ActionReport): string =>
  `: ${position === undefined ? 'position flat' : 'new hedges are open on the side'}${existing === true ? '' : '.'}`;

const aboutOf = ({ plan, entry }: ActionReport) => plan ?? entry?.intent;

/** A hedge of another machine has no action here. */
const hasOwnHedge = (report: ActionReport): boolean => {
  const about = aboutOf(report);
  return about === undefined ? report.hedge !== undefined : createsHedge(about);
};

const subject = (report: ActionReport): string => {
  const about = aboutOf(report) ?? report.hedge;
  return about === undefined ? 'the side' : `${about.side} ${about.market}`;
};

/** The filled part of an open, if it is less than requested. */
const partialFillAmount = ({ entry, derived: { filled_notional_usd: filled } }: ActionReport) =>
  filled !== undefined && entry?.notional?.gt(filled) === true ? filled : undefined;

function notionalOf(report: ActionReport): Big | undefined {
  const { plan, entry } = report;
  if (report.outcome === 'closed' && !hasOwnHedge(report)) return closedSize(report);
  if (plan !== undefined)
    return 'notional' in plan ? plan.notional : (plan satisfies ClosePlan).facts.sidePosition.total;
  return entry === undefined ? report.hedge?.notional_usd : entry.notional;
}

/** The amount that left the side, which may be more than requested. */
function closedSize({ plan, hedges = [] }: ActionReport): Big | undefined {
  if (hedges.length > 0) return sum(hedges.map(({ before, after }) => before.minus(after)));
  const planned = plan?.facts.sidePosition.total;
  return planned?.gt(0) === true ? planned : undefined;
}

const actionHeadline = (report: ActionReport, word: string, ...rest: readonly Words[]): View =>
  line(headlineCells(report, word), rest);

function headlineCells(report: ActionReport, word: string): Words {
  const notional = notionalOf(report);
  const part = partialFillAmount(report);
  return [
    text(word, part === undefined ? 'good' : 'warn'),
    UNDONE.includes(report.outcome) && (aboutOf(report)?.action ?? ''),
    nameText(subject(report), 'strong'),
    report.outcome === 'changed' && notional !== undefined && 'by',
    part !== undefined && [usd(part, 'USD'), 'of'],
    notional !== undefined && usd(notional, 'USD'),
  ];
}
