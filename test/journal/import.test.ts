/** Journals of earlier versions, and exports, as a new journal: nothing is lost or doubled, and the old lines are kept. */
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError, UsageError } from '../../src/errors.ts';
import { EarlierChain, earlierLineIn } from '../../src/journal/import/earlier-chain.ts';
import { type ImportResult, importJournal } from '../../src/journal/import/import-journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { earlierFiles, refuseEarlierFiles } from '../../src/journal/store/earlier-files.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { type StoredRecord, storedRecords } from '../../src/journal/store/record-rows.ts';
import { createJournalFile, databaseFile, witnessFile } from '../../src/journal/store/schema.ts';
import { readWitness, writeWitness } from '../../src/journal/store/witness.ts';
import {
  chainedLines,
  type EarlierJournal,
  headOf,
  inFormat,
  linesOf,
  segmentsOf,
  sha256,
  writeEarlierJournal,
} from '../support/earlier-journal.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import {
  ACCEPTED,
  actionAt,
  aRoll,
  at,
  BY_ADA,
  DESK,
  FILLED,
  HALT,
  idOf,
  NOON,
  NOT_SENT,
  recordsOf,
  SENDING,
  stateFrom,
  step,
  UNKNOWN,
} from './records.ts';

const machine = testMachine();
const { host } = machine;
const NOW = NOON + 60_000;

const DONE = recordsOf('7c1e', { idempotency_key: 'k-1', deal_id: 'PAY-1' }, SENDING, ACCEPTED, FILLED);
const UNRESOLVED = recordsOf('8d2f', { idempotency_key: 'k-2', deal_id: 'PAY-2' }, SENDING, UNKNOWN);
const PREPARED = recordsOf('9e3a', { idempotency_key: 'k-3', deal_id: 'PAY-3' });
/** Appended by this version. */
const NEXT = actionAt(at(45), 'eeee', SENDING);
const ALL: readonly JournalRecord[] = [...DONE, ...UNRESOLVED, ...PREPARED, aRoll({ at: at(40) })];
const UNHALT: JournalRecord = { schema: 3, kind: 'unhalt', at: at(50), halt_ids: [], ...BY_ADA };
const HALT_JSON = `${JSON.stringify({ schema: 1, who: HALT.who, at: HALT.at, why: HALT.why })}\n`;
const MONTHS = { '2026-10': DONE, '2026-11': [...UNRESOLVED, HALT, UNHALT], '2026-12': PREPARED };

const stateIn = (home: string): string => join(home, 'state');

function homeWith(earlier: EarlierJournal): string {
  const home = temporaryFolder();
  writeEarlierJournal(stateIn(home), earlier);
  return home;
}

const imported = (home: string, files?: readonly string[]): Promise<ImportResult> =>
  importJournal({ places: placesIn(home), machine: machineAt(() => NOW), files });

const journalIn = (home: string) => journalAt(home, () => NOW).read();

function rowsIn(home: string): readonly StoredRecord[] {
  const db = openJournalDatabase(databaseFile(stateIn(home)), host);
  if (db === undefined) throw new Error('there is no journal');
  try {
    return [...storedRecords(db)];
  } finally {
    db.close();
  }
}

const recordIn = ({ record }: StoredRecord): Record<string, unknown> => {
  const { imported: _, ...rest } = JSON.parse(record);
  return rest;
};

/** Lines as they were imported, file by file. */
function linesIn(home: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { record } of rowsIn(home)) {
    const from = earlierLineIn(record);
    if (from === undefined || from.file === 'halt.json') continue;
    files[from.file] = `${files[from.file] ?? ''}${from.line.toString('latin1')}${from.ended ? '\n' : ''}`;
  }
  return files;
}

/** What is wrong with the chain of the old lines. */
function findingsIn(home: string): readonly string[] {
  const chain = new EarlierChain();
  return rowsIn(home).flatMap(({ record }) => {
    const from = earlierLineIn(record);
    const finding = from && chain.add(from.file, from.line, from.ended);
    return finding === undefined ? [] : [`${chain.file}:${chain.line.toString()} ${finding}`];
  });
}

/** Without the parts that a format did not have. */
const expected = (format: 1 | 2 | 3) => {
  const records = ALL.map((each) => ({ ...inFormat(format, each), schema: 3 }));
  return JSON.parse(JSON.stringify(records));
};

const withoutShortIds = (records: readonly object[]) =>
  records.map((each) => Object.fromEntries(Object.entries(each).filter(([name]) => name !== 'short_id')));

async function errorOf(work: Promise<unknown>): Promise<DamagedFileError | UsageError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof DamagedFileError || error instanceof UsageError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

