/**
 * Whether the journal could be added to now, found out by doing to its folder what an append does: the lock is
 * taken, as much as an action takes is written and on disk. Leaves nothing behind. Knows not what a journal holds.
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkFolder, writeDurably } from '../platform/durable-file.ts';
import { tryGrowingFile } from '../platform/growing-file.ts';
import type { Machine } from '../platform/host.ts';
import { withLock } from '../platform/lock.ts';
import type { Places } from '../platform/places.ts';

/** More than all records of one action take. */
const TRIED_BYTES = 16_384;

/** @throws DamagedFileError when it could not be: what is dealt would end with it, nothing sent. */
export async function tryJournal({ places, machine }: { places: Places; machine: Machine }): Promise<void> {
  const { state } = places;
  checkFolder(state, machine.host);
  if (!existsSync(state)) {
    tryFolder(nearest(state), machine);
    return;
  }
  await withLock(join(state, 'journal.lock'), machine, () => {
    tryGrowingFile(join(state, 'journal.jsonl'));
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
    writeDurably(path, '\n'.repeat(TRIED_BYTES), machine);
  } finally {
    rmSync(path, { force: true });
  }
}
