#!/usr/bin/env node
// Refuses a Node that is too old in one sentence; otherwise hands over to the built program.
const OLDEST = [20, 19];
const PROGRAM = '../dist/program/hedge.cjs';
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  refuse(
    `hedge needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}. Nothing was done.`,
  );
} else {
  void start();
}

async function start() {
  // The trace of a fault then names the source: maps are read only of what is loaded from now on.
  if (process.argv.some((word) => word === '-v' || word === '--verbose')) process.setSourceMapsEnabled(true);
  let program;
  try {
    program = require(PROGRAM);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !error.message.includes(PROGRAM)) throw error;
    refuse('hedge is not built yet: run `npm run build` in its folder. Nothing was done.');
    return;
  }
  process.exitCode = await program.main(process);
}

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
