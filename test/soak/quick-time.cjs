// Loaded before a program that is soaked: its hours pass in minutes. Waits last a part of what was asked, the clock
// runs as much faster, and after every so many requests a line about the process goes to the file that is named.
const { appendFileSync } = require('node:fs');
const { subscribe } = require('node:diagnostics_channel');
const timers = require('node:timers/promises');

const TIMES = Number(process.env.SOAK_TIMES);
const EACH = Number(process.env.SOAK_REQUESTS_EACH);
const OUT = process.env.SOAK_OUT;

const wait = timers.setTimeout;
timers.setTimeout = (ms, ...rest) => wait(ms / TIMES, ...rest);

const startedAt = Date.now();
const now = Date.now;
Date.now = () => startedAt + (now() - startedAt) * TIMES;

let requests = 0;
const count = () => {
  requests += 1;
  if (requests % EACH !== 0) return;
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  appendFileSync(OUT, `${JSON.stringify({ requests, ms: now() - startedAt, rss, heapUsed })}\n`);
};
subscribe('http.client.request.start', count);
subscribe('undici:request:create', count);
