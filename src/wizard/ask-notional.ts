/** Asks for the size of an open, in USD, in naira or as the largest, and checks each answer against a fresh reading. */
import type { Big } from 'big.js';
import { readNotional } from '../args/operands.ts';
import { checkNairaMarket, namesNaira, readNaira } from '../args/sizing.ts';
import type { Account } from '../client/schemas.ts';
import type { OpenDraft, OpenIntent, Sizing } from '../domain/action-intent.ts';
import { grouped, usdcInWords, usdInWords } from '../domain/exposure.ts';
import { shell } from '../domain/hint.ts';
import type { OwnRoom } from '../domain/sizes.ts';
import { isNairaMarket, TENORS } from '../domain/vocabulary.ts';
import { RefusedError, StoppedError, UnavailableError, UsageError } from '../errors.ts';
import { guardContext } from '../trading/evaluate.ts';
import { sizeFindings } from '../trading/guards/guard-plan.ts';
import { guardJournal } from '../trading/guards/journal-guard.ts';
import { tightestOf } from '../trading/guards/stops.ts';
import { type roomOfLimits, sizeAtTenor } from '../trading/size-action.ts';
import type { Finding } from '../trading/trading-context.ts';
import { journalTerms, type WizardContext, whatAndHint } from './wizard-context.ts';

type SidedDraft = OpenDraft & Pick<OpenIntent, 'market' | 'side'>;
type SizedDraft = SidedDraft & Pick<OpenIntent, 'notional'>;

/** `sizing`: for a size that was not given in USD; its notional is at the quotes of now. */
type Size = Pick<OpenIntent, 'notional' | 'sizing'>;

/** The question shows `account`; each answer is checked against a fresh reading. */
/** `own`: what the limits allow; `open`: what it was computed from. */
export interface AccountRoom {
  account: Account;
  own: OwnRoom;
  open: Parameters<typeof roomOfLimits>[1];
}

export async function askNotional(
  draft: SidedDraft,
  { account, own, open }: AccountRoom,
  context: WizardContext,
): Promise<Size> {
  const { balance_usdc: free, available_exposure_usd: headroom } = account;
  const room = [...limitsInWords(own), `headroom ${grouped(headroom)}`, `free ${usdcInWords(free)}`].join(
    ', ',
  );
  const other = isNairaMarket(draft.market) ? 'NGN 45m' : '1.5m';
  let size: Size | undefined;
  await context.prompter.input(
    {
      message: `Notional USD: 10k, ${other} or max (${room})`,
      otherwise: shell`hedge open ${draft.market} ${draft.side} NOTIONAL --tenor DAYS`,
      understood: (given) => (size === undefined ? given : sizeInWords(size)),
    },
    (given) =>
      objectionTo(
        async () => {
          size = await sizeOf(given.trim(), draft, context, open);
          return size.notional;
        },
        draft,
        context,
      ),
  );
  if (size === undefined) throw new Error('the size was accepted without being read');
  return size;
}

/** The size of a draft that has naira or the largest instead of a notional. @throws HedgeError when no size fits. */
export async function sizeToQuote(
  draft: SidedDraft & { sizing: Sizing },
  context: WizardContext,
  open?: AccountRoom['open'],
): Promise<Size> {
  const { api, signal } = context;
  const { sizing, tenor = TENORS[0] } = draft;
  if (sizing.by === 'target') throw new Error('an open has no target');
  const [{ data: markets }, { data: account }] = await Promise.all([
    api.markets({ signal }),
    api.account({ signal }),
  ]);
  const intent = { ...draft, sizing, tenor, notional: undefined };
  const sized = await sizeAtTenor(intent, context, { tenor, markets, account, open });
  return { notional: sized.intent.notional, sizing };
}

function sizeOf(
  answer: string,
  draft: SidedDraft,
  context: WizardContext,
  open: AccountRoom['open'],
): Size | Promise<Size> {
  if (/^max$/i.test(answer)) return sizeToQuote({ ...draft, sizing: { by: 'max' } }, context, open);
  if (!namesNaira(answer)) return { notional: readNotional(answer) };
  checkNairaMarket(draft.market);
  return sizeToQuote({ ...draft, sizing: { by: 'ngn', amount: readNaira(answer) } }, context);
}

/** `10,000.00 USD`, `45,000,000.00 NGN, now 29,380.52 USD`, `the largest, now 49,009.90 USD` */
function sizeInWords({ notional, sizing }: Size): string {
  if (sizing === undefined) return usdInWords(notional);
  const asked = sizing.by === 'ngn' ? `${grouped(sizing.amount)} NGN` : 'the largest';
  return `${asked}, now ${usdInWords(notional)}`;
}

/** The limits of profile and desk: `limit 50,000.00 per trade`, `30,000.00 left of the daily limit`. */
const limitsInWords = ({ perTrade, today, open }: OwnRoom): readonly string[] => [
  ...(perTrade === undefined ? [] : [`limit ${grouped(perTrade)} per trade`]),
  ...(today === undefined ? [] : [`${grouped(today)} left of the daily limit`]),
  ...(open === undefined ? [] : [`${grouped(open)} left of what the desk may have open`]),
];

async function objectionTo(
  read: () => Promise<Big>,
  draft: SidedDraft,
  context: WizardContext,
): Promise<string | undefined> {
  try {
    const stops = await sizeStops({ ...draft, notional: await read() }, context);
    const tightest = tightestOf(stops);
    return tightest && whatAndHint({ what: tightest.message, hint: tightest.hint });
  } catch (error) {
    if (error instanceof UsageError && isNairaMarket(draft.market))
      return `${whatAndHint(error)} Or in naira as NGN 45m, or max.`;
    if (error instanceof UsageError || error instanceof StoppedError) return whatAndHint(error);
    if (error instanceof RefusedError) return `${whatAndHint(error)} (${error.code})`;
    if (error instanceof UnavailableError) return `${error.what} Type it again.`;
    throw error;
  }
}

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
    ...sizeFindings({ notional, market, side, facts }, limits(), 'NGN'),
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
