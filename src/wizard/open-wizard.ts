/** Asks for the missing arguments of an open: market, side, notional, tenor, price limit, deal ID. Writes nothing. */

import type { Big } from 'big.js';
import type { OpenDraft, OpenIntent } from '../args/action-intent.ts';
import { readBps, readDealId, readNotional, readPrice } from '../args/operands.ts';
import type { Account, Market } from '../client/schemas.ts';
import { grouped, usdcInWords, usdInWords } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { checkPriceBounds, type PriceBounds } from '../domain/price-bounds.ts';
import { carryInWords } from '../domain/quote-figures.ts';
import { quoted, quotedName } from '../domain/quoted.ts';
import { quoteCurrency, SIDES, type Side, sideInWords, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { type HedgeError, RefusedError, StoppedError, UnavailableError, UsageError } from '../errors.ts';
import { type Block, type Cell, line, nameText, text } from '../output/blocks.ts';
import { WEEKEND } from '../output/format.ts';
import { tenorTable } from '../output/views/quote.ts';
import { maturityCell, rate, usd } from '../output/views/record-columns.ts';
import { readUnderReference } from '../readings/read-position.ts';
import { type QuotedTenor, readQuotes } from '../readings/read-quotes.ts';
import type { Prompter } from '../terminal/prompter.ts';
import { guardContext } from '../trading/evaluate.ts';
import {
  guardMarket,
  implausiblePrice,
  sizeFindings,
  stopFrom,
  tightestOf,
} from '../trading/guards/guard-plan.ts';
import { guardJournal, type JournalGuardTerms, leftToday } from '../trading/guards/journal-guard.ts';
import type { Finding, TradingContext } from '../trading/trading-context.ts';

type Ports = 'api' | 'clock' | 'signal' | 'journal' | 'identity' | 'limits' | 'halted' | 'progress';

export interface WizardContext extends Pick<TradingContext, Ports> {
  prompter: Prompter;
  /** One line that stays on the screen. */
  note: (text: string) => void;
  /** Renders blocks as plain lines for a list of choices. */
  lines: (blocks: readonly Block[]) => readonly string[];
}

/** @throws InterruptedError at Ctrl-C; StoppedError when no answer could lead to an open. */
export async function askOpen(draft: OpenDraft, context: WizardContext): Promise<OpenIntent> {
  checkBeforeTrading(draft, context);
  const { api, signal } = context;
  const [{ data: markets }, { data: account }] = await whileReading(
    context,
    'Reading markets and account',
    Promise.all([api.markets({ signal }), api.account({ signal })]),
  );
  const listed =
    draft.market === undefined
      ? await askMarket(markets, context)
      : namedMarket(draft.market, markets, context);
  const sided = { ...draft, market: listed.market, side: draft.side ?? (await askSide(listed, context)) };
  checkBeforeTrading(sided, context);
  const sized = { ...sided, notional: draft.notional ?? (await askNotional(sided, account, context)) };
  const priced = { ...sized, tenor: draft.tenor ?? (await askTenor(sized, context)) };
  const whole = { ...priced, bounds: await askBounds(priced, context) };
  return { ...whole, dealId: draft.dealId ?? (await askDealId(whole, context)) };
}

const SIDE_COLUMNS = [
  { header: 'SIDE' },
  { header: 'MEANS' },
  { header: 'CARRY', optional: true },
  { header: 'MAX (USD)', align: 'right', optional: true },
] as const;

export function askSide(market: Market, context: WizardContext): Promise<Side> {
  const rows = SIDES.map((side): readonly Cell[] => [
    text(side),
    nameText(sideInWords(market.market, side)),
    text(carryOf(market.net_rate_daily_pct[side])),
    usd(market.available_capacity_usd[side]),
  ]);
  return chooseRow(
    context,
    { message: 'Side', otherwise: `hedge open ${market.market} SIDE NOTIONAL --tenor DAYS` },
    { table: { kind: 'table', columns: SIDE_COLUMNS, rows }, choices: SIDES.map((value) => ({ value })) },
  );
}

/** `you pay 0.05 %/day`. */
function carryOf(daily: Big): string {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : `${words} ${amount.toFixed()} %/day`;
}

type Sized = Pick<OpenIntent, 'market' | 'side' | 'notional' | 'bounds'>;

export async function askTenor(
  { market, side, notional, bounds }: Sized,
  context: WizardContext,
): Promise<Tenor> {
  const { tenors } = await whileReading(
    context,
    'Reading quotes',
    readQuotes(context.api, { market, side, notional, tenors: TENORS, ...bounds }),
  );
  const table = tenorTable(tenors);
  // If no tenor meets the limits, the pre-trade check says by how much it misses.
  const someHold = tenors.some(({ misses }) => misses.length === 0);
  return chooseRow(
    context,
    { message: 'Tenor', otherwise: '--tenor DAYS' },
    {
      table,
      choices: TENORS.map((value, at) => ({ value, ...about(tenors[at], someHold, context) })),
    },
  );
}

function about(
  priced: QuotedTenor | undefined,
  someHold: boolean,
  { lines }: WizardContext,
): { description?: string; disabled?: string } {
  if (priced === undefined) return {};
  const { quote, misses } = priced;
  if (misses.length > 0 && someHold) return { disabled: '(exceeds your limit)' };
  const carry = carryInWords(quote.carry.total_usdc);
  const carried = carry.amount.eq(0) ? carry.words : `${carry.words} ${usdcInWords(carry.amount)}`;
  const sentences = misses.map((miss) => `${miss.message.charAt(0).toUpperCase()}${miss.message.slice(1)}.`);
  return {
    description: [
      `Carry: ${carried}. Upfront: ${usdcInWords(quote.upfront.total_upfront_usdc)}.`,
      ...(lines([line(maturityCell(quote.maturity, 'date'))])
        .join('')
        .includes(WEEKEND)
        ? [`${WEEKEND} matures on a weekend.`]
        : []),
      ...sentences,
    ].join(' '),
  };
}

/** The limits of the command line, or the one that is typed; empty: none. */
export async function askBounds(intent: OpenIntent, context: WizardContext): Promise<PriceBounds> {
  const { bounds, anyPrice } = intent;
  if (anyPrice || bounds.worstPrice !== undefined || bounds.maxCostBps !== undefined) return bounds;
  const answer = await context.prompter.input(
    {
      message: `Worst price in ${quoteCurrency(intent.market)}, or highest cost such as 40bps (optional)`,
      otherwise: '--worst-price PRICE or --max-cost-bps BPS',
      understood: (given) => boundsInWords(readBoundsOrNone(given), intent.market),
    },
    (given) => (given.trim() === '' ? undefined : boundsObjection(given.trim(), intent, context)),
  );
  return readBoundsOrNone(answer) ?? bounds;
}

const readBoundsOrNone = (answer: string): PriceBounds | undefined =>
  answer.trim() === '' ? undefined : readBounds(answer.trim());

/** `1,532.00 NGN`, `40 bps`, `none`. */
function boundsInWords(bounds: PriceBounds | undefined, market: string): string {
  const { worstPrice, maxCostBps } = bounds ?? {};
  if (worstPrice !== undefined) return `${grouped(worstPrice)} ${quoteCurrency(market)}`;
  return maxCostBps === undefined ? 'none' : `${maxCostBps.toFixed()} bps`;
}

/** `1530.5` is a price; `40bps` a cost. */
function readBounds(answer: string): PriceBounds {
  const [, bps] = /^(\S+?) *bps?$/i.exec(answer) ?? [];
  return bps === undefined
    ? { worstPrice: readPrice('worst price', answer) }
    : { maxCostBps: readBps('highest cost', bps) };
}

/** A limit that the current quote exceeds would only be stopped later. */
async function boundsObjection(
  answer: string,
  { market, side, notional, tenor }: OpenIntent,
  { api, signal }: WizardContext,
): Promise<string | undefined> {
  try {
    const bounds = readBounds(answer);
    const order = { market, side, notional_usd: notional, tenor_days: tenor };
    const { data } = await api.quote(order, { signal });
    const { worstPrice } = bounds;
    const mid = data.pricing.market_price;
    if (worstPrice !== undefined && implausiblePrice(worstPrice, mid).length > 0)
      return typoInWords(worstPrice, mid);
    const [miss] = checkPriceBounds(data, bounds);
    return miss && `${miss.message.charAt(0).toUpperCase()}${miss.message.slice(1)}.`;
  } catch (error) {
    if (error instanceof UsageError)
      return `${quoted(answer)} is neither a price nor a cost. Type a price in ${quoteCurrency(market)} per USDT, or a cost such as 40bps.`;
    if (error instanceof RefusedError) return sentence(error);
    if (error instanceof UnavailableError) return `${error.what} Press Enter to retry.`;
    throw error;
  }
}

/** A number far below the mid was probably meant as a cost. */
function typoInWords(worst: Big, mid: Big): string {
  const far = `A price of ${grouped(worst)} is more than 5 % from the mid of ${grouped(mid)}.`;
  return worst.lt(mid.div(2))
    ? `${far} For a cost of ${worst.toFixed()} bps, type ${worst.toFixed()}bps.`
    : `${far} Type a price closer to the mid.`;
}

/** Undefined: none. */
export async function askDealId(intent: OpenIntent, context: WizardContext): Promise<string | undefined> {
  const answer = await context.prompter.input(
    {
      message: 'Deal ID (your reference, optional)',
      otherwise: '--deal-id ID',
      understood: (given) => (given.trim() === '' ? 'none' : given.trim()),
    },
    (given) => (given.trim() === '' ? undefined : dealIdObjection(given.trim(), intent, context)),
  );
  return answer.trim() === '' ? undefined : readDealId(answer.trim());
}

async function dealIdObjection(
  answer: string,
  intent: OpenIntent,
  context: WizardContext,
): Promise<string | undefined> {
  try {
    return await usedAlready({ ...intent, dealId: readDealId(answer) }, context);
  } catch (error) {
    if (error instanceof UsageError) return `${error.what} ${error.hint ?? ''}`;
    throw error;
  }
}

/** By this machine's journal, or at the service. */
async function usedAlready(
  intent: OpenIntent & { dealId: string },
  context: WizardContext,
): Promise<string | undefined> {
  const findings = guardJournal(journalTerms(intent, context), context.journal.read(), guardContext(context));
  const used = findings.find(({ code }) => code === 'deal_id_used');
  if (used !== undefined) return used.message;
  const { hedges } = await readUnderReference(context, intent.dealId);
  const existing = hedges.find(({ status }) => status !== 'failed');
  return existing === undefined
    ? undefined
    : `Deal ID ${quotedName(intent.dealId)} is used by hedge ${quotedName(existing.id)} (${quoted(existing.status)}).`;
}

const MARKET_CHOICE_COLUMNS = [
  { header: 'MARKET' },
  { header: 'MID', align: 'right' },
  { header: 'MAX BUY USD', align: 'right' },
  { header: 'MAX SELL USD', align: 'right' },
  { header: 'STATUS' },
] as const;

/** @throws StoppedError when none can be chosen. */
export async function askMarket(markets: readonly Market[], context: WizardContext): Promise<Market> {
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
    usd(capacity.buy),
    usd(capacity.sell),
    text(status),
  ]);
  return chooseRow(
    context,
    { message: 'Market', otherwise: 'hedge open MARKET SIDE NOTIONAL --tenor DAYS' },
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
  return stopFrom(guardMarket({ action: 'open', market: name, facts }, { limits }));
}

