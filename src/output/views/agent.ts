/** Agents as lines and as documents. */
import type { AgentState } from '../../client/transport/agent-socket.ts';
import { exactInstant } from '../../domain/instants.ts';
import type { AgentDocument } from '../../schema/machine-document.ts';
import { type Block, line, text } from '../blocks.ts';

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

export const viewAgentStart = ({ state, wasRunning }: AgentStarted): readonly Block[] => [
  line(text(`${wasRunning ? 'An agent is already running' : 'Agent started'} for ${state.origin}, until`), {
    kind: 'time',
    at: exactInstant(state.endsAt),
    style: 'minute',
  }),
  line(text('Commands use its connections. To stop it: hedge agent stop', 'dim')),
];

export function viewAgents(agents: readonly AgentListed[]): readonly Block[] {
  if (agents.length === 0) return [line(text('No agent is running. To start one: hedge agent start'))];
  return agents.flatMap(({ state, isUsed }) => [
    line(text(state.origin, 'strong'), text(isUsed ? 'until' : 'not used by this profile, until'), {
      kind: 'time',
      at: exactInstant(state.endsAt),
      style: 'minute',
    }),
    line(
      text(
        `${state.ready.toString()} open, ${state.leased.toString()} in use, ${state.leases.toString()} leased so far; process ${state.pid.toString()}`,
        'dim',
      ),
    ),
  ]);
}

export const viewAgentStop = (stopped: readonly AgentState[]): readonly Block[] =>
  stopped.length === 0
    ? [line(text('No agent was running.'))]
    : stopped.map(({ origin }) => line(text(`Agent for ${origin} stopped.`)));
