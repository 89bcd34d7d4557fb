import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ApiKey } from '../../src/domain/api-key.ts';
import { CredentialError } from '../../src/errors.ts';

const LIVE = 'hk_live_3f7a0c55d1e2b8849f2c';

describe('a key', () => {
  it.each([
    ['hk_live_3f7a0c55d1e2b8849f2c', 'live'],
    ['hk_test_3f7a0c55d1e2b8849f2c', 'sandbox'],
    ['HK2_live_~!@', 'live'],
    ['hk_test_live_abcdefghijklmn', 'sandbox'],
    ['practice_test_0000', 'sandbox'],
  ])('%s is for %s', (text, environment) => {
    expect(ApiKey.of(text).environment).toBe(environment);
    expect(ApiKey.of(text).reveal()).toBe(text);
  });

  it.each([
    '',
    'hk',
    'hk_prod_abcdef',
    'hk_live_',
    '_live_abcdef',
    'hk_LIVE_abcdef',
    'a_b_live_abcdef',
    ' hk_live_abcdef',
    'hk_live_abc def',
    'hk_live_abcdef\n',
    'hk_live_abcdéf',
    'Bearer hk_live_abcdef',
  ])('%j is not one, and is not repeated in the error', (text) => {
    const attempt = (): ApiKey => ApiKey.of(text);
    expect(attempt).toThrow(CredentialError);
    const error: unknown = (() => {
      try {
        return attempt();
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: 'credential_unusable', effect: 'none' });
    expect(inspect(error).includes('abcd')).toBe(false);
  });

  it('shows its mask and nothing more, however it is printed', () => {
    const key = ApiKey.of(LIVE);
    expect(key.masked).toBe('hk_live_…9f2c');
    const shown = [
      String(key),
      JSON.stringify({ key }),
      inspect(key, { showHidden: true, depth: 9 }),
      inspect({ nested: [key] }, { depth: 9 }),
      Object.entries(key).join(),
    ];
    for (const text of shown) expect(text).not.toContain('3f7a0c55');
    expect(shown[0]).toBe('hk_live_…9f2c');
    expect(shown[1]).toBe('{"key":"hk_live_…9f2c"}');
    expect(shown[2]).toBe('ApiKey(hk_live_…9f2c)');
  });

  it('shows no tail when the secret is too short to spare one', () => {
    expect(ApiKey.of('hk_live_abcd1234567').masked).toBe('hk_live_…');
  });

  it('is distinguished from another by its fingerprint', () => {
    // printf 'hk_live_3f7a0c55d1e2b8849f2c' | sha256sum | cut -c1-8
    expect(ApiKey.of(LIVE).fingerprint).toBe('0d1ac1e7');
    expect(ApiKey.of('hk_live_other000000000').fingerprint).not.toBe(ApiKey.of(LIVE).fingerprint);
  });
});