const noMarket = (): StoppedError =>
  new StoppedError({
    code: 'market_not_found',
    what: 'No market is available to this account.',
    book: 'Nothing was sent.',
    hint: 'To check: hedge markets',
  });

type SidedDraft = OpenDraft & Pick<OpenIntent, 'market' | 'side'>;
type SizedDraft = SidedDraft & Pick<OpenIntent, 'notional'>;

/** The question shows `account`; each answer is checked against a fresh reading. */
export async function askNotional(draft: SidedDraft, account: Account, context: WizardContext): Promise<Big> {
  const { balance_usdc: free, available_exposure_usd: headroom } = account;
  const room = [...limitsInWords(context), `headroom ${grouped(headroom)}`, `free ${usdcInWords(free)}`].join(
    ', ',
  );
  const answer = await context.prompter.input(
    {
      message: `Notional USD: 10000, 10k, 1.5m (${room})`,
      otherwise: `hedge open ${draft.market} ${draft.side} NOTIONAL --tenor DAYS`,
      understood: (given) => usdInWords(readNotional(given.trim())),
    },
    (given) => notionalObjection(given.trim(), draft, context),
  );
  return readNotional(answer.trim());
}

/** The limits of the profile: `limit 50,000.00 per trade`, `30,000.00 left today`. */
function limitsInWords(context: WizardContext): readonly string[] {
  const { limits, journal, clock } = context;
  const left = leftToday(context, journal.read(), { nowMs: clock.now(), limits });
  return [
    ...(limits.maxNotional === undefined ? [] : [`limit ${grouped(limits.maxNotional)} per trade`]),
    ...(left === undefined ? [] : [`${grouped(left)} left of the daily limit`]),
  ];
}

