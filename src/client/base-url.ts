/** Parses the base URL of the service: HTTPS only, and only a URL that a person reads as a machine does. */
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
  /** The URL is usable but probably wrong. */
  warning?: string;
}

const HTTPS_PORT = 443;
/** Excludes every character that a person may read otherwise than URL does. */
const SHAPE = /^https:\/\/(?<authority>[A-Za-z0-9.:[\]-]+)(?<path>\/[A-Za-z0-9._~/-]*)?$/i;

/** @throws CredentialError `credential_unusable` (specification §1: only HTTPS; §9: a version segment). */
export function parseBaseUrl(text: string): BaseUrl {
  const parts = SHAPE.exec(text)?.groups;
  if (parts === undefined || !URL.canParse(text)) throw unusable(text);
  const url = new URL(text);
  const { authority = '', path = '' } = parts;
  const written = authority.toLowerCase().replace(/:0*443$/, '');
  // A number such as 0x7f000001, or dots in the path, mean another address than they show.
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
      : { warning: `The base URL does not end in a version such as /v2: ${url.origin}${trimmed}` }),
  };
}

function unusable(text: string): CredentialError {
  return new CredentialError({
    code: 'credential_unusable',
    what: reasonOf(text),
    meaning: 'Nothing was changed.',
    hint: 'A base URL looks like https://host/partner/v2.',
  });
}

/** Does not repeat the text: it may contain a password. */
function reasonOf(text: string): string {
  if (/^http:/i.test(text)) return 'The base URL is plain HTTP. HTTPS is required.';
  if (!/^https:\/\//i.test(text)) return 'The base URL does not start with https://. HTTPS is required.';
  if (/^https:\/\/[^/]*@/i.test(text)) return 'The base URL contains a user name or password.';
  if (/[?#]/.test(text)) return 'The base URL contains a query or a fragment.';
  return 'The base URL is ambiguous or malformed.';
}
