/** Whoever changes the journal is seen: by the chain, or by a checkpoint that was taken before. */
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { findAuditedFiles } from '../../src/journal/audit-files.ts';
import { type Checkpoint, checkpointOf } from '../../src/journal/checkpoint.ts';
import { openJournal } from '../../src/journal/store.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { pathsOf } from '../../src/platform/paths.ts';
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

/** Lookups and index, as the store makes them. */
async function indexed(home: string): Promise<void> {
  const places = pathsOf({ env: { HEDGE_HOME: home }, host, home });
  await openJournal({ places, machine: testMachine() }).prepare();
}

/** What is wrong, in words; undefined: it was found where it is. */
async function notFound(seed: number, home: string): Promise<string | undefined> {
  const random = seededRandom(seed);
  const written = aJournal(home);
  const isIndexed = seed % 2 === 0;
  if (isIndexed) await indexed(home);
  const before = await verify(home);
  if (before.changeCount > 0 || before.cutCount > 0 || before.head === undefined)
    return `seed ${seed.toString()}, untouched: ${JSON.stringify(before)}`;
  const checkpoint = checkpointOf({ ...before.head, at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' });
  const done = tamper(written, random) ?? tamper(written, random) ?? tamper(written, random);
  if (done === undefined) return undefined;
  const { changes, cutCount, comparison } = await verify(home, checkpoint);
  const [first] = changes;
  const isPlace = done.at.some(
    ({ segment, lines: [from, to] }) =>
      first?.segment === segment && first.line !== undefined && first.line >= from && first.line <= to,
  );
  const isSeen = comparison?.result === 'cut_off' || comparison?.result === 'rewritten';
  const isFound =
    done.isDamage === true
      ? changes.length === 0 && cutCount === 1 && isSeen
      : done.isTail === true
        ? isSeen && (isPlace || (first === undefined && !isIndexed))
        : isPlace;
  return isFound
    ? undefined
    : `seed ${seed.toString()}: ${JSON.stringify({ done, changes, cutCount, result: comparison?.result })}`;
}

describe('the chain of the journal', () => {
  it('shows every edit, removal, insertion, swap and cut, and nothing in an untouched journal', async () => {
    const wrong: string[] = [];
    const runs = howMany(500, 1_000);
    for (let seed = 1; seed <= runs; seed += 1) {
      const found = await notFound(seed, temporaryFolder());
      if (found !== undefined) wrong.push(found);
    }
    expectHeld('S17', { runs, wrong });
  });
});
