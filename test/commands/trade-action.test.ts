/** Deals of the whole program against the practice service: what a key and a deal id stand for. */
import { describe, expect, it } from 'vitest';
import { ON_A_TERMINAL, type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { journalText, keepJournal, removeJournal } from '../support/written-journal.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const OPEN = 'open USDTNGN buy 10k --tenor 3 --yes --json';

interface Document {
  data: {
    action_id: string;
    outcome: string;
    effect: string;
    receipt: { hedge_id: string | null; idempotency_key: string };
    hedge: { id: string; status: string };
  } | null;
  error: { code: string; effect: string } | null;
}

const documentOf = (ran: Ran): Document => JSON.parse(ran.out);
const hedgesOf = async (cli: TestCli): Promise<readonly { status: string }[]> =>
  JSON.parse((await cli.run('hedges --json')).out).data;
const openHedges = async (cli: TestCli): Promise<number> =>
  (await hedgesOf(cli)).filter(({ status }) => status === 'filled').length;

describe('an open beyond the capacity, for which the service gives no quote', () => {
  it('stops with the headroom, once, and the largest size that fits', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const ran = await cli.run('open USDTNGN buy 5m --tenor 3 --yes --json');
    expect([ran.code, ran.document()]).toMatchObject([
      10,
      {
        error: {
          code: 'exposure_exceeded',
          hint: 'Largest size that fits: 500,000.00 USD.',
          details: { findings: [{ code: 'exposure_exceeded' }] },
        },
      },
    ]);
  });
});

describe('a trade', () => {
  it('goes from the line to the fill, and is written down', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await cli.run(OPEN);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)).toMatchObject({
      data: { action: 'open', outcome: 'filled', effect: 'done', hedge: { status: 'filled' } },
      error: null,
      meta: { command: 'open', environment: 'practice' },
    });
    const id = documentOf(ran).data?.action_id ?? '';
    expect((await cli.run(`journal ${id.slice(0, 4)} --json`)).out).toContain(id);
  });

  it.each(['buy', 'sell'])(
    'on %s has one set of figures, now and when it is reported later',
    async (side) => {
      const cli = testCli({ env: PRACTICE });
      const line = `open USDTNGN ${side} 10k --tenor 3 --yes --json --deal-id PAY-1 --ensure`;
      const quotedBy = async (words: string): Promise<unknown> =>
        JSON.parse((await cli.run(words)).out).data.derived.quoted;
      const fresh = await quotedBy(line);
      expect(fresh).toMatchObject({ impact_cost_usd: 6, cost_bps: expect.any(Number) });
      expect(await quotedBy(line)).toEqual(fresh);
      expect(await quotedBy('wait PAY-1 --json')).toEqual(fresh);
      const { out } = await cli.run('journal PAY-1');
      expect(out).toMatch(/^Quoted impact cost \(USD\) +6\.00$/m);
      expect((await cli.run('journal PAY-1 --json')).document()).toMatchObject({
        data: { quote: { price_impact_usd: '-6', impact_cost_usd: '6' } },
      });
    },
  );

  it.each([
    ['open', `${OPEN} --deal-id PAY-1`],
    ['add', 'add USDTNGN buy 2k --yes --json'],
  ])(
    'of %s is kept under one name for one fact: what is carried, and to which maturity',
    async (action, line) => {
      const cli = testCli({ env: PRACTICE });
      if (action === 'add') await cli.run(OPEN);
      const { data } = JSON.parse((await cli.run(line)).out);
      const kept = JSON.parse((await cli.run(`journal ${data.action_id} --json`)).out).data;
      const matures = action === 'open' ? data.quote.maturity : data.derived.quoted.maturity_at;
      const carried = action === 'open' ? data.quote.carry.total_usdc : data.derived.quoted.carry_usdc;
      expect(kept.quote).toMatchObject({ carry_usdc: String(carried), maturity_at: matures });
      expect(JSON.stringify(kept)).not.toMatch(/"(carry_total_usdc|maturity)"/);
      const again = JSON.parse((await cli.run(`wait ${data.action_id} --json`)).out);
      expect(again.data.derived.quoted).toEqual(data.derived.quoted);
    },
  );

  it('on a market that is mistyped suggests the intended one, and nothing of a price', async () => {
    const ran = await testCli({ env: PRACTICE }).run('open USDNGN buy 10k --tenor 3 --yes');
    expect(ran.code).toBe(10);
    expect(ran.err).toContain(
      'This account has no market USDNGN.\nNothing was sent.\nDid you mean USDTNGN? To list them: hedge markets',
    );
  });

  it('that is only tried sends nothing and is not written down', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await cli.run(`${OPEN} --dry-run`);
    expect(ran.code).toBe(0);
    expect(documentOf(ran).data).toMatchObject({ action_id: null, outcome: 'planned', effect: 'none' });
    expect(await hedgesOf(cli)).toEqual([]);
    expect((await cli.run('journal --json')).document()).toMatchObject({ data: [] });
  });

  it('that is not waited for is accepted, and warned of by the next one', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --slow-fills 3600');
    expect(documentOf(await cli.run(`${OPEN} --no-wait`))).toMatchObject({
      data: { outcome: 'submitted', effect: 'pending' },
      error: null,
    });
    const next = await cli.run('open USDTNGN buy 11k -t 3 --dry-run --json');
    expect(next.document()).toMatchObject({ data: { derived: { warnings: ['in_flight'] } } });
  });
});

