import { chmodSync, existsSync, lstatSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionOptions } from '../../src/client/connect.ts';
import {
  type AgentState,
  agentSocketOf,
  agentStateIn,
  askAgent,
  whyNotOwnSocket,
} from '../../src/client/transport/agent-socket.ts';
import { hostOf } from '../../src/platform/host.ts';
import { eventually } from '../support/eventually.ts';
import {
  BUILD,
  type CountingService,
  countingService,
  HOUR_MS,
  type OwnAgent,
  ownAgent,
  warm,
} from '../support/own-agent.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { CANARY, connected, rejection } from '../support/scripted-client.ts';
import { anAuthority } from '../support/tls.ts';

const LOOK_MS = 10_000;
const LEASE_MS = 100;
const LINE_MS = 1_000;
const SILENT_MS = 60_000;
const OPEN_FOR_MS = 50_000;
const REFILLED_AFTER_MS = 250;

const throughIt = (
  service: CountingService,
  { access }: Pick<OwnAgent, 'access'>,
  more: Partial<ConnectionOptions> = {},
) => connected(service.url, { ca: [service.ca], agent: access, ...more });

async function stateOf({ socket }: OwnAgent): Promise<AgentState> {
  const state = agentStateIn(await askAgent(socket.path, 'status', { after: () => () => undefined }));
  return state ?? expect.fail('it does not answer');
}

/** Whether its one request went over a connection that was opened for it, not over one of the agent's. */
async function connectsByItself(
  service: CountingService,
  agent: OwnAgent,
  more: Partial<ConnectionOptions> = {},
): Promise<boolean> {
  await warm(service);
  const open = new Set(service.connections);
  const { api } = throughIt(service, agent, more);
  await api.account();
  return service.requests.length === 1 && !open.has(service.requests[0] ?? 0);
}

describe.each([
  ['a single command', false],
  ['a long conversation', true],
])('the agent, for %s', (_, pooled) => {
  it('gives each request that is asked at once a connection that was open before', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    const open = new Set(service.connections);
    const { api, close } = throughIt(service, agent, { pooled });
    await Promise.all([api.account(), api.account(), api.account()]);
    expect(service.requests.every((port) => open.has(port))).toBe(true);
    expect(new Set(service.requests).size).toBe(3);
    await api.account();
    expect(new Set(service.requests).size).toBe(3);
    await close();
    agent.clock.fire(REFILLED_AFTER_MS);
    await eventually(() => service.connections.length >= 11);
    expect(await stateOf(agent)).toMatchObject({ origin: service.origin, version: '1.2.3', leases: 3 });
  });

  it('gives no connection twice: what one command left on it reaches no other', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    for (let command = 0; command < 5; command += 1) {
      await eventually(() => service.connections.length >= 8 + command);
      const { api, close } = throughIt(service, agent, { pooled });
      await api.account();
      await close();
      agent.clock.fire(REFILLED_AFTER_MS);
    }
    expect(new Set(service.requests).size).toBe(5);
  });

  it('is not needed: a command connects by itself once it has ended', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    agent.run.stop();
    await agent.run.ended;
    const { api } = throughIt(service, agent, { pooled });
    await api.account();
    expect(service.requests).toHaveLength(1);
  });
});

describe('the agent is not used', () => {
  it('when its socket belongs to another user', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const host = { uid: (process.geteuid?.() ?? 0) + 1 };
    expect(whyNotOwnSocket(agent.socket.path, host)).toContain('other users');
    expect(await connectsByItself(service, { ...agent, access: { ...agent.access, host } })).toBe(true);
  });

  it.each(['750', '701', '777'])('when others can enter its folder, mode %s', async (mode) => {
    const service = await countingService();
    const agent = await ownAgent(service);
    chmodSync(dirname(agent.socket.path), Number.parseInt(mode, 8));
    expect(await connectsByItself(service, agent)).toBe(true);
  });

  it('when its socket is a link', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const { path } = agent.socket;
    renameSync(path, `${path}.real`);
    symlinkSync(`${path}.real`, path);
    expect(whyNotOwnSocket(path, hostOf(process))).toContain('link');
    expect(await connectsByItself(service, agent)).toBe(true);
  });

  it('when its folder is a link', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const folder = dirname(agent.socket.path);
    renameSync(folder, `${folder}-real`);
    symlinkSync(`${folder}-real`, folder);
    expect(await connectsByItself(service, agent)).toBe(true);
  });

  it.each<[string, (service: CountingService, other: string) => Partial<ConnectionOptions>]>([
    ['other CA certificates', (service, other) => ({ ca: [service.ca, other] })],
    ["Node's list too", () => ({ roots: true })],
    [
      'another host name of the same service',
      (service) => ({ baseUrl: service.url.replace('127.0.0.1', 'localhost') }),
    ],
  ])('for %s', async (_, differently) => {
    const service = await countingService();
    const { ca } = await anAuthority();
    expect(await connectsByItself(service, await ownAgent(service), differently(service, ca))).toBe(true);
  });

  it('by another build of hedge', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    expect(
      await connectsByItself(service, { ...agent, access: { ...agent.access, build: 'another build' } }),
    ).toBe(true);
  });

  it('when it is the agent of another service at this socket: it checks the route itself', async () => {
    const [service, other] = [await countingService(), await countingService()];
    const home = temporaryFolder();
    const foreign = await ownAgent(other, { home });
    const { origin, ca } = service;
    const own = agentSocketOf(join(home, 'agent'), {
      origin,
      trust: { ca: [ca], roots: false },
      build: BUILD,
    });
    renameSync(foreign.socket.path, own?.path ?? '');
    const { api } = throughIt(service, foreign);
    await api.account();
    expect(service.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(0);
  });

  it.each([
    ['something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['that it has none', 'none\n'],
    ['nothing, and hangs up', ''],
  ])('when what listens there answers %s', async (_, answer) => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const heard = await fakeAgent(agent, (client) => client.end(answer));
    expect(await connectsByItself(service, agent)).toBe(true);
    expect(heard.join('')).not.toContain(CANARY);
  });

  it('when it does not answer at once', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const heard = await fakeAgent(agent, () => undefined);
    const { api, clock } = throughIt(service, agent);
    const read = api.account();
    await eventually(() => heard.length > 0);
    clock.fire(LEASE_MS);
    await read;
    expect(service.requests).toHaveLength(1);
    expect(heard.join('')).not.toContain(CANARY);
  });
});

