/** One agent from its socket to its end: it ends by itself when nobody needs it, and leaves no socket behind. */
import { chmodSync, lstatSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentSocket, AgentState } from '../client/transport/agent-socket.ts';
import { makeConnector } from '../client/transport/connector.ts';
import type { CaCertificates, Target } from '../client/transport/tls.ts';
import { unless } from '../errors.ts';
import { aborted, type Clock } from '../platform/clock.ts';
import type { Host, ProcessIdentity } from '../platform/host.ts';
import { agentServer } from './agent-server.ts';
import { warmConnections } from './warm-connections.ts';

/** The settings that the process is started with. */
export interface AgentOrder {
  socket: AgentSocket;
  origin: string;
  target: Target;
  trust: CaCertificates;
  version: string;
  /** Milliseconds until it ends. */
  forMs: number;
  /** It ends with this process. */
  session: ProcessIdentity | undefined;
}

export interface AgentSettings extends AgentOrder {
  /** The program's file; it ends when that changes. */
  program: string;
}

export interface AgentRun {
  /** Resolves once it listens with an open connection. @throws RequestFailure of the first connection. */
  begun: Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<void>;
  stop: () => void;
}

/** Without a lease. */
export const UNUSED_MS = 3_600_000;
const LOOK_MS = 10_000;
/** For commands that still use a connection. */
const LAST_LEASES_MS = 30_000;

export function runAgent(
  settings: AgentSettings,
  { clock, host, onEnd }: { clock: Clock; host: Host; onEnd?: (why: string) => void },
): AgentRun {
  const { socket, origin, target, trust, version, session, program } = settings;
  const connector = makeConnector({ clock, trust, tunnel: undefined, sessions: undefined });
  const connections = warmConnections(() => connector.connect(target), clock);
  const startedAt = clock.now();
  const beganAt = clock.monotonic();
  let usedAt = beganAt;
  let cancelLook: (() => void) | undefined;
  let own: Stats | undefined;
  let ending = false;
  const over = new AbortController();
  const ended = aborted(over.signal);
  const end = (): void => over.abort();
  const programAtStart = fileOf(program);

  const state = (): AgentState => ({
    pid: host.self.pid,
    origin,
    version,
    startedAt,
    endsAt: startedAt + settings.forMs,
    ready: connections.ready(),
    ...server.counts(),
  });
  const server = agentServer({
    route: socket.route,
    connections,
    state,
    onLease: () => (usedAt = clock.monotonic()),
    onStop: () => stop('stopped'),
    clock,
  });

  /** Why it ends; undefined while it goes on. */
  const reasonToEnd = (): string | undefined => {
    const now = clock.monotonic();
    if (now - beganAt >= settings.forMs) return 'its time is over';
    if (now - usedAt >= UNUSED_MS) return 'unused';
    if (session !== undefined && host.judge(session) === 'gone') return 'logged out';
    if (!isSame(fileOf(program), programAtStart)) return 'another version was installed';
    return isSame(fileOf(socket.path), own) ? undefined : 'its socket is gone';
  };
  const look = (): void => {
    const why = reasonToEnd();
    if (why === undefined) cancelLook = clock.after(LOOK_MS, look);
    else stop(why);
  };
  const stop = (why: string): void => {
    if (ending) return;
    ending = true;
    onEnd?.(why);
    cancelLook?.();
    if (isSame(fileOf(socket.path), own)) rmSync(socket.path, { force: true });
    connections.close();
    connector.close();
    const cancel = clock.after(LAST_LEASES_MS, end);
    server.server.close(() => {
      cancel();
      end();
    });
  };

  const begin = async (): Promise<void> => {
    await connections.begin();
    // Renamed when it listens: no other agent's socket is removed before there is a new one. No longer than that name,
    // for which there is room: the system listens under a part of one that is too long.
    const temporary = join(dirname(socket.path), `${host.self.pid.toString()}.new`);
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.server.listen(temporary, resolve);
    });
    chmodSync(temporary, 0o600);
    renameSync(temporary, socket.path);
    own = fileOf(socket.path);
    look();
  };
  const begun = begin();
  begun.catch(() => {
    connections.close();
    connector.close();
    end();
  });
  return { begun, ended, stop: () => stop('stopped') };
}

const fileOf = (path: string): Stats | undefined =>
  unless(Error, () => (path.endsWith('.sock') ? lstatSync(path) : statSync(path)));

const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && other !== undefined && one.ino === other.ino && one.mtimeMs === other.mtimeMs;
