import { describe, expect, it } from 'vitest';
import { type RunOptions, type TestCli, testCli } from '../support/test-cli.ts';
import { damageJournal } from '../support/written-journal.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const OPEN = 'open USDTNGN buy 10k -t 3 --yes';

/** A practice desk with 10,000 bought. */
async function aBook(): Promise<TestCli> {
  const cli = testCli({ env: PRACTICE });
  expect((await cli.run(OPEN)).code).toBe(0);
  return cli;
}

/** Deals the line while every answer is lost, before or after the book acted. Fills take two minutes more. */
async function lose(cli: TestCli, when: 'before' | 'after', line: string): Promise<void> {
  await cli.run(`practice faults --lost-${when} 100% --only actions --slow-fills 120`);
  expect((await cli.run(line)).code).toBe(7);
  await cli.run('practice faults clear');
}

describe('a damaged journal', () => {
  it.each(['check', 'resume'])(
    'is not called settled by hedge %s: what is unknown may be hidden there',
    async (command) => {
      const cli = testCli({ env: PRACTICE });
      await lose(cli, 'after', OPEN);
      const path = damageJournal(cli.home, (record) => record.includes('"action_id"'));
      const quiet = await cli.run(`${command} -q`);
      expect([quiet.code, quiet.out]).toEqual([78, expect.not.stringContaining('No unknown outcomes')]);
      expect(quiet.err.replaceAll(/\s+/g, ' ')).toContain('hedge journal repair');
      expect((await cli.run(`${command} --json`)).document()).toMatchObject({
        error: { code: 'damaged_file', effect: 'none', details: { path, trouble: 'damaged' } },
      });
    },
  );

  it('stops an open and a reduce in a script; a person reduces, and a close goes on', async () => {
    const cli = await aBook();
    damageJournal(cli.home);
    const said = async (line: string, options?: RunOptions) => {
      const ran = await cli.run(line, options);
      return [ran.code, ran.err.replaceAll(/\s+/g, ' ')];
    };
    expect(await said(`${OPEN} --allow-duplicate`)).toEqual([
      78,
      expect.stringContaining('Nothing was sent. Close still works; a reduce needs a person at a terminal.'),
    ]);
    expect(await said('reduce USDTNGN buy --by 10% --yes')).toEqual([
      78,
      expect.stringContaining('a reduce needs a person at a terminal'),
    ]);
    const person = { terminal: { isTTY: true } };
    expect((await said('reduce USDTNGN buy --by 10% --yes', person))[0]).toBe(0);
    expect((await said('close USDTNGN buy --yes'))[0]).toBe(0);
    const ended = (await cli.run('journal --json')).document();
    expect(ended).toMatchObject({ data: [{ action: 'close', outcome: 'closed' }, { action: 'reduce' }, {}] });
  });
});

describe('hedge check', () => {
  it('finds an open whose answer was lost, and says so until it has ended', async () => {
    const cli = testCli({ env: PRACTICE });
    await lose(cli, 'after', `${OPEN} --deal-id PAY-1`);
    const first = await cli.run('check --json');
    expect(first.code).toBe(8);
    expect(first.document()).toMatchObject({
      data: [
        {
          action: 'open',
          outcome: 'pending',
          effect: 'pending',
          receipt: { client_reference: 'PAY-1', hedge_id: expect.stringMatching(/^hdg_/) },
          hedge: { status: 'submitted' },
          derived: { evidence: { kind: 'exact' } },
        },
      ],
      error: { code: 'pending', effect: 'pending', retry: 'after_check' },
      meta: { command: 'check', environment: 'practice' },
    });
    const ended = await cli.run('wait PAY-1 --timeout 300');
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('FILLED buy USDTNGN 10,000.00 USD')]);
    const after = await cli.run('check');
    expect([after.code, after.out]).toEqual([
      0,
      expect.stringContaining('No unknown outcomes and nothing in flight'),
    ]);
    expect((await cli.run('check --json')).document()).toMatchObject({ data: [], error: null });
    expect((await cli.run('check PAY-1 --json')).document()).toMatchObject({
      data: { action: 'open', outcome: 'filled', derived: { evidence: null } },
    });
  });

  it('shows what it sees of an addition without a response, and the next command', async () => {
    const cli = await aBook();
    await lose(cli, 'after', 'add USDTNGN buy 2000 --yes');
    await cli.run('practice advance 5m');
    const ran = await cli.run('check');
    expect(ran.code).toBe(7);
    expect(ran.err).toMatch(/10,000\.00 -> 12,000\.00\s+USD/);
    expect(ran.err).toContain('hedge resume');
    // Its request may still arrive: nobody is to record it as not executed.
    expect(ran.err).not.toContain('journal resolve');
  });

  it('of several names each, and exits by the worst', async () => {
    const cli = await aBook();
    await lose(cli, 'before', 'add USDTNGN buy 2000 --yes');
    await cli.run('practice faults --slow-fills 120');
    await cli.run('open USDTNGN sell 1000 -t 1 --yes --no-wait');
    const ran = await cli.run('check');
    expect(ran.code).toBe(7);
    expect(ran.out).toContain('UNKNOWN: ADD buy USDTNGN 2,000.00 USD');
    expect(ran.out).toContain('PENDING: OPEN sell USDTNGN 1,000.00 USD');
    expect(ran.err).toMatch(/Of 2 actions 1 is unknown \([0-9a-f]+\), 1 is still in flight \([0-9a-f]+\)\./);
  });
});

