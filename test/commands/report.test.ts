/** `hedge report` over a practice service: its screens, documents and page. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aBooksDesk, aWeek, bigOf, bridgeOf, dataOf, flat, noonOf, sumOf } from '../support/books-desk.ts';
import { readCsv } from '../support/csv.ts';
import { TUESDAY } from '../support/moving-clock.ts';

describe('hedge report', () => {
  it('leads from the opening to the closing value of the service, to the last digit', async () => {
    const { hedge, account, day } = await aWeek();
    const ran = await hedge(`report --since ${day} --json`);
    const bridge = bridgeOf(ran);
    expect(bigOf(bridge.opening.net_asset_value_usdc).toFixed()).toBe('100000');
    expect(bigOf(bridge.closing.net_asset_value_usdc).toFixed()).toBe((await account()).value);
    const { net_asset_value_usdc: opening } = bridge.opening;
    expect(sumOf([opening, bridge.realized_usd, bridge.unrealized_usd, bridge.unexplained_usd])).toBe(
      (await account()).value,
    );
    const { groups, total } = dataOf(ran).derived;
    expect(groups.map((each: { deal_id: string }) => each.deal_id)).toEqual(['PAY-1', 'SAL-1', 'PAY-2']);
    expect(sumOf(groups.map((each: { net_usd: number }) => each.net_usd))).toBe(
      bigOf(total.net_usd).toFixed(),
    );
    // All hedges are this machine's, and the reduced one has settled.
    expect(bridge.unexplained_usd).toBe(0);
  });

  it('has the net P&L of the record for a hedge that opened and closed in the period', async () => {
    const { hedge } = await aWeek();
    const { groups } = dataOf(await hedge('report --since 7d --json')).derived;
    const records: readonly { client_reference: string; net_pnl_usd: number }[] = dataOf(
      await hedge('history --json'),
    );
    for (const { client_reference: dealId, net_pnl_usd: net } of records) {
      const group = groups.find((each: { deal_id: string }) => each.deal_id === dealId);
      expect([dealId, bigOf(group.net_usd).toFixed()]).toEqual([dealId, bigOf(net).toFixed()]);
    }
    expect(records).toHaveLength(2);
  });

  it("has a colleague's deal and a deposit of another kind in the unexplained part, and names the hedge", async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    const id = await desk.served.opened('sell', 30_000);
    desk.hours(5);
    const ran = await desk.hedge('report --json');
    const { value } = await desk.account();
    expect([bridgeOf(ran).realized_usd, bigOf(bridgeOf(ran).unexplained_usd).toFixed()]).toEqual([
      0,
      bigOf(value).minus(100_000).toFixed(),
    ]);
    expect(dataOf(ran).derived.not_opened_here).toEqual([id]);
    expect(flat((await desk.hedge('report')).out)).toContain(
      `Not opened from this machine, and in the unexplained part: ${id}`,
    );
  });

  it('says of a hedge whose open has not ended that it is from this machine', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes --no-wait');
    desk.hours(1);
    const ran = await desk.hedge('report --no-save --json');
    const { not_opened_here: others, unconfirmed_opens: unconfirmed } = dataOf(ran).derived;
    expect([others, unconfirmed]).toEqual([[], [expect.stringMatching(/^hdg_/)]]);
    expect(flat((await desk.hedge('report')).out)).toContain(
      `Opened from this machine, not confirmed yet (hedge check), and not in these figures: ${unconfirmed[0]}`,
    );
    await desk.hedge('check');
    expect(dataOf(await desk.hedge('report --json')).derived).toMatchObject({
      not_opened_here: [],
      unconfirmed_opens: [],
      groups: [{ deal_id: 'PAY-1' }],
    });
  });

  it('says that its split is not final while an outcome is not known', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    await desk.served.desk.service.admin.setFaults({ lost_after: 1, only: 'reduce' });
    await desk.hedge('reduce USDTNGN buy 2k --yes', 7);
    await desk.served.desk.service.admin.setFaults({});
    desk.hours(1);
    const { unresolved } = dataOf(await desk.hedge('report --json')).derived;
    expect(unresolved).toEqual([expect.stringMatching(/^[0-9a-f]{4}$/)]);
    expect(flat((await desk.hedge('report')).out)).toContain(
      `The outcome of these actions is not known, and the split is not final (hedge check): ${unresolved[0]}.`,
    );
    const before = await desk.hedge('report --month last --no-save --json');
    expect(dataOf(before).derived.unresolved).toEqual([]);
  });

  it('of the last month is the whole month before this one', async () => {
    const desk = await aBooksDesk(Date.parse('2026-12-01T09:00:00Z'));
    const { from, to } = dataOf(await desk.hedge('report --month last --no-save --json')).derived;
    expect([from.asked, to.asked]).toEqual(['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z']);
  });

  it('of a week takes the name that it gives a week', async () => {
    const desk = await aBooksDesk(Date.parse('2026-12-01T09:00:00Z'));
    const { from, to } = dataOf(await desk.hedge('report --week 2026-W48 --no-save --json')).derived;
    expect([from.asked, to.asked]).toEqual(['2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z']);
  });

  it('by day, prefix and side adds up to the same', async () => {
    const { hedge } = await aWeek();
    const { total } = dataOf(await hedge('report --since 7d --json')).derived;
    for (const by of ['day', 'prefix', 'side', 'operator', 'market']) {
      const rows = readCsv((await hedge(`report --since 7d --by ${by} --csv`)).out);
      const figures = rows.flatMap((row) => [row['realized_usd'], row['unrealized_usd'] || '0']);
      expect([by, sumOf(figures)]).toEqual([by, bigOf(total.net_usd).toFixed()]);
    }
    const prefixes = readCsv((await hedge('report --since 7d --by prefix --csv')).out);
    expect(prefixes.map((row) => [row['name'], row['hedges']])).toEqual([
      ['PAY', '2'],
      ['SAL', '1'],
    ]);
    const days = readCsv((await hedge('report --since 7d --by day --csv')).out);
    // Tuesday ends with the snapshot before the first open, and the sell settles on Wednesday.
    expect(days.map((row) => row['hedges'])).toEqual(['0', '0', '0', '0', '0', '2', '1', '2']);
  });

  it('has the days of the period and no others where a snapshot is taken each night before or after midnight', async () => {
    const midnight = noonOf(TUESDAY) + 12 * 3_600_000;
    for (const minutes of [-5, 5]) {
      const desk = await aBooksDesk(midnight + minutes * 60_000);
      await desk.hedge('snapshot');
      await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
      const days: string[] = [];
      for (let night = 0; night < 3; night += 1) {
        days.push(new Date(midnight + night * 24 * 3_600_000).toISOString().slice(0, 10));
        desk.hours(24);
        await desk.hedge('snapshot');
      }
      desk.hours(20);
      const words = `--since ${days[0] ?? ''} --until ${days[2] ?? ''} --by day`;
      const rows = readCsv((await desk.hedge(`report ${words} --csv`)).out);
      expect([minutes, rows.map((row) => row['name'])]).toEqual([minutes, days]);
      expect(rows.every((row) => row['unrealized_usd'] !== '')).toBe(true);
      expect((await desk.hedge(`report ${words}`)).out).not.toContain('No snapshot near');
    }
  });

  it('says that the P&L of a reduce is an estimate where that is in the unexplained part', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(20);
    const ESTIMATE = 'The P&L of a reduce is an estimate until its hedge closes';
    const report = async (): Promise<string> => flat((await desk.hedge(`report --since ${desk.day}`)).out);
    await desk.hedge('reduce USDTNGN buy --by 25% --yes');
    expect(await report()).toContain(ESTIMATE);
    desk.hours(60);
    expect(await report()).not.toContain(ESTIMATE);
  });

  it('says why a fee to close may be positive, and how far from the time asked for it begins', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
    await desk.hedge('snapshot');
    desk.hours(20);
    const POSITIVE = 'Fees are positive where a fee to close that the opening counted fell away';
    const open = flat((await desk.hedge('report --no-save')).out);
    expect(open).toContain(
      `(the nearest, 11 h before ${new Date(noonOf(TUESDAY) + 12 * 3_600_000).toISOString().slice(0, 10)}T00:00:00Z)`,
    );
    expect(open).not.toContain(POSITIVE);
    await desk.hedge('close USDTNGN buy --yes');
    expect(flat((await desk.hedge('report --no-save')).out)).toContain(POSITIVE);
  });

  it('by day begins with the first snapshot or hedge on a screen, and says what it leaves out', async () => {
    const desk = await aWeek();
    const { out } = await desk.hedge('report --since 7d --by day --no-save');
    expect(out.match(/^2026-\d\d-\d\d /gm)).toHaveLength(4);
    expect(flat(out)).toContain('Not shown: 4 days before the first snapshot and the first hedge.');
    const ofWeek = await desk.hedge(`report --since ${desk.day} --by day --no-save`);
    expect(ofWeek.out).not.toContain('Not shown:');
  });

  it('marks the rows whose figures are partial, and no others', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id PAY-1 --yes');
    await desk.hedge('open USDTNGN sell 20k --tenor 7 --deal-id PAY-2 --yes');
    desk.hours(60);
    await desk.hedge('snapshot');
    desk.hours(24);
    const { out } = await desk.hedge('report --since 1d --no-save');
    expect(out).not.toMatch(/partial/i);
    const day = await desk.hedge(`report --since ${desk.day} --by day --no-save`);
    const rows = readCsv((await desk.hedge(`report --since ${desk.day} --by day --no-save --csv`)).out);
    expect(new Set(rows.map(({ partial }) => partial))).toEqual(new Set(['true', 'false']));
    for (const { name, partial } of rows)
      expect(day.out).toMatch(
        new RegExp(`^${name ?? ''} .*${partial === 'true' ? ' partial' : '\\d'}$`, 'm'),
      );
    expect(flat(day.out)).toContain('Partial: a row has no net where figures of it are not known.');
  });

  it('without a snapshot at its end shows only what was realized, and says so above the figures, also on the page', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id PAY-1 --yes');
    await desk.hedge('open USDTNGN sell 20k --tenor 7 --deal-id PAY-2 --yes');
    desk.hours(26);
    await desk.hedge('snapshot');
    desk.hours(24 * 5);
    const path = join(desk.home, 'days.html');
    const { out } = await desk.run(
      ['report', '--since', desk.day, '--until', '2026-11-28', '--html', path, '--no-save'],
      { terminal: { isTTY: true, width: 200, env: { NO_COLOR: '1' } } },
    );
    const words = 'Partial, only what was realized: the unrealized P&L of 1 hedge is not known';
    expect(out.indexOf(words)).toBeGreaterThan(0);
    expect(flat(out)).toMatch(/is not known, because no snapshot is near Sun 29 Nov 00:00/);
    expect(out).not.toContain('Why is below');
    expect(out.indexOf(words)).toBeLessThan(out.indexOf('Hedges of this machine'));
    expect(out).toMatch(/^Hedges of this machine +[-+][\d,.]+ +— +— +partial$/m);
    expect(out).toMatch(/^PAY-2 .* — +— +partial$/m);
    expect(out).toMatch(/^Total .* — +— +partial$/m);
    const page = flat(readFileSync(path, 'utf8'));
    expect(page).toContain('Partial, only what was realized');
    expect(page).toContain('Realized P&#38;L in parts, USDC');
  });

  it('has no net of a partial row in any view: on the screen, in the document, in CSV, by deal and by day', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(30);
    for (const by of ['deal', 'day', 'side']) {
      const line = `report --day --by ${by} --no-save`;
      const { groups, total } = dataOf(await desk.hedge(`${line} --json`)).derived;
      for (const each of [...groups, total])
        expect([by, each]).toEqual([
          by,
          expect.objectContaining({ partial: true, net_usd: null, unrealized_usd: null, fees_usdc: null }),
        ]);
      const csv = await desk.hedge(`${line} --csv`);
      expect(readCsv(csv.out)[0]).toMatchObject({ net_usd: '', market_usd: '', partial: 'true' });
      const bare = await desk.hedge(`${line} --columns realized_usd,net_usd --csv`);
      for (const { err } of [csv, bare]) expect(err).toContain('Some rows are partial');
      expect((await desk.hedge(line)).out).toMatch(/ +0\.00 +— +— +partial$/m);
    }
  });

  it('by day begins no day earlier than a first snapshot of the next morning', async () => {
    const desk = await aBooksDesk(Date.parse('2026-11-24T07:00:00Z'));
    await desk.hedge('snapshot');
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(30);
    const { out } = await desk.hedge('report --since 2026-11-20 --by day --no-save');
    expect(out).not.toMatch(/^2026-11-23 /m);
    expect(flat(out)).toContain('Not shown: 4 days before the first snapshot and the first hedge.');
  });

  it('shows the bridge in parts', async () => {
    const desk = await aWeek();
    const { out } = await desk.run(`report --since ${desk.day}`, {
      terminal: { isTTY: true, width: 120, env: { NO_COLOR: '1' } },
    });
    expect(out).toMatch(/^Opening net asset value +100,000\.00$/m);
    for (const part of ['Market move', 'Impact', 'Slippage', 'Carry', 'Fees'])
      expect(out).toMatch(new RegExp(`^${part} +[+-]?\\d`, 'm'));
    expect(out).toMatch(/^Unexplained +0\.00$/m);
    expect(out).toMatch(
      /^DEAL ID +HEDGE +SIDE +MARKET MOVE +IMPACT +SLIPPAGE +CARRY +FEES +REALIZED +UNREALIZED, CHANGE +NET$/m,
    );
    expect(out.match(/USDC counts as USD/g)).toHaveLength(1);
  });

  it('begins with a snapshot of the same second, as cron takes it just before', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(24);
    await desk.hedge('snapshot');
    const { out } = await desk.hedge('report --no-save');
    expect(flat(out)).not.toContain('No snapshot near');
    expect(flat(out)).toMatch(
      /Opening net asset value ([\d,.]+) .*Unexplained 0\.00 Closing net asset value \1 /,
    );
  });

  it('without a snapshot near its beginning says so, and has what was realized', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id PAY-1 --yes');
    desk.hours(30);
    const ran = await desk.hedge('report --since 7d --no-save --json');
    const [record] = dataOf(await desk.hedge('history --json'));
    expect([bridgeOf(ran), bigOf(dataOf(ran).derived.total.net_usd).toFixed()]).toEqual([
      null,
      bigOf(record.net_pnl_usd).toFixed(),
    ]);
    const { out } = await desk.hedge('report --since 7d --no-save');
    expect(flat(out)).toContain('no opening net asset value, so no bridge. Take one a day: hedge snapshot');
    await desk.hedge('snapshot');
    desk.hours(100);
    expect((await desk.hedge('report --month')).out).toMatch(/hedge report --since 20|From the snapshot/);
    await desk.hedge('export --format hledger --no-save');
  });

  it('names the report from the first snapshot of a period that is over, with the end that was asked for', async () => {
    const desk = await aBooksDesk(Date.parse('2026-11-26T08:35:43Z'));
    await desk.hedge('snapshot');
    desk.hours(24 * 4 + 12);
    await desk.hedge('snapshot');
    desk.hours(24);
    const path = join(desk.home, 'month.html');
    const { out } = await desk.run(['report', '--month', 'last', '--html', path, '--no-save']);
    const command = 'report --since 2026-11-26T08:35:43Z --until 2026-11-30';
    expect(out.split('\n')).toContain(`hedge ${command}`);
    expect(flat(out)).toContain('so no bridge. The first one later:');
    expect(out).toMatch(/^Closing net asset value +100,000\.00$/m);
    expect(out).not.toContain('Opening net asset value');
    expect(flat(readFileSync(path, 'utf8'))).toContain(command);
    const { from, to } = dataOf(await desk.hedge(`${command} --no-save --json`)).derived;
    expect([from.reading, to.reading, to.asked]).toEqual(['snapshot', 'snapshot', '2026-12-01T00:00:00Z']);
    const before = await desk.hedge('report --since 2026-11-10 --until 2026-11-12 --no-save');
    expect(flat(before.out)).toContain('so no bridge. Take one a day: hedge snapshot');
  });

  /** Snapshots in the mornings of the 25th and 26th, a hedge dealt and closed after it, and one dealt before the snapshot of the 27th. */
  async function twoMornings() {
    const desk = await aBooksDesk(Date.parse('2026-11-25T08:30:00Z'));
    await desk.hedge('snapshot');
    desk.hours(24);
    await desk.hedge('snapshot');
    desk.hours(2);
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
    await desk.hedge('close USDTNGN buy --yes');
    desk.hours(20);
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-2 --yes');
    desk.hours(2);
    await desk.hedge('snapshot');
    return desk;
  }

  it('says how much of its realized P&L is of before its day, and the command that shows it by day', async () => {
    const desk = await twoMornings();
    const { out } = await desk.hedge('report --day 2026-11-27 --no-save');
    expect(flat(out)).toContain('From the snapshot of 2026-11-26T08:30:00Z to now,');
    expect(flat(out)).toContain(
      'The period begins 15 h before 2026-11-27T00:00:00Z. The snapshot of 2026-11-27T08:30:07Z is nearer, but was taken after a hedge changed: this report would lack that change.',
    );
    const [, before = ''] =
      /Realized before 2026-11-27T00:00:00Z and in this report: (-\d+\.\d\d) USDC\./.exec(flat(out)) ?? [];
    const [, command = ''] = /By day: hedge (.*)$/m.exec(out) ?? [];
    expect(command).toMatch(/^report --since 2026-11-26T08:30:\S+Z --by day$/);
    const { groups } = dataOf(await desk.hedge(`${command} --no-save --json`)).derived;
    expect(groups.map((each: { name: string; realized_usd: number }) => each.name)).toEqual([
      '2026-11-26',
      '2026-11-27',
    ]);
    expect(bigOf(groups[0].realized_usd).toFixed(2)).toBe(before);
    expect(groups[1].realized_usd).toBeLessThan(0);
  });

  it('says what was realized after the snapshot at its end, which the next report has', async () => {
    const desk = await twoMornings();
    desk.hours(24);
    await desk.hedge('snapshot');
    const next = flat((await desk.hedge('report --day 2026-11-27 --no-save')).out);
    const { out } = await desk.hedge('report --since 2026-11-25 --until 2026-11-26 --no-save');
    const [, after = ''] =
      /Realized before 2026-11-27T00:00:00Z and not in this report, but in the next one: (-\d+\.\d\d) USDC\./.exec(
        flat(out),
      ) ?? [];
    expect(next).toContain(`Realized before 2026-11-27T00:00:00Z and in this report: ${after} USDC.`);
    const ofDay = await desk.hedge('report --day 2026-11-27 --no-save --csv');
    expect(ofDay.err).toContain(
      `Realized before 2026-11-27T00:00:00Z and in this report, maybe in the one before too: ${after} USDC. For a row a day: one report with --by day.`,
    );
    const asked = 'report --since 2026-11-25 --until 2026-11-26 --no-save';
    for (const form of ['--query data.derived.total.net_usd', '-o jsonl'])
      expect((await desk.hedge(`${asked} ${form}`)).err).toContain(
        `Realized before 2026-11-27T00:00:00Z and not in this report, but in the next one: ${after} USDC.`,
      );
    expect((await desk.hedge(`${asked} --csv -q`)).err).toBe('');
    const { to } = dataOf(
      await desk.hedge('report --since 2026-11-25 --until 2026-11-26 --no-save --json'),
    ).derived;
    expect(flat(out)).toContain(
      'The period ends 15 h before 2026-11-27T00:00:00Z. The snapshot of 2026-11-27T08:30:07Z is nearer, but was taken after a hedge changed: that change belongs to the next report.',
    );
    const byDay = await desk.hedge('report --since 2026-11-25 --until 2026-11-26 --by day --no-save');
    expect(flat(byDay.out)).toContain(
      '2026-11-26 ends at 2026-11-26T08:30:00Z, the last snapshot of the period, and not near its midnight',
    );
    expect(flat((await desk.hedge('report --since 2026-11-26 --by day --no-save')).out)).not.toContain(
      'not near its midnight',
    );
    expect(bigOf(to.realized_between_usdc).toFixed(2)).toBe(after);
    expect(next).toMatch(/By day: hedge report --since 2026-11-26T08:30:\S+Z --until 2026-11-27 --by day/);
  });

  it('has what was realized today in each report of the day, whatever the report before it recorded', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    desk.hours(13);
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(1);
    await desk.hedge('close USDTNGN buy --yes');
    const ofDeal = async (): Promise<{ realized_usd: number }> => {
      const { groups } = dataOf(await desk.hedge('report --day --json')).derived;
      return groups.find((each: { deal_id: string }) => each.deal_id === 'PAY-1');
    };
    const first = await ofDeal();
    expect(first.realized_usd).toBeLessThan(0);
    await desk.hedge('open USDTNGN sell 2k --tenor 3 --deal-id SAL-1 --yes');
    desk.hours(1);
    expect(await ofDeal()).toEqual(first);
  });

  it('closes a month with the same reading, however often it is asked', async () => {
    const desk = await aBooksDesk(Date.parse('2026-12-28T12:00:00Z'));
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
    await desk.hedge('snapshot');
    desk.hours(98);
    const month = async (): Promise<unknown> => {
      const { total, bridge } = dataOf(await desk.hedge('report --month 2026-12 --json')).derived;
      return [total, bridge];
    };
    const first = await month();
    desk.hours(40);
    expect(await month()).toEqual(first);
  });

  it('begins with a snapshot during which no order was filled, or says that one was', async () => {
    const desk = await aBooksDesk();
    const unsteadySnapshot = async (): Promise<unknown> => {
      let moved = 0;
      desk.front.meddle(async (line, pass) => {
        const answer = await pass();
        if (!line.startsWith('GET /account')) return answer;
        moved += 1;
        const body = answer.body.replace(/(?<="balance_usdc":)\d+/, (sum) =>
          (Number(sum) - moved).toString(),
        );
        return { ...answer, body };
      });
      const ran = await desk.hedge('snapshot --json');
      desk.front.meddle((_line, pass) => pass());
      return dataOf(ran).derived.unsteady;
    };
    expect(await unsteadySnapshot()).toBe(true);
    desk.hours(12);
    const FILLED = 'An order was being filled while a snapshot at an end of the period was taken';
    const begun = async () => {
      const { from, snapshots } = dataOf(
        await desk.hedge(`report --since ${desk.day} --no-save --json`),
      ).derived;
      const { out } = await desk.hedge(`report --since ${desk.day} --no-save`);
      return [from.at, flat(out).includes(FILLED), snapshots[0].unsteady];
    };
    const [first, ...said] = await begun();
    expect(said).toEqual([true, true]);
    await desk.hedge('snapshot');
    desk.hours(2);
    const [second, ...then] = await begun();
    expect([second > first, ...then]).toEqual([true, false, undefined]);
  });

  it('records its own reading, unless --no-save', async () => {
    const desk = await aBooksDesk();
    const count = async (): Promise<number> =>
      (await desk.hedge('journal export')).out.split('"snapshot').length - 1;
    await desk.hedge('report --no-save');
    expect(existsSync(join(desk.home, 'state', 'journal.sqlite'))).toBe(false);
    await desk.hedge('report');
    await desk.hedge('reconcile');
    expect(await count()).toBe(2);
    await desk.hedge('reconcile --no-save');
    expect(await count()).toBe(2);
  });

  it.each([
    ['report --day --month', 'exclude each other'],
    ['report --month --since 7d', 'exclude each other'],
    ['report --until 2026-11-01', 'Missing --since'],
    ['report --day 7d', 'is not a day (--day)'],
    ['report --month november', 'is not a month (--month)'],
    ['report --week 2026-W54', 'is not a week (--week)'],
    ['report --by weather', 'is not a grouping (--by)'],
    ['report --since 2126-01-01', 'has not begun'],
    ['report --html', 'html'],
  ])('%s: exits 2 and says why', async (line, why) => {
    const desk = await aBooksDesk();
    const ran = await desk.run(line);
    expect([ran.code, flat(ran.err)]).toEqual([2, expect.stringContaining(why)]);
  });
});

