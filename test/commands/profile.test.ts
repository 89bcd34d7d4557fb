import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { LIVE_KEY, SANDBOX_KEY } from '../support/cli-for.ts';
import { no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

const ADDRESS = 'https://partner.example/desk/v2';
const add = (name: string, ...more: readonly string[]) => [
  'profile',
  'add',
  name,
  '--base-url',
  ADDRESS,
  ...more,
];

async function scriptedClient(name: string, key: string) {
  const cli = testCli();
  const ran = await cli.run(add(name, '--key-stdin', '--no-check'), { stdin: `${key}\n` });
  expect(ran.code).toBe(0);
  return cli;
}

it('profile set: the command for a key of another environment has the address as one word for any shell', async () => {
  const cli = testCli();
  const address = 'https://[::1]:8443/~desk/v2';
  const added = await cli.run(
    ['profile', 'add', 'desk', '--base-url', address, '--key-stdin', '--no-check'],
    {
      stdin: `hk_test_0123456789abcdef\n`,
    },
  );
  expect(added.code).toBe(0);
  const ran = await cli.run('profile set desk --key-stdin --no-check --json', {
    stdin: `hk_live_0123456789abcdef\n`,
  });
  expect(ran.document()).toMatchObject({
    error: {
      hint: `Add it as another profile: hedge profile add NAME --base-url '${address}'`,
    },
  });
});

describe('profile add', () => {
  it('tries the key on the service, keeps it 0600, and never shows it', async () => {
    const service = await scriptedService([on('GET /account', ok(anAccount()))]);
    const cli = testCli();
    const caFile = join(cli.home, 'ca.pem');
    writeFileSync(caFile, service.ca);
    const words = ['profile', 'add', 'desk', '--base-url', service.url, '--key-stdin', '--ca-file', caFile];
    const ran = await cli.run(words, { stdin: `${SANDBOX_KEY}\n` });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('sandbox');
    expect(ran.out + ran.err).not.toContain(SANDBOX_KEY);
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${SANDBOX_KEY}`);
    const path = join(cli.home, 'config', 'profiles.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain(SANDBOX_KEY);
  });

  it('keeps nothing when the service turns the key down', async () => {
    const service = await scriptedService([on('GET /account', no(401, 'unauthorized'))]);
    const cli = testCli();
    const caFile = join(cli.home, 'ca.pem');
    writeFileSync(caFile, service.ca);
    const words = ['profile', 'add', 'desk', '--base-url', service.url, '--key-stdin', '--ca-file', caFile];
    const ran = await cli.run(words, { stdin: SANDBOX_KEY });
    expect(ran.code).toBe(4);
    expect(ran.err).toContain('The profile was NOT stored.');
    expect(ran.err).toContain('--no-check');
    expect(ran.err).not.toContain('profile show');
    expect((await cli.run('profile list --json')).document()).toMatchObject({
      data: [{ name: 'practice' }, { name: 'practice-live' }],
    });
  });

  it('reads the key from a file, or from a command each time it is used', async () => {
    const cli = testCli();
    const keyFile = join(cli.home, 'key');
    writeFileSync(keyFile, `${LIVE_KEY}\n`, { mode: 0o600 });
    expect((await cli.run(add('live', '--key-file', keyFile, '--no-check'))).code).toBe(0);
    const command = JSON.stringify(['cat', keyFile]);
    expect((await cli.run(add('told', '--key-command', command, '--no-check'))).code).toBe(0);
    const stored = JSON.parse(readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8'));
    expect(stored.profiles.told).toMatchObject({ api_key_command: ['cat', keyFile] });
    expect(stored.profiles.told).not.toHaveProperty('api_key');
    // Nobody is at that address, so what is seen is that the key was had and its environment known.
    const broken = await cli.run('--profile told account --json --expect-env sandbox');
    expect(broken.document()).toMatchObject({
      error: { code: 'env_mismatch' },
      meta: { environment: 'live' },
    });
  });

  it.each([
    [
      'plain http',
      ['profile', 'add', 'desk', '--base-url', 'http://partner.example/v2', '--key-stdin'],
      SANDBOX_KEY,
      4,
    ],
    ['a key of no environment', add('desk', '--key-stdin', '--no-check'), 'hk_prod_0123456789', 4],
    ['two places of the key', add('desk', '--key-stdin', '--key-file', '/tmp/x'), '', 2],
    ['a name of our own', add('practice', '--key-stdin'), '', 2],
    ['a name that is a path', add('../desk', '--key-stdin'), '', 2],
    ['nobody to type the key', add('desk'), '', 2],
    ['a time zone that is none', add('desk', '--key-stdin', '--time-zone', 'Lagos/Africa'), '', 2],
    ['no address', ['profile', 'add', 'desk'], '', 2],
  ])('refuses %s', async (_what, words, stdin, code) => {
    const cli = testCli();
    const ran = await cli.run([...words, '--json'], { stdin });
    expect(ran.code).toBe(code);
    if (stdin !== '') expect(ran.out + ran.err).not.toContain(stdin);
    expect((await cli.run('profile list --json')).document()).toMatchObject({
      data: [{ name: 'practice' }, { name: 'practice-live' }],
    });
  });

  it('leaves the default alone, and warns of an address without a version', async () => {
    const cli = testCli();
    const words = [
      'profile',
      'add',
      'desk',
      '--base-url',
      'https://partner.example/api',
      '--key-stdin',
      '--no-check',
    ];
    const ran = await cli.run(words, { stdin: SANDBOX_KEY });
    expect(ran.out).toContain('does not end in a version');
    expect((await cli.run('markets --json')).document()).toMatchObject({ error: { code: 'no_profile' } });
  });
});

describe('a CA file that cannot be read', () => {
  it('stores no profile and changes none, and the error says so', async () => {
    const cli = testCli();
    const line = 'profile add desk --base-url https://partner.example/v3 --key-stdin';
    const added = await cli.run(`${line} --ca-file /nowhere.pem`, { stdin: SANDBOX_KEY });
    expect([added.code, added.err]).toEqual([78, expect.stringContaining('The profile was NOT stored.')]);
    await cli.run(`${line} --no-check`, { stdin: SANDBOX_KEY });
    const changed = await cli.run('profile set desk --ca-file /nowhere.pem');
    expect([changed.code, changed.err]).toEqual([78, expect.stringContaining('desk was NOT changed.')]);
  });
});

describe('a key that the service rejects', () => {
  it('is reported with the line that shows its profile, however that was selected', async () => {
    const rejected = on('GET /account', no(401, 'unauthorized'));
    const service = await scriptedService([rejected, rejected, rejected]);
    const cli = testCli();
    const caFile = join(cli.home, 'ca.pem');
    writeFileSync(caFile, service.ca);
    const words = ['profile', 'add', 'bad', '--base-url', service.url, '--key-stdin', '--ca-file', caFile];
    expect((await cli.run([...words, '--no-check'], { stdin: SANDBOX_KEY })).code).toBe(0);
    for (const ran of [
      await cli.run('--profile bad account'),
      await cli.run('account', { env: { HEDGE_PROFILE: 'bad' } }),
    ]) {
      expect(ran.code).toBe(4);
      expect(ran.err).toContain('hedge profile show bad');
    }
    const pair = { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: service.url, HEDGE_CA_FILE: caFile };
    expect((await cli.run('account', { env: pair })).err).toMatch(/hedge profile show$/m);
  });
});

describe('an address where nothing listens', () => {
  it('is to be checked with the line that shows its profile, also by doctor', async () => {
    const cli = testCli();
    const words = ['profile', 'add', 'bad', '--base-url', 'https://127.0.0.1:9/v2', '--key-stdin'];
    const failed = await cli.run(words, { stdin: SANDBOX_KEY });
    expect([failed.code, failed.err]).toEqual([5, expect.stringContaining('The profile was NOT stored.')]);
    expect(failed.err).toContain('check the base URL. Without the check: --no-check');
    expect((await cli.run([...words, '--no-check'], { stdin: SANDBOX_KEY })).code).toBe(0);
    const [account, doctor] = [
      await cli.run('--profile bad account --json'),
      await cli.run('--profile bad doctor --json'),
    ];
    expect(account.document()).toMatchObject({
      error: { code: 'unavailable', hint: expect.stringContaining('hedge profile show bad') },
    });
    expect(doctor.out).toContain('hedge profile show bad');
    expect(doctor.out).not.toMatch(/hedge profile show(?! bad)/);
  });
});

describe('profile use', () => {
  it('makes a sandbox profile the default without asking', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    expect((await cli.run('profile use desk')).code).toBe(0);
    expect((await cli.run('profile show --json')).document()).toMatchObject({
      data: {
        name: 'desk',
        environment: 'sandbox',
        why: 'the default, chosen with hedge profile use',
        is_default: true,
      },
    });
  });

  it('asks before a live one, and refuses without a terminal', async () => {
    const cli = await scriptedClient('real', LIVE_KEY);
    const refused = await cli.run('profile use real --json');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--yes');
    const said = await cli.run('profile use real -y');
    expect(said.code).toBe(0);
    expect(said.out).toContain('Every terminal of this user now trades live');
  });

  it('knows no profile that is not there', async () => {
    expect((await testCli().run('profile use nobody --json')).document()).toMatchObject({
      error: { code: 'unknown_profile' },
    });
  });
});

describe('profile show', () => {
  it('names the source that won', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const why = async (words: string, env: Readonly<Record<string, string>> = {}) =>
      (await cli.run(`${words} --json`, { env })).document();
    expect(await why('--profile desk profile show')).toMatchObject({ data: { why: 'named by --profile' } });
    expect(await why('profile show', { HEDGE_PROFILE: 'practice' })).toMatchObject({
      data: { why: 'named by HEDGE_PROFILE' },
    });
    const pair = { HEDGE_API_KEY: LIVE_KEY, HEDGE_BASE_URL: ADDRESS };
    expect(await why('profile show', pair)).toMatchObject({
      data: { name: 'env', environment: 'live', why: 'HEDGE_API_KEY with HEDGE_BASE_URL' },
    });
    expect(JSON.stringify(await why('profile show', pair))).not.toContain(LIVE_KEY);
  });
});

describe('profile set', () => {
  const stored = (cli: Awaited<ReturnType<typeof scriptedClient>>) =>
    JSON.parse(readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8')).profiles.desk;

  it('takes every option of profile add, and keeps what it does not name', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const before = stored(cli);
    expect((await cli.run('profile set desk --max-notional 50k --markets USDTNGN')).code).toBe(0);
    const caFile = join(cli.home, 'ca.pem');
    const changed = await cli.run(
      `profile set desk --base-url https://partner.example/v3 --account payroll --ca-file ${caFile} --time-zone Africa/Lagos --max-daily-notional 200k --no-check`,
    );
    expect(changed.code).toBe(0);
    expect(changed.out).toContain('Time zone of screens: Africa/Lagos.');
    expect(changed.out).toMatch(/50,000.00 USD per trade,\s+200,000.00 USD per day/);
    expect(stored(cli)).toEqual({
      ...before,
      base_url: 'https://partner.example/v3',
      account: 'payroll',
      ca_file: caFile,
      time_zone: 'Africa/Lagos',
      max_notional_usd: '50000',
      max_daily_notional_usd: '200000',
      markets: ['USDTNGN'],
    });
    const removed =
      'profile set desk --account none --ca-file none --time-zone none --max-notional none --no-check';
    expect((await cli.run(removed)).code).toBe(0);
    expect(stored(cli)).toEqual({
      ...before,
      base_url: 'https://partner.example/v3',
      max_daily_notional_usd: '200000',
      markets: ['USDTNGN'],
    });
  });

  it('changes limits alone as profile limit does, and asks before a live profile allows more', async () => {
    const cli = await scriptedClient('desk', LIVE_KEY);
    const limited = await cli.run('profile set desk --max-notional 50k');
    expect([limited.code, limited.out]).toEqual([0, 'Limits of desk: 50,000.00 USD per trade.\n']);
    for (const words of ['--max-notional 60k', '--time-zone Africa/Lagos --max-notional none']) {
      const refused = await cli.run(`profile set desk ${words}`);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--yes')]);
    }
    expect(stored(cli)).toMatchObject({ max_notional_usd: '50000' });
    expect(stored(cli)).not.toHaveProperty('time_zone');
    expect((await cli.run('profile set desk --max-notional none --yes')).code).toBe(0);
    expect(stored(cli)).not.toHaveProperty('max_notional_usd');
  });

  it('changes nothing when the check fails, and says how to leave it out', async () => {
    const service = await scriptedService([on('GET /account', no(401, 'unauthorized'))]);
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const before = stored(cli);
    const caFile = join(cli.home, 'ca.pem');
    writeFileSync(caFile, service.ca);
    const ran = await cli.run(['profile', 'set', 'desk', '--base-url', service.url, '--ca-file', caFile]);
    expect(ran.code).toBe(4);
    expect(ran.err).toContain('Profile desk was NOT changed.');
    expect(ran.err).toContain('--no-check');
    expect(stored(cli)).toEqual(before);
  });

  it.each([
    ['no change', 'desk --no-check'],
    ['a time zone that is none', 'desk --time-zone Lagos/Africa'],
    ['an address without https', 'desk --base-url http://partner.example/v2'],
    ['a name of no profile in another case', 'Practice --read-only'],
  ])('refuses %s', async (_what, words) => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const before = stored(cli);
    expect((await cli.run(`profile set ${words}`)).code).toBeGreaterThan(0);
    expect(stored(cli)).toEqual(before);
  });
});

