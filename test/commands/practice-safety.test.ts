import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ON_A_TERMINAL, type TestCli, testCli } from '../support/test-cli.ts';

const LIVE = '--profile practice-live';
const OPEN = 'open USDTNGN buy 10k --tenor 3';
const UNATTENDED = '--yes --any-price --expect-env practice';

const notionalOf = async (cli: TestCli, profile: string): Promise<unknown> =>
  (await cli.run(`--profile ${profile} account --json --query data.open_exposure_usd`)).out.trim();

describe('a reset by another program while an action is asked about', () => {
  it('the action is not sent: it was decided on, and recorded for, the account before', async () => {
    const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
    const screen = openHedge(OPEN.split(' '), { env, columns: 110 });
    await screen.until('(y/N)');
    expect((await runHedge(['practice', 'reset', '--yes'], { env })).code).toBe(0);
    screen.send('y\r');
    await screen.until('Practice was reset meanwhile');
    expect((await screen.exit).code).toBe(10);
    expect((await runHedge(['hedges', '--json'], { env })).out).toContain('"data":[]');
    expect((await runHedge([...OPEN.split(' '), '--yes'], { env })).code).toBe(0);
  });
});

describe('the built-in profiles', () => {
  it('practice: a limit that is set blocks an open, and its defaults can be put back', async () => {
    const cli = testCli();
    const set = await cli.run('profile limit practice --max-notional 5k --json');
    expect(set.document()).toMatchObject({
      data: { name: 'practice', environment: 'practice', limits: { max_notional_usd: '5000' } },
    });
    const stopped = await cli.run(`--profile practice ${OPEN} --yes --json`);
    expect(stopped.code).toBe(10);
    expect(stopped.document()).toMatchObject({ error: { code: 'limit_exceeded', effect: 'none' } });
    expect((await cli.run('profile remove practice')).code).toBe(2);
    expect((await cli.run('profile remove practice --yes')).out).toContain('has its defaults again');
    expect((await cli.run(`--profile practice ${OPEN} --yes --dry-run`)).code).toBe(0);
  });

  it('practice: profile show and list show limits, time zone and operator name', async () => {
    const cli = testCli();
    await cli.run('profile limit practice --read-only');
    expect((await cli.run('profile set practice --time-zone Africa/Abidjan')).out).toBe(
      'Changed practice: time zone Africa/Abidjan.\n',
    );
    await cli.run([...'profile set practice --time-zone Africa/Lagos --operator'.split(' '), 'Ada O.']);
    const data = {
      name: 'practice',
      key: 'built in',
      time_zone: 'Africa/Lagos',
      operator: 'Ada O.',
      limits: { read_only: true },
    };
    expect((await cli.run('profile show practice --json')).document()).toMatchObject({ data });
    expect((await cli.run('profile show --profile practice --json')).document()).toMatchObject({ data });
    expect((await cli.run('profile list --json')).document()).toMatchObject({
      data: [data, { name: 'practice-live', limits: {} }],
    });
    expect((await cli.run('profile show practice')).out).toMatch(/Operator +Ada O\./);
    await cli.run('profile set practice --time-zone none --operator none');
    expect((await cli.run('profile show practice')).out).toMatch(/Time zone +UTC\nLimits +read-only/);
  });

  it.each([
    ['practice', '--yes'],
    ['practice-live', `--deal-id PAY-1 ${UNATTENDED}`],
  ])('%s: profile show says how much of its own limits is used today', async (name, words) => {
    const cli = testCli();
    await cli.run('profile limit practice --max-daily-notional 25k');
    await cli.run('profile set practice-live --max-daily-notional 25k');
    await cli.run(`--profile ${name} ${OPEN} ${words}`);
    const other = name === 'practice' ? 'practice-live' : 'practice';
    const used = { notional_usd: '10000', remaining_usd: '15000' };
    expect((await cli.run(`profile show ${name} --json`)).document()).toMatchObject({
      data: { used_today: used },
    });
    expect((await cli.run(`profile show --profile ${name} --json`)).document()).toMatchObject({
      data: { used_today: used },
    });
    expect((await cli.run(`profile show ${other} --json`)).document()).toMatchObject({
      data: { used_today: { notional_usd: '0' } },
    });
  });

  it('practice: its time zone is the one of its screens', async () => {
    const cli = testCli();
    await cli.run('profile set practice --time-zone Africa/Lagos');
    const shown = await cli.run('--profile practice account', { terminal: { isTTY: true } });
    expect(shown.out).toContain(' WAT');
  });

  it.each([
    ['a key', 'profile set practice --key-stdin'],
    ['an account label', 'profile set practice --account payroll'],
    ['an address', 'profile set practice-live --base-url https://partner.example/v2'],
    ['a time zone that is none', 'profile set practice --time-zone Mars'],
    ['an operator name with a control character', ['profile', 'set', 'practice', '--operator', 'a\u001bb']],
    ['an operator name that is a key', 'profile set practice --operator hk_test_forTestsAlone0001'],
    ['no change', 'profile set practice'],
  ])('practice: refuses %s', async (_what, words) => {
    const cli = testCli();
    expect((await cli.run(words)).code).toBe(2);
    expect((await cli.run('profile list --json')).document()).toMatchObject({
      data: [{ name: 'practice', limits: {} }, { name: 'practice-live' }],
    });
  });

  it('a stored profile takes a time zone and an operator name too', async () => {
    const cli = testCli();
    const add = 'profile add desk --base-url https://partner.example/v2 --key-stdin --no-check';
    const shown = async () => (await cli.run('profile show desk --json')).document();
    await cli.run(`${add} --operator Bola`, { stdin: 'hk_test_forTestsAlone0001' });
    expect(await shown()).toMatchObject({ data: { operator: 'Bola' } });
    await cli.run('profile set desk --time-zone Africa/Lagos --operator Ada');
    expect(await shown()).toMatchObject({ data: { time_zone: 'Africa/Lagos', operator: 'Ada' } });
    await cli.run('profile set desk --operator none');
    expect(await shown()).not.toMatchObject({ data: { operator: expect.anything() } });
  });

  it('a file with a profile of a name that is built in now is refused with a reason', async () => {
    const cli = testCli();
    await cli.run('profile limit practice --read-only');
    const path = join(cli.home, 'config', 'profiles.json');
    const stored = {
      base_url: 'https://partner.example/v2',
      api_key: 'hk_live_x',
      added_at: '2026-11-20T09:00:00Z',
    };
    const file = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...file, profiles: { 'practice-live': stored } }));
    const ran = await cli.run(`${LIVE} account`);
    expect(ran.code).toBe(78);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('"practice-live", which is the name of a built-in one');
  });
});

