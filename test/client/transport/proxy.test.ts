import { describe, expect, it } from 'vitest';
import { isLoopback, proxyFor } from '../../../src/client/transport/proxy.ts';
import { CredentialError } from '../../../src/errors.ts';

const PROXY = 'http://proxy.bank.test:3128';
const DESK = { host: 'api.partner.test', port: 443 };

describe('HTTPS_PROXY', () => {
  it.each([
    ['http://proxy.bank.test:3128', 'http://proxy.bank.test:3128', 'proxy.bank.test:3128'],
    ['https://proxy.bank.test', 'https://proxy.bank.test', 'proxy.bank.test:443'],
    ['http://proxy.bank.test/', 'http://proxy.bank.test', 'proxy.bank.test:80'],
    ['proxy.bank.test:3128', 'http://proxy.bank.test:3128', 'proxy.bank.test:3128'],
  ])('%s is a proxy', (https, origin, name) => {
    expect(proxyFor(DESK, { https })).toEqual({ origin, name, authorization: undefined });
  });

  it.each([
    // printf 'user:p@ss' | base64
    ['us%65r:p%40ss', 'dXNlcjpwQHNz'],
    // A password that is not percent-encoded is taken as it stands: printf 'user:p%zz' | base64
    ['user:p%zz', 'dXNlcjpwJXp6'],
  ])('may hold a user and a password (%s), which no name repeats', (credentials, encoded) => {
    expect(proxyFor(DESK, { https: `http://${credentials}@proxy.bank.test:3128` })).toEqual({
      origin: PROXY,
      name: 'proxy.bank.test:3128',
      authorization: `Basic ${encoded}`,
    });
  });

  it.each([undefined, ''])('%j is none', (https) => {
    expect(proxyFor(DESK, { https })).toBeUndefined();
  });

  it.each([
    'socks5://proxy.bank.test:1080',
    'http://',
    'ftp://x',
    'http://pro xy',
    'http://h:99999',
    'hk_test_forTestsAlone0001',
  ])('%s is refused before anything is sent, and not repeated', (https) => {
    expect(() => proxyFor(DESK, { https })).toThrow(CredentialError);
    expect(() => proxyFor(DESK, { https })).not.toThrow(https);
  });
});

describe('NO_PROXY', () => {
  it.each<[string, { host: string; port: number }, boolean]>([
    ['', DESK, true],
    ['*', DESK, false],
    ['api.partner.test', DESK, false],
    ['API.Partner.Test', DESK, false],
    ['partner.test', DESK, false],
    ['.partner.test', DESK, false],
    ['*.partner.test', DESK, false],
    ['artner.test', DESK, true],
    ['other.test, partner.test', DESK, false],
    ['other.test partner.test', DESK, false],
    ['partner.test:443', DESK, false],
    ['partner.test:8443', DESK, true],
    ['10.0.0.0/8', { host: '10.1.2.3', port: 443 }, false],
    ['10.0.0.0/8', { host: '11.1.2.3', port: 443 }, true],
    ['10.0.0.0/8', DESK, true],
    ['10.0.0.0/99', { host: '10.1.2.3', port: 443 }, true],
    ['10.1.2.3', { host: '10.1.2.3', port: 443 }, false],
    ['2.3', { host: '10.1.2.3', port: 443 }, true],
    ['fd00::/8', { host: 'fd00::1', port: 443 }, false],
    ['fd00::1', { host: 'fd00::1', port: 443 }, false],
    ['[fd00::1]:443', { host: 'fd00::1', port: 443 }, false],
    ['[fd00::1]:1', { host: 'fd00::1', port: 443 }, true],
  ])('of "%s" decides whether %o is asked by the proxy: %s', (no, target, proxied) => {
    expect(proxyFor(target, { https: PROXY, no }) !== undefined).toBe(proxied);
  });
});

describe('this machine', () => {
  it.each(['localhost', 'LOCALHOST', 'practice.localhost', '127.0.0.1', '127.9.9.9', '::1'])(
    '%s is it, and is never proxied',
    (host) => {
      expect(isLoopback(host)).toBe(true);
      expect(proxyFor({ host, port: 8443 }, { https: PROXY, no: '' })).toBeUndefined();
    },
  );

  it.each(['localhost.evil.test', '127.evil.test', '10.0.0.1', 'notlocalhost'])('%s is not', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