/** In the place of the agent's socket. */
async function fakeAgent({ socket }: OwnAgent, answer: (client: Socket) => void): Promise<string[]> {
  const heard: string[] = [];
  renameSync(socket.path, `${socket.path}.real`);
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.on('data', (chunk) => heard.push(chunk.toString()));
    answer(client);
  });
  await new Promise<void>((resolve) => server.listen(socket.path, resolve));
  onTestFinished(() => void server.close());
  return heard;
}

describe('the agent and its service', () => {
  it('verifies as each command does: without a trusted certificate it does not start', async () => {
    const service = await countingService();
    const { ca } = await anAuthority();
    const failure = await rejection(ownAgent({ ...service, ca }));
    expect(failure).toMatchObject({ parts: { kind: 'tls', phase: 'never_sent' } });
  });

  it('listens in a folder whose path leaves its socket no more room', async () => {
    const service = await countingService();
    const folder = temporaryFolder();
    const home = join(folder, 'h'.repeat(74 - folder.length));
    const host = hostOf(process);
    const agent = await ownAgent(service, {
      home,
      host: { ...host, self: { ...host.self, pid: 4_194_304 } },
    });
    expect(agent.socket.path).toHaveLength(103);
    expect(await connectsByItself(service, agent)).toBe(false);
  });

  it('has no connection for anybody once the certificate has changed to an untrusted one', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    service.certificate(await (await anAuthority()).issue());
    service.dropIdle();
    // After a failure, another try: a second later, and then two.
    await eventually(() => agent.clock.running().includes(1_000));
    agent.clock.fire(1_000);
    await eventually(() => agent.clock.running().includes(2_000));
    const { api } = throughIt(service, agent);
    expect(await rejection(api.account())).toMatchObject({ what: expect.stringContaining('certificate') });
    expect(service.requests).toHaveLength(0);
  });

  it('renews what it keeps before the service drops it, and sooner where the service was sooner', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 8);
    agent.clock.fire(OPEN_FOR_MS);
    await eventually(() => service.connections.length === 16);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 8);
    agent.clock.advance(20_000);
    service.dropIdle();
    await eventually(() => service.connections.length >= 24);
    await eventually(() => agent.clock.running().filter((ms) => ms === 14_000).length === 8);
    expect(agent.clock.running()).not.toContain(OPEN_FOR_MS);
  });

  it('gives away none that was open while the machine slept: the service has dropped it long ago', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    agent.clock.jump(600_000);
    const before = new Set(service.connections);
    await throughIt(service, agent).api.account();
    expect(service.requests.filter((port) => before.has(port))).toEqual([]);
    await eventually(() => service.connections.length === 17);
  });

  it('keeps two connections after ten minutes without use, and eight again once it is used', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 8);
    agent.clock.advance(600_000);
    agent.clock.fire(OPEN_FOR_MS);
    await eventually(() => service.connections.length === 10);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 2);
    expect((await stateOf(agent)).ready).toBe(2);
    await throughIt(service, agent).api.account();
    agent.clock.fire(REFILLED_AFTER_MS);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 8);
  });

  it('opens no other while a command works, unless it gave its last one away', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    await warm(service);
    const one = throughIt(service, agent);
    await Promise.all(Array.from({ length: 7 }, async () => one.api.account()));
    expect(service.connections).toHaveLength(8);
    expect(agent.clock.running()).toContain(REFILLED_AFTER_MS);
    await throughIt(service, agent).api.account();
    await eventually(() => service.connections.length === 16);
  });

  it('carries ten thousand requests of a hundred commands, and keeps nothing of them', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    for (let command = 0; command < 100; command += 1) {
      const { api, close } = connected(service.url, { ca: [service.ca], agent: agent.access });
      for (let request = 0; request < 100; request += 1) await api.account();
      await close();
    }
    expect(service.requests).toHaveLength(10_000);
    agent.clock.fire(REFILLED_AFTER_MS);
    await eventually(() => agent.clock.running().filter((ms) => ms === OPEN_FOR_MS).length === 8);
    await eventually(() => agent.clock.running().every((ms) => ms !== SILENT_MS));
    expect(await stateOf(agent)).toMatchObject({ leased: 0, ready: 8 });
  });
});

