/** Batches of the whole program: what each line answers, what a second run does, and what stops it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { cliFor, LIVE_KEY } from '../support/cli-for.ts';
import { no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { quickClock, type Ran, type RunOptions, type TestCli, testCli } from '../support/test-cli.ts';
import { removeJournal } from '../support/written-journal.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const OPEN = 'open USDTNGN buy';

interface Envelope {
  data: {
    action_id: string;
    outcome: string;
    receipt: { idempotency_key: string };
    hedge: { id: string };
  } | null;
  error: { code: string; effect: string; message: string; hint?: string; details?: unknown } | null;
  meta: { command: string; line: number; exit_code: number; original_at?: string; environment: string };
}

interface Batched extends Ran {
  envelopes: readonly Envelope[];
  /** `1 quote 0`: line, command and exit code of each envelope. */
  ends: readonly string[];
}

/** Runs these lines as a file of the desk. */
async function batch(
  cli: TestCli,
  lines: readonly string[],
  words = '--yes',
  options: RunOptions = {},
): Promise<Batched> {
  const file = join(cli.home, 'batch.txt');
  writeFileSync(file, lines.join('\n'));
  return readBatch(await cli.run(['batch', file, ...words.split(' ').filter(Boolean)], options));
}

function readBatch(ran: Ran): Batched {
  const envelopes = ran.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Envelope => JSON.parse(line));
  const ends = envelopes.map(({ meta: { line, command, exit_code } }) => `${line} ${command} ${exit_code}`);
  return { ...ran, envelopes, ends };
}

const openHedges = async (cli: TestCli): Promise<number> => {
  const { data } = JSON.parse((await cli.run('hedges --json')).out);
  return data.filter(({ status }: { status: string }) => status === 'filled').length;
};

