/**
 * Ports that the system gives to nobody else: one on which nobody listens stays so, and a server that is stopped has its own again
 * when it starts. Each worker begins elsewhere.
 */
import { createServer } from 'node:net';
import { close, listen } from './scripted-service.ts';

const PORTS = { first: 10_000, last: 32_000, ofWorker: 40 };

let last = PORTS.first + ((process.pid * PORTS.ofWorker) % (PORTS.last - PORTS.first));

/** A loopback port on which nobody listens, and which no other test of this worker has had. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    last = last === PORTS.last ? PORTS.first : last + 1;
    const server = createServer();
    try {
      await listen(server, '127.0.0.1', last);
    } catch {
      continue;
    }
    await close(server);
    return last;
  }
}
