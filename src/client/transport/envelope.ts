/**
 * Opens the service's envelope (specification §1): a success becomes its data and meta, everything else a
 * Failure, and neither holds the key, however the body spells it.
 *
 * The Retry-After header as milliseconds.
 */

import type { KeyMask } from '../../domain/api-key.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { isObject, readJson } from '../json.ts';
import { RequestFailure } from './request-failure.ts';
import type { Attempt, Send, WireAnswer, WireRequest } from './transport.ts';
export interface Opened {
  status: number;
  data: unknown;
  meta: Readonly<Record<string, unknown>>;
  servedAt: Date | undefined;
  clocks: ClockReadings;
}

export function withEnvelope(
  send: Send,
  mask: KeyMask,
  now: () => number,
): (request: WireRequest, attempt: Attempt) => Promise<Opened> {
  return async (request, attempt) => openEnvelope(await send(request, attempt), mask, now());
}

/** @throws Failure of phase `answered`. `now` in milliseconds, for a Retry-After that is a date. */
function openEnvelope(answer: WireAnswer, mask: KeyMask, now: number): Opened {
  const { status } = answer;
  if (status >= 200 && status < 300) return openSuccess(answer, mask);
  throw openFailure(answer, mask, now);
}

function openSuccess({ status, headers, body, clocks }: WireAnswer, mask: KeyMask): Opened {
  const unreadable = (says: string): RequestFailure =>
    new RequestFailure({ phase: 'answered', kind: 'unreadable', reason: says, status, clocks });
  let envelope: unknown;
  try {
    envelope = mask.value(readJson(body));
  } catch (error) {
    // Without its cause: what could not be parsed is quoted there, and may repeat the key.
    const why = isHtml(body) ? 'it looks like a web page' : mask.text(reasonOf(error));
    throw unreadable(`the answer is not JSON (${why})`);
  }
  if (!isObject(envelope)) throw unreadable('the answer is not an envelope of data, error and meta');
  const { data, error, meta } = envelope;
  if (error !== null && error !== undefined) throw unreadable('the answer says success and carries an error');
  if (data === null || data === undefined) throw unreadable('data is missing');
  if (meta !== null && meta !== undefined && !isObject(meta)) throw unreadable('meta is not an object');
  return { status, data, meta: meta ?? {}, servedAt: dateOf(headers), clocks };
}

function openFailure(
  { status, headers, body, clocks }: WireAnswer,
  mask: KeyMask,
  now: number,
): RequestFailure {
  const error = readServiceError(body, mask);
  const parts = {
    phase: 'answered',
    status,
    clocks,
    retryAfterMs: retryAfterMs(headers, now),
  } as const;
  if (error !== undefined) {
    const { code, message, details } = error;
    const says = `the service answered ${status} ${code}`;
    return new RequestFailure({ ...parts, kind: 'status', reason: says, code, message, details });
  }
  const kind = status >= 500 || BARE_STATUSES.includes(status) ? 'status' : 'unreadable';
  const says =
    kind === 'status'
      ? `the service answered ${status}`
      : `the answer (${status}) is not an envelope with an error code${isHtml(body) ? ' but a web page' : ''}`;
  return new RequestFailure({ ...parts, kind, reason: says });
}

/** 401, 403 and 429 say enough without an envelope, whoever on the way sent them. */
const BARE_STATUSES: readonly number[] = [401, 403, 429];

interface ServiceError {
  code: string;
  message: string | undefined;
  details: unknown;
}

/** §1. Undefined where it has no code, or another kind of message than it should. */
function readServiceError(body: string, mask: KeyMask): ServiceError | undefined {
  let envelope: unknown;
  try {
    envelope = mask.value(readJson(body));
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

/**
 * The wait an answer asks for, or undefined when it asks for none that can be read. A date is measured against
 * the answer's own Date header, so that a wrong clock here does not matter; failing that, against `now`.
 */
export function retryAfterMs(headers: WireAnswer['headers'], now: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Three letters and a comma open every HTTP date; Date.parse alone would read a bare `-5` as a year.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const served = Date.parse(headers['date'] ?? '');
  return Math.max(0, at - (Number.isNaN(served) ? now : served));
}
