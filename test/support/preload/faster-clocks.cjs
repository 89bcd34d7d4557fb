// For programs that are loaded after it: every clock that a program can read goes so many times faster.
'use strict';

const { now } = Date;
const { hrtime } = process;
const monotonic = performance.now.bind(performance);
const NANOSECONDS = 1_000_000_000n;

/** The wall clock shows `shown` where it is `from`; the others have a zero of their own. */
module.exports = function goFaster(times, { from = now(), shown = from } = {}) {
  Date.now = () => Math.round(shown + (now() - from) * times);
  performance.now = () => monotonic() * times;
  const nanoseconds = () => BigInt(Math.round(Number(hrtime.bigint()) * times));
  process.hrtime = (since) => {
    const [seconds, rest] = since ?? [0, 0];
    const passed = nanoseconds() - BigInt(seconds) * NANOSECONDS - BigInt(rest);
    return [Number(passed / NANOSECONDS), Number(passed % NANOSECONDS)];
  };
  process.hrtime.bigint = nanoseconds;
};
