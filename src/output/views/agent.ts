/** Agents as lines and as documents. */
import type { AgentState } from '../../client/transport/agent-socket.ts';
import { exactInstant } from '../../domain/instants.ts';
import type { AgentDocument } from '../../schema/machine-document.ts';
import { dimLine, line, type View } from '../blocks.ts';
import { text } from '../cells.ts';

export interface AgentListed {
  state: AgentState;
  /** The selected profile uses it. */
  isUsed: boolean;
}

export interface AgentStarted {
  state: AgentState;
  wasRunning: boolean;
}

export const agentDocument = ({
  pid,
  origin,
  version,
  startedAt,
  endsAt,
  ready,
  leased,
  leases,
}: AgentState): AgentDocument => ({
  address: origin,
  pid,
  version,
  started_at: exactInstant(startedAt),
  ends_at: exactInstant(endsAt),
  connections: { open: ready, in_use: leased, leases },
});

export const viewAgentStart = ({ state, wasRunning }: AgentStarted): View => [
  line(`${wasRunning ? 'An agent is already running' : 'Agent started'} for ${state.origin}, until`, {
    kind: 'time',
    at: exactInstant(state.endsAt),
    style: 'minute',
  }),
  dimLine('Commands use its connections. To stop it: hedge agent stop'),
];

export function viewAgents(agents: readonly AgentListed[]): View {
  if (agents.length === 0) return line('No agent is running. To start one: hedge agent start');
  return agents.flatMap(({ state, isUsed }) => [
    line(text(state.origin, 'strong'), isUsed ? 'until' : 'not used by this profile, until', {
      kind: 'time',
      at: exactInstant(state.endsAt),
      style: 'minute',
    }),
    dimLine(
      `${state.ready} open, ${state.leased} in use, ${state.leases} leased so far; process ${state.pid}`,
    ),
  ]);
}

export const viewAgentStop = (stopped: readonly AgentState[]): View =>
  stopped.length === 0
    ? line('No agent was running.')
    : stopped.map(({ origin }) => line(`Agent for ${origin} stopped.`));
