#!/usr/bin/env node
// Refuses a Node that is too old in one sentence; otherwise hands over to the built program.
const OLDEST = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `hedge needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}. Nothing was done.\n`,
  );
  process.exitCode = 1;
} else {
  const { main } = await import('../dist/main.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes('dist')) throw error;
    process.stderr.write('hedge is not built yet: run `npm run build` in its folder. Nothing was done.\n');
    return { main: async () => 1 };
  });
  process.exitCode = await main(process);
}
