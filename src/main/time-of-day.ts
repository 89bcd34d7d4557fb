/** Times of this machine's clock in words. Loaded by what looks at the account only. */
import { exactInstant } from '../domain/instants.ts';
import { formatClock, formatTime } from '../domain/zone-times.ts';
import type { Clock } from '../platform/clock.ts';
import type { Terminal } from '../terminal/streams.ts';

/** `10:07:58` in the profile's zone; `09:07:58 UTC` in a pipe. Of another day: `Thu 19 Nov 10:07:58 WAT`. */
export const timeOfDay =
  ({ stderr }: Terminal, { clock, zone }: { clock: Clock; zone: () => string }) =>
  (ms: number): string => {
    const shown = { zone: stderr.isTTY ? zone() : 'UTC', now: clock.now() };
    const dayOf = (at: number): string | undefined => formatTime(exactInstant(at), shown, 'date');
    if (dayOf(ms) !== dayOf(shown.now)) return formatTime(exactInstant(ms), shown) ?? exactInstant(ms);
    const time = formatClock(ms, shown.zone);
    return shown.zone === 'UTC' ? `${time} UTC` : time;
  };
