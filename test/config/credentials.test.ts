import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { addedCertificates } from '../../src/config/ca-file.ts';
import { keyFromCommand, keyFromFile, keyFromText, readKey } from '../../src/config/credentials.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { testKeychain } from '../support/test-cli.ts';
import { loopbackTls } from '../support/tls.ts';

const KEY = 'hk_test_forTestsAlone0001';
const host = { uid: process.geteuid?.() };
const ports = {
  clock: systemClock,
  env: { PATH: process.env['PATH'] },
  host,
  keychain: testKeychain().keychain,
};
const node = (script: string): [string, ...string[]] => [process.execPath, '-e', script];

/** What was refused, as text: it must hold neither the key nor what was printed. */
async function refusal(read: () => unknown): Promise<string> {
  try {
    await read();
  } catch (error) {
    expect(error).toMatchObject({ code: 'credential_unusable' });
    return error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : '';
  }
  throw new Error('nothing was refused');
}

describe('a key in text', () => {
  it('is one line, blanks around it dropped', () => {
    expect(keyFromText(`  ${KEY}\n`, 'Standard input').reveal()).toBe(KEY);
  });

  it.each(['', '\n', `${KEY}\n${KEY}`, 'sk-1234567890', 'hk_prod_1234567890', `${KEY} x`, `${KEY}\u0007`])(
    'is refused when it is %j, which is not repeated',
    async (text) => {
      const said = await refusal(() => keyFromText(text, 'Standard input'));
      expect(said).toContain('Standard input');
      if (text.trim() !== '') expect(said).not.toContain(text.trim());
    },
  );
});

const US = process.geteuid?.() ?? 0;
const isRoot = US === 0;
const NOBODY = 65_534;
const ORDINARY = 1_000;
const ours = { host: { uid: US }, warn: () => undefined };

describe('a key in a file', () => {
  it('is read, and the file named when it cannot be', async () => {
    const path = join(temporaryFolder(), 'key');
    expect(await refusal(() => keyFromFile(path, ours))).toContain(path);
    writeFileSync(path, `${KEY}\n`, { mode: 0o600 });
    expect((await keyFromFile(path, ours)).environment).toBe('sandbox');
  });

  it.each([0o602, 0o620, 0o666])('is refused where its mode is %o: others can write it', async (mode) => {
    const path = keyFile(mode);
    expect(await refusal(() => keyFromFile(path, ours))).toContain('other users can write it');
  });

  it('is refused in a folder in which every user can replace it', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    const path = keyFile(0o600, US, folder);
    expect(await refusal(() => keyFromFile(path, ours))).toContain('another user could replace it');
  });

  it("is refused where it is another user's", async () => {
    const path = keyFile(0o600, isRoot ? NOBODY : US);
    const { warn } = ours;
    const other = { uid: isRoot ? US : US + 1 };
    expect(await refusal(() => keyFromFile(path, { host: other, warn }))).toContain(
      'belongs to another user',
    );
  });

  it.skipIf(isRoot)('is refused where others can read it', async () => {
    const path = keyFile(0o644);
    expect(await refusal(() => keyFromFile(path, ours))).toContain('other users can read it');
  });

  describe.skipIf(!isRoot)('with real owners', () => {
    it('is refused where an ordinary user lets others read it', async () => {
      const path = keyFile(0o640, ORDINARY);
      const ordinary = { host: { uid: ORDINARY }, warn: () => undefined };
      expect(await refusal(() => keyFromFile(path, ordinary))).toContain('other users can read it');
      chmodSync(path, 0o600);
      expect((await keyFromFile(path, ordinary)).environment).toBe('sandbox');
    });

    it.each([US, ORDINARY])('is taken from a mounted secret with a warning, by user %i', async (uid) => {
      const path = mountedSecret();
      const told: string[] = [];
      const key = await keyFromFile(path, { host: { uid }, warn: (text) => told.push(text) });
      expect(key.environment).toBe('sandbox');
      expect(told).toEqual([expect.stringContaining(path)]);
    });
  });
});

/** A file with the key in it. */
function keyFile(mode: number, owner = US, folder = temporaryFolder()): string {
  const path = join(folder, 'key');
  writeFileSync(path, `${KEY}\n`);
  chmodSync(path, mode);
  if (owner !== US) chownSync(path, owner, owner);
  return path;
}

/** As Kubernetes mounts one: a shared folder of root with links, `key` to `..data/key`, `..data` to what it is now. */
function mountedSecret(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o1777);
  mkdirSync(join(folder, '..2026_11_20'), { mode: 0o755 });
  keyFile(0o444, US, join(folder, '..2026_11_20'));
  symlinkSync('..2026_11_20', join(folder, '..data'));
  symlinkSync(join('..data', 'key'), join(folder, 'key'));
  return join(folder, 'key');
}

