import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../src/errors.ts';
import { hostOf } from '../../../src/platform/host.ts';
import { waitFor } from '../../../src/trading/recover/named-action.ts';
import { resumeOpenAction } from '../../../src/trading/recover/resume-action.ts';
import { anIntent, NOT_SENT, SENDING, step } from '../../journal/records.ts';
import { type DealingDesk, dealingDesk } from '../trading-context.ts';

const MINUTE = { timeoutMs: 60_000 };
const OPEN = 'open USDTNGN buy 10k';
const THERE = { market: 'USDTNGN', side: 'buy', notional_usd: 700, tenor_days: 1 };

const hedges = async (desk: DealingDesk) => (await desk.readContext.api.hedges()).data;

describe('waiting for an action', () => {
  it.each([
    ['its id', ({ id }: { id: string }) => id],
    ['its short id', ({ shortId }: { shortId: string }) => shortId],
    ['its hedge', ({ hedgeId }: { hedgeId?: string | undefined }) => hedgeId ?? ''],
    ['its deal id', () => 'PAY-1'],
  ])('named by %s ends with its end, written down', async (_what, wordOf) => {
    const desk = await dealingDesk();
    const action = await desk.deal(OPEN, { dealId: 'PAY-1' });
    const report = await waitFor(wordOf(action), MINUTE, desk.readContext);
    expect(report).toMatchObject({ outcome: 'filled', finding: undefined, hedge: { id: action.hedgeId } });
    expect(desk.again(action).state).toBe('done');
    // What has ended is told at once.
    const waited = desk.readContext.clock.now();
    expect(await waitFor(wordOf(action), MINUTE, desk.readContext)).toMatchObject({ outcome: 'filled' });
    expect(desk.readContext.clock.now()).toBe(waited);
  });

  it.each([
    ['close USDTNGN buy', 'closed', '0'],
    ['reduce USDTNGN buy 9,950', 'closed', '0'],
    ['reduce USDTNGN buy 4000', 'changed', '6000'],
    ['add USDTNGN buy 2000', 'changed', '12000'],
  ])('%s that has ended is reported with what it changed', async (line, outcome, after) => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    const { entry } = await desk.now(line);
    const report = await waitFor(entry?.id ?? '', MINUTE, desk.readContext);
    expect(report.outcome).toBe(outcome);
    const changes = report.hedges?.map((change) => [change.before.toFixed(), change.after.toFixed()]);
    expect(changes).toEqual([['10000', after]]);
  });

  it('that failed says so', async () => {
    const desk = await dealingDesk();
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    const action = await desk.deal(OPEN);
    expect(await waitFor(action.id, MINUTE, desk.readContext)).toMatchObject({
      finding: { code: 'order_failed' },
    });
  });

  it('whose end does not come in time is pending', async () => {
    const desk = await dealingDesk();
    await desk.practice.service.admin.setFaults({ slow_fills_seconds: 600 });
    const action = await desk.deal(OPEN);
    const report = await waitFor(action.id, { timeoutMs: 5_000 }, desk.readContext);
    expect(report).toMatchObject({ outcome: 'pending', finding: { code: 'pending' } });
    expect(desk.again(action).state).toBe('accepted');
  });

  it('without a response is awaited until its change shows, and is unknown even so: another may have made it', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    const lost = await desk.lost('before', 'add USDTNGN buy 2000');
    const began = desk.readContext.clock.now();
    const clock = {
      ...desk.readContext.clock,
      async sleep(ms: number) {
        await desk.readContext.clock.sleep(ms);
        if (desk.readContext.clock.now() - began < 20_000 || shown) return;
        shown = true;
        await desk.colleague('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 2_000 });
      },
    };
    let shown = false;
    const report = await waitFor(lost.shortId, MINUTE, { ...desk.readContext, clock });
    expect(report).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'outcome_unknown', details: { evidence: 'exact' } },
    });
    const waited = desk.readContext.clock.now() - began;
    expect(waited).toBeGreaterThan(20_000);
    expect(waited).toBeLessThan(60_000);
  });

  it.each(['add USDTNGN buy 2000', 'reduce USDTNGN buy 2000', 'close USDTNGN buy'])(
    '%s without a response is awaited until no attempt can arrive any more, and then looked up once',
    async (line) => {
      const desk = await dealingDesk();
      await desk.now(OPEN);
      const lost = await desk.lost('before', line);
      const began = desk.readContext.clock.now();
      const hour = { timeoutMs: 3_600_000 };
      const report = await waitFor(lost.shortId, hour, desk.readContext);
      expect(report).toMatchObject({ outcome: 'unknown', finding: { details: { evidence: 'none' } } });
      const waited = desk.readContext.clock.now() - began;
      expect(waited).toBeGreaterThanOrEqual(5 * 60_000);
      expect(waited).toBeLessThan(7 * 60_000);
      expect(desk.again(lost)).toEqual(lost);
      await waitFor(lost.shortId, hour, desk.readContext);
      expect(desk.readContext.clock.now() - began).toBe(waited);
    },
  );

  it('without a response that another process resumes meanwhile ends with what that came to', async () => {
    const desk = await dealingDesk();
    await desk.now(OPEN);
    const lost = await desk.lost('before', 'add USDTNGN buy 2000');
    let resumed: Promise<unknown> | undefined;
    const clock = {
      ...desk.readContext.clock,
      async sleep(ms: number) {
        await desk.readContext.clock.sleep(ms);
        resumed ??= resumeOpenAction(
          { word: lost.id, yes: true, resend: true, dryRun: false, wait: true, timeoutMs: 60_000 },
          desk.tradingContext(),
        );
        await resumed;
      },
    };
    const report = await waitFor(lost.shortId, MINUTE, { ...desk.readContext, clock });
    expect(report).toMatchObject({ outcome: 'changed', finding: undefined });
  });

  it('without a response that may still arrive is not called undone when the waiting is stopped', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', OPEN);
    desk.stop(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }));
    expect(await waitFor(lost.shortId, MINUTE, desk.readContext)).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'interrupted', effect: 'unknown' },
    });
    expect(desk.again(lost)).toEqual(lost);
  });

  it('without a response is unknown where nothing can be read until the time is up', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', OPEN);
    await desk.practice.service.admin.setFaults({ fail_before: 1, only: 'readings' });
    const report = await waitFor(lost.shortId, MINUTE, desk.readContext);
    expect(report).toMatchObject({ outcome: 'unknown', finding: { code: 'outcome_unknown' } });
  });

  it('that another process is sending waits for what that comes to', async () => {
    const desk = await dealingDesk();
    const { identity, journal } = desk.readContext;
    const [writer, at] = [hostOf(process).self, new Date(desk.readContext.clock.now()).toISOString()];
    await journal.append([anIntent({ identity, writer, at }), { ...step(SENDING, '7c1e', 1, writer), at }]);
    const still = await waitFor('7c1e', { timeoutMs: 3_000 }, desk.readContext);
    expect(still).toMatchObject({ outcome: 'pending', finding: { code: 'pending' } });
    const clock = {
      ...desk.readContext.clock,
      async sleep(ms: number) {
        await desk.readContext.clock.sleep(ms);
        await journal.append([step({ kind: 'refused', code: 'exposure_exceeded', http_status: 400 })]);
      },
    };
    const readContext = { ...desk.readContext, clock };
    expect(await waitFor('7c1e', MINUTE, readContext)).toMatchObject({ outcome: 'refused' });
  });

  it('that another process is sending does not call it undone when the waiting is stopped', async () => {
    const desk = await dealingDesk();
    const { identity, journal } = desk.readContext;
    const [writer, at] = [hostOf(process).self, new Date(desk.readContext.clock.now()).toISOString()];
    await journal.append([anIntent({ identity, writer, at }), { ...step(SENDING, '7c1e', 1, writer), at }]);
    desk.stop(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }));
    expect(await waitFor('7c1e', MINUTE, desk.readContext)).toMatchObject({
      outcome: 'unknown',
      finding: { code: 'interrupted', effect: 'unknown' },
    });
  });

  it.each([
    ['never left this machine', []],
    ['found nobody listening', [SENDING, NOT_SENT]],
  ])('that %s is not as good as done', async (_what, steps) => {
    const desk = await dealingDesk();
    await desk.readContext.journal.append([
      anIntent({ identity: desk.readContext.identity }),
      ...steps.map((each) => step(each)),
    ]);
    expect(await waitFor('7c1e', MINUTE, desk.readContext)).toMatchObject({
      outcome: 'not_sent',
      effect: 'none',
      finding: { code: 'not_sent', effect: 'none' },
    });
  });
});

