/** The practice service in a process of its own, its rate limit and caps out of the way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment } from './paired.mjs';

const SETTINGS = {
  rate_limit: { burst: 1_000_000, per_second: 1_000_000 },
  opening_balance_usdc: 1_000_000_000,
  exposure_cap_usd: 1_000_000_000,
  impact_bps_per_10k_usd: 0,
  markets: { USDTNGN: { headroom_usd: 1_000_000_000 } },
};

/** `hedge` is the program's command line. Gives the variables that lead to the service's sandbox book, and what ends it. */
export async function servePractice(hedge, home, { port = 0 } = {}) {
  const store = join(home, 'state', 'practice');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  writeFileSync(join(store, 'settings.json'), JSON.stringify(SETTINGS));
  const [command, ...args] = hedge;
  const child = spawn(command, [...args, 'practice', 'serve', '--port', String(port)], {
    env: bareEnvironment({ HEDGE_HOME: home }),
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
