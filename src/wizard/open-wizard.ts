/**
 * The parts of an open that were not said, asked one by one; what comes out is the very intent that the whole
 * line would have made. Reads the service and writes nothing, so that a Ctrl-C at any question leaves nothing.
 *
 * Which side, in words: who gains, who pays the carry, how much can be opened.
 *
 * For how long: every tenor with its price, carry and all-in rate, quoted now for the size that was said.
 *
 * The desk's own id of the deal, or none. One that is used already is not taken.
 *
 * Which market: the account's own list, live. A market that takes nothing new is shown and cannot be chosen.
 *
 * How much: any form that the line takes, held against capacity, headroom, balance and limits as they are now.
 * What would fit is named.
 */

import type { Big } from 'big.js';
import type { OpenDraft, OpenIntent } from '../args/action-intent.ts';
import { readDealId, readNotional } from '../args/operands.ts';
import type { Account, Market } from '../client/schemas.ts';
import { usdcInWords, usdInWords } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { carryInWords } from '../domain/quote-figures.ts';
import { quoted, quotedName } from '../domain/quoted.ts';
import { SIDES, type Side, sideInWords, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { type HedgeError, RefusedError, StoppedError, UnavailableError, UsageError } from '../errors.ts';
import { type Cell, nameText, text } from '../output/blocks.ts';
import { rate, usd } from '../output/views/cells.ts';
import { tenorTable } from '../output/views/quote.ts';
import { readUnderReference } from '../readings/read-position.ts';
import { type QuotedTenor, readQuotes } from '../readings/read-quotes.ts';
import { guardContext } from '../trading/evaluate.ts';
import { guardMarket, stopFrom, tightestOf } from '../trading/guards/guard-plan.ts';
import { guardJournal } from '../trading/guards/journal-guard.ts';
import { sizeFindings } from '../trading/guards/size-guard.ts';
import type { Finding } from '../trading/trading-context.ts';
import {
  checkBeforeTrading,
  chooseRow,
  journalTerms,
  type WizardContext,
  whileReading,
} from './questions.ts';
/** @throws InterruptedError at Ctrl-C; StoppedError where no answer could lead to a deal. */
export async function askOpen(draft: OpenDraft, asking: WizardContext): Promise<OpenIntent> {
  checkBeforeTrading(draft, asking);
  const { api, signal } = asking;
  const [{ data: markets }, { data: account }] = await whileReading(
    asking,
    'Reading markets and account',
    Promise.all([api.markets({ signal }), api.account({ signal })]),
  );
  const line =
    draft.market === undefined
      ? await askMarket(markets, asking)
      : namedMarket(draft.market, markets, asking);
  const sided = { ...draft, market: line.market, side: draft.side ?? (await askSide(line, asking)) };
  checkBeforeTrading(sided, asking);
  const sized = { ...sided, notional: draft.notional ?? (await askNotional(sided, account, asking)) };
  const whole = { ...sized, tenor: draft.tenor ?? (await askTenor(sized, asking)) };
  return { ...whole, dealId: draft.dealId ?? (await askDealId(whole, asking)) };
}

const SIDE_COLUMNS = [
  { header: 'SIDE' },
  { header: 'MEANS' },
  { header: 'CARRY', optional: true },
  { header: 'UP TO USD', align: 'right', optional: true },
] as const;

export function askSide(market: Market, asking: WizardContext): Promise<Side> {
  const rows = SIDES.map((side): readonly Cell[] => [
    text(side),
    nameText(sideInWords(market.market, side)),
    text(carryOf(market.net_rate_daily_pct[side])),
    usd(market.available_capacity_usd[side]),
  ]);
  return chooseRow(
    asking,
    { message: 'Side', otherwise: `hedge open ${market.market} SIDE NOTIONAL --tenor DAYS` },
    { table: { kind: 'table', columns: SIDE_COLUMNS, rows }, choices: SIDES.map((value) => ({ value })) },
  );
}

/** `you pay 0.05 % a day`. */
function carryOf(daily: Big): string {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : `${words} ${amount.toFixed()} % a day`;
}

type Sized = Pick<OpenIntent, 'market' | 'side' | 'notional' | 'bounds'>;

export async function askTenor(
  { market, side, notional, bounds }: Sized,
  asking: WizardContext,
): Promise<Tenor> {
  const { tenors } = await whileReading(
    asking,
    'Asking for prices',
    readQuotes(asking.api, { market, side, notional, tenors: TENORS, ...bounds }),
  );
  const table = tenorTable(tenors);
  // Where no tenor holds the bounds, the guard says by how much, once one is chosen.
  const someHold = tenors.some(({ misses }) => misses.length === 0);
  return chooseRow(
    asking,
    { message: 'Tenor', otherwise: '--tenor DAYS' },
    {
      table,
      choices: TENORS.map((value, at) => ({ value, ...about(tenors[at], someHold) })),
    },
  );
}

function about(
  priced: QuotedTenor | undefined,
  someHold: boolean,
): { description?: string; disabled?: string } {
  if (priced === undefined) return {};
  const { quote, misses } = priced;
  if (misses.length > 0 && someHold) return { disabled: '(beyond your bound)' };
  const carry = carryInWords(quote.carry.total_usdc);
  const carried = carry.amount.eq(0) ? carry.words : `${carry.words} ${usdcInWords(carry.amount)}`;
  const says = misses.map((miss) => `${miss.says.charAt(0).toUpperCase()}${miss.says.slice(1)}.`);
  return {
    description: [
      `Carry: ${carried}. Upfront: ${usdcInWords(quote.upfront.total_upfront_usdc)}.`,
      ...says,
    ].join(' '),
  };
}

/** Undefined: none. */
export async function askDealId(intent: OpenIntent, asking: WizardContext): Promise<string | undefined> {
  const answer = await asking.prompter.input(
    { message: "Deal id, the desk's own (empty: none)", otherwise: '--deal-id ID' },
    (given) => (given.trim() === '' ? undefined : dealIdObjection(given.trim(), intent, asking)),
  );
  return answer.trim() === '' ? undefined : readDealId(answer.trim());
}

async function dealIdObjection(
  answer: string,
  intent: OpenIntent,
  asking: WizardContext,
): Promise<string | undefined> {
  try {
    return await usedAlready({ ...intent, dealId: readDealId(answer) }, asking);
  } catch (error) {
    if (error instanceof UsageError) return `${error.what} ${error.hint ?? ''}`;
    throw error;
  }
}

/** Here, by the journal; or on another machine, by the service. */
async function usedAlready(
  intent: OpenIntent & { dealId: string },
  asking: WizardContext,
): Promise<string | undefined> {
  const findings = guardJournal(journalTerms(intent, asking), asking.journal.read(), guardContext(asking));
  const used = findings.find(({ code }) => code === 'deal_id_used');
  if (used !== undefined) return used.message;
  const { hedges } = await readUnderReference(asking, intent.dealId);
  const stands = hedges.find(({ status }) => status !== 'failed');
  return stands === undefined
    ? undefined
    : `Deal id ${quotedName(intent.dealId)} is used: hedge ${quotedName(stands.id)} (${quoted(stands.status)}) stands under it.`;
}

const MARKET_CHOICE_COLUMNS = [
  { header: 'MARKET' },
  { header: 'MID', align: 'right' },
  { header: 'BUY UP TO USD', align: 'right' },
  { header: 'SELL UP TO USD', align: 'right' },
  { header: 'STATUS' },
] as const;

/** @throws StoppedError when none can be chosen. */
export async function askMarket(markets: readonly Market[], asking: WizardContext): Promise<Market> {
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
      table: { kind: 'table', columns: MARKET_CHOICE_COLUMNS, rows },
      choices: choices.map(({ value, stop }) => ({
        value,
        ...(stop === undefined ? {} : { disabled: ownField(WHY, stop.code) ?? '(cannot be dealt)' }),
      })),
    },
  );
}

