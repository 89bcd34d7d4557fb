/**
 * A desk: a log in a real PostgreSQL, a practice service, and machines, each with a home, a login and a name of its own. Commands run
 * in this process; machines judge each other as strangers do.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { type Host, hostOf } from '../../src/platform/host.ts';
import { aLog, type TestLog } from '../desk/a-log.ts';
import { temporaryFolder } from './own-folder.ts';
import { ADMIN_PASSWORD, type PostgresServer } from './postgres.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from './served-book.ts';
import { quickClock, type Ran, type RunOptions, testCli } from './test-cli.ts';

export interface DeskMachine {
  name: string;
  home: string;
  user: string;
  url: string;
  /** The environment of a program of its own. */
  env: Readonly<Record<string, string>>;
  run(words: string | readonly string[], options?: RunOptions): Promise<Ran>;
  /** The same, and fails unless it ends so. */
  ok(words: string | readonly string[], options?: RunOptions & { code?: number }): Promise<Ran>;
}

export interface DeskOfMachines {
  log: TestLog;
  served: ServedBook;
  /** Certificate authority of the database's server. */
  caFile: string;
  /** A machine that has not joined. */
  machine(name: string, options?: MachineOptions): Promise<DeskMachine>;
  /** One that has. */
  joined(name: string, options?: MachineOptions): Promise<DeskMachine>;
  /** The records of the log, in order. */
  records(): Promise<readonly LogRecord[]>;
}

export interface LogRecord {
  seq: number;
  id: string;
  record: Record<string, unknown> & { kind: string; at: string; action_id?: string };
  stamp: { at: string; by: string; approver: boolean; earlier?: boolean };
}

export interface MachineOptions {
  role?: 'dealer' | 'approver';
  clock?: Clock;
  home?: string;
  /** The login of another machine. */
  as?: DeskMachine;
  /** The user and the computer, when another machine has the same. */
  host?: string;
  env?: Readonly<Record<string, string>>;
  /** In front of the database: another port of 127.0.0.1. */
  port?: number;
}

/** Another machine than this one: its processes cannot be seen from here. */
export function strangeHost(name: string): Host {
  const own = hostOf(process);
  const self = { ...own.self, hostname: name, boot: `boot of ${name}` };
  return {
    ...own,
    self,
    user: () => name,
    who: () => `${name}@${name}`,
    judge: (other) => (other.boot !== self.boot ? 'unknown' : other.pid === self.pid ? 'running' : 'gone'),
  };
}

const passwordFile = (home: string, line: string): void => {
  const path = join(home, '.pgpass');
  writeFileSync(path, `${line}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
};

export async function deskOfMachines({
  server,
  settings = {},
}: {
  server?: PostgresServer;
  settings?: Record<string, unknown>;
} = {}): Promise<DeskOfMachines> {
  const log = await aLog({ isEmpty: true, ...(server === undefined ? {} : { server }) });
  const served = await servedBook({ ...WITHOUT_LIMIT, ...settings });
  onTestFinished(() => served.close());
  const caFile = join(temporaryFolder(), 'database.pem');
  writeFileSync(caFile, log.server.ca, { mode: 0o600 });
  const access = ['--ca-file', caFile];

  const machine: DeskOfMachines['machine'] = async (
    name,
    {
      role = 'dealer',
      clock = quickClock(),
      home = temporaryFolder(),
      as,
      host = name,
      env: more = {},
      port,
    } = {},
  ) => {
    const login = as === undefined ? await log.login(name, role) : undefined;
    await login?.client.end();
    const user = login?.user ?? as?.user ?? '';
    passwordFile(home, `*:*:*:${user}:secret of ${user}`);
    const env = { ...served.way(home), HEDGE_DESK_TIMEOUT: '60', ...more };
    const cli = testCli({ home, clock, env, host: strangeHost(host) });
    const url =
      port === undefined ? log.url(user) : `postgres://${user}@127.0.0.1:${port.toString()}/${log.database}`;
    return {
      name,
      home,
      user,
      url,
      env: { ...env, HOME: home },
      run: cli.run,
      async ok(words, { code = 0, ...options } = {}) {
        const ran = await cli.run(words, options);
        const line = typeof words === 'string' ? words : words.join(' ');
        if (ran.code !== code)
          throw new Error(`${name}: ${line}: ${ran.code.toString()}\n${ran.out}\n${ran.err}`);
        return ran;
      },
    };
  };

  const owner = temporaryFolder();
  passwordFile(owner, `*:*:*:postgres:${ADMIN_PASSWORD}`);
  const ownerCli = testCli({
    home: owner,
    env: { ...served.way(owner), HEDGE_DESK_TIMEOUT: '60' },
    host: strangeHost('owner'),
  });
  const begun = await ownerCli.run([
    'desk',
    'init',
    log.url('postgres'),
    '--name',
    'lagos',
    ...access,
    '--json',
  ]);
  if (begun.code !== 0) throw new Error(`desk init: ${begun.code.toString()}\n${begun.err}`);

  return {
    log,
    served,
    caFile,
    machine,
    async joined(name, options) {
      const made = await machine(name, options);
      await made.ok(['desk', 'join', made.url, ...access, '--json']);
      return made;
    },
    async records() {
      // The server may have been started again.
      const reader = await log.server.admin(log.database);
      const { rows } = await reader.query<{ seq: string; id: string; record: string; stamp: string }>(
        'SELECT seq, id, record, stamp FROM hedge.records ORDER BY seq',
      );
      await reader.end();
      return rows.map(({ seq, id, record, stamp }) => ({
        seq: Number(seq),
        id,
        record: JSON.parse(record),
        stamp: JSON.parse(stamp),
      }));
    },
  };
}
