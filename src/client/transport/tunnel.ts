/** A CONNECT tunnel through an HTTP or HTTPS proxy. Its failures say "proxy", and never the credentials. */
import type { Dispatcher, Pool } from 'undici';
import type { Tunnel } from './connector.ts';
import { Failure } from './failure.ts';
import type { Proxy } from './proxy.ts';
import { connectFailure } from './read-failure.ts';
import type { Target } from './target.ts';

const AUTHENTICATION_REQUIRED = 407;
const FORBIDDEN = 403;

/** `pool` speaks to the proxy itself. */
export function tunnelThrough(proxy: Proxy, pool: Pool): Tunnel {
  return async (target, signal) => {
    const authority = authorityOf(target);
    let answer: Dispatcher.ConnectData;
    try {
      answer = await pool.connect({
        path: authority,
        headers: {
          host: authority,
          ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
        },
        signal,
      });
    } catch (error) {
      throw notReached(proxy, error);
    }
    if (answer.statusCode === 200) return answer.socket;
    answer.socket.on('error', () => undefined).destroy();
    throw refused(proxy, answer.statusCode);
  };
}

function authorityOf({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function notReached(proxy: Proxy, error: unknown): Failure {
  const { parts } = connectFailure(error);
  return new Failure({
    ...parts,
    says: `the proxy ${proxy.name} cannot be used: ${parts.says}`,
    hint: parts.hint ?? 'Check HTTPS_PROXY, or name the host in NO_PROXY to connect directly.',
  });
}

function refused(proxy: Proxy, status: number): Failure {
  const final = status === AUTHENTICATION_REQUIRED || status === FORBIDDEN;
  return new Failure({
    phase: 'never_sent',
    kind: final ? 'proxy' : 'unreachable',
    says:
      status === AUTHENTICATION_REQUIRED
        ? `the proxy ${proxy.name} wants a user name and password (407)`
        : `the proxy ${proxy.name} did not connect (${status})`,
    hint: 'Check HTTPS_PROXY, or name the host in NO_PROXY to connect directly.',
  });
}
