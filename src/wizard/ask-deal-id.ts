/** The desk's own id of the deal, or none. One that is used already is not taken. */
import { quoted, quotedName } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { moment } from '../flow/deal/considered.ts';
import { guardJournal } from '../flow/guard/guard-journal.ts';
import { readUnderReference } from '../flow/read/read-book.ts';
import type { OpenIntent } from '../intent/action-intent.ts';
import { readDealId } from '../intent/operands.ts';
import type { Asking } from './asking.ts';
import { journalTerms } from './check-desk.ts';

/** Undefined: none. */
export async function askDealId(intent: OpenIntent, asking: Asking): Promise<string | undefined> {
  const answer = await asking.prompter.input(
    { message: "Deal id, the desk's own (empty: none)", otherwise: '--deal-id ID' },
    (given) => (given.trim() === '' ? undefined : objectionTo(given.trim(), intent, asking)),
  );
  return answer.trim() === '' ? undefined : readDealId(answer.trim());
}

async function objectionTo(answer: string, intent: OpenIntent, asking: Asking): Promise<string | undefined> {
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
  asking: Asking,
): Promise<string | undefined> {
  const findings = guardJournal(journalTerms(intent, asking), asking.journal.read(), moment(asking));
  const used = findings.find(({ code }) => code === 'deal_id_used');
  if (used !== undefined) return used.says;
  const { hedges } = await readUnderReference(asking, intent.dealId);
  const stands = hedges.find(({ status }) => status !== 'failed');
  return stands === undefined
    ? undefined
    : `Deal id ${quotedName(intent.dealId)} is used: hedge ${quotedName(stands.id)} (${quoted(stands.status)}) stands under it.`;
}
