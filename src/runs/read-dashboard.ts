/** Reads what the live dashboard shows: markets, account, positions, and open actions of the journal. */

import type { PriceCache, SeenPrice } from '../cache/seen-prices.ts';
import type { Account, Market, Position } from '../client/schemas.ts';
import type { Side } from '../domain/vocabulary.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { type JournalSummary, summarizeJournal } from '../readings/read-journal.ts';
import { readPositionFacts } from '../readings/read-position.ts';
import { marketNotFound } from '../readings/read-prices.ts';
import { everySide, mayLackOpen, type SideHedge } from '../readings/side-position.ts';
import { finishedInBackground } from '../trading/follow/finished-in-background.ts';
import { confirmProvisional } from '../trading/follow/lookups.ts';

export interface DashboardMarket {
  market: Market;
  /** Mids since this process started, oldest first, the current one last. */
  seen: readonly SeenPrice[];
}

export interface HedgeToMature extends SideHedge {
  market: string;
  side: Side;
  maturityAt: string;
}

export interface DashboardReading {
  markets: readonly DashboardMarket[];
  account: Account;
  positions: readonly Position[];
  /** Open hedges whose maturity is known, the next first. */
  maturing: readonly HedgeToMature[];
  /** The service may have more hedges than it listed. */
  mayBeCut: boolean;
  journal: JournalSummary;
  servedAt: Date;
}

/** `named`: the markets to show, in capitals; empty: all markets of the account. */
export async function readDashboard(
  context: ReadContext,
  { memory, named }: { memory: PriceCache; named: readonly string[] },
): Promise<DashboardReading> {
  const { api, signal } = context;
  const reading = [
    api.markets({ signal }),
    api.account({ signal }),
    readPositionFacts(context),
    context.journal.latest(),
  ] as const;
  // A failure waits for the other readings, so that the next refresh does not overlap this one.
  await Promise.allSettled(reading);
  const [markets, account, positionFacts] = await Promise.all(reading);
  const unknown = named.find((name) => !markets.data.some(({ market }) => market === name));
  if (unknown !== undefined) throw marketNotFound(unknown, markets.data);
  await finishedInBackground(positionFacts.hedges, context);
  await confirmProvisional(context);
  const shown = markets.data.filter(({ market }) => named.length === 0 || named.includes(market));
  const running = everySide(positionFacts).flatMap(({ market, side, open }) =>
    open.map((hedge) => ({ ...hedge, market, side })),
  );
  return {
    markets: shown.map((market) => ({ market, seen: memory.sinceStart(market.market) })),
    account: account.data,
    positions: positionFacts.positions,
    maturing: running
      .flatMap(({ maturityAt, ...hedge }) => (maturityAt === undefined ? [] : [{ ...hedge, maturityAt }]))
      .toSorted((one, other) => Date.parse(one.maturityAt) - Date.parse(other.maturityAt)),
    mayBeCut: mayLackOpen(positionFacts),
    journal: summarizeJournal(context.journal, {
      nowMs: context.clock.now(),
      servedMs: positionFacts.servedAt.getTime(),
      servedTo: context.identity,
    }),
    servedAt: markets.servedAt ?? positionFacts.servedAt,
  };
}
