/**
 * The base address of the service: what is accepted as one, and what it is taken apart into. HTTPS only, and
 * only an address that reads the same to a person as to a machine.
 */
import { CredentialError } from '../errors.ts';

export interface BaseUrl {
  /** `https://host[:port]/path` without a slash at its end. */
  href: string;
  /** `https://host[:port]`. */
  origin: string;
  /** Name or address; an IPv6 address without its brackets. */
  host: string;
  port: number;
  /** `/partner/v2`, or empty. */
  path: string;
  /** The address is usable but unlikely to be right. */
  warning?: string;
}

const HTTPS_PORT = 443;
/** Everything that a person may take for something else than URL does is left out of what may stand here. */
const SHAPE = /^https:\/\/(?<authority>[A-Za-z0-9.:[\]-]+)(?<path>\/[A-Za-z0-9._~/-]*)?$/i;

/** @throws CredentialError `credential_unusable` (specification §1: only HTTPS; §9: a version segment). */
export function parseBaseUrl(text: string): BaseUrl {
  const parts = SHAPE.exec(text)?.groups;
  if (parts === undefined || !URL.canParse(text)) throw unusable(text);
  const url = new URL(text);
  const { authority = '', path = '' } = parts;
  const written = authority.toLowerCase().replace(/:0*443$/, '');
  // A number such as 0x7f000001, or dots in the path, mean another place than they say.
  if (url.host !== written || url.pathname !== (path === '' ? '/' : path) || url.port === '0') {
    throw unusable(text);
  }
  const trimmed = url.pathname.replace(/\/+$/, '');
  return {
    href: `${url.origin}${trimmed}`,
    origin: url.origin,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? HTTPS_PORT : Number(url.port),
    path: trimmed,
    ...(/\/v\d+$/.test(trimmed)
      ? {}
      : { warning: `The base address does not end in a version such as /v2: ${url.origin}${trimmed}` }),
  };
}

function unusable(text: string): CredentialError {
  return new CredentialError({
    code: 'credential_unusable',
    what: reasonOf(text),
    book: 'Nothing was changed.',
    hint: 'A base address looks like https://host/partner/v2.',
  });
}

/** The text itself is not repeated: it may hold a password. */
function reasonOf(text: string): string {
  if (/^http:/i.test(text)) return 'The base address is plain HTTP; only https:// is spoken.';
  if (!/^https:\/\//i.test(text)) return 'The base address does not start with https://.';
  if (/^https:\/\/[^/]*@/i.test(text)) return 'The base address has a user name or password in it.';
  if (/[?#]/.test(text)) return 'The base address has a query or a fragment in it.';
  return 'The base address is not one that can be read in one way only.';
}
