/** Whoever changes the journal is seen: by the chain, by the witness, or by a checkpoint that was taken before. */
import { describe, it } from 'vitest';
import { verdictOf } from '../../src/journal/audit-report.ts';
import { type Checkpoint, checkpointOf } from '../../src/journal/checkpoint.ts';
import type { StoredRecord } from '../../src/journal/store/record-rows.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { ACCEPTED, anIntent, FILLED, HALT, idOf, SENDING, step } from '../journal/records.ts';
import { expectHeld, howMany } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { exportRows, replaceRows, storeJournal } from '../support/stored-journal.ts';
import { tamper } from '../support/tamper.ts';

const RECORDS = [
  ...Array.from({ length: 8 }, (_, at) => idOf((at + 1).toString(16).padStart(6, '0'))).flatMap((id) => [
    anIntent({ action_id: id, idempotency_key: `k-${id}`, deal_id: `PAY-${id}` }),
    step(SENDING, id),
    step(ACCEPTED, id),
    step(FILLED, id),
  ]),
  HALT,
];

const verify = (state: string, options: { checkpoint?: Checkpoint; file?: string } = {}) =>
  openAudit({ places: { state }, machine: testMachine() }).verify(options);

/** What is wrong, in words; undefined: it was found where it is. */
async function notFound(
  seed: number,
  state: string,
  rows: readonly StoredRecord[],
): Promise<string | undefined> {
  replaceRows(state, rows, { witness: true });
  const before = await verify(state);
  if (verdictOf(before) !== 'unchanged' || before.head === undefined)
    return `seed ${seed.toString()}, untouched: ${JSON.stringify(before)}`;
  const { head } = before;
  const made = { at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' };
  const checkpoint = checkpointOf({ ...head, records: head.seq, ...made });
  const done = tamper(rows, seededRandom(seed));
  const isWitnessed = seed % 2 === 0;
  replaceRows(state, done.rows, { witness: !isWitnessed });
  const report = await verify(state, { checkpoint });
  const exported = await verify(state, { checkpoint, file: exportRows(state, done.rows) });
  const isFound = [report, exported].every(({ changes: [first], comparison }) =>
    done.at === undefined
      ? first === undefined && (comparison?.result === 'cut_off' || comparison?.result === 'rewritten')
      : first?.seq === done.at,
  );
  const isSeenAlone = done.at !== undefined || !isWitnessed || report.rewound !== undefined;
  return isFound && isSeenAlone
    ? undefined
    : `seed ${seed.toString()}: ${JSON.stringify({ what: done.what, at: done.at, report, exported })}`;
}

describe('the chain of the journal', () => {
  it('shows every edit, removal, insertion, swap and cut, and nothing in an untouched journal', async () => {
    const wrong: string[] = [];
    const state = temporaryFolder();
    const rows = storeJournal(state, RECORDS);
    const runs = howMany(1_000, 1_000);
    for (let seed = 1; seed <= runs; seed += 1) {
      const found = await notFound(seed, state, rows);
      if (found !== undefined) wrong.push(found);
    }
    expectHeld('S17', { runs, wrong });
  });
});
