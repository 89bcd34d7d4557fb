/**
 * Caps text that the service sent: short and with single blanks where a person reads it, a few kilobytes a field in
 * the documents of errors. Data that was asked for does not pass here.
 */
import { clean } from './clean.ts';
import { isFields } from './fields.ts';

const LONGEST_ON_SCREEN = 300;
const LONGEST_FIELD_BYTES = 4_096;
const CUT_OFF = '…';

/** One harmless line of at most 300 characters with one blank between words. */
export const forScreen = (text: string): string => shortened(clean(text).replace(/ {2,}/g, ' ').trim());

/** At most 300 characters; `…` where the rest was cut off. */
export function shortened(line: string): string {
  if (line.length <= LONGEST_ON_SCREEN) return line;
  // By whole characters, of which each has two units at most.
  const characters = Array.from(line.slice(0, 2 * LONGEST_ON_SCREEN));
  const isWhole = characters.length <= LONGEST_ON_SCREEN && line.length <= 2 * LONGEST_ON_SCREEN;
  return isWhole ? line : characters.slice(0, LONGEST_ON_SCREEN - 1).join('') + CUT_OFF;
}

/** The same value with each text and each name in it cut to 4 KB of UTF-8. */
export function forDocument(value: unknown): unknown {
  if (typeof value === 'string') return cutField(value);
  if (Array.isArray(value)) return value.map(forDocument);
  if (!isFields(value) || !isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cutField(name), forDocument(inner)]),
  );
}

/** Figures are objects as well, and stay. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A text cut to 4 KB of UTF-8. */
export function cutField(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_FIELD_BYTES) return text;
  const room = new Uint8Array(LONGEST_FIELD_BYTES - Buffer.byteLength(CUT_OFF));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read) + CUT_OFF;
}
