// Loaded before a program that is soaked: its hours pass in minutes. The waits between readings last a part of what was
// asked, the clock runs as much faster, and after every so many requests a line about the process goes to the file that
// is named. A limit of time on a request is longer than those waits and stays as it is: the service is not quicker.
const { appendFileSync } = require('node:fs');
const { subscribe } = require('node:diagnostics_channel');

const TIMES = Number(process.env.SOAK_TIMES);
const EACH = Number(process.env.SOAK_REQUESTS_EACH);
const OUT = process.env.SOAK_OUT;

const LONGEST_WAIT = 2_000;
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => later(call, ms <= LONGEST_WAIT ? ms / TIMES : ms, ...rest);

require('../support/preload/faster-clocks.cjs')(TIMES);

let requests = 0;
const count = () => {
  requests += 1;
  if (requests % EACH !== 0) return;
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  appendFileSync(OUT, `${JSON.stringify({ requests, cpuMs: (user + system) / 1_000, rss, heapUsed })}\n`);
};
subscribe('http.client.request.start', count);
subscribe('undici:request:create', count);
