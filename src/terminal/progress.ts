/** What the operator sees while the program waits, behind four verbs; no caller asks whether there is a terminal. */

export interface Progress {
  /** Waiting begins. A second start replaces the text. */
  start(text: string): void;
  update(text: string): void;
  /** A line that stays, whether or not anything is being waited for. */
  note(line: string): void;
  /** Waiting is over: nothing of it is left on the screen. Does no harm when nothing was started. */
  stop(): void;
}
