/**
 * Takes connections from an agent and opens its own where the agent has none. A lease is all or nothing: without one no byte
 * of a request was sent, and with one the request goes there alone.
 */
import type { Clock } from '../../platform/clock.ts';
import { type AgentSocket, agentSocketOf, leaseConnection, whyNotOwnSocket } from './agent-socket.ts';
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
