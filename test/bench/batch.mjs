/**
 * The time of a batch of a hundred quotes without the service's own time, compared with a program which asks the same over
 * kept connections and does nothing else. Whole processes both, their starts included.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, pairedRuns } from './paired.mjs';

const BARE = fileURLToPath(new URL('hundred-quotes.cjs', import.meta.url));
const SIZES = Array.from({ length: 100 }, (_, index) => String(1_000 + index));
const LINES = SIZES.map((size) => `quote USDTNGN buy ${size} --tenor 3\n`).join('');
/** Milliseconds that the service takes longer for each answer: local, in the same town, across a sea. */
const LATENCIES = ['0', '5', '20'];

/** `hedge` is the program's command line, `serving` the folder of the service that `env` leads to. */
export function benchBatch(node, hedge, { env, serving, rounds }) {
  const [command, ...first] = hedge;
  const batch = (...words) => ({
    name: ['hedge batch', ...words].join(' '),
    command,
    args: [...first, 'batch', '-', '-q', ...words],
    env,
    input: LINES,
  });
  return LATENCIES.flatMap((latency) => {
    const faults = [...first, 'practice', 'faults', '--delay-before', latency];
    spawnSync(command, faults, { env: bareEnvironment({ HEDGE_HOME: serving }) });
    const bare = { name: 'node:https alone', command: node, args: [BARE, ...SIZES], env };
    const runs = pairedRuns(bare, [batch(), batch('--parallel', '4')], rounds);
    return runs.map((run) => ({ ...run, name: `${run.name}, answers ${latency} ms later` }));
  });
}
