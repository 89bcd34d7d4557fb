/**
 * The brake of this user on this machine: while the halt file is there, or cannot be read, nothing that makes
 * the book larger is sent. Takes no lock, so that nothing can hold a halt up; who refuses what is for guards.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { exactInstant } from '../domain/instants.ts';
import { containsKey } from '../domain/redact.ts';
import { DamagedFileError, UsageError } from '../errors.ts';
import {
  checkFolder,
  checkReplaceable,
  ensureFolder,
  readOwnFile,
  syncFolder,
  writeAtomically,
} from '../platform/atomic-file.ts';
import { cannot } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

const VERSION = 1;
const MAX_BYTES = 16_384;
const LONGEST = 500;

/** `unreadable`: the file is there and does not say who and why; halted all the same. `at`: ISO 8601 UTC. */
export type Halt = { who: string; at: string; why: string } | { unreadable: DamagedFileError };

interface Desk {
  places: Paths;
  machine: Machine;
}

export const haltPath = (places: Paths): string => join(places.state, 'halt.json');

/** Undefined when nothing is halted. Never throws: what cannot be read halts. */
export function readHalt({ places, machine }: Desk): Halt | undefined {
  try {
    const path = haltPath(places);
    checkFolder(places.state, machine.host);
    const bytes = readOwnFile(path, { host: machine.host, maxBytes: MAX_BYTES });
    if (bytes === undefined) return undefined;
    return parsed(bytes) ?? { unreadable: unreadable(path) };
  } catch (error) {
    return {
      unreadable: error instanceof DamagedFileError ? error : cannot('read', haltPath(places), error),
    };
  }
}

/**
 * Halts from now on; an action already being sent goes on. Replaces a halt that is there, and hands back
 * that one. @throws UsageError for an empty or endless reason; DamagedFileError, which says whether it is
 * halted all the same.
 */
export function setHalt({ who, why }: { who: string; why: string }, desk: Desk): Halt | undefined {
  const { places, machine } = desk;
  const reason = why.trim();
  if (reason === '' || reason.length > LONGEST) {
    throw new UsageError(
      `A halt needs a reason of 1 to ${LONGEST.toString()} characters.`,
      'hedge halt "venue down"',
    );
  }
  if (containsKey(reason)) {
    throw new UsageError(
      'What looks like an API key stands in the reason, which is kept and shown to everybody who meets the halt.',
      'hedge halt "venue down"',
    );
  }
  const before = readHalt(desk);
  const at = exactInstant(machine.clock.now());
  const content = { schema: VERSION, who: who.slice(0, LONGEST) || 'unknown', at, why: reason };
  try {
    ensureFolder(places.state, machine.host);
    writeAtomically(haltPath(places), `${JSON.stringify(content)}\n`, machine);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const stands = readHalt(desk) !== undefined;
    throw new DamagedFileError(error.path, {
      what: error.what,
      book: stands
        ? 'Opens and adds are stopped all the same, and the reason is not kept.'
        : 'NOT HALTED: opens and adds from this machine go on.',
      hint: error.hint,
      cause: error,
    });
  }
  return before;
}

/**
 * Lifts a halt, an unreadable one of ours included, and hands back what it was; undefined when there was none.
 * @throws DamagedFileError when what stands there is a link, a folder or another user's: still halted.
 */
export function liftHalt(desk: Desk): Halt | undefined {
  const { places, machine } = desk;
  const before = readHalt(desk);
  if (before === undefined) return undefined;
  const path = haltPath(places);
  checkFolder(places.state, machine.host);
  checkReplaceable(path, machine.host);
  try {
    rmSync(path);
    syncFolder(dirname(path), machine.host);
  } catch (error) {
    throw cannot('remove', path, error);
  }
  return before;
}

function parsed(bytes: Buffer): Halt | undefined {
  const { schema, who, at, why } = fieldsIn(bytes);
  return schema === VERSION && isText(who) && isText(at) && isText(why) ? { who, at, why } : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const unreadable = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} does not say who halted this desk, or why.`,
    book: 'It is halted until that file is lifted; reduce and close go on.',
    hint: 'When you know that dealing may go on: hedge unhalt',
  });
