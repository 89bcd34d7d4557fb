/** An agent in this process, of a service that counts its connections and requests. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { type AgentRun, runAgent } from '../../src/agent/agent-process.ts';
import { type AgentSocket, agentSocketOf } from '../../src/client/transport/agent-socket.ts';
import type { AgentAccess } from '../../src/client/transport/transport.ts';
import { type Host, hostOf, type ProcessIdentity } from '../../src/platform/host.ts';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './own-folder.ts';
import { BASE_PATH, close, listen } from './scripted-service.ts';
import { type SteadyClock, steadyClock } from './steady-clock.ts';
import { type Issued, loopbackTls } from './tls.ts';

export interface CountingService {
  url: string;
  origin: string;
  port: number;
  ca: string;
  /** Remote ports of the connections, in order. */
  connections: number[];
  /** Of each request, the remote port of its connection. */
  requests: number[];
  /** Closes the connections that no request uses. */
  dropIdle(): void;
  /** What the next handshakes show. */
  certificate(issued: Issued): void;
}

/** Answers every request with the account, after `before`. */
export async function countingService(
  before: (request: IncomingMessage) => Promise<unknown> = async () => undefined,
): Promise<CountingService> {
  const { key, cert, ca } = await loopbackTls();
  const connections: number[] = [];
  const requests: number[] = [];
  const open = new Set<TLSSocket>();
  const server = createServer({ key, cert, keepAliveTimeout: 0 }, (request, response) => {
    requests.push(request.socket.remotePort ?? 0);
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await before(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(succeeded(anAccount())));
  }
  server.on('secureConnection', (socket: TLSSocket) => {
    connections.push(socket.remotePort ?? 0);
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await close(server);
  });
  const origin = `https://127.0.0.1:${port.toString()}`;
  return {
    url: `${origin}${BASE_PATH}`,
    origin,
    port,
    ca,
    connections,
    requests,
    dropIdle() {
      for (const socket of open) socket.destroy();
    },
    certificate: (issued) => server.setSecureContext(issued),
  };
}

export interface OwnAgent {
  run: AgentRun;
  access: AgentAccess;
  socket: AgentSocket;
  clock: SteadyClock;
  /** Why it ended. */
  ends: string[];
  /** The file of its program. */
  program: string;
}

export const BUILD = 'this build';
export const HOUR_MS = 3_600_000;

export async function ownAgent(
  { origin, port, ca }: Pick<CountingService, 'origin' | 'port' | 'ca'>,
  {
    host = hostOf(process),
    session,
    home = temporaryFolder(),
    build = BUILD,
  }: { host?: Host; session?: ProcessIdentity; home?: string; build?: string } = {},
): Promise<OwnAgent> {
  const clock = steadyClock();
  const folder = join(home, 'agent');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const program = join(home, 'start.cjs');
  if (!existsSync(program)) writeFileSync(program, '');
  const trust = { ca: [ca], roots: false };
  const socket = agentSocketOf(folder, { origin, trust, build });
  if (socket === undefined) throw new Error('the folder of this test has too long a path');
  const ends: string[] = [];
  const run = runAgent(
    {
      socket,
      origin,
      target: { host: '127.0.0.1', port },
      trust,
      version: '1.2.3',
      forMs: 8 * HOUR_MS,
      session,
      program,
    },
    { clock, host, onEnd: (why) => ends.push(why) },
  );
  onTestFinished(async () => {
    run.stop();
    await run.ended;
  });
  await run.begun;
  return { run, access: { folder, build, host: hostOf(process) }, socket, clock, ends, program };
}

/** Every connection is open that the agent keeps. */
export const warm = ({ connections }: CountingService): Promise<void> =>
  eventually(() => connections.length >= 8);
