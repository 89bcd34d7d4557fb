/** TLS sessions from one process to the next: sooner there, and never with anybody else. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type KeptSession,
  lifetimeOf,
  sessionToKeep,
  type TlsSessions,
} from '../../src/client/transport/tls.ts';
import { UnavailableError } from '../../src/errors.ts';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { rejection, TRANSPORTS } from '../support/scripted-client.ts';
import { BASE_PATH, close, listen } from '../support/scripted-service.ts';
import { steadyClock } from '../support/steady-clock.ts';
import { type Authority, anAuthority, type Issued, inDays, loopbackTls } from '../support/tls.ts';

interface Host {
  url: string;
  /** A connection each: whether it resumed a session. */
  resumed: boolean[];
  requests: () => number;
}

const MINUTE_MS = 60_000;

/** A certificate for loopback, through one between where an end is given for that. */
async function chainOf(root: Authority, ends: { leaf?: Date; between?: Date }) {
  const { leaf: until, between } = ends;
  const issuer = between === undefined ? root : await root.intermediate(between);
  return { ca: root.ca, certificate: await issuer.issue(until === undefined ? {} : { until }) };
}

/** A service that answers every request with the account. `ticketKeys` are what it knows its tickets by. */
async function aHost(options: {
  certificate?: Issued;
  ticketKeys?: Buffer;
  port?: number;
  maxVersion?: 'TLSv1.2';
  lifetimeS?: number;
}): Promise<Host> {
  const { key, cert } = options.certificate ?? (await loopbackTls());
  const { ticketKeys = randomBytes(48), lifetimeS: sessionTimeout = 300, maxVersion } = options;
  const resumed: boolean[] = [];
  let requests = 0;
  const server = createServer(
    { key, cert, ticketKeys, sessionTimeout, ...(maxVersion === undefined ? {} : { maxVersion }) },
    (_, response) => {
      requests++;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(succeeded(anAccount())));
    },
  );
  server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
  server.on('tlsClientError', () => undefined);
  const port = await listen(server, '127.0.0.1', options.port);
  onTestFinished(() => close(server));
  return { url: `https://localhost:${port}${BASE_PATH}`, resumed, requests: () => requests };
}

interface Memory extends TlsSessions {
  kept: Map<string, KeptSession>;
  refused: string[];
}

function aMemory(): Memory {
  const kept = new Map<string, KeptSession>();
  const refused: string[] = [];
  return {
    kept,
    refused,
    find: (place) => kept.get(place),
    keep: (place, session) => void kept.set(place, session),
    refuse(place) {
      refused.push(place);
      kept.delete(place);
    },
  };
}

