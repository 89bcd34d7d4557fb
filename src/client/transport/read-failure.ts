/**
 * Errors of sockets, TLS and undici, read into Failures. The phase is never guessed from a code: the caller
 * knows whether the request had started, and a code such as ECONNRESET says the same before and after.
 */
import { ownField } from '../../domain/fields.ts';
import { Failure } from './failure.ts';
import { tlsReason } from './tls-reasons.ts';

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
export function connectFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const reason = tlsReason(code);
  return new Failure(
    reason === undefined
      ? { phase: 'never_sent', kind: 'unreachable', says: inWords(error, code), cause: error }
      : { phase: 'never_sent', kind: 'tls', says: reason.says, hint: reason.mend, cause: error },
  );
}

/** Why an attempt ended that had a connection. `started`: bytes of it may have left. */
export function exchangeFailure(error: unknown, started: boolean): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const says = inWords(error, code);
  if (!started) return new Failure({ phase: 'never_sent', kind: 'unreachable', says, cause: error });
  const notHttp =
    (error instanceof Error && error.name === 'HTTPParserError') ||
    (code !== undefined && (NOT_HTTP.includes(code) || code.startsWith('HPE_')));
  // Without its cause: undici keeps the bytes it could not parse in there, and they may repeat the key.
  return notHttp
    ? new Failure({ phase: 'no_answer', kind: 'unreadable', says: 'the answer is not HTTP' })
    : new Failure({ phase: 'no_answer', kind: 'lost', says, cause: error });
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
