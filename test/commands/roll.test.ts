/** `hedge roll`: two legs that are linked in the journal, on the practice service. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/domain/api-key.ts';
import { serviceIdentity } from '../../src/journal/account-identity.ts';
import { aRoll } from '../journal/records.ts';
import {
  aClosedHedge,
  aHedge,
  aMarket,
  anAcceptedOpen,
  anAccount,
  aPosition,
  aQuote,
  type Body,
} from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { readCsv } from '../support/csv.ts';
import { movingClock } from '../support/moving-clock.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { ON_A_TERMINAL, quickClock, type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { keepJournal, writeJournal } from '../support/written-journal.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const NOW = 'roll USDTNGN buy --tenor 3 --at now --yes';

interface Chain {
  chain_id: string;
  state: string;
  from_hedge_id: string;
  to_deal_id: string;
  to_hedge_id: string | null;
  next: string | null;
}

async function desk(): Promise<TestCli> {
  const cli = testCli({ env: PRACTICE });
  expect((await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes')).code).toBe(0);
  return cli;
}

/** Leg 1 of a roll is closed, and the open of leg 2 has failed. */
async function flatDesk(): Promise<{ cli: TestCli; ran: Ran }> {
  const cli = await desk();
  await cli.run('practice faults --failing-orders 100% --only open');
  const ran = await cli.run(NOW);
  expect(ran.code).toBe(9);
  await cli.run('practice faults clear');
  return { cli, ran };
}

async function data<T>(cli: TestCli, line: string): Promise<T> {
  const { data: value }: { data: T } = JSON.parse((await cli.run(`${line} --json`)).out);
  return value;
}

const hedges = (cli: TestCli): Promise<readonly Record<string, unknown>[]> => data(cli, 'hedges');
const chains = (cli: TestCli): Promise<readonly Chain[]> => data(cli, 'roll show');
const opens = async (cli: TestCli): Promise<readonly unknown[]> =>
  (await hedges(cli)).map((each) => [each['client_reference'], each['status'], each['notional_usd']]);
function codeOf({ out }: Ran): unknown {
  const { error }: { error: { code: string } | null } = JSON.parse(out);
  return error?.code;
}

describe('hedge roll --at now', () => {
  it('closes and opens again at the same size, under the next deal ID of the root', async () => {
    const cli = await desk();
    const ran = await cli.run(`${NOW} --max-cost-bps 60 --note invoice-8841`);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('ROLLED buy USDTNGN 10,000.00 USD')]);
    expect(await opens(cli)).toEqual([
      ['PAY-1.r2', 'filled', 10_000],
      ['PAY-1', 'closed', 10_000],
    ]);
    const [chain] = await chains(cli);
    expect(chain).toMatchObject({ state: 'done', to_deal_id: 'PAY-1.r2', note: 'invoice-8841', next: null });
    expect((await cli.run('roll PAY-1.r2 --tenor 1 --at now --yes')).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r3', 'filled', 10_000]);
  });

  it('of a hedge without a deal ID uses its hedge ID as the root', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('open USDTNGN buy 10k --tenor 3 --yes');
    // The first leg is seconds old, and is no duplicate of the second one.
    expect((await cli.run(NOW)).code).toBe(0);
    const [chain] = await chains(cli);
    expect(chain?.to_deal_id).toBe(`${chain?.from_hedge_id ?? ''}.r2`);
  });

  it('skips a deal ID that only the service knows', async () => {
    const cli = await desk();
    const home = testCli({ env: PRACTICE });
    expect(home.home).not.toBe(cli.home);
    expect((await cli.run('open USDTNGN sell 1k --tenor 1 --deal-id PAY-1.r2 --yes')).code).toBe(0);
    expect((await cli.run(NOW)).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r3', 'filled', 10_000]);
  });

  it('shows both legs and the gap, and asks once', async () => {
    const cli = await desk();
    const ran = await cli.run('roll USDTNGN buy --tenor 7 --at now', {
      terminal: { isTTY: true, env: { NO_COLOR: '1' } },
      answer: 'y\r',
    });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('No hedge between the close and the open');
    expect(ran.err).toMatch(/Leg 1[^]*CLOSE buy USDTNGN 10,000\.00 USD[^]*Leg 2[^]*OPEN buy USDTNGN/);
    expect(ran.err.split('Close this hedge and open it again?').length).toBeGreaterThan(1);
    expect(ran.err).not.toContain('Open this hedge?');
  });

  it('declined, and in a dry run, sends and keeps nothing', async () => {
    const cli = await desk();
    const declined = await cli.run('roll USDTNGN buy --tenor 7 --at now', {
      terminal: { isTTY: true, env: { NO_COLOR: '1' } },
      answer: 'n\r',
    });
    expect([declined.code, declined.err]).toEqual([10, expect.stringContaining('Canceled.')]);
    const planned = await cli.run('roll USDTNGN buy --tenor 7 --at now --dry-run --json');
    expect(planned.document()).toMatchObject({
      data: { dry_run: true, to_deal_id: 'PAY-1.r2', quoted: { cost_bps: expect.anything() } },
    });
    expect(await chains(cli)).toEqual([]);
    expect(await opens(cli)).toEqual([['PAY-1', 'filled', 10_000]]);
  });

  it('beyond the limit of the cost closes nothing', async () => {
    const cli = await desk();
    const ran = await cli.run(`${NOW} --max-cost-bps 5 --json`);
    expect([ran.code, codeOf(ran)]).toEqual([10, 'cost_too_high']);
    expect(await opens(cli)).toEqual([['PAY-1', 'filled', 10_000]]);
    expect(await chains(cli)).toEqual([]);
  });

  it('of a hedge that is not alone on its side says what can be done', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes');
    const ran = await cli.run(`${NOW} --json`);
    expect([ran.code, codeOf(ran)]).toEqual([10, 'not_alone']);
    expect((await cli.run('roll PAY-1 --tenor 3 --at now --yes --json')).code).toBe(10);
    const bounded = await cli.run(`${NOW} --max-cost-bps 60`);
    const named = /hedge (roll \S+ --tenor 3 --at maturity --max-cost-bps 60)\s/.exec(bounded.err)?.[1];
    expect((await cli.run(`${named ?? ''} --yes`)).code).toBe(0);
  });

  it('at maturity of one of several on a side asks for one of them', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes');
    const ran = await cli.run('roll USDTNGN buy --tenor 3 --at maturity --yes');
    expect([ran.code, ran.err]).toEqual([10, expect.stringContaining('Name one of them.')]);
    expect(ran.err).not.toContain('A close takes');
  });

  it('run again is not a second roll', async () => {
    const cli = await desk();
    expect((await cli.run(NOW)).code).toBe(0);
    const again = await cli.run(`${NOW} --json`);
    expect([again.code, codeOf(again)]).toEqual([10, 'duplicate']);
    const named = await cli.run('roll PAY-1 --tenor 3 --at now --yes');
    expect([named.code, named.out]).toEqual([0, expect.stringContaining('ALREADY ROLLED')]);
    expect(await hedges(cli)).toHaveLength(2);
    expect((await cli.run(`${NOW} --allow-duplicate`)).code).toBe(0);
    expect(await hedges(cli)).toHaveLength(3);
  });

  it('on a flat side stops', async () => {
    const ran = await testCli({ env: PRACTICE }).run(`${NOW} --json`);
    expect([ran.code, codeOf(ran)]).toEqual([10, 'no_open_hedge']);
  });
});

