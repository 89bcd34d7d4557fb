/** An open of which the service fills less than was asked, over every command that tells of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvLines } from '../support/csv.ts';
import { aDesk } from '../support/deals-desk.ts';
import { type MovingClock, movingClock } from '../support/moving-clock.ts';
import { ON_A_TERMINAL, type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { removeJournal } from '../support/written-journal.ts';

const OPEN = 'open USDTNGN buy 10k --tenor 3 --yes --deal-id PAY-1 --ensure';

/** A practice desk whose opens are filled for 60 %. */
async function aDeskOfParts(): Promise<TestCli & { clock: MovingClock }> {
  const clock = movingClock();
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' }, clock });
  await cli.run('practice faults --partial-fills 100% --only open');
  return { ...cli, clock };
}

/** The same with 10,000 asked for, and 6,000 open. */
async function aDeskWithPart(): ReturnType<typeof aDeskOfParts> {
  const cli = await aDeskOfParts();
  await cli.run(OPEN);
  return cli;
}

const openOn = async (cli: TestCli): Promise<string> =>
  (await cli.run(['positions', '--query', 'data[].[side, notional_usd]', '--json'])).out.trim();
const sends = async (cli: TestCli): Promise<string> =>
  (await cli.run('hedges --query length(data)')).out.trim();
const words = ({ err }: Ran): string => err.replaceAll(/\s+/g, ' ');

const TOLD = {
  data: {
    outcome: 'filled',
    effect: 'done',
    request: { notional_usd: 10_000 },
    hedge: { notional_usd: 6_000, status: 'filled' },
    derived: { filled_notional_usd: 6_000 },
  },
  error: {
    code: 'partial_fill',
    effect: 'done',
    retry: 'never',
    details: { asked_notional_usd: 10_000, filled_notional_usd: 6_000 },
  },
};

