/**
 * An action that never reached the service is entered again after the side has changed: it is a new decision, on the position
 * of now, under the same key.
 */
import { describe, expect, it } from 'vitest';
import { aDesk, worse } from '../support/deals-desk.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { testCli } from '../support/test-cli.ts';

/** A side of 10,000, and a line that was rate-limited: nothing of it was stored. */
async function afterRateLimit(line: string) {
  const desk = await aDesk();
  const { admin } = desk.served.desk.service;
  expect((await desk.run('open USDTNGN buy 10k --tenor 7 --yes')).code).toBe(0);
  desk.clock.pass(120_000);
  await admin.setFaults({ rate_limited: 1, only: 'actions' });
  const limited = await desk.run(line);
  await admin.clearFaults();
  expect(JSON.parse(limited.out).data).toMatchObject({ outcome: 'not_sent', effect: 'none' });
  const elsewhere = temporaryFolder();
  const other = testCli({ home: elsewhere, clock: desk.clock, env: desk.front.way(elsewhere) });
  return {
    ...desk,
    actionId: String(JSON.parse(limited.out).data.action_id),
    colleague: async (theirs: string) => {
      expect((await other.run(`${theirs} --yes`)).code).toBe(0);
      desk.clock.pass(120_000);
    },
    size: async () => {
      const { body } = await desk.served.desk.get('/positions', { as: 'test' });
      return body.data[0]?.notional_usd ?? 0;
    },
  };
}

describe('a line that never reached the service, entered again under its key after the side has changed,', () => {
  it.each([
    ['reduce USDTNGN buy --by 50%', 'reduce USDTNGN buy 5k', 2_500],
    ['reduce USDTNGN buy --to 5k', 'add USDTNGN buy 5k', 5_000],
    ['add USDTNGN buy --to 20k', 'add USDTNGN buy 5k', 20_000],
    ['reduce USDTNGN buy 5k', 'add USDTNGN buy 5k', 10_000],
    ['close USDTNGN buy', 'add USDTNGN buy 5k', 0],
  ])('%s is meant for the position of now (%s)', async (line, theirs, left) => {
    const desk = await afterRateLimit(`${line} --yes --json --idempotency-key K-1`);
    await desk.colleague(theirs);
    const ran = await desk.run(`${line} --yes --json --idempotency-key K-1`);
    expect([ran.code, JSON.parse(ran.out).data.effect]).toEqual([0, 'done']);
    expect(await desk.size()).toBe(left);
  });

  it('in a batch too', async () => {
    const desk = await aDesk();
    const { admin } = desk.served.desk.service;
    await desk.run('open USDTNGN buy 20k --tenor 7 --yes');
    desk.clock.pass(120_000);
    const stdin = 'reduce USDTNGN buy --by 50%\n';
    await admin.setFaults({ rate_limited: 1, only: 'actions' });
    expect((await desk.run('batch - --name day --yes', { stdin })).code).not.toBe(0);
    await admin.clearFaults();
    await desk.run('reduce USDTNGN buy 10k --yes');
    desk.clock.pass(120_000);
    expect((await desk.run('batch - --name day --yes', { stdin })).code).toBe(0);
    const { body } = await desk.served.desk.get('/positions', { as: 'test' });
    expect(body.data[0]?.notional_usd).toBe(5_000);
  });
});

describe('resume of an action that never reached the service', () => {
  it.each([
    ['reduce USDTNGN buy --by 50%', 'reduce USDTNGN buy 5k'],
    ['reduce USDTNGN buy 5000', 'add USDTNGN buy 5k'],
    ['close USDTNGN buy', 'reduce USDTNGN buy 5k'],
    ['add USDTNGN buy 5000 --max-cost-bps 300', 'reduce USDTNGN buy 5k'],
  ])('stops where the side has changed since, and names the line (%s, %s)', async (line, theirs) => {
    const desk = await afterRateLimit(`${line} --yes --json`);
    await desk.colleague(theirs);
    const size = await desk.size();
    const ran = await desk.run(`resume ${desk.actionId} --yes --resend --json`);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code]).toEqual([10, 'book_changed']);
    const [command = '', limit] = line.split(' --max');
    expect(error.hint).toContain(`hedge ${command}`);
    if (limit !== undefined) expect(error.hint).toContain(`--max${limit}`);
    expect(await desk.size()).toBe(size);
  });

  it('stops where its size would cover other naira by now', async () => {
    const desk = await afterRateLimit('open USDTNGN buy --ngn 8m --tenor 3 --any-price --yes --json');
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      return line === 'POST /quotes' ? worse(answer, 900) : answer;
    });
    const ran = await desk.run(`resume ${desk.actionId} --yes --resend --json`);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code]).toEqual([10, 'book_changed']);
    expect(error.message).toContain('8,000,000');
    expect(error.hint).toContain('hedge open USDTNGN buy --ngn 8000000 --tenor 3');
  });

  it('sends it where the side is unchanged', async () => {
    const desk = await afterRateLimit('reduce USDTNGN buy --by 50% --yes --json');
    expect((await desk.run(`resume ${desk.actionId} --yes --resend`)).code).toBe(0);
    expect(await desk.size()).toBe(5_000);
  });
});
