import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAuditedFiles } from '../../src/journal/audit-files.ts';
import { type AuditReport, verdictOf } from '../../src/journal/audit-report.ts';
import { chainedLine, hashOfLine } from '../../src/journal/chain.ts';
import { type Checkpoint, checkpointOf, parseCheckpoint } from '../../src/journal/checkpoint.ts';
import { registerText } from '../../src/journal/segments.ts';
import { openJournal } from '../../src/journal/store.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { comparisonInWords, viewAudit } from '../../src/output/views/audit.ts';
import { pathsOf } from '../../src/platform/paths.ts';
import { type WrittenSegment, writeLinesOf, writeSegments } from '../support/chained-journal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { writeJournal } from '../support/written-journal.ts';
import { ACCEPTED, anIntent, idOf, SENDING, step } from './records.ts';

const { host } = testMachine();
const NAMES = ['0001-2026-09.jsonl', '0002-2026-10.jsonl', '0003-2026-11.jsonl'] as const;

const recordsFrom = (first: number) =>
  [0, 1, 2].flatMap((at) => {
    const id = idOf((first + at).toString(16).padStart(6, '0'));
    return [anIntent({ action_id: id, idempotency_key: `k-${id}` }), step(SENDING, id), step(ACCEPTED, id)];
  });

