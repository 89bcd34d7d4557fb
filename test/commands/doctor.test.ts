import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anIntent, FILLED, SENDING, step } from '../journal/records.ts';
import { aClosedHedge, aHedge, aMarket, anAccount, aPosition } from '../spec/bodies.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { unusedPort } from '../support/ports.ts';
import { type Exchange, no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { type Ran, type TestCli, testCli } from '../support/test-cli.ts';
import { anAuthority, inDays } from '../support/tls.ts';
import { rewindJournal, rewriteRecord, writeJournal } from '../support/written-journal.ts';

const now = (offMs = 0) => ({ date: new Date(Date.now() + offMs).toUTCString() });
const WHOLE = (markets: unknown = [aMarket()], hedges: unknown = [aHedge()]): readonly Exchange[] => [
  on('GET /account', ok(anAccount(), {}, now())),
  on('GET /markets', ok(markets)),
  on('GET /positions', ok([aPosition()])),
  on('GET /hedges', ok(hedges)),
  on('GET /hedges/history', ok([aClosedHedge()])),
];

/** A desk at a service whose certificate is good for 100 days. */
async function aSoundDesk(script: readonly Exchange[]) {
  const authority = await anAuthority('Sound authority');
  const certificate = await authority.issue({ until: inDays(100.5) });
  const service = await scriptedService(script, { certificate });
  return cliFor({ ...service, ca: authority.ca });
}

interface Line {
  check: string;
  verdict: string;
  says: string;
  todo: string | null;
  facts: unknown;
}
const isDocument = (value: unknown): value is { data: { checks: Line[] } } =>
  typeof value === 'object' && value !== null && 'data' in value;

function lineOf(ran: Ran, check: string): Line | undefined {
  const document = ran.document();
  if (!isDocument(document)) throw new Error('not an examination');
  return document.data.checks.find((each) => each.check === check);
}

describe('doctor and the journal', () => {
  const ACTION = [anIntent(), step(SENDING), step(FILLED)];
  const withJournal = (): TestCli => {
    const cli = testCli();
    writeJournal(cli.home, ACTION);
    return cli;
  };
  const check = async (cli: TestCli, words = 'doctor --json') => lineOf(await cli.run(words), 'journal');

  it('names what was checked, and what was not', async () => {
    const cli = withJournal();
    expect(await check(cli)).toMatchObject({
      verdict: 'pass',
      says: expect.stringMatching(
        /^1 action; journal\.sqlite has [\d,]+ bytes; nothing unresolved\. Database pages are sound\. Not checked: its chain \(hedge audit verify, or --deep\)\.$/,
      ),
      facts: { records: 3, pending: 0, witness: 'agrees', quick_check: [], chain: null },
    });
    expect(await check(cli, 'doctor --deep --json')).toMatchObject({
      verdict: 'pass',
      says: expect.stringMatching(/Chain unchanged in 3 records\.$/),
      facts: { chain: { verdict: 'unchanged', records: 3 } },
    });
  });

  it('fails for a record that was changed with --deep', async () => {
    const cli = withJournal();
    rewriteRecord(cli.home, 1, '"profile":"desk"', '"profile":"dusk"');
    expect(await check(cli, 'doctor --deep --json')).toMatchObject({ verdict: 'fail' });
  });

  it('fails for an older copy and for a lost witness, with what to do', async () => {
    const cli = withJournal();
    rewindJournal(cli.home);
    expect(await check(cli)).toMatchObject({
      verdict: 'fail',
      says: expect.stringContaining('lacks record 3'),
      todo: expect.stringContaining('hedge journal accept-loss --note TEXT'),
      facts: { witness: 'ahead', trouble: { kind: 'rewound' } },
    });
    const other = withJournal();
    rmSync(join(other.home, 'state', 'journal.head'));
    expect(await check(other)).toMatchObject({ verdict: 'fail', facts: { witness: 'missing' } });
  });
});

describe('doctor', () => {
  it('passes a desk that is sound, in words, with no secret and no figure of the account', async () => {
    const cli = await aSoundDesk([...WHOLE(), ...WHOLE()]);
    const person = await cli.run('doctor');
    expect([person.code, person.err]).toEqual([0, '']);
    expect(person.out).toMatch(/PASS {2}tls +TLSv1\.3 with 127\.0\.0\.1.*"Sound\s+authority"/);
    expect(person.out).toMatch(/PASS {2}clock/);
    expect(person.out).not.toMatch(/WARN|FAIL/);
    const program = await cli.run('doctor --json');
    expect(program.document()).toMatchObject({ data: { verdict: 'pass' }, error: null });
    expect(lineOf(program, 'tls')).toMatchObject({
      facts: { chain: [{ days: 100, issuer: 'Sound authority' }] },
    });
    expect(lineOf(program, 'profile')?.says).toMatch(/^env, HEDGE_API_KEY with HEDGE_BASE_URL: sandbox/);
    for (const text of [person.out, program.out]) {
      expect(text).not.toContain(SANDBOX_KEY);
      expect(text).not.toContain('41320');
    }
  });

  it.each([
    ['before the first deal', 'doctor'],
    ['after one', 'open USDTNGN buy 10 --tenor 1 --yes'],
  ])('tries the journal %s, and leaves nothing of that behind', async (_, first) => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run(first);
    const kept = () => [cli.home, join(cli.home, 'state')].map((folder) => readdirSync(folder).toSorted());
    const before = kept();
    expect(lineOf(await cli.run('doctor --json'), 'journal')).toMatchObject({ verdict: 'pass' });
    expect(kept()).toEqual(before);
  });

  it('names what the specification does not have', async () => {
    const cli = await aSoundDesk(
      WHOLE([aMarket({ fee_tier: 'b', status: 'paused' })], [aHedge({ 'lever\u001b[2Jage': 2 })]),
    );
    const ran = await cli.run('doctor --json');
    expect(ran.code).toBe(0);
    expect(lineOf(ran, 'answers')).toMatchObject({ verdict: 'warn' });
    expect(lineOf(ran, 'answers')?.says).toMatch(
      /"market\.fee_tier", "market\.status = paused", "hedge\.lever/,
    );
  });

  it('ends 11 when the service turns the key down, and shows the rest', async () => {
    const cli = await aSoundDesk([on('GET /account', no(401, 'unauthorized'))]);
    const ran = await cli.run('doctor --json');
    expect([ran.code, ran.document()]).toMatchObject([
      11,
      {
        data: { verdict: 'fail' },
        error: { code: 'unhealthy', effect: 'none', details: { failed: ['reading'] } },
      },
    ]);
    expect(lineOf(ran, 'tls')).toMatchObject({ verdict: 'pass' });
    expect(lineOf(ran, 'clock')).toMatchObject({
      verdict: 'warn',
      says: expect.stringContaining('Not checked'),
    });
  });

  it('sees a clock that is off', async () => {
    const [, ...others] = WHOLE();
    const cli = await aSoundDesk([on('GET /account', ok(anAccount(), {}, now(600_000))), ...others]);
    const ran = await cli.run('doctor --json');
    // At an address of this machine: it may be practice, in a time of its own.
    expect(ran.code).toBe(0);
    expect(lineOf(ran, 'clock')).toMatchObject({
      verdict: 'warn',
      says: expect.stringContaining('10 minutes ahead'),
    });
  });

  it('says who vouches for a host that is not believed, and for how long one is', async () => {
    const stranger = await anAuthority('Stranger');
    const service = await scriptedService([], { certificate: await stranger.issue() });
    const foreign = await cliFor(service).run('doctor --json');
    expect(lineOf(foreign, 'tls')).toMatchObject({
      verdict: 'fail',
      says: expect.stringContaining('unknown authority'),
      todo: expect.stringContaining('HEDGE_CA_FILE'),
    });
    const short = await scriptedService(WHOLE());
    expect(lineOf(await cliFor(short).run('doctor --json'), 'tls')).toMatchObject({ verdict: 'warn' });
  });

  it('needs no network for what is on this machine', async () => {
    const cli = cliFor({ url: `https://127.0.0.1:${await unusedPort()}/v2`, ca: (await anAuthority()).ca });
    const state = join(cli.home, 'state');
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'journal.sqlite'), 'nonsense\n', { mode: 0o644 });
    chmodSync(join(state, 'journal.sqlite'), 0o644);
    const ran = await cli.run('doctor --json');
    expect(ran.code).toBe(11);
    expect(lineOf(ran, 'node')).toMatchObject({ verdict: 'pass' });
    expect(lineOf(ran, 'dns')).toMatchObject({ verdict: 'pass' });
    expect(lineOf(ran, 'files')).toMatchObject({
      verdict: 'fail',
      todo: expect.stringContaining('chmod 600'),
    });
    expect(lineOf(ran, 'journal')).toMatchObject({ verdict: 'fail' });
    expect(lineOf(ran, 'tls')).toMatchObject({
      verdict: 'fail',
      says: expect.stringContaining('cannot be reached'),
    });
    expect(lineOf(ran, 'reading')).toMatchObject({ verdict: 'fail' });
  });

  it('names a proxy without its password', async () => {
    const cli = cliFor({ url: 'https://partner.invalid/v2', ca: (await anAuthority()).ca });
    const env = { HTTPS_PROXY: `http://ada:s3cret@127.0.0.1:${await unusedPort()}` };
    const ran = await cli.run('doctor --json', { env });
    expect(ran.out).not.toContain('s3cret');
    expect(lineOf(ran, 'proxy')).toMatchObject({ says: expect.stringContaining('Through 127.0.0.1:') });
    expect(lineOf(ran, 'dns')).toMatchObject({
      verdict: 'pass',
      says: 'The proxy resolves partner.invalid.',
    });
    expect(lineOf(ran, 'tls')).toMatchObject({ verdict: 'fail', says: expect.stringContaining('proxy') });
    const wrong = await cli.run('doctor --json', { env: { HTTPS_PROXY: 'ftp://x' } });
    expect(lineOf(wrong, 'proxy')).toMatchObject({ verdict: 'fail' });
  });

  it('keeps a promise about the environment before it touches the network', async () => {
    const service = await scriptedService([]);
    const ran = await cliFor(service).run('doctor --json --expect-env live');
    expect(lineOf(ran, 'profile')).toMatchObject({ verdict: 'fail', facts: { code: 'env_mismatch' } });
    expect(lineOf(ran, 'tls')).toMatchObject({ verdict: 'warn' });
    expect(ran.code).toBe(11);
  });

  it('says where there is no profile how to get one', async () => {
    const ran = await testCli().run('doctor');
    expect(ran.code).toBe(11);
    expect(ran.out).toMatch(/FAIL {2}profile[\s\S]*hedge profile add NAME/);
  });

  it.each([
    ['practice is used', 'doctor --json --profile practice', {}],
    ['the environment names the account', 'doctor --json', undefined],
  ] as const)(
    'fails profiles that cannot be read where %s, and says how to repair them',
    async (_, words, env) => {
      const cli = env === undefined ? await aSoundDesk(WHOLE()) : testCli();
      const config = join(cli.home, 'config');
      mkdirSync(config, { mode: 0o700 });
      writeFileSync(join(config, 'profiles.json'), '{"version":', { mode: 0o600 });
      const ran = await cli.run(words);
      expect(ran.code).toBe(11);
      expect(lineOf(ran, 'profile')).toMatchObject({
        verdict: 'fail',
        says: expect.stringContaining('profiles.json is not valid JSON'),
        todo: expect.stringMatching(/^Repair it, .*hedge profile add NAME$/),
      });
      // The limits of practice are in that file too, so nothing is read without it.
      expect(lineOf(ran, 'reading')).toMatchObject({ verdict: env === undefined ? 'pass' : 'warn' });
    },
  );

  it('examines the practice desk, whatever its time', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice advance 3d');
    const ran = await cli.run('doctor --json');
    expect([ran.code, lineOf(ran, 'clock')]).toMatchObject([
      0,
      { verdict: 'pass', says: expect.stringContaining('its own clock') },
    ]);
    expect(lineOf(ran, 'answers')).toMatchObject({ verdict: 'pass' });
  });
});