describe('a journal of one file', () => {
  it.each([1, 2, 3] as const)('of format %d becomes a journal with the same records', async (format) => {
    const text = linesOf(format, ALL);
    const home = homeWith({ single: text });
    const result = await imported(home);
    expect(result).toMatchObject({
      isNew: true,
      records: ALL.length,
      actions: 3,
      damageCount: 0,
      isRewound: false,
    });
    expect(withoutShortIds(rowsIn(home).map(recordIn))).toEqual(withoutShortIds(expected(format)));
    expect(linesIn(home)).toEqual({ 'journal.jsonl': text });
    expect(findingsIn(home)).toEqual([]);
    const state = journalIn(home);
    expect(state.find({ dealIds: ['PAY-1', 'PAY-2', 'PAY-3'] }).map(({ state: each }) => each)).toEqual([
      'done',
      'unknown',
      'prepared',
    ]);
    expect(state.trouble).toBeUndefined();
    expect(state.halt).toBeUndefined();
    expect(state.rolls.map(({ chain_id: id }) => id)).toEqual(['3f9a1c2b']);
  });

  it('of format 2, as that version wrote it, is read whole', async () => {
    const text = readFileSync(new URL('journal-of-format-2.jsonl', import.meta.url), 'utf8');
    const home = homeWith({ single: text });
    const { records, damageCount } = await imported(home);
    expect({ records, damageCount }).toEqual({ records: text.split('\n').length - 1, damageCount: 0 });
    expect(linesIn(home)).toEqual({ 'journal.jsonl': text });
    const state = journalIn(home);
    expect(state.count).toBe(new Set(text.match(/"action_id":"[0-9a-f]{16}"/g)).size);
    expect(state.find({ dealIds: ['PAY-1'] }).map(({ shortId }) => shortId)).toEqual(['7195']);
  });

  it('has the carry and the maturity of quotes under their names of now', async () => {
    const quote = { maturity: '2026-11-23T12:00:00Z', carry_total_usdc: '-1.8', execution_price: '1532' };
    const home = homeWith({ single: linesOf(1, [{ ...DONE[0], quote }]) });
    await imported(home);
    expect(rowsIn(home).map(recordIn)[0]?.['quote']).toEqual({
      maturity_at: '2026-11-23T12:00:00Z',
      carry_usdc: '-1.8',
      execution_price: '1532',
    });
  });

  it('keeps the short IDs that its version showed', async () => {
    const ids = ['abcd120000000000', 'abcd130000000000', 'abcd140000000000', 'ffff000000000000'];
    const intents = ids.map((id, index) => ({
      ...PREPARED[0],
      action_id: id,
      idempotency_key: `k-${index}`,
    }));
    const home = homeWith({ single: linesOf(2, intents) });
    await imported(home);
    expect(
      journalIn(home)
        .find({ ids })
        .map(({ shortId }) => shortId),
    ).toEqual(['abcd', 'abcd1', 'abcd14', 'ffff']);
  });

  it('of a newer format is refused by name, and left as it is', async () => {
    const home = homeWith({ single: `${linesOf(3, ALL)}{"schema":4,"kind":"intent"}\n` });
    const error = await errorOf(imported(home));
    expect(error.what).toMatch(
      /^Line \d+ of .*journal\.jsonl was written by another version of hedge \(format 4/,
    );
    expect(readdirSync(stateIn(home))).toEqual(['journal.jsonl', 'journal.lock']);
  });
});

describe('a journal in segments', () => {
  it('is imported in order, with its chain', async () => {
    const segments = segmentsOf(MONTHS);
    const home = homeWith({ segments });
    const result = await imported(home);
    expect(result).toMatchObject({ files: segments.map(({ name }) => name), damageCount: 0, actions: 3 });
    expect(linesIn(home)).toEqual(Object.fromEntries(segments.map(({ name, content }) => [name, content])));
    expect(findingsIn(home)).toEqual([]);
    expect(rowsIn(home).map(recordIn)[0]).not.toHaveProperty('prev');
    expect(journalIn(home).halt).toBeUndefined();
  });

  it('begins with the file from before it, which is hashed as a whole', async () => {
    for (const zero of [
      linesOf(2, DONE),
      `${linesOf(2, DONE)}{"schema":2,"ki`,
      `${linesOf(2, DONE)}{"cut\u0018\n\n`,
    ]) {
      const home = homeWith({ segments: segmentsOf({ '2026-11': UNRESOLVED }, zero) });
      expect(await imported(home)).toMatchObject({ damageCount: 0, actions: 2 });
      expect(linesIn(home)['0000.jsonl']).toBe(zero);
      expect(findingsIn(home)).toEqual([]);
    }
  });

  it('is imported with the segments that were moved to an archive', async () => {
    const archive = join(temporaryFolder(), 'archive');
    const [first, ...others] = segmentsOf(MONTHS);
    if (first === undefined) throw new Error('no segment');
    const home = homeWith({ segments: [{ ...first, archive }, ...others] });
    expect(await imported(home)).toMatchObject({ actions: 3, damageCount: 0 });
    expect(findingsIn(home)).toEqual([]);
    expect(readdirSync(archive)).toEqual([first.name]);
  });

  it('is refused while a segment is missing, and imported once it is there', async () => {
    const segments = segmentsOf(MONTHS);
    const home = homeWith({ segments });
    const [moved, back] = [join(home, 'lost'), join(stateIn(home), 'journal', segments[1]?.name ?? '')];
    renameSync(back, moved);
    const error = await errorOf(imported(home));
    expect(error.what).toMatch(/^A part of the journal is missing: .*0002-\*\.jsonl\.$/);
    expect(existsSync(databaseFile(stateIn(home)))).toBe(false);
    renameSync(moved, back);
    expect(await imported(home)).toMatchObject({ actions: 3, damageCount: 0 });
  });

  it('is imported without a lost segment when its files are named, and is halted then', async () => {
    const [first, , third] = segmentsOf(MONTHS);
    const elsewhere = temporaryFolder();
    const paths = [first, third].map((each) => join(elsewhere, each?.name ?? ''));
    for (const [index, each] of [first, third].entries())
      writeFileSync(paths[index] ?? '', each?.content ?? '');
    const home = temporaryFolder();
    const { damage } = await imported(home, paths);
    expect(damage).toEqual([
      {
        file: '0003-2026-12.jsonl',
        line: 1,
        how: 'does not continue the line before it: lines were removed, or that line was edited',
      },
    ]);
    expect(journalIn(home).halt?.why).toBe('hedge journal import found 1 damaged line');
  });

  it('is refused beside another journal, also beside the file from before it', async () => {
    const zero = linesOf(2, DONE);
    const segments = segmentsOf({ '2026-11': UNRESOLVED }, zero);
    for (const single of [zero, linesOf(2, PREPARED)]) {
      const home = homeWith({ single, segments });
      expect((await errorOf(imported(home))).what).toMatch(/hold two journals\.$/);
      rmSync(join(stateIn(home), 'journal.jsonl'));
      expect(await imported(home)).toMatchObject({
        records: DONE.length + UNRESOLVED.length,
        damageCount: 0,
      });
    }
  });

  it('is not taken for an empty one when its segments are lost, or the last of them', async () => {
    const [first, second] = segmentsOf(MONTHS);
    if (first === undefined || second === undefined) throw new Error('no segment');
    const archive = temporaryFolder();
    const folder = (home: string): string => join(stateIn(home), 'journal');
    const homes = [
      homeWith({ segments: [first] }),
      homeWith({ segments: [{ ...first, archive }] }),
      homeWith({ segments: [first] }),
    ];
    rmSync(folder(homes[0] ?? ''), { recursive: true });
    writeFileSync(join(folder(homes[2] ?? ''), 'active.index'), '{"mark":{}}\n{"at":{"segment":2}}\n', {
      mode: 0o600,
    });
    const lost = await Promise.all(homes.map(async (home) => (await errorOf(imported(home))).what));
    expect(lost.map((what) => /(\d+)-\*\.jsonl\.$/.exec(what)?.[1])).toEqual(['0001', '0002', '0002']);
    expect(homes.some((home) => existsSync(databaseFile(stateIn(home))))).toBe(false);
  });

  it('is not begun where an upgrade was interrupted: the one file has the records', async () => {
    const single = linesOf(2, ALL);
    for (const segments of [
      [{ name: '0000.jsonl', content: single }],
      segmentsOf({ '2026-11': [] }, single),
    ]) {
      const home = homeWith({ single, segments });
      expect(await imported(home)).toMatchObject({ records: ALL.length, files: ['journal.jsonl'] });
    }
  });

  it('is found behind a marker that a power cut shortened, and without one', async () => {
    for (const single of ['{"schema":3,"ki', '']) {
      const home = homeWith({ single, segments: segmentsOf(MONTHS) });
      expect(await imported(home)).toMatchObject({ actions: 3, damageCount: 0 });
    }
  });
});

describe('damage', () => {
  const content = chainedLines([...DONE, ...UNRESOLVED]);
  const lines = content.split('\n').slice(0, -1);
  const withLine = (index: number, line: string): string =>
    lines.toSpliced(index, 1, line).join('\n').concat('\n');
  const segment = (text: string | Buffer): EarlierJournal => ({
    segments: [{ name: '0001-2026-11.jsonl', content: text }],
  });

  it.each([
    {
      what: 'an edited line',
      text: withLine(1, (lines[1] ?? '').replace('attempt":1', 'attempt":2')),
      how: 'was changed after it was written',
    },
    { what: 'a line that is no JSON', text: withLine(1, 'rubbish'), how: 'is not valid JSON' },
    { what: 'a line of another program', text: withLine(1, '{"a":1}'), how: 'is not a record' },
    { what: 'a line without its hash', text: withLine(1, JSON.stringify(DONE[1])), how: 'has no checksum' },
    {
      what: 'a removed line',
      text: lines.toSpliced(1, 1).join('\n').concat('\n'),
      how: 'does not continue the line before it: lines were removed, or that line was edited',
    },
  ])('$what is kept, and the journal is halted', async ({ text, how }) => {
    const home = homeWith(segment(text));
    const result = await imported(home);
    expect(result).toMatchObject({ damageCount: 1, damage: [{ file: '0001-2026-11.jsonl', line: 2, how }] });
    expect(linesIn(home)).toEqual({ '0001-2026-11.jsonl': text });
    expect(findingsIn(home)).toHaveLength(1);
    expect(journalIn(home).halt).toMatchObject({
      who: 'hedge journal import',
      why: 'hedge journal import found 1 damaged line',
      at: new Date(NOW).toISOString(),
    });
  });

  it('a line that is not UTF-8 is kept byte by byte', async () => {
    const bytes = Buffer.concat([Buffer.from(linesOf(2, DONE)), Buffer.from([0xff, 0xfe, 0x0a])]);
    const home = homeWith({ single: bytes });
    expect(await imported(home)).toMatchObject({ damageCount: 1 });
    expect(linesIn(home)).toEqual({ 'journal.jsonl': bytes.toString('latin1') });
  });

  it('a beginning that is lost takes its later records with it', async () => {
    const home = homeWith(segment(chainedLines(['rubbish', ...DONE.slice(1)])));
    const { damageCount } = await imported(home);
    // The line, the three records, and the chain after it.
    expect(damageCount).toBe(4);
    expect(journalIn(home).count).toBe(0);
    expect(journalIn(home).halt).toBeDefined();
  });

  it('makes an action unclear that seemed unsent before it, and none after it', async () => {
    const notSent = recordsOf('aaaa', { idempotency_key: 'k-4' }, SENDING, NOT_SENT);
    const later = recordsOf('bbbb', { idempotency_key: 'k-5' }, SENDING, NOT_SENT);
    const home = homeWith({
      single: `${linesOf(2, [...DONE, ...PREPARED, ...notSent])}rubbish\n${linesOf(2, later)}`,
    });
    await imported(home);
    const ids = ['7c1e', '9e3a', 'aaaa', 'bbbb'].map(idOf);
    expect(
      journalIn(home)
        .find({ ids })
        .map(({ state }) => state),
    ).toEqual(['done', 'unknown', 'unknown', 'not_sent']);
  });

  it.each([
    { what: 'without its newline', text: `${content}{"schema":3,"kind":"int` },
    { what: 'that the next command ended', text: `${content}{"schema":3,"kind":"int\u0018\n` },
  ])('is not a line that a crash cut, $what', async ({ text }) => {
    const home = homeWith(segment(text));
    expect(await imported(home)).toMatchObject({ damageCount: 0, actions: 2 });
    expect(linesIn(home)).toEqual({ '0001-2026-11.jsonl': text });
    expect(findingsIn(home)).toEqual([]);
    expect(journalIn(home).halt).toBeUndefined();
  });

  it('is not a last line that lacks only its newline: it counts', async () => {
    const home = homeWith(segment(content.slice(0, -1)));
    expect(await imported(home)).toMatchObject({ records: DONE.length + UNRESOLVED.length, damageCount: 0 });
    expect(journalIn(home).find({ ids: ['8d2f'] })[0]?.state).toBe('unknown');
    expect(findingsIn(home)).toEqual([]);
  });

  it('is a whole last line with another byte in place of its newline: no crash leaves that', async () => {
    const home = homeWith(segment(`${content.slice(0, -1)}x`));
    expect(await imported(home)).toMatchObject({ damageCount: 1 });
  });
});

describe('a halt of an earlier version', () => {
  it('is in force until the record that lifted it', async () => {
    const home = homeWith({
      single: linesOf(3, [HALT, UNHALT, { ...HALT, why: 'again', at: at(60) }]),
      halt: HALT_JSON.replace(HALT.why, 'again'),
    });
    await imported(home);
    expect(journalIn(home).halt).toMatchObject({ why: 'again', ids: [expect.any(String)] });
    await journalAt(home, () => NOW).append([
      { ...UNHALT, halt_ids: [...(journalIn(home).halt?.ids ?? [])] },
    ]);
    expect(journalIn(home).halt).toBeUndefined();
  });

  it('that only halt.json has becomes a record', async () => {
    const home = homeWith({ single: linesOf(2, DONE), halt: HALT_JSON });
    await imported(home);
    expect(journalIn(home).halt).toMatchObject({ who: HALT.who, at: HALT.at, why: HALT.why });
    expect(journalIn(home).halt?.ids).toHaveLength(1);
  });

  it('stays in force when halt.json is lost', async () => {
    const home = homeWith({ single: linesOf(3, [...DONE, HALT]) });
    await imported(home);
    expect(journalIn(home).halt?.why).toBe(HALT.why);
  });

  it.each([
    { what: 'is not as hedge wrote it', harm: (path: string) => writeFileSync(path, '{"who":1}') },
    { what: 'is empty', harm: (path: string) => writeFileSync(path, '') },
    { what: 'can be written by others', harm: (path: string) => chmodSync(path, 0o666) },
    { what: 'is a link', harm: (path: string) => (rmSync(path), symlinkSync('/nowhere', path)) },
    { what: 'is a folder', harm: (path: string) => (rmSync(path), mkdirSync(path)) },
  ])('whose file $what holds all the same', async ({ harm }) => {
    const home = homeWith({ single: linesOf(2, DONE), halt: HALT_JSON });
    harm(join(stateIn(home), 'halt.json'));
    await imported(home);
    expect(journalIn(home).halt).toMatchObject({
      who: 'hedge journal import',
      why: 'the file halt.json could not be read',
    });
  });

  it('is taken over where there is no journal', async () => {
    const home = homeWith({ halt: HALT_JSON });
    expect(await imported(home)).toMatchObject({ isNew: true, records: 0 });
    expect(journalIn(home).halt?.why).toBe(HALT.why);
  });
});

describe('after an import', () => {
  it('the old files stay under another name, and no longer count', async () => {
    const home = homeWith({ segments: segmentsOf(MONTHS), halt: HALT_JSON });
    const state = stateIn(home);
    mkdirSync(join(state, 'journal.imported'));
    expect(() => refuseEarlierFiles(state, host)).toThrowError(
      expect.objectContaining({
        code: 'journal_earlier',
        what: `${join(state, 'journal.jsonl')} was written by an earlier version of hedge.`,
        hint: hinting('To take it over: hedge journal import'),
      }),
    );
    const { renamed } = await imported(home);
    expect(renamed).toEqual(
      ['journal.jsonl.imported', 'halt.json.imported', 'journal.imported-2'].map((name) => join(state, name)),
    );
    expect(earlierFiles(state, host)).toEqual([]);
    expect(readdirSync(state).filter((name) => !name.includes('imported'))).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/importing|jsonl|halt/)]),
    );
    const { seq, hash } = rowsIn(home).at(-1) ?? { seq: 0, hash: Buffer.alloc(0) };
    expect(readWitness(state, testMachine().host)).toEqual({ seq, hash });
  });

  it('the journal takes further records of the same actions', async () => {
    const home = homeWith({ single: linesOf(1, ALL) });
    await imported(home);
    await journalAt(home, () => NOW).append([step(ACCEPTED, '8d2f', 90)]);
    expect(journalIn(home).find({ dealIds: ['PAY-2'] })[0]?.state).toBe('accepted');
    const same = stateFrom([...ALL, step(ACCEPTED, '8d2f', 90)], { nowMs: NOW });
    expect(journalIn(home).openedOn(DESK, '2026-11-20')).toEqual(same.openedOn(DESK, '2026-11-20'));
    expect(journalIn(home).current.map(({ state }) => state)).toEqual(same.current.map(({ state }) => state));
  });

  it('a second one has nothing to do', async () => {
    const home = homeWith({ single: linesOf(2, ALL) });
    await imported(home);
    const rows = rowsIn(home);
    expect((await errorOf(imported(home))).what).toMatch(/^There is no journal of an earlier version in /);
    expect(rowsIn(home)).toEqual(rows);
  });

  it('the same files put back are recognized, and other ones are refused', async () => {
    const home = homeWith({ single: linesOf(2, ALL) });
    await imported(home);
    const rows = rowsIn(home);
    writeEarlierJournal(stateIn(home), { single: linesOf(2, ALL) });
    expect(await imported(home)).toMatchObject({
      isNew: false,
      renamed: [expect.stringMatching(/\.imported-2$/)],
    });
    writeEarlierJournal(stateIn(home), { single: linesOf(2, [...ALL, ...recordsOf('dddd', {})]) });
    const error = await errorOf(imported(home));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.what).toMatch(
      /journal\.sqlite has records that are not those of journal\.jsonl\. Nothing was imported\.$/,
    );
    expect(rowsIn(home)).toEqual(rows);
    expect(earlierFiles(stateIn(home), host)).not.toEqual([]);
  });

  it('a journal that the machine had before it counts as put back', async () => {
    const home = homeWith({ single: linesOf(2, ALL) });
    writeFileSync(witnessFile(stateIn(home)), `{"seq":99,"hash":"${'0'.repeat(64)}"}\n`, { mode: 0o600 });
    expect(await imported(home)).toMatchObject({ isNew: true, isRewound: true });
    expect(journalIn(home).trouble?.kind).toBe('rewound');
  });

  it('is refused beside the log of a journal that was removed', async () => {
    const home = homeWith({ single: linesOf(2, ALL) });
    writeFileSync(`${databaseFile(stateIn(home))}-wal`, 'a log', { mode: 0o600 });
    expect((await errorOf(imported(home))).what).toMatch(
      /journal\.sqlite-wal is there without journal\.sqlite/,
    );
    expect(existsSync(join(stateIn(home), 'journal.jsonl'))).toBe(true);
  });
});