/** Three segments of nine lines. */
function aJournal() {
  const home = temporaryFolder();
  const [first, second, third] = writeSegments(
    home,
    NAMES.map((name, at) => ({ name, records: recordsFrom(10 * at) })),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error('three segments');
  return { home, first, second, third };
}

const verify = (home: string, checkpoint?: Checkpoint): Promise<AuditReport> =>
  verifyJournal(findAuditedFiles({ state: join(home, 'state'), host }), { host, checkpoint });

const lineOf = ({ lines }: WrittenSegment, line: number): Buffer => lines[line - 1] ?? Buffer.alloc(0);

const recordOf = (line: Buffer): string => `${line.toString('utf8', 0, line.length - 92)}}`;

/** What is found first, once the segments are on disk as they were changed. */
async function firstFound(home: string, ...segments: readonly WrittenSegment[]) {
  segments.forEach(writeLinesOf);
  const { changes, changeCount } = await verify(home);
  const [first] = changes;
  return first === undefined ? undefined : [first.kind, first.segment, first.line, changeCount];
}

async function checkpointFor(home: string): Promise<Checkpoint> {
  const { head } = await verify(home);
  if (head === undefined) throw new Error('an empty journal');
  return checkpointOf({ ...head, at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' });
}

describe('verifying the journal', () => {
  it('finds nothing in an untouched journal, and says what it read', async () => {
    const { home, third } = aJournal();
    const report = await verify(home);
    expect(verdictOf(report)).toBe('unchanged');
    expect(report).toMatchObject({
      chained: true,
      changes: [],
      cutLines: [],
      head: { segment: NAMES[2], lines: 9, hash: hashOfLine(lineOf(third, 9)) },
    });
    expect(report.segments.map(({ name, state, lines }) => [name, state, lines])).toEqual(
      NAMES.map((name) => [name, 'read', 9]),
    );
  });

  it('names an edited line by its checksum, also the last one', async () => {
    const { home, second, third } = aJournal();
    const edited = (line: Buffer): Buffer => Buffer.from(line.toString().replace('"schema":1', '"schema":2'));
    third.lines[8] = edited(lineOf(third, 9));
    expect(await firstFound(home, third)).toEqual(['edited', NAMES[2], 9, 1]);
    second.lines[3] = edited(lineOf(second, 4));
    expect(await firstFound(home, second)).toEqual(['edited', NAMES[1], 4, 2]);
  });

  it('names the place of a line that was edited together with its checksum', async () => {
    const { home, second } = aJournal();
    const record = recordOf(lineOf(second, 4)).replace('10000', '90000');
    second.lines[3] = Buffer.from(chainedLine(record, hashOfLine(lineOf(second, 3))));
    expect(await firstFound(home, second)).toEqual(['removed', NAMES[1], 5, 1]);
    expect((await verify(home)).changes[0]?.found).toContain('or line 4 was edited');
  });

  it('finds the same JSON in other bytes', async () => {
    const { home, first } = aJournal();
    first.lines[0] = Buffer.from(lineOf(first, 1).toString().replace('"schema":1', '"schema": 1'));
    expect(await firstFound(home, first)).toEqual(['edited', NAMES[0], 1, 1]);
  });

  it('names removed, inserted, swapped and moved lines', async () => {
    const removed = aJournal();
    removed.second.lines.splice(3, 2);
    expect(await firstFound(removed.home, removed.second)).toEqual(['removed', NAMES[1], 4, 1]);

    const atEnd = aJournal();
    atEnd.second.lines.splice(7, 2);
    expect(await firstFound(atEnd.home, atEnd.second)).toEqual(['removed', NAMES[2], 1, 1]);

    const copied = aJournal();
    copied.second.lines.splice(3, 0, lineOf(copied.first, 2));
    expect(await firstFound(copied.home, copied.second)).toEqual(['inserted', NAMES[1], 4, 1]);

    const forged = aJournal();
    const line = chainedLine(recordOf(lineOf(forged.first, 2)), hashOfLine(lineOf(forged.second, 3)));
    forged.second.lines.splice(3, 0, Buffer.from(line));
    expect(await firstFound(forged.home, forged.second)).toEqual(['inserted', NAMES[1], 4, 1]);

    const swapped = aJournal();
    const [four, five] = [lineOf(swapped.second, 4), lineOf(swapped.second, 5)];
    swapped.second.lines.splice(3, 2, five, four);
    expect(await firstFound(swapped.home, swapped.second)).toEqual(['swapped', NAMES[1], 4, 1]);

    const moved = aJournal();
    moved.second.lines.splice(7, 0, ...moved.second.lines.splice(3, 1));
    expect(await firstFound(moved.home, moved.second)).toEqual(['moved', NAMES[1], 4, 2]);

    const apart = aJournal();
    const [early, late] = [lineOf(apart.first, 4), lineOf(apart.third, 5)];
    apart.first.lines[3] = late;
    apart.third.lines[4] = early;
    expect(await firstFound(apart.home, apart.first, apart.third)).toEqual(['moved', NAMES[0], 4, 2]);
    expect((await verify(apart.home)).changes[0]?.found).toContain(`that is now line 5 of ${NAMES[2]}`);
  });

  it('names a segment that is missing, and the line after it', async () => {
    const { home, second } = aJournal();
    rmSync(second.path);
    const { changes } = await verify(home);
    expect(changes).toMatchObject([{ kind: 'missing', segment: '0002.jsonl', line: undefined }]);
  });

  it('reports lines that a crash cut as damage: the last one, and one that was ended later', async () => {
    const { home, third } = aJournal();
    truncateSync(third.path, readFileSync(third.path).length - 20);
    const torn = await verify(home);
    expect(torn).toMatchObject({
      changes: [],
      cutLines: [{ segment: NAMES[2], line: 9 }],
      head: { lines: 8 },
    });
    expect(verdictOf(torn)).toBe('unchanged');

    const ended = Buffer.concat([lineOf(third, 9).subarray(0, -19), Buffer.from([0x18])]);
    appendFileSync(third.path, Buffer.from([0x18, 0x0a]));
    const cut = readFileSync(third.path).subarray(0, -1);
    const last = cut.subarray(cut.lastIndexOf(0x0a) + 1);
    expect(last.length).toBe(ended.length);
    appendFileSync(third.path, `${chainedLine('{"schema":3}', hashOfLine(last))}\n`);
    const report = await verify(home);
    expect(report).toMatchObject({
      changes: [],
      cutLines: [{ segment: NAMES[2], line: 9 }],
      head: { lines: 10 },
    });
  });

  it('does not believe a line that was cut anywhere else', async () => {
    const { home, second } = aJournal();
    second.lines[3] = Buffer.concat([lineOf(second, 4).subarray(0, 50), Buffer.from([0x18])]);
    expect(await firstFound(home, second)).toEqual(['removed', NAMES[1], 5, 1]);
  });

  it('says that a journal of an earlier version has no chain, and shows its hash', async () => {
    const home = temporaryFolder();
    writeJournal(home, recordsFrom(0));
    const report = await verify(home);
    expect(verdictOf(report)).toBe('no_chain');
    expect(report).toMatchObject({ chained: false, head: { segment: 'journal.jsonl', lines: 9 } });
  });

  it('follows the chain from the file before the segments, and names that file when it was edited', async () => {
    const home = temporaryFolder();
    const old = writeJournal(home, recordsFrom(0));
    const { head } = await verify(home);
    const bytes = readFileSync(old);
    const folder = join(home, 'state', 'journal');
    mkdirSync(folder, { mode: 0o700 });
    const path = join(folder, '0000.jsonl');
    writeFileSync(path, bytes, { mode: 0o600 });
    writeFileSync(old, '{"schema":3,"kind":"segments","folder":"journal"}\n');
    const line = chainedLine('{"schema":3,"at":"2026-11-20T12:00:00.000Z"}', head?.hash ?? '');
    writeFileSync(join(folder, '0001-2026-11.jsonl'), `${line}\n`, { mode: 0o600 });
    const checkpoint = checkpointOf({ ...must(head), at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' });
    expect(await verify(home, checkpoint)).toMatchObject({
      chained: true,
      changes: [],
      comparison: { result: 'continued' },
    });
    writeFileSync(path, bytes.toString().replace('10000', '90000'));
    const edited = await verify(home, checkpoint);
    expect(edited).toMatchObject({
      changes: [{ found: expect.stringContaining('0000.jsonl') }],
      comparison: { result: 'rewritten' },
    });
  });

  it('notices that the line which names the folder was replaced by another journal', async () => {
    const { home } = aJournal();
    writeFileSync(join(home, 'state', 'journal.jsonl'), `${JSON.stringify(anIntent())}\n`);
    expect((await verify(home)).changes).toMatchObject([{ segment: 'journal.jsonl', kind: 'edited' }]);
  });
});

describe('lookups and the index as witnesses', () => {
  async function indexed() {
    const journal = aJournal();
    const { home } = journal;
    const places = pathsOf({ env: { HEDGE_HOME: home }, host, home });
    await openJournal({ places, machine: testMachine() }).prepare();
    return { ...journal, folder: join(home, 'state', 'journal') };
  }

  it('tell an edited line from a removed one', async () => {
    const edited = await indexed();
    const record = recordOf(lineOf(edited.second, 4)).replace('10000', '90000');
    edited.second.lines[3] = Buffer.from(chainedLine(record, hashOfLine(lineOf(edited.second, 3))));
    expect(await firstFound(edited.home, edited.second)).toEqual(['edited', NAMES[1], 4, 1]);

    const removed = await indexed();
    removed.second.lines.splice(3, 2);
    expect(await firstFound(removed.home, removed.second)).toEqual(['removed', NAMES[1], 4, 1]);
    expect((await verify(removed.home)).changes[0]?.found).toContain('2 lines that were removed');

    const atEnd = await indexed();
    atEnd.second.lines.splice(7, 2);
    expect(await firstFound(atEnd.home, atEnd.second)).toEqual(['removed', NAMES[1], 8, 1]);
  });

  it('show an end that was removed from the active segment, or its last line edited, until the next command', async () => {
    const cut = await indexed();
    cut.third.lines.splice(7);
    expect(await firstFound(cut.home, cut.third)).toEqual(['removed', NAMES[2], 8, 1]);

    const edited = await indexed();
    const record = recordOf(lineOf(edited.third, 9)).replace('hdg_1', 'hdg_2');
    edited.third.lines[8] = Buffer.from(chainedLine(record, hashOfLine(lineOf(edited.third, 8))));
    expect(await firstFound(edited.home, edited.third)).toEqual(['edited', NAMES[2], 9, 1]);
    // A copy of the file that was put back looks the same.
    expect((await verify(edited.home)).changes[0]?.found).toMatch(/^is not the line .* restored from a copy/);
  });

  it('are named when they were edited themselves', async () => {
    const { home, folder } = await indexed();
    const path = join(folder, '0002-2026-10.lookup');
    const bytes = readFileSync(path);
    bytes[80] = (bytes[80] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await firstFound(home)).toEqual(['edited', '0002-2026-10.lookup', undefined, 1]);
  });

  it('take the place of a lookup that is of another segment', async () => {
    const { home, folder } = await indexed();
    writeFileSync(join(folder, '0002-2026-10.lookup'), readFileSync(join(folder, '0001-2026-09.lookup')));
    expect(await firstFound(home)).toEqual(['edited', '0002-2026-10.lookup', undefined, 1]);
  });

  it('are not needed: without them nothing is missing', async () => {
    const { home, folder } = await indexed();
    for (const name of ['0001-2026-09.lookup', '0002-2026-10.lookup', 'active.index'])
      rmSync(join(folder, name));
    expect(await verify(home)).toMatchObject({ changes: [], changeCount: 0 });
  });
});

describe('archived segments', () => {
  async function archived() {
    const journal = aJournal();
    const { home, first } = journal;
    const before = await verify(home);
    const folder = join(home, 'state', 'journal');
    const archive = join(home, 'archive');
    mkdirSync(archive, { mode: 0o700 });
    renameSync(first.path, join(archive, first.name));
    const [stated] = before.segments;
    const entry = {
      name: '0001-2026-09',
      number: 1,
      lines: 9,
      bytes: stated?.bytes ?? 0,
      head: hashOfLine(lineOf(first, 9)),
      folder: archive,
      at: '2026-11-20T12:00:00.000Z',
      operator: 'ada@desk',
    };
    writeFileSync(join(folder, 'archived.json'), registerText([entry]), { mode: 0o600 });
    const elsewhere = (): string => {
      renameSync(archive, join(home, 'vault'));
      return join(home, 'vault');
    };
    return { ...journal, archive, entry, folder, elsewhere };
  }

  it('are read where they were moved to, or where they are now', async () => {
    const { home, archive, elsewhere } = await archived();
    const report = await verify(home);
    expect(verdictOf(report)).toBe('unchanged');
    expect(report.segments[0]).toMatchObject({ state: 'read', folder: archive, lines: 9 });
    const moved = elsewhere();
    const state = join(home, 'state');
    const found = await verifyJournal(findAuditedFiles({ state, host, archive: moved }), { host });
    expect(found.segments[0]).toMatchObject({ state: 'read', lines: 9 });
  });

  it('are named as not read, and nothing is said of them but what the next segment states', async () => {
    const { home, elsewhere, folder, entry } = await archived();
    elsewhere();
    const report = await verify(home);
    expect(verdictOf(report)).toBe('partly_unchanged');
    expect(report.segments.map(({ state }) => state)).toEqual(['not_read', 'read', 'read']);
    expect(JSON.stringify(viewAudit({ report, path: folder, archive: '/wrong', durationMs: 1 }))).toContain(
      `moved to ${entry.folder} and not found in /wrong. To read them: --archive DIR`,
    );
    const other = { ...entry, head: 'f'.repeat(64) };
    writeFileSync(join(folder, 'archived.json'), registerText([other]), { mode: 0o600 });
    expect(await firstFound(home)).toEqual(['removed', NAMES[1], 1, 1]);
  });

  it('are compared with a checkpoint as far as the register knows them', async () => {
    const { home, elsewhere, entry } = await archived();
    elsewhere();
    const of = (lines: number, hash: string) =>
      checkpointOf({
        segment: NAMES[0],
        lines,
        bytes: 1,
        hash,
        at: '2026-09-30T12:00:00.000Z',
        operator: 'ada@desk',
      });
    expect((await verify(home, of(9, entry.head))).comparison?.result).toBe('continued');
    expect((await verify(home, of(9, 'f'.repeat(64)))).comparison?.result).toBe('rewritten');
    expect((await verify(home, of(5, entry.head))).comparison?.result).toBe('not_read');
  });

  it('are changes when they are gone without being registered, or were edited where they are', async () => {
    const { home, archive, folder, first } = await archived();
    const edited = readFileSync(join(archive, first.name)).toString().replace('10000', '90000');
    writeFileSync(join(archive, first.name), edited);
    expect(await firstFound(home)).toEqual(['edited', NAMES[0], 1, 1]);
    rmSync(join(folder, 'archived.json'));
    expect(await firstFound(home)).toEqual(['missing', '0001.jsonl', undefined, 1]);
  });
});

const must = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('nothing there');
  return value;
};

describe('a checkpoint', () => {
  it('is continued by a journal that has grown', async () => {
    const { home, third } = aJournal();
    const checkpoint = await checkpointFor(home);
    third.lines.push(Buffer.from(chainedLine('{"schema":3}', hashOfLine(lineOf(third, 9)))));
    writeLinesOf(third);
    expect((await verify(home, checkpoint)).comparison?.result).toBe('continued');
  });

  it('is not called continued alone where a line before it was changed', async () => {
    const { home, third } = aJournal();
    const checkpoint = await checkpointFor(home);
    expect((await verify(home, checkpoint)).comparison?.changedBefore).toBe(false);
    third.lines[4] = Buffer.from(lineOf(third, 5).toString().replace('"attempt":1', '"attempt":2'));
    writeLinesOf(third);
    const report = await verify(home, checkpoint);
    expect(report).toMatchObject({
      changes: [{ line: 5, kind: 'edited' }],
      comparison: { result: 'continued', changedBefore: true },
    });
    expect(comparisonInWords(must(report.comparison), report)).toMatch(
      /^The last line of the checkpoint of 2026-11-20 12:00:00 UTC is there .*, but lines before it were changed\.$/,
    );
  });

  it('shows an end that was removed at a line, which the chain alone does not', async () => {
    const { home, third } = aJournal();
    const checkpoint = await checkpointFor(home);
    third.lines.splice(7);
    writeLinesOf(third);
    const report = await verify(home, checkpoint);
    expect(report).toMatchObject({ changes: [], comparison: { result: 'cut_off' } });
    expect(verdictOf(report)).toBe('changed');
    rmSync(third.path);
    expect((await verify(home, checkpoint)).comparison?.result).toBe('cut_off');
  });

  it('shows a chain that was made again as a whole', async () => {
    const { home } = aJournal();
    const checkpoint = await checkpointFor(home);
    writeSegments(
      home,
      NAMES.map((name, at) => ({ name, records: recordsFrom(10 * at + 1) })),
    );
    const report = await verify(home, checkpoint);
    expect(report).toMatchObject({ changes: [], comparison: { result: 'rewritten' } });
    expect(verdictOf(report)).toBe('changed');
  });

  it('is read from a file with or without the envelope, and from no other', async () => {
    const checkpoint = await checkpointFor(aJournal().home);
    const enveloped = JSON.stringify({ data: checkpoint, error: null, meta: { schema: 1 } });
    expect(parseCheckpoint(JSON.stringify(checkpoint), 'head.json')).toEqual(checkpoint);
    expect(parseCheckpoint(enveloped, 'head.json')).toEqual(checkpoint);
    for (const text of ['', '{}', '[]', JSON.stringify({ ...checkpoint, hash: 'x' })])
      expect(() => parseCheckpoint(text, 'head.json')).toThrow('"head.json" is not a checkpoint of hedge.');
  });
});
