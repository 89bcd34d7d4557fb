/** Which market: the account's own list, live. A market that takes nothing new is shown and cannot be chosen. */
import type { Market } from '../client/schemas.ts';
import { ownField } from '../domain/fields.ts';
import { StoppedError } from '../errors.ts';
import { guardMarket } from '../flow/guard/guard.ts';
import { stopFrom } from '../flow/guard/stop.ts';
import { type Cell, nameText, text } from '../present/blocks.ts';
import { rate, usd } from '../present/views/cells.ts';
import type { Asking } from './asking.ts';
import { chooseRow } from './choose.ts';

const COLUMNS = [
  { header: 'MARKET' },
  { header: 'MID', align: 'right' },
  { header: 'BUY UP TO USD', align: 'right' },
  { header: 'SELL UP TO USD', align: 'right' },
  { header: 'STATUS' },
] as const;

/** @throws StoppedError when none can be chosen. */
export async function askMarket(markets: readonly Market[], asking: Asking): Promise<Market> {
  const choices = markets.map((market) => ({ value: market, stop: stopIn(market.market, market, asking) }));
  if (choices.every(({ stop }) => stop !== undefined)) throw choices[0]?.stop ?? noMarket();
  const rows = markets.map(({ market, price, available_capacity_usd: capacity, status }): readonly Cell[] => [
    nameText(market),
    rate(price),
    usd(capacity.buy),
    usd(capacity.sell),
    text(status),
  ]);
  return chooseRow(
    asking,
    { message: 'Market', otherwise: 'hedge open MARKET SIDE NOTIONAL --tenor DAYS' },
    {
      table: { kind: 'table', columns: COLUMNS, rows },
      choices: choices.map(({ value, stop }) => ({
        value,
        ...(stop === undefined ? {} : { disabled: ownField(WHY, stop.code) ?? '(cannot be dealt)' }),
      })),
    },
  );
}

/** The market that was named. @throws StoppedError when the account has none of that name, or it takes nothing new. */
export function namedMarket(name: string, markets: readonly Market[], asking: Asking): Market {
  const market = markets.find((each) => each.market === name);
  const stop = stopIn(name, market, asking, markets);
  if (stop !== undefined) throw stop;
  if (market === undefined) throw noMarket();
  return market;
}

const WHY: Readonly<Record<string, string>> = {
  market_disabled: '(not now)',
  limit_exceeded: '(not with this profile)',
};

function stopIn(
  name: string,
  market: Market | undefined,
  { limits }: Asking,
  among: readonly Market[] = [],
): StoppedError | undefined {
  const facts = { market, marketNames: among.map((each) => each.market) };
  return stopFrom(guardMarket({ action: 'open', market: name, facts }, { limits }));
}

const noMarket = (): StoppedError =>
  new StoppedError({
    code: 'market_not_found',
    what: 'No market is available to this account.',
    book: 'Nothing was sent.',
    hint: 'To see for yourself: hedge markets',
  });
