import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findJournalFiles } from '../../src/journal/audit-files.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { writeSegments } from '../support/chained-journal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { ACCEPTED, anIntent, idOf, SENDING, step } from './records.ts';

const { host } = testMachine();

const recordsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => idOf((from + at).toString(16).padStart(6, '0'))).flatMap((id) => [
    anIntent({ action_id: id, schema: 1, idempotency_key: `k-${id}` }),
    step(SENDING, id),
    step(ACCEPTED, id),
  ]);

const verify = async (home: string) => {
  const state = join(home, 'state');
  return verifyJournal(findJournalFiles({ state, host }), { host });
};

describe('audit verify', () => {
  const written = () => {
    const home = temporaryFolder();
    const segments = writeSegments(home, [
      { name: '0001-2026-09.jsonl', records: recordsOf(0, 5) },
      { name: '0002-2026-10.jsonl', records: recordsOf(5, 5) },
      { name: '0003-2026-11.jsonl', records: recordsOf(10, 5) },
    ]);
    return { home, segments };
  };

  it('finds nothing in an untouched journal', async () => {
    const { home } = written();
    const report = await verify(home);
    console.log(JSON.stringify(report, null, 1));
    expect(report.changeCount).toBe(0);
  });

  it('names an edited line', async () => {
    const { home, segments } = written();
    const [, { path, lines } = { path: '', lines: [] }] = segments;
    lines[4]![20]! ^= 1;
    writeFileSync(path, `${lines.map(String).join('\n')}\n`);
    const report = await verify(home);
    console.log(report.changes);
  });
});
