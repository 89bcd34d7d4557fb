/** Starts and controls the practice service, and maps its errors. The only file that imports practice/, on demand. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { PracticeControl } from '../commands/command-context.ts';
import { sanitize } from '../domain/sanitize.ts';
import { DamagedFileError, StoppedError, UsageError } from '../errors.ts';
import { checkFolder, ensureClosed, ensureFolder } from '../platform/atomic-file.ts';
import { codeOf, failureReason, fileAdvice, fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import type { PracticeService, RequestLogEntry } from '../practice/index.ts';
import type { CommandRuntime } from './runtime-context.ts';

export interface PracticeLauncher {
  /** Starts the service once per invocation. */
  open(): Promise<PracticeService>;
  control: PracticeControl;
  close(): Promise<void>;
}

const loadPractice = () => import('../practice/index.ts');

export function practiceLauncher({
  machine,
  places,
}: Pick<CommandRuntime, 'machine' | 'places'>): PracticeLauncher {
  const { clock, random } = machine;
  const ports = (books: readonly string[] = []) => {
    const { state } = places();
    const store = join(state, 'practice');
    protectStore(state, [store, ...books.map((name) => join(store, 'books', name))], machine.host);
    return { clock, random, store };
  };
  let opened: Promise<PracticeService> | undefined;

  const administer = async <T>(task: (admin: Administration) => Promise<T>): Promise<T> =>
    mappingErrors(async ({ openPracticeAdmin }) => {
      const admin = await openPracticeAdmin(ports());
      try {
        return await task(admin);
      } finally {
        await admin.close();
      }
    });

  return {
    open() {
      opened ??= mappingErrors(({ startPracticeService }) => startPracticeService(ports()));
      return opened;
    },
    control: {
      status: () => administer((admin) => admin.status()),
      reset: (options) => administer((admin) => admin.reset(options)),
      advance: (ms) => administer((admin) => admin.advance(ms)),
      faults: () => administer((admin) => admin.faults()),
      setFaults: (change) => administer((admin) => admin.setFaults(change)),
      clearFaults: () => administer((admin) => admin.clearFaults()),
      settings: () => administer((admin) => admin.settings()),
      changeSettings: (changes) => administer((admin) => admin.changeSettings(changes)),
      serve: ({ onRequest, ...where }) =>
        mappingErrors(({ startPracticeService }) =>
          startPracticeService({
            ...ports(where.books),
            ...where,
            ...(onRequest === undefined ? {} : { onRequest: (entry) => onRequest(logLine(entry)) }),
          }),
        ),
    },
    async close() {
      // A failed start was reported already.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Fixes permissions on practice files before opening them. */
function protectStore(state: string, stores: readonly string[], host: Host): void {
  checkFolder(state, host);
  for (const store of stores.filter(isThere)) {
    ensureFolder(store, host);
    for (const end of ['', '-wal', '-shm']) ensureClosed(join(store, `practice.sqlite${end}`), host);
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw fileError('inspect', path, error);
  }
}

type Practice = Awaited<ReturnType<typeof loadPractice>>;
type Administration = Awaited<ReturnType<Practice['openPracticeAdmin']>>;

/** Maps errors of practice/ to HedgeErrors. */
async function mappingErrors<T>(task: (practice: Practice) => Promise<T>): Promise<T> {
  const practice = await loadPractice().catch(notLoadable);
  try {
    return await task(practice);
  } catch (error) {
    if (error instanceof practice.PracticeStoreError) throw storeFailure(error);
    if (error instanceof practice.PracticeInputError) throw new UsageError(error.message);
    if (isPortTaken(error))
      throw new StoppedError({
        code: 'port_taken',
        what: `${addressOf(error)} is in use or not permitted.`,
        hint: 'Choose another with --port, or omit --port for any free one.',
        cause: error,
      });
    throw error;
  }
}

/** A file that the disk alone makes unusable stays where it is. */
function storeFailure(error: InstanceType<Practice['PracticeStoreError']>): DamagedFileError {
  const isOfSystem = /^E[A-Z]+$/.test(codeOf(error.cause));
  const isOnDisk = isOfSystem || error.trouble === 'disk';
  const reason = isOfSystem ? `: ${failureReason(error.cause)}` : '';
  return new DamagedFileError(error.path, {
    what: `${error.message.replace(/\.$/, '')}${reason}.`,
    book: isOnDisk ? 'The practice data itself is not damaged.' : 'The practice data was left as it is.',
    hint: isOnDisk
      ? (fileAdvice(error.path, error.cause) ?? DISK_ADVICE)
      : 'Move that file away to start with new practice data, or set HEDGE_HOME to another folder.',
    cause: error,
  });
}

/** SQLite says no more than that it cannot read or write the file. */
const DISK_ADVICE =
  'Free space or make the disk writable, then try again; or set HEDGE_HOME to another folder.';

/** The native addon may be missing or not executable. */
function notLoadable(cause: unknown): never {
  if (!(cause instanceof Error && 'path' in cause && typeof cause.path === 'string')) throw cause;
  throw new DamagedFileError(cause.path, {
    what: `The practice service cannot be loaded: ${'what' in cause ? String(cause.what) : cause.message}`,
    book: 'Nothing was changed.',
    hint: 'Fix that, or set HEDGE_HOME to a folder from which programs may be loaded.',
    cause,
  });
}

const isPortTaken = (error: unknown): error is Error =>
  error instanceof Error && 'port' in error && ['EADDRINUSE', 'EACCES'].includes(codeOf(error));

/** `Port 4870 of 127.0.0.1` */
const addressOf = (error: Error): string =>
  'port' in error && 'address' in error
    ? `Port ${String(error.port)} of ${String(error.address)}`
    : 'That port';

/** `10:02:58 sandbox POST /hedges 200 12 ms`, and any injected fault. Never an API key. */
function logLine(entry: RequestLogEntry): string {
  const { at, environment, method, path, status, code, idempotencyKey, replayed, ms, fault, cause } = entry;
  const account = environment === 'test' ? 'sandbox' : (environment ?? 'nobody');
  const parts = [
    at.slice(11, 19),
    entry.control === true ? 'control' : account,
    method,
    path,
    status === 0 ? 'cut' : status.toString(),
  ];
  if (code !== undefined) parts.push(code);
  parts.push(`${ms.toFixed(0)} ms`);
  if (idempotencyKey !== undefined) parts.push(`key ${idempotencyKey}`);
  if (replayed === true) parts.push('replayed');
  if (fault !== undefined) parts.push(`fault ${fault}`);
  if (entry.book !== 'default') parts.push(`book ${entry.book}`);
  if (cause !== undefined) parts.push(`cause: ${sanitize(cause)}`);
  return parts.join(' ');
}
