/**
 * The lean road: node:http over our own TLS connections, kept open between requests. It starts in a third of
 * undici's time and waits for no WebAssembly at the end of the process.
 */
import { Agent, type ClientRequest, type RequestOptions, request as send } from 'node:http';
import { nextTick } from 'node:process';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { makeConnector } from './connector.ts';
import { connectFailure } from './read-failure.ts';
import type { Road, RoadParts } from './road.ts';
import { makeTurns } from './turns.ts';

/** Node's own default, said here so that no flag of the environment widens it. */
const LARGEST_HEAD = 16_384;

interface OurOptions extends RequestOptions {
  /** Gives up the connection that is made for this request. Node keeps `signal` from the agent. */
  limit: AbortSignal;
}

export function directRoad({ origin, target, trust, sessions, clock }: Omit<RoadParts, 'proxy'>): Road {
  const connector = makeConnector({ clock, trust, tunnel: undefined, sessions });
  const turns = makeTurns(clock);
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (options, callback) => {
    const limit = 'limit' in options && options.limit instanceof AbortSignal ? options.limit : undefined;
    void handOver(connector.connect(target, limit), callback);
    return undefined;
  };
  const { host } = new URL(origin);

  return {
    exchange(request, signal, events) {
      let call: ClientRequest | undefined;
      const options: OurOptions = {
        ...target,
        agent,
        method: request.method,
        path: request.path,
        setHost: false,
        maxHeaderSize: LARGEST_HEAD,
        insecureHTTPParser: false,
        limit: signal,
      };
      const start = (): void => {
        call = send(options, (response) => {
          events.head(response.statusCode ?? 0, response.headersDistinct);
          response.on('data', events.data);
          response.on('end', events.end);
          response.on('error', failed);
        });
        // Not among the options: NODE_DEBUG=http prints those, and the key would be in them.
        for (const [name, value] of Object.entries({ host, ...request.headers })) call.setHeader(name, value);
        // Node tells of its socket in the turn in which it writes to it, and never once the call is destroyed.
        call.once('socket', () => {
          const reason = events.started();
          if (reason !== undefined) call?.destroy(reason);
        });
        call.on('error', failed);
        // Node frees the connection right after it has told of the end. Whoever waits for it sends in the turn after,
        // which is before any promise goes on: before this answer is read.
        call.once('close', () => nextTick(over));
        call.end(request.body);
      };
      const failed = (error: unknown): void => {
        over();
        events.failed(error);
      };
      const over = turns.take(start);
      return (reason) => {
        call?.destroy(reason);
        over();
      };
    },
    async close() {
      connector.close();
      agent.destroy();
    },
  };
}

/** Node's agent takes connections through a callback. */
async function handOver(
  connecting: Promise<TLSSocket>,
  callback: Parameters<Agent['createConnection']>[1],
): Promise<void> {
  let socket: TLSSocket;
  try {
    socket = await connecting;
  } catch (error) {
    // Its type wants a connection even where there is none; its code does not look at it.
    callback?.(connectFailure(error), new Duplex());
    return;
  }
  callback?.(null, socket);
}
