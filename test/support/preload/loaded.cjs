/** Writes to the file named by LOADED_TO what the program loaded: Node's own modules, and files of dist/program. */
'use strict';

const fs = require('node:fs');
const { basename } = require('node:path');
const Module = require('node:module');

const loaded = new Set();
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
process.on('exit', () => fs.writeFileSync(process.env.LOADED_TO, JSON.stringify([...loaded])));
