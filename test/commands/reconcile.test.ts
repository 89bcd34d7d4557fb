/** `hedge reconcile` over a practice service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aBooksDesk, aWeek, dataOf, flat } from '../support/books-desk.ts';

describe('hedge reconcile', () => {
  it('agrees with the service after a week of one machine', async () => {
    const desk = await aWeek();
    const ran = await desk.hedge('reconcile');
    expect(ran.out).toContain('All agree.');
    expect(dataOf(await desk.hedge('reconcile --json')).derived).toMatchObject({
      not_compared: [],
      breaks: [],
      compared: { hedges: 3, actions: 4, closed: 2, positions: 1, finance: null },
    });
  });

  it('counts the hedges, records and actions that it compared for the period, of those that are listed', async () => {
    const desk = await aWeek();
    const ran = flat((await desk.hedge('reconcile --since 2h')).out);
    expect(ran).toContain(
      'Compared 1 of 3 hedges, 0 of 2 closed records and 1 position of the service with 1 action of the journal, since',
    );
    const comparedIn = async (line: string, code = 0) =>
      dataOf(await desk.hedge(`${line} --json`, code)).derived.compared;
    expect(await comparedIn('reconcile --since 2h')).toEqual({
      hedges: 1,
      actions: 1,
      closed: 0,
      positions: 1,
      finance: null,
    });
    // After PAY-1 was opened, and before it was reduced and settled: its result is one of this period.
    expect(await comparedIn(`reconcile --since ${desk.day}T12:30`)).toMatchObject({
      hedges: 3,
      actions: 4,
      closed: 2,
    });
    // A hedge that finance lists is compared, however old.
    const path = join(desk.home, 'finance.csv');
    writeFileSync(path, 'deal_id,notional_usd,rate\nPAY-1,5,1\n');
    const line = `reconcile --since 2h --against ${path}`;
    expect(await comparedIn(line, 11)).toMatchObject({ hedges: 2, actions: 3, closed: 1, finance: 1 });
    expect(flat((await desk.hedge(line, 11)).out)).toContain(
      "with 3 actions of the journal and 1 deal of finance's list, since",
    );
  });

  it('has no page that may be cut of exactly 20 hedges, where the service says that there are no more', async () => {
    const desk = await aBooksDesk();
    for (let count = 0; count < 20; count += 1) await desk.served.opened('sell', 1_000);
    expect((await desk.hedge('reconcile', 11)).out).not.toContain('may have more');
    await desk.hedge('reconcile --note phone');
    await desk.hedge('reconcile');
    // A service that does not say so: the hint names a line that explains it.
    desk.front.meddle(async (line, pass) => {
      const passed = await pass();
      if (!line.startsWith('GET /hedges?')) return passed;
      return { ...passed, body: JSON.stringify({ ...JSON.parse(passed.body), meta: {} }) };
    });
    const cut = await desk.hedge('reconcile --since 2d', 11);
    expect(cut.out).toMatch(/^page_may_be_cut +hedges .*20 listed/m);
    expect(flat(cut.err)).toContain(
      'To record why all of them are right: hedge reconcile --since 2d --note TEXT',
    );
    await desk.hedge('reconcile --since 2d --note asked');
    await desk.hedge('reconcile --since 2d');
  });

  it('exits 11 with a break, and 0 once a person has recorded why it is right', async () => {
    const desk = await aBooksDesk();
    const id = await desk.served.opened('sell', 30_000);
    const ran = await desk.hedge('reconcile', 11);
    expect(ran.out).toMatch(new RegExp(`^not_ours +journal .*${id}`, 'm'));
    expect(flat(ran.err)).toContain('1 break between the journal and the service.');
    await desk.run(['reconcile', id, '--note', 'dealt by phone']);
    const noted = await desk.hedge('reconcile');
    expect(flat(noted.out)).toContain('explained by');
    expect(dataOf(await desk.hedge('reconcile --json')).derived.breaks).toMatchObject([
      { class: 'not_ours', hedge_id: id, note: 'dealt by phone' },
    ]);
    // It settles, and stays explained.
    desk.hours(24 * 8);
    expect(dataOf(await desk.hedge('reconcile --since 20d --json')).derived.breaks).toMatchObject([
      {
        class: 'not_ours',
        hedge_id: id,
        journal: 'none',
        service: 'closed',
        finance: null,
        note: 'dealt by phone',
      },
    ]);
  });

  it.each([
    ['add USDTNGN buy 4k', 'add USDTNGN buy 3k'],
    ['add USDTNGN buy 4k', 'reduce USDTNGN buy 3k'],
    ['reduce USDTNGN buy 4k', 'add USDTNGN buy 3k'],
    ['reduce USDTNGN buy 4k', 'reduce USDTNGN buy 3k'],
    ['add USDTNGN buy 3k', 'reduce USDTNGN buy 4k'],
    ['close USDTNGN buy', 'reduce USDTNGN buy 3k --despite'],
  ])('agrees where %s ended after %s, which was sent later', async (first, second) => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id A-1 --yes');
    const { admin } = desk.served.desk.service;
    await admin.setFaults({ slow_fills_seconds: 25 });
    const { action_id: slow } = dataOf(await desk.hedge(`${first} --yes --no-wait --json`));
    await admin.clearFaults();
    await desk.hedge(`${second.replace('--despite', `--despite ${slow}`)} --yes`);
    desk.clock.pass(60_000);
    await desk.hedge('check');
    expect((await desk.hedge('reconcile')).out).toContain('All agree.');
  });

  it('exits 7 with an unknown outcome, and names the command that looks it up', async () => {
    const desk = await aBooksDesk();
    await desk.served.desk.service.admin.setFaults({ lost_after: 1, only: 'open' });
    await desk.hedge('open USDTNGN buy 4k --tenor 3 --deal-id PAY-9 --yes', 7);
    desk.clock.pass(10_000);
    const ran = await desk.hedge('reconcile', 7);
    expect(ran.out).toMatch(/^status +journal +PAY-9 .*unknown +filled/m);
    expect(flat(ran.out)).toMatch(/action [0-9a-f]{4}/);
    expect(ran.err).toContain('hedge check');
  });

  it('exits 5 where the service does not respond', async () => {
    const desk = await aBooksDesk();
    desk.front.meddle(async () => ({ status: 503, headers: {}, body: '' }));
    for (const command of ['snapshot', 'report', 'reconcile']) {
      const { out, err } = await desk.hedge(command, 5);
      expect([command, out]).toEqual([command, '']);
      expect(flat(err)).toContain('The service returned 503, 4 attempts. Nothing was changed.');
    }
  });

  it('compares with a list of finance that a spreadsheet saved, within tolerances', async () => {
    const desk = await aWeek();
    const path = join(desk.home, 'finance.csv');
    const hedges: readonly { client_reference: string; notional_usd: number; struck_rate: number }[] = dataOf(
      await desk.hedge('hedges --json'),
    );
    const rows = hedges.map(
      (each) =>
        `${each.client_reference};"${each.notional_usd.toLocaleString('en')}";${each.struck_rate.toFixed(2)};x`,
    );
    writeFileSync(path, `\ufeffDeal ID;Notional USD;Rate;Comment\r\n${rows.join('\r\n')}\r\n`);
    expect((await desk.run(['reconcile', '--against', path])).code).toBe(0);
    expect((await desk.run(['reconcile', '--against', path, '--tolerance-rate', '0'])).code).toBe(11);
    const german = hedges.map(
      (each) =>
        `${each.client_reference};${each.notional_usd.toLocaleString('de')},00;${each.struck_rate.toLocaleString('de')}`,
    );
    writeFileSync(path, `deal_id;notional_usd;rate\n${german.join('\n')}\n`);
    expect((await desk.run(['reconcile', '--against', path])).code).toBe(0);
    writeFileSync(path, 'deal_id;notional_usd;rate\nPAY-1;1.500,5;1500\nPAY-2;10.000;1500\n');
    expect(flat((await desk.run(['reconcile', '--against', path])).err)).toContain(
      'Line 3: notional_usd: "10.000" may be a thousand or a decimal',
    );
    writeFileSync(path, 'deal_id,notional_usd,rate\nPAY-1,ten,1500\nPAY-1,5,x\n');
    const wrong = await desk.run(['reconcile', '--against', path]);
    expect([wrong.code, flat(wrong.err)]).toEqual([
      2,
      expect.stringContaining('Line 2: "ten" is not a notional'),
    ]);
    expect((await desk.run(['reconcile', '--against', join(desk.home, 'none.csv')])).code).toBe(2);
    expect((await desk.run('reconcile --note x --no-save')).code).toBe(2);
    expect(flat((await desk.hedge('reconcile PAY-1 PAY-NONE', 2)).err)).toContain(
      'There is no hedge, deal or action "PAY-NONE" since',
    );
    expect((await desk.run('reconcile --tolerance-usd much')).code).toBe(2);
  });

  it('names the command that explains a break with finance, and records no note that explains nothing', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id COVER-1 --yes');
    const path = join(desk.home, 'finance.csv');
    writeFileSync(path, 'deal_id,notional_usd,rate\nCOVER-1,5,1500\n');
    const found = await desk.hedge(`reconcile --since 3d --against ${path}`, 11);
    expect(flat(found.err)).toContain(`hedge reconcile ID --since 3d --against ${path} --note TEXT`);
    const lost = await desk.run(['reconcile', 'COVER-1', '--note', 'a typing mistake']);
    expect([lost.code, flat(lost.err)]).toEqual([2, expect.stringContaining('It was not recorded.')]);
    const against = ['--since', '3d', '--against', path];
    expect((await desk.run(['reconcile', 'COVER-1', ...against, '--note', 'a typing mistake'])).code).toBe(0);
    expect(flat((await desk.hedge(`reconcile --against ${path}`)).out)).toContain('explained by');
    writeFileSync(path, 'deal_id,notional_usd,rate\nCOVER-1,5,1600\n');
    const again = await desk.hedge(`reconcile --since 3d --against ${path}`, 11);
    expect(flat(again.err)).toContain('2 breaks, 1 of them explained, between the journal, the service and');
    expect(again.out).toMatch(/^BREAK +AGAINST +DEAL ID .*SERVICE +FINANCE +NOTE$/m);
    const ran = await desk.run(['reconcile', ...against, '--json']);
    expect(dataOf(ran).derived.breaks).toMatchObject([
      { class: 'notional', journal: null, service: '20000', finance: '5' },
      { class: 'rate', finance: '1600' },
    ]);
    writeFileSync(path, 'deal_id,notional_usd,rate\n');
    expect(dataOf(await desk.run(['reconcile', ...against, '--json'])).derived.breaks).toMatchObject([
      { class: 'not_at_finance', deal_id: 'COVER-1', journal: null, service: 'filled', finance: 'none' },
    ]);
    expect(flat((await desk.hedge('reconcile COVER-1')).out)).toContain('COVER-1: agrees.');
  });

  it('knows a recorded note however old it is, as long as finance lists the deal', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id SUP-1 --yes');
    const path = join(desk.home, 'finance.csv');
    writeFileSync(path, 'deal_id,notional_usd,rate\nSUP-1,5,1\n');
    await desk.run(['reconcile', 'SUP-1', '--against', path, '--note', 'a typing mistake']);
    for (const days of [30, 31]) {
      desk.hours(24 * days);
      for (const since of ['1d', '7d', '20d']) {
        // oxlint-disable-next-line no-await-in-loop
        const ran = await desk.hedge(`reconcile --since ${since} --against ${path} --json`);
        expect([since, dataOf(ran).derived.breaks]).toMatchObject([
          since,
          [
            { class: 'notional', note: 'a typing mistake' },
            { class: 'rate', note: 'a typing mistake' },
          ],
        ]);
      }
    }
    // Another figure is another difference.
    await desk.hedge('open USDTNGN buy 9k --tenor 1 --deal-id SUP-2 --yes');
    await desk.run(['reconcile', 'SUP-2', '--against', path, '--note', 'booked tomorrow']);
    writeFileSync(path, 'deal_id,notional_usd,rate\nSUP-1,7,1\n');
    const changed = dataOf(await desk.hedge(`reconcile --against ${path} --json`, 11)).derived.breaks;
    expect(changed.map((each: { deal_id: string; note: string }) => [each.deal_id, each.note])).toEqual([
      ['SUP-1', null],
      ['SUP-1', 'a typing mistake'],
      ['SUP-2', 'booked tomorrow'],
    ]);
  });

  it('says of a deal that finance lists at its first size that it was reduced since', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    const [{ struck_rate: rate }] = dataOf(await desk.hedge('hedges --json'));
    desk.hours(1);
    await desk.hedge('reduce USDTNGN buy --by 25% --yes');
    const against = (notional: number): string => {
      const path = join(desk.home, 'finance.csv');
      writeFileSync(path, `deal_id,notional_usd,rate\nPAY-1,${notional},${rate}\n`);
      return `reconcile --against ${path}`;
    };
    const NOTE = 'its size when it was opened; list the size that is left';
    expect(flat((await desk.hedge(against(10_000), 11)).out)).toContain(NOTE);
    expect(flat((await desk.hedge(against(9_000), 11)).out)).not.toContain(NOTE);
    expect((await desk.hedge(against(7_500))).out).toContain('All agree.');
  });

  it('says of two breaks that their deal IDs look alike', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id COVER-1 --yes');
    await desk.hedge('open USDTNGN sell 5k --tenor 3 --deal-id SAL-1 --yes');
    const path = join(desk.home, 'finance.csv');
    writeFileSync(path, 'deal_id,notional_usd,rate\ncover-1,20000,1500\nPAY-9,100,1500\n');
    const { code, out } = await desk.run(['reconcile', '--against', path], {
      terminal: { isTTY: true, width: 200, env: { NO_COLOR: '1' } },
    });
    expect(code).toBe(11);
    expect(out).toMatch(/^not_at_venue +finance +cover-1 .*looks like COVER-1$/m);
    expect(out).toMatch(/^not_at_finance +finance +COVER-1 .*looks like cover-1$/m);
    expect(out.match(/looks like/g)).toHaveLength(2);
  });
});
