/**
 * Errors of sockets, TLS and undici, read into Failures. The phase is never guessed from a code: the caller
 * knows whether the request had started, and a code such as ECONNRESET says the same before and after.
 *
 * Why the other side of a TLS connection was not believed, in plain words, and what mends it.
 */
import { ownField } from '../../domain/fields.ts';
import { RequestFailure } from './request-failure.ts';

const IN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve for now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'no answer to the connection',
  EPIPE: 'connection closed while sending',
  UND_ERR_CONNECT_TIMEOUT: 'no answer to the connection',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  UND_ERR_ABORTED: 'connection closed before the answer was complete',
  UND_ERR_CLOSED: 'connection closed',
  UND_ERR_DESTROYED: 'connection closed',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut',
};

/** Codes, and names where undici gives no code, of an answer that breaks HTTP itself. */
const NOT_HTTP: readonly string[] = [
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'ERR_ASSERTION',
];

/** Why a connection could not be made. Nothing of the request can have left. */
export function connectionFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const code = codeOf(error);
  const reason = tlsReason(code);
  return new RequestFailure(
    reason === undefined
      ? { phase: 'never_sent', kind: 'unreachable', reason: inWords(error, code), cause: error }
      : { phase: 'never_sent', kind: 'tls', reason: reason.says, hint: reason.mend, cause: error },
  );
}

/** Why an attempt ended that had a connection. `started`: bytes of it may have left. */
export function exchangeFailure(error: unknown, started: boolean): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const code = codeOf(error);
  const says = inWords(error, code);
  if (!started)
    return new RequestFailure({ phase: 'never_sent', kind: 'unreachable', reason: says, cause: error });
  const notHttp =
    (error instanceof Error && error.name === 'HTTPParserError') ||
    (code !== undefined && (NOT_HTTP.includes(code) || code.startsWith('HPE_')));
  // Without its cause: undici keeps the bytes it could not parse in there, and they may repeat the key.
  return notHttp
    ? new RequestFailure({ phase: 'no_answer', kind: 'unreadable', reason: 'the answer is not HTTP' })
    : new RequestFailure({ phase: 'no_answer', kind: 'lost', reason: says, cause: error });
}

function inWords(error: unknown, code: string | undefined): string {
  if (code === undefined)
    return error instanceof Error ? `connection failed (${error.name})` : 'connection failed';
  const words = ownField(IN_WORDS, code) ?? 'connection failed';
  return `${words} (${code})`;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export interface TlsReason {
  /** Half a sentence about the host: `its certificate has expired`. */
  says: string;
  mend: string;
}

const NAME_THE_CA =
  'If this service or a proxy on the way signs with its own authority, name that as ca_file in the profile or in HEDGE_CA_FILE.';
const CHECK_THE_CLOCK =
  "Check this machine's date and time; if they are right, the host needs a new certificate.";

const UNKNOWN_AUTHORITY: TlsReason = {
  says: 'its certificate comes from an unknown authority',
  mend: NAME_THE_CA,
};

const REASONS: Readonly<Record<string, TlsReason>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'its certificate is for another host',
    mend: 'Check the host of the base address: something else answers there.',
  },
  CERT_HAS_EXPIRED: { says: 'its certificate has expired', mend: CHECK_THE_CLOCK },
  CERT_NOT_YET_VALID: { says: 'its certificate is not yet valid', mend: CHECK_THE_CLOCK },
  CERT_REVOKED: {
    says: 'its certificate was revoked',
    mend: 'Do not deal there before the partner has explained it.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    says: 'it does not speak HTTPS on this port',
    mend: 'Check the port of the base address.',
  },
};

/** Certificate verification codes of OpenSSL that have no entry of their own. */
const CERTIFICATE_CODE =
  /^(CERT|CRL|UNABLE_TO|SELF_SIGNED|INVALID_|ERROR_IN_CERT|HOSTNAME_|PATH_LENGTH|EE_KEY)/;
const HANDSHAKE_CODE = /^(EPROTO$|ERR_SSL_|ERR_TLS_)/;

/** The reason behind an error code of a TLS handshake, or undefined when the code is not one of TLS. */
export function tlsReason(code: string | undefined): TlsReason | undefined {
  if (code === undefined) return undefined;
  const known = ownField(REASONS, code);
  if (known !== undefined) return known;
  if (CERTIFICATE_CODE.test(code)) {
    return { says: `its certificate is not acceptable (${code})`, mend: NAME_THE_CA };
  }
  return HANDSHAKE_CODE.test(code)
    ? { says: `the TLS handshake failed (${code})`, mend: 'Check the host and port of the base address.' }
    : undefined;
}
