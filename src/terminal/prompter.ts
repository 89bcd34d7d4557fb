/** Questions to the operator. A question without an answer is an error, never a yes. Types alone. */

import type { CommandWords } from '../errors.ts';
export interface Question {
  /** One line. */
  message: string;
  /** The command or option that answers it without a terminal: `--key-file FILE`. */
  otherwise: string | CommandWords;
}

/** A question for a typed answer. */
export interface TypedQuestion extends Question {
  /** An accepted answer as hedge reads it, shown in its place: `10,000.00 USD`. Default: as typed. */
  understood?: (answer: string) => string;
}

export interface Choice<Value> {
  name: string;
  value: Value;
  /** Shown after the question once chosen; default: its name. */
  short?: string;
  /** Shown under the list while this choice is marked. */
  description?: string;
  /** Shown but not available: why, in a word or two. */
  disabled?: string;
}

/**
 * Why an answer is not accepted, in one sentence; undefined when it is. It may take time; its error ends the question.
 */
export type Objection = (answer: string) => string | undefined | Promise<string | undefined>;

/**
 * Every question throws InterruptedError on Ctrl-C or a signal, StoppedError when the input ends, and
 * UsageError with `otherwise` without a terminal.
 */
export interface Prompter {
  /** There is a terminal. */
  readonly attended: boolean;
  /** An answer that never shows on the screen. */
  hidden(question: Question, objection?: Objection): Promise<string>;
  /** y/N, default no. Pasted lines are a no. */
  confirm(question: Question): Promise<boolean>;
  /**
   * The first available choice is preselected; at least one must be available. A digit marks the name that begins
   * with it. `header`: a line above.
   */
  select<Value>(
    question: Question,
    choices: readonly Choice<Value>[],
    options?: { header?: string | undefined },
  ): Promise<Value>;
  input(question: TypedQuestion, objection?: Objection): Promise<string>;
  /** True for an answer that `fits`; false for an empty answer or pasted lines. `wanted`: the text to type, as shown. */
  typed(question: Question, wanted: string, fits: (answer: string) => boolean): Promise<boolean>;
}
