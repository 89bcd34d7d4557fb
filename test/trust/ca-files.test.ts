/**
 * S3, by its files: an authority counts only where nobody but this user and root could have named it. Whoever can change or
 * replace a CA file, or the folder that a relative path starts from, gets no key.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { isExecutable, runBuilt } from '../support/built.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { expectHeld } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { keyHome } from '../support/key-home.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import { type Authority, anAuthority } from '../support/tls.ts';

const GOAL = 'S3 CA files';
const NOBODY = 65_534;
const ORDINARY = 1_000;
const isRoot = process.geteuid?.() === 0;
/** Where Linux keeps the system's authorities. */
const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

let authority: Authority;
let url: string;
const keys: string[] = [];
const server = { close: (): Promise<void> => Promise.resolve() };
beforeAll(async () => {
  authority = await anAuthority();
  const { key, cert } = await authority.issue();
  const service = createServer({ key, cert }, (request, response) => {
    keys.push(request.headers.authorization ?? 'none');
    response.end(JSON.stringify(succeeded(anAccount())));
  });
  url = `https://127.0.0.1:${(await listen(service)).toString()}/v2`;
  server.close = () => close(service);
});
afterAll(() => server.close());

/** How a file names authorities: an environment, given the path and a home. */
type Way = (path: string, home: string) => Record<string, string>;
const pair = (home: string) => ({ HEDGE_HOME: home, HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: url });
const WAYS: readonly (readonly [name: string, way: Way])[] = [
  ['HEDGE_CA_FILE', (path, home) => ({ ...pair(home), HEDGE_CA_FILE: path })],
  ['NODE_EXTRA_CA_CERTS', (path, home) => ({ ...pair(home), NODE_EXTRA_CA_CERTS: path })],
  [
    'the profile',
    (path) => ({
      HEDGE_HOME: keyHome({ HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: url, HEDGE_CA_FILE: path }),
    }),
  ],
  // An executable takes no options of Node.
  ...(isExecutable
    ? []
    : ([
        [
          'SSL_CERT_FILE',
          (path, home) => ({ ...pair(home), NODE_OPTIONS: '--use-openssl-ca', SSL_CERT_FILE: path }),
        ],
      ] as const satisfies readonly (readonly [string, Way])[])),
];

/** Writes the stranger's authority into a folder of this user, and gives the path. */
const written = (folder: string, mode = 0o644): string => {
  const path = join(folder, 'ca.pem');
  writeFileSync(path, authority.ca);
  chmodSync(path, mode);
  return path;
};

interface Place {
  what: string;
  /** Gives the path to name, and the working folder. */
  arrange(): { path: string; from?: string };
}

const below = (mode: number): string => {
  const folder = join(temporaryFolder(), 'folder');
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
};

const FOREIGN: readonly Place[] = [
  { what: 'a file that all may write', arrange: () => ({ path: written(temporaryFolder(), 0o646) }) },
  { what: 'a file that its group may write', arrange: () => ({ path: written(temporaryFolder(), 0o664) }) },
  { what: 'a file in a folder that all may write', arrange: () => ({ path: written(below(0o777)) }) },
  {
    what: 'a link to a file in a folder that all may write',
    arrange() {
      const path = join(temporaryFolder(), 'link.pem');
      symlinkSync(written(below(0o777)), path);
      return { path };
    },
  },
  {
    what: 'a relative path',
    arrange: () => {
      const from = temporaryFolder();
      written(from);
      return { path: 'ca.pem', from };
    },
  },
  {
    what: 'a relative path with a dot',
    arrange: () => {
      const from = temporaryFolder();
      written(from);
      return { path: './ca.pem', from };
    },
  },
  ...(isRoot
    ? ([
        {
          what: 'a file of another user',
          arrange() {
            const path = written(temporaryFolder());
            chownSync(path, NOBODY, NOBODY);
            return { path };
          },
        },
        {
          what: 'a file in a folder of another user',
          arrange() {
            const folder = below(0o755);
            const path = written(folder);
            chownSync(folder, NOBODY, NOBODY);
            return { path };
          },
        },
        {
          what: 'a link of another user in a shared folder',
          arrange() {
            const folder = below(0o1777);
            symlinkSync(written(temporaryFolder()), join(folder, 'link.pem'));
            lchownSync(join(folder, 'link.pem'), NOBODY, NOBODY);
            return { path: join(folder, 'link.pem') };
          },
        },
      ] satisfies Place[])
    : []),
];

