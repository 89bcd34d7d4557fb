/**
 * A link between an agent and its service that kills the agent at one piece of data: before it passes, half-way, or after.
 * Only connections that were open when it was aimed count: others are not the agent's, or carry no request yet.
 */
import { connect, createServer, type Socket } from 'node:net';
import { close, listen } from './scripted-service.ts';

export type KillMoment = 'before' | 'part' | 'after';

export interface Aim {
  /** Pieces of data, both ways, from 1. */
  piece: number;
  moment: KillMoment;
}

export interface KillLink {
  port: number;
  /** Counts from now on, and kills once. Without an aim it only counts. */
  aim(at: Aim | undefined, kill: () => void): void;
  /** Pieces since it was aimed. */
  pieces(): number;
  isHit(): boolean;
  close(): Promise<void>;
}

/** To a port of this machine. */
export async function killLink(servicePort: number): Promise<KillLink> {
  let aimed: Aim | undefined;
  let kill = (): void => undefined;
  let pieces = 0;
  let hit = false;
  let counted = new Set<Socket>();
  const open = new Set<Socket>();

  const server = createServer({ noDelay: true }, (client) => {
    const service = connect({ port: servicePort, host: '127.0.0.1', noDelay: true });
    open.add(client);
    const end = (): void => {
      open.delete(client);
      client.destroy();
      service.destroy();
    };
    for (const each of [client, service]) each.on('error', () => undefined).on('close', end);
    const pass = (to: Socket) => (chunk: Buffer) => {
      const counts = counted.has(client);
      if (counts) pieces += 1;
      if (counts && !hit && aimed?.piece === pieces) {
        hit = true;
        if (aimed.moment === 'part') to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)));
        if (aimed.moment === 'after') to.write(chunk);
        kill();
      } else if (!(counts && hit)) to.write(chunk);
    };
    client.on('data', pass(service));
    service.on('data', pass(client));
  });
  const port = await listen(server);
  return {
    port,
    aim(at, act) {
      aimed = at;
      kill = act;
      pieces = 0;
      hit = false;
      counted = new Set(open);
    },
    pieces: () => pieces,
    isHit: () => hit,
    async close() {
      for (const client of open) client.destroy();
      await close(server);
    },
  };
}
