/** A desk whose key and base URL point at a scripted service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/platform/clock.ts';
import type { ScriptedService } from './scripted-service.ts';
import { type TestCli, testCli } from './test-cli.ts';

export const SANDBOX_KEY = 'hk_test_forTestsAlone0001';
export const LIVE_KEY = 'hk_live_forTestsAlone0002';

/** The environment that leads to `service`; its certificate is written into `folder`. */
export function wayTo(
  service: Pick<ScriptedService, 'url' | 'ca'>,
  folder: string,
  key: string = SANDBOX_KEY,
): Readonly<Record<string, string>> {
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, service.ca, { mode: 0o600 });
  return { HEDGE_API_KEY: key, HEDGE_BASE_URL: service.url, HEDGE_CA_FILE: caFile };
}

/** A desk in this process, dealing with `service` by the pair in its environment. */
export function cliFor(
  service: Pick<ScriptedService, 'url' | 'ca'>,
  { key, clock }: { key?: string; clock?: Clock } = {},
): TestCli {
  const cli = testCli({ ...(clock && { clock }) });
  const env = wayTo(service, cli.home, key);
  return {
    ...cli,
    run: (words, options = {}) => cli.run(words, { ...options, env: { ...env, ...options.env } }),
  };
}
