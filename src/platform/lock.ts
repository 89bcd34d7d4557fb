/**
 * A lock file that names its holder, created complete by a hard link. A dead holder's lock is removed only by the process
 * that links the claim file named after the holder's token (or, if that process dies too, after its token), so a late
 * process cannot remove a live lock.
 */
import { linkSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError } from '../errors.ts';
import { readOwnFile } from './atomic-file.ts';
import { codeOf, fileError } from './file-errors.ts';
import type { Host, Machine, ProcessIdentity } from './host.ts';

interface Holder {
  token: string;
  /** Undefined when the file cannot be read, as after a power cut. */
  process: ProcessIdentity | undefined;
}

const DEFAULT_WAIT_MS = 5_000;
const POLL_MS = 5;
const POLL_JITTER_MS = 20;
const MAX_BYTES = 4_096;

export type LockOptions = Machine & {
  waitMs?: number;
  /** Asked when the time is over: whether the holder is known to need longer. */
  keepsWaiting?: () => Promise<boolean>;
};

/**
 * Runs `body` under the lock at `path`, whose folder must exist.
 * @throws DamagedFileError naming the holder after `waitMs` (5 s).
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  body: () => T | Promise<T>,
): Promise<T> {
  const token = Buffer.from(options.random.bytes(12)).toString('hex');
  await acquire(path, token, options);
  try {
    return await body();
  } finally {
    unlessRefused(() => {
      if (readHolder(path, options.host)?.token === token) rmSync(path, { force: true });
    });
  }
}

/** A failed removal is ignored: the file names this process and is removed once this process is gone. */
function unlessRefused(remove: () => void): void {
  try {
    remove();
  } catch {
    // The next process removes it.
  }
}

async function acquire(path: string, token: string, options: LockOptions): Promise<void> {
  const { clock, random, host, waitMs = DEFAULT_WAIT_MS, keepsWaiting } = options;
  const written = `${path}.${token}.new`;
  try {
    writeFileSync(written, `${JSON.stringify({ token, process: host.self })}\n`, { flag: 'wx', mode: 0o600 });
    for (let waited = 0; ; ) {
      if (linked(written, path)) {
        if (waited > 0) unlessRefused(() => sweep(path, options));
        return;
      }
      const holder = readHolder(path, host);
      if (holder === undefined) continue;
      if (isGone(holder, options)) {
        breakLock(path, holder, { written, machine: options });
        if (readHolder(path, host)?.token !== holder.token) continue;
      }
      if (waited >= waitMs && (await keepsWaiting?.()) !== true) throw busy(path, holder, waitMs, options);
      const pause = POLL_MS + Math.floor(random.fraction() * POLL_JITTER_MS);
      await clock.sleep(pause);
      waited += pause;
    }
  } catch (error) {
    throw error instanceof DamagedFileError ? error : fileError('lock', path, error);
  } finally {
    unlessRefused(() => rmSync(written, { force: true }));
  }
}

/** Removes a dead holder's lock, unless another process is already doing so. */
function breakLock(
  path: string,
  dead: Holder,
  { written, machine }: { written: string; machine: Machine },
): void {
  const claims: string[] = [];
  for (let before = dead; ; ) {
    const claim = `${path}.${before.token}.break`;
    claims.push(claim);
    if (linked(written, claim)) break;
    const claimant = readHolder(claim, machine.host);
    if (claimant === undefined || !isGone(claimant, machine)) return;
    before = claimant;
  }
  if (readHolder(path, machine.host)?.token === dead.token) rmSync(path, { force: true });
  for (const claim of claims) rmSync(claim, { force: true });
  sweep(path, machine);
}

/** Removes files of processes that died while waiting. */
function sweep(path: string, machine: Machine): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.new')) continue;
    const left = readHolder(join(folder, name), machine.host);
    // An unreadable one may be being written by a running process.
    if (left?.process !== undefined && isGone(left, machine)) rmSync(join(folder, name), { force: true });
  }
}

const isGone = (holder: Holder, { host }: Machine): boolean =>
  holder.process === undefined || host.judge(holder.process) === 'gone';

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no lock file. */
function readHolder(path: string, host: Host): Holder | undefined {
  const text = readOwnFile(path, { host, maxBytes: MAX_BYTES })?.toString('utf8');
  if (text === undefined) return undefined;
  const named = parseHolder(text);
  if (named !== undefined) return named;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && { token: `${stats.ino.toString()}-${stats.mtimeMs.toString()}`, process: undefined };
}

function parseHolder(text: string): Holder | undefined {
  const { token, process: named } = fieldsIn(text);
  if (typeof token !== 'string' || !/^[0-9a-f]{24}$/.test(token)) return undefined;
  if (!isFields(named) || !Number.isSafeInteger(named['pid'])) return undefined;
  const textOrNull = (name: string): string | null => (typeof named[name] === 'string' ? named[name] : null);
  return {
    token,
    process: {
      pid: Number(named['pid']),
      hostname: textOrNull('hostname') ?? '',
      boot: textOrNull('boot'),
      space: textOrNull('space'),
      started: textOrNull('started'),
    },
  };
}

function busy(path: string, holder: Holder, waitMs: number, { host }: Machine): DamagedFileError {
  const who = holder.process;
  const elsewhere = who !== undefined && host.judge(who) === 'unknown';
  const named =
    who === undefined
      ? 'Another process'
      : `Process ${who.pid.toString()}${elsewhere ? ` on ${JSON.stringify(who.hostname)}` : ''}`;
  return new DamagedFileError(path, {
    what: `${named} has locked ${path} for more than ${(waitMs / 1000).toString()} s.`,
    meaning: 'Nothing was sent.',
    hint: elsewhere
      ? say`If no hedge runs there any more: ${shell`rm ${path}`}`
      : [
          'Try again when that process has ended.',
          // Another program may have its number by now.
          ...(who?.started === null ? [say`If it is not hedge: ${shell`rm ${path}`}`] : []),
        ],
    retry: 'later',
  });
}
