/** `--watch [SECONDS]` and `hedge watch --every SECONDS`: how often a reading is to be repeated. Repeats nothing. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput } from './operands.ts';

const USUAL_MS = 5_000;
const LONGEST_SECONDS = 86_400;
const SECONDS = /^(\d{1,5}(?:\.\d{1,3})?)s?$/i;

/** Milliseconds from one reading to the next, or undefined when it is read once. */
export function readWatch(raw: RawInput): number | undefined {
  const watch = optionText(raw, 'watch');
  // An empty value is what `withoutSwallowing` leaves.
  if (optionGiven(raw, 'watch') || watch === '') return USUAL_MS;
  return watch === undefined ? undefined : msOf('--watch', watch, { least: 1, usual: USUAL_MS });
}

function msOf(option: string, text: string, { least, usual }: { least: number; usual: number }): number {
  const seconds = Number(SECONDS.exec(text)?.[1] ?? Number.NaN);
  if (seconds >= least && seconds <= LONGEST_SECONDS) return Math.round(seconds * 1_000);
  throw new UsageError(
    `${quoted(text)} is not a pace to read at (${option}).`,
    `Write seconds from ${least.toString()} to ${LONGEST_SECONDS.toString()}: ${option} ${(usual / 1_000).toString()}`,
  );
}

/** Several readings a turn, so not as often as one. */
const SCREEN = { least: 1.5, usualMs: 3_000 };

/** `hedge watch --every SECONDS`: milliseconds from one turn to the next. */
export function readEvery(raw: RawInput): number {
  const text = optionText(raw, 'every');
  if (text === undefined) return SCREEN.usualMs;
  return msOf('--every', text, { least: SCREEN.least, usual: SCREEN.usualMs });
}
