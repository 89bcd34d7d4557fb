/**
 * A front before a practice service: every request passes through it, and a test can answer in the service's
 * place, lose an answer, or let something happen before a request goes on. Counts what reached it.
 */
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { failed } from '../spec/bodies.ts';
import { close, listen } from './scripted-service.ts';
import type { ServedBook } from './served-book.ts';
import { loopbackTls } from './tls.ts';

export interface Passed {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Sends it on, with other headers where there are any. */
export type Pass = (headers?: IncomingMessage['headers']) => Promise<Passed>;

/** What becomes of a request. `cut`: the connection ends without an answer. */
export type Meddling = (
  line: string,
  pass: Pass,
  headers: IncomingMessage['headers'],
  body: string,
) => Promise<Passed | 'cut'>;

export interface Front {
  url: string;
  ca: string;
  way: ServedBook['way'];
  /** From now on; a request passes untouched until then. */
  meddle(meddling: Meddling): void;
  /** Told of every request line as it arrives. */
  watch(seen: (line: string) => void): void;
  /** The same service under its other name: `localhost` where `way` says `127.0.0.1`. */
  otherHost(way: Readonly<Record<string, string>>): Record<string, string>;
}

/** API keys of one account: the service is asked with the second whenever the first is used. */
export type SecondKeys = Readonly<Record<string, string>>;

/** A refusal as the service words one. */
export const refusal = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Passed => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(failed(code)),
});

/** As a service answers that is not practice: its Date is no book's, and tells the time. */
export const servedAt = (ms: number, { headers, ...answer }: Passed): Passed => {
  const { 'x-practice-clock': _book, ...others } = headers;
  return { ...answer, headers: { ...others, date: new Date(ms).toUTCString() } };
};

/** A body that was changed has another length. */
const withoutLength = (headers: Passed['headers']): Passed['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length'));

export async function frontOf(
  served: Pick<ServedBook, 'way'> & { desk: Pick<ServedBook['desk'], 'service'> },
  folder: string,
  secondKeys: SecondKeys = {},
): Promise<Front> {
  const tls = await loopbackTls();
  const behind = new URL(served.desk.service.url);
  const agent = new Agent({ ca: served.desk.service.ca, keepAlive: true });
  let meddling: Meddling = (_, pass) => pass();
  let seen = (_line: string): void => undefined;

  const server = createServer(tls, (incoming, response) => void serve(incoming, response));
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(incoming);
    const line = `${incoming.method ?? ''} ${(incoming.url ?? '').replace(behind.pathname, '')}`;
    seen(line);
    const pass: Pass = (other) => passOn(incoming, { ...incoming.headers, ...other }, sent);
    // An answer that is lost behind it is lost before it too.
    const answer = await meddling(line, pass, incoming.headers, sent.toString()).catch(() => 'cut' as const);
    // A test's answer has the Date that the test gives it, not the machine's.
    response.sendDate = false;
    if (answer === 'cut') incoming.socket.destroy();
    else response.writeHead(answer.status, withoutLength(answer.headers)).end(answer.body);
  }
  const passOn = (
    { method, url }: IncomingMessage,
    given: IncomingMessage['headers'],
    sent: Buffer,
  ): Promise<Passed> =>
    new Promise((resolve, reject) => {
      const key = given.authorization?.replace(/^Bearer /, '') ?? '';
      const headers = { ...given, authorization: `Bearer ${secondKeys[key] ?? key}` };
      const going = request(
        { host: behind.hostname, port: behind.port, agent, method, path: url, headers },
        (reply) => {
          void buffer(reply).then((body) => {
            const named = Object.entries(reply.headers).filter(
              (each): each is [string, string] => typeof each[1] === 'string',
            );
            return resolve({
              status: reply.statusCode ?? 0,
              headers: Object.fromEntries(named),
              body: body.toString(),
            });
          }, reject);
        },
      );
      going.on('error', reject);
      going.end(sent);
    });

  const port = await listen(server);
  onTestFinished(async () => {
    agent.destroy();
    await close(server);
  });
  const caFile = join(folder, 'front.pem');
  writeFileSync(caFile, tls.ca, { mode: 0o600 });
  const url = `https://127.0.0.1:${port}${behind.pathname}`;
  return {
    url,
    ca: tls.ca,
    way: (home, book) => ({
      ...served.way(home, book),
      HEDGE_BASE_URL: url,
      HEDGE_CA_FILE: caFile,
    }),
    meddle(next) {
      meddling = next;
    },
    watch(next) {
      seen = next;
    },
    otherHost: (way) => ({ ...way, HEDGE_BASE_URL: `https://localhost:${port}${behind.pathname}` }),
  };
}
