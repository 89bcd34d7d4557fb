/**
 * A close of this machine that lands on the chain after somebody else's close has taken the hedge: what is opened on the side
 * meanwhile would be taken by it. One clock for the program and the service; the chain is the test's.
 */
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { aDesk, specifiedOnly } from '../support/deals-desk.ts';
import type { Passed } from '../support/front.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { testCli } from '../support/test-cli.ts';

const NOW = 'roll USDTNGN buy --tenor 3 --at now --yes --json';
const OURS = `0x${'a1'.repeat(32)}`;
const THEIRS = `0x${'b2'.repeat(32)}`;
const LANDED_MS = 5_000;

type Fields = Readonly<Record<string, unknown>>;
type Rewrite = (line: string, answer: Passed) => Passed;
const showsLegTwoFilled = (line: string, { body }: Passed): boolean =>
  line.startsWith('GET /hedges/hdg_') && body.includes('PAY-1.r2') && body.includes('"filled"');
const asSent: Rewrite = (_, answer) => answer;

/** Each record of an answer to such a request. */
const rewriting =
  (request: RegExp, change: (sent: Fields) => Fields): Rewrite =>
  (line, answer) => {
    if (!request.test(line) || answer.status >= 300) return answer;
    const document = JSON.parse(answer.body);
    const { data } = document;
    document.data = Array.isArray(data) ? data.map(change) : change(data);
    return { ...answer, body: JSON.stringify(document) };
  };
const inHistory = (fields: Fields): Rewrite =>
  rewriting(/^GET \/hedges\/history/, (sent) => ({ ...sent, ...fields }));

/** The specified fields alone, also of closed hedges. */
const specified: Rewrite = (line, answer) =>
  rewriting(/^GET \/hedges\/history/, ({ net_pnl_usd: net }) => ({ net_pnl_usd: net }))(
    line,
    specifiedOnly(line, answer),
  );

interface Chain {
  /** When ours lands, after it was accepted. */
  afterMs: number;
  /** Who else closes, just before. */
  other?: () => Promise<unknown>;
  rewrite?: Rewrite;
  /** Instead: after the first answer that shows this. */
  landsOn?: (line: string, answer: Passed) => boolean;
  /** Before each request goes on. */
  meanwhile?: (line: string) => Promise<unknown>;
}

/** With a hedge, PAY-1. The next close is accepted at once and lands late. */
async function aChainDesk({ afterMs, other, rewrite = asSent, landsOn, meanwhile }: Chain) {
  const desk = await aDesk();
  expect((await desk.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes')).code).toBe(0);
  let landsAt: number | undefined;
  let closedAt: number | undefined;
  const openedAt: number[] = [];
  const closeNow = async (): Promise<void> => {
    await desk.served.colleague('/hedges/close', { side: 'buy' }).catch(() => undefined);
    desk.clock.pass(LANDED_MS);
  };
  const landWhatIsDue = async (): Promise<void> => {
    if (landsAt === undefined || desk.clock.now() < landsAt) return;
    landsAt = undefined;
    await closeNow();
  };
  desk.front.meddle(async (line, pass) => {
    await landWhatIsDue();
    await meanwhile?.(line);
    if (line === 'POST /hedges') openedAt.push(desk.clock.now());
    if (!['POST /hedges/close', 'POST /hedges/reduce'].includes(line) || closedAt !== undefined) {
      const answer = await pass();
      if (landsAt !== undefined && landsOn?.(line, answer) === true) {
        landsAt = undefined;
        await closeNow();
      }
      return rewrite(line, answer);
    }
    closedAt = desk.clock.now();
    await (other ?? (() => desk.served.colleague('/hedges/close', { side: 'buy' })))();
    landsAt = desk.clock.now() + afterMs;
    const data = { status: 'submitted', order_tx_hash: OURS };
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data, error: null, meta: {} }),
    };
  });
  return {
    ...desk,
    closeNow,
    /** From our close to the last open. */
    gapMs: () => (openedAt.at(-1) ?? 0) - (closedAt ?? 0),
    /** Once everything has landed. */
    async finallyOpen() {
      desk.clock.pass(120_000);
      await landWhatIsDue();
      return desk.served.openOn('buy');
    },
  };
}

