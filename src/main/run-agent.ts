/** The process of an agent: settings on its standard input, one line on its standard output, no terminal. */
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type AgentOrder, runAgent } from '../agent/agent-process.ts';
import { AGENT_BEGUN } from '../client/transport/agent-socket.ts';
import { RequestFailure } from '../client/transport/request-failure.ts';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import type { Installed } from '../startup/load-program.ts';

/** Gives the exit code, once it has ended. */
export async function serveAgent(
  process: NodeJS.Process,
  { folder, read }: Pick<Installed, 'folder' | 'read'>,
): Promise<number> {
  process.umask(0o077);
  const settings = fieldsIn(await text(process.stdin));
  if (!isSettings(settings)) return 2;
  process.title = 'hedge agent';
  const program = read === undefined ? join(folder, 'start.cjs') : process.execPath;
  const run = runAgent({ ...settings, program }, { clock: systemClock, host: hostOf(process) });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, run.stop);
  try {
    await run.begun;
  } catch (error) {
    const parts = error instanceof RequestFailure ? error.parts : undefined;
    const { reason = 'it could not listen on its socket', hint } = parts ?? {};
    process.stdout.write(`${JSON.stringify({ reason, hint })}\n`);
    return 1;
  }
  process.stdout.on('error', () => undefined);
  process.stdout.write(AGENT_BEGUN);
  await run.ended;
  return 0;
}

/** The same build wrote them. */
const isSettings = (found: object): found is AgentOrder =>
  'socket' in found && isFields(found.socket) && 'target' in found && isFields(found.target);