describe('a batch', () => {
  it('answers each line in order with the document that the line alone would give', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await batch(cli, [
      '# the morning',
      'hedge quote USDTNGN buy 10k --tenor 3',
      '',
      `${OPEN} 10k --tenor 3 --deal-id PAY-1`,
      '{"command":"add","market":"USDTNGN","side":"buy","notional_usd":2500.5}',
      'reduce USDTNGN buy --by 50%',
      'positions',
    ]);
    expect(ran.code).toBe(0);
    expect(ran.err.split('\n').slice(0, 4)).toEqual([
      'PRACTICE · this machine, no money',
      '',
      'OPENS + ADDS  DONE  OPENED USD  UPFRONT USDC  NOT DONE',
      'USDTNGN buy      2   12,500.50    1,262.5505         0',
    ]);
    expect(ran.err).toMatch(/^Returned by reductions and closes: \d+\.\d+ USD \(estimate\)\.$/m);
    expect(ran.ends).toEqual(['2 quote 0', '4 open 0', '5 add 0', '6 reduce 0', '7 positions 0']);
    expect(ran.envelopes[1]).toMatchObject({
      data: { action: 'open', outcome: 'filled', hedge: { client_reference: 'PAY-1' } },
      error: null,
      meta: { schema: 1, profile: 'practice', environment: 'practice' },
    });
    expect(ran.envelopes[4]).toMatchObject({ data: [{ side: 'buy', notional_usd: 6250.25 }] });
  });

  it('comes from standard input as well, without a terminal', async () => {
    const cli = testCli({ env: PRACTICE });
    const stdin = 'account\npositions\n';
    expect(readBatch(await cli.run('batch -', { stdin })).ends).toEqual(['1 account 0', '2 positions 0']);
    const asking = await cli.run('batch -', { stdin: `account\n${OPEN} 10k -t 3` });
    expect(asking.code).toBe(2);
    expect(asking.err).toMatch(/^Not a terminal: .*nothing was sent\.\n.*: --yes\n$/);
  });

  it('prints its lines as on a screen into a pipe only with --output table', async () => {
    const cli = testCli({ env: PRACTICE });
    const { out } = await cli.run('batch - --output table', { stdin: 'positions\n' });
    expect(out).toContain('No open positions');
    expect(out).not.toContain('{');
  });

  it('reports its errors in one document, and sends nothing', async () => {
    const service = await scriptedService([]);
    const cli = cliFor(service);
    const ran = await batch(cli, [`${OPEN} 10k -t 3`, 'acount', 'open USDTNGN up 10k -t 3']);
    expect(ran.code).toBe(2);
    expect(ran.envelopes).toMatchObject([
      {
        data: null,
        error: { code: 'usage', effect: 'none', details: { lines: [{ line: 2 }, { line: 3 }] } },
        meta: { command: 'batch' },
      },
    ]);
    expect(ran.err).toContain('line 3: "up" is not a side.');
    expect(service.requests).toEqual([]);
  });

  it('that is not there, or is no text, is exit 2; an empty one is done', async () => {
    const cli = testCli({ env: PRACTICE });
    expect(await cli.run('batch /nowhere/at-all')).toMatchObject({ code: 2 });
    writeFileSync(join(cli.home, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await cli.run(['batch', join(cli.home, 'binary')])).toMatchObject({ code: 2 });
    expect(await batch(cli, ['# nothing today', ''])).toMatchObject({
      code: 0,
      out: '',
      err: 'The batch has no lines.\n',
    });
  });

  it.each(['--csv', '--output csv', '--query data'])(
    'prints documents and nothing else: no %s',
    async (form) => {
      const ran = await batch(testCli({ env: PRACTICE }), ['account'], form);
      expect([ran.code, ran.envelopes]).toMatchObject([2, [{ error: { code: 'usage' } }]]);
    },
  );

  it('exits with the worst of its lines, and says each failure in one line', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await batch(cli, [
      'quote USDTNGN buy 10k -t 3 --max-cost-bps 1',
      'hedges hdg_none',
      'close USDTNGN sell',
      'account',
    ]);
    expect(ran.ends).toEqual(['1 quote 11', '2 hedges 3', '3 close 10', '4 account 0']);
    expect(ran.code).toBe(10);
    expect(ran.err.trimEnd().split('\n')).toEqual([
      'PRACTICE · this machine, no money',
      expect.stringMatching(/^line 1: cost_too_high: \d+d: cost /),
      expect.stringMatching(/^line 2: hedge_not_found: /),
      expect.stringMatching(/^line 3: no_open_hedge: /),
    ]);
    expect((await batch(cli, ['account', 'hedges hdg_none'], '-q')).err).toBe('');
  });

  it('asks the service over one connection', async () => {
    const service = await scriptedService(Array.from({ length: 5 }, () => on('GET /positions', ok([]))));
    const ran = await batch(
      cliFor(service),
      Array.from({ length: 5 }, () => 'positions'),
    );
    expect(ran.code).toBe(0);
    expect(new Set(service.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
  });

  it('runs readings in parallel when asked, and still answers in order', async () => {
    const cli = testCli({ env: PRACTICE });
    const lines = ['10k', '20k', '30k', '40k', '50k'].map((size) => `quote USDTNGN buy ${size} -t 3`);
    const ran = await batch(cli, lines, '--parallel 4');
    expect(ran.envelopes.map(({ data }) => data)).toMatchObject(
      [10_000, 20_000, 30_000, 40_000, 50_000].map((notional_usd) => ({ notional_usd })),
    );
  });

  it('in a dry run sends nothing, and each action sees the lines before it as executed', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await batch(cli, [`${OPEN} 10k -t 3`, 'close USDTNGN buy'], '--dry-run');
    expect(ran.ends).toEqual(['1 open 0', '2 close 0']);
    expect(ran.envelopes[0]?.data).toMatchObject({ outcome: 'planned', action_id: null });
    expect(await openHedges(cli)).toBe(0);
  });

  it('is written down line by line, as it was said', async () => {
    const cli = testCli({ env: PRACTICE });
    const ran = await batch(cli, ['', `hedge ${OPEN} 10k -t 3 --any-price`]);
    const id = ran.envelopes[0]?.data?.action_id ?? '';
    const sentBy = [
      'batch',
      join(cli.home, 'batch.txt'),
      '--yes',
      'line 2:',
      ...`${OPEN} 10k -t 3 --any-price`.split(' '),
    ];
    expect(JSON.stringify((await cli.run(`journal ${id} --json`)).document())).toContain(
      JSON.stringify(sentBy).slice(1, -1),
    );
  });
});

