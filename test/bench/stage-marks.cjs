/**
 * Loaded before the program: notes when each stage of a command begins, in milliseconds since the process began, and writes
 * them to the file that HEDGE_BENCH_STAGES names. It loads no module that the program may not need.
 */
const channel = require('node:diagnostics_channel');
const fs = require('node:fs');
const Module = require('node:module');
const vm = require('node:vm');

/* oxlint-disable no-underscore-dangle -- Node names its hook so */
const marks = { load: performance.now() };
const mark = (name) => (marks[name] ??= performance.now());

const { Script } = vm;
vm.Script = class extends Script {
  runInThisContext(options) {
    mark('arguments');
    return super.runInThisContext(options);
  }
};
const { openSync, writeSync } = fs;
fs.openSync = (path, ...more) => {
  if (String(path).endsWith('profiles.json')) mark('profile');
  return openSync(path, ...more);
};
fs.writeSync = (fd, ...more) => {
  if (fd === 1) mark('output');
  return writeSync(fd, ...more);
};
const load = Module._load;
Module._load = (id, ...more) => {
  const loaded = load(id, ...more);
  if (/^node:(?:http|net|tls)$/.test(id)) {
    Module._load = load;
    watchSockets(load('node:net', ...more).Socket.prototype);
  }
  return loaded;
};
function watchSockets(socket) {
  const { connect, write } = socket;
  socket.connect = function (...words) {
    mark('connection');
    return connect.apply(this, words);
  };
  socket.write = function (chunk, ...more) {
    if (String(chunk).includes('HTTP/1.1')) mark('answer');
    return write.call(this, chunk, ...more);
  };
}
const { get } = Object.getOwnPropertyDescriptor(process, 'stdout');
Object.defineProperty(process, 'stdout', {
  configurable: true,
  get() {
    const stream = get.call(process);
    if (!Object.hasOwn(stream, 'write')) {
      const { write } = stream;
      stream.write = (...words) => {
        mark('output');
        return write.apply(stream, words);
      };
    }
    return stream;
  },
});
channel.subscribe('http.client.response.finish', () => mark('result'));
process.on('exit', () => {
  fs.writeFileSync(process.env.HEDGE_BENCH_STAGES, JSON.stringify({ ...marks, end: performance.now() }));
});