describe('an import that dies and is made again', () => {
  const earlier = (): EarlierJournal => ({
    segments: segmentsOf(MONTHS, `${linesOf(2, recordsOf('aaaa', { idempotency_key: 'k-4' }))}rubbish\n`),
    halt: HALT_JSON,
  });
  const STEPS: readonly { after: string; redo: (state: string, whole: string) => void }[] = [
    {
      after: 'while the journal is made',
      redo: (state) => {
        writeFileSync(join(state, 'importing.sqlite.00ff.new'), 'half a database', { mode: 0o600 });
        writeFileSync(join(state, 'importing.sqlite.00ff.new-journal'), 'its log', { mode: 0o600 });
      },
    },
    {
      after: 'before it is in place',
      redo: (state, whole) => cpSync(databaseFile(whole), join(state, 'importing.sqlite')),
    },
    {
      after: 'before the witness is written',
      redo: (state, whole) => {
        cpSync(databaseFile(whole), join(state, 'importing.sqlite'));
        linkSync(join(state, 'importing.sqlite'), databaseFile(state));
        writeFileSync(witnessFile(state), `{"seq":0,"hash":"${'0'.repeat(64)}"}\n`, { mode: 0o600 });
      },
    },
    {
      after: 'before the old files are renamed',
      redo: (state, whole) => {
        cpSync(databaseFile(whole), databaseFile(state));
        cpSync(witnessFile(whole), witnessFile(state));
      },
    },
    {
      after: 'when the first of them is renamed',
      redo: (state, whole) => {
        cpSync(databaseFile(whole), databaseFile(state));
        cpSync(witnessFile(whole), witnessFile(state));
        renameSync(join(state, 'journal.jsonl'), join(state, 'journal.jsonl.imported'));
      },
    },
    {
      after: 'when the last but one is renamed',
      redo: (state, whole) => {
        cpSync(databaseFile(whole), databaseFile(state));
        cpSync(witnessFile(whole), witnessFile(state));
        renameSync(join(state, 'journal.jsonl'), join(state, 'journal.jsonl.imported'));
        renameSync(join(state, 'halt.json'), join(state, 'halt.json.imported'));
      },
    },
  ];

  it.each(STEPS)('$after loses and doubles nothing', async ({ redo }) => {
    const whole = homeWith(earlier());
    await imported(whole);
    const home = homeWith(earlier());
    redo(stateIn(home), stateIn(whole));
    await imported(home);
    expect(rowsIn(home)).toEqual(rowsIn(whole));
    expect(earlierFiles(stateIn(home), host)).toEqual([]);
    expect(readdirSync(stateIn(home)).filter((name) => name.startsWith('importing'))).toEqual([]);
    expect(journalIn(home).trouble).toBeUndefined();
    expect(journalIn(home).halt).toBeDefined();
  });

  it('loses and doubles nothing where an upgrade to segments was interrupted before it', async () => {
    const single = linesOf(2, ALL);
    const home = homeWith({ single, segments: segmentsOf({ '2026-11': [] }, single) });
    await imported(home);
    const rows = rowsIn(home);
    renameSync(join(stateIn(home), 'journal.imported'), join(stateIn(home), 'journal'));
    expect(await imported(home)).toMatchObject({ isNew: false });
    expect(rowsIn(home)).toEqual(rows);
  });

  it('takes what an old process has written since, or is refused', async () => {
    const whole = homeWith({ single: linesOf(2, DONE) });
    await imported(whole);
    const home = homeWith({ single: linesOf(2, [...DONE, ...UNRESOLVED]) });
    cpSync(databaseFile(stateIn(whole)), join(stateIn(home), 'importing.sqlite'));
    writeFileSync(witnessFile(stateIn(home)), `{"seq":0,"hash":"${'0'.repeat(64)}"}\n`, { mode: 0o600 });
    expect(await imported(home)).toMatchObject({ actions: 2, isRewound: false });
    const late = homeWith({ single: linesOf(2, [...DONE, ...UNRESOLVED]) });
    cpSync(databaseFile(stateIn(whole)), databaseFile(stateIn(late)));
    expect(await errorOf(imported(late))).toBeInstanceOf(UsageError);
  });

  it('is refused beside the lock of an earlier version, which a process may hold', async () => {
    const home = homeWith({ single: linesOf(2, DONE) });
    writeFileSync(join(stateIn(home), 'journal.lock'), '{"token":"x"}', { mode: 0o600 });
    expect((await errorOf(imported(home))).what).toMatch(/journal\.lock is not a lock of this version/);
    expect(existsSync(databaseFile(stateIn(home)))).toBe(false);
  });

  it('is not disturbed by another import at the same time', async () => {
    const home = homeWith({ single: linesOf(2, ALL) });
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => imported(home)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(rowsIn(home)).toHaveLength(ALL.length);
  });
});

