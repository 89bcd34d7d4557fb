/**
 * Which body of Prompter asks: one asks, the other refuses because nobody is there. There is no third that
 * answers by itself.
 */
import { UsageError } from '../errors.ts';
import type { Prompter, Question } from './prompter.ts';
import { askingPrompter } from './prompter-asking.ts';
import type { Terminal } from './streams.ts';

/** `signal` is the program's own: its abort ends a question that is open. */
export function choosePrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  return terminal.canPrompt ? askingPrompter(terminal, signal) : refusingPrompter();
}

const refusingPrompter = (): Prompter => ({
  attended: false,
  hidden: refuse,
  confirm: refuse,
  select: refuse,
  input: refuse,
  typed: refuse,
});

async function refuse(question: Question): Promise<never> {
  throw new UsageError(
    `Nobody is there to answer (no terminal): ${question.message}`,
    `Say it on the command line: ${question.otherwise}`,
  );
}
