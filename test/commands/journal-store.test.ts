/** Backup, export, import, repair and accept-loss of the journal, through the whole program. */
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldsIn } from '../../src/domain/fields.ts';
import { openJournalFile } from '../../src/journal/store/schema.ts';
import { modeOf, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { ON_A_TERMINAL, type TestCli, testCli } from '../support/test-cli.ts';
import { damageJournal } from '../support/written-journal.ts';

const PRACTICE = { HEDGE_PROFILE: 'practice' };
const OPEN = 'open USDTNGN buy 10k --tenor 3 --yes --no-wait';
const { host } = testMachine();
const database = ({ home }: TestCli): string => join(home, 'state', 'journal.sqlite');
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** A machine that has dealt on practice. */
async function dealt(deals = 1): Promise<TestCli> {
  const cli = testCli({ env: PRACTICE });
  for (let deal = 0; deal < deals; deal += 1)
    expect([(await cli.run(`${OPEN} --deal-id PAY-${deal.toString()}`)).code]).toEqual([0]);
  openJournalFile(database(cli), host)?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return cli;
}

/** The same machine, whose files no connection of this process has open. */
function moved(cli: TestCli): TestCli {
  const home = temporaryFolder();
  cpSync(cli.home, home, { recursive: true });
  for (const end of ['-wal', '-shm']) rmSync(join(home, 'state', `journal.sqlite${end}`), { force: true });
  return testCli({ env: PRACTICE, home });
}

/** Another text, that its hash does not fit. */
function damage(cli: TestCli): void {
  const db = openJournalFile(database(cli), host);
  db?.run("UPDATE records SET record = replace(record, 'USDTNGN', 'USDTNGX') WHERE seq = 1");
  db?.close();
}

const records = (cli: TestCli): number =>
  Number(openJournalFile(database(cli), host)?.get('SELECT count(*) AS count FROM records')?.['count'] ?? 0);

describe('hedge journal backup', () => {
  it('copies the journal to a new file, and says how many records and which head', async () => {
    const cli = await dealt();
    const to = join(temporaryFolder(), 'copy.sqlite');
    const ran = await cli.run(['journal', 'backup', to], ON_A_TERMINAL);
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(oneLine(ran.out)).toMatch(
      /^Copied [3-9] records to .*copy\.sqlite Head record [3-9] Hash [0-9a-f]{64}/,
    );
    expect(modeOf(to)).toBe('600');
  });

  it('prints a document', async () => {
    const cli = await dealt();
    const to = join(temporaryFolder(), 'copy.sqlite');
    expect((await cli.run(['journal', 'backup', to, '--json'])).document()).toMatchObject({
      data: { path: to, records: records(cli), head: { seq: records(cli) } },
      error: null,
    });
  });

  it('never replaces a file, and changes nothing', async () => {
    const cli = await dealt();
    const to = join(temporaryFolder(), 'copy.sqlite');
    writeFileSync(to, 'mine');
    const ran = await cli.run(['journal', 'backup', to, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining('already exists') },
    });
    expect(readFileSync(to, 'utf8')).toBe('mine');
  });

  it('says that there is nothing to copy', async () => {
    const to = join(temporaryFolder(), 'copy.sqlite');
    const ran = await testCli().run(['journal', 'backup', to, '--json']);
    expect(ran.document()).toMatchObject({ error: { code: 'empty_journal' } });
    expect(existsSync(to)).toBe(false);
  });

  it('says where a file cannot be made', async () => {
    const cli = await dealt();
    const ran = await cli.run(['journal', 'backup', join(cli.home, 'absent', 'copy.sqlite'), '--json']);
    expect(ran.code).toBe(74);
    expect(ran.document()).toMatchObject({ error: { code: 'output_failed' } });
  });

  it('copies no damaged journal, and names the repair', async () => {
    const cli = moved(await dealt());
    damage(cli);
    const to = join(temporaryFolder(), 'copy.sqlite');
    const ran = await cli.run(['journal', 'backup', to, '--json']);
    expect(ran.document()).toMatchObject({
      error: { code: 'damaged_file', hint: expect.stringContaining('hedge journal repair') },
    });
    expect([ran.code, existsSync(to)]).toEqual([78, false]);
  });

  it('put back, stops opens until the loss is accepted and the halt is lifted; reduce and close go on', async () => {
    const cli = await dealt();
    const to = join(temporaryFolder(), 'copy.sqlite');
    await cli.run(['journal', 'backup', to]);
    expect((await cli.run(`${OPEN} --deal-id PAY-later`)).code).toBe(0);
    const back = moved(cli);
    copyFileSync(to, database(back));
    const stopped = await back.run(`${OPEN} --deal-id PAY-next --json`);
    expect(stopped.code).toBe(78);
    expect(stopped.document()).toMatchObject({
      error: {
        code: 'journal_rewound',
        hint: expect.stringContaining('hedge journal accept-loss --note TEXT'),
      },
    });
    const accepted = await back.run(['journal', 'accept-loss', '--note', 'disk replaced', '--yes', '--json']);
    expect(accepted.document()).toMatchObject({
      data: {
        accepted: true,
        found: expect.stringContaining('lacks record'),
        expected: { seq: expect.any(Number) },
      },
    });
    expect((await back.run(`${OPEN} --deal-id PAY-next --json`)).document()).toMatchObject({
      error: { code: 'halted' },
    });
    await back.run('unhalt --yes');
    expect((await back.run(`${OPEN} --deal-id PAY-next`)).code).toBe(0);
  });
});

