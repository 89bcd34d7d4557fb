/**
 * Makes the TLS connections, directly or through a tunnel. Verification is always on, whatever the environment
 * says. What fails here failed before any byte of a request left, and is a Failure that says so.
 *
 * A CONNECT tunnel through an HTTP or HTTPS proxy. Its failures say "proxy", and never the credentials.
 */
import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { type CaCertificates, contextFor } from './ca-certificates.ts';
import { connectionFailure } from './classify-error.ts';
import { withDeadline } from './deadline.ts';
import type { Proxy } from './proxy.ts';
import { RequestFailure } from './request-failure.ts';
import type { Target } from './target.ts';
import {
  isUsable,
  type KeptSession,
  keepable,
  placeOf,
  type TlsSessions,
  verifiedUntil,
} from './tls-session.ts';

/** A connection that is not made in this time is given up. */
const CONNECT_MS = 10_000;

/** Opens the bytes under a TLS connection, when they are not simply a TCP connection to the target. */
export type Tunnel = (target: Target, signal: AbortSignal) => Promise<Duplex>;

export interface Connector {
  /** `outer` gives it up. @throws Failure of phase `never_sent`. */
  connect(target: Target, outer?: AbortSignal): Promise<TLSSocket>;
  /** Gives up every connection that is still being made, and keeps the last session it was given. */
  close(): void;
}

export function makeConnector(parts: {
  clock: Clock;
  trust: CaCertificates;
  tunnel: Tunnel | undefined;
  sessions: TlsSessions | undefined;
}): Connector {
  const { clock, trust, tunnel, sessions } = parts;
  const stopping = new AbortController();
  // Every connection that is being made listens.
  setMaxListeners(0, stopping.signal);
  const latest = new Map<string, KeptSession>();

  const remember = (socket: TLSSocket, place: string, until?: number): void => {
    let counts = until;
    socket.on('session', (session) => {
      counts ??= verifiedUntil(socket, clock.now());
      const kept = keepable(session, socket, { verifiedUntil: counts, now: clock.now() });
      if (kept !== undefined) latest.set(place, kept);
    });
  };

  /** A connection that resumes the kept session; undefined when there is none, or the host would not. */
  async function resumed(target: Target, place: string, signal: AbortSignal): Promise<TLSSocket | undefined> {
    const kept = sessions?.find(place);
    if (kept === undefined || !isUsable(kept, clock.now())) return undefined;
    let reached = false;
    try {
      const socket = await shakeHands(target, signal, {
        // Trusting nobody: whoever does not resume the session is refused before anything is sent, and the
        // list of authorities, a tenth of a second to Node 20, is not even read.
        secureContext: createSecureContext({ minVersion: 'TLSv1.3', ca: [] }),
        session: Buffer.from(kept.session),
        onReached: () => {
          reached = true;
        },
        prepare: (made) => remember(made, place, kept.verifiedUntil),
      });
      if (socket.isSessionReused() && socket.authorized) return socket;
      socket.destroy();
    } catch (error) {
      if (signal.aborted || !reached) throw error;
    }
    sessions?.refuse(place);
    return undefined;
  }

  async function verified(target: Target, place: string, signal: AbortSignal): Promise<TLSSocket> {
    const secureContext = contextFor(trust);
    const under = await tunnel?.(target, signal);
    return shakeHands(target, signal, {
      secureContext,
      under,
      prepare: (made) => {
        if (sessions !== undefined) remember(made, place);
      },
    });
  }

  return {
    async connect(target, ...outer) {
      const limit = withDeadline(
        clock,
        CONNECT_MS,
        stopping.signal,
        ...outer.filter((each) => each !== undefined),
      );
      try {
        const place = sessions === undefined ? '' : placeOf(target, trust);
        return (await resumed(target, place, limit.signal)) ?? (await verified(target, place, limit.signal));
      } catch (error) {
        throw limit.signal.aborted && !(error instanceof RequestFailure)
          ? tooSlow(error)
          : connectionFailure(error);
      } finally {
        limit.release();
      }
    },
    close() {
      stopping.abort();
      for (const [place, kept] of latest) sessions?.keep(place, kept);
    },
  };
}

interface Handshake {
  secureContext: SecureContext;
  under?: Duplex | undefined;
  session?: Buffer;
  /** Somebody listens there. */
  onReached?: () => void;
  /** Sees the socket before anything has come over it. */
  prepare?: (socket: TLSSocket) => void;
}

function shakeHands({ host, port }: Target, signal: AbortSignal, how: Handshake): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      secureContext: how.secureContext,
      ALPNProtocols: ['http/1.1'],
      // Beats NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(how.under === undefined ? {} : { socket: how.under }),
      ...(how.session === undefined ? {} : { session: how.session }),
    });
    how.prepare?.(socket);
    const giveUp = (): void => {
      socket.destroy(new Error('given up', { cause: signal.reason }));
    };
    const settle = (): void => {
      signal.removeEventListener('abort', giveUp);
      socket.removeListener('error', fail);
      socket.removeListener('close', closed);
    };
    const fail = (error: Error): void => {
      settle();
      // A second error of a socket that is being destroyed has nobody left to tell.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const closed = (): void => fail(new Error('closed during the handshake'));
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once('connect', () => how.onReached?.());
    socket.once('secureConnect', () => {
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    });
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

const tooSlow = (cause: unknown): RequestFailure =>
  new RequestFailure({
    phase: 'never_sent',
    kind: 'unreachable',
    reason: 'no answer to the connection',
    cause,
  });

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

function notReached(proxy: Proxy, error: unknown): RequestFailure {
  const { parts } = connectionFailure(error);
  return new RequestFailure({
    ...parts,
    reason: `the proxy ${proxy.name} cannot be used: ${parts.reason}`,
    hint: parts.hint ?? 'Check HTTPS_PROXY, or name the host in NO_PROXY to connect directly.',
  });
}

function refused(proxy: Proxy, status: number): RequestFailure {
  const final = status === AUTHENTICATION_REQUIRED || status === FORBIDDEN;
  return new RequestFailure({
    phase: 'never_sent',
    kind: final ? 'proxy' : 'unreachable',
    reason:
      status === AUTHENTICATION_REQUIRED
        ? `the proxy ${proxy.name} wants a user name and password (407)`
        : `the proxy ${proxy.name} did not connect (${status})`,
    hint: 'Check HTTPS_PROXY, or name the host in NO_PROXY to connect directly.',
  });
}
