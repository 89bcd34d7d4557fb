import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACCEPTED, anIntent, idOf, SENDING, step } from '../journal/records.ts';
import { type WrittenSegment, writeLinesOf, writeSegments } from '../support/chained-journal.ts';
import { ON_A_TERMINAL, type TestCli, testCli } from '../support/test-cli.ts';
import { writeJournal } from '../support/written-journal.ts';

const records = (first: number) =>
  [0, 1].flatMap((at) => {
    const id = idOf((first + at).toString(16).padStart(6, '0'));
    return [anIntent({ action_id: id, idempotency_key: `k-${id}` }), step(SENDING, id), step(ACCEPTED, id)];
  });

function withJournal(): { cli: TestCli; last: WrittenSegment } {
  const cli = testCli();
  const [, last] = writeSegments(cli.home, [
    { name: '0001-2026-10.jsonl', records: records(0) },
    { name: '0002-2026-11.jsonl', records: records(10) },
  ]);
  if (last === undefined) throw new Error('two segments');
  return { cli, last };
}

const edit = (segment: WrittenSegment): void => {
  segment.lines[3] = Buffer.from(
    String(segment.lines[3]).replace('"notional_usd":"10000"', '"notional_usd":"90000"'),
  );
  writeLinesOf(segment);
};

describe('hedge audit verify', () => {
  it('needs no profile, key or network, and says what it read and where the journal ends', async () => {
    const { cli } = withJournal();
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/UNCHANGED: .*2 segments, 12 lines.*Fri 20 Nov.*0002-2026-11\.jsonl, line 6/s);
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      0,
      {
        data: {
          verdict: 'unchanged',
          checked: { segments: 2, lines: 12 },
          head: { segment: '0002-2026-11.jsonl', lines: 6 },
          changes: [],
          checkpoint: null,
        },
        error: null,
      },
    ]);
  });

  it('ends with 11 for an edited amount: what happened, what it means, what to do', async () => {
    const { cli, last } = withJournal();
    edit(last);
    const ran = await cli.run('audit verify --json');
    expect([ran.code, ran.document()]).toMatchObject([
      11,
      {
        data: { verdict: 'changed', changes: [{ segment: '0002-2026-11.jsonl', line: 4, kind: 'edited' }] },
        error: { code: 'journal_changed', effect: 'none', retry: 'never', details: { changes: 1 } },
      },
    ]);
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect(shown.err).toContain('Line 4 of 0002-2026-11.jsonl was edited');
    expect(shown.err).toContain('hedge halt');
  });

  it('warns about a line that a crash cut, and ends with 0', async () => {
    const { cli, last } = withJournal();
    truncateSync(last.path, readFileSync(last.path).length - 10);
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect([shown.code, shown.out]).toEqual([
      0,
      expect.stringMatching(/Line 6 of 0002-2026-11\.jsonl was cut/),
    ]);
  });

  it('says that a journal of an earlier version has no chain', async () => {
    const cli = testCli();
    writeJournal(cli.home, records(0));
    const shown = await cli.run('audit verify', ON_A_TERMINAL);
    expect([shown.code, shown.out]).toEqual([
      0,
      expect.stringMatching(/^NO CHAIN: .*SHA-256 +[0-9a-f]{64}/s),
    ]);
    expect(shown.out).not.toContain('UNCHANGED');
  });

  it('says that an empty journal is empty', async () => {
    const shown = await testCli().run('audit verify', ON_A_TERMINAL);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('empty')]);
  });
});

describe('hedge audit checkpoint', () => {
  it('writes the head into a new file, and verify compares the journal with it', async () => {
    const { cli, last } = withJournal();
    const to = join(cli.home, 'head.json');
    expect((await cli.run(['audit', 'checkpoint', '--to', to])).code).toBe(0);
    const kept: unknown = JSON.parse(readFileSync(to, 'utf8'));
    expect(kept).toMatchObject({
      segment: '0002-2026-11.jsonl',
      lines: 6,
      operator: expect.stringMatching(/@/),
    });
    const compare = () => cli.run(['audit', 'verify', '--checkpoint', to, '--json']);
    expect([(await compare()).code, (await compare()).document()]).toMatchObject([
      0,
      { data: { checkpoint: { result: 'continued', segment: '0002-2026-11.jsonl' } } },
    ]);
    const shown = await cli.run(['audit', 'verify', '--checkpoint', to], ON_A_TERMINAL);
    expect(shown.out.replaceAll(/\s+/g, ' ')).toMatch(
      /The journal continues the checkpoint of \w{3} \d+ \w{3} [\d:]{8} UTC \(line 6 of 0002-2026-11\.jsonl\)\./,
    );
    last.lines.pop();
    writeLinesOf(last);
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

  it('prints the same without --to, and in the envelope with --json', async () => {
    const { cli } = withJournal();
    const head = { kind: 'hedge_checkpoint', segment: '0002-2026-11.jsonl', lines: 6 };
    expect((await cli.run('audit checkpoint')).document()).toMatchObject(head);
    expect((await cli.run('audit checkpoint --json')).document()).toMatchObject({ data: head });
  });

  it('never replaces a file, and makes no checkpoint of a changed journal', async () => {
    const { cli, last } = withJournal();
    const to = join(cli.home, 'head.json');
    await cli.run(['audit', 'checkpoint', '--to', to]);
    const before = readFileSync(to, 'utf8');
    expect((await cli.run(['audit', 'checkpoint', '--to', to])).code).toBe(2);
    edit(last);
    expect((await cli.run(['audit', 'checkpoint', '--to', `${to}.new`])).code).toBe(11);
    expect(readFileSync(to, 'utf8')).toBe(before);
    expect(() => readFileSync(`${to}.new`)).toThrow('ENOENT');
  });

  it('has nothing to compare for an empty journal, and takes nothing else for a checkpoint', async () => {
    expect((await testCli().run('audit checkpoint')).code).toBe(11);
    const { cli, last } = withJournal();
    expect((await cli.run(['audit', 'verify', '--checkpoint', last.path])).code).toBe(2);
    expect((await cli.run(['audit', 'verify', '--checkpoint', join(cli.home, 'none')])).code).toBe(2);
  });
});
