/** `hedge maturities`: the ladder, the marks, the next business morning and the calendar file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge, aPosition, type Body, unspecified } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Exchange, ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

/** Wednesday 23 December 2026, 10:00 in Lagos. */
const DATE = { date: 'Wed, 23 Dec 2026 09:00:00 GMT' };
const CHRISTMAS = aHedge({
  id: 'hdg_1',
  client_reference: 'PAY-1',
  opened_at: '2026-12-22T09:30:00Z',
  maturity_at: '2026-12-25T09:30:00Z',
});
/** In the same hour. */
const SAME_HOUR = aHedge({
  ...CHRISTMAS,
  id: 'hdg_2',
  client_reference: null,
  maturity_at: '2026-12-25T09:45:00Z',
});
const SOON = aHedge({
  ...CHRISTMAS,
  id: 'hdg_3',
  client_reference: 'PAY-3',
  side: 'sell',
  notional_usd: 4000.5,
  maturity_at: '2026-12-23T20:00:00Z',
});
const ALL = [CHRISTMAS, SAME_HOUR, SOON];
const LINES = [
  aPosition({ ...unspecified.position, notional_usd: 20000 }),
  aPosition({ ...unspecified.position, side: 'sell', notional_usd: 4000.5 }),
];

const reading = (
  hedges: readonly Body[] = ALL,
  positions: readonly Body[] = LINES,
  headers = DATE,
): readonly Exchange[] => [
  on('GET /hedges?limit=500', ok(hedges, {}, headers)),
  on('GET /positions', ok(positions, {}, headers)),
];

const cliWith = async (...script: readonly Exchange[]) => cliFor(await scriptedService(script));
const dataOf = (ran: { document(): unknown }) => Object(ran.document()).data;
const SCREEN = { terminal: { isTTY: true, width: 100, env: { NO_COLOR: '1' } } };

