// Loaded before a program whose clock is another: it starts at an instant of the test's and runs so many times faster,
// and so do all waits.
const { now: startsAt, times } = JSON.parse(process.env.OTHER_CLOCK);
delete process.env.OTHER_CLOCK;

require('./faster-clocks.cjs')(times, { shown: startsAt });

const wait = globalThis.setTimeout;
globalThis.setTimeout = (then, ms, ...rest) => wait(then, ms / times, ...rest);
