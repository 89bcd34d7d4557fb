/** `hedge open` with parts missing: asked for where somebody is there to answer, named where nobody is. */
import { deal } from '../flow/deal/deal.ts';
import type { ActionReport, ReportOutcome } from '../flow/dealing.ts';
import type { OpenDraft } from '../intent/action-intent.ts';
import { completeOpen, missingParts } from '../intent/open-intent.ts';
import { line, text } from '../present/blocks.ts';
import { dealingOf, dealt, outcomeOf } from './dealing.ts';
import type { Desk } from './desk.ts';
import type { Outcome } from './shown.ts';

type Emit = (outcome: Outcome<ActionReport>) => Promise<void>;

export async function openDealt(
  desk: Desk,
  draft: OpenDraft,
  emit: Emit,
): Promise<Outcome<ActionReport> | undefined> {
  const { prompter } = desk;
  if (missingParts(draft).length === 0 || !prompter.attended) return dealt(desk, completeOpen(draft));
  const [{ askOpen }, { openLine }] = await Promise.all([
    import('../wizard/ask-open.ts'),
    import('../intent/open-line.ts'),
  ]);
  const dealing = await dealingOf(desk);
  await desk.show([line(text(BEFORE, 'dim'))]);
  const intent = await askOpen(draft, { ...dealing, prompter, lines: await desk.liner() });
  const report = await deal(intent, dealing);
  await emit(outcomeOf(report));
  if (WENT_AS_ASKED.includes(report.outcome) && report.finding === undefined) {
    const { kind, name } = await desk.selection();
    const place = kind === 'pair' ? { expectEnv: dealing.environment } : { profile: name };
    desk.note('The same as one line:');
    desk.note(openLine(intent, place), { whole: true });
  }
  return undefined;
}

const BEFORE = 'Opening a hedge. Nothing is sent before it is confirmed; Ctrl-C leaves nothing behind.';

/** After anything else a line to do it again would be bad advice. */
const WENT_AS_ASKED: readonly ReportOutcome[] = ['filled', 'submitted', 'planned'];