/** A desk of which a batch runs so many hours after its start. */
function aDeskOverHours() {
  const shifted = { hours: 0 };
  const quick = quickClock();
  const clock: Clock = { ...quick, now: () => quick.now() + shifted.hours * 3_600_000 };
  const cli = testCli({ env: PRACTICE, clock });
  const batchAfter = (hours: number, lines: readonly string[]): Promise<Batched> => {
    shifted.hours = hours;
    return batch(cli, lines);
  };
  return { cli, batchAfter };
}

describe('a batch that is run again', () => {
  const LINES = [`${OPEN} 10k -t 3`, `${OPEN} 20k -t 7 --deal-id PAY-1`, 'reduce USDTNGN buy 5k'];

  it('prints the original results, sends nothing, and says so', async () => {
    const cli = testCli({ env: PRACTICE });
    const first = await batch(cli, LINES);
    const second = await batch(cli, LINES);
    expect([first.code, second.code]).toEqual([0, 0]);
    const idsOf = ({ envelopes }: Batched) => envelopes.map(({ data }) => data?.action_id);
    expect(idsOf(second)).toEqual(idsOf(first));
    expect(second.envelopes.map(({ data }) => data?.outcome)).toEqual(['filled', 'filled', 'changed']);
    expect(first.envelopes.every(({ meta }) => meta.original_at === undefined)).toBe(true);
    expect(second.envelopes.every(({ meta }) => meta.original_at !== undefined)).toBe(true);
    expect(second.err).toMatch(
      /^3 lines were executed before, from 20.* --name, and another deal ID where they have one\.$/m,
    );
    expect(await openHedges(cli)).toBe(2);
  });

  it('says on a terminal what each line did before, and counts only what this run traded', async () => {
    const cli = testCli({ env: PRACTICE });
    const lines = [...LINES, 'add USDTNGN buy 1k'];
    const file = join(cli.home, 'batch.txt');
    const run = async (more: readonly string[]) => {
      writeFileSync(file, [...lines, ...more].join('\n'));
      const { out, err } = await cli.run(['batch', file, '--yes'], {
        terminal: { isTTY: { stdout: true, stderr: true }, width: 200, env: { NO_COLOR: '1' } },
      });
      return { out: out.split('\n').filter((each) => each.startsWith('line')), err };
    };
    expect((await run([])).out.map((each) => each.split(' ').slice(2, 4).join(' '))).toEqual([
      'FILLED buy',
      'FILLED buy',
      'REDUCED buy',
      'INCREASED buy',
    ]);
    const again = await run([`${OPEN} 3k -t 3`]);
    expect(again.out).toEqual([
      expect.stringMatching(/^line 1 ALREADY OPEN buy USDTNGN 10,000.00 USD at .*; nothing was sent$/),
      expect.stringMatching(/^line 2 ALREADY OPEN buy USDTNGN 20,000.00 USD at .*; nothing was sent$/),
      expect.stringMatching(/^line 3 ALREADY REDUCED buy USDTNGN by 5,000.00 USD.*; nothing was sent$/),
      expect.stringMatching(/^line 4 ALREADY INCREASED buy USDTNGN by 1,000.00 USD.*; nothing was sent$/),
      expect.stringMatching(/^line 5 FILLED buy USDTNGN 3,000.00 USD at [\d.,]+, hedge \w+$/),
    ]);
    expect(again.err).toMatch(/^USDTNGN buy +1 +3,000\.00 /m);
    const totals = (await run([`${OPEN} 3k -t 3`, `${OPEN} 4k -t 3`, `${OPEN} 5k -t 3`])).err;
    expect(totals).toMatch(/^USDTNGN buy +2 +9,000\.00 /m);
    expect(totals).toMatch(/5 lines were executed before/);
  });

  it('of deals that a colleague opened says so too, with their deal IDs and --ensure', async () => {
    const cli = testCli({ env: PRACTICE });
    const line = `${OPEN} 20k -t 7 --deal-id PAY-1 --ensure`;
    await cli.run(`${line} --any-price --yes`);
    removeJournal(cli.home);
    const file = join(cli.home, 'batch.txt');
    writeFileSync(file, [line, `${OPEN} 3k -t 3`, `${OPEN} 4k -t 3`].join('\n'));
    const ran = await cli.run(['batch', file, '--yes'], {
      terminal: { isTTY: { stdout: true, stderr: true }, width: 200, env: { NO_COLOR: '1' } },
    });
    expect(ran.out).toMatch(/^line 1 ALREADY OPEN buy USDTNGN .*; nothing was sent$/m);
    expect(ran.err).toMatch(/^USDTNGN buy +2 +7,000\.00 /m);
  });

  it('with a line corrected and lines around it sends only those', async () => {
    const cli = testCli({ env: PRACTICE });
    await batch(cli, [`${OPEN} 1k -t 3`, `${OPEN} 900k -t 3`, `${OPEN} 3k -t 3`]);
    const ran = await batch(cli, [
      'account',
      `${OPEN} 1000 -t 3 --worst-price 1700`,
      `${OPEN} 9k -t 3`,
      `${OPEN} 3k -t 3`,
      `${OPEN} 4k -t 3`,
    ]);
    expect(ran.code).toBe(0);
    expect(ran.envelopes.map(({ meta }) => meta.original_at !== undefined)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
    expect(await openHedges(cli)).toBe(4);
  });

  // Otherwise a second trade of the same minute is stopped.
  const PLAIN = `${OPEN} 1k -t 3 --allow-duplicate`;
  const KEYED = `${PLAIN} --idempotency-key k-1`;

  it.each([
    ['put above it', [PLAIN], [KEYED, PLAIN]],
    ['taken out above it', [KEYED, PLAIN], [PLAIN]],
  ])('sends a line without a key once, with an equal line that has one %s', async (_, first, second) => {
    const cli = testCli({ env: PRACTICE });
    await batch(cli, first);
    const ran = await batch(cli, second);
    expect([ran.code, ran.envelopes.at(-1)?.meta.original_at]).toEqual([0, expect.any(String)]);
    expect(await openHedges(cli)).toBe(2);
  });

  it.each(['--idempotency-key k-1', '--deal-id PAY-1'])(
    'with %s for the first of two equal lines, whose order failed, sends only that',
    async (named) => {
      const cli = testCli({ env: PRACTICE });
      await cli.run('practice faults --failing-orders 100% --only open --once 1');
      expect((await batch(cli, [PLAIN, PLAIN])).ends).toEqual(['1 open 9', '2 open 0']);
      const ran = await batch(cli, [`${PLAIN} ${named}`, PLAIN]);
      expect(ran.envelopes.map(({ meta }) => meta.original_at !== undefined)).toEqual([false, true]);
      expect([ran.code, await openHedges(cli)]).toEqual([0, 2]);
    },
  );

  it('says which deals of it are not in the file any more, for a line that was changed is sent as well', async () => {
    const cli = testCli({ env: PRACTICE });
    const first = await batch(cli, [`${OPEN} 10k -t 3`, `${OPEN} 20k -t 3`]);
    const id = first.envelopes[0]?.data?.action_id.slice(0, 4) ?? '';
    const ran = await batch(cli, [`${OPEN} 12k -t 3`, `${OPEN} 20k -t 3`], '--yes -q');
    expect(ran.err).toBe(
      [
        'Sent by an earlier run of this batch, but no longer in it:',
        `  OPEN buy USDTNGN 10,000.00 USD, action ${id}: filled, hedge "${first.envelopes[0]?.data?.hedge.id ?? ''}"`,
        'These remain. A line that was edited after it was sent is a second trade.',
        '',
      ].join('\n'),
    );
    expect(await openHedges(cli)).toBe(3);
    // In another file, under another name, or once it is over, it is none of this batch's.
    expect((await batch(cli, [`${OPEN} 20k -t 3`], '--yes --name other --dry-run')).err).not.toContain(
      'Dealt by',
    );
  });

  it('says nothing of lines that were refused and left out, and nothing of another standard input', async () => {
    const cli = testCli({ env: PRACTICE });
    await batch(cli, [`${OPEN} 900k -t 3`, `${OPEN} 3k -t 3 --deal-id PAY-3`]);
    expect((await batch(cli, [`${OPEN} 3k -t 3 --deal-id PAY-3`])).err).not.toContain('not in it now');
    for (const size of ['4k', '5k']) {
      const ran = await cli.run('batch - --yes', { stdin: `${OPEN} ${size} -t 3` });
      expect([ran.code, ran.err]).toEqual([0, 'PRACTICE · this machine, no money\n']);
    }
  });

  it('under another name is another batch', async () => {
    const cli = testCli({ env: PRACTICE });
    const line = [`${OPEN} 10k -t 3 --allow-duplicate`];
    for (const name of ['monday', 'tuesday', 'monday'])
      expect(await batch(cli, line, `--yes --name ${name}`)).toMatchObject({ code: 0 });
    expect(await openHedges(cli)).toBe(2);
  });

  it('warns of results that are older than a day', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    const line = [`${OPEN} 10k -t 7`];
    await batch(cli, line);
    expect((await batchAfter(23, line)).err).not.toContain('more than a day ago');
    const ran = await batchAfter(25, line);
    expect(ran.err).toMatch(/^line 1: result of 20.*, more than a day ago\. Nothing was executed now\.$/m);
    expect(ran.code).toBe(0);
  });

  const CHANGES = ['close USDTNGN buy --if-open', 'reduce USDTNGN buy --by 50%', 'add USDTNGN buy 1k'];

  it.each(CHANGES.flatMap((line) => [0.5, 23.9, 25].map((hours) => [line, hours] as const)))(
    'does not call %s done after %d hours in which another hedge was opened',
    async (line, hours) => {
      const { cli, batchAfter } = aDeskOverHours();
      await cli.run(`${OPEN} 10k -t 7 --yes`);
      expect((await batch(cli, [line])).code).toBe(0);
      await batchAfter(hours, []);
      await cli.run(`${OPEN} 20k -t 7 --yes`);
      for (const more of [0, 0.1]) {
        const ran = await batchAfter(hours + more, [line]);
        expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
          10,
          { error: { code: 'duplicate', effect: 'none' }, meta: { exit_code: 10 } },
        ]);
        expect(ran.err).toMatch(/and not again: USDTNGN buy has [\d,.]+ USD now, not as this batch left it/);
        expect(ran.err).toContain('use another --name');
      }
    },
  );

  it('does not call an open done whose hedge has matured, unless a deal ID names the one deal', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    const lines = [`${OPEN} 10k -t 1`, `${OPEN} 3k -t 1 --deal-id PAY-1`];
    expect((await batch(cli, lines)).code).toBe(0);
    expect((await batchAfter(1, lines)).ends).toEqual(['1 open 0', '2 open 0']);
    const ran = await batchAfter(25, lines);
    expect(ran.ends).toEqual(['1 open 10', '2 open 0']);
    expect(ran.err).toContain('USDTNGN buy is flat now');
  });

  it('does not call a line of an earlier run done while its side cannot be read', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    await cli.run(`${OPEN} 10k -t 7 --yes`);
    const flat = ['close USDTNGN buy --if-open'];
    await batch(cli, flat);
    await batchAfter(0.5, []);
    await cli.run(`${OPEN} 20k -t 7 --yes`);
    await cli.run('practice faults --fail-before 100% --only readings');
    expect((await batchAfter(1, flat)).ends).toEqual(['1 close 5']);
    await cli.run('practice faults clear');
    expect((await batchAfter(1, flat)).ends).toEqual(['1 close 10']);
  });

  it('does not call an add of yesterday done in a file whose deals are of today', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    const lines = (day: number) => [`${OPEN} 10k -t 3 --deal-id D-${day}`, 'add USDTNGN buy 5k'];
    expect((await batch(cli, lines(1))).code).toBe(0);
    expect((await batchAfter(24.1, lines(2))).ends).toEqual(['1 open 0', '2 add 10']);
  });

  it('does not call a close done after which a line was executed that the file no longer has', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    await cli.run(`${OPEN} 10k -t 7 --yes`);
    await batch(cli, ['close USDTNGN buy']);
    await batchAfter(1, [`${OPEN} 20k -t 7`]);
    expect((await batchAfter(2, ['close USDTNGN buy'])).ends).toEqual(['1 close 10']);
  });

  it('calls every line done, however late, where it goes on with a run that ended early', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    const sell = 'open USDTNGN sell 4k -t 3 --any-price';
    const lines = [`${OPEN} 10k -t 3`, 'add USDTNGN buy 5k', sell, 'reduce USDTNGN buy --by 50%'];
    const all = [...lines, 'close USDTNGN sell', `${OPEN} 2k -t 7`];
    expect((await batch(cli, lines.slice(0, 2))).code).toBe(0);
    for (const hours of [30, 30.1, 40])
      expect([hours, (await batchAfter(hours, all)).code]).toEqual([hours, 0]);
    expect(await openHedges(cli)).toBe(2);
  });

  it('does not call an add or reduce of another day done, though the side is as it was left', async () => {
    const { cli, batchAfter } = aDeskOverHours();
    const lines = [`${OPEN} 10k -t 7`, 'reduce USDTNGN buy --by 50%', 'close USDTNGN sell --if-open'];
    await batch(cli, lines);
    expect((await batchAfter(11, lines)).code).toBe(0);
    const ran = await batchAfter(23.9, lines);
    expect(ran.ends).toEqual(['1 open 0', '2 reduce 10', '3 close 0']);
    expect(ran.err).toContain('and not again: USDTNGN buy is as it was left then');
  });
});

