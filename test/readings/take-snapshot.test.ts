/** A reading of the account while an order fills. */
import { describe, expect, it } from 'vitest';
import { makeHttpApi } from '../../src/client/hedge-api.ts';
import type { ReadContext } from '../../src/readings/read-context.ts';
import { readWholeAccount } from '../../src/readings/take-snapshot.ts';
import { ModelAccount } from '../support/model-account.ts';
import { answerOf } from '../support/model-answers.ts';
import { total } from '../support/model-service.ts';

/** Its hedges are orders in flight, which fill once the positions are read: that moves what is reserved to the margin. */
function thatFills(account: ModelAccount): ReadContext {
  let hasFilled = false;
  const answer = (path: string): unknown => {
    const sent = answerOf(account, path);
    if (hasFilled) return sent;
    if (path === '/account') {
      const margin = total(account.hedges.map((each) => each.margin));
      return { ...Object(sent), margin_in_use_usdc: total([]), reserved_usdc: margin };
    }
    hasFilled = path === '/positions';
    return path === '/markets' ? sent : [];
  };
  return {
    ...account.context(),
    api: makeHttpApi(async ({ path }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const data = answer(path) as never;
      return { data, meta: {}, servedAt: new Date(account.nowMs), clocks: { wall: account.nowMs } };
    }),
  };
}

describe('a snapshot', () => {
  it('is read again when an order fills between its positions and its account, and has its margin once', async () => {
    const account = new ModelAccount({ seed: 1 });
    account.othersOpen('buy', 50_000);
    const { record } = await readWholeAccount(thatFills(account), { profile: 'desk' });
    expect(record).toMatchObject({
      account: { margin_in_use_usdc: '5000', reserved_usdc: '0' },
      positions: [{ notional_usd: '50000' }],
    });
    expect(record.unsteady).toBeUndefined();
  });
});
