/** A planned roll whose first leg this machine has closed or enlarged: every screen says what becomes of it. */
import { describe, expect, it } from 'vitest';
import { coverLine } from '../support/exposure-files.ts';
import { laggingService } from '../support/lagging-service.ts';
import { type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { keepJournal } from '../support/written-journal.ts';

const PLAN = 'roll PAY-1 --tenor 1 --at maturity --max-cost-bps 60 --yes';
const SCREENS = ['', 'check', 'roll show', 'maturities'];
const flat = ({ out, err }: Ran): string => `${err} ${out}`.replaceAll(/\s+/g, ' ');

async function planned(): Promise<{ cli: TestCli; id: string }> {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
  const { data }: { data: { chain_id: string } } = JSON.parse((await cli.run(`${PLAN} --json`)).out);
  return { cli, id: data.chain_id };
}

const rollOf = async (cli: TestCli): Promise<Record<string, unknown>> => {
  const { data }: { data: Record<string, unknown>[] } = JSON.parse((await cli.run('roll show --json')).out);
  return data[0] ?? {};
};

describe('a planned roll whose hedge this machine has closed', () => {
  it('is over on every screen, with the command that gives it up, before and after the maturity', async () => {
    const { cli, id } = await planned();
    const closed = await cli.run('close USDTNGN buy --yes');
    const [, action = ''] = /Action +(\w+)/.exec(closed.out) ?? [];
    const says = `leg 1 was closed before its maturity (action ${action}): leg 2 is not opened`;
    expect(closed.out.replaceAll(/\s+/g, ' ')).toContain(
      `Roll ${id}: ${says}. hedge roll drop ${id} --note TEXT`,
    );
    for (const later of ['0h', '73h']) {
      if (later !== '0h') await cli.run(`practice advance ${later}`);
      for (const screen of SCREENS) {
        const shown = flat(await cli.run(screen));
        expect([screen, shown]).toEqual([
          screen,
          expect.stringContaining(`hedge roll drop ${id} --note TEXT`),
        ]);
        expect([screen, shown]).toEqual([screen, expect.stringContaining(says)]);
        expect(shown).not.toContain('hedge roll run');
        expect(shown).not.toMatch(/, settles/);
      }
      expect(await rollOf(cli)).toMatchObject({
        state: 'closed_early',
        next: expect.stringContaining(`roll drop ${id} --note TEXT`),
      });
    }
    const ran = await cli.run('roll run --due --yes');
    expect([ran.code, flat(ran)]).toEqual([10, expect.stringContaining('was closed before its maturity')]);
    expect(await rollOf(cli)).toMatchObject({ state: 'dropped', next: null });
  });

  it('ends with the next run, also before the maturity', async () => {
    const { cli } = await planned();
    await cli.run('close USDTNGN buy --yes');
    expect((await cli.run('roll run --due --yes')).code).toBe(10);
    expect(await rollOf(cli)).toMatchObject({ state: 'dropped' });
  });

  it('is not planned a second time', async () => {
    const { cli, id } = await planned();
    await cli.run('close USDTNGN buy --yes');
    expect((await cli.run(`roll drop ${id} --note closed`)).code).toBe(0);
    expect((await cli.run(PLAN)).code).toBe(10);
  });
});

describe('a planned roll whose hedge this machine has enlarged', () => {
  const LARGER = 'leg 1 was enlarged to 13,000.00 USD';

  it('is to be planned again on every screen, until the maturity', async () => {
    const { cli, id } = await planned();
    await cli.run('add USDTNGN buy 3k --yes');
    for (const screen of SCREENS) {
      const shown = flat(await cli.run(screen));
      expect([screen, shown]).toEqual([
        screen,
        expect.stringContaining(
          `hedge roll drop ${id} --note TEXT ${LARGER}: leg 2 is not opened by itself. Then plan it again: hedge roll PAY-1 --tenor 1 --at maturity --max-cost-bps 60`,
        ),
      ]);
      expect(shown).not.toContain('hedge roll run');
    }
    const again = await cli.run(`${PLAN} --json`);
    expect([again.code, again.document()]).toEqual([
      10,
      expect.objectContaining({ error: expect.objectContaining({ code: 'roll_unfinished' }) }),
    ]);
    expect(flat(again)).toContain(LARGER);
    expect((await cli.run(['roll', 'drop', id, '--note', 'enlarged'])).code).toBe(0);
    expect(flat(await cli.run(PLAN))).toMatch(/PLANNED roll \w{8}: buy USDTNGN 13,000\.00 USD/);
    await cli.run('practice advance 73h');
    expect((await cli.run('roll run --due --yes')).out).toContain('ROLLED buy USDTNGN 13,000.00 USD');
  });

  it('never has open leg 2 for a command that is refused', async () => {
    const { cli, id } = await planned();
    await cli.run('add USDTNGN buy 3k --yes');
    await cli.run('practice advance 73h');
    for (const screen of SCREENS) {
      // At a terminal the bare command reads the time of the service.
      const shown = flat(await cli.run(screen, { terminal: { isTTY: true, env: { NO_COLOR: '1' } } }));
      expect([screen, shown]).toEqual([
        screen,
        expect.stringContaining(
          `hedge roll run ${id} ${LARGER}: leg 2 is not opened by itself; this names the hedge open for each size`,
        ),
      ]);
      expect(shown).not.toContain(`hedge roll run ${id} open leg 2`);
    }
    const ran = await cli.run(`roll run ${id} --yes`);
    const [, open = ''] = /hedge (open USDTNGN buy 13000 .*?)\s{2,}/.exec(ran.err) ?? [];
    expect([ran.code, (await cli.run(`${open} --yes`)).code]).toEqual([10, 0]);
    expect(await rollOf(cli)).toMatchObject({ state: 'done' });
  });

  it('and reduced again to its size is opened by itself', async () => {
    const { cli } = await planned();
    await cli.run('add USDTNGN buy 3k --yes');
    await cli.run('reduce USDTNGN buy 3k --yes');
    expect(flat(await cli.run('maturities'))).toContain('hedge roll run --due --yes');
    await cli.run('practice advance 73h');
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
  });

  it('that was reduced since is planned already, at the size that it has now', async () => {
    const { cli, id } = await planned();
    await cli.run('add USDTNGN buy 3k --yes');
    await cli.run('reduce USDTNGN buy 5k --yes');
    expect(flat(await cli.run(PLAN))).toContain(
      `ALREADY PLANNED roll ${id}: buy USDTNGN 8,000.00 USD now (10,000.00 when planned)`,
    );
    expect(await rollOf(cli)).toMatchObject({ chain_id: id, state: 'planned' });
  });
});

describe('hedge cover', () => {
  const line = coverLine();
  const cover = (cli: TestCli): Promise<Ran> => cli.run(line);

  it('says that the leg 2 of a hedge that was closed does not come, and proposes deals without it', async () => {
    const { cli, id } = await planned();
    await cli.run('close USDTNGN buy --yes');
    const shown = flat(await cover(cli));
    expect(shown).toContain(`roll ${id}: buy USDTNGN 10,000.00 USD, leg 1 closed early`);
    expect(shown).toMatch(
      /roll drop \w+ --note TEXT leg 1 was closed before its maturity \(action \w+\): leg 2 is/,
    );
    expect(shown).not.toContain('Uncertain');
  });

  it('is uncertain of one that was enlarged, and says why, once it has matured', async () => {
    const { cli, id } = await planned();
    await cli.run('add USDTNGN buy 3k --yes');
    const before = flat(await cover(cli));
    expect(before).toContain('leg 2 is not opened by itself. Then plan it again');
    expect(before).not.toContain('Uncertain');
    await cli.run('practice advance 73h');
    expect(flat(await cover(cli))).toContain(
      `Uncertain: roll ${id}: leg 1 was enlarged to 13,000.00 USD: leg 2 is not opened by itself.`,
    );
  });
});

describe('leg 2 of a roll whose hedge was replaced by hand after it had settled', () => {
  const RUN = 'roll run --due --yes';
  const total = async (cli: TestCli): Promise<number> => {
    const { data }: { data: { status: string; notional_usd: number }[] } = JSON.parse(
      (await cli.run('hedges --json')).out,
    );
    return data.reduce((sum, each) => (each.status === 'filled' ? sum + each.notional_usd : sum), 0);
  };
  async function settled(open: string): Promise<{ cli: TestCli; id: string }> {
    const { cli, id } = await planned();
    await cli.run('practice advance 73h');
    expect((await cli.run(`open USDTNGN ${open} --yes`)).code).toBe(0);
    await cli.run('practice advance 1h');
    return { cli, id };
  }

  it('is not opened on top of it without a person, who is told both ways on', async () => {
    const { cli, id } = await settled('buy 10k --tenor 3 --deal-id PAY-2');
    const ran = await cli.run(RUN);
    expect([ran.code, flat(ran)]).toEqual([
      10,
      expect.stringContaining(
        `10,000.00 USD ("PAY-2") was opened on USDTNGN buy after leg 1 of roll ${id} had settled. Leg 2 was not sent: it would come on top. hedge roll drop ${id} --note TEXT if that replaces leg 2 hedge roll run ${id} --allow-duplicate open leg 2 as well`,
      ),
    ]);
    expect((await cli.run(`${RUN} --json`)).document()).toMatchObject({ error: { code: 'book_changed' } });
    expect(await total(cli)).toBe(10_000);
    expect((await cli.run(`roll run ${id} --allow-duplicate --yes`)).code).toBe(0);
    expect(await total(cli)).toBe(20_000);
  });

  it.each([
    ['y', 0, 20_000],
    ['n', 10, 10_000],
  ])('is warned of above the question of a person, who says %s', async (answer, code, usd) => {
    const { cli, id } = await settled('buy 10k --tenor 3 --allow-duplicate');
    const ran = await cli.run(`roll run ${id}`, {
      terminal: { isTTY: true, env: { NO_COLOR: '1' } },
      answer: `${answer}\r`,
    });
    expect([ran.code, flat(ran), await total(cli)]).toEqual([
      code,
      expect.stringMatching(
        /Warning: 10,000\.00 USD \("hdg_\w+"\) was opened on USDTNGN buy after leg 1 .*\?/,
      ),
      usd,
    ]);
  });

  it.each([
    [
      'in two parts',
      ['open USDTNGN buy 5k --tenor 3 --deal-id PAY-2', 'open USDTNGN buy 5k --tenor 3 --deal-id PAY-3'],
      10_000,
    ],
    [
      'and reduced since',
      ['open USDTNGN buy 10k --tenor 3 --deal-id PAY-2', 'reduce USDTNGN buy 500'],
      9_500,
    ],
    ['at another size', ['open USDTNGN buy 9k --tenor 3 --deal-id PAY-2'], 9_000],
  ])('%s, is not opened on top of that', async (_how, lines, usd) => {
    const { cli, id } = await planned();
    await cli.run('practice advance 73h');
    for (const line of lines) expect((await cli.run(`${line} --yes`)).code).toBe(0);
    await cli.run('practice advance 1h');
    const ran = await cli.run(RUN);
    expect([ran.code, flat(ran), await total(cli)]).toEqual([
      10,
      expect.stringMatching(
        `(was|were) opened on USDTNGN buy after leg 1 of roll ${id} had settled. Leg 2 was not sent`,
      ),
      usd,
    ]);
  });

  it('shortly before its maturity is not opened on top of that, and the open says so', async () => {
    const { cli, id } = await planned();
    await cli.run('practice advance 71h');
    await cli.run('practice advance 55m');
    const open = await cli.run('open USDTNGN buy 6k --tenor 3 --deal-id PAY-2 --yes');
    expect([open.code, flat(open)]).toEqual([
      0,
      expect.stringContaining(
        `Roll ${id} is soon due. After this open, leg 2 is not opened by itself. hedge roll drop ${id} --note TEXT if it replaces leg 2`,
      ),
    ]);
    await cli.run('practice advance 1h');
    const ran = await cli.run(RUN);
    expect([ran.code, flat(ran), await total(cli)]).toEqual([
      10,
      expect.stringContaining(
        `6,000.00 USD ("PAY-2") was opened on USDTNGN buy in the day before leg 1 of roll ${id} settled, or since.`,
      ),
      6_000,
    ]);
  });

  it('while a person is asked is not opened on top of that, unless they say so again', async () => {
    const { cli, id } = await planned();
    await cli.run('practice advance 73h');
    const ran = await cli.run(`roll run ${id}`, {
      terminal: { isTTY: true, env: { NO_COLOR: '1' } },
      answer: [
        async () => {
          expect((await cli.run('open USDTNGN buy 7k --tenor 3 --deal-id PAY-2 --yes')).code).toBe(0);
          return 'y\r';
        },
        'n\r',
      ],
    });
    expect([ran.code, flat(ran), await total(cli)]).toEqual([
      10,
      expect.stringContaining('7,000.00 USD ("PAY-2") was opened on USDTNGN buy after leg 1'),
      7_000,
    ]);
  });

  it('by an add to another hedge is not opened on top of that', async () => {
    const { cli } = await planned();
    await cli.run('open USDTNGN buy 2k --tenor 7 --deal-id PAY-2 --yes');
    await cli.run('practice advance 73h');
    expect((await cli.run('add USDTNGN buy 10k --yes')).code).toBe(0);
    await cli.run('practice advance 1h');
    expect([(await cli.run(RUN)).code, await total(cli)]).toEqual([10, 12_000]);
  });

  it('is not opened by itself once that hedge is closed again: the side may be meant to stay flat', async () => {
    const { cli } = await settled('buy 10k --tenor 3 --deal-id PAY-2');
    expect((await cli.run('close USDTNGN buy --yes')).code).toBe(0);
    await cli.run('practice advance 1h');
    expect([(await cli.run(RUN)).code, await total(cli)]).toEqual([10, 0]);
    const again = await cli.run('roll run PAY-1 --allow-duplicate --yes');
    expect([again.code, await total(cli)]).toEqual([0, 10_000]);
  });

  it.each([
    ['on the other side', 'sell 10k --tenor 3 --deal-id PAY-2'],
    ['that covers a date', 'buy 10k --tenor 3 --deal-id COVER-20261224-BUY-0a1b2c'],
    ['that another roll carries on', 'buy 10k --tenor 3 --deal-id PAY-7.r2'],
  ])('is opened beside a hedge %s', async (_what, open) => {
    const { cli } = await settled(open);
    expect((await cli.run(RUN)).code).toBe(0);
  });

  it('is opened beside the leg 2 of another roll, hedges of before the maturity, and one that others opened', async () => {
    const { cli } = await planned();
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-3 --yes');
    await cli.run('roll PAY-3 --tenor 1 --at maturity --yes');
    await cli.run('practice advance 47h');
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-4 --yes');
    await cli.run('practice advance 22h');
    await cli.run('open USDTNGN buy 9k --tenor 3 --deal-id PAY-6 --yes');
    await cli.run('practice advance 4h');
    const putBack = keepJournal(cli.home);
    expect((await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-5 --yes')).code).toBe(0);
    putBack();
    expect([(await cli.run(RUN)).code, await total(cli)]).toEqual([0, 49_000]);
  });
});

describe('leg 2 of a roll whose hedge was replaced by hand seconds ago, and that no list shows yet', () => {
  it.each([
    ['at maturity', 'roll PAY-1 --tenor 3 --at maturity --yes'],
    ['at once, of which leg 2 had failed', 'roll USDTNGN buy --tenor 3 --at now --yes'],
  ])('%s, is not opened on top of it', async (when, roll) => {
    const service = await laggingService();
    const cli = service.machine();
    await cli.run('open USDTNGN buy 10k --tenor 1 --deal-id PAY-1 --yes');
    await service.pass(120_000);
    const { admin } = service.served.desk;
    if (when !== 'at maturity') await admin.setFaults({ failing_orders: 1, only: 'open' });
    await cli.run(roll);
    await admin.setFaults({ failing_orders: 0, only: 'all' });
    await service.pass(when === 'at maturity' ? 25 * 3_600_000 : 120_000);
    service.lag(() => 20_000);
    expect((await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-2 --yes --no-wait')).code).toBe(0);
    await service.pass(5_000);
    const ran = await cli.run('roll run --due --yes');
    expect([ran.code, flat(ran)]).toEqual([
      10,
      expect.stringMatching(
        /10,000\.00 USD \("PAY-2"\) was opened .* Leg 2 was not sent: it would come on top/,
      ),
    ]);
    await service.pass(30_000);
    expect(await service.open('buy')).toHaveLength(1);
  });
});

describe('a roll at once, while another order comes before the close of leg 1', () => {
  async function rolled(
    path: '/hedges' | '/hedges/add' | '/hedges/reduce',
    body: Record<string, unknown>,
    isPart = false,
  ): Promise<{ ran: Ran; open: number }> {
    const service = await laggingService();
    const { served } = service;
    const cli = service.machine();
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    await service.pass(120_000);
    await served.desk.admin.setFaults({ slow_fills_seconds: 10, only: 'close' });
    let order: Promise<unknown> | undefined;
    service.lag(() => {
      if (served.acted('/hedges/close') > 0)
        order ??= served.colleague(path, { market: 'USDTNGN', side: 'buy', ...body }).then(async (reply) => {
          if (isPart) await served.desk.admin.setFaults({ partial_fills: 1, only: 'open' });
          return reply;
        });
      return 0;
    });
    const ran = await cli.run('roll USDTNGN buy --tenor 3 --at now --yes --timeout 60 --json');
    await order;
    const [leg] = await service.open('buy');
    return { ran, open: leg?.notional_usd ?? 0 };
  }

  it.each([
    [
      'that enlarged it',
      ['/hedges/add', { notional_usd: 5_000 }],
      10_000,
      /was closed at 15,000\.00 USD, not 10,000\.00 USD: .* Leg 2 is open at 10,000\.00 USD\. 5,000\.00 USD that were closed are not hedged\./,
      'hedge add USDTNGN buy 5000',
    ],
    [
      'that opened a hedge, which it closed too',
      ['/hedges', { notional_usd: 4_000, tenor_days: 3, client_reference: 'COL-1' }],
      10_000,
      /4,000\.00 USD \("COL-1"\) was opened on the side meanwhile, and closed with leg 1 of roll \w+\. Leg 2 is open at 10,000\.00 USD\. 4,000\.00 USD that were closed are not hedged\./,
      'hedge add USDTNGN buy 4000',
    ],
    [
      'that reduced it',
      ['/hedges/reduce', { notional_usd: 5_000 }],
      5_000,
      /was closed at 5,000\.00 USD, not 10,000\.00 USD: .* Leg 2 is open at 5,000\.00 USD\./,
      'hedge roll show',
    ],
  ] as const)('%s, is done and says what it lacks', async (_what, [path, body], usd, says, next) => {
    const { ran, open } = await rolled(path, body);
    expect([ran.code, open, ran.document()]).toEqual([
      10,
      usd,
      expect.objectContaining({
        data: expect.objectContaining({ state: 'done', to_hedge_id: expect.any(String) }),
        error: expect.objectContaining({
          code: 'book_changed',
          effect: 'done',
          message: expect.stringMatching(says),
          hint: expect.stringContaining(next),
        }),
      }),
    ]);
  });

  it('that enlarged it, says so too where leg 2 is filled in part', async () => {
    const { ran, open } = await rolled('/hedges/add', { notional_usd: 5_000 }, true);
    expect([ran.code, open, ran.document()]).toMatchObject([
      7,
      6_000,
      {
        error: {
          code: 'partial_fill',
          message: expect.stringMatching(/6,000\.00 USD filled.*was closed at 15,000\.00 USD/s),
        },
      },
    ]);
  });
});