describe('an open that is filled for less than was asked', () => {
  it('matures with the size that it has, marked while the rest may still fill', async () => {
    const cli = await aDeskWithPart();
    const ran = await cli.run('maturities --json');
    expect(ran.document()).toMatchObject({
      data: {
        hedges: [{ notional_usd: 6_000, derived: { may_fill_more: true } }],
        derived: { total: { buy_usd: 6_000, hedges: 1 }, left_out: [] },
      },
    });
    const NOTE = /Hedge hdg_\w+ was filled in part just now, and the rest may still fill\./;
    expect((await cli.run('maturities')).out.replaceAll(/\s+/g, ' ')).toMatch(NOTE);
    expect(words(await cli.run('maturities --csv'))).toMatch(NOTE);
    cli.clock.pass(120_000);
    expect(words(await cli.run('maturities --csv'))).not.toMatch(NOTE);
  });

  it('tells what was filled and what was asked, and ends with 7', async () => {
    const cli = await aDeskOfParts();
    const ran = await cli.run(OPEN);
    expect(ran.code).toBe(7);
    expect(ran.out).toMatch(/^PARTIAL FILL buy USDTNGN 6,000\.00 USD of 10,000\.00 USD$/m);
    expect(ran.out).not.toContain('Size now');
    expect(words(ran)).toContain('PARTIAL FILL: OPEN buy USDTNGN 10,000.00 USD ("PAY-1"): 6,000.00 USD');
    expect(words(ran)).toContain('4,000.00 USD is not open');
    expect(words(ran)).toMatch(/hedge check \w{4} in a minute: the rest may still fill/);
    expect(words(ran)).not.toContain('-rest');
    expect(await openOn(cli)).toBe('[["buy",6000]]');
  });

  it('names the command for its rest a minute later', async () => {
    const cli = await aDeskWithPart();
    cli.clock.pass(60_000);
    const ran = await cli.run('check PAY-1');
    expect(ran.code).toBe(7);
    expect(words(ran)).toMatch(/If unfilled:\s+hedge open USDTNGN buy 4000 --tenor 3 --deal-id PAY-1-rest/);
  });

  it('has the slippage of what was filled, in a document that names it done and never to be sent again', async () => {
    const cli = await aDeskOfParts();
    const ran = await cli.run(`${OPEN} --json`);
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject(TOLD);
    expect(JSON.parse(ran.out).error.message).toMatch(/is not open \(unfilled or reduced since\)\.$/);
    const { slippage_bps: bps, slippage_usd: usd } = JSON.parse(ran.out).data.derived;
    expect(usd).toBeCloseTo((bps * 6_000) / 10_000, 1);
  });

  it.each([
    ['the same line again', OPEN],
    ['wait', 'wait PAY-1'],
    ['resume', 'resume PAY-1 --yes'],
  ])('is reported the same by %s, and is not sent again', async (_, line) => {
    const cli = await aDeskWithPart();
    const again = await cli.run(`${line} --json`);
    expect([again.code, again.document()]).toEqual([
      7,
      expect.objectContaining({ error: expect.anything() }),
    ]);
    expect(again.document()).toMatchObject(TOLD);
    expect(await sends(cli)).toBe('1');
  });

  it('is reported by check of the action, and by check without an operand, also with -q in a cron line', async () => {
    const cli = await aDeskWithPart();
    const named = await cli.run('check PAY-1 --json');
    expect([named.code, named.document()]).toEqual([
      7,
      expect.objectContaining({ error: expect.anything() }),
    ]);
    expect(named.document()).toMatchObject(TOLD);
    const all = await cli.run('check --json');
    expect([all.code, all.document()]).toMatchObject([7, { data: [], error: { code: 'partial_fill' } }]);
    expect((await cli.run('check -q')).code).toBe(7);
  });

  it('is kept by the journal: in the list, of the action, for programs and as CSV', async () => {
    const cli = await aDeskWithPart();
    expect((await cli.run('journal', { terminal: { width: 120 } })).out).toMatch(
      / 6,000\.00 of 10,000\.00 +filled/,
    );
    const one = (await cli.run('journal PAY-1')).out;
    expect(one).toMatch(/^OPEN USDTNGN buy 6,000\.00 of 10,000\.00 USD for 3 days · filled$/m);
    expect(one).toMatch(/outcome: partial fill$/m);
    expect((await cli.run('journal PAY-1 --json')).document()).toMatchObject({
      data: { outcome: 'filled', effect: 'done', unresolved: false, filled_notional_usd: 6_000 },
    });
    const [header = [], row = []] = csvLines((await cli.run('journal --csv')).out);
    expect(row[header.indexOf('filled_notional_usd')]).toBe('6000');
    expect(row[header.indexOf('request.notional_usd')]).toBe('10000');
  });

  it('does not block the side, and uses up its deal ID', async () => {
    const cli = await aDeskWithPart();
    await cli.run('practice faults clear');
    expect((await cli.run('add USDTNGN buy 1k --yes')).code).toBe(0);
    expect((await cli.run('open USDTNGN buy 4k --tenor 3 --yes --deal-id PAY-2')).code).toBe(0);
    const other = await cli.run('open USDTNGN buy 10k --tenor 3 --yes --deal-id PAY-1');
    expect(other.code).toBe(10);
    expect(words(other)).toContain('partially filled, 6,000.00 USD');
  });

  it('is still reported as 6,000 of 10,000 after it was added to, with its size now', async () => {
    const cli = await aDeskWithPart();
    await cli.run('add USDTNGN buy 4k --yes');
    const ran = await cli.run(OPEN);
    expect(ran.code).toBe(7);
    expect(ran.out).toMatch(/^PARTIAL FILL buy USDTNGN 6,000\.00 USD of 10,000\.00 USD since/m);
    expect(ran.out).toMatch(/^Size now +10,000\.00 USD at/m);
    expect(words(ran)).toContain('Its hedge has 10,000.00 USD now.');
    expect(words(ran)).not.toContain('-rest');
  });

  it('may fill up after a close of the same minute, which says so', async () => {
    const cli = await aDeskWithPart();
    expect(words(await cli.run('close USDTNGN buy --dry-run'))).not.toContain('--by');
    const warned = await cli.run('close USDTNGN buy --yes --json');
    expect([warned.code, words(warned)]).toEqual([
      0,
      expect.stringMatching(/6,000\.00 USD\) may still fill up: what fills after this is open/),
    ]);
  });

  it('is closed without a warning after that minute', async () => {
    const cli = await aDeskWithPart();
    cli.clock.pass(60_000);
    expect(words(await cli.run('close USDTNGN buy --yes'))).not.toContain('may still fill');
  });

  it('is a line of a batch that ends with 7 and stops no other, and is reported again by the next run', async () => {
    const cli = await aDeskOfParts();
    const path = join(cli.home, 'batch.txt');
    writeFileSync(path, 'open USDTNGN buy 10k --tenor 3 --deal-id PAY-1\nopen USDTNGN sell 5k --tenor 1\n');
    for (const run of ['first', 'second']) {
      const ran = await cli.run(['batch', path, '--yes']);
      const lines = ran.out.split('\n').filter((line) => line !== '');
      const ends = lines.map((line) => JSON.parse(line));
      expect({ run, ends }).toMatchObject({
        run,
        ends: [
          { error: { code: 'partial_fill' }, meta: { exit_code: 7 } },
          { error: { code: 'partial_fill' }, meta: { exit_code: 7 } },
        ],
      });
      expect(ran.code).toBe(7);
    }
    expect(await openOn(cli)).toBe('[["buy",6000],["sell",3000]]');
  });
});

