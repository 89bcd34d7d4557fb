import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/store/journal.ts';
import { anIntent, DESK, SENDING, step } from '../journal/records.ts';
import { testMachine } from '../support/own-folder.ts';
import { ON_A_TERMINAL, testCli } from '../support/test-cli.ts';
import { damageJournal, rewindJournal, rewriteRecord } from '../support/written-journal.ts';

function writeOwn(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
}

const VENUE_DOWN = { why: 'venue down', at: expect.stringMatching(/^\d{4}-.*Z$/) };

describe('hedge halt', () => {
  it('needs no profile and no network, and says what stops and what goes on', async () => {
    const ran = await testCli().run(['halt', 'venue down']);
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(/^HALTED by \S+@\S+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: venue down/);
    expect(ran.out).toMatch(/Reduce\s+and\s+close\s+still\s+work/);
    expect(ran.out).toContain('hedge unhalt');
  });

  it('is dated in the zone of the profile on a screen, as its record is', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('profile set practice --time-zone Africa/Lagos');
    const dated = /by \S+@\S+, \w{3} \d+ \w{3} \d\d:\d\d:\d\d WAT: venue down/;
    for (const line of ['halt venue down', '', 'unhalt --yes'])
      expect((await cli.run(line === '' ? [] : line, ON_A_TERMINAL)).out).toMatch(dated);
  });

  it('signs with who is at this machine, and names the halt before it', async () => {
    const cli = testCli();
    await cli.run('halt venue down --json');
    expect((await cli.run('halt audit --json')).document()).toMatchObject({
      data: {
        halted: true,
        halt: { why: 'audit', who: expect.stringMatching(new RegExp(`^${userInfo().username}@`)) },
        before: VENUE_DOWN,
      },
      error: null,
      meta: { command: 'halt', profile: null },
    });
  });

  it.each([['halt'], ['halt  ']])('refuses to halt for no reason: %j', async (words) => {
    const cli = testCli();
    const ran = await cli.run(words);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('hedge halt "venue down"')]);
    expect((await cli.run(['halt', ' '])).code).toBe(2);
    expect((await cli.run('unhalt --json')).document()).toMatchObject({ data: { before: null } });
  });

  it.each([
    ...['off', 'OFF', 'clear', 'lift', 'unhalt', 'end', 'remove', 'release', 'resume', 'disable', 'no'].map(
      (word) => [word, /: hedge unhalt$/] as const,
    ),
    ...['on', 'set', 'enable'].map((word) => [word, /hedge halt "venue down"/] as const),
    ...['status', 'show', 'list', 'state', 'get', '?'].map((word) => [word, /: hedge$/] as const),
    ['help', /^See hedge halt --help$/] as const,
  ])('takes no command for a reason: halt %s', async (word, hint) => {
    const cli = testCli();
    const ran = await cli.run(['halt', word, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({
      error: {
        code: 'usage',
        message: expect.stringContaining('Nothing was changed.'),
        hint: expect.stringMatching(hint),
      },
    });
    expect((await cli.run('unhalt')).out).toBe('No halt is set.\n');
    await cli.run('halt audit');
    expect((await cli.run(['halt', word])).code).toBe(2);
    expect((await cli.run('unhalt --yes --json')).document()).toMatchObject({
      data: { before: { why: 'audit' } },
    });
  });

  it.each([['halt off market prices'], ['halt no liquidity'], ['halt now'], ['halt stop']])(
    'halts for any other words: %s',
    async (words) => {
      const cli = testCli();
      expect((await cli.run(words)).code).toBe(0);
    },
  );

  it.each(['--off', '--on', '--clear', '--status'])('has no option %s and halts nothing', async (option) => {
    const cli = testCli();
    const ran = await cli.run(`halt ${option}`);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('hedge halt --help')]);
    expect((await cli.run('unhalt')).out).toBe('No halt is set.\n');
  });

  it('that cannot be kept says so at once', async () => {
    const cli = testCli();
    writeFileSync(join(cli.home, 'state'), '');
    const ran = await cli.run('halt audit --json');
    expect(ran.code).toBe(78);
    expect(ran.document()).toMatchObject({ error: { code: 'damaged_file', effect: 'none' } });
    expect(ran.err).toMatch(/NOT HALTED: opens and adds from this machine continue\./);
  });

  it('is not prevented by a desk whose file is damaged, and names that desk', async () => {
    const cli = testCli();
    const state = join(cli.home, 'state');
    const left = { version: 1, name: 'lagos', state: 'left', url: 'postgres://db/log', identity: DESK };
    writeOwn(join(state, 'desk-abuja', 'desk.json'), '{');
    writeOwn(join(state, 'desk-lagos', 'desk.json'), JSON.stringify({ ...left, keys: [], delivered_to: 0 }));
    const ran = await cli.run('halt audit --json');
    expect(ran.code).toBe(78);
    expect(ran.document()).toMatchObject({
      data: { halted: true, halt: { why: 'audit' } },
      error: { code: 'damaged_file', effect: 'none', details: { desks: ['abuja'] } },
    });
    expect(ran.err.replaceAll(/\s+/g, ' ')).toMatch(
      /desk-abuja\/desk\.json is damaged: .* NOT HALTED: desk abuja\. Opens and adds of its account may continue\. Everything else on this machine is halted\. .* Then halt again: hedge halt REASON/,
    );
    for (const each of [state, join(state, 'desk-lagos')]) {
      const places = { config: cli.home, state: each, cache: cli.home };
      expect(openJournal({ places, machine: testMachine() }).read().halt?.why).toBe('audit');
    }
  });

  it('is not prevented by a HEDGE_OPERATOR that is no name', async () => {
    const cli = testCli();
    const ran = await cli.run('halt audit --json', { env: { HEDGE_OPERATOR: '\u0007' } });
    expect(ran.document()).toMatchObject({
      data: { halted: true, halt: { who: expect.stringMatching(new RegExp(`^${userInfo().username}@`)) } },
    });
  });
});

