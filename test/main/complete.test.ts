/** What a shell is offered, and what the program remembered for it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeHedge, openNameCache, readNames } from '../../src/cache/names.ts';
import type { NameSource } from '../../src/commands/define.ts';
import { knownNames } from '../../src/main/complete.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import {
  ACCEPTED,
  anIntent,
  BY_ADA,
  FILLED,
  HALT,
  idOf,
  recordsOf,
  SENDING,
  step,
  UNKNOWN,
} from '../journal/records.ts';
import { aClosedHedge, aHedge } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { damageJournal, removeJournal, writeJournal } from '../support/written-journal.ts';

const OWNER = { profile: 'desk', identity: 'sandbox https://a.test key 1', baseUrl: 'https://a.test' };

function aHome() {
  const home = temporaryFolder();
  const machine = testMachine();
  const places = pathsOf({
    env: { HEDGE_HOME: home },
    host: { platform: 'linux', uid: process.geteuid?.() },
    home,
  });
  const { host } = machine;
  return {
    home,
    places,
    machine,
    file: join(places.cache, 'names', 'desk.json'),
    memory: (owner = OWNER) => openNameCache(places, machine, owner),
    kept: () => readNames(places, { profile: 'desk', host }),
    offered: async (
      source: NameSource,
      env: Record<string, string> = { HEDGE_PROFILE: 'desk' },
      profile = '',
    ): Promise<readonly string[]> =>
      (await knownNames([source], { profile, places, host, env })).map(({ name, about }) =>
        about === '' ? name : `${name}\t${about}`,
      ),
    profiles(file: unknown) {
      mkdirSync(places.config, { recursive: true, mode: 0o700 });
      writeFileSync(join(places.config, 'profiles.json'), JSON.stringify(file), { mode: 0o600 });
    },
  };
}

describe('names that were seen', () => {
  it('are kept in a file of this user alone, newest first, none twice', () => {
    const { memory, kept, file } = aHome();
    const first = memory();
    first.learn('hedges', [{ name: 'hdg_1' }, { name: 'hdg_0' }]);
    first.keep();
    const second = memory();
    second.learn('hedges', [
      { name: 'hdg_2', about: 'buy USDTNGN 10000 filled' },
      { name: 'hdg_1', about: 'sell' },
    ]);
    second.learn('deals', [{ name: 'PAY-1' }]);
    second.keep();
    expect(kept()).toEqual({
      markets: [],
      hedges: [
        { name: 'hdg_2', about: 'buy USDTNGN 10000 filled' },
        { name: 'hdg_1', about: 'sell' },
        { name: 'hdg_0', about: '' },
      ],
      deals: [{ name: 'PAY-1', about: '' }],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of markets are those of the last list', () => {
    const { memory, kept } = aHome();
    const first = memory();
    first.learn('markets', [{ name: 'OLDNGN' }]);
    first.keep();
    const second = memory();
    second.learnAll('markets', [{ name: 'USDTNGN' }]);
    second.keep();
    expect(kept()?.markets).toEqual([{ name: 'USDTNGN', about: '' }]);
  });

  it('leave the file alone when there is nothing new', () => {
    const { memory, file } = aHome();
    const again = (): void => {
      const one = memory();
      one.learn('deals', [{ name: 'PAY-1' }]);
      one.keep();
    };
    again();
    chmodSync(file, 0o400);
    again();
    // Writing puts a new file in its place.
    expect(statSync(file).mode & 0o777).toBe(0o400);
  });

  it('of another account under the same profile are dropped', () => {
    const { memory, kept } = aHome();
    const one = memory();
    one.learn('deals', [{ name: 'PAY-1' }]);
    one.keep();
    const other = memory({ ...OWNER, identity: 'live https://a.test key 2' });
    other.learn('deals', [{ name: 'PAY-2' }]);
    other.keep();
    expect(kept()?.deals).toEqual([{ name: 'PAY-2', about: '' }]);
  });

  it('are bounded', () => {
    const { memory, kept } = aHome();
    const many = memory();
    many.learn(
      'hedges',
      Array.from({ length: 500 }, (_none, at) => ({ name: `hdg_${at}` })),
    );
    many.keep();
    expect(kept()?.hedges).toHaveLength(200);
    expect(kept()?.hedges[0]?.name).toBe('hdg_0');
  });

  it.each([
    ['$(reboot)'],
    ['`reboot`'],
    ['a b'],
    ['a;b'],
    ["a'b"],
    ['a"b'],
    ['a\nb'],
    ['a\u001b[2J'],
    ['--yes'],
    ['-r'],
    ['~root'],
    ['a*'],
    ['a\\'],
    [''],
    ['é'],
    ['a'.repeat(81)],
    [7],
    [null],
  ])('a shell could take for more than a word are not kept: %j', (name) => {
    const { memory, kept } = aHome();
    const one = memory();
    one.learn('hedges', [{ name }, { name: 'hdg_1' }]);
    one.keep();
    expect(kept()?.hedges).toEqual([{ name: 'hdg_1', about: '' }]);
  });

  it('say in harmless words what a hedge is', () => {
    const hedge = { side: 'buy', market: 'USDTNGN', notional: '10000.5', status: 'filled' };
    expect(describeHedge(hedge)).toBe('buy USDTNGN 10000.5 filled');
    expect(describeHedge({ ...hedge, market: '$(x)', status: 'a b' })).toBe('buy 10000.5');
  });

  it.each([
    ['is damaged', '{"format":1,'],
    ['is of another version', '{"format":2,"identity":"","base_url":"","markets":[],"hedges":[],"deals":[]}'],
    ['is no object', '7'],
  ])('are as if not there where the file %s', async (_what, content) => {
    const { kept, file, offered } = aHome();
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
    expect(kept()).toBeUndefined();
    expect(await offered('hedges')).toEqual([]);
  });

  it('that somebody else wrote into the file are held to the same', async () => {
    const { offered, file, home } = aHome();
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    const names = [['$(x)', ''], ['hdg_1', '$(x)'], ['hdg_2', 'buy USDTNGN'], 'hdg_3', [7, '']];
    const content = { format: 1, identity: '', base_url: '', markets: 7, hedges: names, deals: [] };
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    expect(await offered('hedges')).toEqual(['hdg_1', 'hdg_2\tbuy USDTNGN']);
    const aside = join(home, 'aside');
    writeFileSync(aside, JSON.stringify(content), { mode: 0o644 });
    symlinkSync(aside, join(file, '..', 'other.json'));
    expect(await offered('hedges', { HEDGE_PROFILE: 'other' })).toEqual([]);
  });

  it('are not missed where the folder cannot be written', () => {
    const { memory, places } = aHome();
    mkdirSync(places.cache, { recursive: true });
    writeFileSync(join(places.cache, 'names'), 'in the way');
    const one = memory();
    one.learn('deals', [{ name: 'PAY-1' }]);
    expect(() => one.keep()).not.toThrow();
  });
});

describe('what a shell is offered', () => {
  it('are the profiles of the file and practice, none that no profile can be called', async () => {
    const { offered, profiles } = aHome();
    profiles({ version: 1, profiles: { desk: { api_key: 'hk_live_secret' }, '$(x)': {}, env: {} } });
    expect(await offered('profiles')).toEqual(['practice', 'practice-live', 'desk']);
  });

  it('goes by the profile that the line names, then by the environment, then by the default', async () => {
    const { memory, offered, profiles } = aHome();
    profiles({ version: 1, default_profile: 'desk', profiles: { desk: {} } });
    const of = (profile: string) => {
      const one = memory({ ...OWNER, profile, baseUrl: 'https://a.test/v2' });
      one.learn('deals', [{ name: `PAY-${profile}` }]);
      one.keep();
    };
    ['desk', 'other', 'practice', 'env'].forEach(of);
    const pair = { HEDGE_API_KEY: 'hk_test_x', HEDGE_BASE_URL: 'https://A.test/v2/' };
    expect(await offered('deals', {})).toEqual(['PAY-desk']);
    expect(await offered('deals', { HEDGE_PROFILE: 'practice' })).toEqual(['PAY-practice']);
    expect(await offered('deals', pair)).toEqual(['PAY-env']);
    expect(await offered('deals', { ...pair, HEDGE_BASE_URL: 'https://b.test/v2' })).toEqual([]);
    expect(await offered('deals', pair, 'other')).toEqual(['PAY-other']);
    expect(await offered('deals', pair, '../../x')).toEqual([]);
  });

  it('of actions that can be settled is what is open, by its own ID and by its deal ID', async () => {
    const { home, offered } = aHome();
    const records = [
      anIntent({ action_id: idOf('0001'), deal_id: 'PAY-1' }),
      step({ ...SENDING }, '0001'),
      step({ ...ACCEPTED }, '0001'),
      step({ ...FILLED }, '0001'),
      anIntent({ action_id: idOf('0002'), deal_id: 'PAY-2' }),
      step({ ...SENDING }, '0002'),
      step({ ...UNKNOWN }, '0002'),
      anIntent({ action_id: idOf('0003'), deal_id: '$(reboot)' }),
      step({ ...SENDING }, '0003'),
      step({ ...ACCEPTED }, '0003'),
      anIntent({ action_id: idOf('0004'), profile: 'other', deal_id: 'PAY-4' }),
    ];
    writeJournal(home, records);
    const names = (of: readonly string[]) => of.map((line) => line.split('\t')[0]);
    expect(names(await offered('unresolved'))).toEqual([idOf('0003'), idOf('0002'), 'PAY-2']);
    expect((await offered('unresolved')).at(-1)).toBe('PAY-2\topen buy 2026-11-20 12:00');
    expect(names(await offered('actions'))).toContain(idOf('0001'));
  });

  it('is each user and each word of a name that sent something lately, under any profile', async () => {
    const { home, offered } = aHome();
    const records = [
      anIntent({ action_id: idOf('0001'), ...BY_ADA }),
      anIntent({ action_id: idOf('0002'), operator: { user: 'desk', host: 'h' }, profile: 'other' }),
      anIntent({ action_id: idOf('0003'), operator: { name: '$(reboot)', user: 'ada', host: 'h' } }),
      anIntent({ action_id: idOf('0004') }),
      HALT,
    ];
    writeJournal(home, records);
    expect(await offered('operators')).toEqual(['ada', 'desk', 'Ada', 'O.']);
  });

  it('is nothing where nothing is kept', async () => {
    const { offered } = aHome();
    for (const source of ['markets', 'hedges', 'deals', 'actions', 'unresolved', 'operators'] as const)
      expect(await offered(source)).toEqual([]);
    expect(await offered('profiles')).toEqual(['practice', 'practice-live']);
  });

  it('makes no journal, and is what can be read of a damaged one', async () => {
    const { home, places, offered } = aHome();
    await offered('actions');
    expect(existsSync(places.state)).toBe(false);
    writeJournal(home, [anIntent({ action_id: idOf('0001') }), ...recordsOf('0002', {}, SENDING, UNKNOWN)]);
    damageJournal(home, (record) => record.includes(idOf('0001')));
    expect((await offered('actions')).map((line) => line.split('\t')[0])).toEqual([idOf('0002')]);
    removeJournal(home);
    writeFileSync(join(places.state, 'journal.sqlite'), 'nonsense', { mode: 0o600 });
    expect(await offered('actions')).toEqual([]);
    expect(await offered('profiles')).toEqual(['practice', 'practice-live']);
  });
});

describe('a command', () => {
  it('remembers the ids that the service names, and of deal IDs the desk its own', async () => {
    const hedges = [
      aHedge({ id: 'hdg_A', client_reference: 'PAY-1' }),
      aHedge({ id: 'hdg_$(reboot)', client_reference: '`reboot`' }),
      aHedge({ id: 'hdg_B', client_reference: 'hedge-0123456789abcdef' }),
    ];
    const service = await scriptedService([
      on('GET /hedges?limit=100', ok(hedges)),
      on('GET /hedges/history', ok([aClosedHedge({ id: 'hdg_C', client_reference: 'PAY-2' })])),
    ]);
    const cli = cliFor(service);
    for (const words of ['hedges', 'history']) expect((await cli.run(words)).code).toBe(0);
    const folder = join(cli.home, 'cache', 'names');
    const kept = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({
      markets: [['USDTNGN', '']],
      hedges: [
        ['hdg_C', ''],
        ['hdg_A', expect.any(String)],
        ['hdg_B', expect.any(String)],
      ],
      deals: [
        ['PAY-2', ''],
        ['PAY-1', ''],
      ],
    });
    expect(kept).not.toContain('reboot');
  });
});
