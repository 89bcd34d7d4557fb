/** Reads the arguments of `hedge what-if`: rates or moves, and when the hedges end. */
import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, isNot, oneOf, parsePlainDecimal, readMarket, readPrice } from './operands.ts';
import { type Given, optionText, type RawInput, readOptions } from './option.ts';

/** Points for a table, or a range for a curve. */
export type Assumption =
  /** Quote currency per USDT. */
  | { kind: 'rates'; rates: readonly Big[] }
  | { kind: 'rate range'; from: Big; to: Big }
  /** Percent of the mid; positive: more naira per USDT. */
  | { kind: 'moves'; moves: readonly Big[] }
  | { kind: 'move range'; from: Big; to: Big };

const EXITS = ['now', 'maturity'] as const;
/** Whether every hedge is closed now, or held until it settles. */
export type Exit = (typeof EXITS)[number];

export const WHAT_IF_OPTIONS = {
  rate: { flags: '--rate <rate>', summary: 'rate in naira per USDT, or a range: 1400..1700' },
  move: {
    flags: '--move <moves>',
    summary: 'moves in percent of the mid: -10%,+30%, or a range: -10%..+30%',
  },
  at: {
    flags: '--at <when>',
    summary: 'close every hedge now (default), or hold each to maturity',
    completes: { words: EXITS },
    read: (text: string): Exit => oneOf(EXITS, text, 'now or maturity (--at)', '--at maturity'),
  },
  market: {
    flags: '--market <market>',
    summary: 'needed if hedges are open in several markets',
    read: readMarket,
  },
} as const;

/** Without a market: that of the open hedges. */
export interface WhatIfIntent extends Pick<Given<typeof WHAT_IF_OPTIONS>, 'market'> {
  assumption: Assumption;
  exit: Exit;
}

const HINT = say`Examples: ${shell`hedge what-if --rate 1600`}, ${shell`hedge what-if --rate 1400..1700`}, ${shell`hedge what-if --move -10%,+30%`}`;

export function readWhatIfIntent(raw: RawInput): WhatIfIntent {
  const rate = optionText(raw, 'rate');
  const move = optionText(raw, 'move');
  if (rate !== undefined && move !== undefined)
    throw new UsageError('--rate and --move exclude each other.', HINT);
  const assumption = rate === undefined ? readMoves(move) : readRates(rate);
  const { at, market } = readOptions(WHAT_IF_OPTIONS, raw);
  return { assumption, exit: at ?? 'now', market };
}

const readRate = (text: string): Big => readPrice(text, '--rate');

function readRates(text: string): Assumption {
  const range = readRange('--rate', text, readRate);
  return range === undefined ? { kind: 'rates', rates: [readRate(text)] } : { kind: 'rate range', ...range };
}

function readMoves(text: string | undefined): Assumption {
  if (text === undefined) throw new UsageError('Missing --rate or --move: the rates to project at.', HINT);
  const range = readRange('--move', text, readMove);
  if (range !== undefined) return { kind: 'move range', ...range };
  const moves = text.split(',');
  if (moves.length > MOST_MOVES)
    throw new UsageError(`--move takes at most ${MOST_MOVES} moves.`, 'For more: --move -10%..+30%');
  return { kind: 'moves', moves: moves.map(readMove) };
}

/** `1400..1700`; undefined for points. */
function readRange(option: string, text: string, read: (end: string) => Big) {
  const [low = '', high, more] = text.split('..');
  if (high === undefined) return undefined;
  const range = more === undefined ? { from: read(low), to: read(high) } : undefined;
  if (range?.from.lt(range.to) === true) return range;
  throw isNot(text, `a range (${option})`, say`Use the lower end first. ${HINT}`);
}

const SIGNS: Readonly<Record<string, number>> = { '+': 1, '-': -1 };
const MOVE_DECIMALS = 4;
const MOST_MOVES = 20;

/** Above −100 % and up to 1,000 %. The % sign is required: a bare 10 may mean naira. */
function readMove(text: string): Big {
  const sign = ownField(SIGNS, text.charAt(0));
  const size = text.endsWith('%') ? parsePlainDecimal(text.slice(sign === undefined ? 0 : 1, -1)) : undefined;
  const move = size?.times(sign ?? 1);
  if (move === undefined || !hasDecimals(move, MOVE_DECIMALS) || move.lte(-100) || move.gt(1_000))
    throw isNot(
      text,
      'a move in percent (--move)',
      say`Use a percentage above -100 % and up to 1000 %, with the % sign; + is more naira per USDT. ${HINT}`,
    );
  return new Big(move);
}
