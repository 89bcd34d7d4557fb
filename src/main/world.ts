/** Makes the world of one invocation from the ports it is given. Opens nothing until a command asks. */
import type { InvocationContext, OpenCommandContext } from '../cli/pipeline.ts';
import { readEnvironmentVariables } from '../config/resolve.ts';
import { once } from '../domain/once.ts';
import { pathsOf } from '../platform/paths.ts';
import type { Surroundings } from './parts.ts';
export function composeWorld(surroundings: Surroundings): InvocationContext {
  const { argv, env, home, terminal, signals, machine } = surroundings;
  const settings = readEnvironmentVariables(env, surroundings.nodeOptions);
  const places = once(() => pathsOf({ env, host: machine.host, home }));
  return {
    argv,
    terminal,
    signals,
    clock: machine.clock,
    async openDesk(globals): Promise<OpenCommandContext> {
      const { openDesk } = await import('./open-desk.ts');
      return openDesk({ ...surroundings, settings, places, globals });
    },
  };
}
