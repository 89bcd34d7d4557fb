/**
 * The question before an action is sent: the preview on standard error, then what the rule wants asked. With
 * `--yes` nothing is asked, and the environment is named all the same.
 */
import { confirmationFor } from '../flow/deal/confirm-rule.ts';
import type { Dealing } from '../flow/dealing.ts';
import { viewPreview, viewWarnings } from '../present/views/preview.ts';
import type { Desk } from './desk.ts';

/** `lent` is what the desk lends to dealing: where it deals, and whether somebody can be asked. */
export function confirmWith(
  { show, prompter }: Pick<Desk, 'show' | 'prompter'>,
  { environment, attended }: Pick<Dealing, 'environment' | 'attended'>,
): Dealing['confirm'] {
  return async (preview, { yes }) => {
    await show(yes && !attended ? viewWarnings(preview.warnings) : viewPreview(preview));
    if (yes) return true;
    const confirmation = confirmationFor(preview, environment);
    const question = { message: confirmation.asks, otherwise: '--yes' };
    return confirmation.kind === 'typed'
      ? prompter.typed(question, confirmation.wanted, confirmation.fits)
      : prompter.confirm(question);
  };
}
