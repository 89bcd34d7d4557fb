/**
 * Loaded into the built program by `node --require`: numbers every call by which the program's JavaScript can
 * change a file below its home, reach the service, take an answer, or say something; writes each down, and
 * kills the process (SIGKILL) at the one that was chosen, or sends it, or its whole group, another `signal` just
 * before. test/support/kill-points.ts hands over what to do.
 *
 * A kill `before` the call; `part`: after half of the bytes; `after`: once the bytes of a send have left.
 * `loses: 'power'` also takes back, before the kill, what was written below the home and not yet synced: bytes
 * at the end of files, and files whose folder was not synced. It does not give back what a rename replaced.
 *
 * It cannot see what native code does by itself: the records of a TLS handshake, SQLite, the kernel's own
 * splitting of a write. Readings are no points, and other processes and threads number their own.
 */
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const { syncBuiltinESMExports } = require('node:module');
const { dirname, relative, resolve, sep } = require('node:path');
const { Readable } = require('node:stream');

const plan = JSON.parse(process.env.KILL_POINTS ?? '{}');
delete process.env.KILL_POINTS;

const real = { ...fs };
const trace = real.openSync(plan.trace, 'a', 0o600);
/** Open files below the home, by descriptor. */
const open = new Map();
/** Bytes that are known to be on disk, by path; and files whose name is not. */
const synced = new Map();
const unnamed = new Set();
let count = 0;
/** How often each call on each thing has come. */
const seen = new Map();
/** Node's own functions call one another: only the outermost is the program's. */
let depth = 0;
/** The bytes after which it is to be killed are on their way. */
let leaving = false;

const below = (path) => {
  if (typeof path !== 'string' && !(path instanceof URL) && !Buffer.isBuffer(path)) return undefined;
  const full = resolve(path instanceof URL ? path.pathname : String(path));
  return full === plan.home || full.startsWith(plan.home + sep) ? full : undefined;
};

const sizeOf = (path) => real.statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What stands on the disk before anything is done to `path`. */
function remember(path) {
  if (synced.has(path)) return;
  synced.set(path, sizeOf(path));
  if (!real.existsSync(path)) unnamed.add(path);
}

function onDisk(path) {
  if (real.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    for (const each of unnamed) if (dirname(each) === path) unnamed.delete(each);
  } else synced.set(path, sizeOf(path));
}

function losePower() {
  for (const [path, size] of synced) {
    if (unnamed.has(path)) real.rmSync(path, { force: true, recursive: true });
    else if (real.statSync(path, { throwIfNoEntry: false })?.isFile() && sizeOf(path) > size)
      real.truncateSync(path, size);
  }
}

function die() {
  // A signal that can be caught does not end it here: the program goes on, and ends as it means to.
  if (plan.signal !== undefined) {
    process.kill(plan.group === true ? 0 : process.pid, plan.signal);
    return;
  }
  depth += 1;
  if (plan.loses === 'power') losePower();
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** One point. True when the kill is to come later: after a part, or after the whole. */
function point(call, on, more = {}) {
  count += 1;
  const times = (seen.get(`${call} ${on}`) ?? 0) + 1;
  seen.set(`${call} ${on}`, times);
  const isPlace = plan.at?.call === call && plan.at.on === on && plan.at.times === times;
  const chosen = isPlace || plan.number === count;
  real.writeSync(trace, `${JSON.stringify({ number: count, call, on, times, ...more })}\n`);
  const later = (plan.how === 'part' && more.halves === true) || (plan.how === 'after' && call === 'send');
  // An answer may come before it is told that the bytes have left: then they have.
  if ((chosen && !later) || (leaving && call === 'answer')) die();
  leaving ||= chosen && plan.how === 'after';
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
  if (path !== undefined && !/^f?(data)?sync$/.test(call)) remember(path);
  if (call === 'link' || call === 'rename') remember(below(data));
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
    if (path !== undefined && /^f(data)?sync$/.test(call)) onDisk(path);
    if (call === 'rename') synced.set(below(data), sizeOf(below(data)));
    // Another name of the same bytes.
    if (call === 'link') synced.set(below(data), synced.get(path) ?? 0);
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

function sending(socket, bytes, { whole, done }) {
  const said = socket.encrypted !== true;
  const line = lineOf(bytes);
  const on = said
    ? String(socket.fd ?? '?')
    : line === null
      ? 'the rest'
      : `${line[1]} ${line[2].replace(/hdg_\w+/, '*')}`;
  const chosen = point(said ? 'say' : 'send', on, { halves: bytes.length > 1 });
  if (chosen && plan.how === 'part') {
    write.call(socket, bytes.subarray(0, Math.floor(bytes.length / 2)), 'buffer', die);
  } else whole(chosen && plan.how === 'after' ? die : done);
}

const bytesOf = (chunk, encoding) =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);

const write = net.Socket.prototype._write;
net.Socket.prototype._write = function (chunk, encoding, callback) {
  sending(this, bytesOf(chunk, encoding), {
    whole: (done) => write.call(this, chunk, encoding, done),
    done: callback,
  });
};
const writev = net.Socket.prototype._writev;
net.Socket.prototype._writev = function (chunks, callback) {
  const bytes = Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding)));
  sending(this, bytes, { whole: (done) => writev.call(this, chunks, done), done: callback });
};
net.Socket.prototype.push = function (chunk, encoding) {
  if (this.encrypted === true && chunk !== null) point('answer', 'the service');
  return Readable.prototype.push.call(this, chunk, encoding);
};

process.on('exit', () => point('exit', 'the process'));
syncBuiltinESMExports();
