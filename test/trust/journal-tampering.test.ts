/** Whoever changes the journal is seen: by the chain, or by a checkpoint that was taken before. */
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { findAuditedFiles } from '../../src/journal/audit-files.ts';
import { type Checkpoint, checkpointOf } from '../../src/journal/checkpoint.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { ACCEPTED, anIntent, FILLED, idOf, SENDING, step } from '../journal/records.ts';
import { writeSegments } from '../support/chained-journal.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { tamper } from '../support/tamper.ts';

const { host } = testMachine();
const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11'];

const recordsOf = (first: number, actions: number) =>
  Array.from({ length: actions }, (_, at) => idOf((first + at).toString(16).padStart(6, '0'))).flatMap(
    (id) => [
      anIntent({ action_id: id, idempotency_key: `k-${id}` }),
      step(SENDING, id),
      step(ACCEPTED, id),
      step(FILLED, id),
    ],
  );

const aJournal = (home: string) =>
  writeSegments(
    home,
    MONTHS.map((month, at) => ({
      name: `000${(at + 1).toString()}-${month}.jsonl`,
      records: recordsOf(10 * at, 3),
    })),
  );

const verify = (home: string, checkpoint?: Checkpoint) =>
  verifyJournal(findAuditedFiles({ state: join(home, 'state'), host }), { host, checkpoint });

/** What is wrong, in words; undefined: it was found where it is. */
async function notFound(seed: number, home: string): Promise<string | undefined> {
  const random = seededRandom(seed);
  const untouched = aJournal(home);
  const before = await verify(home);
  if (before.changeCount > 0 || before.cutCount > 0 || before.head === undefined)
    return `untouched: ${JSON.stringify(before)}`;
  const checkpoint = checkpointOf({ ...before.head, at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' });
  const done = tamper(untouched, random) ?? tamper(untouched, random) ?? tamper(untouched, random);
  if (done === undefined) return undefined;
  const { changes, cutCount, comparison } = await verify(home, checkpoint);
  const shown = `seed ${seed.toString()}: ${done.what}: ${JSON.stringify({ done, changes, cutCount, comparison: comparison?.result })}`;
  if (comparison === undefined) return shown;
  if (done.at === undefined) {
    const isFound = changes.length === 0 && comparison.result !== 'continued';
    return isFound && cutCount > 0 === (done.isDamage === true) ? undefined : shown;
  }
  const [first] = changes;
  const [from, to] = done.at.lines;
  const line = first?.line ?? 0;
  return first?.segment === done.at.segment && line >= from && line <= to ? undefined : shown;
}

describe('the chain of the journal', () => {
  it('shows every edit, removal, insertion, swap and cut, and nothing in an untouched journal', async () => {
    const home = temporaryFolder();
    const wrong: string[] = [];
    const runs = howMany(500, 1_000);
    for (let seed = 1; seed <= runs; seed += 1) {
      const found = await notFound(seed, home);
      if (found !== undefined) wrong.push(found);
    }
    expectHeld('S17', { runs, wrong });
  });
});