describe.each(TRANSPORTS)('a TLS session, over the $road transport', ({ road, connected }) => {
  /** One process: it asks once, and ends. */
  async function askOnce(url: string, sessions: TlsSessions, authority?: Authority): Promise<void> {
    const { ca } = authority ?? (await loopbackTls());
    const { api, close: end } = connected(url, { ca: [ca], sessions });
    try {
      await api.account();
    } finally {
      await end();
    }
  }

  it('is resumed by the next process, and the one after', async () => {
    const host = await aHost({});
    const memory = aMemory();
    for (let process = 0; process < 3; process++) await askOnce(host.url, memory);
    expect(host.resumed).toEqual([false, true, true]);
    expect(memory.refused).toEqual([]);
  });

  it('is kept no longer than the host takes it back, and than two hours after the host was verified', async () => {
    const now = steadyClock().now();
    const short = await aHost({ lifetimeS: 300 });
    const memory = aMemory();
    await askOnce(short.url, memory);
    const twoHours = 120 * MINUTE_MS;
    expect([...memory.kept.values()]).toMatchObject([
      { until: now + 5 * MINUTE_MS, verifiedUntil: now + twoHours },
    ]);

    const long = await aHost({ lifetimeS: 7 * 86_400 });
    const lasting = aMemory();
    await askOnce(long.url, lasting);
    expect([...lasting.kept.values()]).toMatchObject([
      { until: now + twoHours, verifiedUntil: now + twoHours },
    ]);
  });

  it.each([
    ['its own', async (soon: Date) => chainOf(await anAuthority(), { leaf: soon })],
    ['one between', async (soon: Date) => chainOf(await anAuthority(), { between: soon })],
    ['that of the authority', async (soon: Date) => chainOf(await anAuthority('Old', soon), {})],
  ] as const)('is kept no longer than the first certificate of the chain, be it %s', async (_, chain) => {
    const soon = inDays(0.01);
    const { ca, certificate } = await chain(soon);
    const host = await aHost({ certificate, lifetimeS: 86_400 });
    const memory = aMemory();
    const { api, close: end } = connected(host.url, {
      ca: [ca],
      sessions: memory,
      clock: {
        ...steadyClock(),
        now: () => Date.now(),
        sleep: async () => undefined,
        after: () => () => undefined,
      },
    });
    await api.account();
    await end();
    const [kept] = memory.kept.values();
    expect(kept?.until).toBe(Math.floor(soon.getTime() / 1000) * 1000);
  });

  it('that claims to count for longer than two hours is not tried: an older hedge kept it', async () => {
    const host = await aHost({});
    const memory = aMemory();
    await askOnce(host.url, memory);
    const day = steadyClock().now() + 24 * 60 * MINUTE_MS;
    for (const [place, kept] of memory.kept)
      memory.kept.set(place, { ...kept, until: day, verifiedUntil: day });
    await askOnce(host.url, memory);
    expect(host.resumed).toEqual([false, false]);
    expect(memory.refused).toEqual([]);
  });

  it('says how far away its host is: to a distant one, requests asked at once wait for no other', async () => {
    const host = await aHost({});
    const memory = aMemory();
    const { ca } = await loopbackTls();
    const connections = async (handshakeMs: number): Promise<number> => {
      const before = host.resumed.length;
      for (const [place, kept] of memory.kept) memory.kept.set(place, { ...kept, handshakeMs });
      const { api, close: end } = connected(host.url, { ca: [ca], sessions: memory });
      await Promise.all([api.account(), api.account(), api.account()]);
      await end();
      return host.resumed.length - before;
    };
    await askOnce(host.url, memory);
    expect([...memory.kept.values()]).toMatchObject([{ handshakeMs: expect.any(Number) }]);
    // undici opens one for each request in any case.
    expect(await connections(49)).toBe(road === 'direct' ? 1 : 3);
    expect(await connections(50)).toBe(3);
  });

  it('that is too old is not tried', async () => {
    const host = await aHost({});
    const memory = aMemory();
    await askOnce(host.url, memory);
    for (const [place, kept] of memory.kept) memory.kept.set(place, { ...kept, until: steadyClock().now() });
    await askOnce(host.url, memory);
    expect(host.resumed).toEqual([false, false]);
    expect(memory.refused).toEqual([]);
  });

  it('that the host does not know is not used: verified again, asked once, and not tried again', async () => {
    const before = await aHost({});
    const memory = aMemory();
    await askOnce(before.url, memory);
    const after = await aHost({});
    const [[place, kept] = ['', undefined]] = memory.kept;
    if (kept === undefined) throw new Error('nothing was kept');
    const there = place.replace(portOf(before.url), portOf(after.url));
    const other = aMemory();
    other.kept.set(there, kept);
    await askOnce(after.url, other);
    expect(after.requests()).toBe(1);
    expect(other.refused).toEqual([there]);
    expect(after.resumed.at(-1)).toBe(false);
  });

  it.each([
    ['noise', (session: Uint8Array) => session.map((byte, at) => (at % 7 === 0 ? byte ^ 0x55 : byte))],
    ['cut off', (session: Uint8Array) => session.subarray(0, 100)],
    ['empty', () => new Uint8Array()],
  ])('that is %s is done without', async (_, broken) => {
    const host = await aHost({});
    const memory = aMemory();
    await askOnce(host.url, memory);
    for (const [place, kept] of memory.kept) {
      memory.kept.set(place, { ...kept, session: broken(kept.session) });
    }
    await askOnce(host.url, memory);
    expect(host.requests()).toBe(2);
    expect(host.resumed.at(-1)).toBe(false);
  });

  it('does not make an impostor trusted', async () => {
    const host = await aHost({});
    const memory = aMemory();
    await askOnce(host.url, memory);
    const stranger = await anAuthority('Somebody else');
    const impostor = await aHost({ certificate: await stranger.issue() });
    const [[place, kept] = ['', undefined]] = memory.kept;
    if (kept === undefined) throw new Error('nothing was kept');
    memory.kept.set(place.replace(portOf(host.url), portOf(impostor.url)), kept);
    const error = await rejection(askOnce(impostor.url, memory));
    expect(error).toBeInstanceOf(UnavailableError);
    expect(String(error)).toContain('unknown authority');
    expect(impostor.requests()).toBe(0);
  });

  it('belongs to one name, one port and one list of authorities', async () => {
    const ticketKeys = randomBytes(48);
    const { ca } = await loopbackTls();
    const host = await aHost({ ticketKeys });
    const neighbour = await aHost({ ticketKeys });
    const memory = aMemory();
    await askOnce(host.url, memory);
    await askOnce(host.url.replace('localhost', '127.0.0.1'), memory);
    await askOnce(neighbour.url, memory);
    const stranger = await anAuthority();
    for (const more of [{ ca: [ca, stranger.ca] }, { ca: [ca], roots: true }]) {
      const { api, close: end } = connected(host.url, { ...more, sessions: memory });
      await api.account();
      await end();
    }
    expect([...host.resumed, ...neighbour.resumed]).toEqual([false, false, false, false, false]);
    expect(memory.kept.size).toBe(5);
  });

  it('of TLS 1.2 is not kept: it could open a recording', async () => {
    const host = await aHost({ maxVersion: 'TLSv1.2' });
    const memory = aMemory();
    await askOnce(host.url, memory);
    expect(host.requests()).toBe(1);
    expect(memory.kept.size).toBe(0);
  });
});

