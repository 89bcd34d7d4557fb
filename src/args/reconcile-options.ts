/** Reads the arguments of `hedge reconcile`, and finance's own list of deals. */
import { Big } from 'big.js';
import { optionWords } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { readMoment } from './list-filter.ts';
import { filePath, isNot, parseDecimal, parsePlainDecimal } from './operands.ts';
import { longOption, optionText, type RawInput, readOption } from './option.ts';
import { readNote, savesReading } from './shared-options.ts';
import { readRowId, readSheet } from './spreadsheet.ts';

export type ReconcileIntent = ReturnType<typeof readReconcileIntent>;

const CENT = new Big('0.01');

export function readReconcileIntent(raw: RawInput) {
  const against = readOption(raw, 'against', filePath);
  const note = readNote(raw);
  const saves = savesReading(raw);
  if (note !== undefined && !saves)
    throw new UsageError('A note is kept in the journal: --note and --no-save exclude each other.');
  return {
    /** Deal IDs and hedge IDs; empty: all. */
    words: raw.operands,
    since: readMoment(optionText(raw, 'since') ?? '7d', '--since'),
    /** The path of finance's list. */
    against,
    /** Differences up to these are none. USD, and quote currency per USDT. */
    tolerance: {
      usd: readOption(raw, 'toleranceUsd', readTolerance) ?? CENT,
      rate: readOption(raw, 'toleranceRate', readTolerance) ?? CENT,
    },
    saves,
    /** The options that decide the comparison, as they were given. */
    compares: COMPARES.flatMap((name) => optionWords(longOption(name), optionText(raw, name))),
    /** Why the breaks that are shown are right. */
    note,
  };
}

const COMPARES = ['since', 'against', 'toleranceUsd', 'toleranceRate'];

function readTolerance(text: string, option: string): Big {
  const amount = parsePlainDecimal(text);
  if (amount !== undefined) return amount;
  throw isNot(text, `an amount (${option})`, `${option} 0.01`);
}

export interface FinanceDeal {
  /** Line of the file, from 1: the header is one. */
  line: number;
  dealId: string;
  notional: Big;
  /** Quote currency per USDT. */
  rate: Big;
}

export interface FinanceList {
  path: string;
  deals: readonly FinanceDeal[];
}

/** @throws UsageError that has the right header, or names the wrong rows. */
export function readFinanceList(content: string, path: string): FinanceList {
  const { rows, rejectWrong } = readSheet(content, {
    path,
    columns: ['deal_id', 'notional_usd', 'rate'],
    amounts: ['notional_usd', 'rate'],
    example: 'ID-1,"10,000.00",1532.71',
    meaning: 'Nothing was compared.',
  });
  const lines = new Map<string, number>();
  const deals = rows.flatMap(({ line, value, reject }): FinanceDeal[] => {
    const dealId = value('deal_id', readRowId);
    const notional = value('notional_usd', (text) => readFigure(text, 'notional'));
    const rate = value('rate', (text) => readFigure(text, 'rate'));
    const twin = lines.get(dealId ?? '');
    if (twin !== undefined) reject(`the deal ID is that of line ${twin}.`);
    if (!dealId || !notional || !rate) return [];
    lines.set(dealId, line);
    return [{ line, dealId, notional, rate }];
  });
  rejectWrong();
  return { path, deals };
}

/** Any number of decimals; `USD 10,000.00` too. @throws UsageError */
function readFigure(text: string, name: string): Big {
  const value = parseDecimal(text.replace(/^USD *| *USD$/gi, ''));
  if (value?.gt(0) === true) return value;
  const ofSettled =
    value?.eq(0) === true && name === 'notional' ? '; of a settled deal, the size that settled' : '';
  throw new UsageError(
    `${quoted(text)} is not a ${name}: write ${name === 'rate' ? '1522.68' : '10,000.00'}${ofSettled}.`,
  );
}
