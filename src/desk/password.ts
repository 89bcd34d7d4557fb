/** Sources of a login's password: a command, the keychain, or the places of libpq (PGPASSFILE, ~/.pgpass). */
import { join } from 'node:path';
import { readOwnFile } from '../platform/atomic-file.ts';
import type { Host } from '../platform/host.ts';
import { isSocket, type LogAddress } from './address.ts';

const MAX_BYTES = 1_048_576;

export interface PasswordFile {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  host: Host;
}

/** Undefined where the file has none for this login, or there is no file. @throws DamagedFileError for one that others can read. */
export function passwordInFile(
  address: LogAddress & { user: string },
  { env, home, host }: PasswordFile,
): string | undefined {
  const named = env['PGPASSFILE'];
  const path = named === undefined || named === '' ? defaultFile({ env, home, host }) : named;
  const bytes = readOwnFile(path, { host, maxBytes: MAX_BYTES });
  const asked = [
    isSocket(address) ? 'localhost' : address.host,
    address.port.toString(),
    address.database,
    address.user,
  ];
  for (const line of bytes?.toString('utf8').split(/\r?\n/) ?? []) {
    const fields = fieldsOf(line);
    const [password] = fields.slice(asked.length);
    const isMeant = asked.every((value, at) => fields[at] === '*' || fields[at] === value);
    if (isMeant && password !== undefined && !line.startsWith('#')) return password;
  }
  return undefined;
}

const defaultFile = ({ env, home, host }: PasswordFile): string =>
  host.platform === 'win32'
    ? join(env['APPDATA'] ?? home, 'postgresql', 'pgpass.conf')
    : join(home, '.pgpass');

/** Separated by colons; a backslash takes the next character as it is. The password is the rest of the line. */
function fieldsOf(line: string): readonly string[] {
  const fields = [''];
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === ':' && fields.length < FIELDS) fields.push('');
    else {
      if (character === '\\' && at + 1 < line.length) at += 1;
      fields[fields.length - 1] += line.charAt(at);
    }
  }
  return fields;
}

/** Host, port, database, login, password. */
const FIELDS = 5;
