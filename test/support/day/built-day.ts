/**
 * The built program on a day, each command in a process of its own, killed for real at a numbered point. Its clock is
 * the day's, and both run faster than the machine's. With nobody at a terminal: it is asked nothing.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEDGE, runProgram } from '../built.ts';
import { numbering } from '../kill-points.ts';
import type { Place, Start } from './day.ts';

/** How much faster; a request that lasts no longer than it may by then has its answer also on a busy machine. */
const TIMES = 5;
const TICK_MS = 10;
const OTHER_CLOCK = `--require=${fileURLToPath(new URL('../preload/other-clock.cjs', import.meta.url))}`;

export const builtOn = (place: Place): Start => builtBehind(() => [])(place);

/** `behind`: a program, with its words, that starts it: strace. */
export const builtBehind =
  (behind: () => readonly string[]) =>
  ({ folder, home, clock }: Place): Start =>
  async (words, { dies }) => {
    const trace = join(folder, 'trace');
    const kill = dies && { number: dies.at, how: dies.half ? ('part' as const) : ('before' as const) };
    const { NODE_OPTIONS, ...points } = numbering(trace, home, { kill });
    let seen = performance.now();
    const tick = setInterval(() => {
      const now = performance.now();
      clock.pass((now - seen) * TIMES);
      seen = now;
    }, TICK_MS);
    try {
      const [first, ...rest] = [...behind(), ...HEDGE, ...words];
      const { code, signal, out, err } = await runProgram(first ?? '', rest, {
        env: {
          HEDGE_HOME: home,
          HEDGE_COMPILED_CODE: 'off',
          NODE_OPTIONS: `${OTHER_CLOCK} ${NODE_OPTIONS ?? ''}`,
          OTHER_CLOCK: JSON.stringify({ now: clock.now(), times: TIMES }),
          ...points,
        },
      });
      return signal === null
        ? { code: code ?? -1, out, err, document: (): unknown => JSON.parse(out) }
        : undefined;
    } finally {
      clearInterval(tick);
      rmSync(trace, { force: true });
    }
  };
