import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProfiles, type StoredProfile } from '../../src/config/profiles.ts';
import { DamagedFileError, UsageError } from '../../src/errors.ts';
import type { Paths } from '../../src/platform/paths.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';

const profile = (changes: Partial<StoredProfile> = {}): StoredProfile => ({
  base_url: 'https://partner.example/v2',
  api_key: 'hk_test_forTestsAlone0001',
  added_at: '2026-11-20T09:00:00Z',
  ...changes,
});

function aStore() {
  const home = temporaryFolder();
  const places: Paths = {
    config: join(home, 'config'),
    state: join(home, 'state'),
    cache: join(home, 'cache'),
  };
  const open = () => openProfiles({ places, machine: testMachine() });
  const store = open();
  /** Puts bytes where the profiles are kept. */
  const put = (content: string): void => {
    mkdirSync(places.config, { mode: 0o700, recursive: true });
    writeFileSync(store.path, content, { mode: 0o600 });
  };
  return { home, places, store, open, put };
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the stored profiles', () => {
  it('are added, chosen and removed, and what was written is read by the next process', async () => {
    const { store, open } = aStore();
    await store.add('desk', profile());
    await store.add('desk-live', profile({ api_key: 'hk_live_forTestsAlone0002' }));
    await store.use('desk');
    expect(
      open()
        .list()
        .map(({ name }) => name),
    ).toEqual(['desk', 'desk-live']);
    expect(open().defaultName()).toBe('desk');
    expect(await open().remove('desk')).toMatchObject({ wasDefault: true });
    expect(open().defaultName()).toBeUndefined();
    expect(readFileSync(store.path, 'utf8')).not.toContain('hk_test_forTestsAlone0001');
  });

  it.each([0o000, 0o022, 0o077])('are 0600 in a folder of 0700 under umask %o', async (umask) => {
    const { store, places } = aStore();
    await withUmask(umask, () => store.add('desk', profile()));
    expect([modeOf(store.path), modeOf(places.config)]).toEqual([0o600, 0o700]);
    expect(readdirSync(places.config)).toEqual(['profiles.json', 'profiles.lock']);
  });

  it('keep fields that a newer hedge added', async () => {
    const { store, put, open } = aStore();
    put(JSON.stringify({ version: 1, colour: 'blue', profiles: { desk: { ...profile(), desk_number: 7 } } }));
    await store.add('other', profile());
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toMatchObject({
      colour: 'blue',
      profiles: { desk: { desk_number: 7 } },
    });
    expect(open().read().profiles.get('desk')).toBeDefined();
  });

  it.each([
    'a.b',
    '../x',
    'x/y',
    '',
    '-x',
    '__proto__',
    'constructor.x',
    'x'.repeat(33),
    'practice',
    'practice-live',
    'Practice-Live',
    'env',
    'Practice',
  ])('take no profile called %j', async (name) => {
    const { store } = aStore();
    await expect(store.add(name, profile())).rejects.toThrow(UsageError);
    expect(store.list()).toEqual([]);
  });

  it('are harmless under names of the language', async () => {
    const { store } = aStore();
    await store.add('constructor', profile());
    const { profiles } = store.read();
    expect(profiles.get('constructor')).toMatchObject({ base_url: 'https://partner.example/v2' });
    expect(profiles.get('toString')).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'base_url')).toBe(false);
  });

  it('never replace a profile, in any case of its name', async () => {
    const { store } = aStore();
    await store.add('desk', profile());
    await expect(store.add('Desk', profile())).rejects.toThrow(/Profile desk already exists/);
    await expect(store.add('desk', profile())).rejects.toThrow(/Profile desk already exists/);
  });
});

describe('what cannot be stored', () => {
  it.each([
    ['no key at all', { api_key: undefined }, /one source of its API key/],
    [
      'two sources of a key',
      { api_key_command: ['op', 'read'] as [string, string] },
      /one source of its API key/,
    ],
    ['a key command without words', { api_key: undefined, api_key_command: [] }, /one source of its API key/],
    ['no address', { base_url: '' }, /base URL/],
    ['a CA file that depends on the folder', { ca_file: 'ca.pem' }, /not an absolute path/],
  ])('%s is refused, and no file is made', async (_what, changes, says) => {
    const { store, places } = aStore();
    // @ts-expect-error some of these are what only a program without types could ask for
    const adding = store.add('desk', profile(changes));
    await expect(adding).rejects.toThrow(UsageError);
    await expect(adding).rejects.toThrow(says);
    expect(existsSync(places.config)).toBe(false);
  });

  it('choosing or removing what is not there says what is', async () => {
    const { store } = aStore();
    await store.add('desk', profile());
    const known = { code: 'unknown_profile', hint: hinting('desk, practice') };
    for (const name of ['nobody', 'toString', '__proto__']) {
      await expect(store.use(name)).rejects.toMatchObject(known);
      await expect(store.remove(name)).rejects.toMatchObject(known);
    }
    await expect(store.remove('practice')).rejects.toThrow(/built in/);
    expect(store.list()).toHaveLength(1);
  });

  it('settings of a built-in profile are apart from the profiles, and other fields of the file stay', async () => {
    const { store } = aStore();
    await store.add('desk', profile());
    await store.changeBuiltIn('practice', () => ({ max_notional_usd: '50000' }));
    await store.changeBuiltIn('practice-live', () => ({ operator: 'Ada O.' }));
    const { builtIn, profiles } = store.read();
    expect(builtIn).toEqual({
      practice: { max_notional_usd: '50000' },
      'practice-live': { operator: 'Ada O.' },
    });
    expect([...profiles.keys()]).toEqual(['desk']);
  });

  it('practice can be the default, but only by choosing it', async () => {
    const { store } = aStore();
    expect(store.defaultName()).toBeUndefined();
    await store.use('practice');
    expect(store.defaultName()).toBe('practice');
  });
});

