/**
 * Keys of actions and the answers kept under them, an environment apart (specification §7). An accepted answer
 * is kept for 24 hours of wall time; a refusal leaves the key free; a request in progress holds it as a lease.
 */
import { createHash } from 'node:crypto';
import type { Environment } from '../door.ts';
import { big, type Database, text, whole, wholeOrNull } from '../store/database.ts';
import type { Answer } from '../wire/envelope.ts';
import { encode, type Json } from '../wire/json.ts';
import { Refusal } from '../wire/refusal.ts';

const KEPT_MS = 86_400_000;
const LEASE_MS = 30_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export interface KeyedRequest {
  environment: Environment;
  key: string;
  /** Of method, path and body: the same request has the same one. */
  fingerprint: string;
}

/** ASSUMED: any 1 to 255 visible ASCII characters. */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new Refusal('invalid_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters.', {
    details: { field: 'Idempotency-Key' },
  });
}

/** Bodies that mean the same are the same: order of fields and white space do not count. */
export function fingerprintOf(method: string, path: string, body: { readonly [name: string]: Json }): string {
  const sorted = Object.fromEntries(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256')
    .update(`${method} ${path}\n${encode(sorted)}`)
    .digest('hex');
}

/** The answer kept for this request, undefined when the key is free for `holder`; otherwise a 409. */
export function keptAnswer(
  db: Database,
  request: KeyedRequest,
  wallNow: number,
  holder?: string,
): Answer | undefined {
  const row = db.get(
    'SELECT * FROM kept_answers WHERE environment = ? AND idempotency_key = ? AND wall_expires > ?',
    request.environment,
    request.key,
    wallNow,
  );
  if (row === undefined || (holder !== undefined && text(row, 'holder') === holder)) return undefined;
  const status = wholeOrNull(row, 'status');
  const busy = big(row, 'wall_busy_until') > wallNow;
  if (status === null && !busy) return undefined;
  if (text(row, 'fingerprint') !== request.fingerprint) {
    throw new Refusal('idempotency_key_reuse', 'This Idempotency-Key was used with a different request.');
  }
  if (busy) throw inFlight(whole(row, 'wall_busy_until') - wallNow);
  return status === null ? undefined : { status, body: text(row, 'body'), headers: {}, replayed: true };
}

export function inFlight(leftMs: number): Refusal {
  return new Refusal('idempotency_in_flight', 'A request with this Idempotency-Key is still in progress.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}

/** Holds the key while the request waits; a holder that does not come back loses it after 30 seconds. */
export function lease(db: Database, request: KeyedRequest, holder: string, wallNow: number): void {
  write(db, request, { holder, busyUntil: wallNow + LEASE_MS, expires: wallNow + LEASE_MS });
}

/** Keeps the answer of an accepted action, in the transaction in which the book acted. */
export function keepAnswer(
  db: Database,
  request: KeyedRequest,
  kept: { answer: Answer; wallNow: number; busyMs: number },
): void {
  write(db, request, {
    holder: '',
    busyUntil: kept.wallNow + kept.busyMs,
    expires: kept.wallNow + KEPT_MS,
    answer: kept.answer,
  });
  db.run('DELETE FROM kept_answers WHERE wall_expires <= ?', kept.wallNow);
}

export function release(db: Database, request: KeyedRequest, holder: string): void {
  db.run(
    'DELETE FROM kept_answers WHERE environment = ? AND idempotency_key = ? AND holder = ?',
    request.environment,
    request.key,
    holder,
  );
}

function write(
  db: Database,
  request: KeyedRequest,
  row: { holder: string; busyUntil: number; expires: number; answer?: Answer },
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
    row.answer?.status ?? null,
    row.answer?.body ?? null,
  );
}