describe('hedge journal export', () => {
  it('prints each record as one line, with its number, ID, exact text and hash', async () => {
    const cli = await dealt();
    const ran = await cli.run('journal export');
    expect([ran.code, ran.err]).toEqual([0, '']);
    const lines = ran.out
      .trimEnd()
      .split('\n')
      .map((each) => fieldsIn(Buffer.from(each)));
    expect(lines).toHaveLength(records(cli));
    expect(lines[0]).toMatchObject({
      seq: 1,
      id: expect.any(String),
      stamp: '',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(fieldsIn(Buffer.from(String(lines[0]?.['record'])))).toMatchObject({ kind: 'intent' });
  });

  it('writes a new file that audit verify checks', async () => {
    const cli = await dealt();
    const to = join(temporaryFolder(), 'journal.jsonl');
    const ran = await cli.run(['journal', 'export', to, '--json']);
    expect(ran.document()).toMatchObject({
      data: { path: to, records: records(cli), head: { seq: records(cli) } },
    });
    expect([modeOf(to), (await cli.run(['audit', 'verify', to])).code]).toEqual(['600', 0]);
    expect((await cli.run(['journal', 'export', to])).code).toBe(2);
    expect(oneLine((await cli.run(['journal', 'export', `${to}.2`])).out)).toContain('Written 3 records to');
  });

  it('begins with the first record of a time', async () => {
    const cli = await dealt();
    expect((await cli.run('journal export --since 1h')).out.trimEnd().split('\n')).toHaveLength(records(cli));
    const none = await cli.run('journal export --since 2999-01-01');
    expect([none.code, none.out]).toEqual([0, '']);
    expect((await cli.run('journal export --since soon')).code).toBe(2);
  });

  it('has one meaning with --json: a document about a file', async () => {
    const ran = await (await dealt()).run('journal export --json');
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({
      error: { code: 'usage', hint: expect.stringContaining('journal.jsonl') },
    });
  });

  it('of a damaged journal into a file says that the journal is damaged, and leaves no file', async () => {
    const cli = await dealt();
    damageJournal(cli.home);
    const to = join(temporaryFolder(), 'journal.jsonl');
    const ran = await cli.run(['journal', 'export', to, '--json']);
    expect([ran.code, ran.document()]).toMatchObject([78, { error: { code: 'damaged_file' } }]);
    expect(oneLine(ran.err)).toMatch(/journal\.sqlite is damaged: .* hedge journal repair/);
    expect(existsSync(to)).toBe(false);
  });

  it('of an empty journal is empty', async () => {
    expect(await testCli().run('journal export')).toMatchObject({ code: 0, out: '' });
  });
});

describe('hedge journal import', () => {
  it('says that there is nothing to take over', async () => {
    const ran = await testCli().run('journal import --json');
    expect(ran.code).toBe(2);
    expect(ran.document()).toMatchObject({
      error: { message: expect.stringContaining('no journal of an earlier version') },
    });
  });

  it('makes the journal of another machine from its export, once', async () => {
    const from = await dealt();
    const file = join(temporaryFolder(), 'journal.jsonl');
    await from.run(['journal', 'export', file]);
    const cli = testCli({ env: PRACTICE });
    const unasked = await cli.run(['journal', 'import', file]);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(existsSync(database(cli))).toBe(false);
    expect((await cli.run(['journal', 'import', file, '--yes', '--json'])).document()).toMatchObject({
      data: {
        imported: true,
        files: ['journal.jsonl'],
        records: records(from),
        actions: 1,
        unreadable_lines: 0,
        halts: 0,
        renamed: [],
      },
    });
    expect((await cli.run('journal export')).out).toBe(readFileSync(file, 'utf8'));
    const again = await cli.run(['journal', 'import', file, '--yes']);
    expect(oneLine(again.out)).toContain('Already imported: 3 records, 1 action, from journal.jsonl');
  });

  it('asks before it takes over the files of an earlier version, which are then renamed', async () => {
    const cli = testCli({ env: PRACTICE });
    await cli.run('halt venue down');
    const state = join(cli.home, 'state');
    for (const name of readdirSync(state)) if (/^(journal|pending)/.test(name)) rmSync(join(state, name));
    writeFileSync(
      join(state, 'halt.json'),
      '{"who":"ada@desk","at":"2026-11-20T09:00:00.000Z","why":"venue down"}\n',
      { mode: 0o600 },
    );
    const declined = await cli.run('journal import', {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true } },
      answer: 'n\r',
    });
    expect([declined.code, existsSync(join(state, 'halt.json'))]).toEqual([10, true]);
    const ran = await cli.run('journal import --yes', ON_A_TERMINAL);
    expect(oneLine(ran.out)).toMatch(
      /Halts in force 1: hedge journal halts .*Renamed to .*halt\.json\.imported/,
    );
  });
});

