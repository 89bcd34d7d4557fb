/** One action of the journal in full; and before and after its outcome is recorded manually. */

import { takesWholeSide } from '../../domain/action-table.ts';
import { commandText, shell } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { escapeJsonToAscii, spelledName } from '../../domain/sanitize.ts';
import { askedInWords, nextSteps, operatorInFull, operatorInWords } from '../../journal/describe.ts';
import { type Length, stepInWords, stepWord } from '../../journal/describe-step.ts';
import type { ActionRecord } from '../../journal/records.ts';
import type { Action, ActionState } from '../../journal/replay.ts';
import { recordedFigures, touchedHedges } from '../../journal/results.ts';
import type { SideSince } from '../../trading/recover/resolve-action.ts';
import { commandRows, dimLine, gap, line, type Pair, pair, pairs, tableOf, type View } from '../blocks.ts';
import { message, nameText, type Parts, partsIn, phrase, text } from '../cells.ts';
import { cellOf, labelOf } from '../field-labels.ts';
import { environmentCell, machineTime, namedCells, outcomeCell, sizeCell } from './journal.ts';
import { hashCell, known, time, usd } from './record-columns.ts';

export interface JournalEntry {
  action: Action;
  steps: readonly ActionRecord[];
  selected: string | undefined;
}

/** The outcome comes last: on a long screen the rest scrolls off. */
export function viewJournalAction({ action, steps, selected }: JournalEntry): View {
  const { intent } = action;
  const size = sizeCell(action);
  const tenor = intent.tenor_days;
  const rows = nextSteps(action, selected);
  const next: View = rows.length > 0 && [gap, commandRows(rows)];
  return [
    line(
      text(intent.action.toUpperCase(), 'strong'),
      nameText(`${intent.market} ${intent.side}`, 'strong'),
      size.kind !== 'missing' && [size, 'USD'],
      tenor !== undefined && `for ${tenor} ${tenor === 1 ? 'day' : 'days'}`,
      '·',
      outcomeCell(action),
    ),
    {
      kind: 'details',
      blocks: [
        pairs(requestPairs(action, 'in full')),
        { kind: 'verbatim', text: escapeJsonToAscii(intent.body) },
        dimLine('Command:'),
        { kind: 'verbatim', text: commandText(shell`hedge ${intent.sent_by}`) },
        gap,
        beforeOf(action),
        gap,
        steps.map((step) => viewStep(step, action, 'in full')),
        gap,
        pairs(resultPairs(action)),
        next,
      ],
      instead: [
        pairs(requestPairs(action, 'short')),
        gap,
        stepsThatMatter(steps).map((step) => viewStep(step, action, 'short')),
        gap,
        pairs(shortResult(action)),
        next,
        dimLine('Request, key, quote and every step: -v'),
      ],
    },
  ];
}

const QUOTED_IN_SHORT = 'execution_price cost_usdc cost_bps net_pnl_usd close_fee_usdc net_margin_usd'.split(
  ' ',
);

/** The outcome is at the end, and hashes and reasons are among the details or the steps. */
const shortResult = (action: Action): Parts<Pair> =>
  partsIn(resultPairs(action)).filter(
    ({ name, value: [cell] }) => cell?.kind !== 'hash' && name !== 'Why' && name !== labelOf('status'),
  );

const MOST_STEPS = 6;

/** The first time it was sent, and the last steps other than attempts. */
function stepsThatMatter(steps: readonly ActionRecord[]): readonly ActionRecord[] {
  const sent = steps.find(({ kind }) => kind === 'sending');
  const others = steps.filter(({ kind }) => kind !== 'sending' && kind !== 'intent');
  return [...(sent === undefined ? [] : [sent]), ...others.slice(-MOST_STEPS)];
}

