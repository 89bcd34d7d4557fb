/**
 * S3: of every certificate a service could show, only that of an authority which was named is believed, by every
 * command and however Node was told to look away; nobody else hears one byte. Without TLS nobody is asked at all.
 */
import { writeFileSync } from 'node:fs';
import { createServer as createService } from 'node:https';
import { createServer as createPlainServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { runBuilt } from '../support/built.ts';
import { LIVE_KEY, SANDBOX_KEY } from '../support/cli-for.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import { type Authority, anAuthority, type Issued, inDays } from '../support/tls.ts';

const GOAL = 'S3 TLS';
let known: Authority;
beforeAll(async () => {
  known = await anAuthority('Known');
});

const BAD: readonly [what: string, show: () => Promise<Issued>][] = [
  ['of an unknown authority', async () => (await anAuthority()).issue()],
  ['of an authority of the same name', async () => (await anAuthority('Known')).issue()],
  ['that has expired', () => known.issue({ from: inDays(-9), until: inDays(-2) })],
  ['that is not valid yet', () => known.issue({ from: inDays(2), until: inDays(9) })],
  ['of another host', () => known.issue({ hosts: ['wrong.example'] })],
  ['of another address', () => known.issue({ hosts: ['127.0.0.2', 'localhost'] })],
  ['of hosts of a kind', () => known.issue({ hosts: ['*.0.0.1', '*'] })],
];

/** What would look away, elsewhere. */
const LOOKING_AWAY: readonly Readonly<Record<string, string>>[] = [
  {},
  { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
  {
    NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=ALL',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_NO_WARNINGS: '1',
  },
];

const LINES: readonly string[] = [
  'account',
  'open USDTNGN buy 10k --tenor 3 --yes',
  'close USDTNGN buy --yes',
  'api GET /account',
  'markets',
  'batch -',
  'doctor',
  'profile add other --base-url URL --key-stdin',
];

/** A server that believes anybody and keeps every byte it is told. */
async function listener(issued: Issued): Promise<{ url: string; heard: () => string }> {
  const heard: Buffer[] = [];
  const server = createTlsServer({ key: issued.key, cert: issued.cert, minVersion: 'TLSv1' }, (socket) => {
    socket.once('data', (part) => {
      heard.push(part);
      socket.destroy();
    });
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  onTestFinished(() => close(server));
  return {
    url: `https://127.0.0.1:${port.toString()}/v2`,
    heard: () => Buffer.concat(heard).toString('latin1'),
  };
}

/** The environment that leads there and names the authority in `trust`; none otherwise. */
function wayTo(url: string, trust: 'HEDGE_CA_FILE' | 'NODE_EXTRA_CA_CERTS' | undefined, key = SANDBOX_KEY) {
  const home = temporaryFolder();
  const caFile = join(home, 'known.pem');
  writeFileSync(caFile, known.ca);
  const named = trust === undefined ? {} : { [trust]: caFile };
  return { HEDGE_HOME: home, HEDGE_API_KEY: key, HEDGE_BASE_URL: url, ...named };
}

const TRUSTS = ['HEDGE_CA_FILE', 'NODE_EXTRA_CA_CERTS', undefined] as const;

describe('a certificate', () => {
  it.each(BAD)('%s is believed by no command, and nobody hears a byte', async (_what, show) => {
    const { url, heard } = await listener(await show());
    const wrong: string[] = [];
    const cases = LINES.flatMap((line) =>
      TRUSTS.flatMap((trust) => LOOKING_AWAY.map((away) => ({ line, trust, away }))),
    );
    const tried = spread(cases, 17, 2);
    for (const { line, trust, away } of tried) {
      const env = { ...wayTo(url, trust), ...away };
      const ran = await runBuilt(line.replace('URL', url).split(' '), { env, stdin: stdinOf(line) });
      const ends = line === 'doctor' ? 11 : 5;
      const told = `${line}, ${trust ?? 'none'}, ${JSON.stringify(away)}: ${String(ran.code)} ${ran.err}`;
      if (ran.code !== ends) wrong.push(`it ends otherwise: ${told}`);
      if (heard() !== '') wrong.push(`it was heard: ${heard().slice(0, 200)}, ${told}`);
    }
    expectHeld(GOAL, { runs: tried.length, wrong });
  });

  it.each(['HEDGE_CA_FILE', 'NODE_EXTRA_CA_CERTS', 'the profile', 'nobody'] as const)(
    'that is good is believed when its authority is named by %s',
    async (trust) => {
      const { key, cert } = await known.issue();
      const server = createService({ key, cert }, (_request, response) => {
        response.end(JSON.stringify(succeeded(anAccount())));
      });
      const url = `https://127.0.0.1:${(await listen(server)).toString()}/v2`;
      onTestFinished(() => close(server));
      const isVariable = trust !== 'the profile' && trust !== 'nobody';
      const env = wayTo(url, isVariable ? trust : undefined);
      const words = ['profile', 'add', 'desk', '--base-url', url, '--key-stdin'];
      const { HEDGE_API_KEY: _key, HEDGE_BASE_URL: _url, ...alone } = env;
      const caFile = join(env.HEDGE_HOME, 'known.pem');
      const ran =
        trust === 'the profile'
          ? await runBuilt([...words, '--ca-file', caFile], { env: alone, stdin: SANDBOX_KEY })
          : await runBuilt(['account'], { env });
      expectHeld(GOAL, { runs: 1, wrong: ran.code === (trust === 'nobody' ? 5 : 0) ? [] : [ran.err] });
    },
  );

  it('of an authority that is taken out of its file again is not believed any more, a session kept or not', async () => {
    const { key, cert } = await known.issue();
    const server = createService({ key, cert }, (_request, response) => {
      response.end(JSON.stringify(succeeded(anAccount())));
    });
    const url = `https://127.0.0.1:${(await listen(server)).toString()}/v2`;
    onTestFinished(() => close(server));
    const env = wayTo(url, 'HEDGE_CA_FILE');
    expect(await runBuilt(['account'], { env })).toMatchObject({ code: 0 });
    writeFileSync(join(env.HEDGE_HOME, 'known.pem'), (await anAuthority()).ca);
    const ran = await runBuilt(['account'], { env });
    expectHeld(GOAL, { runs: 1, wrong: ran.code === 5 ? [] : [`${String(ran.code)} ${ran.err}`] });
  });
});

describe('an address without TLS', () => {
  it.each([
    ['http:', SANDBOX_KEY],
    ['http:', LIVE_KEY],
    ['HTTP:', LIVE_KEY],
    ['ws:', SANDBOX_KEY],
    ['', SANDBOX_KEY],
  ])('(%s) is asked by nobody', async (scheme, key) => {
    const knocks: Socket[] = [];
    const server = createPlainServer((socket) => void knocks.push(socket.on('error', () => undefined)));
    const port = await listen(server);
    onTestFinished(() => close(server));
    const wrong: string[] = [];
    for (const line of ['account', 'open USDTNGN buy 10k --tenor 3 --yes --expect-env live', 'doctor']) {
      const env = wayTo(`${scheme}//127.0.0.1:${port.toString()}/v2`, undefined, key);
      const ran = await runBuilt(line.split(' '), { env });
      if (ran.code === 0 || knocks.length > 0)
        wrong.push(`${line}: ${String(ran.code)} ${knocks.length.toString()}`);
    }
    expectHeld(GOAL, { runs: 3, wrong });
  });

  it('would be seen to be asked', async () => {
    const { url, heard } = await listener(await known.issue());
    const env = wayTo(url, 'HEDGE_CA_FILE');
    await runBuilt(['account', '-q'], { env });
    expect(heard()).toContain(SANDBOX_KEY);
  });
});

const stdinOf = (line: string): string => (line.startsWith('batch') ? 'account\n' : SANDBOX_KEY);
