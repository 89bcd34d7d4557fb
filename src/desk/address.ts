/** The address of a desk's log: a PostgreSQL URL without a password. Pure. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';

export interface LogAddress {
  /** A name, an IP address, or the folder of a local socket. */
  host: string;
  port: number;
  database: string;
  /** The login; undefined: PGUSER, or the user of the operating system. */
  user: string | undefined;
}

const EXAMPLE = 'postgres://ada@db.example.com/hedge';
const PORT = 5_432;

/** A local socket needs no TLS: its data never leaves the machine. */
export const isSocket = ({ host }: Pick<LogAddress, 'host'>): boolean => host.startsWith('/');

/** @throws UsageError */
export function readLogAddress(text: string): LogAddress {
  const url = urlOf(text);
  if (url.password !== '')
    throw new UsageError(
      'The address of a desk must not contain a password.',
      'Put it into ~/.pgpass (mode 600), or the keychain, or give --password-command. Change it if it was shown.',
    );
  const { socket, ...others } = readParameters(url.searchParams);
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new UsageError(
      `${quoted(other)} is not an option of a desk's address.`,
      'TLS is always on and always verified. Allowed is ?host=/var/run/postgresql, for a local socket; its port stays in front: postgres://ada@localhost:5433/hedge?host=…',
    );
  const host = socket ?? decoded(url.hostname.replace(/^\[|\]$/g, ''));
  const database = decoded(url.pathname.slice(1));
  if (host === '') throw invalid('It names no host.');
  if (database === '' || database.includes('/')) throw invalid('It names no database.');
  return {
    host,
    port: url.port === '' ? PORT : Number(url.port),
    database,
    user: url.username === '' ? undefined : decoded(url.username),
  };
}

const invalid = (why: string): UsageError =>
  new UsageError(`That is not the address of a desk. ${why}`, `Write it as ${EXAMPLE}`);

/** `postgres://ada@/hedge?host=/run`, as PostgreSQL writes the address of a local socket: no URL without a host. */
const NO_HOST = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?=[:/][^?]*\?(?:.*&)?host=)/;

function urlOf(text: string): URL {
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw invalid('It does not begin with postgres://.');
  try {
    return new URL(text.replace(NO_HOST, '$1localhost'));
  } catch {
    throw invalid('It cannot be read.');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('It cannot be read.');
  }
}

/** The folder of a socket, and every parameter that is not known. */
function readParameters(given: URLSearchParams): { socket: string | undefined; [other: string]: unknown } {
  const { host, sslmode, ...others } = Object.fromEntries(given);
  return {
    socket: host?.startsWith('/') === true ? host : undefined,
    ...(host === undefined || host.startsWith('/') ? {} : { host }),
    // It says no more than is done anyway.
    ...(sslmode === undefined || sslmode === 'verify-full' ? {} : { sslmode }),
    ...others,
  };
}

/** Without a login. */
export function addressText({ host, port, database }: Omit<LogAddress, 'user'>): string {
  const place = isSocket({ host }) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const socket = isSocket({ host }) ? `?host=${encodeURI(host)}` : '';
  return `postgres://${place}${port === PORT ? '' : `:${port.toString()}`}/${encodeURIComponent(database)}${socket}`;
}
