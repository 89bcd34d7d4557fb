/**
 * S18: who can write into the cache folder alone gets no key: neither by code and TLS sessions that were made elsewhere, nor
 * by the files of this machine, changed or moved.
 */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeConnector } from '../../src/client/transport/connector.ts';
import { type KeptSession, sessionKeyOf } from '../../src/client/transport/tls.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { tlsSessionStore } from '../../src/startup/tls-session-store.ts';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { isExecutable, runBuilt, runProgram } from '../support/built.ts';
import { filesBelow } from '../support/canary.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { expectHeld } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import { anAuthority, type Issued } from '../support/tls.ts';

const GOAL = 'S18 the cache folder';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Service {
  url: string;
  port: number;
  keys: string[];
  /** Of each request. */
  resumed: boolean[];
}

/** A service that believes anybody and records the keys it is sent. */
async function aService({ key, cert }: Issued): Promise<Service> {
  const keys: string[] = [];
  const resumed: boolean[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    keys.push(request.headers.authorization ?? 'none');
    resumed.push(request.socket instanceof TLSSocket && request.socket.isSessionReused());
    response.end(JSON.stringify(succeeded(anAccount())));
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  return { url: `https://127.0.0.1:${port.toString()}/v2`, port, keys, resumed };
}

async function aWay(): Promise<
  Omit<Service, 'url' | 'port'> & { home: string; env: Record<string, string> }
> {
  const authority = await anAuthority();
  const { url, keys, resumed } = await aService(await authority.issue());
  const home = temporaryFolder();
  const caFile = join(home, 'known.pem');
  writeFileSync(caFile, authority.ca, { mode: 0o600 });
  return {
    home,
    keys,
    resumed,
    env: { HEDGE_HOME: home, HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: url, HEDGE_CA_FILE: caFile },
  };
}

/** The program of somebody else, with the build ID of ours and code that takes the key; and where it puts it. */
function aStrangersProgram(): { program: string; stolen: string } {
  const folder = temporaryFolder();
  const stolen = join(folder, 'stolen');
  for (const name of ['bin', 'dist/program', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of readdirSync(join(folder, 'dist/program')).filter((each) => each.endsWith('.cjs'))) {
    const path = join(folder, 'dist/program', name);
    const steals = `;require("node:fs").appendFileSync(${JSON.stringify(stolen)},process.env.HEDGE_API_KEY??"");`;
    if (!name.startsWith('start-') && name !== 'start.cjs')
      writeFileSync(path, `${steals}${readFileSync(path, 'utf8')}`);
  }
  return { program: join(folder, 'bin/hedge.js'), stolen };
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

// An executable has its code inside.
describe.skipIf(isExecutable)('compiled code in the cache', () => {
  it.each(['account', '--help', 'profile list'])(
    'that a stranger made with a changed program does not run: %s',
    async (line) => {
      const { home, env } = await aWay();
      const words = line.split(' ');
      const { program, stolen } = aStrangersProgram();
      const theirs = temporaryFolder();
      for (let run = 0; run < 3; run++) {
        const ran = await runProgram(process.execPath, [program, ...words], {
          env: { ...env, HEDGE_HOME: theirs },
        });
        expect(ran.code).toBe(0);
      }
      expect(isThere(stolen)).toBe(true);
      for (const own of [false, true]) {
        if (own) for (let run = 0; run < 2; run++) await runBuilt(words, { env });
        rmSync(stolen);
        rmSync(join(home, 'cache'), { recursive: true, force: true });
        cpSync(join(theirs, 'cache'), join(home, 'cache'), { recursive: true });
        const ran = await runBuilt(words, { env });
        expectHeld(GOAL, {
          runs: 1,
          wrong: [
            ...(isThere(stolen) ? [`its code took ${readFileSync(stolen, 'utf8')}`] : []),
            ...(ran.code === 0 ? [] : [`${words.join(' ')} ended with ${String(ran.code)}: ${ran.err}`]),
          ],
        });
        writeFileSync(stolen, '');
      }
    },
  );

  it('that was changed, cut or moved in its place does not run', async () => {
    const { home, env } = await aWay();
    for (const words of [['account'], ['--help']])
      for (let run = 0; run < 2; run++) await runBuilt(words, { env });
    const [account = '', help = ''] = filesBelow(join(home, 'cache', 'code')).toSorted();
    const stolen = join(home, 'stolen');
    const whole = readFileSync(account);
    const text = whole.toString('latin1');
    const steals = `require("node:fs").writeFileSync(${JSON.stringify(stolen)},"");`;
    const at =
      text.indexOf('(function(exports,require,module){') + '(function(exports,require,module){'.length;
    expect(at).toBeGreaterThan('(function(exports,require,module){'.length);
    const inPlace = Buffer.from(text.slice(0, at) + steals + text.slice(at + steals.length), 'latin1');
    const wrong: string[] = [];
    for (const [what, change] of [
      ['changed', () => writeFileSync(account, inPlace)],
      ['cut', () => writeFileSync(account, whole.subarray(0, -1))],
      ['empty', () => writeFileSync(account, '')],
      ['moved', () => renameSync(help, account)],
    ] as const) {
      change();
      const ran = await runBuilt(['account', '--json'], { env });
      const plain = await runBuilt(['account'], { env });
      if (isThere(stolen)) wrong.push(`${what} code ran`);
      for (const { code, err } of [ran, plain]) if (code !== 0) wrong.push(`${what}: ${String(code)} ${err}`);
      rmSync(stolen, { force: true });
    }
    expectHeld(GOAL, { runs: 4, wrong });
  });
});

describe('a TLS session in the cache', () => {
  it('that a stranger made with a server of their own does not lead the key there', async () => {
    const stranger = await anAuthority('Stranger');
    const { url, port, keys } = await aService(await stranger.issue());
    const theirs = temporaryFolder();
    const placesIn = (home: string) =>
      pathsOf({ env: { HEDGE_HOME: home }, host: { platform: 'linux', uid: process.geteuid?.() }, home });
    const variant = `${process.versions.node} ${process.versions.openssl}`;
    const store = tlsSessionStore(placesIn(theirs), testMachine(systemClock), variant);
    const made: KeptSession[] = [];
    // They trust their own authority, and keep the session under the name that another list of authorities has.
    const connector = makeConnector({
      clock: systemClock,
      trust: { ca: [stranger.ca], roots: true },
      tunnel: undefined,
      sessions: { find: () => undefined, refuse: () => undefined, keep: (_place, kept) => made.push(kept) },
    });
    const socket = await connector.connect({ host: '127.0.0.1', port });
    socket.write('GET /v2/account HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => socket.resume().once('close', resolve));
    connector.close();
    const [kept] = made;
    if (kept === undefined) throw new Error('the stranger’s server gave no session');
    store.keep(sessionKeyOf({ host: '127.0.0.1', port }, { ca: [], roots: true }), kept);
    keys.length = 0;

    const wrong: string[] = [];
    for (const withOwn of [false, true]) {
      const home = temporaryFolder();
      const way = { HEDGE_HOME: home, HEDGE_API_KEY: SANDBOX_KEY };
      // A secret of its own is there once anything was kept.
      if (withOwn)
        for (let run = 0; run < 2; run++) await runBuilt(['--help'], { env: { HEDGE_HOME: home } });
      cpSync(join(theirs, 'cache'), join(home, 'cache'), { recursive: true });
      const ran = await runBuilt(['account'], { env: { ...way, HEDGE_BASE_URL: url } });
      if (keys.length > 0) wrong.push(`the stranger has ${keys.join(', ')}`);
      if (ran.code !== 5) wrong.push(`it ended with ${String(ran.code)}: ${ran.err}`);
    }
    expectHeld(GOAL, { runs: 2, wrong });
  });

  it('of this machine is resumed, and not in the place of another', async () => {
    const one = await aWay();
    for (let run = 0; run < 2; run++) await runBuilt(['account'], { env: one.env });
    const [file = ''] = filesBelow(join(one.home, 'cache', 'tls-sessions'));
    const whole = readFileSync(file);
    for (const harm of [whole.subarray(0, -1), Buffer.from('{}'), Buffer.alloc(0)]) {
      writeFileSync(file, harm);
      expect(await runBuilt(['account'], { env: one.env })).toMatchObject({ code: 0 });
    }
    // A harmed file is replaced by the session of that run, which is not resumed any more once it is harmed again.
    expect(one.resumed).toEqual([false, true, false, false, false]);
  });
});
