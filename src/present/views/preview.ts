/**
 * What the operator sees before an action is sent: what changed since it was shown last, the plan, and what
 * the guards warn of. The environment line stands over it and is not among these blocks.
 */
import type { Finding, Preview } from '../../flow/dealing.ts';
import { type Block, line, message, text } from '../blocks.ts';
import { hintBlocks } from '../hint.ts';
import { viewPlan } from './plan.ts';

export function viewPreview({ plan, warnings, dealtElsewhere, changed }: Preview): readonly Block[] {
  return [
    ...(changed === undefined
      ? []
      : [line(text('CHANGED', 'warn'), text(`since it was shown: ${changed}.`, 'strong'))]),
    ...viewPlan(plan, dealtElsewhere),
    ...viewWarnings(warnings),
  ];
}

/** What is said even where nobody is asked. */
export const viewWarnings = (warnings: readonly Finding[]): readonly Block[] => warnings.flatMap(viewWarning);

/** A sentence goes on with the warning; commands stand one a line, to be pasted. */
function viewWarning({ says, hint }: Finding): readonly Block[] {
  const warning = [text('Warning:', 'warn'), message(says)] as const;
  if (hint === undefined) return [line(...warning)];
  return hint.startsWith('hedge ') || hint.includes('\n')
    ? [line(...warning), ...hintBlocks(hint)]
    : [line(...warning, message(hint))];
}