describe('progress of a trade', () => {
  it('is dated for the person at the terminal, and in UTC where a log is kept', async () => {
    const terminal = { isTTY: { stderr: true }, width: 200, env: { NO_COLOR: '1' } };
    const person = await testCli({ env: PRACTICE }).run(OPEN, { terminal });
    expect(person.err).toMatch(/^\d\d:\d\d:\d\d {2}sending {4}action/m);
    const log = await testCli({ env: PRACTICE }).run(OPEN);
    expect(log.err).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}sending {4}action/m);
  });
});

describe('the same idempotency key', () => {
  it('prints the original result and sends nothing', async () => {
    const cli = testCli({ env: PRACTICE });
    const first = documentOf(await cli.run(`${OPEN} --idempotency-key k-1`));
    const second = await cli.run(`${OPEN} --idempotency-key k-1`);
    expect(second.code).toBe(0);
    expect(documentOf(second).data?.action_id).toBe(first.data?.action_id);
    expect(documentOf(second).data?.hedge.id).toBe(first.data?.hedge.id);
    expect(await openHedges(cli)).toBe(1);
  });

  it.each([
    'open USDTNGN buy 20k --tenor 3',
    'open USDTNGN buy 10k --tenor 7',
    'open USDTNGN sell 10k --tenor 3',
    'add USDTNGN buy 10k',
    'close USDTNGN buy',
  ])('with another request is stopped here: %s', async (other) => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --idempotency-key k-1`);
    const ran = await cli.run(`${other} --yes --json --idempotency-key k-1`);
    expect(ran.code).toBe(10);
    expect(documentOf(ran).error?.code).toBe('idempotency_key_reuse');
    expect(await openHedges(cli)).toBe(1);
  });

  it('stopped while its outcome is unknown is as unknown as before, in its exit code too', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --lost-before 100% --only open');
    expect((await cli.run(`${OPEN} --idempotency-key k-1`)).code).toBe(7);
    await cli.run('halt venue-down');
    const ran = await cli.run(`${OPEN} --idempotency-key k-1`);
    expect(ran.code).toBe(7);
    expect(documentOf(ran)).toMatchObject({
      data: { outcome: 'unknown', effect: 'unknown' },
      error: { code: 'halted', effect: 'unknown' },
    });
  });

  it('continues a part of what is open as it was asked, whatever the side is by now', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(OPEN);
    const half = 'reduce USDTNGN buy --by 50% --yes --json --idempotency-key k-half';
    expect((await cli.run(half)).code).toBe(0);
    expect((await cli.run(half)).code).toBe(0);
    expect((await cli.run('positions --json')).document()).toMatchObject({ data: [{ notional_usd: 5000 }] });
  });
});

describe('a deal ID', () => {
  it('is free again when the service had no free slot', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --rate-limited 100% --only open');
    const away = await cli.run(`${OPEN} --deal-id PAY-1`);
    expect(away.code).toBe(5);
    expect(documentOf(away).data).toMatchObject({ outcome: 'not_sent', effect: 'none' });
    // It did leave: the service turned it away.
    expect((await cli.run('journal')).out).toMatch(/ not accepted +PAY-1$/m);
    expect((await cli.run('journal PAY-1')).out).toMatch(/Z not accepted \(rate_limited\): /);
    await cli.run('practice faults clear');
    expect((await cli.run(`${OPEN} --deal-id PAY-1`)).code).toBe(0);
    expect(await openHedges(cli)).toBe(1);
  });

  it('opens once, however often it is ensured', async () => {
    const cli = testCli({ env: PRACTICE });
    const codes = [];
    for (let run = 1; run <= 3; run += 1)
      codes.push((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code);
    expect(codes).toEqual([0, 0, 0]);
    expect(await openHedges(cli)).toBe(1);
  });

  it('says that it was open already where it is ensured again', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    const again = await cli.run(`${OPEN} --deal-id PAY-1 --ensure`.replace(' --json', ''));
    expect(again.out).toMatch(/^ALREADY OPEN buy USDTNGN [\d,.]+ USD since \S+; nothing was\s+sent\.$/m);
    expect(again.code).toBe(0);
    await cli.run('close USDTNGN buy --yes');
    const gone = await cli.run(`${OPEN} --deal-id PAY-1 --ensure`.replace(' --json', ''));
    expect(gone.out).toMatch(/^Maturity /m);
    expect(gone.out).toMatch(/^NO LONGER OPEN buy USDTNGN [\d,.]+ USD, filled \S+; nothing\s+was\s+sent\.$/m);
  });

  it('in flight stops a size computed from the side with one reason: wait for the action', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(OPEN);
    await cli.run('practice faults --slow-fills 60');
    await cli.run('open USDTNGN buy 5k --tenor 3 --yes --no-wait');
    const ran = await cli.run('reduce USDTNGN buy --by 10% --yes');
    expect(ran.code).toBe(10);
    expect(ran.err).toMatch(/hedge wait \w{4} /);
    expect(ran.err).not.toMatch(/Each reason|hedge wait hdg_/);
  });

  it('without --ensure stops the second deal', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    const again = await cli.run(`${OPEN} --deal-id PAY-1`);
    expect(again.code).toBe(10);
    expect(documentOf(again).error).toMatchObject({
      code: 'deal_id_used',
      hint: 'Same deal: nothing to send; --ensure reports it. Else: a new deal ID.',
    });
  });

  it('without --ensure says what it would do with a deal whose outcome is unknown: it may send it', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --lost-before 100% --only open --once 3');
    expect((await cli.run(`${OPEN} --deal-id PAY-1`)).code).toBe(7);
    const again = await cli.run(`${OPEN} --deal-id PAY-1`);
    expect(again.code).toBe(10);
    const said = again.err.replaceAll(/\s+/g, ' ');
    expect(said).toMatch(/action \w{4}, outcome unknown: it may be open\. Nothing was sent\./);
    expect(said).toMatch(
      /hedge check \w{4} look it up; sends nothing Same deal: --ensure looks it up, and sends it again with the same key if it is not there\./,
    );
    expect(said).not.toMatch(/nothing to|a new deal ID/);
    expect((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code).toBe(0);
    expect(await openHedges(cli)).toBe(1);
  });

  it('ensured on other terms is stopped', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    const other = await cli.run('open USDTNGN buy 11k -t 3 --yes --json --deal-id PAY-1 --ensure');
    expect(other.code).toBe(10);
    expect(documentOf(other).error?.code).toBe('deal_id_used');
    expect(other.err).toMatch(
      /10,000\.00 USD, 3 days\. You asked for buy USDTNGN\s+11,000\.00 USD, 3 days\./,
    );
  });

  it('of an open that failed says so, and is traded again only with --retry-failed', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --failing-orders 100%');
    expect((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code).toBe(9);
    await cli.run('practice faults clear');
    const again = await cli.run(`${OPEN} --deal-id PAY-1 --ensure --max-cost-bps 50`, ON_A_TERMINAL);
    expect(again.code).toBe(9);
    expect(await openHedges(cli)).toBe(0);
    const line = again.err.split('\n').find((each) => each.startsWith('hedge open')) ?? '';
    expect(line).toBe(
      'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --ensure --retry-failed --max-cost-bps 50',
    );
    const retried = await cli.run(`${line.replace('hedge ', '')} --yes`);
    expect(retried.code).toBe(0);
    expect(await openHedges(cli)).toBe(1);
  });

  it('that a colleague traded is reported with --ensure, and stops an open without it', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    // As on a machine that has no journal of it.
    removeJournal(cli.home);
    expect((await cli.run(`${OPEN} --deal-id PAY-1`)).code).toBe(10);
    expect((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code).toBe(0);
    expect(await openHedges(cli)).toBe(1);
  });

  it.each([
    ['reduce USDTNGN buy 4k', '6,000.00 USD'],
    ['add USDTNGN buy 2k', '12,000.00 USD'],
  ])(
    'ensured on another machine after %s is not called another deal, and not sent again',
    async (change, now) => {
      const cli = testCli({ env: PRACTICE });
      await cli.run(`${OPEN} --deal-id PAY-1`);
      expect((await cli.run(`${change} --yes`)).code).toBe(0);
      expect((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code).toBe(0);
      removeJournal(cli.home);
      const ran = await cli.run('open USDTNGN buy 10k --tenor 3 --yes --deal-id PAY-1 --ensure');
      expect(ran.code).toBe(10);
      const says = ran.err.replace(/\s+/g, ' ');
      expect(says).toContain(`Deal ID "PAY-1" is used by buy "USDTNGN", now ${now}`);
      expect(says).toContain('partly filled or changed since. Nothing was sent.');
      expect(says).not.toMatch(/new deal|another deal|other terms/i);
      expect(await openHedges(cli)).toBe(1);
    },
  );

  it('ensured on another machine after it was closed in parts is reported by its closed record', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    await cli.run('reduce USDTNGN buy 4k --yes');
    await cli.run('close USDTNGN buy --yes');
    removeJournal(cli.home);
    const again = await cli.run(`${OPEN} --deal-id PAY-1 --ensure`);
    expect(again.code).toBe(0);
    expect(documentOf(again).data?.outcome).toBe('closed');
    // What it never was is another deal.
    expect((await cli.run('open USDTNGN buy 11k -t 3 --yes --deal-id PAY-1 --ensure')).code).toBe(10);
    expect(await openHedges(cli)).toBe(0);
  });

  it('ensured where the journal saw a colleague’s hedge at that size, before an own reduction, is done', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} --deal-id PAY-1`);
    removeJournal(cli.home);
    await cli.run('reduce USDTNGN buy 4k --yes');
    expect((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).code).toBe(0);
    expect(await openHedges(cli)).toBe(1);
  });
});

