/** The Retry-After header as milliseconds. */
import type { WireAnswer } from './wire.ts';

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
