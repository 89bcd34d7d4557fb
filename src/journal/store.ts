/** The journal file `journal.jsonl`: parsed line by line, damaged and cut lines detected; appended durably under a lock. */

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TextDecoder } from 'node:util';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { probeAppendOnlyFile, readAppendOnlyFile, withAppendOnlyFile } from '../platform/append-only-file.ts';
import { checkFolder, ensureFolder, writeAtomically } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import { withLock } from '../platform/lock.ts';
import type { Paths } from '../platform/paths.ts';
import { isOfAction, type JournalRecord, READ_SCHEMAS, recordSchema, SCHEMA } from './records.ts';
import { type DamagedLine, type JournalLines, type JournalState, stateOf } from './state.ts';

const NEWLINE = 0x0a;
/** Marks a line that a crash cut, so that it does not count as damage: CAN, which JSON never contains unescaped. */
const CUT = 0x18;

/** Parses a growing file repeatedly: earlier lines only once. */
export function lineReader(path: string): (bytes: Buffer) => JournalLines {
  let before: { bytes: Buffer; lines: number; read: JournalLines } = {
    bytes: Buffer.alloc(0),
    lines: 0,
    read: { records: [], damage: [], damageAt: 0, cutTail: false },
  };
  return (bytes) => {
    const { length } = before.bytes;
    const grown = before.bytes.at(-1) === NEWLINE && before.bytes.equals(bytes.subarray(0, length));
    const skipped = grown ? before.lines : 0;
    const rest = grown ? bytes.subarray(length) : bytes;
    const more = parseLines(rest, path, skipped);
    const read = grown
      ? {
          records: [...before.read.records, ...more.records],
          damage: [...before.read.damage, ...more.damage],
          damageAt:
            more.damage.length > 0 ? before.read.records.length + more.damageAt : before.read.damageAt,
          cutTail: more.cutTail,
        }
      : more;
    before = { bytes, lines: skipped + linesIn(rest), read };
    return read;
  };
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/**
 * `skipped`: lines before these bytes, for line numbers.
 * @throws DamagedFileError for a line of another version.
 */
export function parseLines(bytes: Buffer, path: string, skipped = 0): JournalLines {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const records: JournalRecord[] = [];
  const damage: DamagedLine[] = [];
  let damageAt = 0;
  let cutTail = false;
  let line = skipped;
  for (let from = 0; from < bytes.length; ) {
    line += 1;
    const found = bytes.indexOf(NEWLINE, from);
    const to = found === -1 ? bytes.length : found;
    const text = bytes.subarray(from, to);
    const read = readLine(decoder, text, { path, line });
    from = to + 1;
    if (read === undefined) continue;
    if (typeof read !== 'string') records.push(read);
    else if (found === -1 && !isWhole(decoder, text, { path, line })) cutTail = true;
    else {
      damage.push({ line, how: read });
      damageAt = records.length;
    }
  }
  return { records, damage, damageAt, cutTail };
}

/** A record plus one damaged byte in place of the newline: no crash leaves that. */
const isWhole = (decoder: TextDecoder, bytes: Buffer, at: { path: string; line: number }): boolean =>
  typeof readLine(decoder, bytes.subarray(0, -1), at) === 'object';

/** A record, how the line is damaged, or undefined for an empty or cut line. */
function readLine(
  decoder: TextDecoder,
  bytes: Buffer,
  at: { path: string; line: number },
): JournalRecord | string | undefined {
  if (bytes.length === 0 || bytes.at(-1) === CUT) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(decoder.decode(bytes));
  } catch {
    return 'is not valid JSON';
  }
  if (typeof read !== 'object' || read === null || !('schema' in read)) return 'is not a record';
  if (typeof read.schema === 'number' && !READ_SCHEMAS.some((each) => each === read.schema))
    throw foreign(at, read.schema);
  const parsed = recordSchema.safeParse(read);
  if (parsed.success) return parsed.data;
  const where = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
  return where === '' ? 'is not a record' : `is not valid at ${quoted(where)}`;
}

