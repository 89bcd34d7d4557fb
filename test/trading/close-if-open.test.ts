/** A close of a side on which nothing is open, over the practice service. */
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../src/platform/host.ts';
import { executeAction } from '../../src/trading/execute.ts';
import { ACCEPTED, anIntent, SENDING, step, UNKNOWN } from '../journal/records.ts';
import { frontOf } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { intent } from './facts.ts';
import { type DealingDesk, dealingDesk } from './trading-context.ts';

const closeIfOpen = (desk: DealingDesk) =>
  executeAction(intent('close USDTNGN buy', { ifOpen: true, yes: true }), desk.tradingContext());

/** A desk whose positions have another name for the market. */
const positionsNamed = async (market: string): Promise<DealingDesk> =>
  dealingDesk(undefined, {
    async wayTo(practice) {
      const way = (): never => expect.fail('no program is led there');
      const front = await frontOf({ desk: practice, way }, temporaryFolder());
      front.meddle(async (line, pass) => {
        const passed = await pass();
        if (!line.startsWith('GET /positions')) return passed;
        const { data, ...rest } = JSON.parse(passed.body);
        const named = data.map((each: Record<string, unknown>) => ({ ...each, market }));
        return { ...passed, body: JSON.stringify({ ...rest, data: named }) };
      });
      return front;
    },
  });

describe('closing a side on which nothing is open, where that is as good as done', () => {
  it.each(['close', 'reduce', 'add'])(
    'is not called flat on a market that the account does not have: %s',
    async (action) => {
      const desk = await dealingDesk();
      const line = action === 'close' ? 'close USDTGN buy' : `${action} USDTGN buy 1000`;
      const typed = intent(line, { yes: true, ...(action === 'close' ? { ifOpen: true } : {}) });
      await expect(executeAction(typed, desk.tradingContext())).rejects.toMatchObject({
        code: 'market_not_found',
        effect: 'none',
        what: 'This account has no market USDTGN.',
      });
    },
  );

  it.each(['USDT-NGN', 'USDT/NGN', 'usdtngn', 'NGN Perpetual'])(
    'is not called flat where the positions call its market %s: it is closed',
    async (name) => {
      const desk = await positionsNamed(name);
      await desk.now('open USDTNGN buy 10000');
      expect(await closeIfOpen(desk)).toMatchObject({ outcome: 'closed' });
    },
  );

  it('is stopped by an open that a running process is sending', async () => {
    const desk = await dealingDesk();
    const { identity, journal, clock } = desk.readContext;
    const [writer, at] = [hostOf(process).self, new Date(clock.now()).toISOString()];
    await journal.append([anIntent({ identity, writer, at }), { ...step(SENDING, '7c1e', 1, writer), at }]);
    await expect(closeIfOpen(desk)).rejects.toMatchObject({ code: 'in_flight', effect: 'none' });
  });

  /** An open without a response, sent so many minutes ago. */
  async function anOpenSent(desk: DealingDesk, minutesAgo: number): Promise<void> {
    const { identity, journal, clock } = desk.readContext;
    const at = new Date(clock.now() - minutesAgo * 60_000).toISOString();
    await journal.append([anIntent({ identity, at }), { ...step(SENDING), at }, { ...step(UNKNOWN), at }]);
  }

  it('is stopped by an open without a response, which may still arrive', async () => {
    const desk = await dealingDesk();
    await anOpenSent(desk, 1);
    await expect(closeIfOpen(desk)).rejects.toMatchObject({
      code: 'unresolved',
      effect: 'none',
      what: expect.stringContaining('If it arrives later, the side is open again.'),
    });
  });

  it('names an open that can no longer arrive', async () => {
    const desk = await dealingDesk();
    const { progress } = desk.readContext;
    await anOpenSent(desk, 30);
    expect(await closeIfOpen(desk)).toMatchObject({ outcome: 'flat', warnings: [{ code: 'unresolved' }] });
    expect(progress.said.join('\n')).toContain('sent 30 min ago: outcome unknown');
  });

  it('is not called flat where readings that lacked it were not repeated to the end, since the service fails', async () => {
    let positions = 0;
    let isWell = true;
    const desk = await dealingDesk(undefined, {
      async wayTo(practice) {
        const way = (): never => expect.fail('no program is led there');
        const front = await frontOf({ desk: practice, way }, temporaryFolder());
        front.meddle(async (line, pass) => {
          if (isWell || !line.startsWith('GET /positions')) return pass();
          positions += 1;
          if (positions > 2) return 'cut';
          const passed = await pass();
          return { ...passed, body: JSON.stringify({ ...JSON.parse(passed.body), data: [] }) };
        });
        return front;
      },
    });
    await desk.now('open USDTNGN buy 10000');
    isWell = false;
    const closed = closeIfOpen(desk);
    await expect(closed).rejects.toMatchObject({ code: 'unavailable', effect: 'none' });
    expect(positions).toBeGreaterThan(2);
  });

  it('is not stopped by a reduction whose outcome was not checked, nor by a profile that only reads', async () => {
    const desk = await dealingDesk();
    const { identity, journal } = desk.readContext;
    await journal.append([anIntent({ identity, action: 'reduce' }), step(SENDING), step(ACCEPTED)]);
    expect(await closeIfOpen(desk)).toMatchObject({ outcome: 'flat', finding: undefined });
    const tradingContext = desk.tradingContext();
    const limits = () => ({ ...tradingContext.limits(), readOnly: true });
    const line = intent('close USDTNGN buy', { ifOpen: true, yes: true });
    expect(await executeAction(line, { ...tradingContext, limits })).toMatchObject({ outcome: 'flat' });
  });
});
