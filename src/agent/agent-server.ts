/**
 * Leases connections to commands of this user over a socket: after one line each way, bytes pass unread. It holds no key
 * and keeps nothing of what passes, and as each connection is used by one command, it cannot send anything again.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type AgentState,
  LEASE,
  LEASED,
  NONE_READY,
  STATUS,
  STOP,
  STOPPED,
} from '../client/transport/agent-socket.ts';
import type { Clock } from '../platform/clock.ts';
import type { WarmConnections } from './warm-connections.ts';

const MOST_CLIENTS = 256;
const LONGEST_LINE = 100;
const LINE_MS = 1_000;
/** Longer than a command waits for any answer. */
const SILENT_MS = 60_000;

export interface AgentServer {
  server: Server;
  /** Connections in use, and how many there have been. */
  counts(): { leased: number; leases: number };
  /** Takes no new client. Commands that have a connection keep it. */
  close(): void;
}

export function agentServer({
  route,
  connections,
  state,
  onLease,
  onStop,
  clock,
  silentMs = SILENT_MS,
  lineMs = LINE_MS,
}: {
  route: string;
  connections: Pick<WarmConnections, 'take'>;
  state: () => AgentState;
  onLease: () => void;
  onStop: () => void;
  clock: Pick<Clock, 'after'>;
  /** A lease without a byte for so long is over. */
  silentMs?: number;
  /** A client that has not said by then why it connects is cut off. */
  lineMs?: number;
}): AgentServer {
  let leased = 0;
  let leases = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    const cancel = clock.after(lineMs, () => client.destroy());
    client.on('close', cancel);
    let line = '';
    const read = (): void => {
      const chunk: unknown = client.read();
      if (!(chunk instanceof Uint8Array)) return;
      line += Buffer.from(chunk).toString('latin1');
      if (!line.includes('\n')) {
        if (line.length > LONGEST_LINE) client.destroy();
        return;
      }
      cancel();
      client.off('readable', read);
      answer(client, line);
    };
    client.on('readable', read);
  });
  server.maxConnections = MOST_CLIENTS;

  /** A client waits for the answer to its line: more than a line is none. */
  const answer = (client: Socket, line: string): void => {
    if (line === `${STATUS}\n`) client.end(`${JSON.stringify(state())}\n`);
    else if (line === `${STOP}\n`) {
      client.end(STOPPED);
      onStop();
    } else if (line === `${LEASE} ${route}\n`) lease(client);
    else client.destroy();
  };
  const lease = (client: Socket): void => {
    const connection = connections.take();
    if (connection === undefined) {
      client.end(NONE_READY);
      return;
    }
    onLease();
    leases += 1;
    leased += 1;
    client.write(LEASED);
    join(client, connection);
    connection.once('close', () => (leased -= 1));
    endWhenSilent(connection, { clock, silentMs });
  };
  return { server, counts: () => ({ leased, leases }), close: () => void server.close() };
}

/** The end of one is the end of the other, once the bytes on their way have arrived. */
function join(client: Socket, connection: TLSSocket): void {
  connection.on('error', () => undefined);
  connection.on('close', () => client.destroySoon());
  client.on('close', () => connection.destroySoon());
  client.pipe(connection);
  connection.pipe(client);
}

function endWhenSilent(
  connection: TLSSocket,
  { clock, silentMs }: { clock: Pick<Clock, 'after'>; silentMs: number },
): void {
  let cancel: (() => void) | undefined;
  const look = (before: number): void => {
    const bytes = connection.bytesRead + connection.bytesWritten;
    if (bytes === before) connection.destroy();
    else cancel = clock.after(silentMs, () => look(bytes));
  };
  connection.on('close', () => cancel?.());
  look(-1);
}
