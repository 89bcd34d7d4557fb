/** The journal in segments answers every query as all its records in memory do. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { readLine } from '../../src/journal/lines.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type JournalState, stateOf } from '../../src/journal/state.ts';
import { type Journal, openJournal } from '../../src/journal/store.ts';
import { hostOf } from '../../src/platform/host.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { howMany } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { anyJournal, expectAlike, type JournalAppend } from './alike.ts';
import { NOON } from './records.ts';

const host = hostOf(process);
const machineAt = (clock: { nowMs: number }) => ({
  host,
  random: systemRandom,
  clock: {
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    sleep: async () => undefined,
    after: () => () => undefined,
  },
});

interface Desk {
  home: string;
  folder: string;
  clock: { nowMs: number };
  open(): Journal;
}

function aDesk(sealBytes: number): Desk {
  const home = temporaryFolder();
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  const clock = { nowMs: NOON };
  const open = () => openJournal({ places, machine: machineAt(clock), sealBytes });
  return { home, folder: join(places.state, 'journal'), clock, open };
}

/** All records on disk, in their order. */
const recordsOnDisk = ({ folder }: Desk): readonly JournalRecord[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap((line) => {
          const read = readLine(Buffer.from(line), { path: name, line: 0, chained: false });
          return typeof read === 'object' ? [read] : [];
        }),
    );

const inMemory = (records: readonly JournalRecord[], nowMs: number): JournalState =>
  stateOf(
    { records, damage: [], damageAt: 0, cutTail: false, path: '', bytes: 0 },
    { isRunning: (writer) => host.judge(writer) === 'running', nowMs },
  );

async function written(appends: readonly JournalAppend[], sealBytes: number, reopen: number): Promise<Desk> {
  const desk = aDesk(sealBytes);
  let journal = desk.open();
  for (const [index, { atMs, records }] of appends.entries()) {
    desk.clock.nowMs = atMs;
    if (index % reopen === 0) journal = desk.open();
    await journal.append(records);
  }
  return desk;
}

const anything = fc.record({
  appends: anyJournal(host.self).filter((appends) => appends.length > 0),
  sealBytes: fc.constantFrom(1, 2_000, 8_000, 10_000_000),
  reopen: fc.constantFrom(1, 3, 1_000),
  laterMs: fc.constantFrom(0, 0, 5 * 60_000, 10 * 60_000, 40 * 86_400_000, -3_600_000, -86_400_000),
});

describe('a journal in segments', () => {
  it('answers as its records in memory do, in the process that wrote it and in another', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async ({ appends, sealBytes, reopen, laterMs }) => {
        const desk = await written(appends, sealBytes, reopen);
        desk.clock.nowMs += laterMs;
        const records = recordsOnDisk(desk);
        expectAlike(desk.open().read(), inMemory(records, desk.clock.nowMs), records);
        rmSync(desk.home, { recursive: true });
      }),
      { numRuns: howMany(10, 400), seed: 20_261_123 },
    );
  });
});