describe('profile limit', () => {
  const limitsOf = async (cli: Awaited<ReturnType<typeof scriptedClient>>, name = 'desk') =>
    (await cli.run(`profile show ${name} --json`)).document();

  it('sets limits, keeps those it does not name, and lifts them with none', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    expect(await limitsOf(cli)).toMatchObject({ data: { limits: {} } });
    const set = await cli.run('profile limit desk --max-notional 50k --markets usdtngn,USDTNGN --json');
    const limits = { max_notional_usd: '50000', markets: ['USDTNGN'] };
    expect(set.document()).toMatchObject({ data: { name: 'desk', limits }, error: null });
    await cli.run('profile limit desk --max-daily-notional 200000.50 --read-only');
    expect(await limitsOf(cli)).toMatchObject({
      data: { limits: { ...limits, max_daily_notional_usd: '200000.5', read_only: true } },
    });
    const lifted = await cli.run(
      'profile limit desk --max-notional none --no-read-only --markets none --max-daily-notional none',
    );
    expect([lifted.code, lifted.out]).toEqual([0, 'Limits of desk: none.\n']);
    const stored = readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8');
    expect(stored).not.toMatch(/max_|read_only|markets/);
    expect(stored).toContain(SANDBOX_KEY);
  });

  it('are set while the journal is damaged, and their use is then unknown', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    mkdirSync(join(cli.home, 'state'), { mode: 0o700 });
    writeFileSync(join(cli.home, 'state', 'journal.sqlite'), 'nonsense', { mode: 0o600 });
    expect((await cli.run('profile limit desk --max-daily-notional 50k')).code).toBe(0);
    expect(await limitsOf(cli)).toMatchObject({
      data: { used_today: { notional_usd: null, fits_notional_usd: null } },
    });
    expect((await cli.run('profile show desk')).out).toMatch(/Used today +unknown: .*hedge journal/);
  });

  it.each([60, 80, 120])('are in the list of profiles at %i columns', async (width) => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    await cli.run('profile limit desk --max-notional 50k --read-only');
    const { out } = await cli.run('profile list', { terminal: { isTTY: { stdout: true }, width } });
    expect(out).toContain('LIMITS');
    expect(out).toContain('read-only,');
    expect(out).not.toMatch(/Hidden columns:.*LIMITS/);
  });

  it('come with the profile, and are seen beside it', async () => {
    const cli = testCli();
    const words = add('desk', '--key-stdin', '--no-check', '--max-notional', '50k', '--read-only');
    const added = await cli.run(words, { stdin: SANDBOX_KEY });
    expect(added.out).toContain('Limits: read-only, 50,000.00 USD per trade.');
    const wide = { terminal: { isTTY: { stdout: true }, width: 160 } };
    expect((await cli.run('profile list', wide)).out).toContain('read-only, 50,000.00 USD per trade');
    expect((await cli.run('profile show desk')).out).toMatch(/Limits +read-only, 50,000.00 USD per trade/);
  });

  it('asks before a live profile allows more, and never before it allows less', async () => {
    const cli = await scriptedClient('real', LIVE_KEY);
    expect((await cli.run('profile limit real --max-notional 50k')).code).toBe(0);
    expect((await cli.run('profile limit real --max-notional 40k')).code).toBe(0);
    const refused = await cli.run('profile limit real --max-notional 60k');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--yes');
    expect(refused.err).toMatch(/40,000\.00\s+USD\s+per\s+trade/);
    expect(await limitsOf(cli, 'real')).toMatchObject({ data: { limits: { max_notional_usd: '40000' } } });
    expect((await cli.run('profile limit real --max-notional none --yes')).code).toBe(0);
    expect(await limitsOf(cli, 'real')).toMatchObject({ data: { limits: {} } });
  });

  it.each([
    ['no limit at all', 'profile limit desk', 2],
    ['a notional of nothing', 'profile limit desk --max-notional 0', 2],
    ['more than cents', 'profile limit desk --max-notional 0.001', 2],
    ['a market that is none', 'profile limit desk --markets USDTNGN,', 2],
    ['a profile that is not there', 'profile limit nobody --read-only', 4],
    ['a name of no profile in another case', 'profile limit Practice --read-only', 2],
  ])('refuses %s', async (_what, words, code) => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const ran = await cli.run(`${words} --json`);
    expect(ran.code).toBe(code);
    expect(await limitsOf(cli)).toMatchObject({ data: { limits: {} } });
  });

  it('is in a file that was edited by hand, or the file is refused by name', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const path = join(cli.home, 'config', 'profiles.json');
    const kept = JSON.parse(readFileSync(path, 'utf8'));
    const put = (limits: object) => {
      const desks = { desk: { ...kept.profiles.desk, ...limits } };
      writeFileSync(path, JSON.stringify({ ...kept, profiles: desks }));
    };
    put({ max_notional_usd: '50000.1' });
    expect(await limitsOf(cli)).toMatchObject({ data: { limits: { max_notional_usd: '50000.1' } } });
    for (const limits of [{ max_notional_usd: 50_000 }, { read_only: 'yes' }, { markets: [] }]) {
      put(limits);
      const ran = await cli.run('profile show desk');
      expect(ran.code).toBe(78);
      expect(ran.err).toContain(`profiles.desk.${Object.keys(limits)[0] ?? ''}`);
    }
  });
});

