/** A repair while other processes append: each record that was reported as written is there afterwards, once. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { databaseFile, openJournalFile, pendingFile } from '../../src/journal/store/schema.ts';
import { IN_FULL } from '../support/goal.ts';
import { runModule, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt } from './journal-at.ts';
import { ACCEPTED, actionAt, anIntent, at, FILLED, NOON, SENDING } from './records.ts';

const { host } = testMachine();
const ROUNDS = IN_FULL ? 4 : 1;
const APPENDERS = 4;

const CHILD = `
  import { writeSync } from 'node:fs';
  import { openJournal } from 'dist/journal/store/journal.js';
  import { repairJournal } from 'dist/journal/store/repair.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const [home, template] = process.argv.slice(1);
  const places = { config: home, state: home + '/state', cache: home };
`;

/** Appends for two seconds, and twenty times at least; prints each ID when its append has returned. */
const APPENDING = `${CHILD}
  const journal = openJournal({ places, machine, busyMs: 120_000 });
  let count = 0;
  for (const end = Date.now() + 2_000; count < 20 || Date.now() < end; count += 1) {
    const id = Buffer.from(systemRandom.bytes(8)).toString('hex');
    await journal.append([{ ...JSON.parse(template), action_id: id, idempotency_key: id }]);
    writeSync(1, id + '\\n');
    await systemClock.sleep(2);
  }
`;

const REPAIRING = `${CHILD}
  const signature = { who: 'ada@desk', operator: { user: 'ada', host: 'desk' }, version: '1' };
  const { files } = await repairJournal({ places, machine, signature });
  writeSync(1, String(files.length));
`;

const CLOSE = JSON.stringify(anIntent({ action: 'close', at: at(60) }));

/** How often each action begins in the journal and among the pending records, by the ID of the record. */
function beginnings(home: string): ReadonlyMap<string, number> {
  const records = new Map<string, string>();
  for (const path of [databaseFile(join(home, 'state')), pendingFile(join(home, 'state'))])
    for (const row of openJournalFile(path, host)?.all(
      "SELECT id, action_id FROM records WHERE kind = 'intent'",
    ) ?? [])
      records.set(String(row['id']), String(row['action_id']));
  const counts = new Map<string, number>();
  for (const id of records.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

describe('journal repair while others append', () => {
  it('loses no record, and leaves a journal that is whole', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = temporaryFolder();
      for (let index = 0; index < 5; index += 1)
        await journalAt(home, () => NOON).append(
          actionAt(at(index), `${index.toString()}aaa`, SENDING, ACCEPTED, FILLED),
        );
      // No appender looks at this one.
      openJournalFile(databaseFile(join(home, 'state')), host)?.run(
        'UPDATE records SET hash = ? WHERE seq = 9',
        Buffer.alloc(32),
      );
      const appenders = Array.from({ length: APPENDERS }, () => runModule(APPENDING, [home, CLOSE]));
      await pause(700 + 50 * round);
      const repaired = await runModule(REPAIRING, [home]).ended;
      expect([repaired.out, repaired.err]).toEqual(['1', '']);
      const ended = await Promise.all(appenders.map((each) => each.ended));
      expect(ended.map(({ err }) => err)).toEqual(Array.from({ length: APPENDERS }, () => ''));
      const written = ended.flatMap(({ out }) => out.trim().split('\n'));
      expect(written.length).toBeGreaterThan(APPENDERS);
      const found = beginnings(home);
      expect(written.filter((id) => found.get(id) !== 1)).toEqual([]);
      expect(journalAt(home, () => NOON).read().trouble).toBeUndefined();
    }
  });
});
