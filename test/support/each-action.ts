/**
 * Every action as one line each: the tests that hold for all of them run over this table, and a new action gets
 * them all by adding its line. Notionals in USD, on the buy side of the practice service's market.
 */
import type { ChangePath, ServedBook } from './served-book.ts';

export interface EachAction {
  name: 'open' | 'add' | 'reduce' | 'close';
  /** What is typed, without options. */
  line: string;
  path: ChangePath;
  /** How it ends when it goes as asked. */
  outcome: string;
  /** Open on the side before it, and once it is done. */
  before: number;
  after: number;
}

export const EACH_ACTION: readonly EachAction[] = [
  {
    name: 'open',
    line: 'open USDTNGN buy 10000 --tenor 3',
    path: '/hedges',
    outcome: 'filled',
    before: 0,
    after: 10_000,
  },
  {
    name: 'add',
    line: 'add USDTNGN buy 5000',
    path: '/hedges/add',
    outcome: 'changed',
    before: 10_000,
    after: 15_000,
  },
  {
    name: 'reduce',
    line: 'reduce USDTNGN buy 4000',
    path: '/hedges/reduce',
    outcome: 'changed',
    before: 10_000,
    after: 6_000,
  },
  {
    name: 'close',
    line: 'close USDTNGN buy',
    path: '/hedges/close',
    outcome: 'closed',
    before: 10_000,
    after: 0,
  },
];

/** The words of an action, with options. */
export const wordsOf = (action: EachAction, options = '--yes --json'): readonly string[] =>
  `${action.line} ${options}`.split(' ').filter((word) => word !== '');

/** A fresh book on which the action can be done. */
export async function bookFor(
  served: ServedBook,
  action: EachAction,
  book: 'live' | 'test' = 'test',
): Promise<void> {
  await served.reset();
  if (action.before > 0) await served.opened('buy', action.before, book);
}
