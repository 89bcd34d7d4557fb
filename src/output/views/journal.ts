/** The list of actions in the journal, as a screen and as a document; and pending actions as other screens show them. */

import { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { grouped } from '../../domain/exposure.ts';
import { ownField } from '../../domain/fields.ts';
import { commandText, shell } from '../../domain/hint.ts';
import { hasLiveRules } from '../../domain/vocabulary.ts';
import type { Hint } from '../../errors.ts';
import {
  changeWord,
  effectOf,
  machineTimeNote,
  nextSteps,
  operatorInWords,
  outcomeWord,
  senderInWords,
} from '../../journal/describe.ts';
import type { ActionRecord, Operator } from '../../journal/records.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../../journal/replay.ts';
import {
  closedNotional,
  dealIdsOf,
  fillOf,
  partialFillOf,
  recordedFigures,
  struckRate,
  type TouchedHedge,
  touchedHedges,
} from '../../journal/results.ts';
import { troubleAdvice } from '../../journal/trouble.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
import type { JournalDocument, TroubleDocument } from '../../schema/journal-document.ts';
import { dimLine, gap, hintBlocks, line, messageLine, pair, pairs, type View } from '../blocks.ts';
import { type Cell, dimPhrase, message, missing, nameText, type Tone, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull } from '../record-table.ts';
import { countCell, known, minute, shortTime, time, usd } from './record-columns.ts';

interface JournalRow {
  action: Action;
  /** The profile that commands use without an option. */
  selected: string | undefined;
  /** One action in full. */
  steps?: readonly ActionRecord[] | undefined;
}

export const OPERATOR_PARTS = ['name', 'user', 'host'] as const;

/** The columns in the order of CSV. */
const journalRows = listOf<JournalRow>()(
  [
    { name: 'began_at', header: 'Time', optional: 'last', show: ({ action }) => shortTime(action.intent.at) },
    'action_id',
    { name: 'short_id', header: 'ID', isId: true, show: ({ action }) => text(action.shortId, 'strong') },
    {
      name: 'identity.environment',
      header: 'Environment',
      // Live and practice in one list must not look the same, nor two profiles.
      optional: (rows) => (placesOf(rows).size > 1 ? undefined : 'first'),
      wrap: true,
      show: ({ action }) => environmentCell(action),
    },
    'profile',
    { name: 'action', header: 'Action', show: ({ action: { intent } }) => nameText(sideInJournal(intent)) },
    'request.market request.side',
    {
      name: 'request.notional_usd',
      header: 'Notional',
      align: 'right',
      show: ({ action }) => sizeCell(action),
    },
    'request.tenor_days',
    { name: 'outcome', header: 'Outcome', show: ({ action }) => outcomeCell(action) },
    'effect',
    {
      name: 'deal_id',
      header: 'Deal ID',
      optional: 'last',
      show: ({ action }) => severalNames(dealIdsOf(action)),
    },
    {
      name: 'receipt.hedge_id',
      header: 'Hedge',
      optional: true,
      show: ({ action }) =>
        severalNames(
          touchedHedges(action)
            .toSorted(namedFirst)
            .map(({ hedgeId }) => hedgeId),
        ),
    },
    'receipt.order_tx_hash receipt.client_reference receipt.idempotency_key receipt.sent_at',
    'changed_at state unresolved in_flight settled_as why refusal.code refusal.http_status attempts',
    'identity.base_url identity.key_fingerprint request.client_reference asked',
    'bounds.worst_price bounds.max_cost_bps',
    'quote.maturity_at quote.market_price quote.execution_price quote.price_impact_usd quote.impact_cost_usd',
    'quote.carry_usdc quote.platform_fee_usdc quote.required_margin_usdc quote.total_upfront_usdc',
    'quote.cost_usdc quote.cost_bps quote.all_in_rate quote.net_margin_usd quote.close_fee_usdc quote.net_pnl_usd',
    'filled_notional_usd before.hedges before.in_positions before.read_at ended_as sent_by next steps',
    'identity.account hedge_ids deal_ids',
    {
      name: 'operator.name',
      header: 'Operator',
      optional: (rows) =>
        operatorsOf(rows).size > 1 || rows.some((row) => row.action.colleague) ? 'last' : true,
      show: ({ action }) => orMissing(senderInWords(action)),
    },
    'operator.user operator.host version',
    { name: 'note', header: 'Note', optional: true, show: ({ action }) => orMissing(action.intent.note) },
    'settlement.operator.name settlement.operator.user settlement.at settlement.note',
    'chain_id closed_notional_usd struck_rate',
  ],
  {
    empty: 'No matching actions',
    screen:
      'short_id began_at identity.environment action request.notional_usd outcome deal_id receipt.hedge_id operator.name note',
    record: journalDocument,
  },
);

const placesOf = (rows: readonly JournalRow[]): ReadonlySet<string> =>
  new Set(rows.map(({ action: { intent } }) => `${intent.identity.environment} ${intent.profile}`));

const sideInJournal = ({ action, market, side }: Action['intent']): string => `${action} ${market} ${side}`;

export const orMissing = (words: string | undefined): Cell => known(words, message);

const operatorsOf = (rows: readonly JournalRow[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap(({ action: { intent } }) =>
      intent.operator === undefined ? [] : [operatorInWords(intent.operator)],
    ),
  );

export function journalDocument({ action, selected, steps }: JournalRow): JournalDocument {
  const { intent, settlement, refusal } = action;
  const touched = touchedHedges(action);
  const { market, side, notional_usd: notional, tenor_days: tenor, client_reference: reference } = intent;
  return {
    action: intent.action,
    action_id: action.id,
    short_id: action.shortId,
    outcome: outcomeWord(action),
    effect: effectOf(action),
    state: action.state,
    unresolved: isUnresolved(action),
    in_flight: isAwaitingOutcome(action),
    settled_as: action.recordedAs ?? null,
    settlement: settlement
      ? { operator: operatorDocument(settlement.by), ...pickOrNull(settlement, ['at', 'note']) }
      : null,
    why: action.why ?? null,
    refusal: refusal ? { code: refusal.code, http_status: refusal.httpStatus } : null,
    ...pickOrNull(intent, ['identity', 'profile']),
    operator: operatorDocument(intent.operator),
    ...(action.login === undefined ? {} : { login: action.login }),
    ...pickOrNull(intent, ['version', 'note', 'deal_id', 'chain_id']),
    hedge_ids: touched.map(({ hedgeId }) => hedgeId),
    deal_ids: dealIdsOf(action),
    request: {
      market,
      side,
      ...(notional === undefined ? {} : { notional_usd: new Big(notional) }),
      ...(tenor === undefined ? {} : { tenor_days: tenor }),
      ...(reference === undefined ? {} : { client_reference: reference }),
    },
    receipt: receiptDocument(action),
    attempts: action.attempts,
    began_at: intent.at,
    changed_at: action.changedAt,
    filled_notional_usd: fillOf(action)?.notional ?? null,
    closed_notional_usd: closedNotional(action) ?? null,
    struck_rate: struckRate(action) ?? null,
    ended_as: action.outcome?.facts ?? null,
    ...pickOrNull(intent, ['asked', 'bounds']),
    quote: quoteOf(action),
    ...pickOrNull(intent, ['before', 'sent_by']),
    next: nextSteps(action, selected).map((each) => commandText(each.command)),
    ...(steps === undefined ? {} : { steps }),
  };
}

/** `hedge`: as read, for an action that does not know it. */
export const receiptDocument = (action: Action | undefined, hedge?: Hedge): JournalDocument['receipt'] => ({
  idempotency_key: action?.intent.idempotency_key ?? null,
  client_reference: action?.intent.client_reference ?? null,
  hedge_id: action?.hedgeId ?? hedge?.id ?? null,
  order_tx_hash: action?.orderTxHash ?? hedge?.order_tx_hash ?? null,
  sent_at: action?.sentAt ?? null,
});

/** Null for a record of an earlier version. */
export const operatorDocument = (operator: Operator | undefined): JournalDocument['operator'] =>
  operator === undefined ? null : pickOrNull(operator, OPERATOR_PARTS);

/** The quote as recorded; the impact also as a cost, positive when the account pays. */
function quoteOf(action: Action): Readonly<Record<string, string | null>> | null {
  const { quote } = action.intent;
  const impact = recordedFigures(action)?.impact_cost_usd;
  return quote === undefined ? null : { ...quote, ...(impact && { impact_cost_usd: impact.toFixed() }) };
}

type Pending = Pick<JournalSummary, 'unresolved' | 'inFlight'>;

export const pendingDocuments = ({ unresolved, inFlight }: Pending, selected: string | undefined) => ({
  unresolved: unresolved.map((action) => journalDocument({ action, selected })),
  in_flight: inFlight.map((action) => journalDocument({ action, selected })),
});

/** `kind`: `damaged`, `rewound` or `unreadable`. Null if all is as it was written. */
export const summaryTrouble = ({ trouble, unreadable }: JournalSummary): TroubleDocument | null =>
  unreadable === undefined
    ? (trouble ?? null)
    : { kind: 'unreadable', path: unreadable.path, what: unreadable.message };

export interface JournalPage {
  actions: readonly Action[];
  /** Matching actions, including those beyond the page; undefined where they were not counted. */
  fitting: number | undefined;
  selected: string | undefined;
  /** This machine's time, where days or times were asked for. */
  askedMs?: number | undefined;
  /** The one action that was asked for. */
  steps?: readonly ActionRecord[] | undefined;
}

const rowsOf = ({ actions, selected, steps }: JournalPage): readonly JournalRow[] =>
  actions.map((action) => ({ action, selected, steps }));

/** `view`: of a page; one action has a screen of its own (journal-action.ts). */
export const actionList = journalRows.within(rowsOf, {
  document(page) {
    const documents = journalRows.document(rowsOf(page));
    return page.steps === undefined ? documents : (documents[0] ?? documents);
  },
  view: viewJournalPage,
});

/** Listed with a next command; the rest is counted. */
const MOST_LISTED = 5;

function viewJournalPage({ actions, fitting, selected, askedMs }: JournalPage): View {
  const rows = rowsOf({ actions, fitting, selected });
  const hidden = [
    operatorsOf(rows).size === 0 && 'operator.name',
    actions.every(({ intent: { note } }) => note === undefined) && 'note',
  ];
  return [
    journalRows.block(rows, { only: ({ name }) => !hidden.includes(name) }),
    actions.length === 0 && askedMs !== undefined && clockLine(askedMs),
    fitting !== actions.length && olderLine(actions.length, fitting),
    viewPending(
      { unresolved: actions.filter(isUnresolved), inFlight: actions.filter(isAwaitingOutcome) },
      selected,
    ),
  ];
}

const clockLine = (nowMs: number): View =>
  line(
    dimPhrase`The journal goes by the time of this machine, not of the service: now ${minute(nowMs, 'dim')}.`,
  );

const olderLine = (shown: number, fitting: number | undefined): View =>
  fitting === undefined
    ? dimLine('Older ones may match. Show them: --limit all')
    : line(dimPhrase`${{ ...countCell(fitting - shown), tone: 'dim' }} older. Show them: --limit all`);

/** The first hedge of a row is that of its first deal ID. */
const namedFirst = (one: TouchedHedge, other: TouchedHedge): number =>
  Number(one.dealId === undefined) - Number(other.dealId === undefined);

/** `hdg_1`, `hdg_1 +2` */
function severalNames([first, ...more]: readonly string[]): Cell {
  if (first === undefined) return missing;
  return nameText(more.length === 0 ? first : `${first} +${more.length}`);
}

/** `LIVE · payouts`; practice is both the environment's and the profile's name. */
export function environmentCell({ intent }: Action): Cell {
  const { environment } = intent.identity;
  const upper = environment.toUpperCase();
  return text(
    environment === intent.profile ? upper : `${upper} · ${intent.profile}`,
    hasLiveRules({ environment, profile: intent.profile }) ? 'warn' : 'plain',
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  unknown: 'bad',
  not_seen: 'bad',
  failed: 'bad',
  refused: 'warn',
  pending: 'warn',
  sending: 'warn',
  filled: 'good',
  changed: 'good',
  closed: 'good',
};

const RECORDED = { done: 'recorded as executed', nothing: 'recorded as not executed' } as const;

export function outcomeCell(action: Action): Cell {
  const word = outcomeWord(action);
  const away = action.state === 'not_sent' && action.rejectionCode !== undefined;
  const outcome = away ? 'not accepted' : word.replaceAll('_', ' ');
  const shown = word === 'changed' ? changeWord(action.intent) : outcome;
  const recorded = action.recordedAs === undefined ? shown : RECORDED[action.recordedAs];
  const tone = partialFillOf(action) === undefined ? ownField(TONES, word) : 'warn';
  return text(word === 'unknown' ? 'UNKNOWN' : recorded, tone ?? 'plain');
}

/** `1,800.00 of 3,000.00` for an open that was filled in part. */
export function sizeCell(action: Action): Cell {
  const { notional = closedNotional(action) } = action;
  const part = partialFillOf(action);
  return part === undefined || notional === undefined
    ? usd(notional)
    : text(`${grouped(part)} of ${grouped(notional)}`, 'warn');
}

/** An instant by this machine's clock. */
export const machineTime = (at: string, action: Action): Words => [time(at), machineTimeNote(action).trim()];

export const viewPending = ({ unresolved, inFlight }: Pending, selected: string | undefined): View => [
  viewUnresolved(unresolved, 'unresolved', selected),
  viewUnresolved(inFlight, 'in flight', selected),
];

/** Pending actions, each with its next command. */
export function viewUnresolved(
  actions: readonly Action[],
  what: 'unresolved' | 'in flight',
  selected: string | undefined,
): View {
  if (actions.length === 0) return [];
  const more = actions.length - MOST_LISTED;
  return [
    gap,
    line(text(`${actions.length} ${what}:`, MEANS[what].tone), text(MEANS[what].words, 'dim')),
    pairs(
      actions.slice(0, MOST_LISTED).map((action) => {
        const next = nextSteps(action, selected)[0]?.command ?? shell`hedge journal ${action.shortId}`;
        return pair(commandText(next), pendingCells(action));
      }),
    ),
    more > 0 && dimLine(`and ${more} more: hedge journal --${what.replace(' ', '-')} --limit all`),
  ];
}

/** The fault of the journal, and what to do about it. */
export function viewTrouble(journal: JournalSummary): View {
  const { what, advice } = troubleInWords(journal);
  return what !== undefined && [gap, messageLine(what, 'bad'), hintBlocks(advice)];
}

/** For a pipe. */
export function troubleChanges(journal: JournalSummary) {
  const { what } = troubleInWords(journal);
  return what === undefined ? [] : [{ key: 'journal', cells: [message(what)], ending: 'is in order again' }];
}

const troubleInWords = ({
  trouble,
  unreadable,
}: JournalSummary): { what: string | undefined; advice: Hint | undefined } =>
  unreadable === undefined
    ? { what: trouble?.what, advice: trouble && troubleAdvice(trouble) }
    : { what: unreadable.message, advice: unreadable.hint };

const MEANS = {
  unresolved: { tone: 'bad', words: 'sent; outcome unknown. Do not send it again.' },
  'in flight': { tone: 'warn', words: 'accepted or being sent; not finished.' },
} as const;

/** `open USDTNGN buy 10,000.00 USD (INV-7)` */
export const namedCells = ({ intent, notional }: Action): Words => [
  nameText(sideInJournal(intent)),
  notional && usd(notional, 'USD'),
  intent.deal_id !== undefined && nameText(`(${intent.deal_id})`),
];

const pendingCells = (action: Action): Words => [
  environmentCell(action),
  namedCells(action),
  time(action.intent.at, 'minute', 'dim'),
  action.intent.operator !== undefined && message(`by ${senderInWords(action) ?? ''}`),
  action.intent.note !== undefined && message(`· ${action.intent.note}`),
];