describe('a roll whose close has no response', () => {
  it.each(['before', 'after'])('lost %s it executed: is named, and goes on', async (when) => {
    const cli = await desk();
    await cli.run(`practice faults --lost-${when} 100% --only close`);
    const ran = await cli.run(NOW);
    expect([ran.code, ran.out]).toEqual([7, expect.stringMatching(/NOT ROLLED.*roll [0-9a-f]{8}: leg 1/s)]);
    await cli.run('practice faults clear');
    const [chain] = await chains(cli);
    expect(chain?.state).toBe('closing');
    const home = await cli.run('');
    expect(home.out).toContain(`roll ${chain?.chain_id ?? ''}`);
    const dropped = await cli.run(['roll', 'drop', chain?.chain_id ?? '', '--note', 'no', '--json']);
    expect([dropped.code, codeOf(dropped)]).toEqual([10, 'unresolved']);
    const other = await cli.run('roll USDTNGN buy --tenor 7 --at now --yes --json');
    expect([other.code, codeOf(other)]).toEqual([10, 'roll_unfinished']);
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
    expect(await opens(cli)).toEqual([
      ['PAY-1.r2', 'filled', 10_000],
      ['PAY-1', 'closed', 10_000],
    ]);
  });
});

describe('a roll whose open fails', () => {
  it('keeps a close from calling its side flat: leg 2 would be opened after it', async () => {
    const { cli } = await flatDesk();
    const flat = await cli.run('close USDTNGN buy --if-open --yes --json');
    expect([flat.code, codeOf(flat)]).toEqual([10, 'roll_unfinished']);
    expect(flat.err + flat.out).toMatch(/does\s+not\s+stay\s+flat[^]*hedge roll drop \w+ --note TEXT/);
    await cli.run('open USDTNGN buy 3k --tenor 1 --yes');
    const closed = await cli.run('close USDTNGN buy --yes');
    expect([closed.code, closed.err]).toEqual([
      0,
      expect.stringMatching(/run\s+does\s+not\s+open\s+leg\s+2/),
    ]);
    const due = await cli.run('roll run --due --yes --json');
    expect([due.code, due.out]).toEqual([10, expect.stringContaining('may be meant to stay flat')]);
    expect((await hedges(cli)).filter(({ status }) => status === 'filled')).toEqual([]);
    expect((await cli.run('roll drop PAY-1 --note stays-flat')).code).toBe(0);
    expect((await cli.run('close USDTNGN buy --if-open --yes')).code).toBe(0);
  });

  it.each(['closed', 'opened'])(
    'is not opened after the side was %s by hand and the clock was set back',
    async (how) => {
      const quick = quickClock();
      const shifted = { ms: 3_600_000 };
      const cli = testCli({ env: PRACTICE, clock: { ...quick, now: () => quick.now() + shifted.ms } });
      await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
      await cli.run('practice faults --failing-orders 100% --only open');
      expect((await cli.run(NOW)).code).toBe(9);
      await cli.run('practice faults clear');
      shifted.ms = 0;
      await cli.run('open USDTNGN buy 3k --tenor 1 --deal-id PAY-2 --yes');
      if (how === 'closed') await cli.run('close USDTNGN buy --yes');
      const due = await cli.run('roll run --due --yes --json');
      expect([due.code, codeOf(due)]).toEqual([10, 'book_changed']);
      expect(await opens(cli)).not.toContainEqual(['PAY-1.r2', 'filled', 10_000]);
    },
  );

  it('is not sent again after a close by hand, where it may have been lost', async () => {
    const cli = await desk();
    await cli.run('practice faults --lost-before 100% --only open');
    expect((await cli.run(NOW)).code).toBe(7);
    await cli.run('practice faults clear');
    const [unknown] = (await data<readonly { action_id: string }[]>(cli, 'check --quiet')) ?? [];
    await cli.run(`open USDTNGN buy 3k --tenor 1 --yes --despite ${unknown?.action_id}`);
    expect((await cli.run('close USDTNGN buy --yes')).code).toBe(0);
    const due = await cli.run('roll run --due --yes');
    expect([due.code, due.out + due.err]).toEqual([
      7,
      expect.stringMatching(/after\s+roll\s+\w+\s+had\s+sent\s+its\s+leg\s+2/),
    ]);
    expect((await hedges(cli)).filter(({ status }) => status === 'filled')).toEqual([]);
  });

  it('stays flat, is named by check, and the next run opens it under the same deal ID', async () => {
    const { cli, ran } = await flatDesk();
    expect(ran.out).toMatch(/leg 1 closed, leg 2 not\s+/);
    const checked = await cli.run('check');
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('1 unfinished roll')]);
    expect((await cli.run('check --json')).document()).toMatchObject({
      meta: { unfinished_rolls: [{ state: 'flat_open_due' }] },
    });
    expect((await cli.run('status --json')).document()).toMatchObject({
      data: { unfinished_rolls: [{ state: 'flat_open_due' }] },
    });
    for (const list of ['positions', 'hedges'])
      expect((await cli.run(list)).out).toMatch(
        /leg 1 closed, leg 2 not open\n *hedge roll run \w+ +open leg 2/,
      );
    const warned = (await cli.run('open USDTNGN buy 3k --tenor 1 --dry-run')).out;
    expect(warned).toMatch(/Roll \w+ is not finished: leg 1 closed, leg 2 not open\..*hedge roll run \w+/s);
    expect((await cli.run('open USDTNGN sell 3k --tenor 1 --dry-run')).out).not.toContain('is not finished');
    expect((await cli.run('doctor')).out).toMatch(
      /WARN {2}rolls +1 unfinished roll: \w{8} \(leg 1 closed, leg 2\s+not open\)/,
    );
    expect((await cli.run(NOW)).code).toBe(0);
    expect(await opens(cli)).toEqual([
      ['PAY-1.r2', 'filled', 10_000],
      ['PAY-1.r2', 'failed', 10_000],
      ['PAY-1', 'closed', 10_000],
    ]);
    expect((await cli.run('check --json')).document()).toMatchObject({ meta: { unfinished_rolls: [] } });
  });

  it('is not opened on top of a hedge that was opened since, except with --allow-duplicate', async () => {
    const { cli } = await flatDesk();
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-2 --yes');
    const [chain] = await chains(cli);
    for (const again of ['roll run --due --yes', NOW]) {
      const ran = await cli.run(again);
      expect([ran.code, ran.err.replaceAll(/\s+/g, ' ')]).toEqual([
        10,
        expect.stringMatching(
          /not flat between the legs of roll \w+: 10,000\.00 USD \("PAY-2"\) was opened there\. Leg 2 was not sent: it would come on top\. hedge roll drop \w+ --note TEXT if that replaces leg 2 hedge roll run \w+ --allow-duplicate open leg 2 as well/,
        ),
      ]);
      expect(ran.err).not.toContain('is flat');
    }
    expect((await cli.run(`roll run ${chain?.chain_id} --allow-duplicate --yes`)).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r2', 'filled', 10_000]);
  });

  it('in a dry run shows where it is, and sends nothing', async () => {
    const { cli } = await flatDesk();
    const ran = await cli.run('roll USDTNGN buy --tenor 3 --at now --dry-run');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('DRY RUN')]);
    expect(ran.out).toContain('DRY RUN: nothing was sent or kept.');
    expect(ran.out).toMatch(/leg 1 closed, leg 2 not/);
    expect(await opens(cli)).toEqual([
      ['PAY-1.r2', 'failed', 10_000],
      ['PAY-1', 'closed', 10_000],
    ]);
  });

  it('by a halt in between keeps the side flat until the halt is lifted', async () => {
    const { cli } = await flatDesk();
    await cli.run('halt venue');
    const halted = await cli.run('roll run --due --yes --json');
    expect([halted.code, codeOf(halted)]).toEqual([10, 'halted']);
    await cli.run('unhalt --yes');
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
  });

  it('is given up with a reason, and then not opened', async () => {
    const { cli } = await flatDesk();
    const [chain] = await chains(cli);
    expect((await cli.run(['roll', 'drop', chain?.chain_id ?? ''])).code).toBe(2);
    const dropped = await cli.run(['roll', 'drop', chain?.chain_id ?? '', '--note', 'paid early']);
    expect([dropped.code, dropped.out]).toEqual([0, expect.stringContaining('Leg 1 stays closed')]);
    expect(await chains(cli)).toMatchObject([{ state: 'dropped', note: 'paid early' }]);
    expect((await cli.run('roll show', ON_A_TERMINAL)).out).toMatch(/ NOTE$[^]* paid early$/m);
    const run = await cli.run('roll run --due --yes');
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('No roll is due.')]);
    const again = await cli.run(['roll', 'drop', chain?.chain_id ?? '', '--note', 'again'], {
      terminal: { isTTY: true, env: { NO_COLOR: '1' } },
    });
    // Nobody is asked about what is refused.
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('is finished already')]);
    expect(again.err).not.toContain('Give up');
  });
});

