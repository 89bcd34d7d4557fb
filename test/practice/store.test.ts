/** The store folder: created once and safely, never replaced, rejected clearly if it is not valid. */
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  openPracticeAdmin,
  PracticeInputError,
  PracticeStoreError,
  startPracticeService,
} from '../../src/practice/index.ts';
import {
  DAY,
  NINE,
  opened,
  openPractice,
  startPractice,
  storeFolder,
  type TestClock,
  testClock,
  testRandom,
} from './support/practice-service.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');

const start = (store: string, more: { host?: string; port?: number; clock?: TestClock } = {}) =>
  startPracticeService({ store, clock: testClock(), random: testRandom(1), ...more });

async function storeError(store: string): Promise<PracticeStoreError> {
  const error: unknown = await start(store).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PracticeStoreError) return error;
  throw new Error(`not a PracticeStoreError: ${String(error)}`);
}

describe('a first start', () => {
  it('first start: creates a private folder with private files', async () => {
    const store = join(await storeFolder(), 'deep', 'practice');
    const practice = await openPractice(store, { settings: null });
    await opened(practice);
    expect((await stat(store)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(store)) {
      expect({ name, mode: (await stat(join(store, name))).mode & 0o777 }).toEqual({ name, mode: 0o600 });
    }
    expect((await readdir(store)).filter((name) => name.endsWith('.new'))).toEqual([]);
    await practice.close();
  });

  it('first start: six at the same time end with one book, one pair of keys and one certificate', async () => {
    const store = await storeFolder();
    const clock = testClock();
    const six = await Promise.all(
      Array.from({ length: 6 }, (_, seed) =>
        startPracticeService({ store, clock, random: testRandom(seed) }),
      ),
    );
    for (const of of ['bookId', 'ca', 'caFile'] as const)
      expect(new Set(six.map((each) => each[of])).size).toBe(1);
    expect(new Set(six.map((each) => `${each.keys.live} ${each.keys.test}`)).size).toBe(1);
    expect(await readFile(six[0]?.caFile ?? '', 'utf8')).toBe(six[0]?.ca);
    await Promise.all(six.map((each) => each.close()));
    expect((await readdir(store)).filter((name) => name.includes('.new'))).toEqual([]);
  });

  it('first start: keys have the prefix of their environment', async () => {
    const { service } = await startPractice();
    expect(service.keys.live).toMatch(/^hk_live_[0-9A-Z]{32}$/);
    expect(service.keys.test).toMatch(/^hk_test_[0-9A-Z]{32}$/);
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/practice\/v2$/);
  });
});

describe('the certificate', () => {
  it('certificate: is valid for 127.0.0.1, localhost and ::1', async () => {
    const practice = await startPractice();
    const port = Number(new URL(practice.service.url).port);
    for (const servername of ['localhost', '']) {
      const peer = await new Promise<X509Certificate>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', servername, ca: practice.service.ca }, () => {
          expect(socket.authorized).toBe(true);
          const certificate = new X509Certificate(socket.getPeerCertificate().raw);
          socket.end();
          resolve(certificate);
        });
        socket.on('error', reject);
      });
      expect(peer.checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect(peer.checkIP('::1')).toBe('::1');
      expect(peer.checkHost('localhost')).toBe('localhost');
      expect(peer.checkHost('example.com')).toBeUndefined();
      expect(peer.ca).toBe(false);
      expect(peer.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    }
    expect(new X509Certificate(practice.service.ca).ca).toBe(true);
  });

  it('certificate: the CA is constrained to loopback, so that trusting it opens no other host', async () => {
    const { service } = await startPractice();
    const der = new X509Certificate(service.ca).raw.toString('hex');
    // RFC 5280, 4.2.1.10: the extension's OID, critical, and what is permitted.
    const [, constraints = ''] = /0603551d1e0101ff0441(.{130})/.exec(der) ?? [];
    const localhost = `300b8209${Buffer.from('localhost').toString('hex')}`;
    const loopback4 = `300a87087f000001${'ff'.repeat(4)}`;
    const loopback6 = `30228720${'00'.repeat(15)}01${'ff'.repeat(16)}`;
    expect(constraints).toBe(`303fa03d${localhost}${loopback4}${loopback6}`);
  });

  it('certificate: is valid for less than 825 days, kept across starts and renewed in its last month', async () => {
    const store = await storeFolder();
    const authorities: string[] = [];
    for (const wall of [NINE, NINE + 390 * DAY, NINE + 400 * DAY]) {
      const service = await start(store, { clock: testClock(wall) });
      authorities.push(service.ca);
      expect(await readFile(service.caFile, 'utf8')).toBe(service.ca);
      const { validFrom, validTo } = await certificateOf(service.url);
      expect(Date.parse(validTo) - Date.parse(validFrom)).toBeLessThan(825 * DAY);
      expect(Date.parse(validFrom)).toBeLessThan(wall - 300 * DAY + 1);
      expect(Date.parse(validTo)).toBeGreaterThan(wall + 29 * DAY);
      await service.close();
    }
    expect(authorities[1]).toBe(authorities[0]);
    expect(authorities[2]).not.toBe(authorities[1]);
  });

  it('certificate: one that was made while the clock was years ahead is replaced', async () => {
    const store = await storeFolder();
    const first = await start(store);
    await first.close();
    const db = new DatabaseSync(join(store, 'practice.sqlite'));
    db.exec(`UPDATE service SET wall_certificate_until = ${NINE + 3_650 * DAY}`);
    db.close();
    const second = await start(store);
    expect(second.ca).not.toBe(first.ca);
    await second.close();
  });

  it('certificate: a CA file that is named can be read by every user, and is replaced', async () => {
    const caFile = join(await storeFolder(), 'ca.pem');
    await writeFile(caFile, 'of an earlier run', { mode: 0o600 });
    for (const memory of [true, false]) {
      const { service } = await startPractice({ modes: { caFile, memory } });
      expect(service.caFile).toBe(caFile);
      expect(await readFile(caFile, 'utf8')).toBe(service.ca);
      expect((await stat(caFile)).mode & 0o777).toBe(0o644);
    }
    await expect(startPractice({ modes: { caFile: join(caFile, 'x'), memory: true } })).rejects.toThrow(
      `The CA file needs an existing folder: ${caFile} is not one.`,
    );
  });

  it('certificate: without a name, that of a book in memory is in a folder that ends with the service', async () => {
    const store = await storeFolder();
    const practice = await openPractice(store, { modes: { memory: true } });
    const { caFile } = practice.service;
    expect((await stat(caFile)).mode & 0o777).toBe(0o644);
    expect((await stat(dirname(caFile))).mode & 0o777).toBe(0o755);
    await practice.close();
    expect(existsSync(dirname(caFile))).toBe(false);
    expect(await readdir(store)).toEqual([]);
  });
});

