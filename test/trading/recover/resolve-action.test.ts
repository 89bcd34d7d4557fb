import { describe, expect, it } from 'vitest';
import { resolveAction } from '../../../src/trading/recover/resolve-action.ts';
import { journalAt } from '../../journal/journal-at.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  FILLED,
  idOf,
  NOON,
  NOT_TOLD,
  SENDING,
  step,
  UNKNOWN,
} from '../../journal/records.ts';
import { hinting } from '../../support/hints.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { writeJournal } from '../../support/written-journal.ts';

const WORD = { as: 'nothing', because: 'the venue says so' } as const;

describe('settling an action', () => {
  it('as not executed waits for an accepted change that may still show, after another change was seen', async () => {
    const home = temporaryFolder();
    const accepted = { kind: 'accepted', by: 'answer' } as const;
    writeJournal(home, [anIntent({ action: 'add' }), step(SENDING), step(accepted), step(NOT_TOLD)]);
    const journal = journalAt(home, () => NOON);
    const settle = (seconds: number) =>
      resolveAction(journal, {
        id: idOf('7c1e'),
        outcome: WORD,
        allowLateArrival: false,
        nowMs: NOON + seconds * 1_000,
      });
    await expect(settle(300)).rejects.toMatchObject({
      code: 'in_flight',
      what: expect.stringContaining('it may still arrive and show until 2026-11-20 12:05:01 UTC'),
    });
    await expect(settle(301)).resolves.toMatchObject({ recordedAs: 'nothing' });
  });

  it('writes nothing when another process saw its end while the person was asked', async () => {
    const home = temporaryFolder();
    writeJournal(home, [anIntent(), step(SENDING), step(UNKNOWN)]);
    const journal = journalAt(home, () => NOON);
    await journal.append([step(ACCEPTED), step(FILLED)]);
    const settling = resolveAction(journal, {
      id: idOf('7c1e'),
      outcome: WORD,
      allowLateArrival: true,
      nowMs: NOON,
    });
    await expect(settling).rejects.toMatchObject({ code: 'end_known', hint: hinting('hedge journal 7c1e') });
    expect(actionsIn(journal.read())[0]?.state).toBe('done');
  });
});
