/**
 * One failed attempt as facts: how far it got and why it ended, from errors of sockets, TLS and undici. The caller passes
 * whether the request had started: a code such as ECONNRESET does not tell. retry-policy.ts and map-error.ts decide what
 * it means.
 */

import { ownField } from '../../domain/fields.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { forScreen } from '../../domain/sanitize.ts';
import { isSharedCode } from '../../errors.ts';

/**
 * `never_sent`: no byte was sent, so the service cannot have acted.
 * `no_answer`: bytes may have been sent and no complete response came: the outcome is unknown.
 * `answered`: a complete response came, and it is not a success.
 */
export type FailurePhase = 'never_sent' | 'no_answer' | 'answered';

/**
 * `unreachable`: no connection. `tls`: the host could not be verified. `proxy`: the proxy refused.
 * `timeout`: the attempt's or the call's time is up. `lost`: the connection broke. `unreadable`: the response is
 * invalid. `status`: an error status of the service. `stopped`: by the caller. `withheld`: too late to send.
 */
export type FailureKind =
  | 'unreachable'
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'lost'
  | 'unreadable'
  | 'status'
  | 'stopped'
  | 'withheld';

export interface FailureParts {
  phase: FailurePhase;
  kind: FailureKind;
  /** Half a sentence, lower case, no full stop: `connection reset`. Short, without a key. */
  reason: string;
  /** Internals for `-v`: `ECONNRESET`, or the name of the proxy. */
  internals?: string | undefined;
  /** A response had begun; it is missing or incomplete otherwise. */
  responseBegun?: boolean | undefined;
  /** The HTTP status, if any. */
  status?: number | undefined;
  /** The service's `error.code`; only its envelope has one, so that without it the response may be a gateway's. */
  code?: string | undefined;
  /** The service's `error.message` and `error.details` as sent, with the key masked. */
  message?: string | undefined;
  details?: unknown;
  /** The wait of the response's Retry-After. */
  retryAfterMs?: number | undefined;
  /** When the response arrived. */
  clocks?: ClockReadings | undefined;
  /** The advice, if the reason gives one. */
  hint?: string | undefined;
  cause?: unknown;
}

export class RequestFailure extends Error {
  readonly parts: FailureParts;

  constructor(parts: FailureParts) {
    const reason = forScreen(parts.reason);
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'RequestFailure';
    this.parts = {
      ...parts,
      reason,
      code: parts.code === undefined ? undefined : forScreen(parts.code),
    };
  }
}

const RATE_LIMITED = 429;
const FIRST_SERVER_ERROR = 500;
/** Too late or too early: no caller can correct a request because of it (§7), and a gateway may send it for one that was executed. */
const OF_THE_MOMENT: readonly number[] = [408, 425];

export const isRateLimit = (parts: FailureParts): boolean =>
  parts.status === RATE_LIMITED || parts.code === 'rate_limited';

/** §7: a request with this key is still in progress. */
export const isInFlight = (parts: FailureParts): boolean => parts.code === 'idempotency_in_flight';

const CONFLICT = 409;

/** §7 has this status for keys alone: with an unknown code it may say too that a request with the key is in progress. */
export const isUnknownConflict = ({ kind, status, code }: FailureParts): boolean =>
  kind === 'status' && status === CONFLICT && code !== undefined && !isSharedCode(code);

/** The request may be right. */
export const isPassing = ({ kind, status = 0 }: FailureParts): boolean =>
  kind === 'status' && (status >= FIRST_SERVER_ERROR || OF_THE_MOMENT.includes(status));

/** Sent, and it is unknown whether the service acted. Only its own error code, a rate limit included, is a definite no. */
export const isOutcomeUnknown = (parts: FailureParts): boolean =>
  parts.phase === 'no_answer' ||
  (parts.phase === 'answered' &&
    (parts.code === undefined || isPassing(parts) || isInFlight(parts) || isUnknownConflict(parts)));

/** A response came, but not one that tells the outcome. */
export const hasResponse = ({ status, kind, responseBegun }: FailureParts): boolean =>
  status !== undefined || kind === 'unreadable' || responseBegun === true;

