import { describe, expect, it } from 'vitest';
import { unspecifiedIn } from '../../src/client/unspecified-fields.ts';
import { type Check, type CheckName, diagnosticReport } from '../../src/diagnostics/checks.ts';
import {
  type DiagnosticSources,
  runDiagnostics,
  type ServiceAddress,
} from '../../src/diagnostics/examine.ts';
import {
  checkCompletion,
  checkFiles,
  checkHalt,
  checkJournal,
  checkNode,
  checkRolls,
} from '../../src/diagnostics/machine-checks.ts';
import { checkClock, checkReading, checkResponses, checkTls } from '../../src/diagnostics/service-checks.ts';
import { hintText } from '../../src/domain/hint.ts';
import { StoppedError } from '../../src/errors.ts';
import { unfinishedChains } from '../../src/journal/roll-chains.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { examineDatabase } from '../../src/journal/store/examine-database.ts';
import { openJournal } from '../../src/journal/store/journal.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { ACCEPTED, anIntent, aRoll, idOf, NOON, SENDING, stateFrom, step } from '../journal/records.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { rewindJournal, writeJournal } from '../support/written-journal.ts';

const INSTALLED = { version: '0.1.0', commit: null, node: '20.20.2', openssl: '3.0', platform: 'linux-x64' };

describe('the doctor on Node', () => {
  it.each([
    ['20.19.0', 'pass'],
    ['20.18.3', 'fail'],
    ['18.20.0', 'fail'],
    ['22.1.0', 'pass'],
    ['23.0.0', 'warn'],
    ['26.10.0', 'pass'],
  ])('judges %s: %s', (node, verdict) => {
    const check = checkNode({ ...INSTALLED, node });
    expect(check).toMatchObject({ verdict, message: expect.stringContaining(`Node ${node}`) });
    expect(check.todo === undefined).toBe(verdict === 'pass');
  });
});

describe('the doctor on our files', () => {
  const folder = (mode: string, ours = true) =>
    ({ path: '/h/state', is: 'folder', mode, ours, bytes: 1 }) as const;
  const file = (mode: string, ours = true) =>
    ({ path: "/h/a b's", is: 'file', mode, ours, bytes: 1 }) as const;

  it.each([
    ['a folder of this user alone', 'folder', folder('0700'), 'pass', undefined],
    ['one that others can read', 'folder', folder('0755'), 'warn', 'chmod 700 /h/state'],
    ['one that others can write', 'folder', folder('0770'), 'fail', 'chmod 700 /h/state'],
    ['a file of this user alone', 'file', file('0600'), 'pass', undefined],
    ['one that others can read', 'file', file('0640'), 'fail', `chmod 600 '/h/a b'"'"'s'`],
    ["another user's", 'file', file('0600', false), 'fail', `Check its owner: ls -ld '/h/a b'"'"'s'`],
    ['a file in the place of a folder', 'folder', file('0600'), 'fail', `Move it away: '/h/a b'"'"'s'`],
    ['one without modes', 'file', { ...file('0600'), mode: undefined }, 'pass', undefined],
    ['none yet', 'file', { path: '/h/x', is: 'absent' }, 'pass', undefined],
    [
      'one that cannot be seen',
      'file',
      { path: '/h/x', is: 'hidden', why: 'no' },
      'fail',
      'Check: ls -ld /h/x',
    ],
  ] as const)('%s', (_what, kind, seen, verdict, todo) => {
    const check = checkFiles([{ name: 'it', kind, seen }]);
    expect([check.verdict, hintText(check.todo)]).toEqual([verdict, todo ?? '']);
  });

  it('names each that is wrong, and is as bad as the worst', () => {
    const check = checkFiles([
      { name: 'state folder', kind: 'folder', seen: folder('0755') },
      { name: 'journal', kind: 'file', seen: file('0666') },
    ]);
    expect(check.verdict).toBe('fail');
    expect(check.todo).toHaveLength(2);
  });

  it('warns of a folder above ours that a group can write into', () => {
    const parent = {
      path: '/srv',
      risk: 'group',
      how: 'can be written by its group',
      fix: ['chmod', 'g-w', '/srv'],
    } as const;
    expect(
      checkFiles([{ name: 'state folder', kind: 'folder', seen: folder('0700') }], [parent]),
    ).toMatchObject({
      verdict: 'warn',
      message: expect.stringContaining('/srv can be written by its group'),
      todo: hinting('chmod g-w /srv'),
    });
  });
});