describe('waiting for a hedge that was opened elsewhere', () => {
  it.each([['its id'], ['its deal id']])('named by %s ends with its fill', async (what) => {
    const desk = await dealingDesk();
    await desk.colleague('/hedges', { ...THERE, client_reference: 'THEIRS' });
    const [hedge] = await hedges(desk);
    const word = what === 'its id' ? (hedge?.id ?? '') : 'THEIRS';
    const report = await waitFor(word, MINUTE, desk.readContext);
    expect(report).toMatchObject({ entry: undefined, outcome: 'filled', hedge: { id: hedge?.id } });
  });

  it('takes the one of a deal ID that did not fail, and names all where several did not', async () => {
    const desk = await dealingDesk();
    const theirs = { ...THERE, client_reference: 'THEIRS' };
    await desk.practice.service.admin.setFaults({ failing_orders: 1 });
    await desk.colleague('/hedges', theirs);
    desk.practice.clock.pass(3_000);
    await desk.practice.service.admin.clearFaults();
    expect(await waitFor('THEIRS', MINUTE, desk.readContext)).toMatchObject({ outcome: 'failed' });
    await desk.colleague('/hedges', theirs);
    expect(await waitFor('THEIRS', MINUTE, desk.readContext)).toMatchObject({ outcome: 'filled' });
    await desk.colleague('/hedges', theirs);
    await expect(waitFor('THEIRS', MINUTE, desk.readContext)).rejects.toMatchObject({
      code: 'outcome_unknown',
      details: { hedge_ids: [expect.stringMatching(/^hdg_/), expect.stringMatching(/^hdg_/)] },
    });
  });

  it('that is unknown is rejected by the service', async () => {
    const desk = await dealingDesk();
    const waiting = waitFor('hdg_nobody', MINUTE, desk.readContext);
    await expect(waiting).rejects.toMatchObject({ code: 'hedge_not_found', httpStatus: 404 });
    await expect(waitFor('PAY-9', MINUTE, desk.readContext)).rejects.toMatchObject({
      what: 'Not found: no action, hedge or deal ID "PAY-9".',
    });
  });
});
