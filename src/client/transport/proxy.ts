/** Selects the proxy for a host from HTTPS_PROXY and NO_PROXY. Loopback is never proxied. */

import { BlockList, isIP } from 'node:net';
import { containsKey } from '../../domain/sanitize.ts';
import { CredentialError } from '../../errors.ts';

export interface ProxySettings {
  /** HTTPS_PROXY: `http://host:port`, `https://…`, or a bare `host:port`; a user and password may be in it. */
  https?: string | undefined;
  /** NO_PROXY: names with or without a leading dot, addresses, networks as `10.0.0.0/8`, `:port`, or `*`. */
  no?: string | undefined;
}

export interface Proxy {
  /** `http://proxy.bank.test:3128`, without credentials. */
  origin: string;
  /** `proxy.bank.test:3128`, for messages. */
  name: string;
  /** The value of Proxy-Authorization, a secret. */
  authorization: string | undefined;
}

/** The proxy for `target`, or undefined to connect directly. @throws CredentialError on an unusable HTTPS_PROXY. */
export function proxyFor(target: { host: string; port: number }, settings: ProxySettings): Proxy | undefined {
  if (settings.https === undefined || settings.https === '') return undefined;
  if (isLoopback(target.host) || isExcepted(target, settings.no ?? '')) return undefined;
  return readProxy(settings.https);
}

function readProxy(text: string): Proxy {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  // An API key used as the host by mistake would be sent to DNS servers.
  const isKey = url !== undefined && containsKey(url.hostname);
  if (
    url === undefined ||
    isKey ||
    url.hostname === '' ||
    (url.protocol !== 'http:' && url.protocol !== 'https:')
  ) {
    throw new CredentialError({
      code: 'credential_unusable',
      what: 'HTTPS_PROXY is not an http or https URL.',
      meaning: 'Nothing was changed.',
      hint: 'Set HTTPS_PROXY to http://host:port, or unset it to connect directly.',
    });
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const user = decoded(url.username);
  const password = decoded(url.password);
  return {
    origin: url.origin,
    name: `${url.hostname}:${port}`,
    authorization:
      user === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `localhost`, anything under it, 127.0.0.0/8 and ::1. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

function isExcepted({ host, port }: { host: string; port: number }, noProxy: string): boolean {
  const name = host.toLowerCase();
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, pattern = '', onlyPort] =
        /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      if (pattern === '' || (onlyPort !== undefined && Number(onlyPort) !== port)) return false;
      const bare = pattern.replace(/^\[(.*)\]$/, '$1');
      if (bare.includes('/')) return isWithin(name, bare);
      const suffix = bare.replace(/^\*?\./, '');
      return name === suffix || (isIP(name) === 0 && name.endsWith(`.${suffix}`));
    });
}

function isWithin(address: string, network: string): boolean {
  const family = isIP(address);
  const [start = '', prefix = ''] = network.split('/');
  if (family === 0 || isIP(start) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(start, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