describe('hedge roll --at maturity', () => {
  const PLAN = 'roll PAY-1 --tenor 1 --at maturity --max-cost-bps 60 --yes';

  it('sends nothing, and opens leg 2 once leg 1 has settled', async () => {
    const cli = await desk();
    const ran = await cli.run(PLAN);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('nothing was sent')]);
    // Leg 2 begins where leg 1 settles.
    expect(ran.out.replaceAll(/\s+/g, ' ')).toMatch(/Leg 2 PAY-1\.r2, 1 day, matures .* or later/);
    const again = await cli.run(PLAN);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('ALREADY PLANNED')]);
    const early = await cli.run('roll run --due --yes');
    expect([early.code, early.out]).toEqual([0, expect.stringContaining('No roll is due.')]);
    expect(early.out).toContain('Waiting');
    const [chain] = await chains(cli);
    const ladder = await cli.run('maturities');
    expect(ladder.out).toMatch(
      new RegExp(`1 unfinished roll:[^]*roll ${chain?.chain_id ?? ''}: buy USDTNGN`),
    );
    await cli.run('practice advance 73h');
    const word = 'leg 1 matured, leg 2 due';
    expect((await cli.run('roll show', ON_A_TERMINAL)).out).toMatch(
      /\w{8} +leg 1 matured, leg 2 due +buy USDTNGN/,
    );
    expect((await cli.run('roll show', ON_A_TERMINAL)).out).not.toContain('NOTE');
    const [listed] = await chains(cli);
    expect(listed?.state).toBe('due');
    expect((await cli.run('check')).out).toContain(word);
    expect((await cli.run('', { terminal: { isTTY: true, env: { NO_COLOR: '1' } } })).out).toContain(word);
    expect((await cli.run('doctor')).out.replace(/\s+/g, ' ')).toContain(word);
    const due = await cli.run('maturities --json');
    expect(due.document()).toMatchObject({
      data: { hedges: [] },
      meta: { unfinished_rolls: [{ state: 'due', to_deal_id: 'PAY-1.r2' }] },
    });
    const ready = await cli.run('roll run --due --yes --json');
    expect(ready.code).toBe(0);
    expect(ready.document()).toMatchObject({ data: [{ outcome: 'rolled', state: 'done', error: null }] });
    expect(await opens(cli)).toEqual([
      ['PAY-1.r2', 'filled', 10_000],
      ['PAY-1', 'closed', 10_000],
    ]);
    expect((await cli.run('roll run --due --yes --json')).document()).toMatchObject({ data: [] });
    expect((await cli.run('maturities')).out).not.toContain('unfinished roll');
  });

  it('is not known to maturities when the journal cannot be read', async () => {
    const cli = testCli({ env: PRACTICE });
    mkdirSync(join(cli.home, 'state', 'journal.sqlite'), { recursive: true });
    const ran = await cli.run('maturities');
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Unfinished rolls are not known')]);
    expect((await cli.run('maturities --json')).document()).toMatchObject({
      meta: { unfinished_rolls: null },
    });
  });

  it('with a limit below the cost of today warns, and shows that cost', async () => {
    const cli = await desk();
    const low = PLAN.replace('60', '5');
    const dry = await cli.run(low.replace('--yes', '--dry-run'));
    expect(dry.out.replace(/\s+/g, ' ')).toMatch(
      /Leg 2 would not open today: its cost is [\d.]+ bps, your limit is 5 bps\./,
    );
    const ran = await cli.run(low);
    expect([ran.code, ran.out]).toEqual([0, expect.stringMatching(/Cost today +[\d.]+ bps/)]);
    expect(ran.err).toContain('Leg 2 would not open');
  });

  it('opens the size that settled, not that of the plan', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    await cli.run('reduce USDTNGN buy 4k --yes');
    await cli.run('practice advance 73h');
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r2', 'filled', 6_000]);
  });

  it('of a hedge that was reduced since is in maturities at the size it would open at, and at that of the plan', async () => {
    const cli = await desk();
    await cli.run('roll PAY-1 --tenor 3 --at maturity --yes');
    expect((await cli.run('maturities')).out).toContain('buy USDTNGN 10,000.00 USD, planned');
    await cli.run('reduce USDTNGN buy 4k --yes');
    expect((await cli.run('maturities')).out).toContain(
      'buy USDTNGN 6,000.00 USD now (10,000.00 when planned), planned',
    );
  });

  it('that is dropped after leg 1 has settled says that the side is flat, and before that it is unchanged', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    const [first] = await chains(cli);
    const drop = (id = '') => cli.run(['roll', 'drop', id, '--note', 'paid early']);
    expect((await drop(first?.chain_id)).out).toContain('Leg 1 is unchanged. Leg 2 is not opened.');
    await cli.run(PLAN);
    const [second] = await chains(cli);
    await cli.run('practice advance 73h');
    expect((await drop(second?.chain_id)).out).toContain(
      'Leg 1 has settled, and the side is flat. Leg 2 is not opened.',
    );
  });

  it('that was dropped, and planned again, keeps its own legs', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    const [first] = await chains(cli);
    const id = first?.chain_id ?? '';
    await cli.run(['roll', 'drop', id, '--note', 'paid early']);
    await cli.run(PLAN);
    await cli.run('practice advance 73h');
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
    expect(await data(cli, `roll show ${id}`)).toMatchObject({
      state: 'dropped',
      to_hedge_id: null,
      open_action_id: null,
      open_outcome: null,
      derived: { legs: [{ leg: 1 }] },
    });
    expect(await data(cli, 'roll show PAY-1.r2')).toMatchObject({ state: 'done', open_outcome: 'filled' });
  });

  it('whose deal ID another machine has opened is done, and nothing is sent', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    const putBack = keepJournal(cli.home);
    expect((await cli.run('open USDTNGN buy 10k --tenor 1 --deal-id PAY-1.r2 --yes')).code).toBe(0);
    putBack();
    await cli.run('practice advance 73h');
    const ran = await cli.run('roll run --due --yes --json');
    expect(ran.document()).toMatchObject({ data: [{ outcome: 'rolled', state: 'done', error: null }] });
    expect(await hedges(cli)).toHaveLength(2);
    expect(await chains(cli)).toMatchObject([{ state: 'done', note: expect.stringContaining('elsewhere') }]);
    expect((await cli.run('roll run --due --yes --json')).document()).toMatchObject({ data: [] });
  });

  it('more than 24 hours late is opened only with --late', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    await cli.run('practice advance 97h');
    const late = await cli.run('roll run --due --yes --json');
    expect([late.code, codeOf(late)]).toEqual([10, 'roll_missed']);
    const table = await cli.run('roll run --due --yes --csv');
    expect(readCsv(table.out)).toMatchObject([{ to_deal_id: 'PAY-1.r2', 'error.code': 'roll_missed' }]);
    expect((await cli.run('roll run --due --late --yes')).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r2', 'filled', 10_000]);
  });

  it('is named by a close of the hedge, which it would not survive, and by no other', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN sell 3k --tenor 1 --yes');
    await cli.run(PLAN);
    const close = await cli.run('close USDTNGN buy --dry-run');
    expect([close.code, close.out]).toEqual([0, expect.stringMatching(/Roll \w{8} is planned for hedge/)]);
    expect((await cli.run('close USDTNGN sell --dry-run')).out).not.toContain('is planned for hedge');
    const rest = await cli.run('reduce USDTNGN buy 9,950 --dry-run');
    expect(rest.out).toMatch(/Roll \w{8} is planned for hedge[^]*does not open leg 2/);
    expect((await cli.run('reduce USDTNGN buy 1k --dry-run')).out).not.toContain('is planned for hedge');
    // Settled by the service's time: a close of the next hedge on the side leaves the roll as it is.
    await cli.run('practice advance 73h');
    await cli.run('open USDTNGN buy 3k --tenor 1 --yes');
    expect((await cli.run('close USDTNGN buy --dry-run')).out).not.toContain('is planned for hedge');
  });

  it('of a hedge that was closed early opens nothing', async () => {
    const cli = await desk();
    await cli.run(PLAN);
    await cli.run('close USDTNGN buy --yes');
    await cli.run('practice advance 73h');
    const ran = await cli.run('roll run --due --yes --json');
    expect([ran.code, codeOf(ran)]).toEqual([10, 'book_changed']);
    expect(await hedges(cli)).toHaveLength(1);
  });

  it('of a hedge that is added to is warned of, and each of several due says how a person goes on', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN sell 2k --tenor 3 --deal-id PAY-2 --yes');
    await cli.run(PLAN);
    await cli.run('roll PAY-2 --tenor 1 --at maturity --max-cost-bps 2 --yes');
    const shown = async (line: string) => {
      const { out, err } = await cli.run(line);
      return `${err}${out}`.replace(/\s+/g, ' ');
    };
    for (const line of ['add USDTNGN buy 3k --dry-run', 'add USDTNGN buy 3k --yes'])
      expect(await shown(line)).toMatch(
        /Roll \w{8} is planned for hedge "hdg_\w+" at 10,000\.00 USD\. If this add enlarges it, leg 2 is not opened by itself\..*hedge roll drop \w{8} --note TEXT/,
      );
    expect(await shown('add USDTNGN sell 100 --dry-run')).toMatch(
      /Roll \w{8} is planned for hedge "hdg_\w+" at 2,000\.00/,
    );
    expect((await cli.run('roll run --due --yes')).out.replace(/\s+/g, ' ')).toContain(
      '13,000.00 USD now (10,000.00 when planned)',
    );
    await cli.run('practice advance 73h');
    const ran = await cli.run('roll run --due --yes');
    expect(ran.code).toBe(10);
    const [buy = '', sell = ''] = ran.out.split(/(?=NOT ROLLED sell)/);
    expect(buy.replace(/\s+/g, ' ')).toMatch(
      /but the roll was planned for 10,000\.00 USD.*hedge open USDTNGN buy 10000 /,
    );
    expect(buy).not.toContain('hedge roll run');
    expect(sell).toContain('--max-cost-bps');
  });

  it('runs several, and one that fails does not stop the others', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes');
    await cli.run('roll PAY-1 --tenor 1 --at maturity --max-cost-bps 2 --yes');
    await cli.run('roll PAY-2 --tenor 1 --at maturity --max-cost-bps 60 --yes');
    await cli.run('practice advance 73h');
    const ran = await cli.run('roll run --due --yes --json');
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({
      data: [
        { from_deal_id: 'PAY-1', outcome: 'cost_too_high', state: 'due' },
        { from_deal_id: 'PAY-2', outcome: 'rolled', state: 'done' },
      ],
    });
    const raised = await cli.run('roll run PAY-1 --max-cost-bps 60 --yes');
    expect(raised.code).toBe(0);
    expect(await data(cli, 'roll show PAY-1')).toMatchObject({ max_cost_bps: 2, sent_max_cost_bps: 60 });
    expect((await cli.run('roll show')).out).not.toMatch(/PAY-1\.r2 +1d +2 /);
    expect((await cli.run('roll show --csv')).out).toContain('PAY-1.r2');
  });

  it('stops at an unknown outcome, and the rest is not run', async () => {
    const cli = await desk();
    await cli.run('open USDTNGN buy 2k --tenor 3 --deal-id PAY-2 --yes');
    for (const id of ['PAY-1', 'PAY-2']) await cli.run(`roll ${id} --tenor 1 --at maturity --yes`);
    await cli.run('practice advance 73h');
    await cli.run('practice faults --lost-before 100% --only open');
    const ran = await cli.run('roll run --due --yes --json');
    expect(ran.code).toBe(7);
    expect(ran.document()).toMatchObject({
      data: [{ outcome: 'outcome_unknown', state: 'opening' }, { outcome: 'not_run' }],
    });
    await cli.run('practice faults clear');
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
    const known = (await opens(cli)).filter((each) => JSON.stringify(each).includes('.r2'));
    expect(known).toHaveLength(2);
  });
});