describe('an open that is filled in part in the background', () => {
  async function sentAlone(): ReturnType<typeof aDeskOfParts> {
    const cli = await aDeskOfParts();
    await cli.run('practice faults --slow-fills 60');
    expect((await cli.run(`${OPEN} --no-wait`)).code).toBe(0);
    return cli;
  }

  it('is reported by check, among others that ended as asked or did not', async () => {
    const cli = await sentAlone();
    await cli.run('practice faults clear');
    await cli.run('practice faults --slow-fills 60');
    await cli.run('open USDTNGN sell 5k --tenor 1 --yes --no-wait');
    await cli.run('practice advance 2m');
    const ran = await cli.run('check --json');
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject({
      data: [{ derived: { filled_notional_usd: 6_000 } }, { derived: { filled_notional_usd: 5_000 } }],
      error: {
        code: 'partial_fill',
        effect: 'done',
        message: expect.stringContaining('1 was filled in part'),
      },
    });
  });

  it('is reported where its answer was lost and it is found by its reference', async () => {
    const cli = await aDeskOfParts();
    await cli.run('practice faults --lost-after 100% --slow-fills 60');
    expect((await cli.run(OPEN)).code).toBe(7);
    await cli.run('practice faults clear');
    await cli.run('practice advance 2m');
    const ran = await cli.run('check PAY-1 --json');
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject(TOLD);
    expect(await sends(cli)).toBe('1');
  });
});

/** PAY-1 of 10,000, of which the service shows `share` from now on. */
async function aDeskThatFills() {
  const desk = await aDesk();
  const show = (share: number): void =>
    desk.front.meddle(async (line, pass) => {
      const answer = await pass();
      if (!/^GET \/(hedges|positions)/.test(line)) return answer;
      const shown = (_: string, size: string) => `"notional_usd":${Number(size) - 10_000 + share}`;
      return { ...answer, body: answer.body.replaceAll(/"notional_usd":(\d+)/g, shown) };
    });
  show(4_000);
  expect((await desk.run(OPEN)).code).toBe(7);
  desk.clock.pass(20_000);
  return { ...desk, show };
}

describe('a partial fill that the service completes later', () => {
  it('is open as asked: nothing is missing, and no command opens the rest', async () => {
    const desk = await aDeskThatFills();
    desk.show(10_000);
    for (const line of [OPEN, 'check PAY-1', 'wait PAY-1']) {
      const ran = await desk.run(line);
      expect([line, ran.code]).toEqual([line, 0]);
      expect(ran.out).toMatch(/^ALREADY OPEN buy USDTNGN 10,000\.00 USD since|^FILLED buy USDTNGN 10,000/m);
      expect(ran.out + ran.err).not.toContain('-rest');
    }
  });

  it('and of which more is filled by now has the command for what is still missing', async () => {
    const desk = await aDeskThatFills();
    desk.show(7_000);
    desk.clock.pass(60_000);
    const ran = await desk.run(OPEN);
    expect(ran.code).toBe(7);
    expect(words(ran)).toMatch(
      /7,000\.00 USD filled\. 3,000\.00 USD is not open .* hedge open USDTNGN buy 3000 /,
    );
  });
});

