import { describe, expect, it } from 'vitest';
import type { ProfileSettings, StoredProfile } from '../../src/config/profiles.ts';
import {
  checkExpectation,
  readEnvironmentVariables,
  readExpectation,
  resolveProfile,
} from '../../src/config/resolve.ts';
import { CredentialError, StoppedError, UsageError } from '../../src/errors.ts';

const profile: StoredProfile = {
  base_url: 'https://partner.example/v2',
  api_key: 'hk_test_forTestsAlone0001',
  added_at: '2026-11-20T09:00:00Z',
};
const profiles = (defaultName?: string): ProfileSettings => ({
  defaultName,
  builtIn: { 'practice-live': { max_notional_usd: '50000' } },
  profiles: new Map([
    ['desk', profile],
    ['other', profile],
  ]),
});

const KEY = { HEDGE_API_KEY: 'hk_test_forTestsAlone0001' };
const URL = { HEDGE_BASE_URL: 'https://partner.example/v2' };
const NAMED = { HEDGE_PROFILE: 'other' };

async function chosen(option: string | undefined, env: Record<string, string>, defaultName?: string) {
  const { name, source, keySource } = await resolveProfile({
    option,
    environment: readEnvironmentVariables({ ...env }),
    profiles: () => Promise.resolve(profiles(defaultName)),
  });
  return { name, source, keySource };
}

describe('which profile is used', () => {
  it.each([
    [
      '--profile wins over everything',
      'desk',
      { ...KEY, ...URL, ...NAMED },
      'other',
      { name: 'desk', source: 'option' },
    ],
    [
      '--profile practice too',
      'practice',
      KEY,
      'other',
      { name: 'practice', source: 'option', keySource: 'practice' },
    ],
    [
      'then the pair',
      undefined,
      { ...KEY, ...URL },
      'desk',
      { name: 'env', source: 'environment_pair', keySource: 'environment' },
    ],
    [
      'or HEDGE_PROFILE',
      undefined,
      NAMED,
      'desk',
      { name: 'other', source: 'hedge_profile', keySource: 'file' },
    ],
    ['then the stored default', undefined, {}, 'desk', { name: 'desk', source: 'stored_default' }],
    [
      'an empty variable counts as absent',
      undefined,
      { HEDGE_API_KEY: '', HEDGE_PROFILE: '' },
      'desk',
      { source: 'stored_default' },
    ],
  ])('%s', async (_what, option, env, defaultName, expected) => {
    expect(await chosen(option, env, defaultName)).toMatchObject(expected);
  });

  it.each([
    ['a key alone', KEY, 'credential_conflict'],
    ['an address alone', URL, 'credential_conflict'],
    ['the pair and HEDGE_PROFILE', { ...KEY, ...URL, ...NAMED }, 'credential_conflict'],
    ['a key alone and HEDGE_PROFILE', { ...KEY, ...NAMED }, 'credential_conflict'],
    ['nothing at all', {}, 'no_profile'],
    ['a name that no profile has', { HEDGE_PROFILE: 'nobody' }, 'unknown_profile'],
    ['a name of the language', { HEDGE_PROFILE: '__proto__' }, 'unknown_profile'],
  ])('is refused with %s, and practice is never fallen back to', async (_what, env, code) => {
    await expect(chosen(undefined, env)).rejects.toThrow(expect.objectContaining({ code, effect: 'none' }));
    await expect(chosen(undefined, env)).rejects.toThrow(CredentialError);
  });

  it('selects practice-live with what is set for it', async () => {
    const selected = await resolveProfile({
      option: 'practice-live',
      environment: readEnvironmentVariables({}),
      profiles: () => Promise.resolve(profiles()),
    });
    expect(selected).toMatchObject({ kind: 'practice', profile: { max_notional_usd: '50000' } });
  });

  it('does not read the stored profiles when the pair decides', async () => {
    const environment = readEnvironmentVariables({ ...KEY, ...URL });
    const never = (): Promise<ProfileSettings> => Promise.reject(new Error('the file was read'));
    expect((await resolveProfile({ option: undefined, environment, profiles: never })).name).toBe('env');
  });
});

describe('the environment', () => {
  it('loses the key as it is read, and the key does not show where it is printed', () => {
    const env: Record<string, string | undefined> = { ...KEY, ...URL };
    const taken = readEnvironmentVariables(env);
    expect(env).toEqual(URL);
    expect(JSON.stringify(taken)).not.toContain(KEY.HEDGE_API_KEY);
    expect(taken.apiKey?.()).toBe(KEY.HEDGE_API_KEY);
  });

  it.each([
    ['nothing of the kind', {}, [], true],
    ['other options of Node', { NODE_OPTIONS: '--max-old-space-size=100' }, ['--use-bundled-ca'], true],
    ['an empty variable', { SSL_CERT_FILE: '' }, [], true],
    ['HEDGE_TLS_SESSIONS=off', { HEDGE_TLS_SESSIONS: 'off' }, [], false],
    ['SSL_CERT_FILE', { SSL_CERT_FILE: '/etc/ca.pem' }, [], false],
    ['SSL_CERT_DIR', { SSL_CERT_DIR: '/etc/ca' }, [], false],
    ['NODE_USE_SYSTEM_CA', { NODE_USE_SYSTEM_CA: '1' }, [], false],
    ['NODE_OPTIONS', { NODE_OPTIONS: '--trace-warnings "--use-system-ca"' }, [], false],
    ['an option of Node', {}, ['--use-openssl-ca'], false],
    ['an option of Node with underscores', {}, ['--use_system_ca'], false],
    ['a file of options', { NODE_OPTIONS: '--experimental-config-file=node.json' }, [], false],
  ])('keeps TLS sessions, or none where %s may change whom Node trusts', (_, env, nodeOptions, keeps) => {
    expect(readEnvironmentVariables({ ...env }, nodeOptions).keepsTlsSessions).toBe(keeps);
  });
});

describe('a promise about the environment', () => {
  it('is kept, broken, or no promise', () => {
    expect(readExpectation({ option: undefined, variable: undefined })).toBeUndefined();
    expect(readExpectation({ option: 'live', variable: 'live' })).toBe('live');
    expect(() => checkExpectation('live', 'live')).not.toThrow();
    expect(() => checkExpectation('live', undefined)).not.toThrow();
    expect(() => checkExpectation('live', 'sandbox')).toThrow(StoppedError);
  });

  it('is refused when it is no environment, or two', () => {
    expect(() => readExpectation({ option: 'prod', variable: undefined })).toThrow(UsageError);
    expect(() => readExpectation({ option: 'LIVE', variable: undefined })).toThrow(UsageError);
    expect(() => readExpectation({ option: 'live', variable: 'sandbox' })).toThrow(
      /HEDGE_EXPECT_ENV is sandbox/,
    );
  });
});
