/**
 * One process at a time: an exclusive transaction of SQLite on an empty file of its own. The system ends it with its process, so
 * a dead one holds nothing. The file stays.
 */
import { lstatSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { isFields } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError } from '../errors.ts';
import { checkRegular } from './atomic-file.ts';
import { codeOf, fileError } from './file-errors.ts';
import type { Machine } from './host.ts';

const DEFAULT_WAIT_MS = 5_000;
const POLL_MS = 5;
const POLL_JITTER_MS = 20;

export type LockOptions = Machine & { waitMs?: number };

/**
 * Runs `body` under the lock at `path`, whose folder must exist.
 * @throws DamagedFileError when another process has it for longer than `waitMs` (5 s).
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  body: () => T | Promise<T>,
): Promise<T> {
  const lock = await acquire(path, options);
  try {
    return await body();
  } finally {
    lock.close();
  }
}

type Handle = InstanceType<typeof DatabaseSync>;

/** They are kept for the life of the process: a collected handle crashes it. */
const handles: Handle[] = [];

async function acquire(path: string, { clock, random, host, waitMs = DEFAULT_WAIT_MS }: LockOptions) {
  let handle: Handle | undefined;
  try {
    ensureLockFile(path, { host });
    handle = new DatabaseSync(path, { timeout: 0 });
    handles.push(handle);
    for (let waited = 0; !isTaken(handle); ) {
      if (waited >= waitMs) throw busy(path, waitMs);
      const pause = POLL_MS + Math.floor(random.fraction() * POLL_JITTER_MS);
      await clock.sleep(pause);
      waited += pause;
    }
    return handle;
  } catch (error) {
    handle?.close();
    throw error instanceof DamagedFileError ? error : fileError('lock', path, error);
  }
}

/** It is never opened here again: closing it would drop the lock that another part of this process has. */
function ensureLockFile(path: string, { host }: Pick<Machine, 'host'>): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return createEmpty(path);
  checkRegular(path, stats, host);
  if (stats.size > 0)
    throw new DamagedFileError(path, {
      what: `${path} is not a lock of this version of hedge.`,
      hint: say`If no other hedge is running: ${shell`rm ${path}`}. Then try again.`,
    });
}

function createEmpty(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another process was first.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** SQLite's code for a database that another connection has locked. */
const BUSY = 5;

function isTaken(handle: Handle): boolean {
  try {
    handle.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isFields(error) && error['errcode'] === BUSY) return false;
    throw error;
  }
}

const busy = (path: string, waitMs: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Another process has locked ${path} for more than ${(waitMs / 1000).toString()} s.`,
    hint: 'Try again when that process has ended.',
    retry: 'later',
  });
