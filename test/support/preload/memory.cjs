/** Loaded before a program: answers each message with the MB that it uses when all garbage has been collected. */
'use strict';

const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('message', () => {
  collect();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  // Native memory counts as the system sees it. Of the heap only live objects do: V8 returns free pages when it has time.
  process.send((rss - heapTotal + heapUsed) / 2 ** 20);
});
// The program ends as it would without a parent.
process.channel.unref();
