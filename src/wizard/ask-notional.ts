/**
 * How much: any form that the line takes, held against capacity, headroom, balance and limits as they are now.
 * What would fit is named.
 */
import type { Big } from 'big.js';
import type { Account } from '../client/schemas.ts';
import { usdcInWords, usdInWords } from '../domain/exposure.ts';
import { TENORS } from '../domain/vocabulary.ts';
import { type HedgeError, RefusedError, UnavailableError, UsageError } from '../errors.ts';
import { moment } from '../flow/deal/considered.ts';
import type { Finding } from '../flow/dealing.ts';
import { guardJournal } from '../flow/guard/guard-journal.ts';
import { sizeFindings } from '../flow/guard/guard-size.ts';
import { tightestOf } from '../flow/guard/stop.ts';
import type { OpenDraft, OpenIntent } from '../intent/action-intent.ts';
import { readNotional } from '../intent/operands.ts';
import type { Asking } from './asking.ts';
import { journalTerms } from './check-desk.ts';

type SidedDraft = OpenDraft & Pick<OpenIntent, 'market' | 'side'>;
type SizedDraft = SidedDraft & Pick<OpenIntent, 'notional'>;

/** `account` is what the question itself shows; each answer is held against a fresh one. */
export async function askNotional(draft: SidedDraft, account: Account, asking: Asking): Promise<Big> {
  const { balance_usdc: free, available_exposure_usd: headroom } = account;
  const answer = await asking.prompter.input(
    {
      message: `Notional (headroom ${usdInWords(headroom)}, free ${usdcInWords(free)})`,
      otherwise: `hedge open ${draft.market} ${draft.side} NOTIONAL --tenor DAYS`,
    },
    (given) => objectionTo(given.trim(), draft, asking),
  );
  return readNotional(answer.trim());
}

async function objectionTo(answer: string, draft: SidedDraft, asking: Asking): Promise<string | undefined> {
  try {
    const stops = await sizeStops({ ...draft, notional: readNotional(answer) }, asking);
    const tightest = tightestOf(stops);
    return tightest && sentence({ what: tightest.says, hint: tightest.hint });
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
async function sizeStops(draft: SizedDraft, asking: Asking): Promise<readonly Finding[]> {
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
    ...guardJournal(journalTerms(draft, asking), journal.read(), moment(asking)).filter(
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
