/** One action under one key, however many deal it. */
import { describe, expect, it } from 'vitest';
import { deal } from '../../../src/flow/deal/deal.ts';
import type { ActionReport } from '../../../src/flow/dealing.ts';
import { type DealingDesk, dealingDesk } from '../dealing-desk.ts';
import { intent } from '../facts.ts';

const LINE = 'open USDTNGN buy 10k';
const KEY = { yes: true, idempotencyKey: 'k-1' };

/** Deals while another process deals under `otherKey`, just when the account is read. */
async function whileAnotherDeals(desk: DealingDesk, otherKey: string): Promise<ActionReport> {
  const { api } = desk.looking;
  let dealt = false;
  return deal(
    intent(LINE, KEY),
    desk.dealing({
      api: {
        ...api,
        async account(options) {
          if (!dealt) {
            dealt = true;
            await desk.now(LINE, { idempotencyKey: otherKey });
          }
          return api.account(options);
        },
      },
    }),
  );
}

describe('a deal that another process begins at the same moment', () => {
  it('under the same key is the same deal: its result is told, and nothing is sent again', async () => {
    const desk = await dealingDesk();
    const report = await whileAnotherDeals(desk, 'k-1');
    expect(report).toMatchObject({ outcome: 'filled', finding: undefined, plan: undefined });
    expect(desk.keys()).toEqual(['k-1']);
  });

  it('under another key is a double, and stops', async () => {
    const desk = await dealingDesk();
    await expect(whileAnotherDeals(desk, 'k-2')).rejects.toMatchObject({ code: 'duplicate' });
    expect(desk.keys()).toEqual(['k-2']);
  });
});