describe('the doctor on the journal', () => {
  const read = async (...records: Parameters<ReturnType<typeof openJournal>['append']>[0][]) => {
    const home = temporaryFolder();
    const places = pathsOf({
      env: { HEDGE_HOME: home },
      host: { platform: 'linux', uid: process.geteuid?.() },
      home,
    });
    const ports = { places, machine: testMachine() };
    const journal = openJournal(ports);
    for (const each of records) await journal.append(each);
    const check = (selected: string | undefined, parts: Partial<JournalState> = {}) =>
      checkJournal(
        { ...journal.read(), ...parts },
        { database: { value: examineDatabase(ports) }, chain: undefined, selected },
      );
    return { home, check };
  };

  it('that is unchanged, with nothing open', async () => {
    const { check } = await read();
    expect(check('desk')).toMatchObject({
      verdict: 'pass',
      message: '0 actions; nothing unresolved.',
      facts: { records: 0, pending: 0, witness: 'none', quick_check: [], trouble: null, chain: null },
    });
  });

  it('with an action whose outcome is unknown', async () => {
    const { check } = await read([
      anIntent(),
      step(SENDING),
      step({ kind: 'unknown', why: 'connection reset' }),
    ]);
    expect(check('desk')).toMatchObject({
      verdict: 'warn',
      message: expect.stringContaining('7c1e'),
      todo: [hinting('To check: hedge check 7c1e')],
    });
    expect(hintText(check('other').todo)).toBe('To check: hedge --profile desk check 7c1e');
    expect(hintText(check(undefined).todo)).toBe('To check: hedge --profile desk check 7c1e');
  });

  it('with one in flight, which is no trouble', async () => {
    const { check } = await read([anIntent(), step(SENDING), step(ACCEPTED)]);
    expect(check('desk')).toMatchObject({
      verdict: 'pass',
      message: expect.stringMatching(
        /^1 action; journal\.sqlite has [\d,]+ bytes; 1 in flight: 7c1e\. Database pages are sound\. Not checked: its chain \(hedge audit verify, or --deep\)\.$/,
      ),
      facts: { unresolved: [], in_flight: [idOf('7c1e')], records: 3, pending: 0, witness: 'agrees' },
    });
  });

  it('that is damaged, or an older copy', async () => {
    const { home, check } = await read([anIntent(), step(SENDING), step(ACCEPTED)]);
    const path = '/desk/journal.sqlite';
    const trouble = { kind: 'damaged', path, what: `${path} is damaged.` } as const;
    expect(check('desk', { trouble })).toMatchObject({
      verdict: 'fail',
      message: trouble.what,
      todo: hinting('hedge journal repair'),
      facts: { trouble },
    });
    rewindJournal(home);
    expect(check('desk')).toMatchObject({
      verdict: 'fail',
      message: expect.stringMatching(/lacks record 3, which was written on this machine/),
      todo: hinting('hedge journal accept-loss --note TEXT'),
      facts: { witness: 'ahead' },
    });
  });

  it('whose pages SQLite finds broken', async () => {
    const { home, check } = await read([anIntent(), step(SENDING), step(ACCEPTED)]);
    const path = writeJournal(home, []);
    const broken = { quickCheck: ['row 1 missing from index records_at'], records: 3, bytes: 4_096 };
    const database = { value: { ...broken, pending: 0, witness: 'agrees' } } as const;
    expect(check('desk').verdict).toBe('pass');
    const state = stateFrom([], { path });
    expect(checkJournal(state, { database, chain: undefined, selected: 'desk' })).toMatchObject({
      verdict: 'fail',
      message: `${path} is damaged: row 1 missing from index records_at.`,
    });
  });
});

describe('the doctor on rolls', () => {
  const check = (...rolls: readonly Parameters<typeof aRoll>[0][]) =>
    checkRolls(unfinishedChains(stateFrom(rolls.map(aRoll)), { nowMs: NOON }), undefined);
  const PLANNED = { when: 'maturity', deal_id: 'PAY-2.r2' } as const;
  const DUE = { ...PLANNED, maturity_at: '2026-11-20T09:00:00.000Z' } as const;

  it('has none to name', () => {
    expect(check()).toEqual({
      check: 'rolls',
      verdict: 'pass',
      message: 'No unfinished rolls.',
      facts: { unfinished_rolls: [] },
    });
  });

  it('names one that waits for its maturity, which is no trouble', () => {
    expect(check(PLANNED)).toMatchObject({
      verdict: 'pass',
      message: '1 unfinished roll: 3f9a1c2b (planned).',
      todo: hinting('To see what comes next: hedge status'),
      facts: { unfinished_rolls: [{ chain_id: '3f9a1c2b', state: 'planned', profile: 'desk' }] },
    });
  });

  it('warns when the second leg of one is due, and gives the next command of each', () => {
    expect(check(PLANNED, { ...DUE, chain_id: 'aaaaaaaa' })).toMatchObject({
      verdict: 'warn',
      message: '2 unfinished rolls: 3f9a1c2b (planned), aaaaaaaa (leg 1 matured, leg 2 due).',
      facts: {
        unfinished_rolls: [
          { next: 'hedge --profile desk roll run --due --yes --expect-env live' },
          { state: 'due', next: 'hedge --profile desk roll run aaaaaaaa' },
        ],
      },
    });
  });

  it('names the five oldest of many, and counts the rest', () => {
    const many = Array.from({ length: 7 }, (_, index) => ({
      ...PLANNED,
      chain_id: `aaaaaaa${index.toString()}`,
    }));
    const { message } = check(...many);
    expect(message).toMatch(/^7 unfinished rolls: .*aaaaaaa4 \(planned\), and 2 more\.$/);
  });
});

