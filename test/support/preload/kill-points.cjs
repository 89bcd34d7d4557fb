/**
 * Loaded into the built program by `node --require`: numbers every call by which the program's JavaScript can
 * change a file below its home, reach the service, take an answer, or say something; writes each down, and sends the
 * process, or its whole group, a signal at the one that was chosen. test/support/kill-points.ts hands over what to do.
 *
 * A signal that can be caught comes `before` the call, which goes on. SIGKILL comes before it, or after a `part` of the bytes.
 *
 * Of a database it numbers where a transaction that writes begins and where it is committed. The system calls of native code
 * it cannot see: test/support/system-calls.ts does. Readings are no points, and other processes and threads number their own.
 */
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const Module = require('node:module');
const { relative, resolve, sep } = require('node:path');
const { Readable } = require('node:stream');

const plan = JSON.parse(process.env.KILL_POINTS ?? '{}');
delete process.env.KILL_POINTS;

const real = { ...fs };
const trace = real.openSync(plan.trace, 'a', 0o600);
/** Open files below the home, by descriptor. */
const open = new Map();
let count = 0;
/** How often each call on each thing has come. */
const seen = new Map();
/** Node's own functions call one another: only the outermost is the program's. */
let depth = 0;

const below = (path) => {
  if (typeof path !== 'string' && !(path instanceof URL) && !Buffer.isBuffer(path)) return undefined;
  const full = resolve(path instanceof URL ? path.pathname : String(path));
  return full === plan.home || full.startsWith(plan.home + sep) ? full : undefined;
};

