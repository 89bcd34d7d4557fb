import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../src/client/base-url.ts';
import { CredentialError } from '../../src/errors.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.partner.test/desk/v2', 'api.partner.test', 443, '/desk/v2'],
    ['https://api.partner.test/desk/v2/', 'api.partner.test', 443, '/desk/v2'],
    ['https://api.partner.test:443/v2', 'api.partner.test', 443, '/v2'],
    ['HTTPS://API.Partner.test/v2', 'api.partner.test', 443, '/v2'],
    ['https://127.0.0.1:8443/v2', '127.0.0.1', 8443, '/v2'],
    ['https://[::1]:8443/v2', '::1', 8443, '/v2'],
    ['https://localhost.evil.test/v2', 'localhost.evil.test', 443, '/v2'],
  ])('%s is taken apart', (text, host, port, path) => {
    const base = parseBaseUrl(text);
    expect(base).toMatchObject({ host, port, path });
    expect(base.href).toBe(`${base.origin}${path}`);
    expect(base.warning).toBeUndefined();
  });

  it.each(['https://api.partner.test', 'https://api.partner.test/', 'https://api.partner.test/v2/desk'])(
    '%s is used, with a warning that no version ends it',
    (text) => {
      expect(parseBaseUrl(text).warning).toContain('does not end in a version');
    },
  );

  it.each([
    ['plain HTTP', 'http://api.partner.test/v2'],
    ['plain HTTP to this machine', 'http://127.0.0.1:8443/v2'],
    ['a loopback name before an @', 'http://127.0.0.1@evil.test/v2'],
    ['the same over HTTPS', 'https://127.0.0.1@evil.test/v2'],
    ['a user and password', 'https://user:secret-word@api.partner.test/v2'],
    ['an address in hexadecimal', 'https://0x7f000001/v2'],
    ['an address as one number', 'https://2130706433/v2'],
    ['a short address', 'https://127.1/v2'],
    ['backslashes', 'https:\\\\evil.test\\v2'],
    ['one slash', 'https:/api.partner.test/v2'],
    ['no slashes', 'https:api.partner.test/v2'],
    ['no scheme', '//api.partner.test/v2'],
    ['another scheme', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['a query', 'https://api.partner.test/v2?x=1'],
    ['a fragment', 'https://api.partner.test/v2#x'],
    ['an encoded host', 'https://%65vil.test/v2'],
    ['letters that look like others', 'https://аpi.partner.test/v2'],
    ['a tab that URL would drop', 'https://api.part\tner.test/v2'],
    ['blanks around it', ' https://api.partner.test/v2 '],
    ['a way up', 'https://api.partner.test/v1/../v2'],
    ['an encoded way up', 'https://api.partner.test/v1/%2e%2e/v2'],
    ['port nought', 'https://api.partner.test:0/v2'],
    ['a port beyond the last', 'https://api.partner.test:65536/v2'],
    ['no host', 'https:///v2'],
    ['nothing', ''],
  ])('with %s is refused, and a secret in it not repeated', (_, text) => {
    expect(() => parseBaseUrl(text)).toThrow(CredentialError);
    expect(() => parseBaseUrl(text)).not.toThrow(/secret-word/);
  });

  it('says why: plain HTTP, credentials, a query', () => {
    expect(() => parseBaseUrl('http://h/v2')).toThrow(/plain HTTP. HTTPS is required/);
    expect(() => parseBaseUrl('https://u:p@h/v2')).toThrow(/user name or password/);
    expect(() => parseBaseUrl('https://h/v2?a')).toThrow(/query or a fragment/);
  });
});
