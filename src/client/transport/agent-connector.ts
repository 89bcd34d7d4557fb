/**
 * Takes connections from an agent and opens its own where the agent has none. A lease is all or nothing: without one no byte
 * of a request was sent, and with one the request goes there alone.
 */
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { type AgentSocket, agentSocketOf, LEASE, LEASED, whyNotOwnSocket } from './agent-socket.ts';
import type { AgentAccess, ConnectionSource, TransportParts } from './transport.ts';

/** The agent of this very address, CA list and build; undefined when there is none that may be used. */
export function ownAgent(
  { folder, build, host }: AgentAccess,
  { origin, trust }: Pick<TransportParts, 'origin' | 'trust'>,
): AgentSocket | undefined {
  const agent = agentSocketOf(folder, { origin, trust, build });
  return agent === undefined || whyNotOwnSocket(agent.path, host) !== undefined ? undefined : agent;
}

/** `direct` makes the connections that the agent does not have; it is not loaded before. */
export function agentConnector(
  agent: AgentSocket,
  direct: () => Promise<ConnectionSource>,
  clock: Pick<Clock, 'after'>,
): ConnectionSource {
  const closing = new AbortController();
  let own: Promise<ConnectionSource> | undefined;
  return {
    async connect(target, outer) {
      const leased = await leaseConnection(agent, { clock, signals: [closing.signal, outer] });
      if (leased !== undefined) return leased;
      return (await (own ??= direct())).connect(target, outer);
    },
    // A lease takes no round trip: no request waits for another.
    isDistant: () => true,
    async close() {
      closing.abort();
      await (await own)?.close();
    },
  };
}

/** An agent that takes longer is slower than a connection of one's own. */
const LEASE_MS = 100;

const ignore = (): void => undefined;

/**
 * A connection to the service that the agent has opened and verified, for this process alone. Undefined when the agent has
 * none, is gone or does not answer at once: then nothing was sent.
 */
function leaseConnection(
  { path, route }: AgentSocket,
  { clock, signals }: { clock: Pick<Clock, 'after'>; signals: readonly (AbortSignal | undefined)[] },
): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (leased: boolean): void => {
      cancel();
      for (const signal of signals) signal?.removeEventListener('abort', giveUp);
      socket.off('readable', read).off('close', giveUp);
      if (!leased) socket.destroy();
      resolve(leased ? socket : undefined);
    };
    const giveUp = (): void => settle(false);
    const read = (): void => {
      const chunk: unknown = socket.read();
      if (!(chunk instanceof Uint8Array)) return;
      const line = Buffer.from(chunk.subarray(0, LEASED.length)).toString('latin1');
      if (line !== LEASED) return giveUp();
      socket.off('error', ignore);
      if (chunk.length > LEASED.length) socket.unshift(chunk.subarray(LEASED.length));
      settle(true);
    };
    const cancel = clock.after(LEASE_MS, giveUp);
    socket.on('error', ignore).on('close', giveUp).on('readable', read);
    for (const signal of signals) signal?.addEventListener('abort', giveUp, { once: true });
    socket.write(`${LEASE} ${route}\n`);
    if (signals.some((signal) => signal?.aborted === true)) giveUp();
  });
}