function die() {
  // A signal that can be caught does not end it here: the program goes on, and ends as it means to.
  if (plan.signal !== undefined) {
    process.kill(plan.group === true ? 0 : process.pid, plan.signal);
    return;
  }
  depth += 1;
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** One point. True when the signal is to come after a part of the bytes. */
function point(call, on, more = {}) {
  count += 1;
  const times = (seen.get(`${call} ${on}`) ?? 0) + 1;
  seen.set(`${call} ${on}`, times);
  const isPlace = plan.at?.call === call && plan.at.on === on && plan.at.times === times;
  const chosen = isPlace || plan.number === count;
  real.writeSync(trace, `${JSON.stringify({ number: count, call, on, times, ...more })}\n`);
  const later = plan.how === 'part' && more.halves === true;
  if (chosen && !later) die();
  return chosen && later;
}

const labelOf = (path) => relative(plan.home, path).replace(/[0-9a-f]{8,}/g, '*') || '.';

/** The file that a call is about: a path, or a descriptor of one. */
const fileOf = (first) => (typeof first === 'number' ? open.get(first) : below(first));

/** The first half of what is about to be written. */
function halfOf(data, rest) {
  const bytes =
    typeof data === 'string'
      ? Buffer.from(data, typeof rest[1] === 'string' ? rest[1] : 'utf8')
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const offset = typeof data !== 'string' && typeof rest[0] === 'number' ? rest[0] : 0;
  const length = typeof data !== 'string' && typeof rest[1] === 'number' ? rest[1] : bytes.length - offset;
  return bytes.subarray(offset, offset + Math.floor(length / 2));
}

function writeHalf(first, half) {
  const fd = typeof first === 'number' ? first : real.openSync(first, 'a', 0o600);
  real.writeSync(fd, half);
  die();
}

/** Numbers one call of the program; `body` is the call itself. */
function numbered(name, args, body) {
  const [first, data, ...rest] = args;
  const said = first === 1 || first === 2;
  const path = said ? undefined : fileOf(first);
  if (depth > 0 || (path === undefined && !said)) return body();
  const call = name.replace(/Sync$/, '');
  const writes = ['write', 'writeFile', 'appendFile', 'writev'].includes(call);
  const whole = call === 'writev' ? Buffer.concat(data) : data;
  const half =
    writes && (typeof whole === 'string' || ArrayBuffer.isView(whole)) ? halfOf(whole, rest) : undefined;
  const chosen = point(
    said ? 'say' : call,
    said ? String(first) : labelOf(path),
    half && { halves: half.length > 0 },
  );
  if (chosen) writeHalf(first, half);
  depth += 1;
  try {
    return body();
  } finally {
    depth -= 1;
  }
}

const CHANGES =
  'write writev writeFile appendFile fsync fdatasync rename link symlink unlink rm rmdir mkdir ftruncate truncate chmod fchmod copyFile utimes futimes'.split(
    ' ',
  );

for (const owner of [fs, fs.promises]) {
  for (const name of owner === fs ? CHANGES.flatMap((each) => [each, `${each}Sync`]) : CHANGES) {
    const original = owner[name];
    if (typeof original !== 'function') continue;
    owner[name] = function (...args) {
      return numbered(name, args, () => original.apply(this, args));
    };
  }
}

/** Opening is a point where it may make or empty a file. */
const makes = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
    : typeof flags === 'string' && /[wax]/.test(flags);

const opening = (args, body) => (makes(args[1] ?? 'r') ? numbered('open', [args[0]], body) : body());

fs.openSync = function (...args) {
  const fd = opening(args, () => real.openSync(...args));
  const path = below(args[0]);
  if (path !== undefined) open.set(fd, path);
  return fd;
};
fs.open = function (...args) {
  const done = args.pop();
  const taken = (error, fd) => {
    const path = below(args[0]);
    if (fd !== undefined && path !== undefined) open.set(fd, path);
    done(error, fd);
  };
  return opening(args, () => real.open(...args, taken));
};
fs.closeSync = function (fd) {
  open.delete(fd);
  return real.closeSync(fd);
};
fs.close = function (fd, ...rest) {
  open.delete(fd);
  return real.close(fd, ...rest);
};

const openHandle = fs.promises.open;
fs.promises.open = async function (...args) {
  const handle = await opening(args, () => openHandle(...args));
  const path = below(args[0]);
  if (path === undefined) return handle;
  open.set(handle.fd, path);
  const NAMES = { sync: 'fsync', datasync: 'fdatasync', truncate: 'ftruncate', chmod: 'fchmod' };
  for (const name of ['write', 'writev', 'writeFile', 'appendFile', ...Object.keys(NAMES)]) {
    const original = handle[name].bind(handle);
    handle[name] = (...rest) => numbered(NAMES[name] ?? name, [handle.fd, ...rest], () => original(...rest));
  }
  return handle;
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  point('connect', 'the service');
  return connect.apply(this, args);
};

/** `POST /hedges/add`, of the head of a request. */
const lineOf = (bytes) => /^([A-Z]+) (?:\S*?\/v\d+)?(\/[^\s?]*)\S* HTTP/.exec(bytes.toString('latin1'));

function sending(socket, bytes, whole) {
  const said = socket.encrypted !== true;
  const line = lineOf(bytes);
  const on = said
    ? String(socket.fd ?? '?')
    : line === null
      ? 'the rest'
      : `${line[1]} ${line[2].replace(/hdg_\w+/, '*')}`;
  const chosen = point(said ? 'say' : 'send', on, { halves: bytes.length > 1 });
  if (chosen) write.call(socket, bytes.subarray(0, Math.floor(bytes.length / 2)), 'buffer', die);
  else whole();
}

const bytesOf = (chunk, encoding) =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);

const write = net.Socket.prototype._write;
net.Socket.prototype._write = function (chunk, encoding, callback) {
  sending(this, bytesOf(chunk, encoding), () => write.call(this, chunk, encoding, callback));
};
const writev = net.Socket.prototype._writev;
net.Socket.prototype._writev = function (chunks, callback) {
  const bytes = Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding)));
  sending(this, bytes, () => writev.call(this, chunks, callback));
};
net.Socket.prototype.push = function (chunk, encoding) {
  if (this.encrypted === true && chunk !== null) point('answer', 'the service');
  return Readable.prototype.push.call(this, chunk, encoding);
};

/** What the adapter to SQLite is asked for, by what it is. */
const TRANSACTION = { 'BEGIN IMMEDIATE': 'begin', COMMIT: 'commit' };

const load = Module._load;
// The methods of the adapter cannot be replaced.
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== '@photostructure/sqlite') return loaded;
  class DatabaseSync extends loaded.DatabaseSync {
    exec(sql) {
      const path = TRANSACTION[sql] && below(this.location() ?? '');
      if (path !== undefined) point(TRANSACTION[sql], labelOf(path));
      return super.exec(sql);
    }
  }
  return { ...loaded, DatabaseSync };
};

process.on('exit', () => point('exit', 'the process'));
Module.syncBuiltinESMExports();
