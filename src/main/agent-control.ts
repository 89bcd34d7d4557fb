/** Starts, asks and stops the agents of this user. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOrder } from '../agent/agent-process.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { ConnectionOptions } from '../client/connect.ts';
import {
  AGENT_BEGUN,
  type AgentSocket,
  type AgentState,
  agentSocketOf,
  agentStateIn,
  askAgent,
  isSocketName,
  STATUS,
  STOP,
  STOPPED,
  whyNotOwnSocket,
} from '../client/transport/agent-socket.ts';
import { proxyFor } from '../client/transport/proxy.ts';
import type { CaCertificates } from '../client/transport/tls.ts';
import type { AgentControl } from '../commands/command-context.ts';
import { type Selection, serviceOf } from '../config/resolve.ts';
import type { AgentUse } from '../diagnostics/service-checks.ts';
import { fieldsIn } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UnavailableError, UsageError } from '../errors.ts';
import { ensureFolder } from '../platform/atomic-file.ts';
import { agentFolderOf } from '../platform/paths.ts';
import { agentBuild } from './connections.ts';
import type { CommandRuntime } from './runtime-context.ts';

type Trusting = Pick<ConnectionOptions, 'ca' | 'roots'>;

interface AgentService {
  baseUrl: string;
  trust: Trusting;
}

/** A TLS handshake over a slow link, and the start of a process. */
const BEGIN_MS = 20_000;

export function agentControl(
  parts: CommandRuntime,
  ports: {
    selection: () => Promise<Selection>;
    selectionIfAny: () => Promise<Selection | undefined>;
    trusting: (caFile: string | undefined) => Trusting;
  },
): AgentControl {
  const { machine, settings } = parts;
  const { clock, host } = machine;
  const folder = (): string => agentFolderOf(parts.places(), host);
  const serviceIn = (selected: Selection): AgentService | undefined => {
    if (selected.kind === 'practice') return undefined;
    const { baseUrl, caFile } = serviceOf(selected);
    return { baseUrl, trust: ports.trusting(caFile) };
  };
  /** The socket of the selected profile; undefined where it cannot have an agent. */
  const ownSocket = async (): Promise<AgentSocket | undefined> => {
    const selected = await ports.selectionIfAny();
    const service = selected && serviceIn(selected);
    return service && routeTo(parts, service).socket;
  };
  const running = async (): Promise<readonly { path: string; state: AgentState }[]> => {
    const asked = ownSocketsIn(folder(), host).map(async (path) => {
      const state = agentStateIn(await askAgent(path, STATUS, clock));
      return state === undefined ? [] : [{ path, state }];
    });
    return (await Promise.all(asked)).flat();
  };

  return {
    async start(forMs) {
      const service = serviceIn(await ports.selection());
      if (service === undefined)
        throw new UsageError(
          'The practice service runs inside each command: no agent is needed.',
          say`Select another profile: ${shell`hedge agent start --profile NAME`}`,
        );
      const { origin, target, trust, socket } = routeTo(parts, service);
      if (!settings.usesAgent)
        throw new UsageError(
          'No agent is used here: HEDGE_AGENT=off is set, or Node uses CA certificates of the system.',
          'Unset the variable.',
        );
      if (proxyFor(target, settings.proxy) !== undefined)
        throw new UsageError(
          'No agent connects through a proxy (HTTPS_PROXY).',
          'Each command connects by itself.',
        );
      if (host.uid === undefined)
        throw new UsageError('An agent needs Linux or macOS.', 'Each command connects by itself.');
      if (socket === undefined)
        throw new UsageError(
          `${quoted(folder())} is too long a path for a socket.`,
          'Set HEDGE_HOME to a folder with a shorter path.',
        );
      ensureFolder(folder(), host);
      const isRunning = whyNotOwnSocket(socket.path, host) === undefined;
      const before = isRunning ? agentStateIn(await askAgent(socket.path, STATUS, clock)) : undefined;
      if (before !== undefined) return { state: before, wasRunning: true };
      const { version } = parts;
      await begin(parts, { socket, origin, target, trust, version, forMs, session: host.session() });
      const state = agentStateIn(await askAgent(socket.path, STATUS, clock));
      if (state === undefined) throw notStarted('it ended at once', undefined);
      return { state, wasRunning: false };
    },
    async status() {
      const own = await ownSocket();
      const found = await running();
      return found.map(({ path, state }) => ({ state, isUsed: path === own?.path && settings.usesAgent }));
    },
    async stop() {
      const found = await running();
      const stopped: AgentState[] = [];
      for (const { path, state } of found)
        if ((await askAgent(path, STOP, clock)) === STOPPED) stopped.push(state);
      // Killed agents leave theirs behind.
      const answering = new Set(found.map(({ path }) => path));
      for (const path of ownSocketsIn(folder(), host))
        if (!answering.has(path)) rmSync(path, { force: true });
      return stopped;
    },
  };
}

