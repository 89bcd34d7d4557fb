/** The confirmation of a command that changes something on this machine or its desk. */

import { inZone } from '../domain/zone-times.ts';
import { type ErrorParts, StoppedError } from '../errors.ts';
import type { CommandContext } from './command-context.ts';

/** `canceled`: the error after a no. @throws StoppedError */
export async function askFirst(
  context: CommandContext,
  message: string,
  canceled: Omit<ErrorParts, 'code'>,
): Promise<void> {
  const { zone } = await context.profileContext();
  const asked = inZone(message, { zone, now: context.clock.now() });
  if (await context.prompter.confirm({ message: asked, otherwise: '--yes' })) return;
  throw new StoppedError({ code: 'declined', ...canceled });
}
