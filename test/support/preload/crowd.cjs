/**
 * Loaded into one of many programs that run at once. CROWD_SEED: where its chance begins, so that a run can be repeated;
 * `none` takes the chance away, a fault to see whether a crowd in step is noticed. CROWD_TIMES: how many times faster
 * its waits pass, and its clock goes, since CROWD_EPOCH, which is one for all.
 */
'use strict';

const timers = require('node:timers/promises');
const goFaster = require('./faster-clocks.cjs');

const { CROWD_SEED = '1', CROWD_TIMES = '1', CROWD_EPOCH = '0' } = process.env;

let state = Number(CROWD_SEED) >>> 0;
function fraction() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
Math.random = CROWD_SEED === 'none' ? () => 0.5 : fraction;

const times = Number(CROWD_TIMES);
if (times !== 1) {
  const { setTimeout: later } = globalThis;
  const { setTimeout: wait } = timers;
  globalThis.setTimeout = (call, ms, ...rest) => later(call, ms / times, ...rest);
  timers.setTimeout = (ms, ...rest) => wait(ms / times, ...rest);
  goFaster(times, { from: Number(CROWD_EPOCH) });
}