/** In short the price and the cost that were shown before it was sent, and the limits. */
function requestPairs(action: Action, length: Length): Parts<Pair> {
  const { intent } = action;
  const { identity, operator, note } = intent;
  const isFull = length === 'in full';
  const label = typeof identity.account === 'string' ? `, account ${identity.account}` : '';
  const key = identity.key_fingerprint === null ? '' : `${label}, key ${identity.key_fingerprint}`;
  const quoted = quotedFigures(action).filter(([name]) => isFull || QUOTED_IN_SHORT.includes(name));
  return [
    pair('Environment', environmentCell(action), isFull && text(`(${identity.base_url}${key})`, 'dim')),
    intent.asked !== undefined && pair('Requested as', askedInWords(intent.asked)),
    figurePairs('Quoted', quoted),
    figurePairs('Limit', Object.entries(intent.bounds ?? {})),
    isFull && [
      pair('Idempotency key', `${intent.idempotency_key} (${ORIGINS[intent.key_origin]})`),
      intent.client_reference !== intent.deal_id && named('Reference', intent.client_reference),
      intent.chain_id !== undefined && pair('Roll', `hedge roll show ${intent.chain_id}`),
    ],
    operator && pair('Operator', message((isFull ? operatorInFull : operatorInWords)(operator))),
    note !== undefined && pair('Note', message(note)),
    isFull && [
      intent.version !== undefined && pair('Version', `hedge ${intent.version}`),
      pair('Request', `POST ${intent.path}`),
    ],
  ];
}

function resultPairs(action: Action): Parts<Pair> {
  const { orderTxHash, attempts } = action;
  const { deal_id: ownId } = action.intent;
  const times = attempts === 1 ? 'once,' : `${attempts} times, each`;
  const touched = touchedHedges(action);
  return [
    pair('Action', `${action.shortId} (${action.id})`),
    // The attempts after no response are not in the journal one by one.
    pair('Sent', attempts === 0 ? 'never' : `${times} with up to three attempts under one key`),
    // One line for each hedge that it opened, changed or closed.
    touched.length === 0 && named('Hedge', action.hedgeId),
    touched.map(({ hedgeId, dealId = ownId }) =>
      named('Hedge', dealId === ownId ? hedgeId : `${hedgeId} (${dealId})`),
    ),
    orderTxHash !== undefined && pair('Order transaction', hashCell(orderTxHash)),
    WHY_NOW.includes(action.state) && action.why !== undefined && pair('Why', message(action.why)),
    action.refusal && pair('Rejected', `${action.refusal.code} (HTTP ${action.refusal.httpStatus})`),
    endPairs(action),
    named('Deal ID', ownId),
    pair('Outcome', outcomeCell(action)),
  ];
}

/** The outcome as read: the figures of the hedge or the side, and of a side each hedge's size since. */
function endPairs({ intent, outcome, orderTxHash, state }: Action): Parts<Pair> {
  const ids = new Set(intent.before.hedges.map(({ hedge_id: id }) => id));
  const facts = Object.entries(outcome?.facts ?? {}).filter(
    ([name, value]) => value !== orderTxHash && !(state === 'failed' && name === 'maturity_at'),
  );
  return facts.map(([name, digits]) =>
    ids.has(name) && digits !== null
      ? pair(name, '→', usd(digits, 'USD'))
      : name.endsWith('_hash') && digits !== null
        ? pair(labelOf(name), hashCell(digits))
        : figurePairs('', [[name, digits]]),
  );
}

/** The impact as a cost, positive if the account pays; the service sends the opposite sign. */
const quotedFigures = (action: Action): readonly Figure[] =>
  Object.entries(action.intent.quote ?? {}).map(([name, digits]) =>
    name === 'price_impact_usd'
      ? ['impact_cost_usd', recordedFigures(action)?.impact_cost_usd.toFixed()]
      : [name, digits],
  );

const named = (name: string, value: string | undefined): Parts<Pair> =>
  value !== undefined && pair(name, spelledName(value));

