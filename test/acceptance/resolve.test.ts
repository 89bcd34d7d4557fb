import { describe, expect, it } from 'vitest';
import { anIntent, SENDING, step, UNKNOWN } from '../journal/records.ts';
import { openHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { journalText, writeJournal } from '../support/written-journal.ts';

describe('hedge journal resolve at a terminal', () => {
  it.each([
    ['y', 0, 'recorded as not executed', '"as":"nothing"'],
    ['n', 10, 'The journal is unchanged.', 'connection reset'],
    ['', 10, 'The journal is unchanged.', 'connection reset'],
  ])('shows what is known and asks: the answer %j exits %i', async (answer, code, said, last) => {
    const home = temporaryFolder();
    // Some of what is written down is a sentence, some is a few words.
    const why = answer === 'y' ? 'connection reset.' : 'connection reset';
    writeJournal(home, [anIntent(), step(SENDING), step({ ...UNKNOWN, why })]);
    const words = ['journal', 'resolve', '7c1e', '--as', 'not-executed', '--reason', 'the venue says so'];
    const env = { HEDGE_HOME: home, NO_COLOR: '1' };
    const screen = openHedge(words, { env, columns: 110 });
    const asked = await screen.until('Record 7c1e as not executed? (y/N)');
    expect(asked).toContain('LIVE · desk · open USDTNGN buy 10,000.00 USD · UNKNOWN');
    expect(asked).toMatch(/^Last known: connection reset\.$/m);
    screen.send(`${answer}\r`);
    await screen.until(said);
    expect((await screen.exit).code).toBe(code);
    expect(journalText(home).trimEnd().split('\n').at(-1)).toContain(last);
  });
});
