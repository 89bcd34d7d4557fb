/**
 * The practice service as this program keeps it: where its books live, opened for the length of one command
 * or served to others. The only file that imports the island, and only when it is wanted.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { PracticeControl } from '../commands/command-context.ts';
import { DamagedFileError, StoppedError, UsageError } from '../errors.ts';
import { checkFolder, ensureClosed, ensureFolder } from '../platform/atomic-file.ts';
import type { Host } from '../platform/host.ts';
import type { PracticeService, RequestLogEntry } from '../practice/index.ts';
import type { DeskParts } from './parts.ts';
export interface PracticeHouse {
  /** The service of this invocation; the same one however often it is asked for. */
  open(): Promise<PracticeService>;
  door: PracticeControl;
  close(): Promise<void>;
}

const loadIsland = () => import('../practice/index.ts');

export function practiceHouse({ machine, places }: Pick<DeskParts, 'machine' | 'places'>): PracticeHouse {
  const { clock, random } = machine;
  const ports = () => {
    const { state } = places();
    const store = join(state, 'practice');
    closeStore(state, store, machine.host);
    return { clock, random, store };
  };
  let opened: Promise<PracticeService> | undefined;

  const administer = async <T>(task: (admin: Administration) => Promise<T>): Promise<T> =>
    inOurWords(async ({ openPracticeAdmin }) => {
      const admin = await openPracticeAdmin(ports());
      try {
        return await task(admin);
      } finally {
        await admin.close();
      }
    });

  return {
    open() {
      opened ??= inOurWords(({ startPracticeService }) => startPracticeService(ports()));
      return opened;
    },
    door: {
      status: () => administer((admin) => admin.status()),
      reset: (options) => administer((admin) => admin.reset(options)),
      advance: (ms) => administer((admin) => admin.advance(ms)),
      weather: () => administer((admin) => admin.weather()),
      setWeather: (change) => administer((admin) => admin.setWeather(change)),
      clearWeather: () => administer((admin) => admin.clearWeather()),
      serve: ({ onRequest, ...where }) =>
        inOurWords(({ startPracticeService }) =>
          startPracticeService({
            ...ports(),
            ...where,
            ...(onRequest === undefined ? {} : { onRequest: (entry) => onRequest(logLine(entry)) }),
          }),
        ),
    },
    async close() {
      // A service that could not be opened has said so already, and has nothing to close.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** What the island keeps is of this user alone, before it opens any of it; what is absent it makes so itself. */
function closeStore(state: string, store: string, host: Host): void {
  checkFolder(state, host);
  if (!isThere(store)) return;
  ensureFolder(store, host);
  for (const end of ['', '-wal', '-shm']) ensureClosed(join(store, `practice.sqlite${end}`), host);
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

type Island = Awaited<ReturnType<typeof loadIsland>>;
type Administration = Awaited<ReturnType<Island['openPracticeAdmin']>>;

/** The island's errors in the words of the desk. */
async function inOurWords<T>(task: (island: Island) => Promise<T>): Promise<T> {
  const island = await loadIsland().catch(inPlainWords);
  try {
    return await task(island);
  } catch (error) {
    if (error instanceof island.PracticeStoreError)
      throw new DamagedFileError(error.path, {
        what: error.message,
        book: 'The practice books were left as they are.',
        hint: 'Move that file away to begin with fresh books, or set HEDGE_HOME to another folder.',
        cause: error,
      });
    if (error instanceof island.PracticeInputError) throw new UsageError(error.message);
    if (isPortTaken(error))
      throw new StoppedError({
        code: 'port_taken',
        what: `${placeOf(error)} is taken, or not to be had.`,
        hint: 'Choose another with --port, or leave --port out for any free one.',
        cause: error,
      });
    throw error;
  }
}

/** Its native part is a file, which may have no place or not be allowed to run. */
function inPlainWords(cause: unknown): never {
  if (!(cause instanceof Error && 'path' in cause && typeof cause.path === 'string')) throw cause;
  throw new DamagedFileError(cause.path, {
    what: `The practice service cannot be loaded: ${'what' in cause ? String(cause.what) : cause.message}`,
    book: 'Nothing was changed.',
    hint: 'Mend that, or set HEDGE_HOME to a folder that programs may be loaded from.',
    cause,
  });
}

const isPortTaken = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

/** `Port 4870 of 127.0.0.1`, as Node names it with what it could not have. */
const placeOf = (error: Error): string =>
  'port' in error && 'address' in error
    ? `Port ${String(error.port)} of ${String(error.address)}`
    : 'That port';

/** `10:02:58 sandbox POST /hedges 200 12 ms`, and what befell it. Never a key of the service. */
function logLine(entry: RequestLogEntry): string {
  const { at, environment, method, path, status, code, idempotencyKey, replayed, ms, weather } = entry;
  const book = environment === 'test' ? 'sandbox' : (environment ?? 'nobody');
  const parts = [at.slice(11, 19), book, method, path, status === 0 ? 'cut' : status.toString()];
  if (code !== undefined) parts.push(code);
  parts.push(`${ms.toFixed(0)} ms`);
  if (idempotencyKey !== undefined) parts.push(`key ${idempotencyKey}`);
  if (replayed === true) parts.push('replayed');
  if (weather !== undefined) parts.push(`weather ${weather}`);
  return parts.join(' ');
}