describe('what may be kept of a session', () => {
  const lasting = Uint8Array.from([0x30, 0x06, 0xa9, 0x04, 0x02, 0x02, 0x1c, 0x20]);
  it.each([
    ['a new one: as long as the host takes it back', 'TLSv1.3', lasting, 99_999_999, 7_200_005],
    ['a renewed one: until the host must be verified again', 'TLSv1.3', lasting, 3_600_000, 3_600_000],
    ['one whose host must be verified again by now', 'TLSv1.3', lasting, 5, undefined],
    ['one whose life is not told', 'TLSv1.3', Uint8Array.from([0x30, 0x00]), 99_999_999, undefined],
    ['one of an older protocol', 'TLSv1.2', lasting, 99_999_999, undefined],
  ] as const)('of %s', (_, protocol, session, verifiedUntil, until) => {
    const kept = sessionToKeep(
      session,
      { getProtocol: () => protocol },
      { verifiedUntil, handshakeMs: 3, now: 5 },
    );
    expect(kept).toEqual(until === undefined ? undefined : { session, until, verifiedUntil, handshakeMs: 3 });
  });
});

describe('the life of a session', () => {
  it.each([
    ['nothing', []],
    ['noise', [1, 2, 3]],
    ['a sequence that is cut off', [0x30, 0x82, 0x10]],
    ['a sequence without it', [0x30, 0x03, 0x02, 0x01, 0x01]],
    ['an empty one', [0x30, 0x02, 0xa9, 0x00]],
  ])('is none in %s', (_, bytes) => {
    expect(lifetimeOf(Uint8Array.from(bytes))).toBe(0);
  });

  it('is the number of seconds under [9], also behind the name that newer Nodes put before it', () => {
    const session = Buffer.from([0x30, 0x06, 0xa9, 0x04, 0x02, 0x02, 0x1c, 0x20]);
    expect(lifetimeOf(session)).toBe(7200);
    const named = Buffer.concat([Buffer.from('\0nodejs:tls:session:1\0\0\x09localhost'), session]);
    expect(lifetimeOf(named)).toBe(7200);
  });
});

const portOf = (url: string): string => new URL(url).port;
