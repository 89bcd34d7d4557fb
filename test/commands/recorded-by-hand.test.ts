/** What a person recorded of an action, against what the service shows of it afterwards. */
import { describe, expect, it } from 'vitest';
import { aBooksDesk, dataOf, flat } from '../support/books-desk.ts';

const MINUTE = 60_000;
const OPEN = 'open USDTNGN buy 10k --tenor 3 --yes';

type Desk = Awaited<ReturnType<typeof aBooksDesk>>;
type Faults = Parameters<Desk['served']['desk']['service']['admin']['setFaults']>[0];

/** Sends one line with faults; gives its action. */
async function sent(desk: Desk, line: string, faults: Faults, code: number): Promise<string> {
  const { admin } = desk.served.desk.service;
  await admin.setFaults(faults);
  await desk.hedge(line, code);
  await admin.clearFaults();
  const [last] = dataOf(await desk.hedge('journal --limit 1 --json'));
  desk.clock.pass(10 * MINUTE);
  return last.short_id;
}

const recorded = (desk: Desk, action: string, as: 'executed' | 'not-executed', code = 0) =>
  desk.hedge(`journal resolve ${action} --as ${as} --reason phone --yes`, code);

describe('an open that a person recorded as executed', () => {
  it('is not called open once its order has failed, and can be opened again', async () => {
    const desk = await aBooksDesk();
    const line = `${OPEN} --deal-id RE-1`;
    const action = await sent(desk, line, { lost_after: 1, failing_orders: 1, only: 'open' }, 7);
    await recorded(desk, action, 'executed');
    expect(flat((await desk.hedge('reconcile', 11)).out)).toMatch(/status journal RE-1 .*executed failed/);
    const again = await desk.hedge(`${line} --ensure --json`, 9);
    expect(again.document()).toMatchObject({ data: { outcome: 'failed', effect: 'none' } });
    expect(dataOf(await desk.hedge(`journal ${action} --json`))).toMatchObject({ state: 'failed' });
    expect(dataOf(await desk.hedge(`${line} --ensure --retry-failed --json`)).hedge.status).toBe('filled');
  });

  it('stays open where its hedge is', async () => {
    const desk = await aBooksDesk();
    const action = await sent(desk, `${OPEN} --deal-id RE-1`, { lost_after: 1, only: 'open' }, 7);
    await recorded(desk, action, 'executed');
    expect(flat((await desk.hedge(`${OPEN} --deal-id RE-1 --ensure`)).out)).toContain('ALREADY OPEN');
  });
});

describe('an open whose hedge the service has', () => {
  it('is not recorded as not executed, and its check finds it', async () => {
    const desk = await aBooksDesk();
    const action = await sent(desk, OPEN, { lost_after: 1, only: 'open' }, 7);
    expect(flat((await recorded(desk, action, 'not-executed', 10)).err)).toMatch(
      /was executed: the service has its hedge, "hdg_\w+"\. The journal is unchanged\. hedge check \w+/,
    );
    expect(flat((await desk.hedge(`check ${action}`)).out)).toContain('FILLED buy USDTNGN 10,000.00 USD');
  });

  it('is recorded where the service cannot be asked, and found by a later check', async () => {
    const desk = await aBooksDesk();
    const action = await sent(desk, OPEN, { lost_after: 1, only: 'open' }, 7);
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ lost_before: 1 });
    await recorded(desk, action, 'not-executed');
    await admin.clearFaults();
    expect(flat((await desk.hedge(`check ${action}`)).out)).toContain('FILLED buy USDTNGN 10,000.00 USD');
    expect(dataOf(await desk.hedge(`journal ${action} --json`))).toMatchObject({ outcome: 'filled' });
  });
});

describe('a close that did not execute and was recorded as executed', () => {
  const ROLL = 'roll USDTNGN buy --tenor 3 --max-cost-bps 900 --yes';

  it('opens no second leg beside the first one', async () => {
    const desk = await aBooksDesk();
    await desk.hedge(`${OPEN} --deal-id PAY-1`);
    desk.hours(1);
    const action = await sent(desk, `${ROLL} --at now`, { failing_orders: 1 }, 8);
    await desk.hedge(`check ${action}`, 7);
    await recorded(desk, action, 'executed');
    const ran = await desk.hedge('roll run --due --yes', 10);
    expect(flat(ran.err)).toMatch(/Hedge "hdg_\w+" is open, although action \w+, its close, was recorded/);
    expect(flat(ran.err)).toContain(`hedge journal resolve ${action} --as not-executed`);
    expect(flat(ran.err)).not.toContain('is flat');
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });

  it('does not end the roll of a hedge that settled', async () => {
    const desk = await aBooksDesk();
    await desk.hedge(`${OPEN} --deal-id PAY-1`);
    desk.hours(1);
    await desk.hedge(`roll PAY-1 --tenor 3 --at maturity --max-cost-bps 900 --yes`);
    const action = await sent(desk, 'close USDTNGN buy --yes', { failing_orders: 1 }, 8);
    await desk.hedge(`check ${action}`, 7);
    await recorded(desk, action, 'executed');
    desk.hours(72);
    const ran = await desk.hedge('roll run --due --yes', 10);
    expect(flat(ran.err)).toContain('a person recorded its close, but the history has it as settled');
    await recorded(desk, action, 'not-executed');
    await desk.hedge('roll run --due --yes');
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });
});
