/** Makes the world of one invocation from the ports it is given. Opens nothing until a command asks. */
import type { GlobalOptions } from '../cli/global-options.ts';
import type { OpenDesk, World } from '../cli/pipeline.ts';
import type { Machine } from '../platform/host.ts';
import { type Places, placesOf } from '../platform/places.ts';
import { type SettingsEnvironment, takeEnvironment } from '../settings/environment.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';
import { openDesk } from './open-desk.ts';

export interface Surroundings {
  argv: readonly string[];
  /** HEDGE_API_KEY is taken out of it. */
  env: Record<string, string | undefined>;
  home: string;
  version: string;
  terminal: Terminal;
  signals: Pick<SignalWatch, 'signal' | 'caught'>;
  machine: Machine;
}

/** The surroundings as read once at the start: what every part of a desk is built from. */
export interface DeskParts extends Surroundings {
  settings: SettingsEnvironment;
  places(): Places;
  globals: GlobalOptions;
}

export function composeWorld(surroundings: Surroundings): World {
  const { argv, env, home, version, terminal, signals, machine } = surroundings;
  const settings = takeEnvironment(env);
  const places = (): Places => placesOf({ env, platform: machine.host.platform, home });
  return {
    argv,
    version,
    terminal,
    signals,
    clock: machine.clock,
    openDesk: (globals): OpenDesk => openDesk({ ...surroundings, settings, places, globals }),
  };
}