/** In any other state the reason is among the steps. */
const WHY_NOW: readonly ActionState[] = ['sent', 'unknown', 'not_sent', 'settled'];

const ORIGINS = {
  minted: 'generated',
  given: 'chosen by you',
  deal_id: 'derived from the deal ID',
} as const;

type Figure = readonly [name: string, value: string | null | undefined];

/** Figures by field name: `execution_price` → `Quoted execution price`. */
const figurePairs = (before: string, figures: readonly Figure[]): Parts<Pair> =>
  figures.map(
    ([name, value]) =>
      value !== null && value !== undefined && pair(nameOf(before, name), cellOf(name, value)),
  );

function nameOf(before: string, field: string): string {
  // Recorded before a reduce or close, it has no fees.
  const label = field === 'net_pnl_usd' ? 'P&L before fees (USD)' : labelOf(field);
  const lower = label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  return before === '' ? label : `${before} ${lower}`;
}

function beforeOf({ intent }: Action): View {
  const { hedges, in_positions: wasOpen } = intent.before;
  const position = wasOpen === null ? 'position not read' : wasOpen ? 'position open' : 'position flat';
  if (hedges.length === 0) return line(`Before: no hedges listed on the side; ${position}.`);
  return [
    line(`Before (${position}):`),
    tableOf(hedges, [
      { header: 'HEDGE', show: (hedge) => nameText(hedge.hedge_id) },
      { header: 'NOTIONAL', align: 'right', show: (hedge) => usd(hedge.notional_usd) },
      { header: 'STATUS', show: ({ status }) => known(status, text) },
    ]),
  ];
}

function viewStep(record: ActionRecord, action: Action, length: Length): View {
  const until = record.kind === 'accepted' ? record.provisional_until : undefined;
  return line(
    time(record.at, 'second', 'dim'),
    text(`${stepWord(record)}:`, 'strong'),
    message(stepInWords(record, action, length)),
    until !== undefined && [', provisional until', time(until)],
  );
}

/** `side`: as it is now, if it was read. `arrivesUntil`: milliseconds since the epoch, while it may still arrive. */
export const viewUnresolvedAction = (
  action: Action,
  { side, arrivesUntil }: { side: SideSince | undefined; arrivesUntil: number | undefined },
): View => [
  line(environmentCell(action), '·', namedCells(action), '·', outcomeCell(action)),
  line(action.attempts > 1 ? 'First sent' : 'Sent', machineTime(action.sentAt ?? action.intent.at, action)),
  action.why !== undefined && line(message(`Last known: ${action.why.replace(/\.$/, '')}.`)),
  arrivesUntil !== undefined &&
    line(text('It may still arrive and show until', 'warn'), time(exactInstant(arrivesUntil)), '.'),
  positionLine(action, side),
];

/** Before the action, as the journal has it, and now. */
function positionLine({ intent }: Action, side: SideSince | undefined): View {
  if (side === undefined) return [];
  const { before, now: sidePosition } = side;
  const now =
    sidePosition.total === undefined
      ? text(`unclear: ${sidePosition.unclear ?? 'not read completely'}.`, 'warn')
      : [usd(sidePosition.total, 'USD'), '.'];
  return line(
    nameText(`${intent.market} ${intent.side}`),
    phrase`was ${usd(before, 'USD')} before it, is ${now}`,
  );
}

export const questionToResolve = (action: Action, as: 'done' | 'nothing'): string =>
  `Record ${action.shortId} as ${as === 'done' ? 'executed' : 'not executed'}?`;

export const viewResolved = (action: Action): View => [
  line(text(action.shortId, 'strong'), namedCells(action), '·', outcomeCell(action)),
  dimLine(`It no longer blocks the side${unblocked(action)}`),
];

function unblocked({ recordedAs, intent }: Action): string {
  if (recordedAs === 'nothing') return '. Limits do not count it.';
  return takesWholeSide(intent) ? ', once its request cannot arrive any more.' : '. Limits count it.';
}