describe('a close', () => {
  it('of nothing is as good as done with --if-open, and stops without', async () => {
    const cli = testCli({ env: PRACTICE });
    const flat = await cli.run('close USDTNGN buy --if-open --yes --json');
    expect(flat.code).toBe(0);
    expect(documentOf(flat).data).toMatchObject({ outcome: 'flat', effect: 'none' });
    const stopped = await cli.run('close USDTNGN buy --yes --json');
    expect(stopped.code).toBe(10);
    expect(documentOf(stopped).error?.code).toBe('no_open_hedge');
  });
});

describe('a hedge that was increased', () => {
  it('keeps the rate it was filled at, and its slippage', async () => {
    const cli = testCli({ env: PRACTICE });
    interface Filled {
      data: { derived: { struck_rate: number; slippage_bps: number }; hedge: { struck_rate: number } };
    }
    const filled: Filled = JSON.parse((await cli.run(`${OPEN} --deal-id PAY-1`)).out);
    await cli.run('practice advance 6h');
    await cli.run('add USDTNGN buy 5k --yes');
    const later: Filled = JSON.parse((await cli.run(`${OPEN} --deal-id PAY-1 --ensure`)).out);
    expect(later.data.derived.struck_rate).toBe(filled.data.derived.struck_rate);
    expect(later.data.derived.slippage_bps).toBe(filled.data.derived.slippage_bps);
    expect(later.data.hedge.struck_rate).not.toBe(filled.data.hedge.struck_rate);
    expect((await cli.run('wait PAY-1')).out).toMatch(/Size now +15,000\.00 USD at 1,/);
  });
});

