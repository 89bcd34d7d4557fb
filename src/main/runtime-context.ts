/** The ports of one invocation, from main.ts or a test. */
import type { GlobalOptions } from '../cli/global-options.ts';
import type { ProgramInfo } from '../commands/command-context.ts';
import type { Keychain } from '../config/keychain.ts';
import type { SettingsEnvironment } from '../config/resolve.ts';
import type { ShiftedClock } from '../platform/clock.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';

export interface RuntimeContext {
  argv: readonly string[];
  /** HEDGE_API_KEY is removed from it. */
  env: Record<string, string | undefined>;
  /** Node's own command-line options, without NODE_OPTIONS. */
  nodeOptions?: readonly string[];
  home: string;
  version: string;
  runtime: Omit<ProgramInfo, 'version'>;
  terminal: Terminal;
  signals: Pick<SignalWatch, 'signal' | 'untilStopped'>;
  machine: Machine;
  keychain: Keychain;
  /** Starts the process of an agent; absent where a test runs the program in its own process. */
  agentCommand?: readonly [string, ...string[]];
}

/** The runtime of a command that may follow a desk: its clock can go by the desk's time. */
export type DeskRuntime = CommandRuntime & {
  machine: { clock: ShiftedClock };
  /** Ends its connection when the command ends. */
  disconnectAtEnd(connected: { disconnect(): void }): void;
};

/** The ports with the settings and global options of the invocation. */
export interface CommandRuntime extends RuntimeContext {
  settings: SettingsEnvironment;
  places(): Paths;
  globals: GlobalOptions;
  /** Many requests follow: their connections are kept. */
  pooled: boolean;
  /** Set for a tool: no action leaves this process. */
  sendsNoAction?: true;
}
