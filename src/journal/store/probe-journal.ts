/** Tries whether the journal can be written: for `hedge doctor`, before a deal needs it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkFolder, removeLeft, writeAtomically } from '../../platform/atomic-file.ts';
import type { Machine } from '../../platform/host.ts';
import type { Paths } from '../../platform/paths.ts';
import { JournalBusy } from './journal-database.ts';
import { databaseFile, openJournalFile } from './schema.ts';

/** More than the records of one action. */
const PROBE_BYTES = 16_384;

/** Takes the place of the writer, and writes a file as large as an append; leaves nothing behind. @throws DamagedFileError */
export function probeJournal({ places, machine }: { places: Paths; machine: Machine }): void {
  const { state } = places;
  checkFolder(state, machine.host);
  if (!existsSync(state)) {
    tryFolder(nearest(state), machine);
    return;
  }
  const db = openJournalFile(databaseFile(state), machine.host);
  try {
    db?.writing(() => undefined);
  } catch (error) {
    // Another process is writing, so it can be written.
    if (!(error instanceof JournalBusy)) throw error;
  } finally {
    db?.close();
  }
  tryFolder(state, machine);
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
    removeLeft(path);
  }
}
