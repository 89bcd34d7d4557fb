/** Starts and controls the practice service. The only file that imports practice/, on demand. */
import { join } from 'node:path';
import type { PracticeControl } from '../commands/command-context.ts';
import type { PracticeFaults } from '../output/views/practice.ts';
import { checkFolder, ensureClosed, ensureFolder, statOf } from '../platform/atomic-file.ts';
import type { Host } from '../platform/host.ts';
import type { Faults, PracticeService } from '../practice/index.ts';
import type { CommandRuntime } from './runtime-context.ts';

export type PracticeLauncher = ReturnType<typeof practiceLauncher>;

const loadPractice = () => import('../practice/index.ts');

export function practiceLauncher({ machine, places }: Pick<CommandRuntime, 'machine' | 'places'>) {
  const { clock, random } = machine;
  const ports = (books: readonly string[] = []) => {
    const { state } = places();
    const store = join(state, 'practice');
    protectStore(state, [store, ...books.map((name) => join(store, 'books', name))], machine.host);
    return { clock, random, store };
  };
  let opened: Promise<PracticeService> | undefined;

  const inWords = async (task: (admin: Administration) => Promise<Faults>): Promise<PracticeFaults> =>
    mappingErrors(async (practice) => {
      const faults = await administer(task);
      return { faults, inWords: practice.describeFaults(faults) };
    });

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
    /** Starts the service once per invocation. */
    open: () => (opened ??= mappingErrors(({ startPracticeService }) => startPracticeService(ports()))),
    control: {
      status: () => administer((admin) => admin.status()),
      reset: (options) => administer((admin) => admin.reset({ ...options, usualMarket: true })),
      advance: (ms) => administer((admin) => admin.advance(ms)),
      faults: () => inWords((admin) => admin.faults()),
      setFaults: (change) => inWords((admin) => admin.setFaults(change)),
      clearFaults: () => inWords((admin) => admin.clearFaults()),
      settings: () => administer((admin) => admin.settings()),
      changeSettings: (changes) => administer((admin) => admin.changeSettings(changes)),
      serve: (options) =>
        mappingErrors(async (practice) => {
          const { servePractice } = await import('./serve-practice.ts');
          // Books in memory neither need nor check a folder of this machine.
          const where = options.memory ? { clock, random, store: '' } : ports(options.books);
          return servePractice(practice, where, options);
        }),
    } satisfies PracticeControl,
    async close(): Promise<void> {
      // A failed start was reported already.
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Fixes permissions on practice files before opening them. */
function protectStore(state: string, stores: readonly string[], host: Host): void {
  checkFolder(state, host);
  for (const store of stores.filter((each) => statOf(each) !== undefined)) {
    ensureFolder(store, host);
    for (const end of ['', '-wal', '-shm']) ensureClosed(join(store, `practice.sqlite${end}`), host);
  }
}

type Practice = Awaited<ReturnType<typeof loadPractice>>;
type Administration = Awaited<ReturnType<Practice['openPracticeAdmin']>>;

const mapping = () => import('./practice-errors.ts');

/** Maps errors of practice/ to HedgeErrors. */
async function mappingErrors<T>(task: (practice: Practice) => Promise<T>): Promise<T> {
  const practice = await loadPractice().catch(async (cause: unknown) => {
    throw (await mapping()).mapLoadError(cause);
  });
  try {
    return await task(practice);
  } catch (error) {
    throw await (await mapping()).mapPracticeError(error, practice);
  }
}
