#!/usr/bin/env node
// Refuses a Node that is too old in one sentence; otherwise hands over to the built program.
const OLDEST = [20, 19];
const START = '../dist/program/start.cjs';
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  refuse(
    `hedge needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}. Nothing was done.`,
  );
} else {
  void start();
}

async function start() {
  let program;
  try {
    program = require(START);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !error.message.includes(START)) throw error;
    refuse('hedge is not built yet: run `npm run build` in its folder. Nothing was done.');
    return;
  }
  const exitCode = await program.main(process, {
    folder: `${__dirname}/../dist/program`,
    require: ask,
    keychainCommand: [process.execPath, `${__dirname}/keychain.js`],
  });
  // All output is written. Node 22 and 24 take 1.5 ms longer to end by themselves: they free all memory first.
  process.exit(exitCode);
}

function ask(id) {
  if (!id.startsWith('node:')) require('./own-packages.js')();
  return require(id);
}

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
