/**
 * What the operator sees before an action is sent: what changed since it was shown last, the plan, and what
 * the guards warn of. The environment line stands over it and is not among these blocks.
 */
import type { Finding, Preview } from '../../flow/dealing.ts';
import { type Block, line, text } from '../blocks.ts';
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
export const viewWarnings = (warnings: readonly Finding[]): readonly Block[] => warnings.map(viewWarning);

const viewWarning = ({ says, hint }: Finding): Block =>
  line(text('Warning:', 'warn'), text(says), ...(hint === undefined ? [] : [text(hint)]));
