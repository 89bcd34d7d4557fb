/**
 * How much a reduction takes and what it leaves of each hedge. Refuses what cannot be worked out from a whole
 * reading of the side, or is more than there is. Pure.
 */
import type { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { isAboutEverything, scaleDown, shareOf, usdInWords } from '../../domain/exposure.ts';
import { quoted, quotedName, unquoted } from '../../domain/quoted.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { type OwnCode, StoppedError } from '../../errors.ts';
import type { Reduction } from '../../intent/action-intent.ts';
import type { SideBook } from './plan-side.ts';

export interface HedgeChange {
  id: string;
  before: Big;
  after: Big;
}

export interface PlannedReduction {
  /** USD to come off, as it is sent: two decimals, or more where an exact rest asks for them. */
  notional: Big;
  /** About everything (99 % or more): the service closes the side (specification §3). */
  closesSide: boolean;
  /** USD left; undefined when what is open is not known. */
  left: Big | undefined;
  /** By hedge; undefined when what is open is not known. */
  hedges: readonly HedgeChange[] | undefined;
}

/** @throws StoppedError when nothing is open, more than the position is asked, or a part of an unknown whole. */
export function planReduction(reduction: Reduction, book: SideBook): PlannedReduction {
  if (book.inPositions === false) throw nothingOpen(book);
  if (book.total === undefined) return withoutTotal(reduction, book);
  if (book.total.eq(0)) throw nothingOpen(book);
  const total = book.total;
  const notional = takenFrom(total, reduction, book);
  if (notional.gt(total))
    throw stopped(book, 'more_than_open', {
      what: `${usdInWords(notional)} is more than the ${usdInWords(total)} open on ${unquoted(book.market)} ${book.side}.`,
      hint: `hedge close ${book.market} ${book.side} takes all of it.`,
    });
  const closesSide = isAboutEverything(notional, total);
  const sizes = book.open.map((hedge) => hedge.notional);
  const rest = closesSide ? sizes.map((size) => size.minus(size)) : scaleDown(sizes, notional);
  return {
    notional,
    closesSide,
    left: closesSide ? total.minus(total) : total.minus(notional),
    hedges: book.open.map(({ id, notional: before }, at) => ({ id, before, after: rest[at] ?? before })),
  };
}

function takenFrom(total: Big, reduction: Reduction, book: SideBook): Big {
  switch (reduction.by) {
    case 'notional':
      return reduction.notional;
    case 'percent': {
      const part = shareOf(total, reduction.percent);
      if (part.gt(0)) return part;
      throw stopped(book, 'nothing_to_reduce', {
        what: `${reduction.percent.toFixed()} % of ${usdInWords(total)} is less than a cent.`,
      });
    }
    case 'target':
      if (reduction.target.lt(total)) return total.minus(reduction.target);
      throw stopped(book, 'nothing_to_reduce', {
        what: `${unquoted(book.market)} ${book.side} is ${usdInWords(total)}, not above ${usdInWords(reduction.target)}: nothing is to come off.`,
      });
    default:
      return reduction satisfies never;
  }
}

/** A plain notional can be asked of the service all the same; a part or a target of an unknown whole cannot. */
function withoutTotal(reduction: Reduction, book: SideBook): PlannedReduction {
  if (reduction.by === 'notional')
    return { notional: reduction.notional, closesSide: false, left: undefined, hedges: undefined };
  const option = reduction.by === 'percent' ? '--by' : '--to';
  throw stopped(book, 'book_unclear', {
    what: `${option} needs to know what is open, and that cannot be told: ${book.unclear ?? 'the book could not be read whole'}.`,
    hint: `Say the notional: hedge reduce ${book.market} ${book.side} NOTIONAL (hedge positions shows the side).`,
  });
}

/** Nothing is open on the side; all that may still fill is named, and the last of it waited for. */
export function nothingOpen(book: SideBook): StoppedError {
  const place = `${unquoted(book.market)} ${book.side}`;
  const [newest] = book.coming;
  if (newest === undefined)
    return stopped(book, 'no_open_hedge', {
      what: `Nothing is open on ${place}.`,
      hint: 'See hedge positions.',
    });
  return stopped(book, 'in_flight', {
    what: `Nothing is open on ${place} yet: ${comingInWords(book.coming)} may fill.`,
    hint: `Wait for ${book.coming.length === 1 ? 'it' : 'the last of them'}: hedge wait ${shellWord(newest.id)}`,
  });
}

const MOST_NAMED = 5;

/** `hedge "hdg_C" (submitted, 5,000.00 USD)`; of many their number and sum. */
function comingInWords(coming: SideBook['coming']): string {
  const total = usdInWords(sum(coming.map(({ notional }) => notional)));
  if (coming.length > MOST_NAMED) return `${coming.length.toString()} hedges, ${total} in all,`;
  const named = coming.map(
    ({ id, status, notional }) => `hedge ${quotedName(id)} (${quoted(status)}, ${usdInWords(notional)})`,
  );
  return coming.length === 1 ? named.join() : `${named.join(', ')}, ${total} in all,`;
}

const stopped = (book: SideBook, code: OwnCode, says: { what: string; hint?: string }): StoppedError =>
  new StoppedError({
    code,
    ...says,
    book: 'Nothing was sent.',
    details: { market: book.market, side: book.side, open_usd: book.total ?? null },
  });