const removeJournal = (home: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${databaseFile(stateIn(home))}${end}`, { force: true });
};

describe('an export', () => {
  const lineOf = (stored: StoredRecord): string => `${JSON.stringify(stored)}\n`;

  /** An export of a journal with imported and new records. */
  async function exported(): Promise<{ rows: readonly StoredRecord[]; path: string }> {
    const home = homeWith({ single: linesOf(2, [...DONE, ...UNRESOLVED]), halt: HALT_JSON });
    await imported(home);
    await journalAt(home, () => NOW).append(NEXT);
    const rows = rowsIn(home);
    const path = join(home, 'export.jsonl');
    writeFileSync(path, rows.map(lineOf).join(''));
    return { rows, path };
  }

  it('becomes the same journal, with the same hashes', async () => {
    const { rows, path } = await exported();
    const home = temporaryFolder();
    expect(await imported(home, [path])).toMatchObject({ isNew: true, records: rows.length, actions: 3 });
    expect(rowsIn(home)).toEqual(rows);
    expect(journalIn(home)).toMatchObject({ count: 3, trouble: undefined });
    expect(await imported(home, [path])).toMatchObject({ isNew: false });
    expect(rowsIn(home)).toEqual(rows);
  });

  it('may come in parts, in order', async () => {
    const { rows, path } = await exported();
    const parts = [0, 3].map((from, index) => {
      const part = `${path}.${index.toString()}`;
      writeFileSync(
        part,
        rows
          .slice(from, index === 0 ? 3 : undefined)
          .map(lineOf)
          .join(''),
      );
      return part;
    });
    const home = temporaryFolder();
    await imported(home, parts);
    expect(rowsIn(home)).toEqual(rows);
    const other = temporaryFolder();
    const error = await errorOf(imported(other, parts.slice(1)));
    expect(error.what).toMatch(/begins at record 4, and the journal does not have the one before it\.$/);
    expect(readdirSync(stateIn(other))).toEqual(expect.not.arrayContaining(['journal.sqlite']));
  });

  it.each([
    { what: 'an edited record', edit: (text: string) => text.replace('PAY-2', 'PAY-9') },
    { what: 'another ID', edit: (text: string) => text.replace(/"id":"./, '"id":"-') },
    { what: 'a removed line', edit: (text: string) => text.split('\n').toSpliced(4, 1).join('\n') },
    { what: 'a cut line', edit: (text: string) => text.slice(0, -9) },
    { what: 'a line of an earlier version', edit: (text: string) => text + linesOf(2, PREPARED) },
  ])('with $what is refused, naming the line', async ({ edit }) => {
    const { path } = await exported();
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    const home = temporaryFolder();
    const error = await errorOf(imported(home, [path]));
    expect(error.what).toMatch(/^Line \d+ of .*export\.jsonl is not /);
    expect(existsSync(databaseFile(stateIn(home)))).toBe(false);
  });

  it.each([
    ['whole', 1],
    ['from the record that is missing', 4],
    ['with some that are there', 2],
  ])('%s brings back what a journal lacks that was put back', async (_what, from) => {
    const { rows, path } = await exported();
    const home = temporaryFolder();
    const older = `${path}.older`;
    writeFileSync(older, rows.slice(0, 3).map(lineOf).join(''));
    await imported(home, [older]);
    writeWitness(stateIn(home), testMachine(), rows.at(-1) ?? expect.fail('no record'));
    expect(journalIn(home).trouble?.kind).toBe('rewound');
    writeFileSync(
      path,
      rows
        .slice(from - 1)
        .map(lineOf)
        .join(''),
    );
    expect(await imported(home, [path])).toMatchObject({
      isNew: true,
      records: rows.length - 3,
      isRewound: false,
    });
    expect(rowsIn(home)).toEqual(rows);
    expect(journalIn(home)).toMatchObject({ count: 3, trouble: undefined });
  });

  it('does not take the place of a person who accepts that the witness is missing', async () => {
    const { rows, path } = await exported();
    const home = temporaryFolder();
    const older = `${path}.older`;
    writeFileSync(older, rows.slice(0, 3).map(lineOf).join(''));
    await imported(home, [older]);
    rmSync(witnessFile(stateIn(home)));
    expect(await imported(home, [path])).toMatchObject({ isNew: true, isRewound: true });
    expect(rowsIn(home)).toEqual(rows);
    expect(journalIn(home).trouble?.kind).toBe('rewound');
  });

  it.each<[string, (home: string) => void]>([
    [
      'the journal is gone, and its witness cannot be used',
      (home) => {
        removeJournal(home);
        writeFileSync(witnessFile(stateIn(home)), Buffer.alloc(400));
      },
    ],
    [
      'the journal is empty, as its log was lost, and its witness is gone',
      (home) => {
        removeJournal(home);
        createJournalFile(databaseFile(stateIn(home)), testMachine());
        rmSync(witnessFile(stateIn(home)));
      },
    ],
  ])('of before lifts no stop where %s', async (_what, lose) => {
    const { rows, path } = await exported();
    const home = temporaryFolder();
    await imported(home, [path]);
    lose(home);
    expect(journalIn(home).trouble?.kind).toBe('rewound');
    writeFileSync(path, rows.slice(0, 3).map(lineOf).join(''));
    expect(await imported(home, [path])).toMatchObject({ isNew: true, isRewound: true });
    expect(journalIn(home).trouble?.kind).toBe('rewound');
  });

  it('goes into a journal that is empty or that it continues, and into no other', async () => {
    const { rows, path } = await exported();
    const home = temporaryFolder();
    const stop = new Error('stopped');
    const guard = (): void => {
      throw stop;
    };
    await expect(journalAt(home, () => NOW).append(NEXT, guard)).rejects.toBe(stop);
    expect(existsSync(databaseFile(stateIn(home)))).toBe(true);
    expect(await imported(home, [path])).toMatchObject({ isNew: true });
    expect(rowsIn(home)).toEqual(rows);
    expect(journalIn(home).trouble).toBeUndefined();
    const used = temporaryFolder();
    await journalAt(used, () => NOW).append(NEXT);
    expect((await errorOf(imported(used, [path]))).what).toMatch(
      /has records that are not those of export\.jsonl/,
    );
    expect(rowsIn(used)).toHaveLength(NEXT.length);
  });

  it('is refused beside a journal of an earlier version, which comes first', async () => {
    const { path } = await exported();
    const home = homeWith({ single: linesOf(2, PREPARED) });
    expect((await errorOf(imported(home, [path]))).what).toMatch(
      /journal\.jsonl was written by an earlier version of hedge/,
    );
  });

  it('does not lift the halt of the folder it is imported into', async () => {
    const { path } = await exported();
    const home = homeWith({ halt: HALT_JSON.replace(HALT.why, 'another reason') });
    await imported(home, [path]);
    expect(journalIn(home).halt?.why).toBe('another reason');
    expect(readdirSync(stateIn(home))).toContain('halt.json.imported');
  });

  it('that does not exist, or is a folder, is refused by name', async () => {
    const home = temporaryFolder();
    for (const path of [join(home, 'none.jsonl'), home])
      expect((await errorOf(imported(home, [path]))).what).toContain(path);
  });
});

describe('the chain of earlier lines', () => {
  const segments = segmentsOf(MONTHS, linesOf(2, DONE));
  const findingsOf = (files: readonly { name: string; content: string | Buffer }[]): readonly string[] => {
    const chain = new EarlierChain();
    return files.flatMap(({ name, content }) =>
      content
        .toString()
        .split('\n')
        .slice(0, -1)
        .flatMap((line) => (chain.add(name, line) === undefined ? [] : [`${name}:${chain.line.toString()}`])),
    );
  };

  it('holds over all files', () => {
    expect(findingsOf(segments)).toEqual([]);
  });

  it('breaks where a file before the segments, a line, or the last line of a segment was edited', () => {
    const edited = (index: number, edit: (text: string) => string) =>
      segments.map((each, place) =>
        place === index ? { ...each, content: edit(each.content.toString()) } : each,
      );
    expect(findingsOf(edited(0, (text) => text.replace('PAY-1', 'PAY-9')))).toEqual(['0001-2026-10.jsonl:1']);
    expect(findingsOf(edited(1, (text) => text.replace('PAY-1', 'PAY-9')))).toEqual(['0001-2026-10.jsonl:1']);
    const last = (text: string): string => {
      const lines = text.split('\n').slice(0, -1);
      return `${lines.slice(0, -1).join('\n')}\n${chainedLines([UNHALT], sha256(lines.at(-2) ?? ''))}`;
    };
    expect(findingsOf(edited(1, last))).toEqual(['0002-2026-11.jsonl:1']);
    expect(findingsOf(segments.toSpliced(2, 1))).toEqual(['0003-2026-12.jsonl:1']);
    expect(headOf(segments[1]?.content.toString() ?? '')).toMatch(/^[0-9a-f]{64}$/);
  });
});
