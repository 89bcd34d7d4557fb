/** Identifiers the service gives out: hedge ids in order of time, hashes, keys. Randomness is handed in. */
import type { PracticeRandom } from './door.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `hdg_`, ten characters of book time, six drawn: sorts by time, and is short enough to be read. */
export function hedgeId(instant: number, random: PracticeRandom): string {
  return `hdg_${timePart(instant)}${drawn(random, 6)}`;
}

export function bookId(random: PracticeRandom): string {
  return `book_${drawn(random, 16)}`;
}

/** `0x` and 64 hex digits. */
export function hash(random: PracticeRandom): string {
  return `0x${Buffer.from(random.bytes(32)).toString('hex')}`;
}

export function apiKey(environment: 'live' | 'test', random: PracticeRandom): string {
  return `hk_${environment}_${drawn(random, 32)}`;
}

/** Names one attempt at an action, so that a lease taken over is noticed. */
export function holder(random: PracticeRandom): string {
  return drawn(random, 16);
}

function timePart(instant: number): string {
  let rest = Math.max(0, Math.floor(instant));
  let text = '';
  for (let place = 0; place < 10; place += 1) {
    text = (CROCKFORD[rest % 32] ?? '0') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function drawn(random: PracticeRandom, count: number): string {
  return Array.from(random.bytes(count), (byte) => CROCKFORD[byte % 32] ?? '0').join('');
}
