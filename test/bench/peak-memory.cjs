// Loaded before a program: at its end prints its peak memory and CPU time. Linux alone tells that of one process image.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const { user, system } = process.cpuUsage();
  writeSync(2, `peak ${peak} kB, CPU ${((user + system) / 1e6).toFixed(4)} s\n`);
});
