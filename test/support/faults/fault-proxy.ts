/**
 * A service in front of the practice service, over TLS of its own, that does to each request what a plan says, and
 * writes down what the client could know of it. Also the proxy through which pooled connections come to it.
 */
import { once } from 'node:events';
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failed } from '../../spec/bodies.ts';
import type { MovingClock } from '../moving-clock.ts';
import { close, listen } from '../scripted-service.ts';
import type { ServedBook } from '../served-book.ts';
import { anAuthority, LOOPBACK_HOSTS } from '../tls.ts';
import { CALM, FAULTS, type Fault, type Phase, type Plan, type Tells } from './faults.ts';

/** A request of an action, as it came and as it went. */
export interface Sent {
  line: string;
  key: string | undefined;
  body: string;
  tells: Tells;
  /** Of an answer that came through. */
  status: number | undefined;
}

export interface FaultProxy {
  /** Leads a program here: over node:http, or over undici through the proxy. */
  way(home: string, road: Road): Record<string, string>;
  ca: string;
  /** From now on, nothing having come yet. `isSending`: an action stands in the journal. */
  begin(plan: Plan, isSending: () => boolean): void;
  /** From now on, what is written to the connection in place of the service's answer; undefined leaves it. */
  rewrite(rewriting: Rewriting | undefined): void;
  /**
   * Told of every request, before it goes on and once the service has it. True: the program dies there, and nothing
   * of it comes through any more until the next `begin`.
   */
  onRequest(hook: RequestHook | undefined): void;
  /** The program is dead: nothing of it comes through any more until the next `begin`. */
  cutOff(): void;
  /** Resolves when no request is under way any more: a dead program's may be. */
  quiet(): Promise<void>;
  /** The service behind takes every request for a new one. */
  forgetsKeys(forgets: boolean): void;
  /** Requests of actions since then. */
  sent: readonly Sent[];
  /** Readings since then that came after a send: those that went through, and those that did not. */
  polls: { through: number; troubled: number };
  close(): Promise<void>;
}

export type RequestHook = (
  moment: 'before' | 'after',
  request: Pick<Sent, 'line' | 'key' | 'body'>,
) => boolean;

export type Road = 'direct' | 'pooled';
export const TRANSPORTS: readonly Road[] = ['direct', 'pooled'];

export interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Bytes, or pieces without end. */
export type Rewriting = (reply: Reply, line: string) => Uint8Array | Iterable<Uint8Array> | undefined;

/** No request of a program lasts as long: whoever still waits then is cut off. */
const LONGEST_MS = 120_000;
const STEP_MS = 500;
const NAME = 'desk.test';

