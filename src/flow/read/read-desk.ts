/**
 * What the screen of a desk shows, read in one turn: markets, account and book from the service, all at once, and
 * the open actions of this machine's journal. Sends nothing that changes the book.
 */
import type { Account, Market, Position } from '../../client/schemas.ts';
import { SIDES, type Side } from '../../domain/vocabulary.ts';
import type { PriceMemory, SeenPrice } from '../../memory/prices.ts';
import { lateNews } from '../evidence/late-news.ts';
import type { Looking } from '../looking.ts';
import { readSide, type SideHedge } from '../plan/plan-side.ts';
import { settleProvisional } from '../settle/settle-due.ts';
import { marketNotFound } from './known-market.ts';
import { readBook } from './read-book.ts';
import { glanceAtJournal, type JournalGlance } from './read-journal.ts';

export interface DeskMarket {
  market: Market;
  /** Mids since this process began, oldest first, the present one the last. */
  seen: readonly SeenPrice[];
}

export interface RunningHedge extends SideHedge {
  market: string;
  side: Side;
}

export interface DeskReading {
  markets: readonly DeskMarket[];
  account: Account;
  positions: readonly Position[];
  /** Open hedges whose maturity is known, the next first. */
  maturing: readonly RunningHedge[];
  journal: JournalGlance;
  servedAt: Date;
}

/** `named`: the markets to show, in capitals; none: all of the account. */
export async function readDesk(
  looking: Looking,
  { memory, named }: { memory: PriceMemory; named: readonly string[] },
): Promise<DeskReading> {
  const { api, signal } = looking;
  const reading = [api.markets({ signal }), api.account({ signal }), readBook(looking)] as const;
  // Nothing is still under way when one of them fails: the next turn is not to overlap this one.
  await Promise.allSettled(reading);
  const [markets, account, book] = await Promise.all(reading);
  const unknown = named.find((name) => !markets.data.some(({ market }) => market === name));
  if (unknown !== undefined)
    throw marketNotFound(
      unknown,
      markets.data.map(({ market }) => market),
    );
  await lateNews(book.hedges, looking);
  await settleProvisional(looking);
  const shown = markets.data.filter(({ market }) => named.length === 0 || named.includes(market));
  const sides = [...new Set(book.hedges.map(({ market }) => market))].flatMap((market) =>
    SIDES.map((side) => ({ market, side })),
  );
  const running = sides.flatMap((on) => readSide(on, book).open.map((hedge) => ({ ...hedge, ...on })));
  return {
    markets: shown.map((market) => ({ market, seen: memory.sinceStart(market.market) })),
    account: account.data,
    positions: book.positions,
    maturing: running
      .filter(({ maturityAt }) => maturityAt !== undefined)
      .toSorted((one, other) => Date.parse(one.maturityAt ?? '') - Date.parse(other.maturityAt ?? '')),
    journal: glanceAtJournal(looking.journal),
    servedAt: markets.servedAt ?? book.servedAt,
  };
}
