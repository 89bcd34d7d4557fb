/**
 * The socket of an agent: where it is, whether it is this user's own, and the lines that are spoken on it. An agent serves
 * one origin, list of CA certificates and build of hedge; all of them are in its route, so that no other one is asked.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { type Fields, fieldsIn } from '../../domain/fields.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Host } from '../../platform/host.ts';
import type { CaCertificates } from './tls.ts';

export interface AgentRoute {
  /** `https://host[:port]` */
  origin: string;
  trust: CaCertificates;
  /** Version and commit of hedge, and the version of Node. */
  build: string;
}

export interface AgentSocket {
  path: string;
  /** 64 hexadecimal digits. */
  route: string;
}

const EXTENSION = '.sock';
export const isSocketName = (name: string): boolean => /^[0-9a-f]{16}\.sock$/.test(name);
const NAME_DIGITS = 16;
/** The shortest limit of the systems, less its zero byte. */
const LONGEST_PATH = 103;

/** Undefined where the path is too long for a socket. */
export function agentSocketOf(folder: string, { origin, trust, build }: AgentRoute): AgentSocket | undefined {
  const known = [origin, build, trust.roots ? 'and the roots' : 'alone', ...trust.ca];
  const route = createHash('sha256').update(JSON.stringify(known)).digest('hex');
  const path = join(folder, `${route.slice(0, NAME_DIGITS)}${EXTENSION}`);
  return Buffer.byteLength(path) > LONGEST_PATH ? undefined : { path, route };
}

const OTHERS = 0o077;

/**
 * Why the socket must not be used; undefined for a socket of this user in a folder that only this user can enter, and
 * `absent` without one. Node does not tell whose process is at the other end: the owner of the socket is who bound it.
 */
export function whyNotOwnSocket(path: string, { uid }: Pick<Host, 'uid'>): string | undefined {
  if (uid === undefined) return 'absent';
  try {
    const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
    const socket = lstatSync(path, { throwIfNoEntry: false });
    if (folder === undefined || socket === undefined) return 'absent';
    if (!folder.isDirectory()) return 'its folder is a link or a file';
    if (folder.uid !== uid || (folder.mode & OTHERS) !== 0) return 'other users can enter its folder';
    if (!socket.isSocket()) return 'it is a link or a file';
    return socket.uid === uid ? undefined : 'it belongs to another user';
  } catch {
    return 'absent';
  }
}

/** First lines of a client, before the route of a lease. */
export const LEASE = 'lease';
export const STATUS = 'status';
export const STOP = 'stop';
/** The agent's answer to a lease; each byte after it is the service's. */
export const LEASED = 'leased\n';
/** No connection is ready. */
export const NONE_READY = 'none\n';
export const STOPPED = 'stopped\n';
/** The line of an agent's process once it listens. */
export const AGENT_BEGUN = 'begun\n';

/** An agent's description of itself. */
export interface AgentState {
  pid: number;
  origin: string;
  version: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endsAt: number;
  /** Open connections that no command uses. */
  ready: number;
  /** Connections that commands use now. */
  leased: number;
  /** Since its start. */
  leases: number;
}

const ANSWER_MS = 2_000;
const LONGEST_ANSWER = 4_096;

/** The answer to `status` or `stop`; undefined when there is none. Never rejects. */
export function askAgent(
  path: string,
  line: typeof STATUS | typeof STOP,
  clock: Pick<Clock, 'after'>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let answer = '';
    const settle = (): void => {
      cancel();
      socket.destroy();
      resolve(answer.endsWith('\n') ? answer : undefined);
    };
    const cancel = clock.after(ANSWER_MS, settle);
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      answer += String(chunk);
      if (answer.length > LONGEST_ANSWER) settle();
    });
    socket.on('error', () => undefined).on('close', settle);
    socket.write(`${line}\n`);
  });
}

/** Undefined for an answer that is none. */
export function agentStateIn(answer: string | undefined): AgentState | undefined {
  const found = fieldsIn(answer);
  return isAgentState(found) ? found : undefined;
}

const FIGURES = ['pid', 'startedAt', 'endsAt', 'ready', 'leased', 'leases'];

const isAgentState = (found: Fields): found is Fields & AgentState =>
  typeof found['origin'] === 'string' &&
  typeof found['version'] === 'string' &&
  FIGURES.every((name) => typeof found[name] === 'number');
