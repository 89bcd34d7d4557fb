/**
 * A fault, to see whether the sweep finds it: the journal is kept aside and put in its place only when the
 * first answer to an action has come. The program under it sends before it journals.
 */
'use strict';

const fs = require('node:fs');
const net = require('node:net');
const { syncBuiltinESMExports } = require('node:module');

const { openSync } = fs;
const { _write, _writev, push } = net.Socket.prototype;
let place;
let sent = false;
let late = true;

fs.openSync = function (path, ...rest) {
  if (!late || !/journal\/\d+-[^/]*\.jsonl$/.test(String(path))) return openSync(path, ...rest);
  const first = place === undefined;
  place = String(path);
  if (first && fs.existsSync(place)) fs.copyFileSync(place, `${place}.late`);
  return openSync(`${place}.late`, ...rest);
};

function publish() {
  if (late && place !== undefined && fs.existsSync(`${place}.late`)) fs.copyFileSync(`${place}.late`, place);
  late = false;
}

const isAction = (text) => /^POST \S*\/hedges(\/(add|reduce|close))? HTTP/.test(text);
net.Socket.prototype._write = function (chunk, ...rest) {
  sent ||= isAction(chunk.toString('latin1'));
  return _write.call(this, chunk, ...rest);
};
net.Socket.prototype._writev = function (chunks, ...rest) {
  sent ||= isAction(chunks.map(({ chunk }) => chunk.toString('latin1')).join(''));
  return _writev.call(this, chunks, ...rest);
};
net.Socket.prototype.push = function (...args) {
  const result = push.apply(this, args);
  if (sent && this.encrypted === true) publish();
  return result;
};
process.on('exit', publish);
syncBuiltinESMExports();