describe('hedge unhalt', () => {
  it('lifts nothing without a terminal and without --yes', async () => {
    const cli = testCli();
    await cli.run('halt venue down');
    const refused = await cli.run('unhalt --json');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--yes');
    expect(refused.err).toContain('venue down');
    expect((await cli.run('unhalt --yes --json')).document()).toMatchObject({
      data: { halted: false, halt: null, before: VENUE_DOWN },
    });
    expect((await cli.run('unhalt')).out).toBe('No halt is set.\n');
  });

  it('asks in whole sentences who halted and why', async () => {
    const cli = testCli();
    await cli.run(['halt', 'Venue down.']);
    expect((await cli.run('unhalt')).err.replace(/\s+/g, ' ')).toMatch(
      /: This machine is halted by \S+@\S+, [-\d]+ [:\d]+ UTC: "Venue down\."\. Lift it and allow opens and adds\? Use --yes/,
    );
  });

  it('lifts every halt that it read, and asks about the earlier ones too', async () => {
    const cli = testCli();
    await cli.run('halt venue down');
    await cli.run('halt audit');
    expect((await cli.run('unhalt')).err.replaceAll(/\s+/g, ' ')).toMatch(
      /"audit"\. Before that, halted by .*: "venue down"\. Lift these 2 halts and allow opens and adds\?/,
    );
    expect((await cli.run('unhalt --yes --json')).document()).toMatchObject({
      data: { halted: false, halt: null, before: { why: 'audit', earlier: [VENUE_DOWN] } },
    });
    expect((await cli.run('')).out).not.toContain('HALTED');
    expect((await cli.run('journal halts --json')).document()).toMatchObject({
      data: [{ event: 'unhalt', lifted: { why: 'audit' } }, { event: 'halt' }, { event: 'halt' }],
    });
    expect((await cli.run('journal halts')).out.replaceAll(/\s+/g, ' ')).toContain('audit (and 1 before it)');
  });

  it('names every halt that it lifts', async () => {
    const cli = testCli();
    await cli.run('halt venue down');
    await cli.run('halt audit');
    const { out } = await cli.run('unhalt --yes', { terminal: { isTTY: true, env: { NO_COLOR: '1' } } });
    expect(out.match(/Halt lifted: set by .*: (?:audit|venue down)$/gm)).toHaveLength(2);
  });
});

describe('a halt while the journal is damaged', () => {
  it('is in effect at once, and after the repair', async () => {
    const cli = testCli();
    await cli.run('halt venue down');
    damageJournal(cli.home);
    expect((await cli.run('halt audit --json')).document()).toMatchObject({
      data: { halted: true, halt: { why: 'audit' }, before: VENUE_DOWN },
    });
    const { out } = await cli.run('');
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/HALTED by \S+, .*: audit/);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/journal\.sqlite is damaged: .* hedge journal repair/);
  });

  it.each([
    ['lacks records', (home: string) => rewindJournal(home), 'journal_rewound'],
    ['has a changed record', (home: string) => rewriteRecord(home, 1, 'USDTNGN', 'USDTNGM'), 'damaged_file'],
  ])('is lifted where the journal %s, and opens stay blocked: unhalt says so', async (_what, harm, code) => {
    const cli = testCli();
    const places = { config: cli.home, state: join(cli.home, 'state'), cache: cli.home };
    await openJournal({ places, machine: testMachine() }).append([anIntent(), step(SENDING)]);
    await cli.run('halt venue down');
    await cli.run('halt audit');
    harm(cli.home);
    const ran = await cli.run('unhalt --yes --json');
    expect([ran.code, ran.document()]).toMatchObject([
      78,
      { data: { halted: false, before: { why: expect.any(String) } }, error: { code } },
    ]);
    expect(ran.err).toContain('Opens and adds stay blocked.');
    await cli.run('halt audit');
    expect((await cli.run('unhalt --yes')).out).not.toContain('allowed again');
  });
});