describe('the guards', () => {
  it('hold for each line as for the line alone', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(`${OPEN} 10k -t 3 --yes`);
    const ran = await batch(cli, [
      `${OPEN} 10k -t 3`,
      `${OPEN} 10k -t 3 --allow-duplicate`,
      `${OPEN} 11k -t 3 --worst-price 1000`,
    ]);
    expect(ran.envelopes.map(({ error }) => error?.code)).toEqual([
      'duplicate',
      undefined,
      'implausible_price',
    ]);
    expect(await openHedges(cli)).toBe(2);
  });

  it('want the same deal twice to be said, whenever the batch is run: a slip is not sent a minute later', async () => {
    const cli = testCli({ env: PRACTICE });
    const twice = '{"command":"open","market":"USDTNGN","side":"buy","notional_usd":10000,"tenor_days":3}';
    const others = [`${OPEN} 10k -t 7`, `${OPEN} 10k -t 3 --deal-id PAY-1`, 'close USDTNGN sell --if-open'];
    const ran = await batch(cli, [`${OPEN} 10k -t 3`, ...others, 'close USDTNGN sell --if-open', twice]);
    expect([ran.code, ran.envelopes]).toMatchObject([
      2,
      [
        {
          error: {
            code: 'usage',
            details: { lines: [{ line: 6, message: 'It is the same as line 1.' }] },
          },
        },
      ],
    ]);
    expect(ran.err.replace(/\s+/g, ' ')).toContain(
      'line 6: It is the same as line 1. If both are meant: --allow-duplicate',
    );
    expect(await openHedges(cli)).toBe(0);
  });

  it('want every live line to say what it may cost, before the first one runs', async () => {
    const service = await scriptedService([]);
    const cli = cliFor(service, { key: LIVE_KEY });
    const lines = [
      'account',
      `${OPEN} 10k -t 3 --worst-price 1535`,
      `${OPEN} 20k -t 3 --deal-id PAY-1`,
      'reduce USDTNGN buy 5k',
    ];
    const unpriced = await batch(cli, lines, '--yes --expect-env live');
    expect(unpriced.code).toBe(2);
    expect(unpriced.envelopes).toMatchObject([
      { error: { hint: expect.stringMatching(/^line 3: .*\. Add to the line: --worst-price PRICE$/) } },
    ]);
    expect(service.requests).toEqual([]);
  });

  it('say what holds for all of a batch behind hedge batch, and what a line can say in that line', async () => {
    const service = await scriptedService([]);
    const object = '{"command":"open","market":"USDTNGN","side":"buy","notional_usd":11000,"tenor_days":3}';
    const ran = await batch(
      cliFor(service, { key: LIVE_KEY }),
      [`${OPEN} 10k -t 3`, 'close USDTNGN sell', object],
      '',
    );
    const [{ error } = { error: null }] = ran.envelopes;
    expect([ran.code, ran.envelopes.length, error?.message]).toEqual([
      2,
      1,
      expect.stringMatching(/^Not a terminal, and this is real money: .*nothing was sent\.$/),
    ]);
    expect(error).toMatchObject({
      hint: [
        'Add after hedge batch: --yes --expect-env live',
        'line 1: missing a price limit or --any-price. Add to the line: --worst-price PRICE',
        'line 3: missing a price limit or --any-price. Add to the object: "worst_price":"PRICE"',
      ].join('\n'),
      details: { batch: ['--yes', '--expect-env live'], lines: [{ line: 1 }, { line: 3 }] },
    });
    expect(service.requests).toEqual([]);
  });

  it('want a resume that sends again to be promised where it trades, behind hedge batch as well', async () => {
    const service = await scriptedService([]);
    const ran = await batch(
      cliFor(service, { key: LIVE_KEY }),
      ['account', 'resume 7c1e --yes --resend'],
      '',
    );
    expect(ran.envelopes).toMatchObject([{ error: { hint: 'Add after hedge batch: --expect-env live' } }]);
    expect(service.requests).toEqual([]);
  });

  it('let no line of a batch trade in another environment than was required', async () => {
    const service = await scriptedService([]);
    const ran = await batch(cliFor(service), [`${OPEN} 10k -t 3`, 'account'], '--yes --expect-env live');
    expect(ran.code).toBe(10);
    expect(ran.envelopes).toMatchObject([{ error: { code: 'env_mismatch' }, meta: { command: 'batch' } }]);
    expect(service.requests).toEqual([]);
  });
});

