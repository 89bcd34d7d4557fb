import { assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClockReadings,
  clocksDisagree,
  durationInWords,
  elapsedOver,
  MAX_CLOCK_SKEW_MS,
} from '../../src/domain/instants.ts';

const HOUR = 3_600_000;
const at = (wall: number, monotonic?: number, service?: number): ClockReadings => ({
  wall,
  monotonic,
  service,
});

describe('the time between moments', () => {
  it.each<[string, readonly ClockReadings[], number, number]>([
    ['is that of all clocks where they agree', [at(0, 500, 90), at(3_000, 3_500, 3_090)], 3_000, 0],
    ['is the wall clock alone where no other was read twice', [at(0, undefined, 5), at(3_000, 7)], 3_000, 0],
    [
      'is the longest, and the clocks are apart, where a machine slept',
      [at(0, 0), at(2 * HOUR, 400)],
      2 * HOUR,
      2 * HOUR - 400,
    ],
    ['is the longest where the wall clock was set back', [at(0, 0), at(-HOUR, 9_000)], 9_000, HOUR + 9_000],
    ['is not known where the only clock went back', [at(0), at(-10_000)], -10_000, 10_000],
    [
      'is the time of the service where this machine stood still with all its clocks',
      [at(0, 0, 0), at(1_000, 1_000, 2 * HOUR), at(2_000, 2_000)],
      2 * HOUR + 1_000,
      2 * HOUR - 1_000,
    ],
    [
      'is judged from each moment to each other, so that many small jumps do not pass',
      [at(0, 0), at(4_000, 0), at(8_000, 0)],
      8_000,
      8_000,
    ],
    ['is none at one moment', [at(7, 7)], 0, 0],
  ])('%s', (_, moments, ms, apartMs) => {
    expect(elapsedOver(moments)).toEqual({ ms, apartMs });
  });

  it('does not depend on where the clocks have their zero', () => {
    const offset = record({ wall: integer(), monotonic: integer(), service: integer() });
    const moments = [at(0, 0, 0), at(3_000, 2_000, 4_000), at(9_000, 9_500)];
    assert(
      property(offset, (by) => {
        const moved = moments.map(({ wall, monotonic = 0, service }) => ({
          wall: wall + by.wall,
          monotonic: monotonic + by.monotonic,
          ...(service === undefined ? {} : { service: service + by.service }),
        }));
        expect(elapsedOver(moved)).toEqual(elapsedOver(moments));
      }),
    );
  });

  it('is reported if the clocks are five seconds apart or less', () => {
    const apart = (ms: number): boolean => clocksDisagree(elapsedOver([at(0, 0), at(60_000, 60_000 - ms)]));
    expect([apart(MAX_CLOCK_SKEW_MS), apart(MAX_CLOCK_SKEW_MS + 1)]).toEqual([false, true]);
  });

  it.each([
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [2 * HOUR + 1, '2 h'],
  ])('of %d ms reads %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words);
  });
});
