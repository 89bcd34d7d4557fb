/** Agents as lines and as documents. */
import type { AgentState } from '../../client/transport/agent-socket.ts';
import { exactInstant } from '../../domain/instants.ts';
import type { AgentDocument } from '../../schema/machine-document.ts';
import { dimLine, line, type View } from '../blocks.ts';
import { type Cell, text } from '../cells.ts';
import { time } from './record-columns.ts';

export interface AgentListed {
  state: AgentState;
  /** The selected profile uses it. */
  isUsed: boolean;
}

export interface AgentStarted {
  state: AgentState;
  wasRunning: boolean;
}

export const agentDocument = (state: AgentState): AgentDocument => ({
  address: state.origin,
  pid: state.pid,
  version: state.version,
  started_at: exactInstant(state.startedAt),
  ends_at: exactInstant(state.endsAt),
  connections: { open: state.ready, in_use: state.leased, leases: state.leases },
});

const endOf = ({ endsAt }: AgentState): Cell => time(exactInstant(endsAt), 'minute');

export const viewAgentStart = ({ state, wasRunning }: AgentStarted): View => [
  line(
    `${wasRunning ? 'An agent is already running' : 'Agent started'} for ${state.origin}, until`,
    endOf(state),
  ),
  dimLine('Commands use its connections. To stop it: hedge agent stop'),
];

export function viewAgents(agents: readonly AgentListed[]): View {
  if (agents.length === 0) return line('No agent is running. To start one: hedge agent start');
  return agents.flatMap(({ state, isUsed }) => [
    line(text(state.origin, 'strong'), isUsed ? 'until' : 'not used by this profile, until', endOf(state)),
    dimLine(
      `${state.ready} open, ${state.leased} in use, used by ${state.leases} commands so far; process ${state.pid}`,
    ),
  ]);
}

export const viewAgentStop = (stopped: readonly AgentState[]): View =>
  stopped.length === 0
    ? line('No agent was running.')
    : stopped.map(({ origin }) => line(`Agent for ${origin} stopped.`));