describe('a part of what is open', () => {
  it.each(['--by 50%', '--to 5000'])(
    'is not taken while another reduction is in flight: %s',
    async (part) => {
      const cli = testCli({ env: PRACTICE });
      await cli.run(OPEN);
      await cli.run('practice faults --slow-fills 60');
      expect((await cli.run('reduce USDTNGN buy 2k --yes --no-wait')).code).toBe(0);
      const stopped = await cli.run(`reduce USDTNGN buy ${part} --yes --json`);
      expect(stopped.code).toBe(10);
      expect(documentOf(stopped).error?.code).toBe('in_flight');
    },
  );

  it('that is a notional goes on, and the warning is said and in the document', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(OPEN);
    await cli.run('practice faults --slow-fills 60');
    await cli.run('reduce USDTNGN buy 2k --yes --no-wait');
    const ran = await cli.run('reduce USDTNGN buy 1k --yes --no-wait --json');
    expect(ran.document()).toMatchObject({ data: { derived: { warnings: ['in_flight'] } } });
    expect(ran.err).toContain('is in flight');
  });
});

describe('an open that failed', () => {
  it('tells the line that trades it again, within the same bounds', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --failing-orders 100%');
    const failed = await cli.run(`${OPEN} --deal-id PAY-1 --max-cost-bps 50`);
    expect(failed.err.replaceAll(/\s+/g, ' ')).toContain(
      'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --ensure --retry-failed --max-cost-bps 50',
    );
  });
});

