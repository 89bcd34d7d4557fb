/** What a command came to, and its views: what travels from a command to whoever prints it. Types alone. */
import type { HedgeError } from '../errors.ts';
import type { Block } from '../output/blocks.ts';
import type { ChangeLine } from '../output/change-lines.ts';
import type { RecordTable } from '../output/record-table.ts';
/** What a command found: the value, and what the document's `meta` says besides. */
export interface CommandOutcome<Value> {
  value: Value;
  meta?: Readonly<Record<string, unknown>>;
  /** The service's own time of the answer; without it the result is dated by this machine's clock. */
  servedAt?: Date | undefined;
  /** A condition that was asked about and does not hold: the value is shown, the exit code is the error's. */
  finding?: HedgeError | undefined;
  /** IANA zone of the times a person reads, where no profile was connected to; UTC without it. */
  zone?: string | undefined;
  /** Whose result it is, where a command runs others. */
  command?: string | undefined;
}

/** An outcome with both its views, neither computed before it is wanted. */
export interface CommandResult {
  document(): unknown;
  /** Undefined where the command is no list. */
  table(): RecordTable | undefined;
  blocks(): readonly Block[];
  changes(): readonly ChangeLine[];
  meta: Readonly<Record<string, unknown>>;
  servedAt: Date | undefined;
  finding: HedgeError | undefined;
  zone: string | undefined;
  command: string | undefined;
}