describe('the doctor on time', () => {
  const LIVE = { environment: 'live', local: false } as const;
  const served = (offMs: number, tookMs = 100) => ({
    sentAt: NOON,
    receivedAt: NOON + tookMs,
    servedAt: NOON + offMs,
  });

  it.each([
    [0, 'pass'],
    [-900, 'pass'],
    [5_000, 'pass'],
    [5_200, 'warn'],
    [-7_000, 'warn'],
    [60_000, 'warn'],
    [60_200, 'fail'],
    [-62_000, 'fail'],
    [86_400_000, 'fail'],
  ])('judges a service whose time is %d ms off: %s', (off, verdict) => {
    expect(checkClock(served(off), LIVE).verdict).toBe(verdict);
    expect(checkClock(served(off), { environment: 'practice', local: true }).verdict).toBe('pass');
  });

  it('blames no clock for a response that took long', () => {
    expect(checkClock(served(9_000, 10_000), LIVE).verdict).toBe('pass');
    expect(checkReading(served(0, 10_000))).toMatchObject({ verdict: 'warn', facts: { ms: 10_000 } });
    expect(checkReading(served(0))).toMatchObject({ verdict: 'pass' });
  });

  it('fails nobody for a service on this machine, which may be practice and have its own time', () => {
    const found = checkClock(served(3 * 86_400_000), { environment: 'sandbox', local: true });
    expect(found.verdict).toBe('warn');
    expect(found.message).toContain('72 hours ahead of');
    expect(hintText(found.todo)).toContain('hedge practice serve');
  });

  it('says which way it is off, and that a service may keep its time to itself', () => {
    expect(checkClock(served(7_200_000), LIVE).message).toContain('2 hours ahead of');
    expect(checkClock(served(-30_000), LIVE).message).toContain('29 seconds behind');
    expect(checkClock({ ...served(0), servedAt: undefined }, LIVE).verdict).toBe('warn');
  });

  it.each([
    [400, 'pass'],
    [20, 'warn'],
    [0, 'warn'],
  ])('judges a certificate that is good for %d days: %s', (days, verdict) => {
    const own = { subject: 'api.test', issuer: 'Root', validTo: NOON + days * 86_400_000 };
    const root = { subject: 'Root', issuer: 'Root', validTo: NOON + 4_000 * 86_400_000 };
    const check = checkTls({ protocol: 'TLSv1.3', chain: [own, root] }, 'api.test', NOON);
    expect(check).toMatchObject({ verdict, facts: { chain: [{ days }, { days: 4_000 }] } });
  });
});

describe('the doctor on answers', () => {
  const none = { read: ['GET /markets'], strange: [], unnamed: [], codes: [], unreadable: [] };

  it.each([
    ['as specified', none, 'pass'],
    ['with names where none are shown', { ...none, unnamed: ['account.tier'] }, 'pass'],
    ['with a field too many', { ...none, strange: ['hedge.leverage'] }, 'warn'],
    ['with a code of its own', { ...none, codes: ['teapot'] }, 'warn'],
    ['that cannot be read', { ...none, unreadable: ['GET /markets: no.'] }, 'fail'],
  ] as const)('%s', (_what, answers, verdict) => {
    const check = checkResponses(answers);
    expect(check.verdict).toBe(verdict);
    for (const name of [...answers.strange, ...answers.codes, ...answers.unnamed])
      expect(check.message).toContain(name);
  });

  it('finds what is in no specification, at any depth, each once', () => {
    const capacity = { buy: 1, sell: 1, both: 2 };
    const market = { market: 'X', status: 'paused', available_capacity_usd: capacity, tier: 'b' };
    expect(unspecifiedIn('market', [market, market, null, 'x'])).toEqual([
      'market.available_capacity_usd.both',
      'market.tier',
      'market.status = paused',
    ]);
    expect(unspecifiedIn('hedge', [{ id: 'hdg_1', status: 'filled', struck_rate: null }])).toEqual([]);
    expect(unspecifiedIn('hedge', [{ __proto__: null, constructor: 1 }])).toEqual(['hedge.constructor']);
  });
});

