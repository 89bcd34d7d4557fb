/**
 * Context of a transaction on the book: database, terms, book time and rates. The reference rate is a pure function
 * of seed, market and book time: a settlement computed late equals one on time. It uses only + − × ÷, floor and 32-bit
 * mixing, which give the same result on every machine.
 */

import {
  DamagedRecordError,
  type PracticeClock,
  type PracticeEnvironment,
  type PracticeRandom,
} from '../domain/practice-types.ts';
import { ONE_RATE, type Rate } from '../domain/scaled-decimals.ts';
import type { FaultEffects } from '../faults/fault-settings.ts';
import type { RateModel, TradingConditions } from '../settings.ts';
import type { SettingsStore } from '../settings-store.ts';
import { setPriceAt } from '../store/control-tables.ts';
import {
  bigintColumn,
  type Database,
  integerColumn,
  integerColumnOrNull,
  textColumn,
} from '../store/database.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** The drift starts at 2026-11-20T00:00:00Z. */
const DRIFT_EPOCH = 1_795_132_800_000;
const TICKS = 10_000;

/** Each layer moves to a new value once a period, by at most its share of the level. */
const NOISE_LAYERS = [
  { periodMs: 30 * DAY, share: 0.02 },
  { periodMs: 3 * DAY, share: 0.008 },
  { periodMs: 2 * HOUR, share: 0.0012 },
  { periodMs: 10 * MINUTE, share: 0.0004 },
  { periodMs: MINUTE, share: 0.00012 },
  { periodMs: 7_000, share: 0.00004 },
] as const;

const WAVES = [
  { periodMs: DAY, share: 0.0015 },
  { periodMs: HOUR, share: 0.0003 },
] as const;

/** The mid at a book time: 4 decimals, always positive. */
export function referenceRate(rateModel: RateModel, instant: number): Rate {
  const root = textHash(`${rateModel.seed}/${rateModel.market}`);
  let deviation = 0;
  NOISE_LAYERS.forEach((layer, index) => {
    deviation += layer.share * smoothNoise(mix(root, index + 1), instant / layer.periodMs);
  });
  for (const layer of WAVES) {
    deviation += layer.share * wave(instant / layer.periodMs);
  }
  const drift = (rateModel.driftYearly * (instant - DRIFT_EPOCH)) / YEAR;
  const level = Math.min(5, Math.max(0.2, 1 + drift + rateModel.swing * deviation));
  const ticks = Math.max(1, Math.floor(rateModel.baseRate * level * TICKS + 0.5));
  return BigInt(ticks) * (ONE_RATE / BigInt(TICKS));
}

/** Interpolates between two lattice values in [-1, 1] with a continuous slope. */
function smoothNoise(root: number, position: number): number {
  const step = Math.floor(position);
  const along = position - step;
  const eased = along * along * (3 - 2 * along);
  const from = latticeValue(root, step);
  return from + (latticeValue(root, step + 1) - from) * eased;
}

function latticeValue(root: number, step: number): number {
  const high = Math.floor(step / 4_294_967_296);
  return (mix(mix(root, step | 0), high) / 4_294_967_296) * 2 - 1;
}

/** A sine built of parabolas, since Math.sin differs between machines. */
function wave(position: number): number {
  const phase = position - Math.floor(position);
  return phase < 0.5 ? 16 * phase * (0.5 - phase) : -16 * (phase - 0.5) * (1 - phase);
}

/** FNV-1a over UTF-16 units; unsigned 32 bits. */
function textHash(text: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619);
  }
  return hash >>> 0;
}

/** The finalizer of murmur3 over two 32-bit numbers; unsigned 32 bits. */
function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e37_79b1), 0x85eb_ca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0xc2b2_ae35);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0x27d4_eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export interface BookContext {
  db: Database;
  terms: TradingConditions;
  random: PracticeRandom;
}

/** A book as a process keeps it between transactions. */
export interface OpenedBook {
  db: Database;
  clock: PracticeClock;
  random: PracticeRandom;
  settings: SettingsStore;
}

/** A context with the settings in force. Call it inside a transaction. */
export function bookContext({ db, random, settings }: OpenedBook): BookContext {
  return { db, random, terms: settings.current(db).terms };
}

export interface TransactionContext extends BookContext {
  environment: PracticeEnvironment;
  /** Book time. */
  now: number;
  faults: FaultEffects;
}

/** The price that was set for this time, or the reference rate; also of a disabled market. */
export function midAt(context: Pick<BookContext, 'terms' | 'db'>, market: string, instant: number): Rate {
  const found = context.terms.markets.get(market);
  if (found === undefined)
    throw new Error(`The practice settings have no market ${market}, but its book does.`);
  const set = setPriceAt(context.db, market, instant);
  return set ?? referenceRate(found.rateModel, instant);
}

export interface BookTime {
  bookId: string;
  wallNow: number;
  /** Never runs backwards: after a wall clock set back it goes on from the last saved time. */
  now: number;
  /** True: it moves only when it is advanced. */
  manual: boolean;
}

export function bookTime(db: Database, wallNow: number): BookTime {
  const row = db.get(
    'SELECT book_id, ahead_ms, last_instant, (SELECT starts_at FROM manual_clock) AS manual_from FROM book',
  );
  if (row === undefined) throw new DamagedRecordError('no book');
  const bookId = textColumn(row, 'book_id');
  const last = Number(bigintColumn(row, 'last_instant'));
  const manualFrom = integerColumnOrNull(row, 'manual_from');
  const wall = Math.floor(wallNow);
  const from = manualFrom ?? wall + integerColumn(row, 'ahead_ms');
  return { bookId, wallNow: wall, now: Math.max(from, last), manual: manualFrom !== null };
}

/** Machines that share a desk differ by seconds: so much is waited for, otherwise each would push the other's book ahead. */
const CLOCK_TOLERANCE = 5_000;

/** Moves it ahead of the wall clock if that is too far behind, such as after it was set back. Inside a transaction. */
export function saveBookTime(db: Database, { now, wallNow }: Pick<BookTime, 'now' | 'wallNow'>): void {
  db.run('UPDATE book SET last_instant = ? WHERE last_instant < ?', now, now);
  db.run('UPDATE book SET ahead_ms = ? WHERE ahead_ms < ?', now - wallNow, now - wallNow - CLOCK_TOLERANCE);
}

export function advanceBookTime(db: Database, byMs: number): void {
  db.run('UPDATE book SET ahead_ms = ahead_ms + ?', byMs);
}

export function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}