describe('hedge journal repair', () => {
  it('says that there is nothing to repair', async () => {
    const cli = await dealt();
    const ran = await cli.run('journal repair');
    expect([ran.code, ran.out]).toEqual([0, 'Nothing to repair: every record in it is what was written.\n']);
    expect((await testCli().run('journal repair --json')).document()).toMatchObject({
      data: { repaired: [], pending_taken: 0 },
    });
  });

  it('puts the damaged file aside, names what is missing, and halts', async () => {
    const cli = moved(await dealt(2));
    const all = records(cli);
    damage(cli);
    expect((await cli.run(`${OPEN} --deal-id PAY-9`)).code).toBe(78);
    const ran = await cli.run('journal repair', ON_A_TERMINAL);
    expect([ran.code, ran.err]).toEqual([0, '']);
    const out = oneLine(ran.out);
    expect(out).toContain(
      'REPAIRED journal.sqlite was repaired: record 1 is missing; hashes are new from 1.',
    );
    expect(out).toMatch(/put aside: \/\S*journal\.damaged-\S+Z-[0-9a-f]{4}\.sqlite/);
    expect(out).toMatch(/No intent is left of [0-9a-f]{16}/);
    expect(out).toContain('HALTED Opens and adds are blocked.');
    expect(records(cli)).toBe(all);
    expect((await cli.run(`${OPEN} --deal-id PAY-9 --json`)).document()).toMatchObject({
      error: { code: 'halted' },
    });
    expect(oneLine((await cli.run('')).out)).toContain('record 1 is missing; hashes are new from 1');
    expect((await cli.run('journal repair')).out).toContain('Nothing to repair');
    expect((await cli.run('unhalt --yes')).code).toBe(0);
    expect((await cli.run('audit verify')).code).toBe(0);
  });

  it('takes in a close that was made while the journal was damaged', async () => {
    const dealing = await dealt();
    await dealing.run('wait PAY-0');
    const cli = moved(dealing);
    const fd = openSync(database(cli), 'r+');
    writeSync(fd, Buffer.alloc(4_096, 0xa5), 0, 4_096, 0);
    closeSync(fd);
    expect((await cli.run('close USDTNGN buy --yes')).code).toBe(0);
    const { data } = fieldsIn(Buffer.from((await cli.run('journal repair --json')).out));
    expect(data).toMatchObject({ repaired: [{ records: 1 }], pending_taken: expect.any(Number) });
    const list = await cli.run('journal --json');
    expect(list.document()).toMatchObject({ data: [{ action: 'close' }] });
    expect((await cli.run('journal repair')).out).toContain('Nothing to repair');
  });

  it('leaves a journal that was put back as it is, and names accept-loss', async () => {
    const cli = moved(await dealt());
    rmSync(join(cli.home, 'state', 'journal.head'));
    const ran = await cli.run('journal repair --json');
    expect(ran.document()).toMatchObject({
      data: { repaired: [] },
      error: { code: 'journal_rewound', hint: expect.stringContaining('accept-loss') },
    });
    expect(ran.code).toBe(78);
  });
});

describe('hedge journal accept-loss', () => {
  it('needs a note', async () => {
    const ran = await testCli().run('journal accept-loss');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('Missing --note')]);
  });

  it('has nothing to accept in a journal that is whole, and changes nothing', async () => {
    const cli = await dealt();
    const before = records(cli);
    const ran = await cli.run(['journal', 'accept-loss', '--note', 'x']);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Nothing to accept')]);
    expect(records(cli)).toBe(before);
    expect((await cli.run(['journal', 'accept-loss', '--note', 'x', '--json'])).document()).toMatchObject({
      data: { accepted: false },
    });
  });

  it('shows what is missing, asks, and halts', async () => {
    const cli = moved(await dealt());
    rmSync(join(cli.home, 'state', 'journal.head'));
    const words = ['journal', 'accept-loss', '--note', 'head lost'];
    const unasked = await cli.run(words);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(oneLine(unasked.err)).toContain('journal.head, is missing or cannot be used');
    const declined = await cli.run(words, {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true } },
      answer: 'n\r',
    });
    expect([declined.code, existsSync(join(cli.home, 'state', 'journal.head'))]).toEqual([10, false]);
    const ran = await cli.run(words, {
      terminal: { isTTY: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } },
      answer: 'y\r',
    });
    expect([ran.code, oneLine(ran.out)]).toEqual([
      0,
      expect.stringContaining('HALTED Opens and adds are blocked.'),
    ]);
    expect(oneLine((await cli.run('journal halts')).out)).toContain('records may be lost:');
    expect((await cli.run([...words, '--yes'])).out).toContain('Nothing to accept');
  });
});