async function notionalObjection(
  answer: string,
  draft: SidedDraft,
  context: WizardContext,
): Promise<string | undefined> {
  try {
    const stops = await sizeStops({ ...draft, notional: readNotional(answer) }, context);
    const tightest = tightestOf(stops);
    return tightest && sentence({ what: tightest.message, hint: tightest.hint });
  } catch (error) {
    if (error instanceof UsageError) return sentence(error);
    if (error instanceof RefusedError) return `${sentence(error)} (${error.code})`;
    if (error instanceof UnavailableError) return `${error.what} Press Enter to retry.`;
    throw error;
  }
}

const sentence = ({ what, hint }: Pick<HedgeError, 'what' | 'hint'>): string =>
  hint === undefined ? what : `${what} ${hint}`;

/** @throws HedgeError of a failed reading, or of a rejected quote that no finding explains. */
async function sizeStops(draft: SizedDraft, context: WizardContext): Promise<readonly Finding[]> {
  const { api, signal, limits, journal } = context;
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
    ...guardJournal(journalTerms(draft, context), journal.read(), guardContext(context)).filter(
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

/** Awaits a reading and shows `progressText` meanwhile. */
async function whileReading<T>(
  { progress }: WizardContext,
  progressText: string,
  read: Promise<T>,
): Promise<T> {
  progress.start(progressText);
  try {
    return await read;
  } finally {
    progress.stop();
  }
}

type Table = Extract<Block, { kind: 'table' }>;

interface RowChoice<Value> {
  value: Value;
  /** Shown under the list while this row is selected. */
  description?: string;
  /** Why it cannot be chosen, in a few words. */
  disabled?: string;
}

/** `choices` follow the rows of the table; at least one is enabled. */
function chooseRow<Value>(
  { prompter, lines }: WizardContext,
  question: { message: string; otherwise: string },
  { table, choices }: { table: Table; choices: readonly RowChoice<Value>[] },
): Promise<Value> {
  const [header, ...names] = lines([table]);
  // A terminal too narrow for the table shows only the first column.
  const isTable = table.columns.every(
    ({ header: name, optional }) => (optional ?? false) !== false || header?.includes(name) === true,
  );
  return prompter.select(
    question,
    choices.map((choice, at) => {
      const short = lines([line(...(table.rows[at] ?? []).slice(0, 1))]).join(' ');
      return { ...choice, short, name: (isTable ? names[at] : undefined) ?? short };
    }),
    isTable ? { header } : {},
  );
}

/** Checks the answered parts of the draft. @throws HedgeError that would stop the open anyway. */
function checkBeforeTrading(draft: OpenDraft, context: WizardContext): void {
  const { market, side } = draft;
  const place = market === undefined || side === undefined ? NOWHERE : { market, side };
  const terms = journalTerms({ ...draft, ...place, notional: undefined }, context);
  // --despite can only be checked once the side is known.
  const despite = place === NOWHERE ? [] : terms.despite;
  const stop = stopFrom(guardJournal({ ...terms, despite }, context.journal.read(), guardContext(context)));
  if (stop !== undefined) throw stop;
}

/** A side without actions in the journal. */
const NOWHERE = { market: '', side: 'buy' } as const;

/** What the journal checks need to know of a draft. Duplicates are checked at the end, once all terms are known. */
const journalTerms = (
  {
    market,
    side,
    notional,
    tenor,
    dealId,
    ensure,
    options,
  }: Omit<OpenDraft, 'market' | 'side'> & { market: string; side: Side; notional: Big | undefined },
  { identity }: WizardContext,
): JournalGuardTerms => ({
  identity,
  action: 'open',
  market,
  side,
  notional,
  tenorDays: tenor,
  // With --ensure a used deal ID is fine.
  dealId: ensure ? undefined : dealId,
  despite: options.despite,
  allowDuplicate: true,
});