describe('a roll of cover', () => {
  const day = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');

  it.each(['now', 'maturity'])(
    'at %s to a day after its due date warns, and to an earlier one does not',
    async (when) => {
      const cli = testCli({ env: PRACTICE });
      const id = `COVER-${day(when === 'now' ? 4 : 5)}-BUY-3f9a21`;
      await cli.run(['open', 'USDTNGN', 'buy', '10k', '--tenor', '1', '--deal-id', id, '--yes']);
      const plan = (tenor: string, ...more: string[]) =>
        cli.run(['roll', id, '--tenor', tenor, '--at', when, ...more]);
      const late = (await plan('7', '--dry-run')).out.replace(/\s+/g, ' ');
      expect(late).toMatch(/Leg 2 would mature on [\d-]+, \d days after [\d-]+, the due date/);
      const early = await plan('3', '--dry-run');
      expect([early.code, early.out]).toEqual([0, expect.not.stringContaining('due date')]);
      const kept = await plan('7', '--yes');
      expect([kept.code, kept.err]).toEqual([0, expect.stringContaining('the due date')]);
    },
  );
});

it('a roll of cover that is run late warns when the delay takes it past its due date', async () => {
  const cli = testCli({ env: PRACTICE });
  const due = new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  const id = `COVER-${due}-BUY-3f9a21`;
  await cli.run(['open', 'USDTNGN', 'buy', '10k', '--tenor', '1', '--deal-id', id, '--yes']);
  const planned = await cli.run(['roll', id, '--tenor', '3', '--at', 'maturity', '--yes']);
  expect([planned.code, planned.err]).toEqual([0, expect.not.stringContaining('due date')]);
  await cli.run('practice advance 80h');
  const ran = await cli.run('roll run --due --late --yes');
  expect([ran.code, ran.err.replace(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringMatching(/Leg 2 would mature on [\d-]+, \d days after [\d-]+, the due date/),
  ]);
});

describe('rolls of several commands at once', () => {
  it('run by two crons at the same time open leg 2 once', async () => {
    const cli = await desk();
    await cli.run('roll PAY-1 --tenor 1 --at maturity --yes');
    await cli.run('practice advance 73h');
    const both = await Promise.all([cli.run('roll run --due --yes'), cli.run('roll run --due --yes')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect((await opens(cli)).filter((each) => JSON.stringify(each).includes('.r2'))).toHaveLength(1);
  });

  it('dropped while it runs is not opened after that', async () => {
    const { cli } = await flatDesk();
    const [chain] = await chains(cli);
    const drop = ['roll', 'drop', chain?.chain_id ?? '', '--note', 'not needed'];
    const [ran, dropped] = await Promise.all([cli.run('roll run --due --yes'), cli.run(drop)]);
    const [now] = await chains(cli);
    const opened = (await opens(cli)).filter(
      (each) => JSON.stringify(each) === '["PAY-1.r2","filled",10000]',
    );
    // Whichever was first: it is open and not dropped, or dropped and not open.
    expect([now?.state, opened.length]).toEqual(dropped.code === 0 ? ['dropped', 0] : ['done', 1]);
    expect([0, 10]).toContain(ran.code);
  });

  it('at maturity is not opened after a close by hand of what else was on the side', async () => {
    const cli = await desk();
    await cli.run('roll PAY-1 --tenor 1 --at maturity --yes');
    await cli.run('open USDTNGN buy 3k --tenor 7 --deal-id PAY-2 --yes');
    await cli.run('practice advance 73h');
    const closed = await cli.run('close USDTNGN buy --if-open --yes');
    expect([closed.code, closed.err]).toEqual([0, expect.stringMatching(/does\s+not\s+open\s+leg\s+2/)]);
    const due = await cli.run('roll run --due --yes --json');
    expect([due.code, codeOf(due)]).toEqual([10, 'book_changed']);
    expect((await hedges(cli)).filter(({ status }) => status === 'filled')).toEqual([]);
  });

  it('at maturity of a hedge that has settled does not block a roll of the next one on the side', async () => {
    const cli = await desk();
    await cli.run('roll PAY-1 --tenor 1 --at maturity --yes');
    const blocked = await cli.run(`${NOW} --json`);
    expect([blocked.code, codeOf(blocked)]).toEqual([10, 'roll_unfinished']);
    await cli.run('practice advance 73h');
    await cli.run('open USDTNGN buy 3k --tenor 3 --deal-id PAY-2 --yes');
    expect((await cli.run(NOW)).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-2.r2', 'filled', 3_000]);
    expect((await cli.run('roll run --due --yes')).code).toBe(0);
    expect((await opens(cli))[0]).toEqual(['PAY-1.r2', 'filled', 10_000]);
  });

  it('planned twice for one hedge is one roll', async () => {
    const cli = await desk();
    const line = 'roll PAY-1 --tenor 1 --at maturity --yes';
    const both = await Promise.all([cli.run(line), cli.run(line)]);
    expect(both.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(both.filter(({ code }) => code === 10)).toHaveLength(1);
    expect(await chains(cli)).toHaveLength(1);
    expect((await cli.run('roll PAY-1 --tenor 3 --at now --yes --json')).code).toBe(10);
  });
});

describe('a roll of another account', () => {
  it('planned under --profile has a next command that runs as written, and a run under another profile names it', async () => {
    const cli = testCli({ env: PRACTICE });
    const live = '--profile practice-live --expect-env practice';
    await cli.run(`${live} open USDTNGN buy 10k --tenor 1 --deal-id PL-1 --any-price --yes`);
    const planned = await cli.run(`${live} roll PL-1 --tenor 1 --at maturity --max-cost-bps 60 --yes`);
    const next = 'roll run --due --yes --expect-env practice';
    expect(planned.out).toContain(`\nhedge --profile practice-live ${next}\n`);
    const document = await data<Chain[]>(cli, '--profile practice-live roll show');
    expect(document).toMatchObject([{ next: `hedge --profile practice-live ${next}` }]);
    await cli.run('practice advance 25h');
    const other = await cli.run('roll run --due --yes');
    expect(other.out).toMatch(/No roll is due\.\s+1 unfinished under other profiles: hedge status/);
    expect((await cli.run(`--profile practice-live ${next}`)).out).toContain('ROLLED');
  });

  it('is not run, and after a reset of practice is given up by its ID', async () => {
    const cli = await desk();
    await cli.run('roll PAY-1 --tenor 1 --at maturity --yes');
    const [chain] = await chains(cli);
    const live = await cli.run('', { env: { HEDGE_PROFILE: 'practice-live' } });
    expect(live.out).toContain('hedge --profile practice roll run --due --yes');
    await cli.run('practice reset --yes');
    expect(await chains(cli)).toEqual([]);
    expect((await cli.run('status')).out).toContain('1 unfinished roll');
    expect((await cli.run('roll drop PAY-1 --note reset')).code).toBe(2);
    expect((await cli.run(['roll', 'drop', chain?.chain_id ?? '', '--note', 'reset'])).code).toBe(0);
    expect((await cli.run('status')).out).not.toContain('unfinished');
  });
});

describe('roll drop of a roll of a stored profile', () => {
  const KEY = 'hk_test_forTestsAlone0001';
  const ADDRESS = 'https://partner.example/v2';
  const ADD = `profile add desk --base-url ${ADDRESS} --key-stdin --no-check`;
  const drop = (profile: string, more = '') => `--profile ${profile} roll drop 3f9a1c2b --note x ${more}`;

  async function deskRoll(): Promise<TestCli> {
    const cli = testCli();
    const { fingerprint: keyFingerprint } = ApiKey.of(KEY);
    const identity = serviceIdentity('sandbox', { baseUrl: ADDRESS, keyFingerprint });
    writeJournal(cli.home, [aRoll({ identity, when: 'maturity' })]);
    expect((await cli.run(ADD, { stdin: KEY })).code).toBe(0);
    return cli;
  }

  it('under another profile names the profile, and drops nothing', async () => {
    const cli = await deskRoll();
    const ran = await cli.run(drop('practice'));
    expect([ran.code, ran.err]).toEqual([
      2,
      expect.stringMatching(
        /sandbox, profile "?desk"?[^]*hedge --profile desk roll drop 3f9a1c2b --note TEXT/,
      ),
    ]);
    expect((await cli.run(drop('desk', '--expect-env live'))).code).toBe(10);
    const dropped = await cli.run(drop('desk', '--expect-env sandbox --json'));
    expect(dropped.document()).toMatchObject({
      data: { state: 'dropped', environment: 'sandbox', profile: 'desk' },
    });
  });

  it('whose profile was removed is dropped under any profile, names both, and honors --expect-env', async () => {
    const cli = await deskRoll();
    expect((await cli.run('status')).out).toContain('hedge --profile desk roll run');
    const removed = await cli.run('profile remove desk --yes');
    expect(removed.out.replace(/\s+/g, ' ')).toMatch(/Roll 3f9a1c2b \(.*\) has no other profile/);
    const status = await cli.run('status');
    expect(status.out).toContain('hedge --profile practice roll drop 3f9a1c2b --note TEXT');
    expect(status.out).not.toContain('--profile desk');
    const stopped = await cli.run(drop('practice', '--expect-env practice --json'));
    expect([stopped.code, codeOf(stopped)]).toEqual([10, 'env_mismatch']);
    const dropped = await cli.run(drop('practice'));
    expect([dropped.code, dropped.out]).toEqual([0, expect.stringContaining('Of sandbox, profile desk')]);
    expect((await cli.run('status --json')).document()).toMatchObject({ data: { unfinished_rolls: [] } });
  });

  it('whose profile gets another base URL is named by that change', async () => {
    const cli = await deskRoll();
    const same = await cli.run('profile set desk --operator Ada');
    expect(same.out).not.toContain('3f9a1c2b');
    const moved = await cli.run('profile set desk --base-url https://other.example/v2 --no-check');
    expect([moved.code, moved.out]).toEqual([0, expect.stringContaining('Roll 3f9a1c2b')]);
  });

  it('at a terminal asks', async () => {
    const cli = await deskRoll();
    const terminal = { isTTY: true, env: { NO_COLOR: '1' } };
    const declined = await cli.run(drop('desk'), { terminal, answer: 'n\r' });
    expect([declined.code, declined.err]).toEqual([
      10,
      expect.stringContaining('Give up this roll of profile desk?'),
    ]);
    expect((await cli.run(drop('desk'), { terminal, answer: 'y\r' })).code).toBe(0);
  });
});

describe('under the rules of live', () => {
  const LIVE = { HEDGE_PROFILE: 'practice-live' };
  const onTerminal = (answer: string) => ({ terminal: { isTTY: true, env: { NO_COLOR: '1' } }, answer });

  it('the side and the size are typed once for both legs', async () => {
    const cli = testCli({ env: LIVE });
    const opened = await cli.run(
      'open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --any-price --yes --expect-env practice',
    );
    expect(opened.code).toBe(0);
    const line = 'roll USDTNGN buy --tenor 3 --at now --max-cost-bps 60';
    const ran = await cli.run(line, onTerminal('buy 10k\r'));
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('ROLLED')]);
  });
});

describe('the cost of a roll', () => {
  it('is on the receipt, of rolling alone', async () => {
    const cli = await desk();
    const { out } = await cli.run(NOW, ON_A_TERMINAL);
    expect(out).toMatch(/^Cost +[\d.]+ USDC, [\d.]+ bps: fee to close leg 1,/m);
  });

  it('is the sum of its parts, with the P&L apart', async () => {
    const cli = await desk();
    expect((await cli.run(NOW)).code).toBe(0);
    const shown = await data<{
      derived: { cost_usdc: number; missing: string[]; legs: Record<string, number>[] };
    }>(cli, 'roll show PAY-1.r2');
    const parts = [
      'impact_cost_usd',
      'slippage_usd',
      'carry_usdc',
      'platform_fee_usdc',
      'close_fee_usdc',
    ] as const;
    const micros = shown.derived.legs.flatMap((leg) =>
      parts.map((part) => Math.round((leg[part] ?? Number.NaN) * 1e6)),
    );
    expect(micros.reduce((sum, each) => sum + each, 0)).toBe(Math.round(shown.derived.cost_usdc * 1e6));
    expect(shown.derived.missing).toEqual([]);
    expect(shown.derived.legs[0]).toMatchObject({ close_fee_usdc: 5, net_pnl_usd: expect.any(Number) });
    const screen = await cli.run('roll show PAY-1.r2', ON_A_TERMINAL);
    expect(screen.out).toMatch(/Cost in bps +[\d.]+ +[\d.]+ *\n/);
    const words = screen.out.replaceAll(/\s+/g, ' ');
    expect(words).toMatch(
      /Cost of both hedges, an open one to its maturity: [\d.]+ USDC, [\d.]+ bps of that of leg 2; of rolling alone: [\d.]+ USDC, [\d.]+ bps\./,
    );
    const { legs } = shown.derived;
    const alone = (legs[1]?.['cost_usdc'] ?? 0) + (legs[0]?.['close_fee_usdc'] ?? 0);
    expect(Number(/of rolling alone: ([\d.]+)/.exec(words)?.[1])).toBeCloseTo(alone, 6);
  });
});

describe('the cost of a roll of a hedge that was filled in part', () => {
  it('has the impact, the carry and the fee of what was filled', async () => {
    const clock = movingClock();
    const cli = testCli({ env: PRACTICE, clock });
    await cli.run('practice faults --partial-fills 100% --only open');
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    const [opened] = await data<{ quote: Record<string, string> }[]>(cli, 'journal');
    // Before, the rest may still fill.
    clock.pass(60_000);
    await cli.run(NOW);
    const { derived } = await data<{ derived: { legs: Record<string, number>[] } }>(
      cli,
      'roll show PAY-1.r2',
    );
    const [first, second] = derived.legs;
    expect([first?.['notional_usd'], second?.['notional_usd']]).toEqual([6_000, 3_600]);
    expect(first?.['impact_cost_usd']).toBeCloseTo(
      0.6 * Math.abs(Number(opened?.quote['price_impact_usd'])),
      1,
    );
    expect([first?.['platform_fee_usdc'], second?.['platform_fee_usdc']]).toEqual([6, 3.6]);
  });
});

describe('the cost of a leg that was added to and reduced', () => {
  it('has the fees of all that', async () => {
    const cli = await desk();
    for (const line of ['add USDTNGN buy 5k --any-price --yes', 'reduce USDTNGN buy 3k --yes', NOW])
      expect([line, (await cli.run(line)).code]).toEqual([line, 0]);
    const [record] = await data<{ fees_usdc: number }[]>(cli, 'history');
    const { derived } = await data<{ derived: { legs: Record<string, number>[] } }>(
      cli,
      'roll show PAY-1.r2',
    );
    const [{ platform_fee_usdc: before = 0, close_fee_usdc: close = 0, notional_usd: base } = {}] =
      derived.legs;
    // The cost in bps is of all that these fees were paid for.
    expect(base).toBe(15_000);
    // 10 for the open, 5 for the add; half as much for each part that was closed.
    expect([before + close, record?.fees_usdc]).toEqual([22.5, 22.5]);
  });
});

describe('arguments of hedge roll', () => {
  it.each([
    ['roll', 'market and side'],
    ['roll USDTNGN buy', '--tenor DAYS, --at now|maturity'],
    ['roll USDTNGN buy --tenor 3', '--at now|maturity'],
    ['roll USDTNGN buy --tenor 3 --at noon', 'Use now or maturity'],
    ['roll USDTNGN buy 5k --tenor 3 --at now', 'keeps the size'],
    ['roll run', '--due'],
    ['roll run abcd --due', 'Leave out --due'],
    ['roll run --due --max-cost-bps 5', 'limit of its plan'],
    ['roll drop abcd', '--note'],
    ['roll run abcd --yes', 'No roll "abcd"'],
  ])('%s is exit 2 and says what is missing', async (line, says) => {
    const ran = await testCli({ env: PRACTICE }).run(line);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(says)]);
  });

  it('on live needs a limit of the cost before anything is read', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice-live' } });
    for (const when of ['now', 'maturity']) {
      const ran = await cli.run(`roll USDTNGN buy --tenor 3 --at ${when} --yes --expect-env practice`);
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--max-cost-bps')]);
    }
    const unattended = await cli.run('roll run --due');
    expect([unattended.code, unattended.err]).toEqual([2, expect.stringContaining('--expect-env')]);
  });
});

