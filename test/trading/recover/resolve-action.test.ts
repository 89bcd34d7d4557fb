import { describe, expect, it } from 'vitest';
import { openJournal } from '../../../src/journal/store.ts';
import { resolveAction } from '../../../src/trading/recover/resolve-action.ts';
import { ACCEPTED, anIntent, FILLED, idOf, NOON, SENDING, step, UNKNOWN } from '../../journal/records.ts';
import { temporaryFolder, testMachine } from '../../support/own-folder.ts';
import { writeJournal } from '../../support/written-journal.ts';

const WORD = { as: 'nothing', because: 'the venue says so' } as const;

describe('settling an action', () => {
  it('writes nothing when another process saw its end while the person was asked', async () => {
    const home = temporaryFolder();
    writeJournal(home, [anIntent(), step(SENDING), step(UNKNOWN)]);
    const state = `${home}/state`;
    const journal = openJournal({ places: { config: home, state, cache: home }, machine: testMachine() });
    await journal.append([step(ACCEPTED), step(FILLED)]);
    const settling = resolveAction(journal, {
      id: idOf('7c1e'),
      outcome: WORD,
      allowLateArrival: true,
      nowMs: NOON,
    });
    await expect(settling).rejects.toMatchObject({ code: 'end_known', hint: 'hedge journal 7c1e' });
    expect(journal.read().actions[0]?.state).toBe('done');
  });
});
