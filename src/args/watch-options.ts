/** Reads the interval of `--watch [SECONDS]` and `hedge watch --every SECONDS`. */
import { isNot } from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';

const USUAL_MS = 5_000;
const LONGEST_SECONDS = 86_400;
const SECONDS = /^(\d{1,5}(?:\.\d{1,3})?)s?$/i;

/** Milliseconds between readings; undefined without --watch. */
export function readWatch(raw: RawInput): number | undefined {
  const watch = optionText(raw, 'watch');
  // An empty value is what `withoutSwallowing` leaves.
  if (optionGiven(raw, 'watch') || watch === '') return USUAL_MS;
  return watch === undefined ? undefined : msOf('--watch', watch, { least: 1, usual: USUAL_MS });
}

function msOf(option: string, text: string, { least, usual }: { least: number; usual: number }): number {
  const seconds = Number(SECONDS.exec(text)?.[1] ?? Number.NaN);
  if (seconds >= least && seconds <= LONGEST_SECONDS) return Math.round(seconds * 1_000);
  throw isNot(
    text,
    `an interval (${option})`,
    `Use seconds from ${least} to ${LONGEST_SECONDS}: ${option} ${usual / 1_000}`,
  );
}

/** A refresh makes several requests, so its interval is longer. */
const SCREEN = { least: 1.5, usual: 3_000 };

/** `hedge watch --every SECONDS`: milliseconds between refreshes. */
export const readEvery = (raw: RawInput): number =>
  readOption(raw, 'every', (text, option) => msOf(option, text, SCREEN)) ?? SCREEN.usual;
