import { expect, it } from 'vitest';
import { timeOfDay } from '../../src/main/time-of-day.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';
import { steadyClock } from '../support/steady-clock.ts';

const AT = Date.parse('2026-11-19T23:30:00.000Z');

it.each<[string, boolean, string, string, string]>([
  ['of today in the zone of the screen', true, 'Africa/Lagos', '2026-11-20T09:00:00.000Z', '00:30:00'],
  ['of another day there', true, 'Africa/Lagos', '2026-11-21T09:00:00.000Z', 'Fri 20 Nov 00:30:00 WAT'],
  ['of a screen in UTC', true, 'UTC', '2026-11-19T23:40:00.000Z', '23:30:00 UTC'],
  ['of today in a pipe', false, 'Africa/Lagos', '2026-11-19T23:40:00.000Z', '23:30:00 UTC'],
  ['of another day in a pipe', false, 'Africa/Lagos', '2026-11-20T00:10:00.000Z', 'Thu 19 Nov 23:30:00 UTC'],
])('a time %s', (_, isTTY, zone, now, shown) => {
  const { terminal } = recordingTerminal({ isTTY: { stderr: isTTY } });
  const at = { clock: steadyClock(now), zone: () => zone };
  expect(timeOfDay(terminal, at)(AT)).toBe(shown);
});
