/** A fault, to see whether the sweep finds it: nothing is ever synced to the disk. */
'use strict';

const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

fs.fsyncSync = () => undefined;
fs.fdatasyncSync = () => undefined;
fs.fsync = (_fd, done) => setImmediate(() => done(null));
syncBuiltinESMExports();