describe('a client of the agent', () => {
  const opened = async ({ socket }: OwnAgent, line: string) => {
    const client = connectSocket(socket.path);
    onTestFinished(() => void client.destroy());
    const seen = { text: '', closed: false };
    client.on('data', (chunk) => (seen.text += chunk.toString()));
    client.on('error', () => undefined).on('close', () => (seen.closed = true));
    await new Promise((resolve) => client.once('connect', resolve));
    client.write(line);
    return { client, seen };
  };

  it('that says nothing is cut off after a second', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const { seen } = await opened(agent, '');
    await eventually(() => agent.clock.running().includes(LINE_MS));
    agent.clock.fire(LINE_MS);
    await eventually(() => seen.closed);
    expect(seen.text).toBe('');
  });

  it.each([
    ['another route', `lease ${'0'.repeat(64)}\n`],
    ['a line without an end', 'x'.repeat(200)],
    ['a request', 'GET /account HTTP/1.1\r\n\r\n'],
  ])('that says %s is cut off', async (_, line) => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const { seen } = await opened(agent, line);
    await eventually(() => seen.closed);
    expect(seen.text).toBe('');
    expect((await stateOf(agent)).leases).toBe(0);
  });

  it('that hangs with a connection loses it after a minute', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const { seen } = await opened(agent, `lease ${agent.socket.route}\n`);
    await eventually(() => seen.text === 'leased\n');
    expect((await stateOf(agent)).leased).toBe(1);
    agent.clock.fire(SILENT_MS);
    await nextTurn();
    agent.clock.fire(SILENT_MS);
    await eventually(() => seen.closed);
    expect((await stateOf(agent)).leased).toBe(0);
  });

  it('that is killed frees its connection', async () => {
    const service = await countingService();
    const agent = await ownAgent(service);
    const { client, seen } = await opened(agent, `lease ${agent.socket.route}\n`);
    await eventually(() => seen.text === 'leased\n');
    client.destroy();
    await eventually(() => agent.clock.running().every((ms) => ms !== SILENT_MS));
    expect((await stateOf(agent)).leased).toBe(0);
  });
});

describe('the agent ends', () => {
  const look = ({ clock }: OwnAgent): void => clock.fire(LOOK_MS);

  it('after its time, after an hour without use, and leaves no socket', async () => {
    const service = await countingService();
    const long = await ownAgent(service);
    expect(lstatSync(long.socket.path).mode & 0o777).toBe(0o600);
    long.clock.advance(HOUR_MS - 2 * LOOK_MS);
    look(long);
    expect(long.ends).toEqual([]);
    look(long);
    expect(long.ends).toEqual(['unused']);
    expect(existsSync(long.socket.path)).toBe(false);
    await long.run.ended;

    const used = await ownAgent(service);
    used.clock.advance(8 * HOUR_MS - LOOK_MS);
    await throughIt(service, used).api.account();
    look(used);
    expect(used.ends).toEqual(['its time is over']);
  });

  it('when another version of the program is installed', async () => {
    const agent = await ownAgent(await countingService());
    look(agent);
    expect(agent.ends).toEqual([]);
    renameSync(agent.program, `${agent.program}.old`);
    writeFileSync(agent.program, 'new');
    look(agent);
    expect(agent.ends).toEqual(['another version was installed']);
  });

  it('when the login ends that it was started in', async () => {
    const host = hostOf(process);
    let login: 'running' | 'gone' | 'unknown' = 'running';
    const agent = await ownAgent(await countingService(), {
      session: host.self,
      host: { ...host, self: host.self, judge: () => login },
    });
    look(agent);
    login = 'unknown';
    look(agent);
    expect(agent.ends).toEqual([]);
    login = 'gone';
    look(agent);
    expect(agent.ends).toEqual(['logged out']);
  });

  it('when another agent took its place, whose socket it leaves alone', async () => {
    const service = await countingService();
    const home = temporaryFolder();
    const first = await ownAgent(service, { home });
    const second = await ownAgent(service, { home });
    look(first);
    expect(first.ends).toEqual(['its socket is gone']);
    await first.run.ended;
    expect((await stateOf(second)).leases).toBe(0);
  });

  it('when it is stopped; a command that has a connection keeps it', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const service = await countingService(() => held);
    const agent = await ownAgent(service);
    const read = throughIt(service, agent).api.account();
    await eventually(() => service.requests.length === 1);
    expect(await askAgent(agent.socket.path, 'stop', agent.clock)).toBe('stopped\n');
    expect(existsSync(agent.socket.path)).toBe(false);
    answer();
    expect((await read).data).toBeDefined();
    expect(service.requests).toHaveLength(1);
  });
});
