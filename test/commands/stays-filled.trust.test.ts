/**
 * A service that keeps a hedge as filled once it was closed early, and whose positions have no size: neither is specified. The
 * journal has the close.
 */
import { describe, expect, it } from 'vitest';
import { aDesk } from '../support/deals-desk.ts';

async function aDeskThatKeepsThemFilled() {
  const desk = await aDesk();
  desk.front.meddle(async (line, pass) => {
    const answer = await pass();
    if (line.startsWith('GET /hedges') && !line.startsWith('GET /hedges/history'))
      return { ...answer, body: answer.body.replaceAll('"status":"closed"', '"status":"filled"') };
    if (!line.startsWith('GET /positions')) return answer;
    const document = JSON.parse(answer.body);
    document.data = document.data.map(({ notional_usd: _size, ...rest }: Record<string, unknown>) => rest);
    return { ...answer, body: JSON.stringify(document) };
  });
  return desk;
}

/** 10,000 bought and closed again, then 5,000 bought. */
async function aReopenedSide() {
  const desk = await aDeskThatKeepsThemFilled();
  for (const line of ['open USDTNGN buy 10k', 'open USDTNGN buy 5k']) {
    expect((await desk.run(`${line} --tenor 7 --yes`)).code).toBe(0);
    desk.clock.pass(120_000);
    if (line.endsWith('10k')) expect((await desk.run('close USDTNGN buy --yes')).code).toBe(0);
    desk.clock.pass(120_000);
  }
  return desk;
}

describe('a hedge that this machine closed, and that the service keeps as filled beside a new one,', () => {
  it.each([
    ['--to 5k', 10, undefined],
    ['--by 50%', 0, '2500'],
  ])('is not reduced with it (%s)', async (size, code, sent) => {
    const desk = await aReopenedSide();
    const ran = await desk.run(`reduce USDTNGN buy ${size} --yes --json`);
    expect(ran.code).toBe(code);
    if (sent !== undefined) expect(JSON.parse(ran.out).data.request.notional_usd.toString()).toBe(sent);
    const { body } = await desk.served.desk.get('/positions', { as: 'test' });
    expect(body.data[0].notional_usd).toBe(sent === undefined ? 5_000 : 2_500);
  });

  it('is not in the ladder of maturities', async () => {
    const desk = await aReopenedSide();
    const { data } = JSON.parse((await desk.run('maturities --json')).out);
    expect(JSON.stringify(data)).toContain('5000');
    expect(JSON.stringify(data)).not.toContain('15000');
  });
});

describe('a hedge that is over, and that the service keeps as filled,', () => {
  const OPEN = 'open USDTNGN buy 10k --tenor 1 --deal-id A-1 --ensure --yes';

  it.each(['was closed from here', 'has matured'])('is not called open: %s', async (how) => {
    const desk = await aDeskThatKeepsThemFilled();
    expect((await desk.run(OPEN)).code).toBe(0);
    desk.clock.pass(120_000);
    if (how === 'has matured') desk.clock.pass(25 * 3_600_000);
    else expect((await desk.run('close USDTNGN buy --yes')).code).toBe(0);
    desk.clock.pass(120_000);
    const again = await desk.run(OPEN);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('NO LONGER OPEN buy USDTNGN')]);
    const listed = await desk.run('hedges');
    expect(listed.out).toContain('Ended:');
    expect(listed.out).not.toContain('Total buy');
    expect(JSON.parse((await desk.run('hedges --status open --json')).out).data).toEqual([]);
  });
});
