/** The practice service in a process of its own, its rate limit and caps out of the way. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bareEnvironment } from './paired.mjs';

const SETTINGS = [
  'rate_limit.burst=1000000',
  'rate_limit.per_second=1000000',
  'exposure_cap_usd=1000000000',
  'impact_bps_per_10k_usd=0',
  'markets.USDTNGN.headroom_usd=1000000000',
];

/** `hedge` is the program's command line. Gives the variables that lead to the service's sandbox book, and what ends it. */
export async function servePractice(hedge, home, { port = 0 } = {}) {
  const [command, ...args] = hedge;
  const own = bareEnvironment({ HEDGE_HOME: home });
  for (const words of [
    ['settings', ...SETTINGS],
    ['reset', '--yes', '--balance', '1000000000'],
  ])
    execFileSync(command, [...args, 'practice', ...words, '--quiet'], { env: own });
  const child = spawn(command, [...args, 'practice', 'serve', '--port', String(port)], {
    env: own,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const env = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) env[name] = value;
    if (line.startsWith('# export')) break;
  }
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { env, stop };
}