describe('a partial fill that the service completes, and that is then changed from here', () => {
  async function aDeskThatFilledLater() {
    const desk = await aDeskThatFills();
    desk.show(10_000);
    desk.clock.pass(90_000);
    return desk;
  }

  it.each(['reduce USDTNGN buy 5k', 'add USDTNGN buy 5k', 'close USDTNGN buy'])(
    'was filled whole: nothing is missing after %s',
    async (line) => {
      const desk = await aDeskThatFilledLater();
      expect((await desk.run(`${line} --yes`)).code).toBe(0);
      for (const later of [1_000, 90_000]) {
        desk.clock.pass(later);
        const ran = await desk.run(OPEN);
        expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('-rest')]);
        expect(ran.out).not.toContain('PARTIAL FILL');
      }
    },
  );

  it('is whole in the journal from its first reading as such on, and so is its size in the books', async () => {
    const desk = await aDeskThatFilledLater();
    await desk.run(OPEN);
    await desk.run('reduce USDTNGN buy 5k --yes');
    expect((await desk.run('journal PAY-1 --json')).document()).toMatchObject({
      data: { outcome: 'filled', filled_notional_usd: 10_000 },
    });
    const records = await desk.run('journal PAY-1');
    expect(records.out.match(/outcome: (partial fill|filled)/g)).toEqual([
      'outcome: partial fill',
      'outcome: filled',
    ]);
  });

  it('and of which a part is missing has no command that opens again what was reduced', async () => {
    const desk = await aDeskThatFills();
    desk.clock.pass(90_000);
    expect((await desk.run('reduce USDTNGN buy 1k --yes')).code).toBe(0);
    desk.clock.pass(90_000);
    expect(words(await desk.run(OPEN))).toContain('4,000.00 USD filled.');
    desk.show(10_000);
    expect((await desk.run(OPEN)).code).toBe(0);
  });

  it('a reading from before a reduction counts no more as filled', async () => {
    const desk = await aDeskThatFills();
    expect((await desk.run('reduce USDTNGN buy 1k --yes')).code).toBe(0);
    desk.show(5_000);
    expect(words(await desk.run(OPEN))).toContain('4,000.00 USD filled.');
  });
});

describe('a side of which an open was filled in part just now', () => {
  it('has no cover proposed for the rest until a minute later', async () => {
    const desk = await aDeskThatFills();
    const [file, policy] = [join(desk.home, 'exposures.csv'), join(desk.home, 'policy.json')];
    const due = new Date(desk.clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    writeFileSync(file, `id,due,ngn,direction,certainty\nA,${due},15000000,receive,firm\n`);
    const buckets = [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }];
    const windows = { before_days: 1, after_days: 1, forecast_weight_pct: 50 };
    writeFileSync(policy, JSON.stringify({ buckets, ...windows }));
    const cover = () => desk.run(['cover', file, '--policy', policy, '--json']);
    const early = await cover();
    expect(early.code).toBe(11);
    expect(early.document()).toMatchObject({
      data: { derived: { deals: [] } },
      error: { code: 'book_unclear', retry: 'later', message: expect.stringContaining('may still fill') },
    });
    desk.clock.pass(60_000);
    const later = await cover();
    expect(later.code).toBe(0);
    expect(later.document()).toMatchObject({ data: { derived: { deals: [{ side: 'buy' }] } } });
  });

  it.each([
    'reduce USDTNGN buy --by 50%',
    'reduce USDTNGN buy --to 1k',
    'add USDTNGN buy --to 12k',
    'roll USDTNGN buy --tenor 3 --at now',
    'roll PAY-1 --tenor 3 --at maturity',
  ])('is not measured and not rolled before the rest had its time: %s', async (line) => {
    const desk = await aDeskThatFills();
    const early = await desk.run(`${line} --dry-run`);
    expect([early.code, words(early)]).toEqual([10, expect.stringContaining('may still fill')]);
    desk.clock.pass(60_000);
    expect((await desk.run(`${line} --dry-run`)).code).toBe(0);
  });

  it('is reduced at once by a size in USD, and is measured at once where the rest has filled', async () => {
    const desk = await aDeskThatFills();
    expect((await desk.run('reduce USDTNGN buy 1k --dry-run')).code).toBe(0);
    desk.show(10_000);
    expect((await desk.run('reduce USDTNGN buy --by 50% --dry-run')).code).toBe(0);
  });
});

