// Loaded before a program whose clock is another: it starts at an instant of the test's and runs so many times faster,
// and so do all waits.
const { now: startsAt, times } = JSON.parse(process.env.OTHER_CLOCK);
delete process.env.OTHER_CLOCK;

const now = Date.now;
const began = now();
Date.now = () => Math.round(startsAt + (now() - began) * times);
const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() * times;

const wait = globalThis.setTimeout;
globalThis.setTimeout = (then, ms, ...rest) => wait(then, ms / times, ...rest);