const IN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'DNS lookup failed',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'connection timed out',
  EPIPE: 'connection closed while sending',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed too early',
  UND_ERR_ABORTED: 'connection closed too early',
  UND_ERR_CLOSED: 'connection closed',
  UND_ERR_DESTROYED: 'connection closed',
  UND_ERR_HEADERS_TIMEOUT: 'timed out',
  UND_ERR_BODY_TIMEOUT: 'connection closed too early',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed too early',
};

/** Codes of a response that is not valid HTTP. */
const NOT_HTTP: readonly string[] = [
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'ERR_ASSERTION',
];

/** Why a connection could not be made. Nothing was sent. */
export function connectionFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const code = codeOf(error);
  const known = tlsReason(code);
  const parts = { phase: 'never_sent', internals: code, cause: error } as const;
  return new RequestFailure(
    known === undefined
      ? { ...parts, kind: 'unreachable', reason: inWords(error, code) }
      : { ...parts, kind: 'tls', ...known },
  );
}

/** Why an attempt with a connection failed. `started`: some of it may have been sent. */
export function exchangeFailure(
  error: unknown,
  { started, responseBegun = false }: { started: boolean; responseBegun?: boolean },
): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const code = codeOf(error);
  const parts = { reason: inWords(error, code), internals: code, cause: error };
  if (!started) return new RequestFailure({ ...parts, phase: 'never_sent', kind: 'unreachable' });
  const notHttp =
    (error instanceof Error && error.name === 'HTTPParserError') ||
    (code !== undefined && (NOT_HTTP.includes(code) || code.startsWith('HPE_')));
  // Without its cause: undici keeps the unparsed bytes there, and they may contain the key.
  return notHttp
    ? new RequestFailure({ phase: 'no_answer', kind: 'unreadable', reason: 'not HTTP' })
    : new RequestFailure({ ...parts, phase: 'no_answer', kind: 'lost', responseBegun });
}

const inWords = (error: unknown, code: string | undefined): string =>
  ownField(IN_WORDS, code ?? '') ??
  (code === undefined && error instanceof Error ? `connection failed (${error.name})` : 'connection failed');

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export interface TlsReason {
  /** Half a sentence about the host: `its certificate has expired`. */
  reason: string;
  hint: string;
}

const SET_CA_FILE =
  'If it has its own authority: --ca-file FILE of hedge profile add or set, or HEDGE_CA_FILE.';
const CHECK_THE_CLOCK = "Check this machine's clock. If it is right, the host needs a new certificate.";

const UNKNOWN_AUTHORITY: TlsReason = {
  reason: 'its certificate is from an unknown authority',
  hint: SET_CA_FILE,
};

const REASONS: Readonly<Record<string, TlsReason>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another host',
    hint: 'Check the host of the base URL.',
  },
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', hint: CHECK_THE_CLOCK },
  CERT_NOT_YET_VALID: { reason: 'its certificate is not yet valid', hint: CHECK_THE_CLOCK },
  CERT_REVOKED: {
    reason: 'its certificate was revoked',
    hint: 'Do not trade before the partner has explained it.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    reason: 'it does not use HTTPS on this port',
    hint: 'Check the port of the base URL.',
  },
};

/** OpenSSL's certificate verification codes without an entry above. */
const CERTIFICATE_CODE =
  /^(CERT|CRL|UNABLE_TO|SELF_SIGNED|INVALID_|ERROR_IN_CERT|HOSTNAME_|PATH_LENGTH|EE_KEY)/;
const HANDSHAKE_CODE = /^(EPROTO$|ERR_SSL_|ERR_TLS_)/;

/** Undefined when the code is not one of TLS. */
export function tlsReason(code: string | undefined): TlsReason | undefined {
  if (code === undefined) return undefined;
  const known = ownField(REASONS, code);
  if (known !== undefined) return known;
  if (CERTIFICATE_CODE.test(code)) {
    return { reason: 'its certificate is invalid', hint: SET_CA_FILE };
  }
  return HANDSHAKE_CODE.test(code)
    ? { reason: 'the TLS handshake failed', hint: 'Check the host and port of the base URL.' }
    : undefined;
}
