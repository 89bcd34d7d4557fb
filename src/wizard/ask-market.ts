/** Asks for the market and the side of an open. */
import type { Big } from 'big.js';
import { readSide } from '../args/operands.ts';
import type { Market } from '../client/schemas.ts';
import { grouped, leastOf } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { carryInWords } from '../domain/quote-figures.ts';
import type { OwnRoom } from '../domain/sizes.ts';
import { SIDES, type Side, sideInWords } from '../domain/vocabulary.ts';
import type { StoppedError } from '../errors.ts';
import { nothingSent, UsageError, unless } from '../errors.ts';
import { type Cell, nameText, text } from '../output/cells.ts';
import { rate, usd } from '../output/views/record-columns.ts';
import { guardMarket } from '../trading/guards/guard-plan.ts';
import { stopFrom } from '../trading/guards/stops.ts';
import { chooseRow, type WizardContext } from './wizard-context.ts';

const MARKET_CHOICE_COLUMNS = [
  { header: 'MARKET' },
  { header: 'MID', align: 'right' },
  { header: 'MAX BUY USD', align: 'right' },
  { header: 'MAX SELL USD', align: 'right' },
  { header: 'STATUS' },
] as const;

/** @throws StoppedError when none can be chosen. */
export async function askMarket(
  markets: readonly Market[],
  own: OwnRoom,
  context: WizardContext,
): Promise<Market> {
  const choices = markets.map((market) => ({ value: market, stop: stopIn(market.market, market, context) }));
  const [open, ...others] = choices.filter(({ stop }) => stop === undefined);
  if (open === undefined) throw choices[0]?.stop ?? noMarket();
  if (others.length === 0) {
    const { market, price } = open.value;
    context.note(`Market: ${market}, mid ${grouped(price)} (the only one you can trade now).`);
    return open.value;
  }
  const rows = markets.map(({ market, price, available_capacity_usd: capacity, status }): readonly Cell[] => [
    nameText(market),
    rate(price),
    usd(largestIn(capacity.buy, own)),
    usd(largestIn(capacity.sell, own)),
    text(status),
  ]);
  return chooseRow(
    context,
    { message: 'Market', otherwise: shell`hedge open MARKET SIDE NOTIONAL --tenor DAYS` },
    {
      table: { kind: 'table', columns: MARKET_CHOICE_COLUMNS, rows },
      choices: choices.map(({ value, stop }) => ({
        value,
        ...(stop === undefined ? {} : { disabled: ownField(WHY, stop.code) ?? '(not available)' }),
      })),
    },
  );
}

/** @throws StoppedError when the account does not have the market, or it accepts no opens. */
export function namedMarket(name: string, markets: readonly Market[], context: WizardContext): Market {
  const market = markets.find((each) => each.market === name);
  const stop = stopIn(name, market, context, markets);
  if (stop !== undefined) throw stop;
  if (market === undefined) throw noMarket();
  return market;
}

const WHY: Readonly<Record<string, string>> = {
  market_disabled: '(unavailable)',
  limit_exceeded: '(not allowed by this profile)',
};

function stopIn(
  name: string,
  market: Market | undefined,
  { limits }: WizardContext,
  among: readonly Market[] = [],
): StoppedError | undefined {
  const facts = { market, marketNames: among.map((each) => each.market) };
  return stopFrom(guardMarket({ action: 'open', market: name, facts }, { limits: limits() }));
}

const noMarket = (): StoppedError =>
  nothingSent({
    code: 'market_not_found',
    what: 'No market is available to this account.',
    hint: say`To check: ${shell`hedge markets`}`,
  });

/** USD that capacity and limits allow on a side. */
const largestIn = (capacity: Big, { perTrade, today, open }: OwnRoom): Big =>
  leastOf([capacity, perTrade, today, open]) ?? capacity;

const SIDE_COLUMNS = [
  { header: 'SIDE' },
  { header: 'MEANS' },
  { header: 'CARRY', optional: true },
  { header: 'MAX (USD)', align: 'right', optional: true },
] as const;

/** Typed: with one of two preselected, Enter too many chooses it. */
export async function askSide(market: Market, own: OwnRoom, context: WizardContext): Promise<Side> {
  const rows = SIDES.map((side): readonly Cell[] => [
    text(side),
    nameText(sideInWords(market.market, side)),
    text(carryOf(market.net_rate_daily_pct[side])),
    usd(largestIn(market.available_capacity_usd[side], own)),
  ]);
  for (const each of context.lines([{ kind: 'table', columns: SIDE_COLUMNS, rows }])) context.note(each);
  const answer = await context.prompter.input(
    {
      message: `Side: ${SIDES.join(' or ')}`,
      otherwise: shell`hedge open ${market.market} SIDE NOTIONAL --tenor DAYS`,
    },
    (given) =>
      unless(UsageError, () => readSide(given.trim())) === undefined ? 'Type buy or sell.' : undefined,
  );
  return readSide(answer.trim());
}

/** `you pay 0.05 %/day`. */
function carryOf(daily: Big): string {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : `${words} ${amount.toFixed()} %/day`;
}
