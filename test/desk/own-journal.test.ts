/** Snapshots and notes of a month end are in the machine's own journal, which no log of a desk has. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../src/journal/store/schema.ts';
import { type DeskMachine, deskOfMachines } from '../support/desk-machines.ts';
import { withRows } from '../support/stored-journal.ts';

/** A dealer's machine with a month-end snapshot, of which somebody then edited the balance. */
async function editedMonthEnd(): Promise<DeskMachine> {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('snapshot');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes');
  await ada.ok('snapshot');
  withRows(databaseFile(join(ada.home, 'state')), (db) =>
    db.run(
      `UPDATE records SET record = replace(record, '"balance_usdc":"', '"balance_usdc":"1') WHERE seq = 1`,
    ),
  );
  return ada;
}

describe('a desk, whose snapshots are in the own journal of one machine', () => {
  it('does not pass an edited month-end snapshot as unchanged', async () => {
    const ada = await editedMonthEnd();
    const ran = await ada.ok('audit verify', { code: 11 });
    expect(ran.out).toMatch(/CHANGED.*own journal: Record 1 of journal\.sqlite/s);
    expect(ran.err).toMatch(/own journal.*Record 1 of journal\.sqlite/s);
    expect(Object((await ada.run('audit verify --json')).document())).toMatchObject({
      data: { verdict: 'changed', own_journal: { verdict: 'changed', changes_found: 1 } },
      error: { code: 'journal_changed' },
    });
    expect((await ada.ok('doctor --deep', { code: 11 })).out).toMatch(/FAIL +journal.*Record 1 of/s);
    for (const words of ['report --month', 'export --format csv'])
      expect((await ada.ok(words, { code: 78 })).err).toMatch(/hedge --profile practice journal\s+repair/);
  });

  it('reads both journals where nothing changed, and says what a checkpoint, an export and a backup leave out', async () => {
    const desk = await deskOfMachines();
    const ada = await desk.joined('ada');
    await ada.ok('snapshot');
    const { out } = await ada.ok('audit verify');
    expect(out).toMatch(/UNCHANGED.*Own journal +.*state\/journal\.sqlite, 1 record/s);
    expect((await ada.ok('doctor --deep')).out).toMatch(/and in 1 record of this machine's own/);
    for (const [words, command] of [
      ['audit checkpoint', 'hedge --profile practice audit checkpoint'],
      ['journal export', 'hedge --profile practice journal export'],
      [`journal backup ${join(ada.home, 'copy.sqlite')}`, 'hedge --profile practice journal backup'],
    ] as const)
      expect((await ada.ok(words)).err).toContain(command);
    await ada.ok('--profile practice journal export');
    await ada.ok('desk leave --yes');
    expect((await ada.ok('audit verify')).out).toMatch(/Own journal +.*1 record/);
  });
});