describe('a service that sends only what the specification names', () => {
  const PLANNED_AT = { date: 'Fri, 20 Nov 2026 10:00:00 GMT' };
  const DUE_AT = { date: 'Mon, 23 Nov 2026 09:10:00 GMT' };
  const open = aHedge();
  const settled = aHedge({ status: 'closed' });
  const second = aHedge({
    id: 'hdg_02',
    client_reference: 'PAY-8841.r2',
    opened_at: '2026-11-23T09:10:00Z',
    filled_at: '2026-11-23T09:10:02Z',
    maturity_at: '2026-11-26T09:10:00Z',
  });
  const facts = (list: readonly Body[], positions: readonly Body[], at: Readonly<Record<string, string>>) => [
    on('GET /positions', ok(positions, {}, at)),
    on('GET /hedges?limit=500', ok(list, {}, at)),
    on('GET /markets', ok([aMarket()], { allowed_markets: ['USDTNGN'] }, at)),
    on('GET /account', ok(anAccount(), {}, at)),
    on('POST /quotes', ok(aQuote(), {}, at)),
  ];
  const unused = on('GET /hedges?client_reference=PAY-8841.r2&limit=500', ok([], {}, PLANNED_AT));

  const due = (hedge: Body, positions: readonly Body[], history: readonly Body[]) => [
    on('GET /positions', ok(positions, {}, DUE_AT)),
    on('GET /hedges?limit=500', ok([hedge], {}, DUE_AT)),
    unused,
    on('GET /hedges/hdg_01JD8K', ok(hedge, {}, DUE_AT)),
    on('GET /hedges/history', ok(history, {}, DUE_AT)),
  ];

  it('plans, waits for the settlement (8), stops where the history does not tell it from an early close, and goes on where it does', async () => {
    const recorded = aClosedHedge({ id: 'hdg_01JD8K', closed_at: '2026-11-23T09:03:00Z' });
    const service = await scriptedService([
      on('GET /hedges/hdg_01JD8K', ok(open, {}, PLANNED_AT)),
      unused,
      unused,
      ...facts([open], [aPosition()], PLANNED_AT),
      on('GET /hedges/history', ok([aClosedHedge()], {}, PLANNED_AT)),
      // Past the maturity, and not settled.
      ...due(open, [aPosition()], []),
      // One empty reading of the positions proves nothing.
      ...due(open, [], []),
      ...due(settled, [], [aClosedHedge()]),
      ...due(settled, [], [recorded]),
      unused,
      ...facts([settled], [], DUE_AT),
      on('POST /hedges', ok(anAcceptedOpen({ hedge_id: 'hdg_02' }), {}, DUE_AT)),
      on('GET /hedges/hdg_02', ok(second, {}, DUE_AT)),
      on('GET /hedges?client_reference=PAY-8841.r2&limit=500', ok([second], {}, DUE_AT)),
      on('GET /hedges/history', ok([recorded], {}, DUE_AT)),
    ]);
    const cli = cliFor(service);
    const plan = await cli.run('roll hdg_01JD8K --tenor 3 --at maturity --yes');
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining('PLANNED')]);
    expect(plan.err.replace(/\s+/g, ' ')).toContain('leg 2 will not open by itself');
    for (let time = 1; time <= 2; time += 1) {
      const early = await cli.run('roll run --due --yes --json');
      expect([early.code, codeOf(early)]).toEqual([8, 'pending']);
    }
    const unclear = await cli.run('roll run --due --yes --json');
    expect([unclear.code, codeOf(unclear)]).toEqual([10, 'book_unclear']);
    expect(unclear.out).toContain(
      'hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-8841.r2 --ensure --any-price',
    );
    const ran = await cli.run('roll run --due --yes --json');
    expect(ran.document()).toMatchObject({
      data: [{ outcome: 'rolled', to_hedge_id: 'hdg_02', notional_usd: 10_000 }],
      error: null,
    });
    const shown = await cli.run('roll show PAY-8841 --json');
    expect(shown.document()).toMatchObject({
      data: { derived: { missing: ['impact_cost_usd', 'slippage_usd', 'carry_usdc', 'platform_fee_usdc'] } },
    });
  });
});