describe('maturities', () => {
  it('are sums per side by day and hour, with holidays and the next business morning', async () => {
    const ran = await (await cliWith(...reading())).run('maturities --json');
    expect(ran.code).toBe(0);
    expect(ran.document()).toMatchObject({
      data: {
        hedges: [{ ...SOON, derived: { before_next_business_morning: true } }, CHRISTMAS, SAME_HOUR],
        derived: {
          zone: 'UTC',
          days: [
            { day: '2026-12-23', weekend: false, holiday: null, buy_usd: 0, sell_usd: 4000.5, hedges: 1 },
            {
              day: '2026-12-25',
              holiday: 'Christmas Day',
              buy_usd: 20000,
              hours: [
                {
                  hour: 9,
                  from: '2026-12-25T09:00:00Z',
                  until: '2026-12-25T10:00:00Z',
                  buy_usd: 20000,
                  hedges: 2,
                },
              ],
            },
          ],
          total: { buy_usd: 20000, sell_usd: 4000.5, hedges: 3 },
          next_business_morning: '2026-12-24T08:00:00Z',
          before_next_business_morning: { buy_usd: 0, sell_usd: 4000.5, hedges: 1 },
          islamic_holidays: { to: '2026-03-20', unknown: { from: '2026-12-23', to: '2026-12-25' } },
        },
      },
      meta: { covers: { count: 3, maybe_truncated: false } },
    });
  });

  it('are shown with a countdown, marks and totals, in the zone of the profile', async () => {
    const service = await scriptedService(reading());
    const cli = cliFor(service);
    const { out } = await cli.run('maturities', SCREEN);
    expect(out).toMatch(/^Wed 23 Dec$/m);
    expect(out).toMatch(/^20:00–21:00 +in 11 h +4,000\.50 +1$/m);
    expect(out).toMatch(/^Fri 25 Dec, public holiday: Christmas Day$/m);
    expect(out).toMatch(/^09:00–10:00 +in 2 d +20,000\.00 +2$/m);
    expect(out).toMatch(/^Total buy +20,000\.00 USD +in 2 hedges$/m);
    expect(out).toMatch(
      /Before the next business morning, Thu 24 Dec 08:00 UTC: 1 hedge, sell 4,000\.50 USD\./,
    );
    expect(out).not.toContain('Islamic');
  });

  it('go by the clocks of the profile: Saturday in Lagos is Friday in UTC', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    // oxlint-disable-next-line no-await-in-loop
    for (const line of [
      'profile set practice --time-zone Africa/Lagos',
      'open USDTNGN buy 10k --tenor 3 --yes -q',
    ])
      expect(await cli.run(line)).toMatchObject({ code: 0 });
    const { derived, hedges } = dataOf(await cli.run('maturities --json'));
    const matures = new Date(hedges[0].maturity_at);
    const inLagos = new Date(matures.getTime() + 3_600_000).toISOString();
    expect(derived.zone).toBe('Africa/Lagos');
    expect(hedges[0].derived).toMatchObject({
      day: inLagos.slice(0, 10),
      hour: Number(inLagos.slice(11, 13)),
    });
  });

  it('within a time are only those, and the next business morning is still that of all', async () => {
    const script = reading();
    const cli = await cliWith(...script, ...script);
    const { hedges, derived } = dataOf(await cli.run('maturities --within 10h --json'));
    expect(hedges).toEqual([]);
    expect(derived).toMatchObject({
      until: '2026-12-23T19:00:00Z',
      before_next_business_morning: { hedges: 1 },
    });
    expect((await cli.run('maturities --within 1d', SCREEN)).out).not.toContain('25 Dec');
  });

  it('in CSV are one hedge a line, and --columns picks them on a screen', async () => {
    const script = reading();
    const cli = await cliWith(...script, ...script);
    const lines = csvLines((await cli.run('maturities --csv')).out);
    expect(lines.map(([at, id]) => [at, id])).toEqual([
      ['maturity_at', 'id'],
      ['2026-12-23T20:00:00Z', 'hdg_3'],
      ['2026-12-25T09:30:00Z', 'hdg_1'],
      ['2026-12-25T09:45:00Z', 'hdg_2'],
    ]);
    const { out } = await cli.run('maturities --columns id,derived.holiday', SCREEN);
    expect(out).toMatch(/^hdg_1 +Christmas Day$/m);
  });

  it('leave out a closed side, and name an open that may still fill', async () => {
    const coming = aHedge({
      id: 'hdg_new',
      status: 'submitted',
      opened_at: undefined,
      maturity_at: undefined,
    });
    const odd = aHedge({ ...CHRISTMAS, id: 'hdg_odd', status: 'rolling' });
    // Five may be a page: a second request tells.
    const probe = on('GET /hedges?limit=1', ok([coming], {}, DATE));
    const cli = await cliWith(...reading([coming, odd, ...ALL], LINES.slice(0, 1)), probe);
    const { hedges, derived } = dataOf(await cli.run('maturities --json'));
    expect(hedges.map(({ id }: { id: string }) => id)).toEqual(['hdg_1', 'hdg_2']);
    expect(derived.left_out).toEqual([
      { id: 'hdg_new', why: 'submitted, may still fill' },
      { id: 'hdg_odd', why: 'unknown status: rolling' },
    ]);
  });

  it('are the same where the positions spell their market otherwise, and a closed side is left out', async () => {
    const spelled = LINES.slice(0, 1).map((line) => ({ ...line, market: 'usdt-ngn' }));
    const cli = await cliWith(...reading(ALL, spelled));
    const { derived } = dataOf(await cli.run('maturities --json'));
    expect(derived).toMatchObject({ total: { buy_usd: 20000, sell_usd: 0 }, sides_known: true });
  });

  it.each([
    ['only the specified fields', [aPosition(), aPosition()]],
    [
      'fields under names of its own',
      [{ instrument: 'USDTNGN', direction: 'buy', size: 1, net_margin_usd: 1 }],
    ],
  ])(
    'of a service that sends %s are all filled hedges, and the screen says that sides are unknown',
    async (_which, positions) => {
      const script = reading(
        ALL.map((each) => ({ ...each, client_reference: undefined })),
        positions,
      );
      const cli = await cliWith(...script, ...script);
      const { derived } = dataOf(await cli.run('maturities --json'));
      expect(derived).toMatchObject({ total: { buy_usd: 20000, sell_usd: 4000.5 }, sides_known: false });
      expect((await cli.run('maturities', SCREEN)).out).toContain('The positions do not name their sides');
    },
  );

  it('with more decimals than a screen has say that they are rounded, and sum exactly', async () => {
    const thirds = aHedge({ ...CHRISTMAS, notional_usd: 6666.665 });
    const script = reading([thirds, SAME_HOUR], LINES.slice(0, 1));
    const cli = await cliWith(...script, ...script);
    const { out } = await cli.run('maturities', SCREEN);
    // 6,666.665 + 10,000 = 16,666.665, half up.
    expect(out).toMatch(/^Total buy +16,666\.67 USD +in 2 hedges$/m);
    expect(out).toContain('Rounded half up to cents.');
    expect(dataOf(await cli.run('maturities --json')).derived.total.buy_usd).toBe(16666.665);
  });

  it('of the year 9999 are placed as soon as any other', async () => {
    const far = aHedge({ ...CHRISTMAS, maturity_at: '9999-12-31T23:59:59Z' });
    const { derived } = dataOf(
      await (await cliWith(...reading([far], LINES.slice(0, 1)))).run('maturities --json'),
    );
    expect(derived.days).toMatchObject([{ day: '9999-12-31', holiday: null }]);
    expect(derived.islamic_holidays.unknown).toEqual({ from: '2026-12-23', to: '9999-12-31' });
  });

  it('of nothing say so', async () => {
    const { code, out } = await (await cliWith(...reading([], []))).run('maturities', SCREEN);
    expect(code).toBe(0);
    expect(out).toContain('No open hedges');
    expect(out).toContain(': nothing settles.');
  });
});

