/** Reads the arguments of `hedge quote`: one hedge, or a grid of sides, sizes and tenors. */
import type { Big } from 'big.js';
import { say, shell, step } from '../domain/hint.ts';
import type { GridIntent, QuoteIntent, UnsizedQuote } from '../domain/quote-intent.ts';
import { quoted, unquoted } from '../domain/quoted.ts';
import { SIDES, type Side, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  isNot,
  readBps,
  readMarket,
  readMostBps,
  readNotional,
  readPrice,
  readSide,
  readTenors,
} from './operands.ts';
import { longOption, optionGiven, optionText, type RawInput, readOption } from './option.ts';
import { readSideWords } from './side-words.ts';
import { readSizing } from './sizing.ts';

export function readQuoteIntent(raw: RawInput): QuoteIntent | UnsizedQuote | GridIntent {
  const markupBps = readOption(raw, 'markupBps', readMarkup);
  const sizes = optionText(raw, 'sizes');
  if (sizes !== undefined || optionText(raw, 'sides') !== undefined)
    return checkCount({
      ...readGrid(raw, sizes),
      tenors: readOption(raw, 'tenor', readTenors) ?? TENORS,
      markupBps,
    });
  const { market, side } = readSideWords('quote', raw);
  const [, , typed] = raw.operands;
  const sizing = readSizing(raw, { market, line: shell`hedge quote ${market} ${side}` });
  if (typed === undefined && sizing === undefined)
    throw new UsageError('Missing: the notional.', step(shell`hedge quote ${market} ${side} NOTIONAL`));
  if (optionGiven(raw, 'curve')) {
    if ((optionText(raw, 'worstPrice') ?? optionText(raw, 'maxCostBps')) !== undefined)
      throw new UsageError(
        '--curve and a price limit exclude each other.',
        'Leave out the limit, or --curve.',
      );
    if (markupBps !== undefined) throw new UsageError('--curve has no markup.', 'Leave out --markup-bps.');
    if (typed === undefined)
      throw new UsageError(
        '--curve needs a notional.',
        step(shell`hedge quote ${market} ${side} 50k --curve`),
      );
    return { market, side, notional: readNotional(typed), tenors: [curveTenor(raw)], curve: true };
  }
  const terms = {
    market,
    side,
    tenors: readOption(raw, 'tenor', readTenors) ?? TENORS,
    markupBps,
    worstPrice: readOption(raw, 'worstPrice', readPrice),
    maxCostBps: readOption(raw, 'maxCostBps', readMostBps),
  };
  if (sizing !== undefined) return { ...terms, sizing };
  return { ...terms, notional: readNotional(typed ?? '') };
}

/** A curve has one tenor: the shortest by default. */
function curveTenor(raw: RawInput): Tenor {
  const [first, another] = readOption(raw, 'tenor', readTenors) ?? [TENORS[0]];
  if (first !== undefined && another === undefined) return first;
  throw new UsageError('--curve takes one tenor.', '--curve --tenor 3');
}

/** A sell's rate is the break-even less the markup: it stays above zero. */
const MARKUP_BELOW_BPS = 10_000;

function readMarkup(text: string, option: string): Big {
  const markup = readBps(text, option);
  if (markup.lt(0) || markup.gte(MARKUP_BELOW_BPS))
    throw isNot(text, `a markup (${option})`, `Use basis points from 0 to below 10000: ${option} 35`);
  return markup;
}

/** Options of one quote; a grid has many. */
const NOT_IN_A_GRID = ['curve', 'worstPrice', 'maxCostBps', 'watch', 'ngn', 'max'] as const;

const GRID = shell`--sides buy,sell --sizes 50k,100k --tenor all`;

/** MARKET is an operand; the sides and sizes replace SIDE and NOTIONAL. Without --sides: both. */
function readGrid(raw: RawInput, sizesText: string | undefined) {
  const { operands, options } = raw;
  const [market, ...more] = operands;
  const place = market === undefined ? 'MARKET' : readMarket(market);
  const line = shell`hedge quote ${place} ${GRID}`;
  if (market === undefined) throw new UsageError('Missing: the market.', step(line));
  if (more.length > 0)
    throw new UsageError(
      `A grid takes --sides and --sizes instead of ${more.map(unquoted).join(' ')}.`,
      say`Use one of: ${line}, or ${shell`hedge quote ${place} SIDE NOTIONAL`}`,
    );
  const other = NOT_IN_A_GRID.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(`A grid has no ${longOption(other)}.`, `Leave out ${longOption(other)}.`);
  if (sizesText === undefined) throw new UsageError('Missing --sizes: the sizes in USD.', step(line));
  return {
    market: readMarket(market),
    sides: readOption(raw, 'sides', readSides) ?? SIDES,
    sizes: readSizes(sizesText),
  };
}

/** So that a grid takes seconds, and leaves room under the rate limit. */
const MOST_QUOTES = 60;

function checkCount(grid: GridIntent): GridIntent {
  const { sides, sizes, tenors } = grid;
  const count = sides.length * sizes.length * tenors.length;
  if (count <= MOST_QUOTES) return grid;
  throw new UsageError(
    `${sides.length} sides × ${sizes.length} sizes × ${tenors.length} tenors are ${count} quotes; a grid has at most ${MOST_QUOTES}.`,
    'Give fewer sizes or tenors. Nothing was requested.',
  );
}

function readSides(text: string): readonly Side[] {
  const given = text.split(',').map(readSide);
  return SIDES.filter((side) => given.includes(side));
}

/** `50k,100k`: ascending, none twice. Digits that may be one number with a thousands comma are refused. */
function readSizes(text: string): readonly Big[] {
  const items = text.split(',');
  const isSplit = items.some(
    (item, at) => /^\d{3}(?:\.\d+)?$/.test(item) && /^\d{1,3}$/.test(items[at - 1] ?? ''),
  );
  if (isSplit)
    throw new UsageError(
      `${quoted(text)} may be sizes or a number with a thousands comma (--sizes).`,
      'Write sizes without thousands commas: --sizes 50k,100k or --sizes 50000,100000',
    );
  const sizes = items.map(readNotional).toSorted((one, another) => one.cmp(another));
  return sizes.filter((size, at) => at === 0 || !size.eq(sizes[at - 1] ?? 0));
}
