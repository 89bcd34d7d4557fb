/** Reads the arguments of `hedge what-if`: rates or moves, and when the hedges end. */
import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import {
  hasDecimals,
  oneOf,
  optionText,
  parsePlainDecimal,
  type RawInput,
  readMarket,
  readPrice,
} from './operands.ts';
import { type Given, readOptions } from './option.ts';

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

function readRates(text: string): Assumption {
  const [from = '', to, more] = text.split('..');
  if (to === undefined) return { kind: 'rates', rates: [readPrice(from, '--rate')] };
  if (more !== undefined) throw notARange('--rate', text);
  const range = { from: readPrice(from, '--rate'), to: readPrice(to, '--rate') };
  if (range.from.gte(range.to)) throw notARange('--rate', text);
  return { kind: 'rate range', ...range };
}

function readMoves(text: string | undefined): Assumption {
  if (text === undefined) throw new UsageError('Missing --rate or --move: the rates to project at.', HINT);
  const [from = '', to, more] = text.split('..');
  if (to === undefined) return { kind: 'moves', moves: from.split(',').map(readMove) };
  if (more !== undefined) throw notARange('--move', text);
  const range = { from: readMove(from), to: readMove(to) };
  if (range.from.gte(range.to)) throw notARange('--move', text);
  return { kind: 'move range', ...range };
}

const notARange = (option: string, text: string): UsageError =>
  new UsageError(`${quoted(text)} is not a range (${option}).`, say`Use the lower end first. ${HINT}`);

const SIGNS: Readonly<Record<string, number>> = { '+': 1, '-': -1 };
const MOVE_DECIMALS = 4;
const MOST_MOVES = 20;

/** Above −100 % and up to 1,000 %. The % sign is required: a bare 10 may mean naira. */
function readMove(text: string, _at?: number, all?: readonly string[]): Big {
  if (all !== undefined && all.length > MOST_MOVES)
    throw new UsageError(`--move takes at most ${MOST_MOVES} moves.`, 'For more: --move -10%..+30%');
  const sign = ownField(SIGNS, text.charAt(0));
  const size = text.endsWith('%') ? parsePlainDecimal(text.slice(sign === undefined ? 0 : 1, -1)) : undefined;
  const move = size?.times(sign ?? 1);
  if (move === undefined || !hasDecimals(move, MOVE_DECIMALS) || move.lte(-100) || move.gt(1_000))
    throw new UsageError(
      `${quoted(text)} is not a move in percent (--move).`,
      say`Use a percentage above -100 % and up to 1000 %, with the % sign; + is more naira per USDT. ${HINT}`,
    );
  return new Big(move);
}
