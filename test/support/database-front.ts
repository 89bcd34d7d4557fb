/**
 * A front before PostgreSQL: every connection passes through it, and a test can refuse or stall them, or cut one at any of the
 * messages of its client. What passes is TLS from end to end: it counts, and reads nothing.
 */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { close, listen } from './scripted-service.ts';

/** `request`: what the client says is lost. `answer`: the server has it, and what it says is lost. */
export type Lost = 'request' | 'answer';

type FrontState = 'open' | 'refused' | 'stalled' | 'held';

export interface DatabaseFront {
  port: number;
  /**
   * `refused` also ends the connections that are there; `stalled`: nothing passes, and nothing ends; `held`: what servers say
   * waits until it is open again.
   */
  be(state: FrontState): void;
  /** The connections that are there die in silence: nothing passes, and nothing ends. New ones pass. */
  forget(): void;
  /** Connections go to the server at another port from now on. */
  lead(port: number): void;
  /** Once, at the message of that number from now on; the first is 1. `then`: how it is afterwards. */
  cut(at: number, lost: Lost, then?: FrontState): void;
  /** Messages of clients since the start or the last `cut`, each with what it was answered with: round trips. */
  messages(): number;
  /** No cut any more. */
  heal(): void;
  /** Whether the cut that was asked for has been. */
  wasCut(): boolean;
}

export async function databaseFront(first: number): Promise<DatabaseFront> {
  let port = first;
  let state: FrontState = 'open';
  const held: (() => void)[] = [];
  let forgotten = 0;
  let [messages, cutAt, isCut]: [number, number, boolean] = [0, 0, false];
  let lost: Lost = 'request';
  let afterwards: FrontState | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state === 'refused') {
      client.destroy();
      return;
    }
    const behind = connect(port, '127.0.0.1');
    const end = (): void => {
      for (const each of [client, behind]) {
        each.destroy();
        sockets.delete(each);
      }
    };
    const born = forgotten;
    const isStalled = (): boolean => state === 'stalled' || born < forgotten;
    let isAnswered = true;
    let losesAnswer = false;
    for (const each of [client, behind]) {
      sockets.add(each);
      each.setNoDelay(true);
      each.on('error', end).on('close', end);
    }
    client.on('data', (chunk) => {
      if (isStalled()) return;
      if (isAnswered) messages += 1;
      isAnswered = false;
      if (!isCut && messages === cutAt) {
        isCut = true;
        if (lost === 'request') {
          end();
          return;
        }
        losesAnswer = true;
      }
      behind.write(chunk);
    });
    behind.on('data', (chunk) => {
      isAnswered = true;
      if (losesAnswer) {
        end();
        state = afterwards ?? state;
      } else if (state === 'held') held.push(() => client.write(chunk));
      else if (!isStalled()) client.write(chunk);
    });
  });
  const own = await listen(server);
  const endAll = (): void => {
    for (const each of sockets) each.destroy();
    sockets.clear();
  };
  onTestFinished(async () => {
    endAll();
    await close(server);
  });
  return {
    port: own,
    be(next) {
      state = next;
      if (next === 'refused') endAll();
      if (next === 'open') for (const each of held.splice(0)) each();
    },
    forget() {
      forgotten += 1;
    },
    lead(next) {
      port = next;
      endAll();
    },
    cut(at, what, then) {
      [messages, cutAt, isCut, lost, afterwards] = [0, at, false, what, then];
    },
    heal() {
      cutAt = 0;
    },
    messages: () => messages,
    wasCut: () => isCut,
  };
}
