// Loaded before a program: says at its end the most memory it held. Linux alone tells that of one process image.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  writeSync(2, `peak ${peak} kB\n`);
});