const OTHER: readonly (readonly [string, Rewrite])[] = [
  ['names another order', inHistory({ order_tx_hash: THEIRS })],
  ['names another closing transaction', inHistory({ close_tx_hash: THEIRS })],
  ['has another order inside', inHistory({ closed_by: { order: { hash: THEIRS } } })],
  ['was closed before ours was sent', inHistory({ closed_at: '2020-01-01T00:00:00Z' })],
  ['settled', inHistory({ reason: 'maturity' })],
  [
    'has another order itself',
    rewriting(/^GET \/hedges\?/, (sent) =>
      sent['status'] === 'closed' ? { ...sent, order_tx_hash: THEIRS } : sent,
    ),
  ],
];

describe('roll --at now, where a colleague closed first', () => {
  it.each(OTHER)('and the closed hedge %s: leg 2 waits until ours can no longer land', async (_, rewrite) => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite });
    const ran = await desk.run(NOW);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('an earlier close of USDTNGN buy may still land');
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(await desk.finallyOpen()).toBe(10_000);
  });

  it.each([
    ['names our order', inHistory({ order_tx_hash: OURS, reason: 'close' })],
    ['names our order in capitals elsewhere', inHistory({ exit: { x_hash: OURS.toUpperCase() } })],
    ['names the order that opened it', asSent],
    ['has the specified fields alone', specified],
  ])('and the closed hedge %s: leg 2 is sent at once', async (_, rewrite) => {
    const desk = await aChainDesk({ afterMs: 3_600_000, rewrite });
    const ran = await desk.run(NOW);
    expect([ran.code, desk.gapMs() < 10_000]).toEqual([0, true]);
  });

  it.each([
    ['whose hedges are closed then', specified],
    [
      'that leaves closed hedges filled',
      rewriting(/^GET \/hedges\/hdg_/, (sent) =>
        sent['status'] === 'closed' ? { ...sent, status: 'filled' } : sent,
      ),
    ],
  ])(
    'and ours takes leg 2, on a service %s: that is no success, nor is the same command again',
    async (_, rewrite) => {
      const desk = await aChainDesk({ afterMs: 3_600_000, rewrite, landsOn: showsLegTwoFilled });
      const ran = await desk.run(NOW);
      const { data, error } = JSON.parse(ran.out);
      expect([ran.code, error.effect, data.state]).toEqual([7, 'unknown', 'dropped']);
      expect(error.message).toMatch(/USDTNGN buy (is|may be) flat/);
      expect(error.hint).toMatch(/^hedge hedges hdg_\S+ {4}/);
      expect(await desk.served.openOn('buy')).toBe(0);
      for (const again of [NOW, 'roll PAY-1 --tenor 3 --at now --yes --json'])
        expect((await desk.run(again)).code).not.toBe(0);
      expect((await desk.run('roll show --json')).out).toContain('leg 2 was closed again');
    },
  );

  const AGAIN = ['roll PAY-1 --tenor 3 --at now --yes --json', 'roll run --due --yes --json'];

  /** The operator stops it at the look at leg 2: the journal has it as filled. A kill would leave the same. */
  async function stoppedDesk(afterMs: number) {
    const stop = new AbortController();
    let looks = 0;
    const desk = await aChainDesk({
      afterMs,
      rewrite: specified,
      landsOn(line, answer) {
        if (showsLegTwoFilled(line, answer)) looks += 1;
        if (looks === 2) stop.abort(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }));
        return false;
      },
    });
    const ran = await desk.run(NOW, { signal: stop.signal });
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([1, { data: { state: 'done' } }]);
    return desk;
  }

  it.each(AGAIN)('and the look at leg 2 is stopped by the operator: %s looks again', async (command) => {
    const desk = await stoppedDesk(20_000);
    expect(await desk.finallyOpen()).toBe(0);
    const again = await desk.run(command);
    expect([again.code, again.out]).toEqual([7, expect.stringContaining('NOT ROLLED')]);
    expect((await desk.run('roll show --json')).out).toContain('leg 2 was closed again');
    expect((await desk.run('roll run --due --yes')).out).toContain('No roll is due.');
    expect(await desk.served.openOn('buy')).toBe(0);
  });

  it.each(AGAIN)('and leg 2 has run to its maturity when %s looks again: that is a roll', async (command) => {
    const desk = await stoppedDesk(365 * 24 * 3_600_000);
    desk.clock.pass(73 * 3_600_000);
    const again = await desk.run(command);
    expect([again.code, await desk.served.openOn('buy')]).toEqual([0, 0]);
    expect((await desk.run('roll show --json')).document()).toMatchObject({ data: [{ state: 'done' }] });
    expect((await desk.run('roll run --due --yes')).out).toContain('No roll is due.');
  });

  it('and roll run --due finds leg 2 open after the look was stopped: it says rolled, once', async () => {
    const desk = await stoppedDesk(365 * 24 * 3_600_000);
    const again = await desk.run('roll run --due --yes');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('ROLLED buy USDTNGN 10,000.00 USD')]);
    expect((await desk.run('roll run --due --yes')).out).toContain('No roll is due.');
    expect(await desk.served.openOn('buy')).toBe(10_000);
  });

  it.each([
    ['was rolled on', 'roll PAY-1.r2 --tenor 3 --at now --yes', 10_000],
    ['was closed by the dealer', 'close USDTNGN buy --yes', 0],
  ])('and leg 2 %s after the look was stopped: it had held, so that is a roll', async (_, later, open) => {
    const desk = await stoppedDesk(365 * 24 * 3_600_000);
    desk.clock.pass(3_600_000);
    expect((await desk.run(later)).code).toBe(0);
    const ran = await desk.run('roll run --due --yes');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('ROLLED buy USDTNGN 10,000.00 USD')]);
    expect((await desk.run('roll show --json')).out).not.toContain('closed again');
    expect(await desk.served.openOn('buy')).toBe(open);
  });

  it('and ours takes leg 2 after the dealer saw it: what is sent then is no proof that it held', async () => {
    const desk = await stoppedDesk(20_000);
    expect((await desk.run('reduce USDTNGN buy 1k --yes')).code).toBe(0);
    expect(await desk.finallyOpen()).toBe(0);
    const ran = await desk.run('roll run --due --yes --json');
    expect([ran.code, ran.out]).toEqual([7, expect.stringContaining('NOT ROLLED')]);
  });

  it('and evidence comes only after leg 2 was opened: success is said once ours can no longer land', async () => {
    let late = false;
    const desk = await aChainDesk({
      afterMs: 3_600_000,
      rewrite: (line, answer) => (late ? inHistory({ order_tx_hash: THEIRS })(line, answer) : answer),
      landsOn(line) {
        late ||= line === 'POST /hedges';
        return false;
      },
    });
    const startedAt = desk.clock.now();
    expect((await desk.run(NOW)).code).toBe(0);
    expect(desk.gapMs()).toBeLessThan(10_000);
    expect(desk.clock.now() - startedAt).toBeGreaterThanOrEqual(60_000);
  });

  it('and the operator stops the waiting: the side is flat, and the next run waits for the rest', async () => {
    const stop = new AbortController();
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    const { sleep } = desk.clock;
    desk.clock.sleep = async (ms, signal) => {
      if (ms < 30_000 || stop.signal.aborted) return sleep(ms, signal);
      stop.abort(new InterruptedError('SIGINT', { what: 'Stopped by Ctrl-C.' }));
    };
    const ran = await desk.run(NOW, { signal: stop.signal });
    const { data, error } = JSON.parse(ran.out);
    expect([error.code, error.effect, data.state]).toEqual(['interrupted', 'done', 'flat_open_due']);
    expect(error.message).toContain('USDTNGN buy is flat');
    expect((await desk.run(`roll run ${data.chain_id} --yes`)).code).toBe(0);
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(await desk.finallyOpen()).toBe(10_000);
  });
});

