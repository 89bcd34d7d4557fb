/** Bare `hedge`: what it shows, and that it never needs a service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAccountNow } from '../../src/readings/read-account-now.ts';
import { anAccount, aPosition } from '../spec/bodies.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { steadyClock } from '../support/steady-clock.ts';
import { type RunOptions, testCli } from '../support/test-cli.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const PERSON: RunOptions = { terminal: { isTTY: true, env: { NO_COLOR: '1' } } };
const OPEN = 'open USDTNGN buy 10k --tenor 3 --yes';

describe('bare hedge', () => {
  it('shows the free balance and one line per open side, with two readings', async () => {
    const service = await scriptedService([
      on('GET /account', ok(anAccount({ balance_usdc: 41_320 }))),
      on(
        'GET /positions',
        ok([
          aPosition({
            market: 'USDTNGN',
            side: 'buy',
            notional_usd: 50_000,
            entry_price: 1532.5,
            net_pnl_usd: -73.379467,
          }),
        ]),
      ),
    ]);
    const { out, code } = await cliFor(service).run('', PERSON);
    expect(code).toBe(0);
    expect(out).toContain('Free balance 41,320.00 USDC');
    expect(out).toMatch(/^POSITION +NOTIONAL USD +AVERAGE ENTRY +P&L BEFORE FEES$/m);
    expect(out).toMatch(/^USDTNGN buy +[\d,.]+ +1,532\.50 +-73\.379467$/m);
    expect(out).toContain('hedge open');
    expect(service.requests).toHaveLength(2);
  });

  it.each(['', 'positions'])('says that a loss is larger than its margin: hedge %s', async (words) => {
    const lost = aPosition({ market: 'USDTNGN', side: 'buy', net_margin_usd: -1052.15 });
    const service = await scriptedService([
      ...(words === '' ? [on('GET /account', ok(anAccount()))] : []),
      on('GET /positions', ok([lost, aPosition({ market: 'USDTNGN', side: 'sell' })])),
    ]);
    const { out } = await cliFor(service).run(words, {
      ...PERSON,
      terminal: { ...PERSON.terminal, width: 120 },
    });
    expect(out).toContain(
      'USDTNGN buy: the loss is larger than the margin. Closing takes 1,052.15 USD from the free balance.',
    );
    expect(out).not.toContain('USDTNGN sell:');
  });

  it('leads with what to do about an open side: its maturities, reduce and close', async () => {
    const service = await scriptedService([
      on('GET /account', ok(anAccount())),
      on('GET /positions', ok([aPosition({ market: 'USDTNGN', side: 'sell' })])),
    ]);
    const { out } = await cliFor(service).run('', PERSON);
    expect(out).toMatch(
      /hedge maturities .*\n.*hedge reduce USDTNGN sell --by 50% .*\n.*hedge close USDTNGN sell /,
    );
    expect(out).not.toContain('hedge quote USDTNGN buy');
  });

  it('sends no request in a script', async () => {
    const service = await scriptedService([]);
    const cli = cliFor(service);
    expect((await cli.run('')).out).toContain('hedge open');
    expect((await cli.run('--json')).document()).toMatchObject({
      data: { selected: { name: 'env' } },
      meta: { profile: 'env', environment: 'sandbox' },
    });
    expect(service.requests).toHaveLength(0);
  });

  it.each(['--json', '--query data.selected.name', 'status --json', '--output jsonl'])(
    'sends no request for a document that a person asked for: %s',
    async (words) => {
      const service = await scriptedService([]);
      const { out, code } = await cliFor(service).run(words, PERSON);
      expect(code).toBe(0);
      expect(out).toContain('env');
      expect(service.requests).toHaveLength(0);
    },
  );

  it('says why they were not read, and shows the rest', async () => {
    const service = await scriptedService([
      on('GET /account', no(401, 'unauthorized')),
      on('GET /positions', no(401, 'unauthorized')),
    ]);
    const { out, code } = await cliFor(service).run('', PERSON);
    expect(code).toBe(0);
    expect(out).toMatch(/^Balance and positions not read: .*API key[^?]*Try: hedge doctor$/m);
    expect(out).toContain('hedge quote USDTNGN buy 10000');
  });

  it('does not wait for a slow service', async () => {
    const clock = steadyClock();
    const reading = readAccountNow(() => new Promise(() => undefined), clock);
    clock.fire(2_000);
    expect(await reading).toEqual({ notRead: 'No response within 2 s.' });
  });

  it('runs no key command', async () => {
    const cli = testCli();
    const ran = join(cli.home, 'ran');
    const command = JSON.stringify(['sh', '-c', `echo ran >> ${ran}; echo ${SANDBOX_KEY}`]);
    const words = ['profile', 'add', 'desk', '--base-url', 'https://hedge.example/v1', '--no-check'];
    expect((await cli.run([...words, '--key-command', command])).code).toBe(0);
    const before = readFileSync(ran, 'utf8');
    const { out, code } = await cli.run('--profile desk', PERSON);
    expect(code).toBe(0);
    expect(out).toContain('Profile desk');
    // Without it they would run on the default profile, which may be live.
    expect(out).toMatch(/^hedge --profile desk open +open a hedge step by step/m);
    expect(out).not.toContain('not read');
    expect(readFileSync(ran, 'utf8')).toBe(before);
  });

  it('recommends a check and no open while an outcome is unknown', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('practice faults --lost-after 100% --only open --once 3');
    expect((await cli.run(OPEN)).code).toBe(7);
    const { out } = await cli.run('');
    expect(out).toMatch(/^hedge check +look up unknown outcomes/m);
    expect(out).not.toContain('hedge open');
  });

  it('recommends no open while this machine is halted', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('halt drill');
    const { out } = await cli.run('');
    expect(out).toContain('hedge positions');
    expect(out).not.toContain('hedge open');
  });
});
