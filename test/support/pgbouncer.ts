/** A pooler in transaction mode before PostgreSQL, with TLS on both sides: pgbouncer, where the machine has it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ADMIN_PASSWORD, type PostgresServer } from './postgres.ts';
import { close, listen } from './scripted-service.ts';
import { loopbackTls } from './tls.ts';

/** It refuses to run as root. */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;
const POLL_MS = 20;

/** `logins`: with their passwords. Returns its port. */
export async function pgbouncer(
  server: PostgresServer,
  logins: readonly { user: string; password: string }[],
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-pgbouncer-'));
  const { key, cert, ca } = await loopbackTls();
  const probe = createServer();
  const port = await listen(probe);
  await close(probe);
  const put = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (isRoot) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
    return path;
  };
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  const users = [{ user: 'postgres', password: ADMIN_PASSWORD }, ...logins];
  const settings = put(
    'pgbouncer.ini',
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port.toString()}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port.toString()}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'auth_type = scram-sha-256',
      `auth_file = ${put('users.txt', users.map(({ user, password }) => `"${user}" "${password}"\n`).join(''))}`,
      'client_tls_sslmode = require',
      `client_tls_key_file = ${put('server.key', key)}`,
      `client_tls_cert_file = ${put('server.crt', cert)}`,
      'server_tls_sslmode = verify-full',
      `server_tls_ca_file = ${put('ca.crt', ca)}`,
      'default_pool_size = 2',
      '',
    ].join('\n'),
  );
  const child = spawn('pgbouncer', ['-q', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  for (let isUp = false; !isUp; ) {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`);
    await pause(POLL_MS);
    isUp = await answers(port);
  }
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