describe('the environment line', () => {
  const screen = { terminal: { isTTY: { stdout: true, stderr: true } } };

  it('is shown once on a screen: above what was said first, or above the result where nothing was', async () => {
    const cli = testCli({ env: PRACTICE });
    const lines = ({ out, err }: { out: string; err: string }): number =>
      (out + err).split('PRACTICE').length - 1;
    await cli.run(OPEN);
    expect(lines(await cli.run('add USDTNGN buy 1k --yes', screen))).toBe(1);
    expect(lines(await cli.run('add USDTNGN buy 2k --yes -q', screen))).toBe(1);
  });
});

describe('the same change of a side', () => {
  it.each(['add', 'reduce'])(
    '%s: is stopped while the first is in flight, also after the minute',
    async (action) => {
      const cli = testCli({ env: PRACTICE });
      await cli.run(OPEN);
      await cli.run('practice faults --slow-fills 150');
      const line = `${action} USDTNGN buy 1k --yes --json`;
      expect((await cli.run(`${line} --timeout 62`)).code).toBe(8);
      const again = await cli.run(`${line} --timeout 5`);
      expect([again.code, again.document()]).toMatchObject([10, { error: { code: 'duplicate' } }]);
      expect(again.document()).toMatchObject({
        error: {
          message: expect.stringContaining('not finished'),
          hint: expect.stringMatching(
            /^To wait for it: hedge wait [0-9a-f]{4}\. To send it again: --allow-duplicate$/,
          ),
        },
      });
      await cli.run('practice advance 10m');
      expect((await cli.run('check')).code).toBe(0);
      expect((await cli.run(`${line} --no-wait`)).code).toBe(0);
    },
  );
});

describe('a size that is asked for as a part, in naira or as a target', () => {
  const enteredAgain = async (line: string): Promise<Ran> => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(OPEN);
    expect((await cli.run(`${line} --yes`)).code).toBe(0);
    return cli.run(`${line} --yes --json`);
  };

  it.each(['reduce USDTNGN buy --by 50%', 'reduce USDTNGN buy --ngn 2m', 'add USDTNGN buy --ngn 2m'])(
    '%s, entered again, is stopped: it would change the position once more',
    async (line) => {
      expect(documentOf(await enteredAgain(line)).error?.code).toBe('duplicate');
    },
  );

  it.each(['reduce USDTNGN buy --to 4k', 'add USDTNGN buy --to 12k'])(
    '%s, entered again, is reached already',
    async (line) => {
      expect(documentOf(await enteredAgain(line)).error?.code).not.toBe('duplicate');
    },
  );
});

describe('an addition that a colleague trades into', () => {
  it('is reported as unresolved, and never prevents closing', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(OPEN);
    await cli.run('practice faults --slow-fills 5');
    await cli.run('add USDTNGN buy 1k --yes --no-wait');
    // A colleague's journal is not this one: what it deals is not ours.
    const ours = journalText(cli.home);
    const putBack = keepJournal(cli.home);
    await cli.run('add USDTNGN buy 2k --yes --no-wait --allow-duplicate');
    putBack();
    await cli.run('practice advance 1m');
    const waited = await cli.run(`wait ${shortIdOf(ours)} --json`);
    expect(waited.code).toBe(7);
    expect((await cli.run('check --json')).code).toBe(7);
    expect((await cli.run('journal --unresolved --json')).document()).toMatchObject({
      data: [{ outcome: 'unknown' }],
    });
    expect((await cli.run('add USDTNGN buy 3k --yes --json')).document()).toMatchObject({
      error: { code: 'unresolved' },
    });
    expect((await cli.run('close USDTNGN buy --yes')).code).toBe(0);
    const settled = `journal resolve ${shortIdOf(ours)} --as executed --reason seen --yes`;
    expect((await cli.run(settled)).code).toBe(0);
  });
});

const shortIdOf = (journal: string): string =>
  /"action_id":"(....)[^"]*"[^\n]*"action":"add"/.exec(journal)?.[1] ?? '';