/** The market that was named. @throws StoppedError when the account has none of that name, or it takes nothing new. */
export function namedMarket(name: string, markets: readonly Market[], asking: WizardContext): Market {
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
  { limits }: WizardContext,
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

type SidedDraft = OpenDraft & Pick<OpenIntent, 'market' | 'side'>;
type SizedDraft = SidedDraft & Pick<OpenIntent, 'notional'>;

/** `account` is what the question itself shows; each answer is held against a fresh one. */
export async function askNotional(draft: SidedDraft, account: Account, asking: WizardContext): Promise<Big> {
  const { balance_usdc: free, available_exposure_usd: headroom } = account;
  const answer = await asking.prompter.input(
    {
      message: `Notional (headroom ${usdInWords(headroom)}, free ${usdcInWords(free)})`,
      otherwise: `hedge open ${draft.market} ${draft.side} NOTIONAL --tenor DAYS`,
    },
    (given) => notionalObjection(given.trim(), draft, asking),
  );
  return readNotional(answer.trim());
}

async function notionalObjection(
  answer: string,
  draft: SidedDraft,
  asking: WizardContext,
): Promise<string | undefined> {
  try {
    const stops = await sizeStops({ ...draft, notional: readNotional(answer) }, asking);
    const tightest = tightestOf(stops);
    return tightest && sentence({ what: tightest.message, hint: tightest.hint });
  } catch (error) {
    if (error instanceof UsageError) return sentence(error);
    if (error instanceof RefusedError) return `${sentence(error)} (${error.code})`;
    if (error instanceof UnavailableError) return `${error.what} Enter tries again.`;
    throw error;
  }
}

const sentence = ({ what, hint }: Pick<HedgeError, 'what' | 'hint'>): string =>
  hint === undefined ? what : `${what} ${hint}`;

/** @throws HedgeError when it cannot be read, or the service quotes no such size and nothing here says why. */
async function sizeStops(draft: SizedDraft, asking: WizardContext): Promise<readonly Finding[]> {
  const { api, signal, limits, journal } = asking;
  const { market, side, notional, tenor = TENORS[0] } = draft;
  const [markets, account, quote] = await Promise.all([
    api.markets({ signal }),
    api.account({ signal }),
    // Margin and fee are alike for every tenor: one that is not chosen yet is quoted as the shortest.
    api.quote({ market, side, notional_usd: notional, tenor_days: tenor }, { signal }).then(
      ({ data }) => data,
      (error: unknown) => ifRefused(error),
    ),
  ]);
  const facts = {
    account: account.data,
    market: markets.data.find((each) => each.market === market),
    quote: quote instanceof RefusedError ? undefined : quote,
  };
  const findings = [
    ...sizeFindings({ notional, market, side, facts }, limits),
    ...guardJournal(journalTerms(draft, asking), journal.read(), guardContext(asking)).filter(
      ({ code }) => code === 'limit_exceeded',
    ),
  ];
  if (quote instanceof RefusedError && findings.length === 0) throw quote;
  return findings;
}

/** A refused quote is held back until it is known whether the size explains it. */
function ifRefused(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  throw error;
}