export async function faultProxy(
  { desk }: Pick<ServedBook, 'desk'>,
  clock: MovingClock,
): Promise<FaultProxy> {
  const authority = await anAuthority('Fault proxy');
  const { key, cert } = await authority.issue({ hosts: [...LOOPBACK_HOSTS, NAME] });
  const behind = new URL(desk.service.url);
  const agent = new Agent({ ca: desk.service.ca, keepAlive: true });
  const under = new Map<number, Socket>();
  let plan = CALM;
  let isSending = (): boolean => false;
  let keyless = false;
  let hook: RequestHook | undefined;
  let dead = false;
  const underWay = new Set<IncomingMessage>();
  let rewriting: Rewriting | undefined;
  const met = { before: 0, send: 0, polls: 0 };
  const sent: Sent[] = [];
  const polls = { through: 0, troubled: 0 };

  const faultNow = (phase: Phase): Fault | undefined => {
    const list = plan.faults[phase];
    const name = list[plan.forever ? Math.min(met[phase], list.length - 1) : met[phase]];
    return name === undefined ? undefined : FAULTS[name];
  };
  const accepted = (): boolean => sent.some(({ tells, status = 0 }) => tells === 'answer' && status < 300);
  const phaseOfConnection = (): Phase => (accepted() ? 'polls' : isSending() ? 'send' : 'before');

  const server = createServer({ key, cert, keepAliveTimeout: 0 }, (incoming, response) => {
    underWay.add(incoming);
    serve(incoming, response)
      .catch(() => incoming.socket.destroy())
      .finally(() => underWay.delete(incoming));
  });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    if (socket.remotePort !== undefined) under.set(socket.remotePort, socket);
    if (dead) {
      socket.resetAndDestroy();
      return;
    }
    const phase = phaseOfConnection();
    if (faultNow(phase)?.play.how !== 'refused') return;
    met[phase] += 1;
    if (phase === 'polls') polls.troubled += 1;
    socket.resetAndDestroy();
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    if (dead) throw new Error('the program is dead');
    const line = `${incoming.method ?? ''} ${(incoming.url ?? '').replace(behind.pathname, '')}`;
    const isSend = line.startsWith('POST /hedges');
    const phase: Phase = isSend ? 'send' : sent.length === 0 ? 'before' : 'polls';
    const found = faultNow(phase);
    const met0 = found !== undefined && touches(found, line) ? found : undefined;
    if (found !== undefined) met[phase] += 1;
    const fault = met0?.play.how === 'refused' ? FAULTS['reset before'] : met0;
    const note: Sent = {
      line,
      key: incoming.headers['idempotency-key']?.toString(),
      body: body.toString(),
      tells: fault?.tells ?? 'answer',
      status: undefined,
    };
    if (isSend) sent.push(note);
    else if (phase === 'polls') polls[fault === undefined ? 'through' : 'troubled'] += 1;
    const dies = (moment: 'before' | 'after'): boolean => (dead ||= hook?.(moment, note) === true);
    if (dies('before')) return diedAt(note);
    const reply = fault === undefined || fault.acts ? await passOn(incoming, body) : undefined;
    if (reply !== undefined && dies('after')) return diedAt(note);
    const rewritten = reply && rewriting?.(reply, line);
    if (rewritten !== undefined) {
      note.tells = 'unclear';
      await writeAll(rewritten, response.socket);
      return;
    }
    // Whoever has gone does not hear it.
    if (incoming.socket.destroyed) note.tells = 'unclear';
    if (fault === undefined) note.status = reply?.status;
    await play(fault, reply, response);
  }

  /** What a dead program heard of it is for nobody to know. */
  function diedAt(note: Sent): never {
    note.tells = 'unclear';
    throw new Error('the program is dead');
  }

  const passOn = (incoming: IncomingMessage, sentBody: Buffer): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { method, url } = incoming;
      const { 'idempotency-key': idempotencyKey, ...others } = incoming.headers;
      const known = keyless || idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const headers = { ...others, ...known, host: behind.host };
      const going = request(
        { host: behind.hostname, port: behind.port, agent, method, path: url, headers },
        (reply) => {
          buffer(reply).then(
            (content) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: content }),
            reject,
          );
        },
      );
      going.on('error', reject);
      going.end(sentBody);
    });

  const plainHeaders = ({ headers }: Reply): Record<string, string> => ({
    ...Object.fromEntries(
      Object.entries(headers).filter(
        (each): each is [string, string] =>
          typeof each[1] === 'string' && !['content-length', 'connection', 'keep-alive'].includes(each[0]),
      ),
    ),
    // Each request makes its own connection where connections are refused.
    ...(usesRefusals(plan) ? { connection: 'close' } : {}),
  });

  async function play(fault: Fault | undefined, reply: Reply | undefined, response: ServerResponse) {
    const { socket } = response;
    const tcp = under.get(socket?.remotePort ?? 0);
    const how = fault?.play;
    const text = reply?.body ?? Buffer.from('');
    const type = {
      'content-type': 'application/json',
      ...(usesRefusals(plan) ? { connection: 'close' } : {}),
    };
    if (how === undefined) {
      response.writeHead(reply?.status ?? 500, reply === undefined ? {} : plainHeaders(reply)).end(text);
      return;
    }
    switch (how.how) {
      case 'refused':
      case 'reset':
        tcp?.resetAndDestroy();
        return;
      case 'cut':
        if (how.where === 'head') socket?.end('HTTP/1.1 200 OK\r\ncontent-type: appl');
        else {
          const half = text.subarray(0, Math.floor(text.length / 2)).toString();
          socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length.toString()}\r\n\r\n${half}`);
        }
        return;
      case 'drip':
        socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
        await untilGivenUp(socket, () => socket?.write(' '));
        return;
      case 'black_hole':
        await untilGivenUp(socket, () => undefined);
        return;
      case 'envelope': {
        const wait = how.retryAfter === undefined ? {} : { 'retry-after': how.retryAfter };
        response.writeHead(how.status, { ...type, ...wait }).end(JSON.stringify(failed(how.code)));
        return;
      }
      case 'page':
        response.writeHead(how.status, { ...type, 'content-type': 'text/html' }).end(how.body);
        return;
      case 'changed':
        response
          .writeHead(reply?.status ?? 200, reply === undefined ? {} : plainHeaders(reply))
          .end(changed(text.toString(), how.change));
        return;
    }
    how satisfies never;
  }

  async function untilGivenUp(socket: Socket | null, each: () => unknown): Promise<void> {
    const isThere = (): boolean => socket?.destroyed === false;
    for (let passed = 0; passed < LONGEST_MS && isThere(); passed += STEP_MS) {
      each();
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      if (isThere()) clock.pass(STEP_MS);
    }
    socket?.destroy();
  }

  const port = await listen(server);
  const tunnel = createProxy();
  tunnel.on('connect', (_, client: Socket) => {
    const far = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
    client.on('error', () => far.destroy());
    client.on('close', () => far.destroy());
    far.on('error', () => client.resetAndDestroy());
    far.on('close', () => client.destroy());
    far.pipe(client).pipe(far);
  });
  const tunnelPort = await listen(tunnel);

  return {
    ca: authority.ca,
    way: (home, road) => ({
      HEDGE_HOME: home,
      HEDGE_API_KEY: desk.service.keys.test,
      ...(road === 'direct'
        ? { HEDGE_BASE_URL: `https://127.0.0.1:${port.toString()}${behind.pathname}` }
        : {
            HEDGE_BASE_URL: `https://${NAME}${behind.pathname}`,
            HTTPS_PROXY: `http://127.0.0.1:${tunnelPort.toString()}`,
          }),
    }),
    begin(next, sending) {
      plan = next;
      dead = false;
      isSending = sending;
      Object.assign(met, { before: 0, send: 0, polls: 0 });
      Object.assign(polls, { through: 0, troubled: 0 });
      sent.length = 0;
    },
    rewrite(next) {
      rewriting = next;
    },
    onRequest(next) {
      hook = next;
    },
    cutOff() {
      dead = true;
    },
    async quiet() {
      while (underWay.size > 0) await nextTurn();
    },
    forgetsKeys(forgets) {
      keyless = forgets;
    },
    sent,
    polls,
    async close() {
      agent.destroy();
      await close(tunnel);
      await close(server);
    },
  };
}

async function writeAll(bytes: Uint8Array | Iterable<Uint8Array>, socket: Socket | null): Promise<void> {
  const gone = new AbortController();
  socket?.once('close', () => gone.abort());
  for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    if (socket === null || socket.destroyed) return;
    if (!socket.write(piece)) await once(socket, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  socket?.end();
}

const usesRefusals = ({ faults }: Plan): boolean =>
  Object.values(faults).some((list) => list.includes('refused'));

/** An echo is told from the request only where the answer must repeat it. */
const touches = ({ play }: Fault, line: string): boolean =>
  play.how !== 'changed' ||
  play.change !== 'echo' ||
  line.startsWith('POST /') ||
  line.startsWith('GET /hedges/hdg_');

function changed(text: string, change: 'shape' | 'echo'): string {
  const envelope: { data: unknown } = JSON.parse(text);
  const echo = { market: 'OTHERNGN', side: 'sell', notional_usd: 1, id: 'hdg_another' };
  const data =
    change === 'echo' && typeof envelope.data === 'object'
      ? { ...envelope.data, ...echo }
      : Array.isArray(envelope.data)
        ? { list: envelope.data }
        : [envelope.data];
  return JSON.stringify({ ...envelope, data });
}
