/**
 * Opens the service's envelope (specification §1): a success becomes its data and meta, everything else a
 * Failure. It knows status codes and the envelope, no resource and no retry.
 */
import type { ClockReadings } from '../../domain/elapsed.ts';
import { isObject, readJson } from '../json.ts';
import { Failure } from './failure.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Attempt, Send, WireAnswer, WireRequest } from './wire.ts';

export interface Opened {
  status: number;
  data: unknown;
  meta: Readonly<Record<string, unknown>>;
  servedAt: Date | undefined;
  clocks: ClockReadings;
}

export function withEnvelope(
  send: Send,
  now: () => number,
): (request: WireRequest, attempt: Attempt) => Promise<Opened> {
  return async (request, attempt) => openEnvelope(await send(request, attempt), now());
}

/** @throws Failure of phase `answered`. `now` in milliseconds, for a Retry-After that is a date. */
export function openEnvelope(answer: WireAnswer, now: number): Opened {
  const { status } = answer;
  if (status >= 200 && status < 300) return openSuccess(answer);
  throw openFailure(answer, now);
}

function openSuccess({ status, headers, body, clocks }: WireAnswer): Opened {
  const unreadable = (says: string, cause?: unknown): Failure =>
    new Failure({ phase: 'answered', kind: 'unreadable', says, status, clocks, cause });
  let envelope: unknown;
  try {
    envelope = readJson(body);
  } catch (error) {
    throw unreadable(
      `the answer is not JSON (${isHtml(body) ? 'it looks like a web page' : reasonOf(error)})`,
      error,
    );
  }
  if (!isObject(envelope)) throw unreadable('the answer is not an envelope of data, error and meta');
  const { data, error, meta } = envelope;
  if (error !== null && error !== undefined) throw unreadable('the answer says success and carries an error');
  if (data === null || data === undefined) throw unreadable('data is missing');
  if (meta !== null && meta !== undefined && !isObject(meta)) throw unreadable('meta is not an object');
  return { status, data, meta: meta ?? {}, servedAt: dateOf(headers), clocks };
}

function openFailure({ status, headers, body, clocks }: WireAnswer, now: number): Failure {
  const error = readServiceError(body);
  const parts = {
    phase: 'answered',
    status,
    clocks,
    retryAfterMs: retryAfterMs(headers, now),
  } as const;
  if (error !== undefined) {
    const { code, message, details } = error;
    const says = `the service answered ${status} ${code}`;
    return new Failure({ ...parts, kind: 'status', says, code, message, details });
  }
  const kind = status >= 500 || BARE_STATUSES.includes(status) ? 'status' : 'unreadable';
  const says =
    kind === 'status'
      ? `the service answered ${status}`
      : `the answer (${status}) is not an envelope with an error code${isHtml(body) ? ' but a web page' : ''}`;
  return new Failure({ ...parts, kind, says });
}

/** 401, 403 and 429 say enough without an envelope, whoever on the way sent them. */
const BARE_STATUSES: readonly number[] = [401, 403, 429];

interface ServiceError {
  code: string;
  message: string | undefined;
  details: unknown;
}

/** §1. Undefined where it has no code, or another kind of message than it should. */
function readServiceError(body: string): ServiceError | undefined {
  let envelope: unknown;
  try {
    envelope = readJson(body);
  } catch {
    return undefined;
  }
  const error = isObject(envelope) ? envelope['error'] : undefined;
  if (!isObject(error)) return undefined;
  const { code, details } = error;
  const message = error['message'] ?? undefined;
  if (typeof code !== 'string' || code === '' || !(message === undefined || typeof message === 'string'))
    return undefined;
  return { code, message, details };
}

function dateOf(headers: WireAnswer['headers']): Date | undefined {
  const at = new Date(headers['date'] ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
const isHtml = (body: string): boolean => /^\s*<(!doctype|html|head|body)\b/i.test(body);