describe('the page of a report', () => {
  it('is one file that asks for nothing, with the figures and charts of the report', async () => {
    const desk = await aWeek();
    const path = join(desk.home, 'week.html');
    await desk.run(['report', '--since', desk.day, '--html', path]);
    const page = readFileSync(path, 'utf8');
    expect(page.match(/<svg /g)).toHaveLength(3);
    for (const text of ['Opening net asset value', '100,000.00', 'PAY-1', 'SAL-1', 'Unexplained'])
      expect(page).toContain(text);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|src=|href=|url\(|@import|https?:|<link|<img|<iframe/i);
    // Written again, and never over another file.
    expect((await desk.run(['report', '--html', path])).code).toBe(0);
    // That of a year may be long.
    writeFileSync(path, `${page}${' '.repeat(2 ** 21)}`);
    expect((await desk.run(['report', '--html', path])).code).toBe(0);
    writeFileSync(path, 'mine');
    expect([(await desk.run(['report', '--html', path])).code, readFileSync(path, 'utf8')]).toEqual([
      2,
      'mine',
    ]);
  });

  it('has no markup of a deal ID', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    await desk.run([
      'open',
      'USDTNGN',
      'buy',
      '1k',
      '--tenor',
      '1',
      '--deal-id',
      '<script>alert(1)</script>',
      '--yes',
    ]);
    const path = join(desk.home, 'day.html');
    await desk.run(['report', '--html', path]);
    const page = readFileSync(path, 'utf8');
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script/i);
  });
});
