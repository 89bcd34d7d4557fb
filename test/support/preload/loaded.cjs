/** Writes to the file named by LOADED_TO what the program loaded: Node's own modules, and files of dist/program. */
'use strict';

const fs = require('node:fs');
const { basename } = require('node:path');
const Module = require('node:module');

const loaded = new Set();
/** What of Node takes long to load, and comes with a stream or a key without being asked for by name. */
const HEAVY = ['crypto', 'http', 'net', 'stream', 'tls', 'zlib'];
const isThere = (name) => process.moduleLoadList.includes(`NativeModule ${name}`);
const before = new Set(HEAVY.filter(isThere));
const { readFileSync } = fs;
const load = Module._load;

fs.readFileSync = (path, ...rest) => {
  if (/dist.program.*\.cjs$/.test(String(path))) loaded.add(basename(path));
  return readFileSync(path, ...rest);
};
Module._load = function loadAndNote(request, ...rest) {
  if (Module.builtinModules.includes(request.replace(/^node:/, ''))) loaded.add(request);
  else if (!/^[./]/.test(request)) loaded.add(request);
  else if (request.endsWith('.cjs')) loaded.add(basename(request));
  return load.call(this, request, ...rest);
};
process.on('exit', () => {
  for (const name of HEAVY) if (!before.has(name) && isThere(name)) loaded.add(`node:${name}`);
  fs.writeFileSync(process.env.LOADED_TO, JSON.stringify([...loaded]));
});