describe('the command for its rest', () => {
  it('has a deal ID also where the open had none, so that it opens once', async () => {
    const cli = await aDeskOfParts();
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
    cli.clock.pass(60_000);
    const [{ action_id: id }] = JSON.parse((await cli.run('journal --json')).out).data;
    const ran = await cli.run(`check ${id}`);
    const [, rest = ''] =
      /If unfilled: hedge (open USDTNGN buy 4000 --tenor 3 --deal-id [0-9a-f]{4}-rest)/.exec(words(ran)) ??
      [];
    await cli.run('practice faults clear');
    expect((await cli.run(`${rest} --yes`)).code).toBe(0);
    expect((await cli.run(`${rest} --yes`)).code).toBe(10);
    expect(await openOn(cli)).toBe('[["buy",10000]]');
  });
});

describe('on a machine that has no journal of it', () => {
  it('neither is sent again nor reported as different terms', async () => {
    const cli = await aDeskWithPart();
    removeJournal(cli.home);
    const ran = await cli.run(`${OPEN} --json`);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'deal_id_used', effect: 'none' } });
    expect(words(ran)).toContain('partly filled or changed since. Nothing was sent.');
    expect(words(ran)).not.toMatch(/other terms|new deal/i);
    expect(await sends(cli)).toBe('1');
  });
});

describe('leg 2 of a roll that is filled for less than was asked', () => {
  async function rolledInPart() {
    const cli = await aDeskOfParts();
    await cli.run('practice faults clear');
    await cli.run(OPEN);
    cli.clock.pass(120_000);
    await cli.run('practice faults --partial-fills 100% --only open');
    return { cli, ran: await cli.run('roll USDTNGN buy --tenor 3 --at now --yes') };
  }

  it('is no whole roll: neither in its receipt nor in the list', async () => {
    const { cli, ran } = await rolledInPart();
    expect([ran.code, ran.out]).toEqual([
      7,
      expect.stringMatching(/^ROLLED IN PART buy USDTNGN 6,000\.00 USD of 10,000\.00 USD, roll \w{8}$/m),
    ]);
    const shown = await cli.run('roll show', ON_A_TERMINAL);
    expect(shown.out.replaceAll(/\s+/g, ' ')).toMatch(/ done in part buy USDTNGN 6,000\.00 /);
    const one = await cli.run('roll show PAY-1', ON_A_TERMINAL);
    expect(one.out).toMatch(/^ROLL \w{8} done in part buy USDTNGN 6,000\.00 USD/m);
  });

  it('is named by check for a day, until its rest is opened', async () => {
    const { cli } = await rolledInPart();
    const line =
      /PAY-1\.r2 was filled in part, 6,000\.00 USD of 10,000\.00 USD; the rest: hedge\s+check \w{4}/;
    cli.clock.pass(90_000);
    const checked = await cli.run('check');
    expect([checked.code, checked.out]).toEqual([7, expect.stringMatching(line)]);
    expect((await cli.run('check --json')).document()).toMatchObject({
      meta: { partial_fills: [{ deal_id: 'PAY-1.r2', notional_usd: 10_000, filled_notional_usd: 6_000 }] },
    });
    await cli.run('practice faults clear');
    await cli.run('open USDTNGN buy 4k --tenor 3 --deal-id PAY-1.r2-rest --yes');
    expect(await cli.run('check')).toMatchObject({ code: 0, out: expect.not.stringMatching(line) });
  });

  it('is named by check no more after a day, nor once its side was reduced', async () => {
    const { cli } = await rolledInPart();
    cli.clock.pass(90_000);
    await cli.run('practice faults clear');
    expect((await cli.run('check')).code).toBe(7);
    await cli.run('reduce USDTNGN buy 1k --yes');
    expect((await cli.run('check')).code).toBe(0);
    const another = await rolledInPart();
    another.cli.clock.pass(25 * 3_600_000);
    expect((await another.cli.run('check')).code).toBe(0);
  });
});
