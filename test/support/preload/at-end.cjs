// Loaded before a program: leaves in the file that is named what the program cost, and what it did to all objects.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const { user, system } = process.cpuUsage();
  const polluted = [{}, [], () => undefined].some((each) => 'polluted' in each);
  const said = { peakMb: Number(peak) / 1024, cpuMs: (user + system) / 1000, polluted };
  writeFileSync(process.env.AT_END, JSON.stringify(said));
});