describe('a batch stops', () => {
  const LOST = 'practice faults --lost-after 100% --only open --once 3';

  it('at the first unknown outcome, and every further line says that it did not run', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(LOST);
    const ran = await batch(cli, ['account', `${OPEN} 10k -t 3`, 'account', 'close USDTNGN buy']);
    expect(ran.ends).toEqual(['1 account 0', '2 open 7', '3 account 10', '4 close 10']);
    expect(ran.code).toBe(7);
    expect(ran.envelopes[3]).toMatchObject({
      data: null,
      error: { code: 'not_run', effect: 'none', details: { stopped_by: 'outcome_unknown' } },
    });
    expect(ran.err).toMatch(/^line 2: outcome_unknown: UNKNOWN: /m);
    expect(ran.err).toMatch(/^ {2}hedge check [0-9a-f]{4} {4}look up/m);
    expect(ran.err).toMatch(
      /^line 3: This line did not run: the batch stopped at line 2 \(outcome_unknown\)\.$/m,
    );
    expect(ran.err).toMatch(/^2 lines were not run\. /m);
  });

  it('and names the profile of --profile in what goes on, in columns', async () => {
    const cli = testCli();
    await cli.run(LOST);
    const ran = await batch(cli, [`${OPEN} 10k -t 3`], '--yes --profile practice');
    const ways = ran.err.split('\n').filter((line) => line.startsWith('  hedge '));
    expect(ways.map((line) => line.replace(/[0-9a-f]{4} /, '7c1e '))).toEqual([
      '  hedge --profile practice check 7c1e    look up; send nothing',
    ]);
  });

  it('at Ctrl-C instead of an answer: nothing was sent for that line, and the next run continues there', async () => {
    const cli = testCli({ env: PRACTICE });
    const file = join(cli.home, 'batch.txt');
    writeFileSync(file, ['account', `${OPEN} 10k -t 3`, 'account'].join('\n'));
    const ran = await cli.run(['batch', file], {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true }, width: 200, env: { NO_COLOR: '1' } },
      answer: '\u0003',
    });
    expect(ran.out).toContain(
      `line 2 CANCELED ${OPEN} 10k -t 3\n  Stopped by Ctrl-C. Nothing was sent for this line.\n`,
    );
    expect(ran.err).toMatch(
      /^1 line was not run\. To continue with line 2, run the same batch again: no line is executed twice\.$/m,
    );
  });

  it('and continues with --keep-going', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run(LOST);
    const ran = await batch(cli, [`${OPEN} 10k -t 3`, 'account'], '--yes --keep-going');
    expect(ran.ends).toEqual(['1 open 7', '2 account 0']);
    expect(ran.code).toBe(7);
  });

  it('when the key is rejected, even with --keep-going', async () => {
    const service = await scriptedService([on('GET /account', no(401, 'unauthorized'))]);
    const ran = await batch(cliFor(service), ['account', 'positions'], '--keep-going');
    expect(ran.ends).toEqual(['1 account 4', '2 positions 10']);
    expect(ran.code).toBe(4);
  });

  it('for nothing that a line was refused', async () => {
    const service = await scriptedService([
      on('GET /account', no(400, 'not_today')),
      on('GET /positions', ok([])),
    ]);
    const ran = await batch(cliFor(service), ['account', 'positions']);
    expect(ran.ends).toEqual(['1 account 3', '2 positions 0']);
    expect(ran.code).toBe(3);
  });
});