/** Whatever time it is: TLS would find it not valid yet. */
function certificateOf(url: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(url).port);
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw));
      socket.end();
    });
    socket.on('error', reject);
  });
}

describe('an invalid database', () => {
  it.each([
    ['text', async (path: string) => writeFile(path, 'not a database, longer than its header. '.repeat(40))],
    ['an empty file', async (path: string) => writeFile(path, '')],
    ['a folder', async (path: string) => mkdir(path)],
    [
      'the database of another program',
      async (path: string) => {
        const other = new DatabaseSync(path);
        other.exec('CREATE TABLE mine (a)');
        other.close();
      },
    ],
  ])('database: %s is rejected, named and unchanged', async (_what, put) => {
    const store = await storeFolder();
    const path = join(store, 'practice.sqlite');
    await put(path);
    const content = async () => ((await stat(path)).isFile() ? readFile(path) : 'a folder');
    const before = await content();
    const error = await storeError(store);
    expect(error.path).toBe(path);
    expect(error.message).toContain(path);
    expect(await content()).toEqual(before);
  });

  it('database: another version is rejected and named', async () => {
    const store = await storeFolder();
    await (await start(store)).close();
    const path = join(store, 'practice.sqlite');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 7');
    db.close();
    expect((await storeError(store)).message).toContain('version 7');
  });

  it('database: a truncated one is rejected, never replaced', async () => {
    const store = await storeFolder();
    await (await start(store)).close();
    const path = join(store, 'practice.sqlite');
    const { size } = await stat(path);
    for (const part of [0.25, 0.5, 0.75]) {
      const folder = await storeFolder();
      await copyFile(path, join(folder, 'practice.sqlite'));
      await truncate(join(folder, 'practice.sqlite'), Math.floor(size * part));
      const error: unknown = await start(folder).then(
        async (service) => {
          await service.close();
          return undefined;
        },
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(PracticeStoreError);
    }
  });

  it('database: an unreadable one is named', async () => {
    const store = join(await storeFolder(), 'file');
    await writeFile(store, '');
    expect((await storeError(store)).path).toBe(store);
  });
});

describe('the address', () => {
  it.each(['0.0.0.0', '192.168.1.4', 'example.com', '::'])(
    'address: %s is rejected, loopback only',
    async (host) => {
      const rejected = start(await storeFolder(), { host });
      await expect(rejected).rejects.toBeInstanceOf(PracticeInputError);
      await expect(rejected).rejects.toMatchObject({ field: 'host' });
    },
  );

  it('address: localhost is accepted and shown in the URL', async () => {
    const service = await start(await storeFolder(), { host: 'localhost' });
    expect(service.url).toMatch(/^https:\/\/localhost:\d+\/practice\/v2$/);
    await service.close();
  });

  it('address: a taken port is an error, and the store stays usable', async () => {
    const store = await storeFolder();
    const first = await start(store);
    const port = Number(new URL(first.url).port);
    await expect(start(store, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(start(store, { port: 70_000 })).rejects.toMatchObject({ field: 'port' });
    await first.close();
    const admin = await openPracticeAdmin({ store, clock: testClock(), random: testRandom(1) });
    expect((await admin.status()).books.live.balance_usdc).toBe('100000');
    await admin.close();
  });
});