describe('the holidays of an operator', () => {
  it('mark their days, and end the warning for their year', async () => {
    const cli = await cliWith(...reading());
    const file = join(cli.home, 'holidays.csv');
    writeFileSync(
      file,
      '\ufeffdate;name\r\n# declared on 20 December\r\n2026-12-24;"Special day"\r\n2026-12-25;Christmas\r\n',
    );
    const { derived } = dataOf(await cli.run(['maturities', '--holidays', file, '--json']));
    expect(derived).toMatchObject({
      days: [{ holiday: null }, { holiday: 'Christmas' }],
      // Thursday is the special day, Friday Christmas, then a weekend.
      next_business_morning: '2026-12-28T08:00:00Z',
      islamic_holidays: { unknown: null },
    });
  });

  it('are marked in the rows too, with their names below; the built-in ones of that year are not', async () => {
    const cli = await cliWith(...reading(), ...reading());
    const file = join(cli.home, 'holidays.csv');
    writeFileSync(file, 'date,name\n2026-12-23,Founders Day\n');
    const own = (await cli.run(['maturities', '--holidays', file], SCREEN)).out;
    expect(own).toMatch(/^23 Dec 20:00 \(!\) /m);
    expect(own).toMatch(/^25 Dec 09:30 [^(]/m);
    expect(own).toContain('(!) Public holiday: Wed 23 Dec, Founders Day.');
    const built = (await cli.run('maturities', SCREEN)).out;
    expect(built).toMatch(/^25 Dec 09:30 \(!\) /m);
    expect(built).toContain('(!) Public holiday: Fri 25 Dec, Christmas Day.');
  });

  it.each([
    ['24.12.2026,Special day', 'Line 1 of'],
    ['2026-02-30,Special day', 'Line 1 of'],
    ['date,name\n2026-12-24', 'Line 2 of'],
    ['# nothing\n', 'has no holidays'],
  ])('are a usage error before any request: %j', async (text, message) => {
    const cli = await cliWith();
    const file = join(cli.home, 'holidays.csv');
    writeFileSync(file, text);
    const ran = await cli.run(['maturities', '--holidays', file]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });
});

it('maturities: at 60 columns two equal hedges are told apart by their deal IDs, and a side that is always the same is hidden', async () => {
  const narrow = { terminal: { isTTY: true, width: 60, env: { NO_COLOR: '1' } } };
  const ids = ['hdg_01M846ZJFX6EZFMQ', 'hdg_01M846ZJHETFSSTQ'];
  const twins = ids.map((id, row) => ({
    ...CHRISTMAS,
    id,
    client_reference: `COVER-20261228-BUY-b1e3fb-${row.toString()}`,
  }));
  const { out } = await (await cliWith(...reading(twins))).run('maturities', narrow);
  for (const row of [0, 1])
    expect(out).toMatch(new RegExp(` COVER-20261228-BUY-b1e3fb-${row.toString()}$`, 'm'));
  expect(out.replaceAll(/\s+/g, ' ')).toContain(' SIDE, HEDGE,');
});

describe('maturities --ics', () => {
  const events = (file: string) =>
    new ICAL.Component(ICAL.parse(readFileSync(file, 'utf8')))
      .getAllSubcomponents('vevent')
      .map((component) => {
        const { uid, summary, sequence } = new ICAL.Event(component);
        return { uid, summary, sequence, status: String(component.getFirstPropertyValue('status')) };
      });

  it('writes an event per hedge, and the same file again updates it', async () => {
    const smaller = { ...CHRISTMAS, notional_usd: 6000 };
    const cli = await cliWith(
      ...reading(),
      ...reading(),
      ...reading([smaller, SAME_HOUR], LINES.slice(0, 1)),
    );
    const file = join(temporaryFolder(), 'm.ics');
    const words = ['maturities', '--ics', file, '--json'];
    const first = await cli.run(words);
    expect(Object(first.document()).meta.ics).toEqual({
      path: file,
      events: 3,
      added: 3,
      changed: 0,
      canceled: 0,
      unchanged: 0,
    });
    expect(events(file)).toEqual([
      {
        uid: 'hdg_3',
        summary: '[sandbox] USDTNGN sell 4,000.50 USD matures (PAY-3)',
        sequence: 0,
        status: 'CONFIRMED',
      },
      {
        uid: 'hdg_1',
        summary: '[sandbox] USDTNGN buy 10,000.00 USD matures (PAY-1)',
        sequence: 0,
        status: 'CONFIRMED',
      },
      {
        uid: 'hdg_2',
        summary: '[sandbox] USDTNGN buy 10,000.00 USD matures',
        sequence: 0,
        status: 'CONFIRMED',
      },
    ]);
    const written = readFileSync(file, 'utf8');
    await cli.run(words);
    expect(readFileSync(file, 'utf8')).toBe(written);
    // The sell side was closed early, and the first hedge reduced.
    await cli.run(words);
    expect(events(file)).toMatchObject([
      { uid: 'hdg_3', sequence: 1, status: 'CANCELLED' },
      { uid: 'hdg_1', sequence: 1, summary: '[sandbox] USDTNGN buy 6,000.00 USD matures (PAY-1)' },
      { uid: 'hdg_2', sequence: 0 },
    ]);
    expect(readdirSync(join(file, '..'))).toEqual(['m.ics']);
  });

  it('after the maturities asks the history which hedges were closed early, and cancels only those', async () => {
    const later = { date: 'Sat, 26 Dec 2026 09:00:00 GMT' };
    const record = (id: string, closedAt: string, reason?: string) =>
      aClosedHedge({ id, closed_at: closedAt, reason });
    const history = [
      record('hdg_1', '2026-12-24T10:00:00Z', 'close'),
      record('hdg_2', '2026-12-25T09:45:00Z', 'maturity'),
      // A day alone does not tell whether it was before the maturity.
      record('hdg_3', '2026-12-23'),
    ];
    const cli = await cliWith(
      ...reading(),
      ...reading([], [], later),
      on('GET /hedges/history', ok(history, {}, later)),
    );
    const file = join(temporaryFolder(), 'm.ics');
    await cli.run(['maturities', '--ics', file]);
    const again = await cli.run(['maturities', '--ics', file, '--json']);
    expect(Object(again.document()).meta.ics).toMatchObject({ canceled: 1, unchanged: 2 });
    expect(events(file)).toMatchObject([
      { uid: 'hdg_3', status: 'CONFIRMED' },
      { uid: 'hdg_1', sequence: 1, status: 'CANCELLED' },
      { uid: 'hdg_2', status: 'CONFIRMED' },
    ]);
  });

  it('gives the event of a hedge that has ended the size at which it ended, once', async () => {
    const later = { date: 'Sat, 26 Dec 2026 09:00:00 GMT' };
    const ended = [
      { ...CHRISTMAS, status: 'closed', notional_usd: 9000 },
      // Not settled yet.
      { ...SAME_HOUR, notional_usd: 12_000 },
      { ...SOON, status: 'closed', notional_usd: 3000 },
      // It is in no file: opened and settled since.
      { ...CHRISTMAS, id: 'hdg_4', status: 'closed' },
    ];
    // The sell was closed early.
    const history = [aClosedHedge({ id: 'hdg_3', closed_at: '2026-12-23T10:00:00Z', reason: 'close' })];
    const after = [...reading(ended, [], later), on('GET /hedges/history', ok(history, {}, later))];
    const cli = await cliWith(...reading(), ...after, ...after);
    const file = join(temporaryFolder(), 'm.ics');
    await cli.run(['maturities', '--ics', file]);
    const again = await cli.run(['maturities', '--ics', file, '--json']);
    expect(Object(again.document()).meta.ics).toMatchObject({
      events: 3,
      added: 0,
      changed: 2,
      canceled: 1,
      unchanged: 0,
    });
    expect(events(file)).toEqual([
      {
        uid: 'hdg_3',
        summary: '[sandbox] USDTNGN sell 4,000.50 USD matures (PAY-3)',
        sequence: 1,
        status: 'CANCELLED',
      },
      {
        uid: 'hdg_1',
        summary: '[sandbox] USDTNGN buy 9,000.00 USD matures (PAY-1)',
        sequence: 1,
        status: 'CONFIRMED',
      },
      {
        uid: 'hdg_2',
        summary: '[sandbox] USDTNGN buy 12,000.00 USD matures',
        sequence: 1,
        status: 'CONFIRMED',
      },
    ]);
    const written = readFileSync(file, 'utf8');
    await cli.run(['maturities', '--ics', file]);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('leaves the events outside --within as they are', async () => {
    const cli = await cliWith(...reading(), ...reading());
    const file = join(temporaryFolder(), 'm.ics');
    await cli.run(['maturities', '--ics', file]);
    const written = readFileSync(file, 'utf8');
    await cli.run(['maturities', '--within', '1d', '--ics', file]);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('never overwrites a file that hedge did not write, and asks the service nothing', async () => {
    const cli = await cliWith();
    const file = join(temporaryFolder(), 'private.ics');
    writeFileSync(file, 'BEGIN:VCALENDAR\r\nPRODID:-//mine//EN\r\nEND:VCALENDAR\r\n');
    const ran = await cli.run(['maturities', '--ics', file]);
    expect(ran.code).toBe(2);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('is not a calendar file of hedge');
    expect(readFileSync(file, 'utf8')).toContain('mine');
  });

  it('never mixes two accounts in one file', async () => {
    const file = join(temporaryFolder(), 'm.ics');
    const practice = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    expect((await practice.run(['maturities', '--ics', file])).code).toBe(0);
    const ran = await (await cliWith(...reading())).run(['maturities', '--ics', file]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('calendar of another account');
  });

  it('shows the ladder and ends with 74 when the file cannot be written', async () => {
    const folder = join(temporaryFolder(), 'nowhere');
    const cli = await cliWith(...reading());
    const ran = await cli.run(['maturities', '--ics', join(folder, 'm.ics'), '--json']);
    expect(ran.code).toBe(74);
    expect(ran.document()).toMatchObject({
      data: { derived: { total: { hedges: 3 } } },
      error: { code: 'output_failed', effect: 'none' },
      meta: { ics: null },
    });
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    const onFolder = await cli.run(['maturities', '--ics', folder]);
    expect(onFolder.code).toBe(2);
    expect(onFolder.err).toContain('cannot be read');
  });

  it.each([
    ['maturities --within 7', 'is not a number of days or hours'],
    ['maturities --within 0d', 'is not a number of days or hours'],
    ['maturities --watch 5 --ics m.ics', '--ics and --watch exclude each other.'],
  ])('%s is a usage error', async (line, message) => {
    const ran = await testCli().run(`${line} --profile practice`, SCREEN);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });
});