describe('the doctor on completion', () => {
  const at = (shell: string | undefined, files: Readonly<Record<string, string>> = {}) =>
    checkCompletion({ shell, home: '/home/ada', env: {} }, (path) => files[path]);

  it.each([
    ['/bin/bash', '/home/ada/.local/share/bash-completion/completions/hedge', ''],
    ['/usr/bin/zsh', '/home/ada/.zfunc/_hedge', ''],
    ['/usr/bin/fish', '/home/ada/.config/fish/completions/hedge.fish', ''],
    ['/bin/bash', '/home/ada/.bashrc', 'eval "$(hedge completion bash)"'],
  ])('passes %s that loads it from %s', (shell, path, content) => {
    expect(at(shell, { [path]: content })).toMatchObject({ verdict: 'pass', facts: { found: path } });
  });

  it('says where there is none, and nothing of shells that have none', () => {
    expect(at('/bin/bash', { '/home/ada/.bashrc': 'alias h=hedge' })).toMatchObject({ verdict: 'warn' });
    expect(at('/bin/dash')).toMatchObject({ verdict: 'pass' });
    expect(at(undefined)).toMatchObject({ verdict: 'pass', message: 'No shell found (SHELL is not set).' });
  });
});

describe('an examination', () => {
  const PASS: Check = { check: 'completion', verdict: 'pass', message: 'fine' };
  const refused = async (): Promise<never> => {
    throw new StoppedError({ code: 'declined', what: 'Not now.', hint: 'Later.' });
  };
  /** A machine on which nothing can be reached. */
  const anExamined = (parts: Partial<DiagnosticSources> = {}): DiagnosticSources => ({
    clock: {
      now: () => NOON,
      monotonic: () => 0,
      sleep: () => Promise.resolve(),
      after: (ms, then) => systemClock.after(ms / 1_000, then),
    },
    installed: INSTALLED,
    files: () => [],
    parents: () => [],
    journal() {
      throw new StoppedError({ code: 'damaged_file', what: 'Unreadable.', hint: 'Mend it.' });
    },
    audit: refused,
    tryJournal: () => Promise.resolve(),
    database: async () => ({ quickCheck: [], records: 0, bytes: 0, pending: 0, witness: 'none' }),
    desk: async () => undefined,
    completion: () => PASS,
    selection: refused,
    operator: async () => ({ name: 'Ada O.', user: 'ada', host: 'desk' }),
    profiles: () => undefined,
    address: refused,
    account: refused,
    checkAccount: async () => [],
    ...parts,
  });
  const verdicts = (checks: readonly Check[]): Partial<Record<CheckName, string>> =>
    Object.fromEntries(checks.map(({ check, verdict }) => [check, verdict]));

  it('shows the rest whatever fails, and what to do', async () => {
    const { verdict, checks } = await runDiagnostics(anExamined());
    expect(verdict).toBe('fail');
    expect(verdicts(checks)).toEqual({
      node: 'pass',
      files: 'pass',
      profile: 'fail',
      operator: 'pass',
      journal: 'fail',
      rolls: 'warn',
      halt: 'warn',
      completion: 'pass',
      proxy: 'warn',
      agent: 'warn',
      dns: 'warn',
      tls: 'warn',
      reading: 'warn',
      clock: 'warn',
      answers: 'warn',
    });
    expect(checks.find(({ check }) => check === 'profile')).toMatchObject({
      message: 'Not now.',
      todo: ['Later.'],
    });
  });

  it('does not wait for a service that never responds', async () => {
    const never = new Promise<never>(() => undefined);
    const address: ServiceAddress = {
      baseUrl: 'https://api.test/v2',
      warning: undefined,
      host: 'api.test',
      proxy: () => undefined,
      agent: async () => ({ use: 'none' }) as const,
      lookUp: () => never,
      shakeHands: () => never,
    };
    const { checks } = await runDiagnostics(anExamined({ address: async () => address }));
    for (const name of ['dns', 'tls'])
      expect(checks.find(({ check }) => check === name)).toMatchObject({
        verdict: 'fail',
        message: expect.stringMatching(/No response within \d+ s/),
      });
  });

  it('calls an internal error by its name', async () => {
    const fault = new Error('oops');
    const { checks } = await runDiagnostics(
      anExamined({
        files() {
          throw fault;
        },
      }),
    );
    expect(checks.find(({ check }) => check === 'files')?.message).toContain('Internal error: oops');
  });

  it('is as bad as its worst', () => {
    expect(diagnosticReport([PASS]).verdict).toBe('pass');
    expect(
      diagnosticReport([
        PASS,
        checkHalt({
          halt: { ids: ['1'], who: 'a', at: 'b', why: 'c', earlier: [] },
          trouble: undefined,
          desk: undefined,
        }),
      ]).verdict,
    ).toBe('warn');
  });
});
