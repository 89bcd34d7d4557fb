/** The result of a command with its views, as the pipeline prints it. Types only. */
import type { HedgeError } from '../errors.ts';
import type { Block } from '../output/blocks.ts';
import type { ChangeLine } from '../output/change-lines.ts';
import type { RecordTable } from '../output/record-table.ts';
/** The value that a command returns, with extra fields for the document's `meta`. */
export interface CommandOutcome<Value> {
  value: Value;
  meta?: Readonly<Record<string, unknown>>;
  /** The service's time of the response; without it, this machine's clock dates the result. */
  servedAt?: Date | undefined;
  /** A condition that is not met: the value is shown, and the error sets the exit code. */
  finding?: HedgeError | undefined;
  /** IANA zone of the times on screen, if no profile was connected; default UTC. */
  zone?: string | undefined;
  /** The command that made the result, if one command runs others. */
  command?: string | undefined;
}

/** An outcome with its document and screen, each computed only when needed. */
export interface CommandResult {
  document(): unknown;
  /** Undefined if the command is not a list. */
  table(): RecordTable | undefined;
  blocks(): readonly Block[];
  changes(): readonly ChangeLine[];
  meta: Readonly<Record<string, unknown>>;
  servedAt: Date | undefined;
  finding: HedgeError | undefined;
  zone: string | undefined;
  command: string | undefined;
}
