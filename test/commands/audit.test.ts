import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../src/journal/store/record-rows.ts';
import { databaseFile, witnessFile } from '../../src/journal/store/schema.ts';
import { ACCEPTED, anIntent, BY_ADA, idOf, SENDING, step } from '../journal/records.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { exportRows, replaceRows, storeJournal, storePending, withRows } from '../support/stored-journal.ts';
import { ON_A_TERMINAL, type TestCli, testCli } from '../support/test-cli.ts';

const RECORDS = ['aa', 'bb', 'cc', 'dd'].flatMap((id) => [
  anIntent({ action_id: idOf(id), idempotency_key: `k-${id}` }),
  step(SENDING, id),
  step(ACCEPTED, id),
]);

function withJournal(records = RECORDS): { cli: TestCli; state: string; rows: readonly StoredRecord[] } {
  const cli = testCli();
  const state = join(cli.home, 'state');
  mkdirSync(state, { mode: 0o700 });
  return { cli, state, rows: storeJournal(state, records) };
}

const edited = (rows: readonly StoredRecord[]): readonly StoredRecord[] =>
  rows.map((row) =>
    row.seq === 4
      ? { ...row, record: row.record.replace('"notional_usd":"10000"', '"notional_usd":"90000"') }
      : row,
  );

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('hedge audit verify', () => {
  it('needs no profile, key or network, and says what it read and where the journal ends', async () => {
    const { cli } = withJournal();
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(shown.code).toBe(0);
    expect(oneLine(shown.out)).toMatch(
      /UNCHANGED: .* Read 12 records, in .* From .*Fri 20 Nov.* Head record 12 Hash [0-9a-f]{64}/,
    );
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      0,
      {
        data: {
          verdict: 'unchanged',
          is_export: false,
          checked: { records: 12, first: 1 },
          head: { seq: 12 },
          changes: [],
          rewound: null,
          damage: [],
          pending: 0,
          losses: [],
          checkpoint: null,
        },
        error: null,
      },
    ]);
  });

  it('ends with 11 for an edited amount: what happened, what it means, what to do', async () => {
    const { cli, state, rows } = withJournal();
    replaceRows(state, edited(rows));
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      11,
      {
        data: {
          verdict: 'changed',
          changes: [{ file: 'journal.sqlite', seq: 4, kind: 'edited' }],
          changes_found: 1,
        },
        error: { code: 'journal_changed', effect: 'none', retry: 'never', details: { changes: 1 } },
      },
    ]);
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(oneLine(shown.err)).toContain(
      'Record 4 of journal.sqlite (ID 0000000000000003) does not match its hash',
    );
    expect(shown.err).toContain('hedge halt');
  });

  it('ends with 11 for a journal that lacks its last record, and names accept-loss', async () => {
    const { cli, state, rows } = withJournal();
    replaceRows(state, rows.slice(0, -1));
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(shown.code).toBe(11);
    expect(oneLine(shown.err)).toMatch(
      /The journal was changed\. .* lacks record 12.*hedge journal accept-loss --note TEXT/,
    );
    replaceRows(state, rows);
    rmSync(witnessFile(state));
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      11,
      { data: { rewound: expect.stringContaining('missing') } },
    ]);
  });

  it('ends with 78 for a damaged database, and names repair', async () => {
    const { cli, state } = withJournal();
    withRows(databaseFile(state), (db) => db.exec('DELETE FROM summary'));
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      78,
      {
        data: {
          verdict: 'damaged',
          changes: [],
          damage: [expect.stringContaining('its list of open actions')],
        },
        error: { code: 'damaged_file' },
      },
    ]);
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(oneLine(`${shown.out} ${shown.err}`)).toMatch(/DAMAGED: 1 fault\..*hedge journal repair/);
    writeFileSync(join(state, 'pending.sqlite'), 'x', { mode: 0o600 });
    expect((await cli.run('audit verify')).code).toBe(78);
  });

  it('counts pending records, and names an accepted loss', async () => {
    const loss = {
      schema: 3,
      kind: 'loss',
      at: '2026-11-20T12:00:00.000Z',
      who: 'Ada',
      found: 'x',
      note: 'y',
      ...BY_ADA,
    } as const;
    const { cli, state } = withJournal([...RECORDS, loss]);
    storePending(state, [{ id: 'f1', record: step(ACCEPTED, 'dd', 9) }]);
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect([shown.code, oneLine(shown.out)]).toEqual([
      0,
      expect.stringMatching(
        /Record 13: Ada accepted on Fri 20 Nov 12:00:00 UTC that records may be lost\..*Pending 1 record in pending\.sqlite/,
      ),
    ]);
  });

  it('verifies an export, and finds no change of the journal in it', async () => {
    const { cli, state, rows } = withJournal();
    const file = exportRows(temporaryFolder(), rows);
    replaceRows(state, edited(rows));
    const shown = await cli.run(['audit', 'verify', file], ON_A_TERMINAL);
    expect([shown.code, oneLine(shown.out)]).toEqual([
      0,
      expect.stringMatching(/UNCHANGED.* File .*export\.jsonl Read 12 records/),
    ]);
    const other = await cli.run(['audit', 'verify', exportRows(temporaryFolder(), edited(rows)), '--json']);
    expect([other.code, other.document()]).toMatchObject([
      11,
      {
        data: { is_export: true, changes: [{ file: 'export.jsonl', seq: 4 }] },
        error: { message: expect.stringContaining('The file was changed.') },
      },
    ]);
    expect((await cli.run(['audit', 'verify', witnessFile(state)])).code).toBe(2);
    expect((await cli.run(['audit', 'verify', join(state, 'none')])).code).toBe(2);
  });

  it('verifies a backup, without a change of it or of its folder', async () => {
    const { cli } = withJournal();
    const folder = temporaryFolder();
    const file = join(folder, 'backup.sqlite');
    expect((await cli.run(['journal', 'backup', file])).code).toBe(0);
    const before = readFileSync(file);
    const shown = await cli.run(['audit', 'verify', file], ON_A_TERMINAL);
    expect([shown.code, oneLine(shown.out)]).toEqual([
      0,
      expect.stringMatching(/UNCHANGED.* File .*backup\.sqlite Read 12 records/),
    ]);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['backup.sqlite']);
    withRows(file, (db) =>
      db.exec('UPDATE records SET record = replace(record, \'"10000"\', \'"90000"\') WHERE seq = 4'),
    );
    const changed = await cli.run(['audit', 'verify', file, '--json']);
    expect([changed.code, changed.document()]).toMatchObject([11, { data: { changes: [{ seq: 4 }] } }]);
  });

  it('says that an empty journal is empty', async () => {
    const shown = await testCli().run('audit verify', ON_A_TERMINAL);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('empty')]);
  });
});

