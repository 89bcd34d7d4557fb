/** Connections are kept between requests, on both roads. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeConnector } from '../../src/client/transport/connector.ts';
import { nodeTransport, QUEUE_TIMEOUT_MS } from '../../src/client/transport/node-transport.ts';
import { sendOver } from '../../src/client/transport/send.ts';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { scriptedClient as onDirectRoad, TRANSPORTS } from '../support/scripted-client.ts';
import { BASE_PATH, bytes, held, ok, on, scriptedService } from '../support/scripted-service.ts';
import { steadyClock } from '../support/steady-clock.ts';

const ACCOUNT = 'GET /account';
const body = JSON.stringify(succeeded(anAccount()));

describe.each(TRANSPORTS)('a connection, over the $road transport', ({ road, scriptedClient }) => {
  it('carries a hundred polls; undici takes a second one while the first is being freed', async () => {
    const { api, service } = await scriptedClient(
      Array.from({ length: 100 }, () => on(ACCOUNT, ok(anAccount()))),
    );
    for (let poll = 0; poll < 100; poll++) await api.account();
    expect(new Set(service.requests.map(({ remotePort }) => remotePort)).size).toBeLessThanOrEqual(
      road === 'direct' ? 1 : 2,
    );
  });

  it('that the service says it will close is not used again', async () => {
    const head = ['HTTP/1.1 200 OK', `content-length: ${body.length}`, 'connection: close'];
    const { api, service } = await scriptedClient([
      on(ACCOUNT, bytes([...head, '', body].join('\r\n'), 'hold')),
      on(ACCOUNT, ok(anAccount())),
    ]);
    await api.account();
    await api.account();
    expect(new Set(service.requests.map(({ remotePort }) => remotePort)).size).toBe(2);
  });

  it('is another one for a request that would wait long for another response', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const { api, service, clock } = await scriptedClient(
      Array.from({ length: 4 }, () => on(ACCOUNT, held(answered, ok(anAccount())))),
    );
    const asked = Promise.all(Array.from({ length: 4 }, () => api.account()));
    await service.arrived(1);
    if (road === 'direct') {
      expect(service.requests).toHaveLength(1);
      clock.fire(QUEUE_TIMEOUT_MS);
    }
    await service.arrived(4);
    answer();
    await asked;
    expect(new Set(service.requests.map(({ remotePort }) => remotePort)).size).toBe(4);
    expect(clock.running()).toEqual([]);
  });
});

describe('a connection that answers at once', () => {
  it('is shared by the requests that run at the same time', async () => {
    const { api, service } = await onDirectRoad(
      Array.from({ length: 4 }, () => on(ACCOUNT, ok(anAccount()))),
    );
    await Promise.all(Array.from({ length: 4 }, () => api.account()));
    expect(new Set(service.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
  });

  it('is taken by who waits for it before the answer to the one before is read', async () => {
    const service = await scriptedService(Array.from({ length: 2 }, () => on(ACCOUNT, ok(anAccount()))));
    const { origin, hostname, port } = new URL(service.url);
    // On a busy machine a real queue timeout would open a second connection.
    const clock = steadyClock();
    const road = nodeTransport({
      origin,
      target: { host: hostname, port: Number(port) },
      connector: makeConnector({
        clock,
        trust: { ca: [service.ca], roots: false },
        tunnel: undefined,
        sessions: undefined,
      }),
      clock,
    });
    onTestFinished(() => road.close());
    const send = sendOver({ transport: async () => road, pathPrefix: BASE_PATH, clock });
    const seen: string[] = [];
    const asked = async (name: string): Promise<void> => {
      await send(
        { method: 'GET', path: '/account', headers: {} },
        {
          number: 1,
          signal: new AbortController().signal,
          mayLeave() {
            seen.push(`the ${name} leaves`);
            return undefined;
          },
        },
      );
      seen.push(`the ${name} is read`);
    };
    await Promise.all([asked('first'), asked('second')]);
    expect(seen).toEqual([
      'the first leaves',
      'the second leaves',
      'the first is read',
      'the second is read',
    ]);
  });
});