describe('a key that a command prints', () => {
  it('is had without a shell, and HEDGE_API_KEY is not there for it to see', async () => {
    const key = await keyFromCommand(node(`console.log(process.env.HEDGE_API_KEY ?? '${KEY}')`), ports);
    expect(key.reveal()).toBe(KEY);
    const literal = await refusal(() => keyFromCommand(['echo', '$(id)'], ports));
    expect(literal).not.toContain('uid=');
  });

  it.each([
    ['is not there', ['/nowhere/at/all'] as [string], /could not be started \(ENOENT\)/],
    ['fails', node(`console.error('${KEY}'); process.exit(3)`), /exited with 3/],
    ['prints nothing', node(''), /contains no API key/],
    ['prints too much', node(`process.stdout.write('x'.repeat(70000))`), /more than a key/],
    ['is killed', node(`process.kill(process.pid, 'SIGKILL')`), /terminated by SIGKILL/],
  ])('is refused when the command %s', async (_what, argv, says) => {
    const said = await refusal(() => keyFromCommand(argv, ports));
    expect(said).toMatch(says);
    expect(said).not.toContain(KEY);
  });

  it('is not waited for longer than its limit', async () => {
    const { after } = systemClock;
    const late = {
      ...systemClock,
      after: (ms: number, then: () => void) => after(ms === 30_000 ? 1 : ms, then),
    };
    const said = await refusal(() =>
      keyFromCommand(node('setTimeout(() => {}, 60000)'), { ...ports, clock: late }),
    );
    expect(said).toContain('no key within 30 s');
  });

  it('is read from the profile that names it', async () => {
    const profile = {
      base_url: 'https://partner.example/v2',
      api_key_command: node(`console.log('${KEY}')`),
      added_at: 'x',
    };
    const selection = {
      kind: 'stored',
      name: 'desk',
      source: 'option',
      keySource: 'command',
      account: undefined,
      profile,
    } as const;
    expect((await readKey(selection, ports)).reveal()).toBe(KEY);
  });
});

describe('whom a connection trusts', () => {
  it('is Node’s own list when nothing is added', () => {
    expect(
      addedCertificates({ profile: undefined, hedge: undefined, node: undefined, system: [] }, host),
    ).toBeUndefined();
  });

  it('is that list and every file that is named', async () => {
    const path = join(temporaryFolder(), 'ca.pem');
    const { ca } = await loopbackTls();
    writeFileSync(path, ca);
    for (const sources of [
      { profile: path, hedge: undefined, node: undefined, system: [] },
      { profile: undefined, hedge: path, node: undefined, system: [] },
      { profile: undefined, hedge: undefined, node: path, system: [] },
    ]) {
      expect(addedCertificates(sources, host)?.map((pem) => pem.trim())).toEqual([ca.trim()]);
    }
  });

  it('is every authority of Node’s own list, when a file names them all', () => {
    const path = join(temporaryFolder(), 'all.pem');
    writeFileSync(path, rootCertificates.join('\n'));
    const added = addedCertificates({ profile: undefined, hedge: path, node: undefined, system: [] }, host);
    expect(added).toEqual([...new Set(rootCertificates)]);
  });

  it('is never a certificate with something missing inside', async () => {
    const path = join(temporaryFolder(), 'ca.pem');
    const { ca } = await loopbackTls();
    const [begin = '', ...body] = ca.trim().split('\n');
    writeFileSync(path, [begin, ...body.toSpliced(1, 1)].join('\n'));
    expect(() =>
      addedCertificates({ profile: path, hedge: undefined, node: undefined, system: [] }, host),
    ).toThrow(/damaged certificate, number 1/);
  });

  it.each([
    ['is not there', undefined, /cannot be used: there is no such file/],
    ['holds no certificate', 'hello', /contains no PEM certificate/],
    ['is cut off', '-----BEGIN CERTIFICATE-----\nMIIB', /incomplete certificate/],
    [
      'is damaged',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /damaged certificate, number 1/,
    ],
  ])('is refused by name when a file %s', (_what, content, says) => {
    const path = join(temporaryFolder(), 'ca.pem');
    if (content !== undefined) {
      writeFileSync(path, content);
      chmodSync(path, 0o600);
    }
    expect(() =>
      addedCertificates({ profile: undefined, hedge: path, node: undefined, system: [] }, host),
    ).toThrow(says);
  });
});
