/** The identifiers, hashes and keys that the service generates. */
import type { PracticeRandom } from './practice-types.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Sorts by time: `hdg_`, ten characters of book time, six random ones. */
export function newHedgeId(instant: number, random: PracticeRandom): string {
  return `hdg_${encodeTime(instant)}${randomText(random, 6)}`;
}

export function newBookId(random: PracticeRandom): string {
  return `book_${randomText(random, 16)}`;
}

/** `0x` and 64 hex digits. */
export function newHash(random: PracticeRandom): string {
  return `0x${Buffer.from(random.bytes(32)).toString('hex')}`;
}

export function newApiKey(environment: 'live' | 'test' | 'control', random: PracticeRandom): string {
  return apiKeyOf(environment, random.bytes(32));
}

/** One character for each byte. */
export function apiKeyOf(environment: 'live' | 'test' | 'control', bytes: Uint8Array): string {
  return `hk_${environment}_${crockford(bytes)}`;
}

/** For lease holders and temporary file names. */
export function newToken(random: PracticeRandom): string {
  return randomText(random, 16);
}

function encodeTime(instant: number): string {
  let rest = Math.max(0, Math.floor(instant));
  let text = '';
  for (let place = 0; place < 10; place += 1) {
    text = (CROCKFORD[rest % 32] ?? '0') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const randomText = (random: PracticeRandom, count: number): string => crockford(random.bytes(count));

const crockford = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => CROCKFORD[byte % 32] ?? '0').join('');
