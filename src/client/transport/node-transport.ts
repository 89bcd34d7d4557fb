/**
 * The lean road: node:http over our own TLS connections, kept open between requests. It starts in a third of
 * undici's time and waits for no WebAssembly at the end of the process.
 *
 * Who may use a connection now. Requests that run at the same time take turns on one while it answers at once,
 * as shaking hands costs more than waiting for a quick answer. Once somebody has waited for so long, now or in turns
 * that are over, there is a connection for each who waits.
 */
import { Agent, type ClientRequest, type RequestOptions, request as send } from 'node:http';
import { nextTick } from 'node:process';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../platform/clock.ts';
import { connectionFailure } from './classify-error.ts';
import { makeConnector } from './connector.ts';
import type { Transport, TransportParts } from './transport.ts';

/** Node's own default, said here so that no flag of the environment widens it. */
const LARGEST_HEAD = 16_384;

interface OurOptions extends RequestOptions {
  /** Gives up the connection that is made for this request. Node keeps `signal` from the agent. */
  limit: AbortSignal;
}

export function nodeTransport({
  origin,
  target,
  trust,
  sessions,
  clock,
}: Omit<TransportParts, 'proxy'>): Transport {
  const connector = makeConnector({ clock, trust, tunnel: undefined, sessions });
  const turns = connectionLimiter(clock);
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
    callback?.(connectionFailure(error), new Duplex());
    return;
  }
  callback?.(null, socket);
}

/** Less than anybody sees, and longer than a service beside us takes for the answers to one command. */
export const QUEUE_TIMEOUT_MS = 25;

export interface ConnectionLimiter {
  /** Calls `start` at its turn, maybe at once. Gives back what leaves the line, or ends the turn: once, and late. */
  take(start: () => void): () => void;
}

export function connectionLimiter(clock: Clock): ConnectionLimiter {
  const line: (() => void)[] = [];
  let allowed = 1;
  let running = 0;
  let waited = 0;
  let endWaiting: (() => void) | undefined;

  const goOn = (): void => {
    while (running < allowed) {
      const start = line.shift();
      if (start === undefined) break;
      running += 1;
      start();
    }
    if (line.length > 0) endWaiting ??= wait();
    else endWaiting?.();
  };
  const wait = (): (() => void) => {
    const since = clock.monotonic();
    const cancel = clock.after(Math.max(0, QUEUE_TIMEOUT_MS - waited), () => {
      endWaiting = undefined;
      waited = 0;
      allowed += line.length;
      goOn();
    });
    return () => {
      endWaiting = undefined;
      waited += clock.monotonic() - since;
      cancel();
    };
  };

  return {
    take(start) {
      let over = false;
      line.push(start);
      goOn();
      return () => {
        if (over) return;
        over = true;
        const place = line.indexOf(start);
        if (place === -1) running -= 1;
        else line.splice(place, 1);
        goOn();
      };
    },
  };
}
