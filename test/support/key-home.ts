/** A home with the canary key in it, and the hunt for it in whatever a run left. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltRun } from './built.ts';
import { filesWithCanary, holdsCanary } from './canary.ts';
import { temporaryFolder } from './own-folder.ts';

/** The one place where a key may stand. */
export const PROFILES = 'config/profiles.json';

/** What shows more than a person asked for. */
export const DEBUGGED = {
  NODE_DEBUG: '*',
  NODE_OPTIONS:
    '--report-on-fatalerror --report-uncaught-exception --report-on-signal --report-signal=SIGUSR2 --trace-warnings --trace-uncaught',
};

/**
 * A home in which a profile `desk`, the default, leads `way`; its key is stored there unless `more` says where else
 * it comes from.
 */
export function keyHome(
  way: Record<string, string>,
  more: Record<string, unknown> = { api_key: way['HEDGE_API_KEY'] },
): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const profile = {
    base_url: way['HEDGE_BASE_URL'],
    ca_file: way['HEDGE_CA_FILE'],
    added_at: '2026-11-20T09:00:00Z',
    ...more,
  };
  const file = { version: 1, default_profile: 'desk', profiles: { desk: profile } };
  writeFileSync(join(home, PROFILES), JSON.stringify(file), { mode: 0o600 });
  return home;
}

/** Wherever the key is that it should not be. */
export const leaksOf = (key: string, home: string, { out, err }: BuiltRun): readonly string[] => [
  ...(holdsCanary(key, out) ? [`standard output: ${out}`] : []),
  ...(holdsCanary(key, err) ? [`standard error: ${err}`] : []),
  ...filesWithCanary(key, home).filter((path) => path !== PROFILES),
];