const foreign = ({ path, line }: { path: string; line: number }, schema: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Line ${line.toString()} of ${path} was written by another version of hedge (format ${schema.toString()}; this one reads up to ${SCHEMA.toString()}).`,
    book: 'Nothing was sent.',
    hint: 'Use that version of hedge, or set HEDGE_HOME to another folder.',
  });

/** The text to append so that each record is on its own line. */
export function writeLines(
  records: readonly JournalRecord[],
  bytes: Buffer,
  { cutTail }: JournalLines,
): string {
  const isEnded = bytes.length === 0 || bytes.at(-1) === NEWLINE;
  const end = cutTail ? `${String.fromCharCode(CUT)}\n` : '\n';
  return `${isEnded ? '' : end}${records.map((each) => `${JSON.stringify(each)}\n`).join('')}`;
}

export interface Journal {
  readonly path: string;
  /** Without the lock; creates nothing. @throws DamagedFileError */
  read(): JournalState;
  /**
   * Appends the records in one write and returns the new state. `guard` checks the state under the lock: its error stops
   * the append and is rethrown. @throws DamagedFileError when nothing could be appended.
   */
  append(
    records: readonly [JournalRecord, ...JournalRecord[]],
    guard?: (state: JournalState) => void,
  ): Promise<JournalState>;
}

/** About 40,000 actions. A larger file is neither read nor appended to. */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

export function openJournal(options: {
  places: Paths;
  machine: Machine;
  /** How long to wait for another process's lock. */
  lockWaitMs?: number;
  maxBytes?: number;
}): Journal {
  const { places, machine, lockWaitMs, maxBytes = MAX_JOURNAL_BYTES } = options;
  const { host, clock } = machine;
  const folder = places.state;
  const path = join(folder, 'journal.jsonl');
  const limits = {
    host,
    maxBytes,
    tooLargeHint:
      'Resolve the open actions (hedge check), then move it to an archive. hedge then starts a new one.',
  };
  const now = (lines: JournalLines, bytes: number): JournalState =>
    stateOf(
      { ...lines, path, bytes },
      { isRunning: (writer) => host.judge(writer) === 'running', nowMs: clock.now() },
    );
  const readWhole = lineReader(path);

  return {
    path,
    read() {
      // A user who can write to the folder can replace the journal.
      checkFolder(folder, host);
      const bytes = readAppendOnlyFile(path, limits) ?? Buffer.alloc(0);
      return now(readWhole(bytes), bytes.length);
    },
    async append(records, guard) {
      const lock = { ...machine, ...(lockWaitMs === undefined ? {} : { waitMs: lockWaitMs }) };
      try {
        ensureFolder(folder, host);
        return await withLock(join(folder, 'journal.lock'), lock, () =>
          withAppendOnlyFile(path, limits, (file) => {
            const before = readWhole(file.bytes);
            const state = now(before, file.bytes.length);
            passGuard(guard, state);
            const added = writeLines(records, file.bytes, before);
            const data = Buffer.from(added);
            // Never writes a record that could not be read back.
            const back = parseLines(data, path);
            const [unreadable] = back.damage;
            if (unreadable !== undefined) throw new Error(`a record for the journal ${unreadable.how}`);
            file.append(added);
            const { damage, damageAt } = before;
            const lines = { ...back, records: [...before.records, ...back.records], damage, damageAt };
            return now(lines, file.bytes.length + data.length);
          }),
        );
      } catch (error) {
        if (error instanceof Stopped) throw error.reason;
        throw error instanceof DamagedFileError ? forRecords(error, records) : error;
      }
    },
  };
}

/** Carries the guard's error through the error mapping. */
class Stopped extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('stopped by the guard');
    this.reason = reason;
  }
}

function passGuard(guard: ((state: JournalState) => void) | undefined, state: JournalState): void {
  try {
    guard?.(state);
  } catch (error) {
    throw new Stopped(error);
  }
}

/** Another HEDGE_HOME would have no limits, no halt and no unresolved actions. */
const withoutMoving = (error: DamagedFileError): DamagedFileError =>
  new DamagedFileError(error.path, {
    what: error.what,
    book: error.book ?? 'Nothing was sent.',
    hint: `${error.hint ?? 'Fix that.'} hedge does not trade without its journal; another HEDGE_HOME has another journal.`,
    cause: error,
  });

/** After a send the error must not say that nothing was sent. */
function forRecords(error: DamagedFileError, records: readonly JournalRecord[]): DamagedFileError {
  const sent = records
    .filter(isOfAction)
    .find(
      ({ kind, ...record }) =>
        !(
          kind === 'intent' ||
          kind === 'not_sent' ||
          (kind === 'sending' && 'attempt' in record && record.attempt === 1)
        ),
    );
  if (sent === undefined) return withoutMoving(error);
  return new DamagedFileError(error.path, {
    what: error.what,
    book: `Action ${sent.action_id} was sent; its outcome is not in the journal. Do not enter it again.`,
    hint: `${error.hint ?? 'Fix that.'} Then: hedge check ${sent.action_id}`,
    effect: 'unknown',
    retry: 'after_check',
    cause: error,
  });
}

/** More than the records of one action. */
const PROBE_BYTES = 16_384;

/** Takes the lock and writes as an append does; leaves nothing behind. @throws DamagedFileError */
export async function probeJournal({ places, machine }: { places: Paths; machine: Machine }): Promise<void> {
  const { state } = places;
  checkFolder(state, machine.host);
  if (!existsSync(state)) {
    tryFolder(nearest(state), machine);
    return;
  }
  await withLock(join(state, 'journal.lock'), machine, () => {
    probeAppendOnlyFile(join(state, 'journal.jsonl'));
    tryFolder(state, machine);
  });
}

/** The nearest existing parent. */
function nearest(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : nearest(above);
}

function tryFolder(folder: string, machine: Machine): void {
  const name = `hedge-${Buffer.from(machine.random.bytes(8)).toString('hex')}.try`;
  const path = join(folder, name);
  try {
    writeAtomically(path, '\n'.repeat(PROBE_BYTES), machine);
  } finally {
    rmSync(path, { force: true });
  }
}
