/** Asks for the notional of an open, and checks each answer against a fresh reading. */
import type { Big } from 'big.js';
import type { OpenDraft, OpenIntent } from '../args/action-intent.ts';
import { readNotional } from '../args/operands.ts';
import type { Account } from '../client/schemas.ts';
import { grouped, usdcInWords, usdInWords } from '../domain/exposure.ts';
import { shell } from '../domain/hint.ts';
import { TENORS } from '../domain/vocabulary.ts';
import { RefusedError, UnavailableError, UsageError } from '../errors.ts';
import { guardContext } from '../trading/evaluate.ts';
import { sizeFindings, tightestOf } from '../trading/guards/guard-plan.ts';
import { guardJournal, leftToday } from '../trading/guards/journal-guard.ts';
import type { Finding } from '../trading/trading-context.ts';
import { journalTerms, type WizardContext, whatAndHint } from './wizard-context.ts';

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
      otherwise: shell`hedge open ${draft.market} ${draft.side} NOTIONAL --tenor DAYS`,
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
    return tightest && whatAndHint({ what: tightest.message, hint: tightest.hint });
  } catch (error) {
    if (error instanceof UsageError) return whatAndHint(error);
    if (error instanceof RefusedError) return `${whatAndHint(error)} (${error.code})`;
    if (error instanceof UnavailableError) return `${error.what} Press Enter to retry.`;
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
