/** Asks for the deal ID of an open: one that is used already is named at once. */
import { readDealId } from '../args/operands.ts';
import type { OpenIntent } from '../domain/action-intent.ts';
import { quoted, quotedName } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { readUnderReference } from '../readings/read-position.ts';
import { guardContext } from '../trading/evaluate.ts';
import { guardJournal } from '../trading/guards/journal-guard.ts';
import { journalTerms, type WizardContext, whatAndHint } from './wizard-context.ts';

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
    if (error instanceof UsageError) return whatAndHint(error);
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
