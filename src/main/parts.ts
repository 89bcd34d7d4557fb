/** What the world of one invocation is made from: the ports as main.ts or a test hands them in. */
import type { GlobalOptions } from '../cli/global-options.ts';
import type { Keychain } from '../config/keychain.ts';
import type { SettingsEnvironment } from '../config/resolve.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';
/** What runs the program, and what it was built from. */
export interface Runtime {
  /** `20.20.2` */
  node: string;
  openssl: string;
  /** `linux-x64` */
  platform: string;
  /** Null where it was not built in a clone. */
  commit: string | null;
  /** Whether it is the single executable, which has its Node in itself. */
  executable: boolean;
}

export interface Surroundings {
  argv: readonly string[];
  /** HEDGE_API_KEY is taken out of it. */
  env: Record<string, string | undefined>;
  /** What Node itself was started with, beside NODE_OPTIONS. */
  nodeOptions?: readonly string[];
  home: string;
  version: string;
  runtime: Runtime;
  terminal: Terminal;
  signals: Pick<SignalWatch, 'signal' | 'untilStopped'>;
  machine: Machine;
  keychain: Keychain;
}

/** The surroundings as read once at the start: what every part of a desk is built from. */
export interface DeskParts extends Surroundings {
  settings: SettingsEnvironment;
  places(): Paths;
  globals: GlobalOptions;
}
