/** The words that a command takes, as help and completion show them. Types alone. */

export interface OperandSpec {
  /** As help shows it: `MARKET`. */
  name: string;
  summary: string;
  optional?: boolean;
  variadic?: boolean;
}

export interface OptionSpec {
  /** Commander's spelling: `--tenor <days>`, `--no-check`. */
  flags: string;
  summary: string;
  /** May be given more than once: its values are a list. */
  repeats?: boolean;
}
