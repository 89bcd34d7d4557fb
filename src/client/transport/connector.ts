/**
 * Opens TLS connections, directly or through a proxy's CONNECT tunnel, and always verifies the host.
 * Its failures are of phase `never_sent` and never contain the proxy's password.
 */
import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import type { Proxy } from './proxy.ts';
import { connectionFailure, RequestFailure } from './request-failure.ts';
import {
  type CaCertificates,
  isDistant,
  isUsable,
  type KeptSession,
  secureContextFor,
  sessionKeyOf,
  sessionToKeep,
  type Target,
  type TlsSessions,
  verifiedUntil,
} from './tls.ts';
import { withDeadline } from './transport.ts';

const CONNECT_MS = 10_000;

/** Opens the stream under a TLS connection where that is not a TCP connection to the target. */
export type Tunnel = (target: Target, signal: AbortSignal) => Promise<Duplex>;

export interface Connector {
  /** `outer` aborts it. @throws RequestFailure of phase `never_sent`. */
  connect(target: Target, outer?: AbortSignal): Promise<TLSSocket>;
  /** The last handshake with it took several round trips of a distant host. */
  isDistant(target: Target): boolean;
  /** Aborts every connection still being made, and stores the last TLS session of each host. */
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
  // One listener per connection being made; Node would warn from the eleventh.
  setMaxListeners(0, stopping.signal);
  const latest = new Map<string, KeptSession>();

  const remember = (socket: TLSSocket, place: string, until?: number): void => {
    let counts = until;
    let handshakeMs = 0;
    const startedAt = clock.monotonic();
    socket.once('secureConnect', () => (handshakeMs = clock.monotonic() - startedAt));
    socket.on('session', (session) => {
      counts ??= verifiedUntil(socket, clock.now());
      const kept = sessionToKeep(session, socket, {
        verifiedUntil: counts,
        handshakeMs,
        now: clock.now(),
      });
      if (kept !== undefined) latest.set(place, kept);
    });
  };

  /** A connection that resumes the stored session; undefined without one, or when the host does not resume it. */
  async function resumed(target: Target, place: string, signal: AbortSignal): Promise<TLSSocket | undefined> {
    const kept = sessions?.find(place);
    if (kept === undefined || !isUsable(kept, clock.now())) return undefined;
    let reached = false;
    try {
      const socket = await shakeHands(target, signal, {
        // No CA: a host that does not resume the session fails here, before anything is sent. It also saves reading
        // the root certificates, which takes Node 20 a tenth of a second.
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
    const secureContext = secureContextFor(trust);
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
        const place = sessions === undefined ? '' : sessionKeyOf(target, trust);
        return (await resumed(target, place, limit.signal)) ?? (await verified(target, place, limit.signal));
      } catch (error) {
        throw limit.signal.aborted && !(error instanceof RequestFailure)
          ? tooSlow(error)
          : connectionFailure(error);
      } finally {
        limit.release();
      }
    },
    isDistant: (target) => isDistant(sessions?.find(sessionKeyOf(target, trust))),
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
  /** The TCP connection is open. */
  onReached?: () => void;
  /** Gets the socket before any data arrives. */
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
      socket.destroy(new Error('aborted', { cause: signal.reason }));
    };
    const settle = (): void => {
      signal.removeEventListener('abort', giveUp);
      socket.removeListener('error', fail);
      socket.removeListener('close', closed);
    };
    const fail = (error: Error): void => {
      settle();
      // A socket being destroyed may emit a second error, which nobody awaits.
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
    reason: 'connection timed out',
    cause,
  });

const AUTHENTICATION_REQUIRED = 407;
const FORBIDDEN = 403;
const CHECK_PROXY = 'Check HTTPS_PROXY, or add the host to NO_PROXY to connect directly.';

/** `pool`: connections to the proxy. */
export function tunnelThrough(proxy: Proxy, pool: Pool): Tunnel {
  return async (target, signal) => {
    const authority = authorityOf(target);
    let response: Dispatcher.ConnectData;
    try {
      response = await pool.connect({
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
    if (response.statusCode === 200) return response.socket;
    response.socket.on('error', () => undefined).destroy();
    throw tunnelRejected(proxy, response.statusCode);
  };
}

function authorityOf({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function notReached(proxy: Proxy, error: unknown): RequestFailure {
  const { parts } = connectionFailure(error);
  return new RequestFailure({
    ...parts,
    reason: `proxy failed: ${parts.reason}`,
    internals: [parts.internals, `proxy ${proxy.name}`].filter((each) => each !== undefined).join(', '),
    hint: parts.hint ?? CHECK_PROXY,
  });
}

function tunnelRejected(proxy: Proxy, status: number): RequestFailure {
  const final = status === AUTHENTICATION_REQUIRED || status === FORBIDDEN;
  return new RequestFailure({
    phase: 'never_sent',
    kind: final ? 'proxy' : 'unreachable',
    reason:
      status === AUTHENTICATION_REQUIRED
        ? 'the proxy requires a user and password (407)'
        : `the proxy did not connect (${status})`,
    internals: `proxy ${proxy.name}`,
    hint: CHECK_PROXY,
  });
}