const run = (words: readonly string[], env: Record<string, string>, from = '/') =>
  runHedge(words, { env, from });

describe('a CA file', () => {
  it.each(FOREIGN)('that is $what leads no key to its authority', async ({ arrange }) => {
    const wrong: string[] = [];
    for (const [name, way] of WAYS) {
      const { path, from } = arrange();
      for (const line of ['account', 'open USDTNGN buy 10k --tenor 3 --yes', 'doctor']) {
        keys.length = 0;
        const { code, err, out } = await run(line.split(' '), way(path, temporaryFolder()), from);
        const told = `${name}, ${line}: ${String(code)} ${err}${out}`;
        if (keys.length > 0) wrong.push(`the stranger has ${keys.join(', ')}: ${told}`);
        if (code !== (line === 'doctor' ? 11 : 78)) wrong.push(`it ended otherwise: ${told}`);
        if (line === 'account' && !err.replaceAll(/\s+/g, ' ').includes('only you or root can write'))
          wrong.push(`it does not say what to do: ${told}`);
      }
    }
    expectHeld(GOAL, { runs: WAYS.length * 3, wrong });
  });

  it('that is foreign leads no key there when a profile is added', async () => {
    const wrong: string[] = [];
    for (const { what, arrange } of FOREIGN.filter((place) => !place.what.includes('relative'))) {
      const { path, from } = arrange();
      keys.length = 0;
      const words = [
        'profile',
        'add',
        'desk',
        '--base-url',
        url,
        '--key-command',
        `["echo","${SANDBOX_KEY}"]`,
      ];
      const ran = await run([...words, '--ca-file', path], { HEDGE_HOME: temporaryFolder() }, from);
      if (keys.length > 0 || ran.code !== 78)
        wrong.push(`${what}: ${String(ran.code)} ${keys.join(', ')} ${ran.err}`);
    }
    expectHeld(GOAL, { runs: FOREIGN.length, wrong });
  });

  it.each(WAYS)(
    'of this user is believed (%s), in a folder shared as /tmp is and behind a link',
    async (name, way) => {
      // What Node itself reads at its start.
      const start = name === 'SSL_CERT_FILE' ? runBuilt : runHedge;
      const shared = below(0o1777);
      const link = join(temporaryFolder(), 'link.pem');
      symlinkSync(written(temporaryFolder(), 0o600), link);
      for (const path of [written(temporaryFolder()), written(shared), link]) {
        keys.length = 0;
        expect(await start(['account'], { env: way(path, temporaryFolder()) })).toMatchObject({ code: 0 });
        expect(keys).not.toEqual([]);
      }
    },
  );

  it.runIf(isRoot).each(WAYS.filter(([name]) => name !== 'the profile'))(
    'of root is believed for every user (%s)',
    async (_, way) => {
      const folder = below(0o755);
      chmodSync(join(folder, '..'), 0o755);
      const home = temporaryFolder();
      chownSync(home, ORDINARY, ORDINARY);
      const ran = await runBuilt(['account'], { env: way(written(folder), home), from: '/', uid: ORDINARY });
      expect(ran).toMatchObject({ code: 0 });
    },
  );

  it.runIf(existsSync(SYSTEM_BUNDLE)).each(WAYS)(
    'of the system is used (%s), and does not name this service',
    async (_, way) => {
      keys.length = 0;
      expect(await run(['account'], way(SYSTEM_BUNDLE, temporaryFolder()))).toMatchObject({ code: 5 });
      expect(keys).toEqual([]);
    },
  );

  it('given by a relative path is stored with its full path, from where it was given', async () => {
    const from = temporaryFolder();
    written(from);
    const home = temporaryFolder();
    const words = ['profile', 'add', 'desk', '--base-url', url, '--key-command', `["echo","${SANDBOX_KEY}"]`];
    const added = await run([...words, '--ca-file', 'ca.pem'], { HEDGE_HOME: home }, from);
    expect(added).toMatchObject({ code: 0 });
    const elsewhere = temporaryFolder();
    cpSync(join(from, 'ca.pem'), join(elsewhere, 'ca.pem'));
    const env = { HEDGE_HOME: home, HEDGE_PROFILE: 'desk' };
    expect(await run(['account'], env, elsewhere)).toMatchObject({ code: 0 });
  });
});
