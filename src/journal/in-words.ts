/**
 * What the halt holds, as part of a sentence: for guards, questions and errors. Whatever somebody typed is
 * made harmless. Times are UTC, since no profile's zone is known here.
 */
import { quoted, unquoted } from '../domain/quoted.ts';
import type { Halt } from './halt.ts';

/** `by ada@desk, 2026-11-20 10:02:58 UTC: "venue down"`; or why the halt cannot be read, as a sentence. */
export function haltInWords(halt: Halt): string {
  if ('unreadable' in halt) return halt.unreadable.what;
  return `by ${unquoted(halt.who)}, ${timeInWords(halt.at)}: ${quoted(halt.why)}`;
}

/** `2026-11-20T10:02:58.123Z` → `2026-11-20 10:02:58 UTC`. */
const timeInWords = (at: string): string =>
  `${unquoted(at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ''))} UTC`;
