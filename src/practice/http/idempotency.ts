/**
 * Idempotency keys and the responses stored under them, per environment (specification §7). A successful response is
 * kept for 24 hours of wall time; an error leaves the key free; a request in progress leases it.
 */
import { createHash } from 'node:crypto';
import type { PracticeEnvironment } from '../domain/practice-types.ts';
import { ApiError, encodeJson, type Json, type PracticeResponse } from '../schemas/api-error.ts';
import {
  bigintColumn,
  type Database,
  integerColumn,
  integerColumnOrNull,
  textColumn,
} from '../store/database.ts';

const KEPT_MS = 86_400_000;
const LEASE_MS = 30_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export interface KeyedRequest {
  environment: PracticeEnvironment;
  key: string;
  /** Hash of method, path and body. */
  fingerprint: string;
}

/** ASSUMED: any 1 to 255 visible ASCII characters. */
export function parseIdempotencyKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new ApiError('invalid_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters.', {
    details: { field: 'Idempotency-Key' },
  });
}

/** Independent of the order of fields and of white space. */
export function fingerprintRequest(
  method: string,
  path: string,
  body: { readonly [name: string]: Json },
): string {
  const sorted = Object.fromEntries(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256')
    .update(`${method} ${path}\n${encodeJson(sorted)}`)
    .digest('hex');
}

/** Undefined if the key is free for `holder`. Throws a 409 if it is in use. */
export function storedResponse(
  db: Database,
  request: KeyedRequest,
  wallNow: number,
  holder?: string,
): PracticeResponse | undefined {
  const row = db.get(
    'SELECT * FROM kept_answers WHERE environment = ? AND idempotency_key = ? AND wall_expires > ?',
    request.environment,
    request.key,
    wallNow,
  );
  if (row === undefined || (holder !== undefined && textColumn(row, 'holder') === holder)) return undefined;
  const status = integerColumnOrNull(row, 'status');
  const busy = bigintColumn(row, 'wall_busy_until') > wallNow;
  if (status === null && !busy) return undefined;
  if (textColumn(row, 'fingerprint') !== request.fingerprint) {
    throw new ApiError('idempotency_key_reuse', 'This Idempotency-Key was used with a different request.');
  }
  if (busy) {
    const leaseMs = textColumn(row, 'holder') === '' ? 0 : LEASE_MS;
    throw keyInFlight(integerColumn(row, 'wall_busy_until') - leaseMs - wallNow);
  }
  return status === null ? undefined : { status, body: textColumn(row, 'body'), headers: {}, replayed: true };
}

export function keyInFlight(leftMs: number): ApiError {
  return new ApiError('idempotency_in_flight', 'A request with this Idempotency-Key is still in progress.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}

/** Reserves the key while the request waits, and 30 seconds more. */
export function leaseKey(
  db: Database,
  request: KeyedRequest,
  { holder, wallNow, busyMs }: { holder: string; wallNow: number; busyMs: number },
): void {
  const until = wallNow + busyMs + LEASE_MS;
  writeRow(db, request, { holder, busyUntil: until, expires: until });
}

/** In the same transaction as the action. `delayMs`: until the response leaves, the key is in progress. */
export function storeResponse(
  db: Database,
  request: KeyedRequest,
  kept: {
    response: PracticeResponse;
    wallNow: number;
    busyMs: number;
    delayMs: number;
    holder: string | undefined;
  },
): void {
  const { delayMs } = kept;
  const busyMs = Math.max(kept.busyMs, delayMs > 0 ? delayMs + LEASE_MS : 0);
  writeRow(db, request, {
    holder: delayMs > 0 ? (kept.holder ?? '') : '',
    busyUntil: busyEnd(kept.wallNow, busyMs),
    expires: kept.wallNow + KEPT_MS,
    response: kept.response,
  });
  db.run('DELETE FROM kept_answers WHERE wall_expires <= ?', kept.wallNow);
}

/** The response leaves: from now on the key gives it, or after `busyMs`. */
export function endBusy(
  db: Database,
  request: KeyedRequest,
  { holder, wallNow, busyMs }: { holder: string; wallNow: number; busyMs: number },
): void {
  db.run(
    `UPDATE kept_answers SET holder = '', wall_busy_until = ?
     WHERE environment = ? AND idempotency_key = ? AND holder = ?`,
    busyEnd(wallNow, busyMs),
    request.environment,
    request.key,
    holder,
  );
}

/** A key that is free at once stays so when the wall clock is set back. */
const busyEnd = (wallNow: number, busyMs: number): number => (busyMs === 0 ? 0 : Math.ceil(wallNow + busyMs));

export function releaseKey(db: Database, request: KeyedRequest, holder: string): void {
  db.run(
    'DELETE FROM kept_answers WHERE environment = ? AND idempotency_key = ? AND holder = ?',
    request.environment,
    request.key,
    holder,
  );
}

function writeRow(
  db: Database,
  request: KeyedRequest,
  row: { holder: string; busyUntil: number; expires: number; response?: PracticeResponse },
): void {
  db.run(
    `INSERT OR REPLACE INTO kept_answers
       (environment, idempotency_key, fingerprint, holder, wall_busy_until, wall_expires, status, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    request.environment,
    request.key,
    request.fingerprint,
    row.holder,
    Math.ceil(row.busyUntil),
    Math.ceil(row.expires),
    row.response?.status ?? null,
    row.response?.body ?? null,
  );
}