describe('roll --at now on two machines', () => {
  it('whose close takes the leg 2 of the other machine does not say that it rolled', async () => {
    let first: { code: number } | undefined;
    const desk = await aChainDesk({
      afterMs: 20_000,
      rewrite: specified,
      other: async () => {
        first = await otherMachine().run(NOW);
      },
    });
    const otherMachine = () => {
      const home = temporaryFolder();
      return testCli({ home, clock: desk.clock, env: desk.front.way(home) });
    };
    const ran = await desk.run(NOW);
    expect(first?.code).toBe(0);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error?.code]).toEqual([7, 'outcome_unknown']);
    expect(await desk.finallyOpen()).toBe(0);
  });
});

describe('what follows a close that another order may have overtaken', () => {
  const FOLLOWING: readonly (readonly [
    string,
    (desk: Awaited<ReturnType<typeof aChainDesk>>) => Promise<unknown>,
  ])[] = [
    ['open', ({ run }) => run('open USDTNGN buy 10k --tenor 3 --yes')],
    ['open --ensure', ({ run }) => run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-2 --ensure --yes')],
    ['batch', ({ run }) => run('batch - --yes', { stdin: 'open USDTNGN buy 10k --tenor 3\n' })],
    [
      'deals run',
      async ({ write, deals }) => {
        write(['PAY-2,USDTNGN,buy,10000,3,,300,']);
        return deals('run FILE --yes');
      },
    ],
  ];
  it.each(FOLLOWING)('%s waits until ours can no longer land', async (_, follow) => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    const closed = await desk.run('close USDTNGN buy --yes --json');
    expect([closed.code, desk.gapMs() < 10_000]).toEqual([0, true]);
    expect(closed.err).toContain('another order may have closed USDTNGN buy; our close may still land until');
    expect(await follow(desk)).toMatchObject({ code: 0 });
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(await desk.finallyOpen()).toBe(10_000);
  });

  it('a row of deals run waits, and is then judged by new readings', async () => {
    let closing: Promise<number> | undefined;
    let readAt = Number.NaN;
    const rewrite = inHistory({ order_tx_hash: THEIRS });
    const desk = await aChainDesk({
      afterMs: 20_000,
      rewrite,
      // While the first row is sent, another process closes the side of the second.
      async meanwhile(line) {
        if (line === 'GET /positions') readAt = desk.clock.now();
        if (line !== 'POST /hedges' || closing !== undefined) return;
        desk.clock.pass(1_000);
        closing = desk.run('close USDTNGN buy --yes').then(({ code }) => code);
        await closing;
      },
    });
    desk.write(['PAY-2,USDTNGN,sell,1000,3,,300,', 'PAY-3,USDTNGN,buy,10000,3,,300,']);
    expect([(await desk.deals('run FILE --yes')).code, await closing]).toEqual([0, 0]);
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(desk.clock.now() - readAt).toBeLessThan(30_000);
  });

  it('resume of an open that was never sent waits too', async () => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    await desk.served.desk.service.admin.setFaults({ rate_limited: 1, only: 'open' });
    const limited = await desk.run('open USDTNGN buy 9k --tenor 3 --yes --json');
    await desk.served.desk.service.admin.clearFaults();
    expect((await desk.run('close USDTNGN buy --yes')).code).toBe(0);
    const { data } = JSON.parse(limited.out);
    expect((await desk.run(`resume ${data.action_id} --yes --resend`)).code).toBe(0);
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
    expect(await desk.finallyOpen()).toBe(9_000);
  });

  it('a reduction by everything is such a close', async () => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    expect((await desk.run('reduce USDTNGN buy 10k --yes')).code).toBe(0);
    expect((await desk.run('open USDTNGN buy 9k --tenor 3 --yes')).code).toBe(0);
    expect(desk.gapMs()).toBeGreaterThanOrEqual(60_000);
  });

  it('close and open in one batch: the open waits', async () => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    const stdin = 'close USDTNGN buy\nopen USDTNGN buy 10k --tenor 3\n';
    expect((await desk.run('batch - --yes', { stdin })).code).toBe(0);
    expect(await desk.finallyOpen()).toBe(10_000);
  });

  it('another side, a dry run and a reduction do not wait', async () => {
    const desk = await aChainDesk({ afterMs: 20_000, rewrite: inHistory({ order_tx_hash: THEIRS }) });
    await desk.run('close USDTNGN buy --yes');
    const from = desk.clock.now();
    expect((await desk.run('open USDTNGN buy 9k --tenor 3 --dry-run')).code).toBe(0);
    expect((await desk.run('open USDTNGN sell 5k --tenor 3 --yes')).code).toBe(0);
    expect((await desk.run('reduce USDTNGN sell 1k --yes')).code).toBe(0);
    expect(desk.clock.now() - from).toBeLessThan(30_000);
  });
});

it('reductions whose side shows the changes of both say so beside the sizes', async () => {
  const desk = await aDesk();
  await desk.run('open USDTNGN sell 11k --tenor 3 --yes');
  desk.clock.pass(300_000);
  for (const size of [2_200, 100]) await desk.run(`reduce USDTNGN sell ${size} --no-wait --yes`);
  desk.clock.pass(10_000);
  const { out } = await desk.run('check');
  const both = /Side +11,000\.00 +USD +→ 8,700\.00 USD\n +\(it includes the change of \w{4}\)/g;
  expect(out.match(both)).toHaveLength(2);
});