describe('hedge resume', () => {
  it('with no terminal looks, and sends only with --resend', async () => {
    const cli = await aBook();
    await lose(cli, 'before', 'reduce USDTNGN buy 4000 --yes');
    const looked = await cli.run('resume --yes --json');
    expect(looked.code).toBe(7);
    expect(looked.document()).toMatchObject({
      data: { action: 'reduce', outcome: 'unknown', effect: 'unknown' },
      error: { code: 'outcome_unknown', effect: 'unknown', hint: expect.stringContaining('--resend') },
    });
    const sent = await cli.run('resume --yes --resend --json');
    expect(sent.code).toBe(0);
    expect(sent.document()).toMatchObject({
      data: { action: 'reduce', outcome: 'changed', effect: 'done' },
      error: null,
      meta: { command: 'resume' },
    });
    const positions: unknown = (await cli.run('positions --json')).document();
    expect(positions).toMatchObject({ data: [{ notional_usd: 6_000 }] });
  });

  it('without anything open says so', async () => {
    const cli = await aBook();
    const person = await cli.run('resume');
    expect([person.code, person.out]).toEqual([0, expect.stringContaining('No unknown outcomes')]);
    expect((await cli.run('resume --json')).document()).toMatchObject({ data: null, error: null });
  });
});

describe('hedge wait', () => {
  it('limits the waiting, and the hedge goes on', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --slow-fills 600');
    await cli.run(`${OPEN} --no-wait --deal-id PAY-1`);
    const ran = await cli.run('wait PAY-1 --timeout 3 --json');
    expect(ran.code).toBe(8);
    expect(ran.document()).toMatchObject({
      data: { action: 'open', outcome: 'pending', effect: 'pending' },
      error: { code: 'pending', effect: 'pending' },
    });
  });

  it('of what the service does not know is its refusal', async () => {
    const ran = await testCli({ env: PRACTICE }).run('wait hdg_nobody --json');
    expect(ran.code).toBe(3);
    expect(ran.document()).toMatchObject({ error: { code: 'hedge_not_found', effect: 'none' } });
  });
});

describe('check, resume and wait', () => {
  it.each(['check', 'resume', 'wait'])(
    '%s says of a deal ID whose it is, not that there is none',
    async (command) => {
      const cli = testCli({ env: PRACTICE });
      await lose(cli, 'after', `${OPEN} --deal-id KILL-1`);
      const ran = await cli.run(`${command} KILL-1 --profile practice-live`);
      expect(ran.code).toBe(2);
      expect(ran.err.replaceAll(/\s+/g, ' ')).toMatch(/^Action \w+ belongs to profile practice /);
    },
  );

  it.each([
    ['check beef', 2, 'hedge journal'],
    ['resume beef', 2, 'hedge journal'],
    ['resume --resend --dry-run', 2, '--resend has no effect with --dry-run'],
    ['resume --resend', 2, '--yes'],
    ['wait', 2, 'ACTION'],
    ['wait beef --timeout 0', 2, '--timeout'],
    ['check aaaa bbbb', 2, 'oo many arguments'],
  ])('%s exits %i and says what is missing', async (line, code, said) => {
    const ran = await testCli({ env: PRACTICE }).run(line);
    expect([ran.code, ran.out]).toEqual([code, '']);
    expect(ran.err).toContain(said);
  });

  it.each(['check', 'resume', 'wait PAY-1'])('%s without a profile exits 4', async (line) => {
    expect((await testCli().run(line)).code).toBe(4);
  });
});
