/** An export of the journal: its lines, and what verifies them: hedge, and a program in Python written from the format's document. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { type AuditReport, changeInWords, verdictOf } from '../../src/journal/audit-report.ts';
import { type Checkpoint, checkpointOf } from '../../src/journal/checkpoint.ts';
import { exportJournal } from '../../src/journal/export.ts';
import { importJournal } from '../../src/journal/import/import-journal.ts';
import { insertRecords } from '../../src/journal/store/new-records.ts';
import type { StoredRecord } from '../../src/journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../../src/journal/store/schema.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { linesOf, segmentsOf, writeEarlierJournal } from '../support/earlier-journal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { exportRows, storeJournal } from '../support/stored-journal.ts';
import { tamper } from '../support/tamper.ts';
import { needs } from '../support/tools.ts';
import { ACCEPTED, actionAt, at, FILLED, HALT, SENDING, step, UNKNOWN } from './records.ts';

const machine = testMachine();
const { host } = machine;

const RECORDS = [
  ...actionAt(at(), 'aaaa', SENDING, ACCEPTED, FILLED),
  ...actionAt(at(60), 'bbbb', SENDING, { kind: 'unknown', why: 'reset — “peer” \u{1F4A5} \u2028' }),
  HALT,
  ...actionAt(at(120), 'cccc', SENDING),
];

const stored = (records = RECORDS): { state: string; rows: readonly StoredRecord[] } => {
  const state = temporaryFolder();
  return { state, rows: storeJournal(state, records) };
};

const exported = (state: string, since?: string): readonly string[] => [
  ...exportJournal({ places: { state }, machine, since }),
];

/** As a file. Gives its path. */
function exportOf(lines: readonly string[]): string {
  const path = join(temporaryFolder(), 'export.jsonl');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

const verify = (file: string, checkpoint?: Checkpoint): Promise<AuditReport> =>
  openAudit({ places: { state: '/no/such/folder' }, machine }).verify({ file, checkpoint });

const headOf = (rows: readonly StoredRecord[], seq: number): Checkpoint =>
  checkpointOf({
    seq,
    hash: rows[seq - 1]?.hash ?? '',
    records: seq,
    at: at(),
    operator: 'ada@desk',
  });

describe('an export', () => {
  it('has every record with its exact text, one a line', () => {
    const { state, rows } = stored();
    expect(exported(state).map((line): unknown => JSON.parse(line))).toEqual(rows);
    expect(exported(state)[0]).toMatch(
      /^\{"seq":1,"id":"0{16}","record":"\{\\"schema\\":3,.*","stamp":"","hash":"[0-9a-f]{64}"\}$/,
    );
  });

  it('begins with the first record since a time, with the hash before it, and has all after it', () => {
    const { state, rows } = stored();
    // The halt was recorded later, with an earlier time.
    const parts = exported(state, at(60)).map((line): unknown => JSON.parse(line));
    expect(parts).toMatchObject([
      { seq: 5, prev: rows[3]?.hash ?? '' },
      ...[6, 7, 8, 9, 10].map((seq) => ({ seq })),
    ]);
    expect(parts.slice(1).every((each) => !Object.hasOwn(Object(each), 'prev'))).toBe(true);
    expect(exported(state, at(-1))).toEqual(exported(state));
    expect(exported(state, at(999))).toEqual([]);
  });

  it('is empty without a journal, and refuses one of an earlier version', () => {
    expect(exported(temporaryFolder())).toEqual([]);
    const state = temporaryFolder();
    writeEarlierJournal(state, { single: linesOf(2, RECORDS) });
    expect(() => exported(state)).toThrow('earlier version');
  });

  it('is the journal of one moment, and blocks no writer', () => {
    const { state } = stored();
    const writer = openJournalFile(databaseFile(state), host);
    const lines: string[] = [];
    for (const line of exportJournal({ places: { state }, machine })) {
      if (lines.length === 1)
        writer?.writing(() =>
          insertRecords(writer, [{ id: 'late', record: JSON.stringify(step(UNKNOWN, 'cccc', 130)) }]),
        );
      lines.push(line);
    }
    expect([lines.length, exported(state).length]).toEqual([RECORDS.length, RECORDS.length + 1]);
  });
});

describe('an audit of an export', () => {
  it('finds nothing in an untouched one, from the beginning or from later on', async () => {
    const { state, rows } = stored();
    expect(await verify(exportOf(exported(state)))).toMatchObject({
      records: 10,
      first: 1,
      from: at(),
      to: at(120),
      head: { seq: 10, hash: rows[9]?.hash ?? '' },
      changes: [],
    });
    expect(await verify(exportOf(exported(state, at(60))))).toMatchObject({
      records: 6,
      first: 5,
      changes: [],
    });
    expect(await verify(exportOf([]))).toMatchObject({ records: 0, head: undefined, changes: [] });
  });

  it('finds a change of the first record of a part', async () => {
    const { state } = stored();
    const [first = '', ...more] = exported(state, at(60));
    const edited = await verify(exportOf([first.replace('10000', '90000'), ...more]));
    expect(edited.changes).toMatchObject([{ seq: 5, kind: 'edited' }]);
    const without = await verify(exportOf([first.replace(/"prev":"\w+",/, ''), ...more]));
    expect(without.changes.map(changeInWords)).toEqual([
      'Record 1 of export.jsonl is missing, and 3 after it.',
    ]);
  });

  it('names lines that are not lines of an export, and no record after them', async () => {
    const { state } = stored();
    const lines = exported(state);
    const cut = await verify(exportOf(lines.with(9, lines[9]?.slice(0, 50) ?? '')));
    expect(cut.changes.map(changeInWords)).toEqual(['export.jsonl has no record in line 10.']);
    const bad = await verify(exportOf(lines.with(3, '[]').with(4, '{"seq":5}')));
    expect([bad.changeCount, bad.records]).toEqual([2, 8]);
    const swapped = await verify(exportOf(lines.with(3, lines[4] ?? '').with(4, lines[3] ?? '')));
    expect(swapped.changes).toMatchObject([
      { seq: 4, kind: 'removed' },
      { seq: 4, kind: 'inserted' },
    ]);
  });

  it('refuses a file that is no export, or cannot be read', async () => {
    await expect(verify(exportOf(['Dear Ada,', 'see you.']))).rejects.toThrow(UsageError);
    await expect(verify(join(temporaryFolder(), 'none'))).rejects.toMatchObject({ code: 'usage' });
  });

  it('is compared with a checkpoint, as far as it has its record', async () => {
    const { state, rows } = stored();
    const [whole, part] = [exportOf(exported(state)), exportOf(exported(state, at(60)))];
    const compared = async (file: string, checkpoint: Checkpoint) => {
      const report = await verify(file, checkpoint);
      return [report.comparison?.result, verdictOf(report)];
    };
    expect(await compared(whole, headOf(rows, 10))).toEqual(['continued', 'unchanged']);
    expect(await compared(part, headOf(rows, 4))).toEqual(['continued', 'unchanged']);
    expect(await compared(part, headOf(rows, 3))).toEqual(['not_compared', 'unchanged']);
    expect(await compared(whole, { ...headOf(rows, 3), hash: 'f'.repeat(64) })).toEqual([
      'rewritten',
      'changed',
    ]);
    expect(await compared(whole, headOf(rows, 11))).toEqual(['cut_off', 'changed']);
  });
});

describe('a verifier written from the document of the format', () => {
  const PROGRAM = fileURLToPath(new URL('foreign/verify.py', import.meta.url));

  /** The lines of each export that both do not judge alike, and how; none when they agree. */
  async function differences(files: readonly string[], checkpoint: Checkpoint): Promise<readonly string[]> {
    const path = join(temporaryFolder(), 'head.json');
    writeFileSync(path, JSON.stringify(checkpoint));
    const words = [PROGRAM, '--checkpoint', path, ...files];
    const { status, stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const theirs = stdout.split('\n').slice(0, -1);
    const reports = await Promise.all(files.map((file) => verify(file, checkpoint)));
    expect([theirs.length, status]).toEqual([
      files.length,
      reports.some((report) => verdictOf(report) === 'changed') ? 11 : 0,
    ]);
    return reports.flatMap((report, index) => {
      const { changes, ...their }: { changes: { seq: number | null }[] } = JSON.parse(theirs[index] ?? '');
      const { records, head = null, changes: found, comparison } = report;
      const own = { verdict: verdictOf(report), records, head, checkpoint: comparison?.result };
      const [[first], [theirFirst]] = [found, changes];
      const [seq, theirSeq] = [first?.seq ?? 0, theirFirst?.seq ?? 0];
      // It does not say of a record before the one that does not fit that it was inserted.
      const isSamePlace =
        (first === undefined) === (theirFirst === undefined) && (seq === theirSeq || seq + 1 === theirSeq);
      return isSamePlace && JSON.stringify(own) === JSON.stringify(their)
        ? []
        : [`${files[index] ?? ''}: ${JSON.stringify({ own, their, found, changes })}`];
    });
  }

  it('finds nothing in an untouched export, nor in a part of one', needs('python3'), async () => {
    const { state, rows } = stored();
    expect(await differences([exportOf(exported(state))], headOf(rows, 10))).toEqual([]);
    expect(await differences([exportOf(exported(state, at(60)))], headOf(rows, 4))).toEqual([]);
    expect(await differences([exportOf([])], headOf(rows, 1))).toEqual([]);
  });

  it('agrees about tampered exports', needs('python3'), async () => {
    const { rows } = stored();
    const files = Array.from({ length: 200 }, (_, seed) =>
      exportRows(temporaryFolder(), tamper(rows, seededRandom(seed)).rows),
    );
    expect(await differences(files, headOf(rows, 10))).toEqual([]);
  });

  it('agrees about lines with any bit changed', needs('python3'), async () => {
    const { state, rows } = stored();
    const { fraction } = seededRandom(7);
    const bytes = Buffer.from(readFileSync(exportOf(exported(state, at(60)))));
    const files = Array.from({ length: 300 }, () => {
      const index = Math.floor(fraction() * bytes.length);
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ (1 << Math.floor(fraction() * 8));
      const path = exportOf([]);
      writeFileSync(path, changed);
      return path;
    });
    expect(await differences(files, headOf(rows, 10))).toEqual([]);
  });

  it('checks the lines of earlier versions too', needs('python3'), async () => {
    const state = temporaryFolder();
    const single = Buffer.concat([
      Buffer.from(linesOf(2, actionAt(at(-60), '9999', SENDING, ACCEPTED, FILLED))),
      Buffer.from([0xff, 0xfe, 0x0a]),
    ]);
    const months = { '2026-10': RECORDS.slice(0, 4), '2026-11': RECORDS.slice(4) };
    writeEarlierJournal(state, { segments: segmentsOf(months, single) });
    await importJournal({ places: { state }, machine });
    const lines = exported(state);
    const rows = lines.map((line): StoredRecord => {
      const { hash, ...row } = JSON.parse(line);
      return { ...row, hash: Buffer.from(hash, 'hex') };
    });
    expect(lines.some((line) => line.includes('\\"bytes\\"'))).toBe(true);
    expect(await differences([exportOf(lines)], headOf(rows, rows.length))).toEqual([]);
    const edited = lines.map((line) => line.replace('peer', 'Peer'));
    expect(edited).not.toEqual(lines);
    expect(await differences([exportOf(edited)], headOf(rows, rows.length))).toEqual([]);
  });
});
