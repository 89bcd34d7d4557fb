/** Durations as they are typed: `8h`, `1d12h`. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
const DURATION = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?$/i;

/** Milliseconds of `3d`, `12h`, `90m`, `30s`, or several units, largest first: `1d12h`. @throws UsageError */
export function readDuration(text: string): number {
  const parts = DURATION.exec(text);
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts ?? [];
  const ms =
    Number(days) * UNIT_MS.d +
    Number(hours) * UNIT_MS.h +
    Number(minutes) * UNIT_MS.m +
    Number(seconds) * UNIT_MS.s;
  if (parts === null || ms === 0)
    throw new UsageError(`${quoted(text)} is not a duration.`, 'Write it as 3d, 12h, 90m, 30s or 1d12h.');
  return ms;
}
