/** The confirmation of a command that changes something on this machine or its desk. */
import { type ErrorParts, StoppedError } from '../errors.ts';
import type { CommandContext } from './command-context.ts';

/** `canceled`: the error after a no. @throws StoppedError */
export async function askFirst(
  { prompter }: CommandContext,
  message: string,
  canceled: Omit<ErrorParts, 'code'>,
): Promise<void> {
  if (await prompter.confirm({ message, otherwise: '--yes' })) return;
  throw new StoppedError({ code: 'declined', ...canceled });
}
