/** The journal file `journal.jsonl`: read, appended durably under a lock, and probed for writability. */

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
  /** Of the file. */
  path: string;
  records: readonly JournalRecord[];
  /** Lines that cannot be read, other than one cut by a crash. */
  damage: readonly DamagedLine[];
  /** A writer died while writing the last line. */
  cutTail: boolean;
  /** Size of the file, of at most `MAX_JOURNAL_BYTES`. */
  bytes: number;
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
  const { host } = machine;
  const folder = places.state;
  const path = join(folder, 'journal.jsonl');
  const limits = {
    host,
    maxBytes,
    tooLargeHint:
      'Resolve the open actions (hedge check), then move it to an archive. hedge then starts a new one.',
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
      // A user who can write to the folder can replace the journal.
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
            // Never writes a record that could not be read back.
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
