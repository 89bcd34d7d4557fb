/** Listens on loopback and stops cleanly: no new requests, no waits, those under way get their answers. */
import type { AddressInfo, Socket } from 'node:net';
import type { RequestLogEntry } from '../door.ts';
import { PracticeInputError } from '../failures.ts';
import type { Identity } from '../store/identity.ts';
import { openapiText } from './openapi.ts';
import { makeServer } from './server.ts';
import type { Service } from './service.ts';

export interface Listening {
  url: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  identity: Identity;
  host: string | undefined;
  port: number | undefined;
  onRequest: ((entry: RequestLogEntry) => void) | undefined;
}

/** A partner's path that ends in the version (specification §9). */
const BASE_PATH = '/practice/v2';
/**
 * Connections that may wait to be taken. With Node's 511, of a thousand that came at once some waited for minutes, taken
 * for open on their side alone, and were reset. The system may have a lower limit of its own.
 */
const BACKLOG = 4_096;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

export async function listen(of: Omit<Service, 'closing'>, options: ListenOptions): Promise<Listening> {
  const { host = '127.0.0.1', port = 0 } = options;
  if (!LOOPBACK.includes(host)) {
    throw new PracticeInputError(
      'host',
      `The practice service listens on this machine only: ${LOOPBACK.join(', ')}.`,
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new PracticeInputError('port', 'A port is a number from 0 to 65535; 0 takes any free one.');
  }
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  let url = '';
  let openapi: string | undefined;
  const made = makeServer(
    { ...of, closing: closing.signal },
    {
      identity: options.identity,
      basePath: BASE_PATH,
      openapi: () => (openapi ??= openapiText(url)),
      onRequest: options.onRequest,
    },
  );
  const { server } = made;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  url = `https://${nameOf(host)}:${portOf(server.address())}${BASE_PATH}`;
  return {
    url,
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await made.quiet();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function nameOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The practice service has no port.');
  return address.port;
}