describe('a key that was put into the file by hand', () => {
  const withKey = async (key: string) => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    const path = join(cli.home, 'config', 'profiles.json');
    const kept = JSON.parse(readFileSync(path, 'utf8'));
    const desks = { desk: { ...kept.profiles.desk, api_key: key } };
    writeFileSync(path, JSON.stringify({ ...kept, profiles: desks }));
    return cli;
  };

  it('is shown as it is used where a line end follows it', async () => {
    const cli = await withKey(`${SANDBOX_KEY}\n`);
    expect((await cli.run('profile show desk --json')).document()).toMatchObject({
      data: { environment: 'sandbox', key: expect.stringContaining('_test_') },
    });
  });

  it('is shown as it is used where a line end follows it in the environment', async () => {
    const cli = testCli({ env: { HEDGE_API_KEY: `${SANDBOX_KEY}\n`, HEDGE_BASE_URL: ADDRESS } });
    expect((await cli.run('profile show --json')).document()).toMatchObject({
      data: { environment: 'sandbox', key: expect.stringContaining('_test_') },
    });
  });

  it('is named in the list where it is none, and can be replaced or removed', async () => {
    const cli = await withKey('to be filled in');
    const list = await cli.run('profile list');
    expect([list.code, list.out]).toEqual([0, expect.stringContaining('not usable')]);
    expect(list.out).not.toContain('to be filled in');
    const limited = await cli.run('profile limit desk --max-notional 50k');
    expect(limited.code).toBe(0);
    const replaced = await cli.run('profile set desk --key-stdin --no-check', { stdin: `${SANDBOX_KEY}\n` });
    expect([replaced.code, replaced.out]).toEqual([0, expect.stringContaining('sandbox')]);
    expect((await (await withKey('none')).run('profile remove desk --yes')).code).toBe(0);
  });
});

describe('profile remove', () => {
  it('forgets the key, and says that there is no default any more', async () => {
    const cli = await scriptedClient('desk', SANDBOX_KEY);
    await cli.run('profile use desk');
    expect((await cli.run('profile remove desk')).code).toBe(2);
    const ran = await cli.run('profile remove desk --yes');
    expect(ran.out).toContain('There is no default now');
    expect(readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8')).not.toContain(SANDBOX_KEY);
  });
});

describe('bare hedge', () => {
  it('says where I am and what next, without a network', async () => {
    const lost = await testCli().run('');
    expect(lost.code).toBe(0);
    expect(lost.out).toContain('No profile selected');
    expect(lost.out).toContain('hedge --profile practice');
    expect(lost.out).toContain('export HEDGE_PROFILE=practice');
    expect(lost.out).toContain('hedge profile use NAME');
    const cli = await scriptedClient('real', LIVE_KEY);
    await cli.run('profile use real --yes');
    expect((await cli.run('')).out).toMatch(/Profile real · LIVE real money/);
  });
});