/** For `hedge doctor`. */
export async function agentUse(parts: CommandRuntime, service: AgentService): Promise<AgentUse> {
  const { settings, machine } = parts;
  const { target, socket } = routeTo(parts, service);
  if (!settings.usesAgent || proxyFor(target, settings.proxy) !== undefined) return { use: 'off' };
  const why = socket && whyNotOwnSocket(socket.path, machine.host);
  if (socket === undefined || why === 'absent') return { use: 'none' };
  if (why !== undefined) return { use: 'rejected', path: socket.path, why };
  const state = agentStateIn(await askAgent(socket.path, STATUS, machine.clock));
  return state === undefined ? { use: 'none' } : { use: 'running', ...state };
}

/** The route that each command of the same profile makes. */
function routeTo(
  parts: Pick<CommandRuntime, 'places' | 'machine' | 'version' | 'runtime'>,
  { baseUrl, trust: { ca, roots } }: AgentService,
) {
  const { origin, host, port } = parseBaseUrl(baseUrl);
  const trust: CaCertificates = { ca: ca ?? [], roots: ca === undefined || roots === true };
  const folder = agentFolderOf(parts.places(), parts.machine.host);
  return {
    origin,
    target: { host, port },
    trust,
    socket: agentSocketOf(folder, { origin, trust, build: agentBuild(parts) }),
  };
}

function ownSocketsIn(folder: string, host: CommandRuntime['machine']['host']): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isSocketName)
      .map((name) => join(folder, name))
      .filter((path) => whyNotOwnSocket(path, host) === undefined);
  } catch {
    return [];
  }
}

/** In a session of its own, with an empty environment. @throws UnavailableError */
async function begin(parts: CommandRuntime, order: AgentOrder): Promise<void> {
  const [program, ...words] = parts.agentCommand ?? [];
  if (program === undefined) throw notStarted('this program cannot start it', undefined);
  const child = spawn(program, words, {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: '/',
    env: {},
  });
  const answer = await new Promise<string>((resolve) => {
    let said = '';
    const cancel = parts.machine.clock.after(BEGIN_MS, () => {
      child.kill();
      settle();
    });
    const settle = (): void => {
      cancel();
      resolve(said);
    };
    child.on('error', settle).on('exit', settle);
    child.stdin.on('error', () => undefined).end(JSON.stringify(order));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (said.endsWith('\n')) settle();
    });
  });
  child.stdout.destroy();
  child.unref();
  if (answer === AGENT_BEGUN) return;
  const { reason, hint } = fieldsIn(answer);
  throw notStarted(
    typeof reason === 'string' ? reason : 'it did not start in time',
    typeof hint === 'string' ? hint : undefined,
  );
}

const notStarted = (why: string, hint: string | undefined): UnavailableError =>
  new UnavailableError({
    code: 'unavailable',
    what: `The agent was not started: ${why}.`,
    meaning: 'Nothing was sent. Commands connect by themselves.',
    ...(hint === undefined ? {} : { hint }),
  });
