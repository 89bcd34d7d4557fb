/**
 * The reference rate: a pure function of seed, market and book time, so that a settlement worked out late
 * equals one worked out on time. It uses only + − × ÷, floor and 32-bit integer mixing, which every machine
 * computes alike, and refuses to know any clock or store.
 */
import { ONE_RATE, type Rate } from '../money/decimals.ts';

/** The course of one market. `swing` 1 is the usual one, 0 a flat line; `driftYearly` is a fraction. */
export interface Course {
  seed: string;
  market: string;
  baseRate: number;
  swing: number;
  driftYearly: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** Where the drift starts: 2026-11-20T00:00:00Z. */
const DRIFT_EPOCH = 1_795_132_800_000;
/** The rate is quoted in ten-thousandths. */
const TICKS = 10_000;

/** Smooth noise: each layer wanders between new values once a period, by at most its share of the level. */
const WANDERINGS = [
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

/** The mid at an instant of book time (ms since the epoch): 4 decimals, always positive. */
export function referenceRate(course: Course, instant: number): Rate {
  const root = textHash(`${course.seed}/${course.market}`);
  let deviation = 0;
  WANDERINGS.forEach((layer, index) => {
    deviation += layer.share * wandering(mix(root, index + 1), instant / layer.periodMs);
  });
  for (const layer of WAVES) {
    deviation += layer.share * wave(instant / layer.periodMs);
  }
  const drift = (course.driftYearly * (instant - DRIFT_EPOCH)) / YEAR;
  const level = Math.min(5, Math.max(0.2, 1 + drift + course.swing * deviation));
  const ticks = Math.max(1, Math.floor(course.baseRate * level * TICKS + 0.5));
  return BigInt(ticks) * (ONE_RATE / BigInt(TICKS));
}

/** Between two lattice values in [-1, 1], eased so that the slope is continuous. */
function wandering(root: number, position: number): number {
  const step = Math.floor(position);
  const along = position - step;
  const eased = along * along * (3 - 2 * along);
  const from = lattice(root, step);
  return from + (lattice(root, step + 1) - from) * eased;
}

function lattice(root: number, step: number): number {
  const high = Math.floor(step / 4_294_967_296);
  return (mix(mix(root, step | 0), high) / 4_294_967_296) * 2 - 1;
}

/** A parabola's stand-in for a sine: 0, up to 1, 0, down to -1. */
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

/** Two 32-bit numbers into one (murmur3's finalizer); unsigned 32 bits. */
function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e37_79b1), 0x85eb_ca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0xc2b2_ae35);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0x27d4_eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}
