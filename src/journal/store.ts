/**
 * The journal's file: `journal.jsonl` in the state folder, of this user alone. Added to under a lock, after a
 * last look at what stands there, and on disk when `append` returns. Decides nothing about deals.
 *
 * Whether the journal could be added to now, found out by doing to its folder what an append does: the lock is
 * taken, as much as an action takes is written and on disk. Leaves nothing behind. Knows not what a journal holds.
 */

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DamagedFileError } from '../errors.ts';
import { probeAppendOnlyFile, readAppendOnlyFile, withAppendOnlyFile } from '../platform/append-only-file.ts';
import { checkFolder, ensureFolder, writeAtomically } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import { withLock } from '../platform/lock.ts';
import type { Paths } from '../platform/paths.ts';
import { type DamagedLine, type JournalLines, lineReader, parseLines, writeLines } from './lines.ts';
import type { JournalRecord } from './records.ts';
import { type ReplayedJournal, replayRecords } from './replay.ts';
/** The journal at one moment. */
export interface JournalState extends ReplayedJournal {
  /** Of the file, for whoever has to mend it. */
  path: string;
  records: readonly JournalRecord[];
  /** Lines that cannot be read, other than by a crash. What they say is not among the records. */
  damage: readonly DamagedLine[];
  /** A writer died while writing the last line. */
  cutTail: boolean;
  /** Size of the file, of at most `MAX_JOURNAL_BYTES`. */
  bytes: number;
}

export interface Journal {
  readonly path: string;
  /** Without the lock and without making anything. Throws DamagedFileError. */
  read(): JournalState;
  /**
   * Adds the records, in one write, and returns what stands then. `guard` sees the journal while no other
   * process can add to it: when it throws, nothing is added and its error comes through. Anything else that
   * goes wrong with the file is a DamagedFileError, and nothing was added.
   */
  append(
    records: readonly [JournalRecord, ...JournalRecord[]],
    guard?: (state: JournalState) => void,
  ): Promise<JournalState>;
}

/** About 40,000 actions. Read whole each time; one that has grown beyond is neither read nor added to. */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

export function openJournal(options: {
  places: Paths;
  machine: Machine;
  /** How long to wait for another process that is adding. */
  lockWaitMs?: number;
  maxBytes?: number;
}): Journal {
  const { places, machine, lockWaitMs, maxBytes = MAX_JOURNAL_BYTES } = options;
  const { host } = machine;
  const folder = places.state;
  const path = join(folder, 'journal.jsonl');
  const limits = {
    host,
    maxBytes,
    tooLargeHint: 'Settle what is unresolved (hedge check), then move it to an archive; a new one is begun.',
  };
  const stateOf = ({ damageAt, ...lines }: JournalLines, bytes: number): JournalState => ({
    ...replayRecords(lines.records, (writer) => host.judge(writer) === 'running', damageAt),
    ...lines,
    path,
    bytes,
  });
  const readWhole = lineReader(path);
  const parse = (bytes: Buffer): JournalState => stateOf(readWhole(bytes), bytes.length);

  return {
    path,
    read() {
      // Who can write into the folder can put another journal in this one's place.
      checkFolder(folder, host);
      return parse(readAppendOnlyFile(path, limits) ?? Buffer.alloc(0));
    },
    async append(records, guard) {
      const lock = { ...machine, ...(lockWaitMs === undefined ? {} : { waitMs: lockWaitMs }) };
      try {
        ensureFolder(folder, host);
        return await withLock(join(folder, 'journal.lock'), lock, () =>
          withAppendOnlyFile(path, limits, (file) => {
            const before = readWhole(file.bytes);
            const state = stateOf(before, file.bytes.length);
            passGuard(guard, state);
            const added = writeLines(records, file.bytes, before);
            const data = Buffer.from(added);
            // What could not be read back would be damage of our own making.
            const back = parseLines(data, path);
            const [unreadable] = back.damage;
            if (unreadable !== undefined) throw new Error(`a record for the journal ${unreadable.how}`);
            file.append(added);
            const { damage, damageAt } = before;
            const lines = { ...back, records: [...before.records, ...back.records], damage, damageAt };
            return stateOf(lines, file.bytes.length + data.length);
          }),
        );
      } catch (error) {
        if (error instanceof Stopped) throw error.reason;
        throw error instanceof DamagedFileError ? forRecords(error, records) : error;
      }
    },
  };
}

/** Carries the guard's own error past what is made of ours. */
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

/** Another folder would know no limit, no halt and nothing that is unresolved. */
const withoutMoving = (error: DamagedFileError): DamagedFileError =>
  new DamagedFileError(error.path, {
    what: error.what,
    book: error.book ?? 'Nothing was sent.',
    hint: `${error.hint ?? 'Mend that.'} Nothing is dealt without a journal, and no other folder has this one's.`,
    cause: error,
  });

/** An error over records of something already sent must not say that nothing was. */
function forRecords(error: DamagedFileError, records: readonly JournalRecord[]): DamagedFileError {
  const sent = records.find(
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
    book: `What became of action ${sent.action_id} is not in the journal; it was sent, so do not deal it again.`,
    hint: `${error.hint ?? 'Mend that.'} Then: hedge check ${sent.action_id}`,
    effect: 'unknown',
    retry: 'after_check',
    cause: error,
  });
}

/** More than all records of one action take. */
const TRIED_BYTES = 16_384;

/** @throws DamagedFileError when it could not be: what is dealt would end with it, nothing sent. */
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

/** The folder in which the missing ones would be made. */
function nearest(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : nearest(above);
}

function tryFolder(folder: string, machine: Machine): void {
  const name = `hedge-${Buffer.from(machine.random.bytes(8)).toString('hex')}.try`;
  const path = join(folder, name);
  try {
    writeAtomically(path, '\n'.repeat(TRIED_BYTES), machine);
  } finally {
    rmSync(path, { force: true });
  }
}
