/** Balance and positions for bare `hedge`, if the service responds quickly: that screen must not wait for them. */

import type { HedgeApi } from '../client/hedge-api.ts';
import type { Account, Position } from '../client/schemas.ts';
import { HedgeError, InterruptedError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

export type AccountNow =
  | { account: Account; positions: readonly Position[]; servedAt: Date | undefined }
  /** Why they were not read, in one sentence. */
  | { notRead: string };

const LIMIT_MS = 2_000;

/** `connect` may start a service or open a keychain: the limit covers it. @throws InterruptedError */
export async function readAccountNow(connect: () => Promise<HedgeApi>, clock: Clock): Promise<AccountNow> {
  const ending = new AbortController();
  const cancels: (() => void)[] = [];
  const late = new Promise<AccountNow>((resolve) => {
    cancels.push(clock.after(LIMIT_MS, () => resolve(TOO_LATE)));
  });
  try {
    return await Promise.race([read(connect, ending.signal), late]);
  } finally {
    for (const cancel of cancels) cancel();
    ending.abort();
  }
}

const TOO_LATE: AccountNow = { notRead: `No response within ${(LIMIT_MS / 1_000).toString()} s.` };

async function read(connect: () => Promise<HedgeApi>, signal: AbortSignal): Promise<AccountNow> {
  try {
    const api = await connect();
    const readings = [api.account({ signal }), api.positions({ signal })] as const;
    // Both end before the process does.
    await Promise.allSettled(readings);
    const [account, positions] = await Promise.all(readings);
    return { account: account.data, positions: positions.data, servedAt: account.servedAt };
  } catch (error) {
    const isOwn = error instanceof HedgeError;
    if ((!isOwn || error instanceof InterruptedError) && !signal.aborted) throw error;
    return { notRead: isOwn ? error.what : 'No response.' };
  }
}
