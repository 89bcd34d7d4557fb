/** A deal ID that looks like one in use: an open warns, on standard error and in the document; a deals file stops. */
import { describe, expect, it } from 'vitest';
import { aDesk, answered, codesOf, DEALS_HEADER, LOOSE } from '../support/deals-desk.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { testCli } from '../support/test-cli.ts';

const open = (dealId: string) => [
  'open',
  'USDTNGN',
  'buy',
  '1000',
  '--tenor',
  '3',
  '--deal-id',
  dealId,
  '--ensure',
  '--yes',
  '--json',
];

/** What looks alike, as it is first and as it is later. */
const SIMILAR: readonly (readonly [string, string])[] = [
  ['123', '00123'],
  ['1001', '1001.0'],
  ['PAY-1', 'pay-1'],
  ['PAY-1', 'PAY\u20131'],
  ['PAY-1', '\uff30\uff21\uff39-1'],
  ['CAF\u00c9', 'CAFE\u0301'],
];

function onAnotherMachine({ clock, front }: Awaited<ReturnType<typeof aDesk>>) {
  const home = temporaryFolder();
  return testCli({ home, clock, env: front.way(home) });
}

const row = (dealId: string): string => `${dealId},USDTNGN,buy,1000,3${LOOSE}`;

describe('a deal ID that looks like one in use', () => {
  it.each(SIMILAR)('warns in a script: %s, then %s', async (first, later) => {
    const desk = await aDesk();
    const before = await desk.run(open(first));
    expect([before.code, before.document()]).toMatchObject([0, { data: { derived: { warnings: [] } } }]);
    const ran = await desk.run(open(later));
    expect([ran.code, ran.document()]).toMatchObject([
      0,
      { data: { derived: { warnings: expect.arrayContaining(['similar_deal_id']) } } },
    ]);
    expect(ran.err).toMatch(/Deal ID "[^"]+" is new, but looks like "[^"]+", which is\s+used/);
    // The same deal ID again is the same deal.
    expect((await desk.run(open(first))).err).not.toContain('looks like');
  });

  it('warns at a prompt before it asks', async () => {
    const desk = await aDesk();
    await desk.run(open('PAY-1'));
    const ran = await desk.run(
      open('pay-1').filter((word) => word !== '--yes' && word !== '--json'),
      { terminal: { isTTY: { stdin: true, stdout: true, stderr: true }, width: 200 }, answer: 'n\r' },
    );
    expect([ran.code, ran.err]).toEqual([10, expect.stringContaining('looks like "PAY-1"')]);
  });

  it('warns where only the service knows the other one', async () => {
    const desk = await aDesk();
    await desk.run(open('PAY-1'));
    const other = onAnotherMachine(desk);
    const plain = open('pay-1').filter((word) => word !== '--ensure');
    const warned = await other.run(plain);
    expect([warned.code, warned.err]).toEqual([0, expect.stringContaining('looks like "PAY-1"')]);
  });

  it('stops --ensure where only the service knows the other one: it may be this deal in another form', async () => {
    const desk = await aDesk();
    await desk.run(open('PAY-1'));
    const other = onAnotherMachine(desk);
    const stopped = await other.run(open('pay-1'));
    expect([stopped.code, JSON.parse(stopped.out)]).toMatchObject([
      10,
      { error: { code: 'similar_deal_id' } },
    ]);
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('does not warn of one whose order was rejected', async () => {
    const desk = await aDesk();
    await desk.run('open USDTNGN buy 1000 --tenor 3 --deal-id PAY-1 --worst-price 1 --yes');
    expect((await desk.run(open('pay-1'))).err).not.toContain('looks like');
  });
});

describe('a deals file with deal IDs that look alike', () => {
  it.each(SIMILAR)('is rejected, with both lines: %s and %s', async (first, later) => {
    const desk = await aDesk();
    desk.write([row(first), row(later)]);
    const ran = await desk.deals('run FILE --yes --json');
    expect([ran.code, desk.served.acted('/hedges')]).toEqual([2, 0]);
    expect(ran.out).toMatch(/the deal ID .* looks like .* on line 2/);
  });

  it.each(SIMILAR)('is stopped by one that is used: %s, then %s in the file', async (first, later) => {
    const desk = await aDesk();
    await desk.run(open(first));
    desk.write([row(later), row('OTHER-1')]);
    for (const command of ['check FILE --json', 'run FILE --yes --json']) {
      const ran = await desk.deals(command);
      expect([ran.code, codesOf(ran)[0]]).toEqual([10, 'similar_deal_id']);
      expect(answered(ran).error?.hint).toContain(
        'No row is opened until line 2 fits or is out of the file.',
      );
    }
    expect(desk.served.acted('/hedges')).toBe(1);
  });

  it('is stopped by one that only the service knows, also where the price of the row is beyond its limit', async () => {
    const desk = await aDesk();
    await desk.served.colleague('/hedges', {
      side: 'buy',
      notional_usd: 1_000,
      tenor_days: 3,
      client_reference: 'PAY-1',
    });
    desk.write(['pay-1,USDTNGN,buy,1000,3,,0.1,']);
    expect(codesOf(await desk.deals('run FILE --yes --json'))).toEqual(['similar_deal_id']);
  });

  it('is not stopped by rows of its own that an earlier run opened', async () => {
    const desk = await aDesk();
    desk.write([row('PAY-1'), row('PAY-2')]);
    expect((await desk.deals('run FILE --yes --json')).code).toBe(0);
    expect((await desk.deals('run FILE --yes --json')).code).toBe(0);
  });
});

describe('a deals file under a halt', () => {
  it('advises to lift the halt and to run the file again, not to change it', async () => {
    const desk = await aDesk();
    desk.write([row('PAY-1'), row('PAY-2')], DEALS_HEADER);
    await desk.run(['halt', 'month end']);
    for (const command of ['check FILE --json', 'run FILE --yes --json']) {
      const ran = await desk.deals(command);
      expect([ran.code, codesOf(ran)]).toEqual([10, ['halted', 'halted']]);
      expect(answered(ran).error?.hint).toContain('hedge unhalt');
      expect(answered(ran).error?.hint).toContain('Run the same file again');
      expect(answered(ran).error?.hint).not.toContain('out of the file');
    }
  });
});