describe('hedge audit checkpoint', () => {
  it('writes the head into a new file, and verify compares the journal with it', async () => {
    const { cli, state, rows } = withJournal();
    const to = join(cli.home, 'head.json');
    expect((await cli.run(['audit', 'checkpoint', '--to', to])).code).toBe(0);
    const kept: unknown = JSON.parse(readFileSync(to, 'utf8'));
    expect(kept).toMatchObject({ schema: 2, seq: 12, records: 12, operator: expect.stringMatching(/@/) });
    const compare = () => cli.run(['audit', 'verify', '--checkpoint', to, '--json']);
    expect([(await compare()).code, (await compare()).document()]).toMatchObject([
      0,
      { data: { checkpoint: { result: 'continued', changed_before: false, seq: 12 } } },
    ]);
    const shown = await cli.run(['audit', 'verify', '--checkpoint', to], ON_A_TERMINAL);
    expect(oneLine(shown.out)).toMatch(
      /It continues the checkpoint of \w{3} \d+ \w{3} [\d:]{8} UTC \(record 12\)\./,
    );
    replaceRows(state, rows.slice(0, -1), { witness: true });
    expect((await cli.run('audit verify')).code).toBe(0);
    const cut = await compare();
    expect([cut.code, cut.document()]).toMatchObject([
      11,
      {
        data: { checkpoint: { result: 'cut_off' } },
        error: { code: 'journal_changed', message: expect.stringContaining('Its end was removed') },
      },
    ]);
  });

  it('is compared with an export, and is 78 for one that begins after it', async () => {
    const { cli, rows } = withJournal();
    const to = join(cli.home, 'head.json');
    await cli.run(['audit', 'checkpoint', '--to', to]);
    const file = exportRows(temporaryFolder(), rows);
    expect((await cli.run(['audit', 'verify', file, '--checkpoint', to])).code).toBe(0);
    const { hash, ...last } = JSON.parse(readFileSync(file, 'utf8').split('\n').at(-2) ?? '');
    const late = join(temporaryFolder(), 'late.jsonl');
    writeFileSync(late, `${JSON.stringify({ ...last, seq: 20, prev: 'f'.repeat(64), hash })}\n`);
    expect((await cli.run(['audit', 'verify', late, '--checkpoint', to])).code).toBe(11);
    const { prev, ...first } = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '');
    expect([prev, first.seq]).toEqual([undefined, 1]);
    writeFileSync(late, `${JSON.stringify({ ...first, seq: 20, prev: '0'.repeat(64) })}\n`);
    const ran = await cli.run(['audit', 'verify', late, '--checkpoint', to, '--json']);
    expect([ran.code, ran.document()]).toMatchObject([
      78,
      {
        data: { verdict: 'unchanged', checkpoint: { result: 'not_compared' } },
        error: { message: expect.stringContaining('record 12 was not read, for the first one here is 20') },
      },
    ]);
  });

  it('prints the same without --to, and in the envelope with --json', async () => {
    const { cli } = withJournal();
    const head = { kind: 'hedge_checkpoint', seq: 12, records: 12 };
    expect((await cli.run('audit checkpoint')).document()).toMatchObject(head);
    expect((await cli.run('audit checkpoint --json')).document()).toMatchObject({ data: head });
  });

  it('never replaces a file, and makes no checkpoint of a changed journal', async () => {
    const { cli, state, rows } = withJournal();
    const to = join(cli.home, 'head.json');
    await cli.run(['audit', 'checkpoint', '--to', to]);
    const before = readFileSync(to, 'utf8');
    expect((await cli.run(['audit', 'checkpoint', '--to', to])).code).toBe(2);
    for (const rewritten of [edited(rows), rows.slice(0, -1)]) {
      replaceRows(state, rewritten);
      expect((await cli.run(['audit', 'checkpoint', '--to', `${to}.new`])).code).toBe(11);
    }
    expect(readFileSync(to, 'utf8')).toBe(before);
    expect(() => readFileSync(`${to}.new`)).toThrow('ENOENT');
  });

  it('has nothing to compare for an empty journal, and takes nothing else for a checkpoint', async () => {
    expect((await testCli().run('audit checkpoint')).code).toBe(11);
    const { cli, state } = withJournal();
    expect((await cli.run(['audit', 'verify', '--checkpoint', witnessFile(state)])).code).toBe(2);
    expect((await cli.run(['audit', 'verify', '--checkpoint', join(cli.home, 'none')])).code).toBe(2);
  });
});
