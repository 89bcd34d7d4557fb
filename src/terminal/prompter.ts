/** Questions to the operator. A question without an answer is an error, never a yes. Types alone. */

export interface Question {
  /** One line, without the mark at its end that a kind of question adds. */
  message: string;
  /** The option that answers it where nobody can be asked: `--key-file FILE`. */
  otherwise: string;
}

export interface Choice<Value> {
  name: string;
  value: Value;
  /** What stands behind the question once it is chosen; its name when left out. */
  short?: string;
  /** Shown under the list while this choice is marked. */
  description?: string;
  /** Shown, and not to be chosen: why, in a word or two. */
  disabled?: string;
}

/**
 * Why an answer will not do, in one sentence; nothing when it will. May take its time: the question stays,
 * with a sign that it is working. What it throws ends the question.
 */
export type Objection = (answer: string) => string | undefined | Promise<string | undefined>;

/**
 * Every question throws InterruptedError on Ctrl-C or a signal, StoppedError when the input ends, and
 * UsageError, naming `otherwise`, when there is nobody to ask.
 */
export interface Prompter {
  /** Somebody is there to answer. */
  readonly attended: boolean;
  /** An answer that never shows on the screen. */
  hidden(question: Question, objection?: Objection): Promise<string>;
  /** y/N: no unless yes is said. Pasted lines are a no. */
  confirm(question: Question): Promise<boolean>;
  /** The first that can be chosen is marked; at least one must be. `header` stands over them. */
  select<Value>(
    question: Question,
    choices: readonly Choice<Value>[],
    options?: { header?: string | undefined },
  ): Promise<Value>;
  input(question: Question, objection?: Objection): Promise<string>;
  /** True once something was typed that `fits`; false at an empty answer or pasted lines. `wanted` is what to type, as it is shown. */
  typed(question: Question, wanted: string, fits: (answer: string) => boolean): Promise<boolean>;
}
