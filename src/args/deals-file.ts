/** Reads the arguments of `hedge deals`, and a deals file: one open per row, from a spreadsheet or from `hedge cover`. */
import type { Big } from 'big.js';
import { say, shell } from '../domain/hint.ts';
import type { PriceBounds } from '../domain/price-bounds.ts';
import { quoted, quotedName } from '../domain/quoted.ts';
import { similarForm } from '../domain/similar-ids.ts';
import { isNairaMarket, type Side, type Tenor } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readActionOptions } from './action-options.ts';
import {
  isNot,
  readDealId,
  readMarket,
  readMostBps,
  readNotional,
  readPrice,
  readSide,
  readTenor,
} from './operands.ts';
import { optionGiven, type RawInput } from './option.ts';
import { readNote } from './shared-options.ts';
import { readNaira } from './sizing.ts';
import { readSheet, type SheetRow } from './spreadsheet.ts';

export type DealsIntent = ReturnType<typeof readDealsIntent>;

/** `file`: a path. `retryFailed`: opens again under a deal ID whose order failed. */
export function readDealsIntent(raw: RawInput) {
  const [file = ''] = raw.operands;
  if (file.trim() === '')
    throw new UsageError('The file name is empty.', say`Example: ${shell`hedge deals check deals.csv`}`);
  return { file, retryFailed: optionGiven(raw, 'retryFailed'), options: readActionOptions(raw) };
}

/** USD, or naira to cover. */
type DealSize = { notional: Big } | { ngn: Big };

export interface DealRow {
  /** Line of the file, from 1: the header is one. */
  line: number;
  dealId: string;
  /** In capitals; undefined: the only market of the account. */
  market: string | undefined;
  side: Side;
  size: DealSize;
  tenor: Tenor;
  bounds: PriceBounds;
  note: string | undefined;
}

const DEAL_FILE_COLUMNS = [
  'deal_id',
  'market',
  'side',
  'notional_usd',
  'ngn',
  'tenor_days',
  'worst_price',
  'max_cost_bps',
  'note',
] as const;
type DealColumn = (typeof DEAL_FILE_COLUMNS)[number];

const OPTIONAL: readonly DealColumn[] = ['market', 'ngn', 'worst_price', 'max_cost_bps', 'note'];
const EXAMPLE = 'PAY-8841,USDTNGN,buy,"10,000.00",3,1535,,supplier 14 Dec';
export const NOTHING_SENT = 'No row was sent.';
/** A run of more would take more than a few minutes at the usual rate limits. */
const MOST_DEALS = 2_000;

export interface DealsFile {
  path: string;
  deals: readonly DealRow[];
  /** Columns that are not read. */
  ignored: readonly string[];
  /** Deal IDs that a spreadsheet may have made of something else. */
  dates: readonly string[];
}

/**
 * It may have no rows: `hedge cover` writes it so if no deal is missing.
 * @throws UsageError that has the right header, or names the wrong rows.
 */
export function readDeals(content: string, path: string): DealsFile {
  const { rows, ignored, rejectWrong } = readSheet(content, {
    path,
    columns: DEAL_FILE_COLUMNS,
    optional: OPTIONAL,
    amounts: ['notional_usd', 'ngn', 'worst_price', 'max_cost_bps'],
    either: ['notional_usd', 'ngn'],
    example: EXAMPLE,
    meaning: NOTHING_SENT,
  });
  const rowOf = new Map<string, DealRow>();
  for (const row of rows) {
    const deal = readRow(row);
    const form = similarForm(deal?.dealId ?? '');
    const earlier = rowOf.get(form);
    if (deal === undefined) continue;
    if (earlier === undefined) rowOf.set(form, deal);
    else if (earlier.dealId === deal.dealId)
      row.reject(`the deal ID ${quotedName(deal.dealId)} is on line ${earlier.line} too.`);
    else
      row.reject(
        `the deal ID ${quotedName(deal.dealId)} looks like ${quotedName(earlier.dealId)} on line ${earlier.line}.`,
      );
  }
  rejectWrong();
  const deals = [...rowOf.values()];
  if (deals.length > MOST_DEALS)
    throw new UsageError(
      `${quoted(path)} has ${deals.length} deals; at most ${MOST_DEALS} run at once. ${NOTHING_SENT}`,
      'Split the file.',
    );
  return {
    path,
    deals,
    ignored,
    dates: deals.map(({ dealId }) => dealId).filter((id) => LIKE_A_DATE.test(id)),
  };
}

/** `12-Mar`, `Mar-26`, `03/12/2026`: what Excel makes of `MAR12` or `12-3`. */
const LIKE_A_DATE =
  /^(?:\d{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:-\d\d(?:\d\d)?)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4})$/i;

/** `1.23E+11`: the digits are lost. */
const LOST_DIGITS = /^\d(?:[.,]\d+)?E\+\d+$/i;
const ANY_DATE = /^(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[34567]\d{4})$/;

/** Undefined for a row that is rejected. */
function readRow(row: SheetRow): DealRow | undefined {
  const cell = <Value>(name: DealColumn, read: (text: string) => Value): Value | undefined => {
    if (row.cell(name) !== '') return row.value(name, read);
    return OPTIONAL.includes(name) ? undefined : row.reject(`${name} is empty.`);
  };
  const readSize = (): DealSize | undefined => {
    const [hasUsd, hasNaira] = [row.cell('notional_usd') !== '', row.cell('ngn') !== ''];
    if (hasUsd && hasNaira) return row.reject('it has notional_usd and ngn: give one of them.');
    if (!hasUsd && !hasNaira) return row.reject('it has no size: give notional_usd or ngn.');
    const notional = hasUsd ? cell('notional_usd', readNotional) : undefined;
    const ngn = hasNaira ? cell('ngn', (text) => readNaira(text)) : undefined;
    return notional === undefined ? ngn && { ngn } : { notional };
  };
  const dealId = cell('deal_id', readWholeId);
  const market = cell('market', readMarket);
  const side = cell('side', readSide);
  const size = readSize();
  if (size !== undefined && 'ngn' in size && market !== undefined && !isNairaMarket(market))
    row.reject(`ngn: ${market} is not quoted in naira.`);
  const tenor = cell('tenor_days', readTenorCell);
  const worstPrice = cell('worst_price', (text) => readPrice(text, 'worst_price'));
  const maxCostBps = cell('max_cost_bps', (text) => readMostBps(text, 'max_cost_bps'));
  const note = cell('note', (text) => readNote({ operands: [], options: { note: text } }));
  if (row.isRejected() || !dealId || !side || !size || !tenor) return undefined;
  return { line: row.line, dealId, market, side, size, tenor, bounds: { worstPrice, maxCostBps }, note };
}

function readWholeId(text: string): string {
  if (LOST_DIGITS.test(text))
    throw new UsageError(
      `${quoted(text)} is a long number that the spreadsheet has shortened.`,
      'Format the column as text, and enter the deal IDs again.',
    );
  return readDealId(text);
}

function readTenorCell(text: string): Tenor {
  if (ANY_DATE.test(text))
    throw new UsageError(`${quoted(text)} is a date.`, 'Write the days to maturity: 1, 3 or 7.');
  try {
    return readTenor(text);
  } catch {
    throw isNot(text, 'a tenor', 'Write 1, 3 or 7.');
  }
}
