/** `hedge agent`: open connections for the next commands. */

import { readDuration } from '../args/operands.ts';
import { optionText, readNothing } from '../args/option.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { agentDocument, viewAgentStart, viewAgentStop, viewAgents } from '../output/views/agent.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const DEFAULT_FOR = '8h';
const LONGEST_FOR_MS = 86_400_000;

const start = defineCommand({
  name: 'agent start',
  summary: 'Keep connections to the service open for the next commands',
  description:
    "Saves each command two round trips: connecting and the TLS handshake. A process of this user opens and verifies connections to the profile's service; other hedge commands of this user take them over a socket in the config folder. It holds no API key and no journal, reads nothing that passes, and sends nothing again. A command that gets no connection from it makes its own. It ends after --for, after an hour without use, at the end of this login, or when hedge is updated. HEDGE_AGENT=off does without.",
  options: [{ flags: '--for <duration>', summary: 'end after this time (default 8h, at most 24h)' }],
  examples: [
    { line: 'hedge agent start', shows: 'quotes after one round trip, for eight hours' },
    { line: 'hedge agent start --for 2h --profile live', shows: 'for another profile, two hours' },
  ],
  read(raw) {
    const given = optionText(raw, 'for') ?? DEFAULT_FOR;
    const forMs = readDuration(given);
    if (forMs > LONGEST_FOR_MS)
      throw new UsageError(`${quoted(given)} is too long (--for).`, 'Give at most 24h: --for 8h');
    return { forMs };
  },
  async run(context, { forMs }) {
    context.progress.start('Connecting');
    const value = await (await context.agents()).start(forMs);
    return { value, zone: (await context.profileContext()).zone };
  },
  document: ({ state, wasRunning }) => ({ ...agentDocument(state), was_running: wasRunning }),
  view: viewAgentStart,
});

const status = defineCommand({
  name: 'agent status',
  summary: 'Show the agents that run, and whether this profile uses them',
  examples: [{ line: 'hedge agent status', shows: 'address, end and connections of each' }],
  read: readNothing,
  async run(context) {
    const value = await (await context.agents()).status();
    return { value, zone: (await context.profileContext()).zone };
  },
  document: (agents) => agents.map(({ state, isUsed }) => ({ ...agentDocument(state), is_used: isUsed })),
  view: viewAgents,
});

const stop = defineCommand({
  name: 'agent stop',
  summary: 'Stop all agents of this user',
  description: 'A command that uses a connection keeps it to its end.',
  examples: [{ line: 'hedge agent stop', shows: 'each command connects by itself again' }],
  read: readNothing,
  run: async (context) => ({ value: await (await context.agents()).stop(), confirmsChange: true }),
  document: (stopped) => stopped.map(agentDocument),
  view: viewAgentStop,
});

export const agent: CommandGroup = {
  name: 'agent',
  summary: 'Keep connections to the service open for the next commands',
  commands: [start, status, stop],
};
