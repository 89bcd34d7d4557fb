/**
 * What stops an open whatever else is answered: a halt, a journal that cannot be read, an action without a known
 * end on the side, a deal id that is used. Told before it is asked about, and not after five answers.
 */
import type { Big } from 'big.js';
import type { Side } from '../domain/vocabulary.ts';
import { moment } from '../flow/deal/considered.ts';
import { type Asked, guardJournal } from '../flow/guard/guard-journal.ts';
import { stopFrom } from '../flow/guard/stop.ts';
import type { OpenDraft } from '../intent/action-intent.ts';
import type { Asking } from './asking.ts';

/** Judges as much as is known of the draft. @throws HedgeError when dealing would end in it anyway. */
export function checkDesk(draft: OpenDraft, asking: Asking): void {
  const { market, side } = draft;
  const place = market === undefined || side === undefined ? NOWHERE : { market, side };
  const terms = journalTerms({ ...draft, ...place, notional: undefined }, asking);
  // Which actions may be overruled is known with the side alone.
  const despite = place === NOWHERE ? [] : terms.despite;
  const stop = stopFrom(guardJournal({ ...terms, despite }, asking.journal.read(), moment(asking)));
  if (stop !== undefined) throw stop;
}

/** No action of the journal is on it. */
const NOWHERE = { market: '', side: 'buy' } as const;

/** What the journal is asked about a draft: a double is for the end to find, when all of its terms are known. */
export const journalTerms = (
  {
    market,
    side,
    notional,
    tenor,
    dealId,
    ensure,
    options,
  }: Omit<OpenDraft, 'market' | 'side'> & { market: string; side: Side; notional: Big | undefined },
  { identity }: Asking,
): Asked => ({
  identity,
  action: 'open',
  market,
  side,
  notional,
  tenorDays: tenor,
  // With --ensure a deal id that is used is what was asked for.
  dealId: ensure ? undefined : dealId,
  despite: options.despite,
  allowDuplicate: true,
});
