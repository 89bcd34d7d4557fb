/** Makes the world of one invocation from the ports it is given. Opens nothing until a command asks. */
import type { OpenDesk, World } from '../cli/pipeline.ts';
import { once } from '../domain/once.ts';
import { placesOf } from '../platform/places.ts';
import { takeEnvironment } from '../settings/environment.ts';
import type { Surroundings } from './parts.ts';

export function composeWorld(surroundings: Surroundings): World {
  const { argv, env, home, terminal, signals, machine } = surroundings;
  const settings = takeEnvironment(env, surroundings.nodeOptions);
  const places = once(() => placesOf({ env, host: machine.host, home }));
  return {
    argv,
    terminal,
    signals,
    clock: machine.clock,
    async openDesk(globals): Promise<OpenDesk> {
      const { openDesk } = await import('./open-desk.ts');
      return openDesk({ ...surroundings, settings, places, globals });
    },
  };
}
