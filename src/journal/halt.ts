/** The halt file: while it exists or cannot be read, no open or add is sent. It has no lock, so that nothing delays a halt. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { exactInstant } from '../domain/instants.ts';
import { containsKey } from '../domain/sanitize.ts';
import { DamagedFileError, UsageError } from '../errors.ts';
import {
  checkFolder,
  checkReplaceable,
  ensureFolder,
  readOwnFile,
  syncFolder,
  writeAtomically,
} from '../platform/atomic-file.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

const VERSION = 1;
const MAX_BYTES = 16_384;
const LONGEST = 500;

/** `unreadable`: the file cannot be read; trading is halted all the same. `at`: ISO 8601 UTC. */
export type Halt = ReadableHalt | { unreadable: DamagedFileError };

export interface ReadableHalt {
  who: string;
  at: string;
  why: string;
  note?: string;
}

interface HaltPorts {
  places: Paths;
  machine: Machine;
}

export const haltPath = (places: Paths): string => join(places.state, 'halt.json');

/** Undefined when not halted. Never throws: an unreadable file halts. */
export function readHalt({ places, machine }: HaltPorts): Halt | undefined {
  try {
    const path = haltPath(places);
    checkFolder(places.state, machine.host);
    const bytes = readOwnFile(path, { host: machine.host, maxBytes: MAX_BYTES });
    if (bytes === undefined) return undefined;
    return parsed(bytes) ?? { unreadable: unreadable(path) };
  } catch (error) {
    return {
      unreadable: error instanceof DamagedFileError ? error : fileError('read', haltPath(places), error),
    };
  }
}

/**
 * Halts from now on; in-flight orders continue. Returns the halt it replaces.
 * @throws UsageError for the reason; DamagedFileError that tells whether trading is halted.
 */
export function setHalt(
  { who, why, note }: { who: string; why: string; note?: string | undefined },
  ports: HaltPorts,
): Halt | undefined {
  const { places, machine } = ports;
  const reason = why.trim();
  if (reason === '' || reason.length > LONGEST) {
    throw new UsageError(
      `A halt needs a reason of 1 to ${LONGEST.toString()} characters.`,
      'hedge halt "venue down"',
    );
  }
  if (containsKey(reason)) {
    throw new UsageError(
      'The reason contains what looks like an API key. The reason is stored and shown.',
      'hedge halt "venue down"',
    );
  }
  const before = readHalt(ports);
  const at = exactInstant(machine.clock.now());
  const content = { schema: VERSION, who: who.slice(0, LONGEST) || 'unknown', at, why: reason, note };
  try {
    ensureFolder(places.state, machine.host);
    writeAtomically(haltPath(places), `${JSON.stringify(content)}\n`, machine);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const isHalted = readHalt(ports) !== undefined;
    throw new DamagedFileError(error.path, {
      what: error.what,
      book: isHalted
        ? 'Opens and adds are halted, but the reason was not stored.'
        : 'NOT HALTED: opens and adds from this machine continue.',
      hint: error.hint,
      cause: error,
    });
  }
  return before;
}

/**
 * Lifts a halt, also an unreadable one, and returns it; undefined when there was none.
 * @throws DamagedFileError for a link, a folder or another user's file: trading stays halted.
 */
export function liftHalt(ports: HaltPorts): Halt | undefined {
  const { places, machine } = ports;
  const before = readHalt(ports);
  if (before === undefined) return undefined;
  const path = haltPath(places);
  checkFolder(places.state, machine.host);
  checkReplaceable(path, machine.host);
  try {
    rmSync(path);
    syncFolder(dirname(path), machine.host);
  } catch (error) {
    throw fileError('remove', path, error);
  }
  return before;
}

function parsed(bytes: Buffer): Halt | undefined {
  const { schema, who, at, why, note } = fieldsIn(bytes);
  if (schema !== VERSION || !isText(who) || !isText(at) || !isText(why)) return undefined;
  return { who, at, why, ...(isText(note) ? { note } : {}) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const unreadable = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} cannot be read: it does not tell who halted trading, or why.`,
    book: 'Opens and adds are halted; reduce and close are allowed.',
    hint: 'To lift the halt: hedge unhalt',
  });
