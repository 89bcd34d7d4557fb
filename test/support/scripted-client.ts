/** The client connected to a scripted service: steady time, a canary key, closed when the test ends. */
import { onTestFinished } from 'vitest';
import { type ConnectionOptions, connect } from '../../src/client/connect.ts';
import type { HedgeApi } from '../../src/client/hedge-api.ts';
import { ApiKey } from '../../src/domain/api-key.ts';
import { type Exchange, type ScriptedService, scriptedService } from './scripted-service.ts';
import { type SteadyClock, steadyClock, steadyRandom } from './steady-clock.ts';
/** The part of the key that must never be seen anywhere. */
export const CANARY = 'c4n4ry5ecret';
export const KEY = ApiKey.of(`hk_test_${CANARY}9f2c`);

export interface Connected {
  api: HedgeApi;
  clock: SteadyClock;
  /** Happens by itself when the test ends. */
  close: () => Promise<void>;
}

/** A client of `baseUrl` whose waits take no time; jitter is always a half. */
export function connected(baseUrl: string, more: Partial<ConnectionOptions> = {}): Connected {
  const clock = steadyClock();
  const { api, close } = connect({ baseUrl, key: KEY, clock, random: steadyRandom(0.5), ...more });
  onTestFinished(close);
  return { api, clock, close };
}

/** A scripted service and a client of it. */
export async function scriptedClient(
  script: readonly Exchange[],
  more: Partial<ConnectionOptions> = {},
): Promise<Connected & { service: ScriptedService }> {
  const service = await scriptedService(script);
  return { service, ...connected(service.url, { ca: [service.ca], ...more }) };
}

/** Both ways that exchanges travel: whatever is said of one must hold on the other. */
export const TRANSPORTS = [
  { road: 'direct', connected, scriptedClient },
  {
    road: 'pooled',
    connected: (baseUrl: string, more: Partial<ConnectionOptions> = {}) =>
      connected(baseUrl, { pooled: true, ...more }),
    scriptedClient: (script: readonly Exchange[], more: Partial<ConnectionOptions> = {}) =>
      scriptedClient(script, { pooled: true, ...more }),
  },
] as const;

/** What a promise rejects with; fails the test when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to reject');
}
