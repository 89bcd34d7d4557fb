/** A batch on a terminal: one line per action, and its totals, of a dry run too. */

import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide } from '../../domain/amounts.ts';
import { ownField } from '../../domain/fields.ts';
import { inOneLine } from '../../domain/hint.ts';
import { spelledName } from '../../domain/sanitize.ts';
import {
  ConditionError,
  type HedgeError,
  InterruptedError,
  RefusedError,
  StoppedError,
  UsageError,
} from '../../errors.ts';
import type { AccountLeft, AmountReturned, SideTotal } from '../../runs/simulate-batch.ts';
import type { RunTotals, SideResult } from '../../runs/tally-batch.ts';
import { type Block, dimLine, gap, line, phraseLine, tableOf, type View, warnLine } from '../blocks.ts';
import { type Cell, hintCell, message, nameText, text, type Words } from '../cells.ts';
import { bps, countCell, known, usd } from './record-columns.ts';

export interface BatchLineView {
  number: number;
  /** The line as written in the batch. */
  typed: string;
  /** Its result: in one line, or its view. Undefined: it has none. */
  shown: { brief: Words; blocks: View; isEarlier: boolean } | undefined;
  error: HedgeError | undefined;
}

export function viewBatchLine({ number, typed, shown, error }: BatchLineView): View {
  const name = text(`line ${number}`, 'dim');
  if (error !== undefined)
    return [
      line(name, text(wordFor(error), isPlain(error) ? 'dim' : 'bad'), nameText(typed)),
      shown?.brief === undefined && (shown?.blocks ?? []),
      !isPlain(error) && { kind: 'line', cells: [message(reasonOf(error))], indent: 2 },
    ];
  if (shown?.brief !== undefined)
    return line(name, shown.brief, shown.isEarlier && text('(earlier run)', 'dim'));
  return [line(name, nameText(typed, 'strong')), shown?.blocks ?? []];
}

/** Stopped by a signal before anything was sent. */
export const wasCanceled = (error: HedgeError): boolean =>
  error instanceof InterruptedError && error.effect === 'none';

export const reasonOf = (error: HedgeError): string =>
  wasCanceled(error) ? `${error.what} Nothing was sent for this line.` : error.what;

/** The word says it all. */
const isPlain = ({ code }: HedgeError): boolean => code === 'not_run' || code === 'declined';

const BY_CODE: Readonly<Record<string, string>> = {
  not_run: 'NOT RUN',
  declined: 'CANCELED',
  partial_fill: 'PARTIAL FILL',
  order_failed: 'FAILED',
};

function wordFor(error: HedgeError): string {
  const word = ownField(BY_CODE, error.code);
  if (word !== undefined) return word;
  if (wasCanceled(error)) return 'CANCELED';
  if (error.effect === 'unknown' || error.effect === 'pending') return error.effect.toUpperCase();
  if (error instanceof ConditionError) return 'NOT MET';
  if (error instanceof StoppedError || error instanceof UsageError) return 'BLOCKED';
  return error instanceof RefusedError ? 'REJECTED' : 'ERROR';
}

/** Totals of the dry run of a batch. */
export interface DryRunTotals {
  sides: readonly SideTotal[];
  returned: AmountReturned;
  left: AccountLeft | undefined;
  /** Actions, and those of them that would not execute. */
  actions: number;
  stopped: number;
  /** The first that exceeds headroom, capacity, balance or a limit. */
  tooLarge: { number: number; error: HedgeError } | undefined;
}

export function viewDryRun(totals: DryRunTotals): View {
  const { sides, returned, left, actions, stopped, tooLarge } = totals;
  if (actions === 0) return [];
  return [
    gap,
    line(text('DRY RUN', 'warn'), ': nothing was sent.'),
    sides.length > 0 && totalsTable(sides),
    returnedLine(returned),
    leftLine(left),
    stopped !== 0 && warnLine(`${stopped} of ${actions} actions would not execute.`),
    tooLarge !== undefined &&
      line(
        text('First line that does not fit:', 'warn'),
        `line ${tooLarge.number}:`,
        message(tooLarge.error.what),
        hintCell(inOneLine(tooLarge.error.hint)),
      ),
    dimLine(ASSUMED),
  ];
}

/** Totals of opens and adds, and of returned amounts. A single line needs none, unless earlier results are among the lines. */
export function viewRun({ sides, returned, anyEarlier }: RunTotals): View {
  const count = sides.reduce((all, { done, failed, pending }) => all + done + failed + pending, 0);
  const shown = count > 1 || anyEarlier ? sides : [];
  if (shown.length === 0 && returned.amount.eq(0)) return [];
  return [
    gap,
    shown.length > 0 && [
      resultsTable(shown),
      dimLine('This run only. Upfront as quoted, in proportion to what filled.'),
    ],
    returnedLine(returned),
  ];
}

function resultsTable(sides: readonly SideResult[]): Block {
  const anyPending = sides.some(({ pending }) => pending > 0);
  return tableOf(sides, [
    { header: 'OPENS + ADDS', show: sideCell },
    { header: 'DONE', align: 'right', show: ({ done }) => countCell(done) },
    { header: 'OPENED USD', align: 'right', show: ({ opened }) => usd(opened) },
    { header: 'UPFRONT USDC', align: 'right', show: ({ upfront }) => usd(upfront) },
    { header: 'NOT DONE', align: 'right', show: ({ failed }) => countCell(failed) },
    anyPending && { header: 'NO OUTCOME YET', align: 'right', show: ({ pending }) => countCell(pending) },
  ]);
}

const sideCell = ({ market, side }: { market: string; side: string }): Cell =>
  text(`${spelledName(market)} ${side}`);

export const ASSUMED =
  'Assumed: each line fills in full at its quoted price before the next; the mid does not move; nobody else trades.';

function returnedLine({ amount, feeKnown }: AmountReturned): View {
  const lacking = feeKnown ? '' : ', before the fee to close, which is not known yet';
  if (amount.eq(0)) return [];
  return line('Returned by reductions and closes:', usd(amount, 'USD'), `(estimate${lacking}).`);
}

export const leftLine = (left: AccountLeft | undefined): View =>
  left &&
  phraseLine`Left after it: headroom ${usd(left.available_exposure_usd, 'USD')}, balance ${usd(left.balance_usdc, 'USDC')}.`;

export const totalsTable = (sides: readonly SideTotal[], header = 'OPENS + ADDS'): Block =>
  tableOf(sides, [
    { header, show: sideCell },
    { header: 'LINES', align: 'right', show: ({ lines }) => countCell(lines) },
    { header: 'NOTIONAL USD', align: 'right', show: ({ notional }) => usd(notional) },
    { header: 'UPFRONT USDC', align: 'right', show: ({ upfront }) => usd(upfront) },
    { header: 'COST USDC', align: 'right', show: ({ cost }) => usd(cost) },
    { header: 'COST', align: 'right', show: (side) => known(side.cost, (paid) => bps(inBps(paid, side))) },
  ]);

const inBps = (paid: Big, { notional }: SideTotal): Big =>
  divide(paid.times(BPS_PER_UNIT), notional, BPS_PLACES);
