/**
 * A fault, to see whether the sweep finds it: what is committed to the journal is committed only when the first answer to
 * an action has come. The program under it sends before it journals.
 */
'use strict';

const Module = require('node:module');
const net = require('node:net');

const load = Module._load;
let late = true;
/** The journal, with what is not committed. */
let journal;
let sent = false;

// The methods of the adapter cannot be replaced.
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== '@photostructure/sqlite') return loaded;
  class DatabaseSync extends loaded.DatabaseSync {
    exec(sql) {
      if (!late || !this.location().endsWith('/journal.sqlite')) super.exec(sql);
      else if (sql === 'BEGIN IMMEDIATE' && journal === undefined) {
        super.exec(sql);
        journal = this;
      } else if (sql !== 'BEGIN IMMEDIATE' && (sql !== 'COMMIT' || journal !== this)) super.exec(sql);
    }
  }
  return { ...loaded, DatabaseSync };
};

function publish() {
  if (!late) return;
  late = false;
  if (journal?.isTransaction) journal.exec('COMMIT');
}

const isAction = (text) => /^POST \S*\/hedges(\/(add|reduce|close))? HTTP/.test(text);
const { _write, _writev, push } = net.Socket.prototype;
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
