/**
 * The transport of single commands: node:http over our TLS connections, which starts in a third of undici's time.
 * Its limiter lets concurrent requests share one connection while responses are fast, since a handshake takes longer; to
 * a distant host each has a connection at once, since waiting takes longer there.
 */
import { Agent, type ClientRequest, type RequestOptions, request as send } from 'node:http';
import { nextTick } from 'node:process';
import { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { connectionFailure } from './request-failure.ts';
import { type ConnectionSource, MOST_CONNECTIONS, type Transport, type TransportParts } from './transport.ts';

/** Node's default, set here so that no flag in the environment raises it. */
const LARGEST_HEAD = 16_384;

interface TransportOptions extends RequestOptions {
  /** Aborts the connection made for this request. Node does not pass `signal` to the agent. */
  limit: AbortSignal;
}

export function nodeTransport({
  origin,
  target,
  connector,
  clock,
}: Pick<TransportParts, 'origin' | 'target' | 'clock'> & { connector: ConnectionSource }): Transport {
  const limiter = connectionLimiter(clock, connector.isDistant(target) ? MOST_CONNECTIONS : 1);
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
      const options: TransportOptions = {
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
        // Not in the options: NODE_DEBUG=http prints those, and the key with them.
        for (const [name, value] of Object.entries({ host, ...request.headers })) call.setHeader(name, value);
        // Node emits this in the tick in which it writes to the socket, and never after a destroy.
        call.once('socket', () => {
          const reason = events.started();
          if (reason !== undefined) call?.destroy(reason);
        });
        call.on('error', failed);
        // Node frees the connection right after `close`; the next request must start before this response is read.
        call.once('close', () => nextTick(over));
        call.end(request.body);
      };
      const failed = (error: unknown): void => {
        over();
        events.failed(error);
      };
      const over = limiter.take(start);
      return (reason) => {
        call?.destroy(reason);
        over();
      };
    },
    async close() {
      agent.destroy();
      await connector.close();
    },
  };
}

/** Node's agent takes connections through a callback. */
async function handOver(
  connecting: Promise<Duplex>,
  callback: Parameters<Agent['createConnection']>[1],
): Promise<void> {
  let socket: Duplex;
  try {
    socket = await connecting;
  } catch (error) {
    // The type requires a stream here; Node ignores it.
    callback?.(connectionFailure(error), new Duplex());
    return;
  }
  callback?.(null, socket);
}

/** Too short to notice, and longer than a local service takes for one command. */
export const QUEUE_TIMEOUT_MS = 25;

export interface ConnectionLimiter {
  /** Calls `start` when a slot is free. Returns the release of the slot, or of the place in the queue. */
  take(start: () => void): () => void;
}

/** `atOnce`: requests that wait for no other. */
export function connectionLimiter(clock: Clock, atOnce = 1): ConnectionLimiter {
  const line: (() => void)[] = [];
  let allowed = atOnce;
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
