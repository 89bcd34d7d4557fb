/** The journal of a home folder, at a time that the test sets. */
import { join } from 'node:path';
import { type Journal, type JournalOptions, openJournal } from '../../src/journal/store/journal.ts';
import type { Machine } from '../../src/platform/host.ts';
import { testMachine } from '../support/own-folder.ts';

export const placesIn = (home: string) => ({ config: home, state: join(home, 'state'), cache: home });

const REAL = testMachine();
export const machineAt = (now: () => number): Machine => ({ ...REAL, clock: { ...REAL.clock, now } });

export const journalAt = (home: string, now: () => number, options: Partial<JournalOptions> = {}): Journal =>
  openJournal({ places: placesIn(home), machine: machineAt(now), ...options });
