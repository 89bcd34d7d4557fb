/** Balance and positions for bare `hedge`, if the service responds quickly: that screen must not wait for them. */

import type { HedgeApi } from '../client/hedge-api.ts';
import type { Account, Position } from '../client/schemas.ts';
import { HedgeError, InterruptedError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { poll } from './poll.ts';

export type AccountNow =
  | { account: Account; positions: readonly Position[]; servedAt: Date | undefined }
  /** Why they were not read, in one sentence. */
  | { notRead: string };

const LIMIT_MS = 2_000;

/** `connect` may start a service or open a keychain: the limit covers it. @throws InterruptedError */
export const readAccountNow = async (connect: () => Promise<HedgeApi>, clock: Clock): Promise<AccountNow> =>
  (await poll({
    clock,
    signal: new AbortController().signal,
    withinMs: 0,
    lastReadingMs: LIMIT_MS,
    read: (signal) => read(connect, signal),
  })) ?? { notRead: `No response within ${(LIMIT_MS / 1_000).toString()} s.` };

async function read(connect: () => Promise<HedgeApi>, signal: AbortSignal): Promise<AccountNow> {
  try {
    const api = await connect();
    const readings = [api.account({ signal }), api.positions({ signal })] as const;
    // Both end before the process does.
    await Promise.allSettled(readings);
    const [account, positions] = await Promise.all(readings);
    return { account: account.data, positions: positions.data, servedAt: account.servedAt };
  } catch (error) {
    if (!(error instanceof HedgeError) || error instanceof InterruptedError) throw error;
    return { notRead: error.what };
  }
}