describe('a profiles file that is not whole or not ours', () => {
  const WHOLE = JSON.stringify({ version: 1, default_profile: 'desk', profiles: { desk: profile() } });
  const cuts = [0, 1, 10, 11, Math.floor(WHOLE.length / 2), WHOLE.length - 1];

  it.each(cuts)('cut at byte %i is named, refused, and left as it was', async (length) => {
    const { store, put } = aStore();
    const content = WHOLE.slice(0, length);
    put(content);
    expect(() => store.list()).toThrow(DamagedFileError);
    await expect(store.add('x', profile())).rejects.toThrow(store.path);
    expect(readFileSync(store.path, 'utf8')).toBe(content);
  });

  it('cut at any byte, or with any bit flipped, is read or refused by name and never changed', () => {
    const { store, put } = aStore();
    const whole = Buffer.from(WHOLE);
    for (let at = 0; at < whole.length; at += 1) {
      put(WHOLE.slice(0, at));
      expect(() => store.list(), `cut at ${at}`).toThrow(DamagedFileError);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(store.path, flipped);
      try {
        store.read();
      } catch (error) {
        expect(error, `flipped at ${at}`).toBeInstanceOf(DamagedFileError);
      }
      expect(readFileSync(store.path)).toEqual(flipped);
    }
  });

  it('that a writer left half-written next to it goes with the next change: it may hold a removed key', async () => {
    const { store, places } = aStore();
    await store.add('desk', profile());
    writeFileSync(join(places.config, 'profiles.json.tmp-17000000000abcdef'), 'hk_live_half', {
      mode: 0o600,
    });
    await store.use('desk');
    expect(readdirSync(places.config)).toEqual(['profiles.json', 'profiles.lock']);
  });

  it.each([
    ['another version', '{"version":2,"profiles":{}}', /another version/],
    ['a list', '[]', /does not contain profiles/],
    [
      'a profile without an address',
      '{"version":1,"profiles":{"desk":{"api_key":"k","added_at":"x"}}}',
      /profiles\.desk/,
    ],
    ['a name that no profile has', `{"version":1,"profiles":{"a/b":${JSON.stringify(profile())}}}`, /a\/b/],
    ['bytes that are no text', '{"version":1,"profiles":{}}\u0000', /JSON/],
  ])('of %s is refused by name', (_what, content, says) => {
    const { store, put } = aStore();
    put(content);
    expect(() => store.list()).toThrow(says);
  });

  it('is refused when others can read it, with the command that closes it', () => {
    const { store, put } = aStore();
    put(WHOLE);
    chmodSync(store.path, 0o644);
    expect(() => store.list()).toThrow(expect.objectContaining({ hint: hinting('chmod 600') }));
  });

  it('is refused when it is a link, a folder or a pipe, and what it points at stays as it was', async () => {
    const { home, store, places } = aStore();
    mkdirSync(places.config, { mode: 0o700, recursive: true });
    const victim = join(home, 'victim');
    writeFileSync(victim, 'precious', { mode: 0o600 });
    symlinkSync(victim, store.path);
    expect(() => store.list()).toThrow(/symbolic link/);
    await expect(store.add('x', profile())).rejects.toThrow(/symbolic link/);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    rmSync(store.path);
    mkdirSync(store.path);
    expect(() => store.list()).toThrow(/not a regular file/);
    rmSync(store.path, { recursive: true });
    execFileSync('mkfifo', ['-m', '600', store.path]);
    expect(() => store.list()).toThrow(/not a regular file/);
  });

  it('is refused in a folder that others can write into', () => {
    const { store, put, places } = aStore();
    put(WHOLE);
    chmodSync(places.config, 0o777);
    expect(() => store.list()).toThrow(/can be written by other users/);
  });
});