describe('practice-live', () => {
  it('practice-live: is an account of its own, and every result says practice', async () => {
    const cli = testCli();
    const ran = await cli.run(`${LIVE} ${OPEN} --deal-id PAY-1 ${UNATTENDED} --json`);
    expect(ran.code).toBe(0);
    expect(ran.document()).toMatchObject({ meta: { profile: 'practice-live', environment: 'practice' } });
    expect(await notionalOf(cli, 'practice-live')).toBe('10000');
    expect(await notionalOf(cli, 'practice')).toBe('0');
    // The same deal ID is free in the other account.
    const other = await cli.run(`--profile practice ${OPEN} --deal-id PAY-1 --yes --json`);
    expect(other.document()).toMatchObject({ data: { outcome: 'filled' } });
    const shown = await cli.run(`${LIVE} account`, ON_A_TERMINAL);
    expect(shown.out).toContain('PRACTICE · practice-live · this machine, no money');
  });

  it('practice-live: an open asks for the side and the size, and Enter alone does not confirm it', async () => {
    const cli = testCli();
    const terminal = { isTTY: true };
    const declined = await cli.run(`${LIVE} ${OPEN}`, { terminal, answer: '\r' });
    expect(declined.code).toBe(10);
    expect(declined.err).toContain('Type "buy 10000"');
    expect(await notionalOf(cli, 'practice-live')).toBe('0');
    expect((await cli.run(`${LIVE} ${OPEN}`, { terminal, answer: 'buy 10k\r' })).code).toBe(0);
    expect(await notionalOf(cli, 'practice-live')).toBe('10000');
  });

  it.each([
    ['', 2, '--yes --expect-env practice --deal-id ID --worst-price PRICE'],
    ['--yes --any-price --deal-id PAY-1', 2, 'Pass: --expect-env practice'],
    ['--yes --any-price --deal-id PAY-1 --expect-env live', 10, 'The environment is practice'],
  ])('practice-live: without a terminal an open with "%s" is not sent', async (words, code, message) => {
    const cli = testCli();
    const ran = await cli.run(`${LIVE} ${OPEN} ${words}`);
    expect(ran.code).toBe(code);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(message);
    expect(await notionalOf(cli, 'practice-live')).toBe('0');
  });

  it('practice-live: a batch names --expect-env practice too', async () => {
    const cli = testCli();
    const file = join(cli.home, 'batch.txt');
    writeFileSync(file, `${OPEN} --any-price --deal-id PAY-1\n`);
    const ran = await cli.run(`${LIVE} batch ${file}`);
    expect(ran.code).toBe(2);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('batch: --yes --expect-env practice');
  });

  it('practice-live: an unknown outcome blocks its own side and not the one of practice', async () => {
    const cli = testCli();
    await cli.run('practice faults --lost-after 100% --only open --once 3 -q');
    const lost = await cli.run(`${LIVE} ${OPEN} --deal-id PAY-1 ${UNATTENDED} --no-wait --json`);
    expect(lost.code).toBe(7);
    expect((await cli.run(`--profile practice ${OPEN} --yes --json`)).code).toBe(0);
    const action: unknown = JSON.parse((await cli.run('journal --json')).out).data[1]?.short_id;
    const asked = await cli.run(`--profile practice check ${String(action)}`);
    expect(asked.err).toContain('Use its profile: --profile practice-live');
  });

  it('practice-live: the commands for an unknown outcome of another profile than the usual one name it', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice faults --lost-after 100% --only open --once 3 -q');
    await cli.run(`${LIVE} ${OPEN} --deal-id PAY-1 ${UNATTENDED} --no-wait --json`);
    for (const list of ['journal --unresolved', 'journal', 'status']) {
      for (const profile of ['', LIVE])
        expect((await cli.run(`${profile} ${list}`.trim())).out).toMatch(
          /^hedge --profile practice-live check \w{4} /m,
        );
      const { out } = await cli.run(`${LIVE} ${list} --json`);
      expect(out).toMatch(/"next":\["hedge --profile practice-live check \w{4}"/);
    }
  });

  it('practice-live: asks before it becomes the default or allows more', async () => {
    const cli = testCli();
    const use = await cli.run('profile use practice-live');
    expect(use).toMatchObject({ code: 2 });
    expect(use.err).not.toContain('LIVE');
    expect((await cli.run('profile use practice-live --yes')).code).toBe(0);
    expect((await cli.run('profile limit practice-live --max-notional 5k')).code).toBe(0);
    expect((await cli.run('profile limit practice-live --max-notional 50k')).code).toBe(2);
    expect((await cli.run('profile limit practice-live --max-notional 50k --yes')).code).toBe(0);
    expect((await cli.run('profile limit practice --max-notional 5k')).code).toBe(0);
    expect((await cli.run('profile limit practice --max-notional 50k')).code).toBe(0);
  });
});
