/**
 * Opens the service's envelope (specification §1) into data and meta or a RequestFailure, with the API key masked. Data
 * is checked against a schema, the first mismatch named by its path, and passes through unchanged.
 */

import { Big } from 'big.js';
import type * as z from 'zod/mini';
import type { KeyMask } from '../../domain/api-key.ts';
import { ownField } from '../../domain/fields.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { isObject, readJson } from '../json.ts';
import { RequestFailure } from './request-failure.ts';
import type { Attempt, Send, WireRequest, WireResponse } from './transport.ts';

export interface ParsedEnvelope {
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
): (request: WireRequest, attempt: Attempt) => Promise<ParsedEnvelope> {
  return async (request, attempt) =>
    openEnvelope(await send(request, attempt), { mask, now: now(), isGet: request.method === 'GET' });
}

/** @throws RequestFailure of phase `answered`. `now` in milliseconds, for a Retry-After that is a date. */
function openEnvelope(
  response: WireResponse,
  { mask, now, isGet }: { mask: KeyMask; now: number; isGet: boolean },
): ParsedEnvelope {
  const { status } = response;
  if (status < 200 || status >= 300) throw openFailure(response, mask, now);
  // Another 2xx is not the data: accepted for later, a part, changed on the way.
  if (isGet && status !== 200) throw unreadable(response, `${status} in place of 200`);
  return openSuccess(response, mask);
}

const unreadable = (
  { status, clocks }: { status: number; clocks?: ClockReadings | undefined },
  reason: string,
): RequestFailure => new RequestFailure({ phase: 'answered', kind: 'unreadable', reason, status, clocks });

function openSuccess(response: WireResponse, mask: KeyMask): ParsedEnvelope {
  const { status, headers, body, clocks } = response;
  let envelope: unknown;
  try {
    envelope = mask.value(readJson(body));
  } catch (error) {
    // Without its cause, which quotes the text and may contain the key.
    const why = isHtml(body) ? 'it looks like a web page' : mask.text(reasonOf(error));
    throw unreadable(response, `not JSON (${why})`);
  }
  if (!isObject(envelope)) throw unreadable(response, 'not an envelope of data, error and meta');
  const { data, error, meta } = envelope;
  if (error !== null && error !== undefined) throw unreadable(response, 'a success status with an error');
  if (data === null || data === undefined) throw unreadable(response, 'data is missing');
  if (!isMeta(meta)) throw unreadable(response, 'meta is not an object');
  return { status, data, meta: meta ?? {}, servedAt: dateOf(headers), clocks };
}

function openFailure(
  { status, headers, body, clocks }: WireResponse,
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
    const reason = `the service returned ${status} ${code}`;
    return new RequestFailure({ ...parts, kind: 'status', reason, code, message, details });
  }
  const kind = status >= 500 || BARE_STATUSES.includes(status) ? 'status' : 'unreadable';
  const reason =
    status >= 500
      ? `the service returned ${status}`
      : `${isHtml(body) ? 'a web page' : 'not an envelope with an error code'} (${status})`;
  return new RequestFailure({ ...parts, kind, reason });
}

/** A reading takes these as they are, also from a gateway. */
const BARE_STATUSES: readonly number[] = [401, 403, 429];

interface ServiceError {
  code: string;
  message: string;
  details: unknown;
}

/** §1. Undefined if the body is not the envelope of a failure: then anything on the way may have answered. */
function readServiceError(body: string, mask: KeyMask): ServiceError | undefined {
  let envelope: unknown;
  try {
    envelope = mask.value(readJson(body));
  } catch {
    return undefined;
  }
  if (!isObject(envelope)) return undefined;
  const { data, error, meta } = envelope;
  if (data !== null || !isObject(error) || !isMeta(meta)) return undefined;
  const { code, message, details } = error;
  return typeof code === 'string' && code !== '' && typeof message === 'string'
    ? { code, message, details }
    : undefined;
}

const isMeta = (meta: unknown): meta is Readonly<Record<string, unknown>> | null | undefined =>
  meta === null || meta === undefined || isObject(meta);

function dateOf(headers: WireResponse['headers']): Date | undefined {
  const at = new Date(headers['date'] ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
const isHtml = (body: string): boolean => /^\s*<(!doctype|html|head|body)\b/i.test(body);

/**
 * Retry-After in milliseconds; undefined when absent or unreadable. A date is measured against the response's Date
 * header, so that this machine's clock does not matter; without one, against `now`.
 */
export function retryAfterMs(headers: WireResponse['headers'], now: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Every HTTP date starts with a weekday; Date.parse alone would read `-5` as a year.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const served = Date.parse(headers['date'] ?? '');
  return Math.max(0, at - (Number.isNaN(served) ? now : served));
}

/** Values of the request that the response repeats, by their name in `data`. */
export type Echo = Readonly<Record<string, string>>;

/**
 * `echo` must be present and equal; `ifPresent` must be equal if present.
 * @throws RequestFailure `unreadable`, for instance `data.pricing.execution_price is missing`.
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  opened: Pick<ParsedEnvelope, 'status' | 'data'> & Partial<Pick<ParsedEnvelope, 'clocks'>>,
  { echo = {}, ifPresent = {} }: { echo?: Echo | undefined; ifPresent?: Echo | undefined } = {},
): T {
  const { data } = opened;
  if (!fits(schema, data)) throw unreadable(opened, mismatchOf(schema, data));
  for (const [name, asked] of [...Object.entries(echo), ...Object.entries(ifPresent)]) {
    const value = valueAt(data, [name]) ?? undefined;
    const got = plain(value);
    if (got !== asked && (value !== undefined || Object.hasOwn(echo, name)))
      throw unreadable(opened, `data.${name} is ${got}, but the request had ${asked}`);
  }
  return data;
}

/** The first mismatch in words. */
function mismatchOf(schema: z.ZodMiniType, data: unknown): string {
  const issue = schema.safeParse(data).error?.issues[0];
  const where = pathInWords(issue?.path ?? []);
  const value = valueAt(data, issue?.path ?? []);
  if (value === undefined || value === null) return `${where} is missing`;
  if (issue?.code === 'custom') return `${where} ${issue.message}`;
  if (issue?.code === 'invalid_type')
    return `${where} is not ${ownField(EXPECTED, issue.expected) ?? issue.expected}`;
  if (issue?.code === 'invalid_value') return `${where} is not one of ${issue.values.map(String).join(', ')}`;
  return `${where} is not as specified`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
};

/** `['pricing', 'execution_price']` → `data.pricing.execution_price`, `[2, 'price']` → `data[2].price`. */
function pathInWords(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (words, part) => (typeof part === 'number' ? `${words}[${part}]` : `${words}.${String(part)}`),
    'data',
  );
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let at = data;
  for (const part of path) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined;
  }
  return at;
}

const plain = (value: unknown): string => {
  if (value instanceof Big) return value.toFixed();
  return typeof value === 'string' ? value : `a ${typeof value}`;
};

function fits<T>(schema: z.ZodMiniType<T>, data: unknown): data is T {
  return schema.safeParse(data).success;
}
