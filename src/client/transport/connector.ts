/**
 * Makes the TLS connections, directly or through a tunnel. Verification is always on, whatever the environment
 * says. What fails here failed before any byte of a request left, and is a Failure that says so.
 */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from './failure.ts';
import { limitBy } from './limit.ts';
import { connectFailure } from './read-failure.ts';

/** A connection that is not made in this time is given up. */
const CONNECT_MS = 10_000;

export interface Target {
  host: string;
  port: number;
}

/** Opens the bytes under a TLS connection, when they are not simply a TCP connection to the target. */
export type Tunnel = (target: Target, signal: AbortSignal) => Promise<Duplex>;

export interface Connector {
  /** @throws Failure of phase `never_sent`. */
  connect(target: Target): Promise<TLSSocket>;
  /** Gives up every connection that is still being made. */
  stop(): void;
}

export function makeConnector(parts: {
  clock: Clock;
  /** PEM certificates that are trusted, and no other; absent: Node's own list. */
  ca: readonly string[] | undefined;
  tunnel: Tunnel | undefined;
}): Connector {
  const { clock, ca, tunnel } = parts;
  const stopping = new AbortController();
  let context: SecureContext | undefined;
  const trust = (): SecureContext => {
    context ??= createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca: [...ca] }) });
    return context;
  };

  return {
    async connect(target) {
      const limit = limitBy(clock, CONNECT_MS, stopping.signal);
      try {
        const secureContext = trust();
        const under = await tunnel?.(target, limit.signal);
        return await shakeHands(target, secureContext, under, limit.signal);
      } catch (error) {
        throw limit.signal.aborted && !(error instanceof Failure) ? tooSlow(error) : connectFailure(error);
      } finally {
        limit.release();
      }
    },
    stop: () => stopping.abort(),
  };
}

function shakeHands(
  { host, port }: Target,
  secureContext: SecureContext,
  under: Duplex | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // Beats NODE_TLS_REJECT_UNAUTHORIZED=0.
      rejectUnauthorized: true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(under === undefined ? {} : { socket: under }),
    });
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
    socket.once('secureConnect', () => {
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    });
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

const tooSlow = (cause: unknown): Failure =>
  new Failure({ phase: 'never_sent', kind: 'unreachable', says: 'no answer to the connection', cause });
